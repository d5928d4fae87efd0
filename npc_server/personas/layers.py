"""Lays one persona file over another, key by key, and remembers from which file and line each value comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npc_server.document_errors import Loc, show
from npc_server.documents import load_yaml
from npc_server.errors import FileProblem, Problem
from npc_server.records import Document
from npc_server.yaml_values import yaml_of

ADD = "add"
"""The key of a mod's file whose values are added to those of the game."""
NAMED_BY = {"relations": ("who",), "offers": ("name",), "routine": ("at", "days")}
"""The keys that tell items of a list apart. An added item takes the place of one in which they are the same."""
IN_ORDER_OF = {"routine": "at"}
"""The key by which a list stands in order."""
JOINED_BY = {"identity": ";\n"}
"""What stands between a text and one that is added to it. A space where nothing is named."""

Line = tuple[str, int]
"""A file and a line of it."""


@dataclass(frozen=True)
class Layer:
    """A value of a persona file, and where each part of it was written, by its path of keys and indexes."""

    value: object
    lines: Mapping[Loc, Line]

    def part(self, key: str | int) -> Layer:
        """The part under a key or an index. The key must exist."""
        inner: object = self.value[key]  # type: ignore[index]
        return Layer(inner, {loc[1:]: line for loc, line in self.lines.items() if loc[:1] == (key,)})

    @property
    def parts(self) -> dict[str, Layer]:
        """The parts of a mapping, by key."""
        assert isinstance(self.value, dict)
        return {key: self.part(key) for key in self.value}

    @property
    def items(self) -> list[Layer]:
        """The items of a list."""
        assert isinstance(self.value, list)
        return [self.part(index) for index in range(len(self.value))]

    @property
    def line(self) -> Line:
        """Where it was written."""
        return self.lines.get((), ("", 0))


def read_layer(document: Document) -> Layer:
    """Reads a file. Raises FileProblem."""
    parsed = load_yaml(document)
    return Layer(parsed.value, {(): (document.name, 1)} | {loc: (document.name, line) for loc, line in parsed.lines.items()})


def laid_over(game: Layer, mod: Layer) -> Layer:
    """The mapping `game` with the keys of `mod`: an empty one deletes the game's, and those under `add` are added to the game's.

    Raises FileProblem if something cannot be added.
    """
    parts = game.parts
    for key, given in mod.parts.items():
        if key == ADD:
            continue
        if given.value is None:
            parts.pop(key, None)
        elif isinstance(given.value, dict) and key in parts and isinstance(parts[key].value, dict):
            parts[key] = laid_over(parts[key], given)
        else:
            parts[key] = given
    if isinstance(mod.value, dict) and ADD in mod.value:
        more = mod.part(ADD)
        if not isinstance(more.value, dict):
            raise _problem(more, f"Under '{ADD}' stands {show(more.value)}.", "Write keys under it, e.g. `secrets:` and a list.")
        parts |= {key: _added(key, parts.get(key), it) for key, it in more.parts.items()}
    return _mapping(parts, game.line)


def _added(key: str, game: Layer | None, more: Layer) -> Layer:
    """What the game has under a key with `more`."""
    if game is None or game.value is None:
        return more
    if isinstance(game.value, dict) and isinstance(more.value, dict):
        parts = game.parts
        return _mapping(parts | {name: _added(name, parts.get(name), it) for name, it in more.parts.items()}, game.line)
    if isinstance(game.value, list) and isinstance(more.value, list):
        return _list(_joined(key, game.items, more.items), game.line)
    if isinstance(game.value, str) and isinstance(more.value, str):
        text = game.value.strip().rstrip(";") + JOINED_BY.get(key, " ") + more.value.strip()
        return Layer(text, {(): more.line})
    if isinstance(game.value, (dict, list)):
        raise _problem(more, f"'{key}' is {show(game.value)}, and {show(more.value)} cannot be added.", "Add the same kind of value.")
    raise _problem(more, f"Nothing can be added to '{key}'.", f"Write it beside '{ADD}', to replace the game's.")


def _joined(key: str, game: Sequence[Layer], more: Sequence[Layer]) -> list[Layer]:
    """The items of two lists. None is there twice."""
    names, order = NAMED_BY.get(key, ()), IN_ORDER_OF.get(key, "")
    taken = [[_value(it, name) for name in names] for it in more] if names else []
    joined = [it for it in game if [_value(it, name) for name in names] not in taken]
    for item in more:
        if any(item.value == other.value for other in joined):
            continue
        # A routine may go on after midnight, so it is not sorted anew.
        later = (place for place, other in enumerate(joined) if order and _value(other, order).zfill(5) > _value(item, order).zfill(5))
        joined.insert(next(later, len(joined)), item)
    return joined


def _value(item: Layer, key: str) -> str:
    """The value of a key of an item as text, such as `07:00`; empty if there is none."""
    return str(item.value.get(key, "")) if isinstance(item.value, dict) else ""


def _mapping(parts: Mapping[str, Layer], line: Line) -> Layer:
    lines = {(key, *loc): at for key, part in parts.items() for loc, at in part.lines.items()}
    return Layer({key: part.value for key, part in parts.items()}, {(): line} | lines)


def _list(items: Sequence[Layer], line: Line) -> Layer:
    lines: dict[Loc, Line] = {(index, *loc): at for index, item in enumerate(items) for loc, at in item.lines.items()}
    return Layer([item.value for item in items], {(): line} | lines)


def _problem(layer: Layer, what: str, fix: str) -> FileProblem:
    return FileProblem((Problem(*layer.line, what, fix),))


def written(layer: Layer) -> tuple[str, list[Line]]:
    """A mapping as YAML, and where each line of the text comes from."""
    rows = _rows(layer, layer.line)
    return "".join(f"{text}\n" for text, _ in rows), [line for _, line in rows]


def _rows(layer: Layer, around: Line) -> list[tuple[str, Line]]:
    """The lines of a value. `around` is where the value around it was written."""
    line = layer.lines.get((), around)
    if isinstance(layer.value, dict) and layer.value:
        return [row for key, part in layer.parts.items() for row in _under(f"{yaml_of(key)}:", part, line)]
    if isinstance(layer.value, list) and layer.value:
        return [row for item in layer.items for row in _after_dash(item, line)]
    return [(_scalar(layer.value), line)]


def _under(key: str, part: Layer, around: Line) -> list[tuple[str, Line]]:
    rows = _rows(part, around)
    if isinstance(part.value, (dict, list)) and part.value:
        return [(key, part.lines.get((), around)), *((f"  {text}", line) for text, line in rows)]
    return [(f"{key} {rows[0][0]}", rows[0][1])]


def _after_dash(item: Layer, around: Line) -> list[tuple[str, Line]]:
    rows = _rows(item, around)
    if isinstance(item.value, list) and item.value:
        return [("-", rows[0][1]), *((f"  {text}", line) for text, line in rows)]
    return [(f"{'  ' if number else '- '}{text}", line) for number, (text, line) in enumerate(rows)]


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (str, int)):
        return yaml_of(value)
    return "{}" if isinstance(value, dict) else "[]"
