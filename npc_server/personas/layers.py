"""Lays one persona file over another, key by key, and remembers from which file and line each value comes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npc_server import clock
from npc_server.document_errors import Loc, did_you_mean, show
from npc_server.documents import load_yaml
from npc_server.errors import FileProblem, Problem
from npc_server.personas.file import DAYS, TIME_PATTERN, PersonaFile, seconds
from npc_server.records import Document
from npc_server.yaml_values import yaml_of

ADD = "add"
"""The key of a mod's file whose values are added to those of the game."""
NEEDED = tuple(key for key, it in PersonaFile.model_fields.items() if it.is_required())
"""The keys that a person needs."""
PROSE = {"identity": ";\n", "currently": " ", "lifestyle": " ", "style": " "}
"""The texts that one can add to, and what stands between the game's and the added one."""
MEANS_ALL = {"knows": "without it, the person knows all public places"}
"""Lists that mean everything where there is none, so that adding one would take away the rest."""
MOST_VALUES = 4_000
"""Most values in a file of a mod. The largest persona file of Alderwick has 935."""

Line = tuple[str, int]
"""A file and a line of it."""


@dataclass(frozen=True)
class Layer:
    """A value of a persona file and where it was written, with the same for all that is in it."""

    value: object
    line: Line
    keys: Mapping[str, Layer] | None = None
    """The parts of a mapping."""
    items: Sequence[Layer] | None = None
    """The parts of a list."""


def read_layer(document: Document, most: int = MOST_VALUES) -> Layer:
    """Reads a file. Raises FileProblem."""
    parsed = load_yaml(document, most)
    return _layer(parsed.value, (), parsed.lines, document.name)


def _layer(value: object, loc: Loc, lines: Mapping[Loc, int], file: str, around: int = 1) -> Layer:
    line = lines.get(loc, around)
    if isinstance(value, dict):
        return Layer(value, (file, line), keys={key: _layer(it, (*loc, key), lines, file, line) for key, it in value.items()})
    if isinstance(value, list):
        return Layer(value, (file, line), items=[_layer(it, (*loc, at), lines, file, line) for at, it in enumerate(value)])
    return Layer(value, (file, line))


def layer_of(value: object) -> Layer:
    """The layer of values that stand in no file."""
    return _layer(value, (), {}, "")


def at_lines(layer: Layer, lines: Sequence[Line]) -> Layer:
    """The layer of a text whose lines were written elsewhere."""
    return Layer(
        layer.value,
        lines[layer.line[1] - 1],
        {key: at_lines(it, lines) for key, it in layer.keys.items()} if layer.keys is not None else None,
        [at_lines(it, lines) for it in layer.items] if layer.items is not None else None,
    )


def laid_over(game: Layer, mod: Layer) -> Layer:
    """The mapping `game` with the keys of `mod`: an empty one deletes the game's, and those under `add` are added to the game's.

    Raises FileProblem if something cannot be deleted or added.
    """
    parts = _replaced(game, mod)
    more = (mod.keys or {}).get(ADD)
    if more is not None:
        if more.keys is None:
            raise _problem(more, f"Under '{ADD}' stands {show(more.value)}.", "Write keys under it, e.g. `secrets:` and a list.")
        parts |= {key: _added(key, parts.get(key), it) for key, it in more.keys.items()}
    if (routine := parts.get("routine")) is not None and routine.items is not None:
        parts["routine"] = _list(_in_order(routine.items, parts.get("wake")), routine.line)
    return _mapping(parts, game.line)


def _replaced(game: Layer, mod: Layer) -> dict[str, Layer]:
    parts = dict(game.keys or {})
    for key, given in (mod.keys or {}).items():
        before = parts.get(key)
        if key == ADD:
            continue
        if before is None and given.keys and (hint := did_you_mean(key.casefold(), [ADD])):
            raise _problem(given, f"Key '{key}' is not known.", hint)
        if given.value is None and key in NEEDED:
            raise _problem(given, f"'{key}' is empty, and every person needs it.", "Write a value, or delete the line.")
        if given.value is None and before is not None and before.keys is not None:
            raise _problem(given, f"'{key}' is empty.", f"Indent the lines that belong to it, or write `{key}: {{}}` to delete all of it.")
        if given.value is None:
            parts.pop(key, None)
        elif given.keys and before is not None and before.keys is not None:
            parts[key] = laid_over(before, given)
        else:
            parts[key] = given
    return parts


def _added(key: str, game: Layer | None, more: Layer) -> Layer:
    """What the game has under a key with `more`."""
    if game is None or game.value is None:
        if key in MEANS_ALL:
            raise _problem(
                more, f"The game has no '{key}': {MEANS_ALL[key]}.", f"To name others, write '{key}' beside '{ADD}', with all of them."
            )
        return more
    if game.keys is not None and more.keys is not None:
        return _mapping({**game.keys, **{name: _added(name, game.keys.get(name), it) for name, it in more.keys.items()}}, game.line)
    if game.items is not None and more.items is not None:
        return _list(_joined(key, game.items, more.items), game.line)
    if game.items is not None:
        raise _problem(more, f"'{key}' is a list, and {show(more.value)} cannot be added.", "Write a list: begin each item with '- '.")
    if key in PROSE and isinstance(game.value, str):
        if not isinstance(more.value, str):
            raise _problem(more, f"'{key}' is text, and {show(more.value)} cannot be added.", "Write text.")
        return Layer(game.value.strip().rstrip(";") + PROSE[key] + more.value.strip(), more.line)
    raise _problem(more, f"Nothing can be added to '{key}'.", f"Write it beside '{ADD}', to replace the game's.")


def _joined(key: str, game: Sequence[Layer], more: Sequence[Layer]) -> list[Layer]:
    """The items of two lists. None is there twice, and an added one takes the place of one with the same name."""
    new = {_name(key, it) for it in more}
    kept = [it for it in game if _name(key, it) not in new or key not in _NAMED]
    seen = {repr(it.value) for it in kept}
    fresh = {repr(it.value): it for it in more if repr(it.value) not in seen}
    return [*kept, *fresh.values()]


_NAMED = ("relations", "offers", "routine")


def _name(key: str, item: Layer) -> object:
    """What tells an item of a list apart; None where nothing does."""
    if not isinstance(item.value, dict):
        return None
    if key == "routine":
        days = item.value.get("days", DAYS)
        return _minute(item.value.get("at")), frozenset(map(str, days)) if isinstance(days, (list, tuple)) else str(days)
    return str(item.value.get("who" if key == "relations" else "name"))


def _in_order(items: Sequence[Layer], wake: Layer | None) -> list[Layer]:
    """A routine in order of time, from the hour when the person wakes on. It may go on after midnight."""
    begin = _minute(wake.value if wake is not None else PersonaFile.model_fields["wake"].default)
    times = [_minute(it.value.get("at")) for it in items if isinstance(it.value, dict)]
    since_waking = [(time - begin) % (clock.DAY // clock.MINUTE) for time in times if time is not None and begin is not None]
    if len(since_waking) < len(items):
        return list(items)  # one of them is no time, which is reported when the whole file is checked
    return [items[at] for at in sorted(range(len(items)), key=since_waking.__getitem__)]


def _minute(time: object) -> int | None:
    """The minute of the day of `06:30`; None if it is no time."""
    return seconds(str(time)) // clock.MINUTE if re.fullmatch(TIME_PATTERN, str(time)) else None


def _mapping(parts: Mapping[str, Layer], line: Line) -> Layer:
    return Layer({key: part.value for key, part in parts.items()}, line, keys=parts)


def _list(items: Sequence[Layer], line: Line) -> Layer:
    return Layer([item.value for item in items], line, items=items)


def _problem(layer: Layer, what: str, fix: str) -> FileProblem:
    return FileProblem((Problem(*layer.line, what, fix),))


def written(layer: Layer) -> tuple[str, list[Line]]:
    """A mapping as YAML, and where each line of the text comes from."""
    rows = _rows(layer)
    return "".join(f"{text}\n" for text, _ in rows), [line for _, line in rows]


def _rows(layer: Layer) -> list[tuple[str, Line]]:
    """The lines of a value."""
    if layer.keys:
        return [row for key, part in layer.keys.items() for row in _under(f"{yaml_of(key)}:", part)]
    if layer.items:
        return [row for item in layer.items for row in _after_dash(item)]
    return [(_scalar(layer.value), layer.line)]


def _under(key: str, part: Layer) -> list[tuple[str, Line]]:
    rows = _rows(part)
    if part.keys or part.items:
        return [(key, part.line), *((f"  {text}", line) for text, line in rows)]
    return [(f"{key} {rows[0][0]}", rows[0][1])]


def _after_dash(item: Layer) -> list[tuple[str, Line]]:
    rows = _rows(item)
    if item.items:
        return [("-", rows[0][1]), *((f"  {text}", line) for text, line in rows)]
    return [(f"{'  ' if number else '- '}{text}", line) for number, (text, line) in enumerate(rows)]


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return yaml_of(value)
    return "null" if value is None else repr(value)  # a float, or an empty list or mapping
