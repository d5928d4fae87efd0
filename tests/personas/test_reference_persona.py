"""Persona folders of the reference implementation become persona files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npc_server.errors import FileProblem
from npc_server.personas import reference_persona
from npc_server.personas.cards.to_persona import Given
from npc_server.personas.schema import load_persona
from npc_server.records import Document

SCRATCH = {
    "vision_r": 8, "name": "Iva Rossi", "first_name": "Iva", "last_name": "Rossi", "age": 34, "innate": "friendly, outgoing",
    "learned": "Iva Rossi owns a cafe. Iva Rossi loves to host.", "currently": "Iva is planning a party.",
    "lifestyle": "Iva goes to bed around 11pm.", "living_area": "the Ville:Iva Rossi's apartment:main room",
    "daily_plan_req": "Iva opens the cafe at 8am.", "curr_time": None,
}  # fmt: skip
SPATIAL = {"the Ville": {"Hobbs Cafe": {"cafe": ["stove"]}, "Iva Rossi's apartment": {"main room": ["bed"]}, "7th Street": {}}}
NODES = {
    "node_3": {"type": "thought", "description": "Iva trusts Klaus.", "poignancy": 7},
    "node_2": {"type": "event", "description": "bed is idle", "poignancy": 1},
    "node_1": {"type": "chat", "description": "Iva asked Klaus about Marx.", "poignancy": 4},
}


def folder(path: Path, **files: object) -> Path:
    inner = path / "Iva Rossi" / "bootstrap_memory"
    (inner / "associative_memory").mkdir(parents=True)
    for name, value in {reference_persona.SCRATCH: SCRATCH, **files}.items():
        (inner / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return inner.parent


def test_a_person_of_the_reference_has_its_nature_its_home_its_places_and_its_thoughts(tmp_path: Path) -> None:
    path = folder(tmp_path, **{reference_persona.SPATIAL: SPATIAL, reference_persona.NODES: NODES})
    inner = reference_persona.folder_of(path)
    assert inner == path / "bootstrap_memory"
    made = reference_persona.imported(inner, Given())
    persona = load_persona(Document("iva_rossi.yaml", made.yaml()), "town")
    assert (persona.id, persona.name, persona.age, persona.traits) == ("iva_rossi", "Iva Rossi", 34, ("friendly", "outgoing"))
    assert persona.identity_phrases == (
        "Iva Rossi owns a cafe", "Iva Rossi loves to host", "Iva asked Klaus about Marx", "Iva trusts Klaus"
    )  # fmt: skip
    assert persona.currently == "Iva is planning a party."
    assert persona.lifestyle == "Iva goes to bed around 11pm. Iva opens the cafe at 8am."
    assert persona.home == "town:iva_rossis_apartment:main_room"
    assert persona.knows == ("town:hobbs_cafe", "town:iva_rossis_apartment", "town:p_7th_street")


def test_a_folder_without_the_other_files_is_enough(tmp_path: Path) -> None:
    inner = reference_persona.folder_of(folder(tmp_path))
    assert inner is not None
    made = reference_persona.imported(inner, Given(npc="iva", home="house:bed"))
    assert load_persona(Document("iva.yaml", made.yaml()), "").home == "house:bed"
    assert made.warnings == ()


@pytest.mark.parametrize(("scratch", "why"), [("[]", "not a JSON object"), ("{", "not JSON"), ("{}", "no 'name'")])
def test_a_broken_file_is_named(tmp_path: Path, scratch: str, why: str) -> None:
    inner = reference_persona.folder_of(folder(tmp_path, **{reference_persona.SCRATCH: scratch}))
    assert inner is not None
    with pytest.raises(FileProblem, match=why):
        reference_persona.imported(inner, Given())
    assert reference_persona.folder_of(tmp_path) is None
