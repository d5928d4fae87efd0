"""Leaves the wrong values of a file out, so that the rest can be checked in the same go."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import BaseModel, ValidationError

from npc_server.document_errors import Loc

ROUNDS = 8
"""How often what is left is read again. Leaving something out can make what is around it wrong."""


def kept_values(
    value: object, error: ValidationError, model: type[BaseModel], stand_ins: Mapping[str, object], whole: Collection[str] = ()
) -> tuple[object, dict[Loc, Loc], frozenset[Loc]] | None:
    """Return a file's values without those that `error` names, the path in the file of each path in the result, and what was left out.

    A wrong key is left out, or its whole item of a list where the item needs the key or the key is one of `whole`. `stand_ins` are values
    for the keys that the file as a whole needs. None if nothing can be kept.
    """
    gone: set[Loc] = set()
    paths: dict[Loc, Loc] = {}
    left = value
    for _ in range(ROUNDS):
        found = {_to_leave_out(tuple(item["loc"]), left, whole) for item in error.errors(include_url=False)}
        new = {paths.get(loc, loc) for loc in found} - gone
        if not new or () in new:
            return None
        gone |= new
        paths = {}
        left = _without(value, (), (), gone, paths)
        if not isinstance(left, dict):
            return None
        left |= {key: it for key, it in stand_ins.items() if key not in left}
        try:
            model.model_validate(left)
        except ValidationError as again:
            error = again
        else:
            return left, paths, frozenset(gone)
    return None


def _to_leave_out(loc: Loc, value: object, whole: Collection[str]) -> Loc:
    """The path of what has to go so that a mistake at `loc` is gone."""
    there = _existing(loc, value)
    item = _item(there)
    if item is not None and (there != loc or loc[-1] in whole):
        return item
    return there or loc[:1]


def _existing(loc: Loc, value: object) -> Loc:
    """The part of a path that the values have. Pydantic also names branches of a union."""
    for depth, part in enumerate(loc):
        items: object = dict(enumerate(value)) if isinstance(value, list) else value
        if not isinstance(items, dict) or part not in items:
            return loc[:depth]
        value = items[part]
    return loc


def _item(loc: Loc) -> Loc | None:
    """The nearest item of a list around a path."""
    return next((loc[: end + 1] for end in reversed(range(len(loc))) if isinstance(loc[end], int)), None)


def _without(value: object, loc: Loc, new: Loc, gone: Collection[Loc], paths: dict[Loc, Loc]) -> object:
    """The values without some. `paths` gets the old path of each new one."""
    paths[new] = loc
    if isinstance(value, dict):
        paths |= {(*new, key): (*loc, key) for key in value}
        return {key: _without(it, (*loc, key), (*new, key), gone, paths) for key, it in value.items() if (*loc, key) not in gone}
    if not isinstance(value, list):
        return value
    kept: list[object] = []
    for at, it in enumerate(value):
        if (*loc, at) not in gone:
            kept.append(_without(it, (*loc, at), (*new, len(kept)), gone, paths))
    return kept
