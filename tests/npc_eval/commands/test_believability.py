"""`npc-server eval believability`, as a user types it, from a life to the report."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from npc_eval.believability_study.cards import card_sets
from npc_eval.believability_study.files import read_interviews, read_ranks
from npc_eval.believability_study.judge import Judge, judged
from npc_eval.commands.believability import app
from npc_eval.engines.recorded import RecordedEngine, Recording
from npc_eval.prompts import PROMPTS
from npc_server.errors import BadInput, FileProblem, SaveNotFound, UnknownName
from npc_server.llm.scripted import ScriptedEngine
from npc_server.prompts.load import Prompts

SHORT = ("--days", "1", "--until", "07:00", "--seed", "3", "--model", "none")
QUESTIONS = "\n".join(
    f"{category}: ['{text}']"
    for category, text in {
        "self-knowledge": "Who are you?",
        "memory": "Who learned to bake from her grandmother, who measured everything by hand and nothing twice?",
        "plans": "What will you do at noon?",
        "reactions": "The stove burns. What do you do?",
        "reflections": "Who knows what everybody in the village eats when they are sad?",
    }.items()
)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.yaml").write_text(QUESTIONS, encoding="utf-8")


def run(*words: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.stdout


def judge_in_advance(folder: Path) -> None:
    """Records what a judge says of `answers.json`, who likes what comes first in the alphabet."""

    async def judge() -> None:
        def script(request: object) -> str:
            lines = [line for line in str(getattr(request, "user", "")).splitlines() if line[1:3] == ": "]
            return ", ".join(line[0] for line in sorted(lines, key=lambda line: line[3:]))

        found = read_interviews(Path("answers.json"))
        engine = RecordedEngine(Recording(folder), ScriptedEngine(script))
        await judged(Judge(engine, "x", Prompts([PROMPTS]), 7, 4000), found, card_sets(found, 7), lambda: None)

    asyncio.run(judge())


def test_from_a_life_to_the_report(tmp_path: Path) -> None:
    said = run("run", *SHORT, "--people", "mara_voss", "--questions", "q.yaml", "--keep", "life")
    assert "20 answers of 1 people, asked at 2026-05-04 07:00, are in answers.json" in said
    assert (tmp_path / "life.npcsave").is_file()
    again = run("run", "--save", "life.npcsave", "--people", "Mara", "--questions", "q.yaml", "--model", "none", "--out", "again.json")
    assert "20 answers" in again
    assert read_interviews(Path("again.json")) == read_interviews(Path("answers.json"))

    run("template", "answers.json", "--out", "human.yaml")
    filled = Path("human.yaml").read_text(encoding="utf-8").replace('"Who are you?": ""', '"Who are you?": I am the one who bakes.')
    Path("human.yaml").write_text(filled, encoding="utf-8")
    assert "1 of 5 questions have a person's answer" in run("add", "answers.json", "human.yaml")
    assert "human" in {it.condition.value for it in read_interviews(Path("answers.json")).answers}

    assert "shows the life of Mara Voss" in run("page", "answers.json", "--each", "0")
    assert "I am the one who bakes." in Path("ranks.html").read_text(encoding="utf-8")

    judge_in_advance(tmp_path / "judge")
    assert "Kendall's tau between both orders: 1.00" in run("judge", "answers.json", "--model", f"recorded:{tmp_path / 'judge'}")
    assert len(read_ranks(Path("ranks.json")).rankings) >= 2
    shown = run("report", "ranks.json")
    assert "Kruskal-Wallis: H(4) = " in shown
    assert "full architecture" in shown
    assert "29.89" in shown
    assert "| condition | mu | sigma |" in run("report", "ranks.json", "--markdown")
    assert json.loads(run("report", "ranks.json", "ranks.json", "--json"))["rankings"] == 2 * len(read_ranks(Path("ranks.json")).rankings)


def test_what_cannot_be_done_is_said_before_anything_is(tmp_path: Path) -> None:
    Path("there.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BadInput, match=r"'there\.json' already"):
        run("run", *SHORT, "--out", "there.json")
    with pytest.raises(BadInput, match="no folder"):
        run("run", *SHORT, "--out", "nowhere/answers.json")
    with pytest.raises(BadInput, match="--at needs --save"):
        run("run", *SHORT, "--at", "2026-05-04 07:00")
    with pytest.raises(BadInput, match="--save and --keep"):
        run("run", "--save", "a.npcsave", "--keep", "b.npcsave")
    with pytest.raises(SaveNotFound):
        run("run", "--save", "a.npcsave", "--model", "none")
    with pytest.raises(UnknownName, match="'mara'"):
        run("run", *SHORT, "--people", "mara")
    with pytest.raises(FileProblem, match="cannot be read"):
        run("run", *SHORT, "--human", "none.yaml")
    for command in ("page", "judge", "template", "report"):
        with pytest.raises(FileProblem, match="another kind of file"):
            run(command, "there.json")


def test_a_judge_is_a_model_and_people_are_those_who_were_asked() -> None:
    run("run", *SHORT, "--people", "mara_voss", "--questions", "q.yaml")
    with pytest.raises(BadInput, match="A judge needs a model"):
        run("judge", "answers.json", "--model", "none")
    for command in (("judge", "answers.json", "--people", "tobin_hale"), ("page", "answers.json", "--person", "tobin_hale")):
        with pytest.raises(UnknownName, match="'tobin_hale' was asked"):
            run(*command)
