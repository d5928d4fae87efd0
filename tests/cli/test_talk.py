"""`npc-server talk`: a real server, session and town, and lines as from a keyboard."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from importlib import resources
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from npc_server.cli.talk import talk
from npc_server.config import EngineSettings
from npc_server.errors import BadInput, ModelDied, UnknownName
from npc_server.llm.scripted import ScriptedEngine

ENVIRONMENT = {"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none", "NPC_SERVER_ENGINE__MODEL": "none"}


def talked(lines: str, *arguments: str) -> Result:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(talk)
    return CliRunner().invoke(app, list(arguments), input=lines, env=ENVIRONMENT)


def test_a_player_talks_asks_for_work_takes_a_line_back_and_puts_in_a_thought() -> None:
    lines = (
        "Who are you?\nCan I help you?\nThe goats, then.\n/undo\n/think I want to sell the river field.\n/wait 30\n"
        "Do you want to sell the river field?\n/dance\n/quit\nNobody hears this.\n"
    )
    done = talked(lines, "Agnes", "--town", "alderwick", "--name", "Cora", "--sources")
    assert done.exit_code == 0, done.output
    said = done.stdout
    assert "Agnes: I am Agnes Rook." in said
    assert "\n(by instinct)\n" in said
    assert "milk the goats, collect eggs, weed the beans or find the fox?" in said
    assert "▸ Agnes: accept quest (task: milk the goats)" in said
    assert "Your last line is taken back" in said
    assert "(Monday 4 May, 10:3" in said
    assert "Agnes: I want to sell the river field." in said
    assert "'/dance' is not a command" in done.stderr
    assert "Nobody hears this" not in said


def test_a_new_talk_finds_the_person_at_work_in_the_middle_of_the_morning(tmp_path: Path) -> None:
    save = tmp_path / "one.npcsave"
    done = talked("/quit\n", "mara_voss", "--save", str(save))
    assert done.exit_code == 0, done.output
    assert "Monday 4 May, 10:00" in done.stderr
    with closing(sqlite3.connect(save)) as db:
        kept = [text for (text,) in db.execute("SELECT text FROM memories WHERE npc = 'mara_voss'")]
        (state,) = db.execute("SELECT state FROM people WHERE npc = 'mara_voss'").fetchone()
    assert any("baking the first loaves" in text for text in kept)
    assert json.loads(state)["address"].startswith("millbrook:cafe:dining_room")


def test_a_save_keeps_the_talk_and_goes_on(tmp_path: Path) -> None:
    save = tmp_path / "one.npcsave"
    for line in ("My name is Cora and I lost my red kite.\n", "Hello again.\n"):
        done = talked(line, "mara_voss", "--save", str(save), "--name", "Cora")
        assert done.exit_code == 0, done.output
        assert "Saved as" in done.stderr
    with closing(sqlite3.connect(save)) as db:
        kept = [text for (text,) in db.execute("SELECT text FROM memories WHERE npc = 'mara_voss'")]
    assert any("red kite" in text for text in kept)
    assert any("Hello again" in text for text in kept)


def test_a_persona_file_of_ones_own_is_talked_to_at_once(tmp_path: Path) -> None:
    shipped = resources.files("npc_server").joinpath("data/towns/millbrook/personas/mara_voss.yaml").read_text(encoding="utf-8")
    own = tmp_path / "mira_stone.yaml"
    own.write_text(shipped.replace("id: mara_voss", "id: mira_stone").replace("Mara", "Mira").replace("Voss", "Stone"), encoding="utf-8")
    done = talked("Who are you?\n", str(own))
    assert done.exit_code == 0, done.output
    assert "Mira: I am Mira Stone." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("nobody_known",), UnknownName, "mara_voss"),
        (("mara_voss", "--name", " "), BadInput, "name"),
        (("mara_voss", "--at", "noon"), BadInput, "noon"),
        (("mara_voss", "--town", "atlantis"), UnknownName, "atlantis"),
    ],
)
def test_what_cannot_be_is_said_with_its_fix(arguments: tuple[str, ...], error: type[Exception], says: str) -> None:
    done = talked("", *arguments)
    assert isinstance(done.exception, error)
    assert says in f"{done.exception} {getattr(done.exception, 'fix', '')}"


def test_a_line_that_is_too_long_is_refused_and_the_talk_goes_on() -> None:
    done = talked("x" * 5000 + "\nWho are you?\n", "mara_voss")
    assert done.exit_code == 0, done.output
    assert "5000" in done.stderr
    assert "I am Mara Voss" in done.stdout


def test_a_person_who_knows_the_player_comes_up_to_them_and_sees_what_they_do(tmp_path: Path) -> None:
    save = tmp_path / "one.npcsave"
    assert talked("My name is Cora.\n/wait 30\n", "mara_voss", "--save", str(save), "--name", "Cora").exit_code == 0
    lines = "/do takes a loaf from the counter\n/wait 1440\n/wait 5\nGood morning!\n"
    done = talked(lines, "mara_voss", "--save", str(save), "--name", "Cora")
    assert done.exit_code == 0, done.output
    assert "(Cora takes a loaf from the counter.)" in done.stdout
    assert "(Mara comes up to you.)\nMara: " in done.stdout
    with closing(sqlite3.connect(save)) as db:
        kept = [text for (text,) in db.execute("SELECT text FROM memories WHERE npc = 'mara_voss'")]
    assert "Cora takes a loaf from the counter" in kept
    assert any(text.startswith("Mara came up to Cora and said: ") for text in kept)


def test_a_command_without_what_it_needs_says_so_and_help_lists_them() -> None:
    done = talked("/wait\n/wait soon\n/do\n/help\n/wait 5\n", "mara_voss", "--at", "2026-05-04 08:20")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("/wait needs whole minutes from 1 to 1440, such as: /wait 30") == 2
    assert "/do needs a text after it, such as: /do takes a loaf" in done.stderr
    assert done.stderr.count("/quit          ends the talk") == 2
    assert "(Monday 4 May, 08:25: Mara is " in done.stdout


def test_a_wait_ends_when_the_person_comes_up(tmp_path: Path) -> None:
    save = tmp_path / "one.npcsave"
    assert talked("My name is Cora.\n/wait 30\n", "mara_voss", "--save", str(save), "--name", "Cora").exit_code == 0
    done = talked("/wait 1440\n/wait 1440\n", "mara_voss", "--save", str(save), "--name", "Cora")
    assert done.exit_code == 0, done.output
    before, found, _ = done.stdout.partition("(Mara comes up to you.)")
    assert found
    assert before.count("Tuesday 5 May, 10:30") == 2, "the second wait is over at once"


@pytest.mark.parametrize("whole_mind", [False, True])
def test_before_a_talk_begins_no_model_has_to_plan_a_day(monkeypatch: pytest.MonkeyPatch, whole_mind: bool) -> None:
    engine = ScriptedEngine(lambda request: "agrees: no\nsay: The oven is on.\nthen: go on" if request.stage == "say" else "?")

    async def opened(settings: EngineSettings, **more: object) -> ScriptedEngine:
        return engine

    monkeypatch.setattr("npc_server.cli.talk.open_engine", opened)
    done = talked("What are you doing?\n/quit\n", "mara_voss", *(["--whole-mind"] if whole_mind else []))
    assert done.exit_code == 0, done.output
    assert "Mara: The oven is on." in done.stdout
    asked = {request.stage for request in engine.requests}
    assert ("plan_day" in asked) is whole_mind
    assert whole_mind or asked == {"say"}


def test_a_model_whose_answers_cannot_be_used_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    thought = ModelDied("qwen3:4b sent a thought without an answer.", "Take a model that answers at once.")

    async def opened(settings: EngineSettings, **more: object) -> ScriptedEngine:
        return ScriptedEngine(lambda request: thought)

    monkeypatch.setattr("npc_server.cli.talk.open_engine", opened)
    done = talked("What are you doing?\nWhere do you live?\nWho are you?\nWhat now?\nWell?\n/quit\n", "mara_voss", "--model", "scripted")
    assert done.exit_code == 0, done.output
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("npc-server: ")]
    assert told == (
        "npc-server: The last 3 answers of scripted could not be used. The latest: qwen3:4b sent a thought without an answer. "
        "Take a model that answers at once. Instinct answers."
    )
