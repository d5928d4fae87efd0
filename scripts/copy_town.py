"""Copies the towns and their people into the Godot demo, and writes what its scene needs as JSON, because Godot reads no YAML.

Run it after a change of npc_server/data/towns; a test compares both. Usage: python scripts/copy_town.py
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "npc_server" / "data" / "towns"
TARGET = ROOT / "godot_project" / "demo" / "towns"
TOWNS = ("alderwick", "millbrook")
"""The household is left out, because the bodies of the demo cannot hold its things (docs/household.md)."""


def scene(source: Path) -> dict[str, Any]:
    """Returns the parts of a town file that the scene needs, and its people."""
    yaml = YAML(typ="safe", pure=True)
    town = yaml.load(source / "town.yaml")
    kinds = {name: _kind(kind) for name, kind in town["object_kinds"].items()}
    people = [yaml.load(file) for file in sorted((source / "personas").glob("*.yaml"))]
    return {
        **{key: town[key] for key in ("id", "name", "start", "cell_m", "size", "paths", "places")},
        "kinds": kinds,
        "people": [_person(person) for person in people],
    }


def _person(person: dict[str, Any]) -> dict[str, Any]:
    """Returns who somebody is, where they live, and what they may do for a player."""
    offers = [{key: offer[key] for key in ("name", "description", "parameters")} for offer in person.get("offers", [])]
    return {"id": person["id"], "name": person["name"], "home": person["home"], **({"offers": offers} if offers else {})}


def _kind(kind: dict[str, Any]) -> dict[str, Any]:
    """Returns the states, actions and incidents of a kind of object."""
    actions = {
        action["name"]: {key: action[key] for key in ("needs", "during", "after") if key in action} for action in kind.get("actions", [])
    }
    return {
        "states": kind.get("states", []),
        "state": kind.get("state", ""),
        "capacity": kind.get("capacity", 0),
        "actions": actions,
        "incidents": kind.get("incidents", []),
    }


def scene_text(town: str) -> str:
    return json.dumps(scene(SOURCE / town), ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    for town in TOWNS:
        source, target = SOURCE / town, TARGET / town
        shutil.rmtree(target / "personas", ignore_errors=True)
        (target / "personas").mkdir(parents=True)
        for file in sorted((source / "personas").glob("*.yaml")):
            shutil.copy(file, target / "personas" / file.name)
        shutil.copy(source / "town.yaml", target / "town.yaml")
        (target / "town.json").write_text(scene_text(town), encoding="utf-8")


if __name__ == "__main__":
    main()
