"""Turns pydantic's errors about a file into problems with a line, the wrong value, and the fix."""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from npc_server.errors import Problem

Loc = tuple[str | int, ...]
"""A path of keys and indexes into a file."""

_WANTED = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "keys and values",
    "model": "keys and values",
    "mapping": "keys and values",
}


class Wrong(ValueError):
    """A mistake with its own fix, for validators to raise. Both texts end in a full stop."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


def words(text: str) -> str:
    """Validates that a text is not empty, and puts it on one line."""
    if not text.strip():
        raise Wrong("A text is empty.", "Write something, or delete the key.")
    return " ".join(text.split())


MOST_COMPARED = 2_000
"""Most words that a wrong word is compared with. More would take seconds."""


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Returns `Did you mean 'routine'?`, or an empty text if no known word is similar. Of thousands, only those with the same end count."""
    candidates = known if len(known) <= MOST_COMPARED else [it for it in known if it.endswith(word[-4:])][:MOST_COMPARED]
    near = difflib.get_close_matches(word[:200], list(candidates), n=1, cutoff=0.6)
    return f"Did you mean '{near[0]}'?" if near else ""


def show(value: object) -> str:
    """Shows a value as it stands in the file, shortened to one line."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def unknown_keys(file: str, value: object, model: type[BaseModel], line: Callable[[Loc], int], loc: Loc = ()) -> list[Problem]:
    """Returns a problem for each key of `value` that `model` does not know."""
    if not isinstance(value, dict):
        return []
    known = _by_key(model)
    found: list[Problem] = []
    for key, item in value.items():
        if key not in known:
            found.append(_unknown(file, (*loc, key), item, known, line))
            continue
        inner = _inner_model(known[key].annotation)
        if inner is None:
            continue
        if isinstance(item, list):
            for index, part in enumerate(item):
                found += unknown_keys(file, part, inner, line, (*loc, key, index))
        else:
            found += unknown_keys(file, item, inner, line, (*loc, key))
    return found


def as_problems(
    file: str, error: ValidationError, model: type[BaseModel], line: Callable[[Loc], int], hints: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Returns each mistake once, in the order of the file."""
    found: dict[Problem, None] = {}
    items = error.errors(include_url=False)
    for item in items:
        loc: Loc = tuple(item["loc"])
        if item["type"] == "too_short" and any(len(other["loc"]) > len(loc) and other["loc"][: len(loc)] == loc for other in items):
            continue  # Its items are wrong, and are reported on their own.
        owner, spec = _field_at(model, loc)
        key = next((str(part) for part in reversed(loc) if isinstance(part, str)), "")
        if item["type"] == "extra_forbidden":
            found[_unknown(file, loc, item.get("input"), _by_key(owner) if owner else {}, line)] = None
            continue
        what, fix = _told(dict(item), loc, spec)
        found[Problem(file, line(loc), what, fix if item["type"] == "missing" else hints.get(key) or fix)] = None
    return tuple(sorted(found, key=lambda problem: problem.line))


def _unknown(file: str, loc: Loc, value: object, known: Mapping[str, FieldInfo], line: Callable[[Loc], int]) -> Problem:
    key = str(loc[-1])
    fix = did_you_mean(key, known) or f"Known keys here: {', '.join(sorted(known))}."
    if value is None and " " in key:
        fix = "If a comma inside {…} or a missing ':' made it, put the text before it in quotes."
    return Problem(file, line(loc), f"Key '{key[:60]}'{_inside(loc)} is not known.", fix)


def _told(item: dict[str, Any], loc: Loc, spec: FieldInfo | None) -> tuple[str, str]:
    kind, given = str(item["type"]), item.get("input")
    named = _name(loc)
    example = _example(spec, loc)
    context = item.get("ctx") or {}
    if kind == "missing":
        return f"Key {named} is missing.", f"Add it, e.g. `{loc[-1]}: {example}`." if example else "Add it."
    if kind == "value_error" and "error" in context:
        cause = context["error"]
        if isinstance(cause, Wrong):
            return cause.what, cause.fix
        return f"{_capital(named)} is {show(given)}: {cause}.", f"Write e.g. {example}." if example else "Mend it."
    if kind == "literal_error":
        expected = str(context.get("expected", ""))
        options = re.findall(r"'([^']*)'", expected)
        near = did_you_mean(given, options) if isinstance(given, str) else ""
        return f"{_capital(named)} is {show(given)}.", f"{near} Use one of: {expected}.".strip()
    base = re.sub(r"_(type|parsing|from_float|attributes_type)$", "", kind)
    if base in _WANTED:
        return (
            f"{_capital(named)} is {show(given)} where {_WANTED[base]} {'belong' if _WANTED[base].endswith('s') else 'belongs'}.",
            _type_fix(base, given, example),
        )
    if kind in ("too_short", "too_long"):
        bound = f"at least {context.get('min_length')}" if kind == "too_short" else f"at most {context.get('max_length')}"
        return (
            f"{_capital(named)} has {context.get('actual_length')} items; {bound} belong there.",
            "Add some." if kind == "too_short" else "Cut it down.",
        )
    if kind == "string_too_long":
        return f"{_capital(named)} has {len(str(given))} characters; at most {context.get('max_length')} fit.", "Shorten it."
    said = str(item["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
    return f"{_capital(named)} is {show(given)}; it should be {said}.", f"Write e.g. {example}." if example else "Mend it."


def _type_fix(base: str, given: object, example: str) -> str:
    if base == "string" and isinstance(given, (bool, int, float)):
        shown = "true" if given is True else "false" if given is False else str(given)
        return f'Put it in quotes: "{shown}".'
    if base == "bool":
        return "Write true or false."
    if base in ("list", "tuple"):
        return f"Write e.g. {example}." if example else "Write one '- item' a line, or [a, b]."
    if base in ("dict", "model", "mapping"):
        return "Write 'key: value' lines, indented below it."
    return f"Write e.g. {example}." if example else "Mend it."


def _name(loc: Loc) -> str:
    if not loc:
        return "the file"
    if isinstance(loc[-1], int):
        lists = [part for part in loc if isinstance(part, str)]
        return f"item {loc[-1] + 1} of '{lists[-1]}'" if lists else f"item {loc[-1] + 1}"
    return f"'{loc[-1]}'{_inside(loc)}"


def _inside(loc: Loc) -> str:
    above = loc[:-1]
    if not above:
        return ""
    if isinstance(above[-1], int):
        return f" in {_name(above)}"
    return f" in '{above[-1]}'"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _example(spec: FieldInfo | None, loc: Loc) -> str:
    if spec is None or not spec.examples or (loc and isinstance(loc[-1], int)):
        return ""
    return _flow(spec.examples[0])


def _flow(value: object) -> str:
    """Writes a value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = re.fullmatch(r"[A-Za-zÀ-ÿ][\w À-ÿ.'_:-]*", value) and ": " not in value and not value.endswith(":")
        return value if plain else '"' + value.replace('"', '\\"') + '"'
    return str(value)


def _by_key(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {spec.alias or name: spec for name, spec in model.model_fields.items()}


def _inner_model(annotation: object) -> type[BaseModel] | None:
    """Returns the model inside `X`, `X | None`, `tuple[X, ...]` or `list[X]`. Returns None for a mapping, or for several models."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) is dict:
        return None
    found = {inner for part in typing.get_args(annotation) if (inner := _inner_model(part))}
    return found.pop() if len(found) == 1 else None


def _field_at(model: type[BaseModel], loc: Loc) -> tuple[type[BaseModel] | None, FieldInfo | None]:
    """Returns the model that owns the last key of `loc`, and the field."""
    owner: type[BaseModel] | None = model
    spec: FieldInfo | None = None
    for position, part in enumerate(loc):
        if not isinstance(part, str):
            continue
        if owner is None:
            return None, None
        spec = _by_key(owner).get(part)
        if position < len(loc) - 1:
            owner = _inner_model(spec.annotation) if spec else None
    return owner, spec
