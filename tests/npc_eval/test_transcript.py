"""A played day as text: what somebody does, says, thinks and promises stands under its hour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from npc_eval import transcript
from npc_eval.commands.simulate import simulate
from npc_eval.society.measures import Life
from npc_server.errors import BadInput
from npc_server.memory.actions import ActionRecord
from npc_server.personas.schema import load_persona
from npc_server.records import Action, Document, OutcomeStatus
from npc_server.world.tree import World
from tests.minds import PERSONA


def told(folder: Path, *words: str) -> str:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(simulate)
    done = ["--town", "millbrook", "--days", "0.15", "--seed", "3", "--model", "none", "--start", "2026-05-04 10:00", *words]
    result = CliRunner().invoke(app, [*done, "--transcript", str(folder / "day.md")], env={"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"})
    if result.exception is not None:
        raise result.exception
    return (folder / "day.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> str:
    return told(tmp_path_factory.mktemp("day"))


def test_each_deed_is_one_line_under_its_hour(day: str) -> None:
    assert day.startswith("# A day in Millbrook\n\n## Monday 4 May\n\n### 10:00\n\n- 10:00 ")
    for hour, lines in re.findall(r"### (\d\d):00\n\n((?:- .*\n)+)", day):
        assert all(line.startswith(f"- {hour}:") for line in lines.splitlines())
    assert "**Mara** is cooking" in day


def test_a_place_is_named_when_somebody_comes_to_it(day: str) -> None:
    mine = [line for line in day.splitlines() if "**Tobin** is" in line]
    assert mine[0].endswith(", Hale's workshop")


def test_spoken_lines_say_to_whom(day: str) -> None:
    assert re.search(r"- \d\d:\d\d \*\*\w+\*\* to \w+( and \w+)?: “.+”", day)


def test_plans_and_relations_of_everybody_stand_at_the_end(day: str) -> None:
    for name in ("Ines Calder", "Mara Voss", "Tobin Hale"):
        assert f"\n## {name}\n\nThe plan:\n" in day
    assert re.search(r"- Mara Voss: .*closeness \d of 10", day)


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "day.md").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="already"):
        told(tmp_path, "--days", "0.01")
    assert told(tmp_path, "--days", "0.01", "--force").startswith("# A day")


def test_what_was_left_for_a_talk_and_carried_on_is_told_once_and_what_was_left_at_once_not_at_all() -> None:
    rows = [
        ("Mara is baking", 0, 600, None, ()),
        ("Mara is talking with Tobin", 600, 660, OutcomeStatus.DONE, ("tobin",)),
        ("Mara is baking", 660, 900, OutcomeStatus.DONE, ()),
        ("Mara is sitting down", 900, 900, None, ()),
        ("Mara is talking with Ines", 900, 960, OutcomeStatus.DONE, ("ines",)),
        ("Mara is sitting down", 960, 1200, OutcomeStatus.DONE, ()),
        ("Mara is baking", 1200, 1500, OutcomeStatus.DONE, ()),
    ]
    actions = [
        ActionRecord(Action(f"mara/{i}", "mara", sentence, "", "", start, end, seen_as=sentence, talks_with=others), end, outcome, "")
        for i, (sentence, start, end, outcome, others) in enumerate(rows)
    ]
    persona = load_persona(Document("mara.yaml", PERSONA), "millbrook")
    told_rows = transcript._deeds(Life(persona, (), (), tuple(actions)), World(), by_model=True)
    told_at = [(row.at, row.text.split("**")[2].split(" *(")[0].strip()) for row in told_rows]
    talks = [(600, "is talking with Tobin"), (900, "is talking with Ines")]
    assert told_at == [(0, "is baking"), talks[0], talks[1], (960, "is sitting down"), (1200, "is baking")]
