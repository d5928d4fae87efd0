"""Finds the kind of an object from what its node can do, or adds a new kind to the town file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq

Actions = Mapping[str, Mapping[str, str]]
KEYS = ("needs", "during", "after")


def put_kind(
    town: CommentedMap, entry: CommentedMap, name: str, states: Sequence[str], state: str, capacity: int, actions: Actions
) -> None:
    """Gives an object's entry its kind, its first state and its capacity. A kind that fits is kept."""
    kinds = town.setdefault("object_kinds", CommentedMap())
    given = kinds.get(entry.get("kind", ""))
    if given is not None and given.get("properties"):
        return  # In a household, the properties say what can be done.
    if given is None or not _does(given, states, actions):
        fitting = next((kind for kind, told in kinds.items() if not told.get("properties") and _does(told, states, actions)), None)
        wanted = name or entry["id"].replace("_", " ")
        if wanted in kinds and _does(kinds[wanted], states, actions):
            fitting = wanted
        entry["kind"] = fitting or _new_kind(kinds, wanted, states, state, capacity, actions)
    kind = kinds[entry["kind"]]
    usual = kind.get("state") or next(iter(kind.get("states") or [""]))
    _put(entry, "state", state or usual, usual)
    _put(entry, "capacity", capacity, kind.get("capacity", 0))


def _does(kind: Mapping[str, Any], states: Sequence[str], actions: Actions) -> bool:
    """Whether a kind has the same states and actions."""
    told = {str(action["name"]): {key: str(action[key]) for key in KEYS if action.get(key)} for action in kind.get("actions") or ()}
    wanted = {action: {key: said[key] for key in KEYS if said.get(key)} for action, said in actions.items()}
    return [str(it) for it in kind.get("states") or ()] == list(states) and told == wanted


def _new_kind(kinds: CommentedMap, wanted: str, states: Sequence[str], state: str, capacity: int, actions: Actions) -> str:
    name, number = wanted, 2
    while name in kinds:
        name, number = f"{wanted} {number}", number + 1
    kind = CommentedMap()
    if states:
        kind["states"] = CommentedSeq(states)
        kind["states"].fa.set_flow_style()
    if state and state != (states[0] if states else ""):
        kind["state"] = state
    if capacity:
        kind["capacity"] = capacity
    if actions:
        kind["actions"] = CommentedSeq()
        for action, said in actions.items():
            row = CommentedMap(name=action)
            row.update({key: said[key] for key in KEYS if said.get(key)})
            row.fa.set_flow_style()
            kind["actions"].append(row)
    kinds[name] = kind
    return name


def _put(entry: CommentedMap, key: str, value: Any, usual: Any) -> None:
    if value == entry.get(key, usual):
        return
    if value == usual:
        del entry[key]
    else:
        entry[key] = value
