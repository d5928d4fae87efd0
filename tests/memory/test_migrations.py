from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.memory import actions, inbox, memories, meta, people, plans
from npc_server.memory.create import create
from npc_server.memory.database import as_database, connect
from npc_server.memory.migrations import APPLICATION_ID, migrate, newest_version, steps
from npc_server.memory.store import Store
from npc_server.mind.agent_state import AgentState
from npc_server.mind.token_budget import TokensLeft
from npc_server.records import CommandRole, Emotion, MemoryTopic, Mood, Needs, Outcome, OutcomeReason, PlannedCommand, PlanOrigin
from tests.memory.streams import load_stream

SAVES = Path(__file__).parent / "saves"


def from_sql(name: str, path: Path) -> Path:
    """A save as an older version left it, from its text in `saves`."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SAVES / name).read_text(encoding="utf-8"))
    return path


def version_of(name: str) -> int:
    """The version of a save in `saves`, by its file's name."""
    return int(name.removeprefix("v").removesuffix(".sql"))


def header(path: Path) -> tuple[int, int]:
    raw = path.read_bytes()[:100]
    return int.from_bytes(raw[60:64], "big"), int.from_bytes(raw[68:72], "big")


def test_a_new_save_says_whose_it_is_and_of_which_version(tmp_path: Path) -> None:
    path = tmp_path / "new.npcsave"
    create(path)
    assert header(path) == (newest_version(), APPLICATION_ID)


def test_there_is_an_old_save_of_every_version() -> None:
    assert {path.name for path in SAVES.glob("*.sql")} == {f"v{n}.sql" for n in range(1, newest_version() + 1)}


@pytest.mark.parametrize("name", sorted(path.name for path in SAVES.glob("*.sql")))
def test_a_save_of_an_older_version_opens_with_everything_in_it(name: str, tmp_path: Path) -> None:
    path = from_sql(name, tmp_path / "old.npcsave")

    async def look() -> None:
        store = await Store.open(path)
        assert (await store.do(meta.read)).town == "Millbrook"
        assert [p.name for p in await store.do(people.load)] == ["Ada Moss", "Ben Hale"]
        stream = await load_stream(store, "ada")
        assert [m.text for m in stream.latest(9)] == ["Ben waves.", "Ada Moss bakes."]
        assert stream.get(2).evidence == (1,)
        assert stream.without_vector() == [2]
        assert len(await store.do(lambda db: plans.load_day(db, "ada", 0))) == 1
        assert len(await store.do(lambda db: inbox.pending(db, 1))) == 1
        await store.close()

    asyncio.run(look())
    assert header(path)[0] == newest_version()


def test_what_failed_before_there_were_codes_has_them_by_its_words(tmp_path: Path) -> None:
    path = from_sql("v2.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        for number, outcome, reason in [(1, "failed", "the bathroom is occupied"), (2, "failed", "the door is locked"), (3, "done", "")]:
            row = (
                f"ada/{number}",
                "ada",
                "Ada bakes",
                "millbrook:cafe",
                "🍞",
                number,
                number + 1,
                "",
                "",
                "",
                "instinct",
                9,
                outcome,
                reason,
            )
            db.execute(f"INSERT INTO actions VALUES ({', '.join('?' * len(row))})", row)
        waiting = {"npc": "ada", "action_id": "ada/4", "status": "failed", "reason": "the bed is occupied", "address": ""}
        db.execute("INSERT INTO inbox VALUES (1, 2, 'ada', 'outcome', ?, 0)", (json.dumps(waiting),))
        db.execute("INSERT INTO inbox VALUES (1, 3, 'ada', 'outcome', ?, 0)", (json.dumps({**waiting, "reason": "it rains"}),))
        migrate(db)
        assert [it.code for it in actions.load(db)] == [OutcomeReason.OCCUPIED, OutcomeReason.OTHER, None]
        told = [event.code for _, event in inbox.pending(db, 1) if isinstance(event, Outcome)]
        assert told == [OutcomeReason.OCCUPIED, OutcomeReason.OTHER]


def test_a_step_that_was_marked_by_its_parent_says_how_it_came_into_the_plan(tmp_path: Path) -> None:
    path = from_sql("v3.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        for number, level, parent in [(2, "hour", 1), (3, "hour", -1), (4, "step", -1), (5, "step", 0)]:
            row = ("ada", number, level, parent, 30_000, 33_600, "rest", "", "ahead", "instinct", "", "", "")
            db.execute(f"INSERT INTO plan_steps VALUES ({', '.join('?' * len(row))})", row)
        migrate(db)
        found = {step.id: (step.parent, step.origin) for step in plans.load(db, "ada")}
    planned, agreed, reaction = PlanOrigin.PLANNED, PlanOrigin.AGREED, PlanOrigin.REACTION
    assert found == {1: (0, planned), 2: (1, planned), 3: (0, agreed), 4: (0, reaction), 5: (0, planned)}


def test_a_memory_of_an_older_save_is_of_what_its_sentence_tells(tmp_path: Path) -> None:
    sentences = {
        'Ben Hale said: "The mill is sold."': MemoryTopic.SAID,
        'Robin asked: "Who sold it?"': MemoryTopic.ASKED,
        'Ada answered Robin: "Ben did."': MemoryTopic.ANSWERED,
        "Ada talked with Ben Hale at 10:15 about this and that.": MemoryTopic.SMALL_TALK,
        "Ada talked with Ben Hale: The mill is sold.": MemoryTopic.TALKED,
        "Ben Hale had no time to talk with Ada.": MemoryTopic.MET,
        "Ada talked with Cid Orr in a round of 3.": MemoryTopic.MET,
        "Ada often sees Ben Hale these days": MemoryTopic.MET,
        "Ada's plan for Monday 4 May 2026: 06:00 bake bread.": MemoryTopic.PLAN,
        "Ada could not do this at the café: Ada is baking, because it is closed.": MemoryTopic.FAILED,
        "Ada did this: open shop.": MemoryTopic.CALLED,
        "The stove in the kitchen is burning": MemoryTopic.OTHER,
    }
    path = from_sql("v4.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        for number, text in enumerate(sentences, start=3):
            row = ("ada", number, "observation", text, 35_000, 35_000, 3, "", "", "", "seen", "", "")
            db.execute(f"INSERT INTO memories VALUES ({', '.join('?' * len(row))})", row)
        migrate(db)
        assert {memory.text: memory.topic for memory in memories.load(db, "ada")[2:]} == sentences


def test_what_a_plan_keeps_of_commands_is_read_from_the_sentences_of_an_older_save(tmp_path: Path) -> None:
    sentences = {
        "planned; mug_1: clean, in wall_cupboard; sink: dirty": PlannedCommand(
            CommandRole.USUAL, states=(("mug_1", "clean, in wall_cupboard"), ("sink", "dirty"))
        ),
        "wanted": PlannedCommand(CommandRole.CHOSEN),
        "between; door: closed": PlannedCommand(CommandRole.PREPARING, states=(("door", "closed"),)),
        "policy 1f3a": PlannedCommand(CommandRole.POLICY, policy="1f3a"),
        "list 2; mug_1: dirty": PlannedCommand(CommandRole.LISTED, failures=2, states=(("mug_1", "dirty"),)),
        "list of wishes": PlannedCommand(CommandRole.PREPARING),
    }
    entries = [(10 + i, "done", "grab", sentence) for i, sentence in enumerate(sentences)]
    entries += [(20, "failed", "grab", "it is held by somebody"), (21, "done", "finished", ""), (22, "done", "gave up", "")]
    path = from_sql("v5.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        steps_of_an_hour = [
            (2, "hour", 0, "resting at home", "ahead", "", ""),
            (3, "step", 2, "wash up", "active", "", "Ada is washing up"),
            (4, "step", 0, "waiting until the bathroom is free", "done", "", ""),
            (5, "step", 2, "resting for a moment", "done", "", ""),
            *((number, "step", 3, "grab mug_1", status, does, sentence) for number, status, does, sentence in entries),
        ]
        for number, level, parent, text, status, does, sentence in steps_of_an_hour:
            row = ("ada", number, level, parent, 30_000, 33_600, text, "", status, "model", does, sentence, "", "planned")
            db.execute(f"INSERT INTO plan_steps VALUES ({', '.join('?' * len(row))})", row)
        migrate(db)
        found = {step.id: step for step in plans.load(db, "ada")}
    assert [found[number].command for number in range(10, 16)] == list(sentences.values())
    assert found[20].command == PlannedCommand(CommandRole.USUAL, failure="it is held by somebody")
    assert [found[number].command for number in (21, 22)] == [PlannedCommand(CommandRole.FINISHED), PlannedCommand(CommandRole.GAVE_UP)]
    assert (found[3].command, found[3].sentence, found[10].sentence) == (None, "Ada is washing up", "")
    assert [found[number].kind.value for number in (2, 3, 4, 5)] == ["activity", "activity", "pause", "pause"]


def test_the_tokens_somebody_may_spend_are_found_in_an_older_save(tmp_path: Path) -> None:
    path = from_sql("v6.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        kept = '{"address":"millbrook:cafe","summary":"Says \\"purse\\" a lot.","purse":{"hour":9,"tokens":-12}}'
        db.execute("UPDATE people SET state = ? WHERE npc = 'ada'", (kept,))
        db.execute("UPDATE people SET state = 'no JSON, but a \"purse\"' WHERE npc = 'ben'")
        migrate(db)
        found = people.state(db, "ada", AgentState)
        assert db.execute("SELECT state FROM people WHERE npc = 'ben'").fetchone() == ('no JSON, but a "purse"',)
    assert found == AgentState(address="millbrook:cafe", summary='Says "purse" a lot.', tokens_left=TokensLeft(9, -12))


@pytest.mark.parametrize("name", sorted(path.name for path in SAVES.glob("*.sql")))
def test_somebody_of_an_older_save_starts_well_fed_and_in_no_mood(name: str, tmp_path: Path) -> None:
    path = from_sql(name, tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        if version_of(name) < 9:
            db.execute("UPDATE people SET state = ? WHERE npc = 'ada'", ('{"address":"millbrook:cafe","summary":"Ada bakes."}',))
        migrate(db)
        found = people.state(db, "ada", AgentState)
    assert found is not None
    kept = Needs(food=2.5), Mood(Emotion.HAPPY, 4.0, 36_000)
    assert (found.needs, found.mood) == (kept if version_of(name) >= 9 else (Needs(), Mood()))


def test_an_appointment_says_with_whom_it_is_and_a_promise_with_an_hour_is_marked(tmp_path: Path) -> None:
    sentences = {
        "Ada promised Ben Hale to bake at the café, on Monday 4 May at 16:00.": MemoryTopic.APPOINTMENT,
        "Ada promised Ben Hale this: to bring flour some day.": MemoryTopic.OTHER,
    }
    path = from_sql("v9.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        for number, text in enumerate(sentences, start=3):
            row = ("ada", number, "conversation", text, 35_000, 35_000, 6, "Ada", "promised", "Ben Hale", "seen", "", "", "other")
            db.execute(f"INSERT INTO memories VALUES ({', '.join('?' * len(row))})", row)
        migrate(db)
        assert {memory.text: memory.topic for memory in memories.load(db, "ada")[2:]} == sentences
        assert [step.people for step in plans.load(db, "ada")] == [()]
    with closing(connect(from_sql("v10.sql", tmp_path / "new.npcsave"), "rw")) as connection:
        assert [step.people for step in plans.load(as_database(connection), "ada")] == [("ben",)]


def test_an_action_says_with_whom_somebody_talks(tmp_path: Path) -> None:
    with closing(connect(from_sql("v10.sql", tmp_path / "old.npcsave"), "rw")) as connection:
        db = as_database(connection)
        db.execute(
            "INSERT INTO actions VALUES ('ada/1', 'ada', 'Ada bakes', 'x:y', '', 1, 2, '', '', '', 'instinct', NULL, NULL, '', NULL, '')"
        )
        migrate(db)
        assert [record.action.talks_with for record in actions.load(db)] == [()]
    with closing(connect(from_sql("v11.sql", tmp_path / "new.npcsave"), "rw")) as connection:
        assert [record.action.talks_with for record in actions.load(as_database(connection))] == [("ben",)]


def more_columns(db: Database) -> None:
    db.table("memories").add_column("mood", str, not_null_default="calm")


def half_done(db: Database) -> None:
    db.execute("CREATE TABLE half (x)")
    db.execute("UPDATE meta SET value = '\"lost\"'")
    raise ValueError("no further")


def test_a_later_migration_runs_on_an_old_save(tmp_path: Path) -> None:
    path = from_sql("v1.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        migrate(db, (*steps(), more_columns))
        assert db.execute("SELECT DISTINCT mood FROM memories").fetchall() == [("calm",)]
        assert len(memories.load(db, "ada")) == 2
        migrate(db, (*steps(), more_columns))
    assert header(path)[0] == newest_version() + 1


def test_a_migration_that_fails_leaves_the_save_at_the_version_before(tmp_path: Path) -> None:
    path = from_sql("v1.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        with pytest.raises(ValueError, match="no further"):
            migrate(db, (*steps(), more_columns, half_done))
        assert meta.read(db).town == "Millbrook"
        assert "half" not in db.table_names()
    assert header(path)[0] == newest_version() + 1
