"""Persona folders of the reference implementation of *Generative Agents*: `scratch.json`, and its spatial and associative memory.

Its folder of a person has `bootstrap_memory/` with these files. Numbers of the reference's own simulation have no place in a persona file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from npc_server.documents import read_bytes
from npc_server.personas.cards import yaml_text
from npc_server.personas.cards.card import MOST_JSON, read_json, wrong
from npc_server.personas.cards.ids import id_of
from npc_server.personas.cards.prose import MacroNames, prose
from npc_server.personas.cards.to_persona import AGE, IDENTITY_CHARS, Given, Imported, fitting, not_said, notes_on, usual_home
from npc_server.personas.names import first_name

SCRATCH, SPATIAL, NODES = "scratch.json", "spatial_memory.json", "associative_memory/nodes.json"
MEMORIES = 100
"""Most memories of the associative memory that become facts: the weightiest."""
_REMEMBERED = ("thought", "chat")
"""Types of nodes that become facts. Events are sights of a moment."""


def folder_of(path: Path) -> Path | None:
    """The folder with the files of a person of the reference; None if `path` holds none."""
    return next((folder for folder in (path, path / "bootstrap_memory") if (folder / SCRATCH).is_file()), None)


def imported(folder: Path, given: Given) -> Imported:
    """A person of the reference as a persona file. Raises FileProblem."""
    scratch = _object(folder / SCRATCH)
    name = _text(scratch, "name") or " ".join(filter(None, (_text(scratch, "first_name"), _text(scratch, "last_name"))))
    if not name:
        raise wrong(SCRATCH, "It has no 'name'.", "Is it a persona folder of the reference implementation?")
    npc, names = given.npc or id_of(name), MacroNames(name)
    said = list(prose((_text(scratch, "learned"),), names).facts)
    remembered = [fact for fact in _remembered(folder, names) if fact not in said]
    identity, left = fitting((*said, *remembered), IDENTITY_CHARS)
    living = given.home or _address(_text(scratch, "living_area").split(":")[1:])
    stated = scratch.get("age") if given.age is None else given.age
    age = stated if isinstance(stated, int) else None
    values: dict[str, object] = {
        "id": npc,
        "name": name,
        "age": AGE if age is None else age,
        "traits": [trait.strip() for trait in _text(scratch, "innate").split(",") if trait.strip()][:100],
        "identity": yaml_text.paragraph(identity or [name]),
        "currently": " ".join(_text(scratch, "currently").split())[:2_000],
        "lifestyle": " ".join(f"{_text(scratch, 'lifestyle')} {_text(scratch, 'daily_plan_req')}".split())[:1_000],
        "home": living or usual_home(npc),
        "knows": _known(folder),
    }
    warnings = [
        *not_said(first_name(name), age, living, str(values["home"])),
        *([f"The home is {living!r}. Give --home, or change it to a bed or a room of your town."] if living and not given.home else []),
        *([f"{len(left)} sentences did not fit into the identity."] if left else []),
    ]
    return Imported(npc, values, (), tuple(warnings), notes_on(first_name(name), age, living))


def _remembered(folder: Path, names: MacroNames) -> list[str]:
    """The weightiest thoughts and talks, in the order in which they were made."""
    path = folder / NODES
    nodes = [node for node in _object(path).values() if isinstance(node, dict)] if path.is_file() else []
    kept = [node for node in nodes if node.get("type") in _REMEMBERED and _text(node, "description")]
    weightiest = sorted(kept, key=_weight, reverse=True)[:MEMORIES]
    # The reference lists its nodes from the latest to the first.
    return list(prose((_text(node, "description") for node in reversed(kept) if node in weightiest), names).facts)


def _weight(node: Mapping[str, Any]) -> float:
    value = node.get("poignancy")
    return float(value) if isinstance(value, (int, float)) else 0.0


def _known(folder: Path) -> list[str]:
    """The buildings of the spatial memory, as addresses without the world's name."""
    path = folder / SPATIAL
    worlds = _object(path).values() if path.is_file() else ()
    found = (_address([sector]) for world in worlds if isinstance(world, dict) for sector in world if isinstance(sector, str))
    return list(dict.fromkeys(address for address in found if address))[:2_000]


def _address(names: list[str]) -> str:
    parts = [re.sub(r"[^a-z0-9]+", "_", name.lower().replace("'", "")).strip("_")[:60] for name in names]
    return ":".join(part if part[:1].isalpha() else f"p_{part}" for part in parts if part)[:300]


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value.strip() if isinstance(value, str) else ""


def _object(path: Path) -> dict[str, Any]:
    value = read_json(read_bytes(path, MOST_JSON), path.name)
    if not isinstance(value, dict):
        raise wrong(path.name, "It is not a JSON object.", "Is it a persona folder of the reference implementation?")
    return value
