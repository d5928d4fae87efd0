"""`npc-server mind` and `npc-server interview`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from typer.testing import CliRunner

from npc_server.cli.interview import interview
from npc_server.cli.mind import mind
from npc_server.cli.output import bar
from npc_server.clock import HOUR, MINUTE
from npc_server.config import load_settings
from npc_server.errors import BadInput, NpcServerError, SaveDamaged, SaveInUse, SaveNotFound, UnknownName
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.records import MemoryKind, MemorySource, Perception, PerceptionKind
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town

STEER = "\x1b[31m[bold]red\x07"


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a day of Millbrook, with an insight, gossip and an appointment of Mara's."""
    import asyncio

    folder = tmp_path_factory.mktemp("saves")
    asyncio.run(_play(folder))
    return folder / "one.npcsave"


async def _play(folder: Path) -> None:
    host = Host(load_settings(save={"folder": folder}), NoModelEngine("None."), HashedWordsEmbedder())
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    game = Game(session)
    start = session.now
    for at in range(start, start + 6 * HOUR, 10 * MINUTE):
        await game.tick(at)
        if at == start + 2 * HOUR:
            await session.say("mara_voss", "Cora", "The ferry was late again.", lambda text: None)
    seen = Perception("mara_voss", PerceptionKind.EVENT, "", f"The mill is burning {STEER}", "millbrook:lane:square", 1.0, session.now)
    await game.tick(session.now, seen)
    agent = session.agent("mara_voss")
    base = agent.mind.stream.latest(2)
    made = await agent.mind.remember(
        ["Ines is unhappy here"],
        kind=MemoryKind.REFLECTION,
        at=session.now,
        importance=[6],
        source=MemorySource.THOUGHT,
        evidence=tuple(memory.id for memory in base),
    )
    await agent.mind.remember(
        ["Mara should speak with Ines"],
        kind=MemoryKind.REFLECTION,
        at=session.now,
        importance=[7],
        source=MemorySource.THOUGHT,
        evidence=(made[0].id,),
    )
    await session.say("mara_voss", "Ada", "Ines wants to sell the shop.", lambda text: None)
    await session.whisper("mara_voss", "I want to give a party at the Kettle Café on Tuesday 5 May from 17:00 to 19:00.")
    await session.save_game()
    await host.close()


Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Run]:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODEL", "none")
    monkeypatch.chdir(tmp_path)

    def go(command: Callable[..., None], *arguments: object, width: int = 100) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        app = typer.Typer()
        app.command()(command)
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert "--json" in arguments or all(cell_len(line) <= width for line in result.stdout.splitlines())
        return result.stdout

    yield go
    structlog.reset_defaults()  # a command sends the log where it wants it


def flat(text: str) -> str:
    return re.sub(r"[\s│├└─]+", " ", text)


@pytest.mark.parametrize("who", ["mara_voss", "MARA_VOSS", "Mara Voss", "mara  VOSS", "mara"])
def test_a_mind_is_found_by_id_and_name_in_any_case(save: Path, run: Run, who: str) -> None:
    shown = flat(run(mind, save, who))
    assert shown.startswith("Mara Voss (mara_voss), 34")
    assert "Millbrook, Monday 4 May, 11:50" in shown
    assert "Mara Voss is the baker of Millbrook" in shown
    assert "Agreed on Tue 16:30 giving the party at the Kettle Café" in shown
    assert "On its mind" in shown
    assert re.search(r"Feels \w+( \(.*?\))?; of 10 points: food \d+, rest \d+, company \d+, fun \d+, health \d+", shown)
    assert "Doing Mara is" in shown
    assert re.search(r"Memories \d+: \d+ seen, .*2 concluded, .*1 intends", shown)
    assert "[told by Ada]" in shown


@pytest.mark.parametrize("width", [80, 100])
def test_every_view_fits_the_terminal(save: Path, run: Run, width: int) -> None:
    for options in ([], ["--query", "mill"], ["--plan"], ["--relations"], ["--reflections"]):
        assert run(mind, save, "mara", *options, width=width)


def test_a_query_shows_the_parts_of_each_score(save: Path, run: Run) -> None:
    shown = run(mind, save, "mara", "--query", "Who sells the shop?", "--count", 3)
    assert all(name in shown for name in ("score", "recency", "importance", "relevance"))
    rows = re.findall(r"^\s*(\d\.\d\d)\s+\S*\s+(\d\.\d\d)\s+\S*\s+(\d\.\d\d)\s+\S*\s+(\d\.\d\d)", shown, re.M)
    assert len(rows) == 3
    for score, *parts in rows:
        assert float(score) == pytest.approx(sum(float(part) for part in parts), abs=0.02)
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    assert "Relevance by hashed-words" in shown


def test_the_plan_shows_strokes_hours_and_steps_with_what_became_of_them(save: Path, run: Run) -> None:
    shown = run(mind, save, "mara", "--plan")
    assert "Monday 4 May" in shown
    assert re.search(r"06:05-06:15 ✓ shower\s+the shower in the bathroom of Mara's house", shown)
    assert "▸ " in shown
    assert "· " in shown
    assert "✓ done   ▶ active   · ahead   ✗ failed   – dropped" in shown
    assert "agreed on, or called for" in run(mind, save, "mara", "--plan", "--at", "2026-05-05 12:00")


def test_relations_tell_of_persona_and_talk(save: Path, run: Run) -> None:
    shown = flat(run(mind, save, "mara", "--relations"))
    assert "Tobin Hale 7 neighbour, and the first friend she had on coming back" in shown
    assert re.search(r"Ada 0 stranger just now 1", shown)
    assert re.search(r'Cora 2 acquaintance 3 hours ago 1 Cora said: "The ferry was late', shown)
    assert shown.index("Tobin Hale") < shown.index("Cora 2")
    then = flat(run(mind, save, "mara", "--relations", "--at", "2026-05-04 08:05"))
    assert "Cora 0 stranger" in then
    assert "ferry" not in then  # the summary came later


def test_reflections_are_a_tree_down_to_what_was_seen(save: Path, run: Run) -> None:
    shown = run(mind, save, "mara", "--reflections")
    lines = [line for line in shown.splitlines() if "Mara should" in line or "Ines is unhappy" in line]
    assert lines[0].startswith("Mara should speak with Ines")
    assert lines[1].startswith("└── Ines is unhappy here")
    assert re.search(r"^    ├── ", shown, re.M)
    assert "has concluded nothing yet" in flat(run(mind, save, "tobin", "--reflections"))


def test_an_earlier_time_shows_what_was_there_then(save: Path, run: Run) -> None:
    shown = flat(run(mind, save, "mara", "--at", "2026-05-04 07:00"))
    assert "Monday 4 May, 07:00" in shown
    assert "burning" not in shown
    assert "concluded" not in shown
    assert "burning" not in run(mind, save, "mara", "--at", "2026-05-04 07:00", "--query", "the mill")
    plan = run(mind, save, "mara", "--at", "2026-05-04 07:00", "--plan")
    done = re.findall(r"(\d\d:\d\d)-(\d\d:\d\d) ✓", plan)
    assert done
    assert all(end <= "07:00" for _, end in done)


def test_words_in_a_save_steer_no_terminal(save: Path, run: Run) -> None:
    for options in ([], ["--query", "mill"]):
        shown = run(mind, save, "mara", *options)
        assert "[bold]red" in flat(shown)
        assert "\x1b" not in shown
        assert "\x07" not in shown


def test_nothing_in_the_file_or_beside_it_changes(save: Path, run: Run) -> None:
    before = _fingerprint(save)
    for options in ([], ["--query", "mill"], ["--plan"], ["--relations"], ["--reflections"], ["--at", "2026-05-04 07:00"]):
        run(mind, save, "mara", *options)
    run(interview, save, "mara")
    run(interview, save, "mara", "Who are you?", "--json")
    assert _fingerprint(save) == before


def _fingerprint(save: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in save.parent.iterdir()}


def test_an_interview_asks_25_questions_in_five_groups(save: Path, run: Run) -> None:
    shown = run(interview, save, "mara")
    for category in ("self-knowledge", "memory", "plans", "reactions", "reflections"):
        assert re.search(rf"^{category} ─", shown, re.M)
    assert shown.count("Mara Voss:") == 25
    answers = json.loads(run(interview, save, "mara", "--json"))["answers"]
    assert len(answers) == 25
    assert {answer["source"] for answer in answers} == {"instinct"}
    assert all(answer["evidence"] for answer in answers)


def test_one_question_is_answered_with_the_memories_behind_it(save: Path, run: Run) -> None:
    shown = flat(run(interview, save, "mara", "Ada said that Ines wants to sell the shop?"))
    assert "Mara Voss: Ada told me: " in shown
    assert "What came to mind:" in shown
    found = json.loads(run(interview, save, "mara", "Ada said that Ines wants to sell the shop?", "--json"))
    assert (found["npc"], found["name"]) == ("mara_voss", "Mara Voss")
    (answer,) = found["answers"]
    assert any(item["source_person"] == "Ada" and item["source"] == "told" for item in answer["evidence"])


def test_what_is_not_known_is_said_to_be_not_known(save: Path, run: Run) -> None:
    (answer,) = json.loads(run(interview, save, "mara", "Who won the war in the north?", "--json"))["answers"]
    assert answer["answer"] == "That I have not heard, and I hear most things."


def test_what_cannot_be_shown_is_told(save: Path, run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.npcsave"
    other.write_text("not a save")
    with pytest.raises(UnknownName, match="There are: Mara Voss, Tobin Hale, Ines Calder"):
        run(mind, save, "zzz")
    with pytest.raises(SaveNotFound, match="no save file"):
        run(mind, tmp_path / "none.npcsave", "mara")
    with pytest.raises(SaveDamaged):
        run(mind, other, "mara")
    with pytest.raises(BadInput, match="--at 'soon' is not a date"):
        run(mind, save, "mara", "--at", "soon")
    with pytest.raises(BadInput, match="different views"):
        run(mind, save, "mara", "--plan", "--relations")
    with pytest.raises(BadInput, match="2000 are allowed"):
        run(interview, save, "mara", "x" * 2001)


def test_a_copy_that_is_being_played_is_told_and_the_save_beside_it_can_be_read(save: Path, run: Run, tmp_path: Path) -> None:
    import asyncio

    folder = tmp_path / "saves"
    folder.mkdir()
    (folder / "one.npcsave").write_bytes(save.read_bytes())

    async def play() -> None:
        host = Host(load_settings(save={"folder": folder}), NoModelEngine("None."), HashedWordsEmbedder())
        await host.open_save("one")
        await asyncio.to_thread(run, mind, folder / "one.npcsave", "mara")
        with pytest.raises(SaveInUse):
            await asyncio.to_thread(run, mind, folder / "one.play.sqlite", "mara")
        await host.close()

    asyncio.run(play())


def test_a_name_without_its_ending_is_found(save: Path, run: Run) -> None:
    assert "Mara Voss" in run(mind, save.with_suffix(""), "mara")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=20))
def test_no_name_time_or_query_breaks_it(save: Path, run: Run, text: str) -> None:
    for options in ([text], ["mara", f"--at={text}"], ["mara", f"--query={text}", "--count", "2"]):
        try:
            run(mind, save, "--", options[0]) if len(options) == 1 else run(mind, save, *options)
        except NpcServerError:
            continue


@pytest.mark.parametrize(("value", "shown"), [(0.0, "     "), (1.0, "█████"), (0.5, "██▌  "), (7.0, "█████"), (-1.0, "     ")])
def test_a_bar_is_as_long_as_its_value(value: float, shown: str) -> None:
    assert bar(value) == shown
