"""Where no server runs, people live by the routine of their persona files, and the minds take over when one comes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from npc_server.documents import read_document
from npc_server.instinct.routine_file import routine_file
from npc_server.personas.schema import load_persona
from npc_server.world.town import load_town
from tests.godot.conftest import PROJECT, RunCase
from tests.godot.test_real_server import told

PEOPLE = {"ines_calder", "mara_voss", "tobin_hale"}
TOWN = PROJECT / "demo" / "towns" / "millbrook"
SERVER = str(Path(sys.executable).parent / "npc-server")
NO_MODEL = {"NPC_SERVER_ENGINE__MODEL": "none", "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"}
only_socket = pytest.mark.parametrize("transport", ["socket"], indirect=True)


def test_the_routines_of_the_demo_are_those_of_its_persona_files() -> None:
    town = load_town(read_document(TOWN / "town.yaml"))
    people = [load_persona(read_document(file), town.id) for file in sorted((TOWN / "personas").glob("*.yaml"))]
    written = (PROJECT / "npc" / "routines.json").read_text(encoding="utf-8")
    assert written == routine_file(people, town), "run: npc-server persona routines with the demo's files"


@pytest.mark.godot
@pytest.mark.journey
@only_socket
def test_everybody_lives_by_the_routine_until_a_server_comes_and_goes_on_from_there(run_case: RunCase, tmp_path: Path) -> None:
    command = tmp_path / "npc-server"
    env = {"NPC_SERVER_COMMAND": str(command), **NO_MODEL}
    ran = run_case("routine", "late=1", f"server={SERVER}", f"command={command}", env=env)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    lived(ran.result, "NO_SERVER")
    after = ran.result["after"]
    assert set(after["sources"]) <= {"routine", "instinct"}
    assert after["farthest_px"] < 64, "somebody was put elsewhere"
    assert {*after["reasons"]} <= {"NO_SERVER", "CONNECTION_LOST", "UNAVAILABLE"}, "the server was told what it does not know"
    bells = [body for _, _, body in told(tmp_path) if "The bell rings" in body]
    assert len(bells) == 1, "what happened while the server was lost is lost or doubled"


@pytest.mark.godot
@only_socket
def test_a_system_that_starts_no_programs_says_so_and_people_live(run_case: RunCase) -> None:
    ran = run_case("routine", "alone=1", env={"NPC_SERVER_COMMAND": SERVER})
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    lived(ran.result, "NO_SERVER_HERE")


def lived(result: dict[str, object], reason: str) -> None:
    """Checks what the case saw of a life without a server."""
    heard, greeting = result["told"], result["greeting"]
    assert isinstance(heard, list)
    assert {npc for npc, _, _ in heard} == PEOPLE
    assert {source for _, source, _ in heard} == {"routine"}
    assert result["reasons"] == [reason]
    began = result["began"]
    assert isinstance(began, float)
    assert 0 <= began - load_town(read_document(TOWN / "town.yaml")).start < 600
    persona = load_persona(read_document(TOWN / "personas" / "tobin_hale.yaml"), "millbrook")
    assert greeting in persona.voice.greetings
    assert result["ended"]
    assert result["kept"] == 0, "what nobody will ever hear piles up"
