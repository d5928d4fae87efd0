"""The row functions: what goes in comes out, as the record it was."""

from __future__ import annotations

import sqlite3
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlite_utils import Database

from npc_server.clock import DAY, HOUR
from npc_server.errors import BadInput, SaveDamaged, UnknownName
from npc_server.memory import actions, ledger, memories, meta, people, places, plans
from npc_server.memory.database import as_database
from npc_server.memory.migrations import migrate
from npc_server.records import (
    Action,
    CallOutcome,
    CommandRole,
    Document,
    Memory,
    MemoryKind,
    MemorySource,
    ModelCall,
    OutcomeStatus,
    PlanLevel,
    PlannedCommand,
    PlanStatus,
    PlanStep,
    Source,
)
from npc_server.world.tree import Node, NodeKind, ObjectAction


@pytest.fixture
def db() -> Database:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    made = as_database(connection)
    migrate(made)
    return made


def memory(number: int, npc: str = "ada", kind: MemoryKind = MemoryKind.OBSERVATION) -> Memory:
    return Memory(npc, number, kind, f"thing {number}", 10, 20, 5, "Ben", "is", "here", MemorySource.TOLD, "ben", "town:cafe")


# ---- memories


def test_memories_come_back_whole(db: Database) -> None:
    kept = [memory(1), replace(memory(2), evidence=(1,)), replace(memory(3), evidence=(1, 2))]
    memories.insert(db, kept, np.eye(3, 5, dtype=np.float32))
    memories.insert(db, [memory(1, "ben")])
    assert memories.load(db, "ada") == kept
    ids, matrix = memories.load_vectors(db, "ada")
    assert ids == [1, 2, 3]
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix, np.eye(3, 5))
    assert memories.load_vectors(db, "ben")[0] == []


def test_evidence_must_exist(db: Database) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        memories.insert(db, [replace(memory(1), evidence=(9,))])


def test_vectors_are_little_endian_float32(db: Database) -> None:
    memories.insert(db, [memory(1)], np.array([[1.0, -2.0]], np.float32))
    assert db.execute("SELECT hex(vector) FROM vectors").fetchone() == ("0000803F000000C0",)


@pytest.mark.parametrize("blob", [b"", b"abc", np.array([np.nan, 1], "<f4").tobytes(), "text"])
def test_a_vector_that_is_none_is_left_out(db: Database, blob: object) -> None:
    memories.insert(db, [memory(1), memory(2)], np.eye(2, 2, dtype=np.float32))
    db.execute("UPDATE vectors SET vector = ? WHERE id = 2", (blob,))
    assert memories.load_vectors(db, "ada")[0] == [1]


def test_vectors_that_do_not_match_are_refused(db: Database) -> None:
    with pytest.raises(BadInput, match="shape"):
        memories.insert(db, [memory(1)], np.eye(2, dtype=np.float32))
    with pytest.raises(BadInput, match="not finite"):
        memories.insert(db, [memory(1)], np.array([[np.inf]], np.float32))


def test_text_that_is_not_unicode_and_numbers_past_64_bits_are_refused(db: Database) -> None:
    for wrong in (replace(memory(1), text="\ud800"), replace(memory(1), created=1 << 63)):
        with pytest.raises(BadInput, match="cannot be stored"):
            memories.insert(db, [wrong])


def test_an_access_is_written_and_never_moves_back(db: Database) -> None:
    memories.insert(db, [memory(1), memory(2)])
    memories.touch(db, "ada", [1], 500)
    memories.touch(db, "ada", [1, 2], 5)
    assert [m.last_access for m in memories.load(db, "ada")] == [500, 20]


def test_another_embedding_model_replaces_all_vectors(db: Database) -> None:
    memories.insert(db, [memory(1), memory(2)], np.eye(2, 2, dtype=np.float32))
    memories.replace_vectors(db, "ada", [2], np.ones((1, 7), np.float32))
    ids, matrix = memories.load_vectors(db, "ada")
    assert (ids, matrix.shape) == ([2], (1, 7))


def test_a_kind_that_does_not_exist_is_damage(db: Database) -> None:
    memories.insert(db, [memory(1)])
    db.execute("UPDATE memories SET kind = 'dream'")
    with pytest.raises(SaveDamaged, match="dream"):
        memories.load(db, "ada")


def test_the_sqlite3_shell_reads_memories_with_their_dates(db: Database, tmp_path: Path) -> None:
    memories.insert(db, [replace(memory(1), created=DAY + 6 * HOUR)])
    assert db.execute("SELECT created, text FROM memories_readable").fetchone() == ("1970-01-02 06:00:00", "thing 1")
    file = tmp_path / "s.npcsave"
    db.execute("VACUUM INTO ?", (str(file),))
    try:
        shell = subprocess.run(["sqlite3", file, "SELECT npc, created FROM memories_readable"], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("there is no sqlite3 shell on this machine")
    assert shell.stdout == "ada|1970-01-02 06:00:00\n"


# ---- plans and actions


def step(number: int, start: int, end: int, npc: str = "ada") -> PlanStep:
    return PlanStep(npc, number, PlanLevel.STEP, 0, start, end, f"step {number}", "town:cafe")


def test_a_day_of_the_plan_has_what_touches_it(db: Database) -> None:
    steps = [
        step(1, DAY - HOUR, DAY),
        step(2, DAY - HOUR, DAY + 1),
        step(3, DAY + 5, DAY + 5),
        step(4, 2 * DAY - 1, 2 * DAY + 9),
        step(5, 2 * DAY, 2 * DAY + 1),
    ]
    plans.insert(db, [*reversed(steps), step(1, DAY, DAY + HOUR, "ben")])
    assert plans.load_day(db, "ada", DAY + 7 * HOUR) == steps[1:4]
    assert plans.next_id(db, "ada") == 6
    assert plans.next_id(db, "nobody") == 1


def test_a_step_takes_the_place_of_the_one_with_its_id(db: Database) -> None:
    plans.insert(db, [step(1, DAY, DAY + 1), step(1, DAY, DAY + 1, "ben")])
    kept = PlannedCommand(CommandRole.LISTED, failures=2, states=(("mug_1", "clean, in the cupboard"),), failure="it is too far away")
    done = PlanStep("ada", 1, PlanLevel.STEP, 4, DAY, DAY + 9, "grab mug_1", "", PlanStatus.FAILED, Source.MODEL, "grab", command=kept)
    plans.update(db, done)
    assert plans.load_day(db, "ada", DAY) == [done]
    assert plans.load_day(db, "ben", DAY) == [step(1, DAY, DAY + 1, "ben")]
    with pytest.raises(UnknownName, match="no plan step 2"):
        plans.update(db, replace(done, id=2))


def action(number: int, start: int, npc: str = "ada") -> Action:
    return Action(f"{npc}/{number}/1", npc, "pours coffee", "town:cafe", "☕🙂", start, start + 60, "pour", "in use", "empty", Source.MODEL)


def test_actions_come_back_with_how_they_ended(db: Database) -> None:
    for made in (action(1, 10), action(2, 20), action(1, 15, "ben")):
        actions.insert(db, made)
    actions.end(db, "ada/1/1", 19, OutcomeStatus.FAILED, "door locked")
    first, second, third = actions.load(db)
    assert first == actions.ActionRecord(action(1, 10), 19, OutcomeStatus.FAILED, "door locked")
    assert (second.action.npc, third) == ("ben", actions.ActionRecord(action(2, 20), None, None, ""))
    assert [r.action.id for r in actions.load(db, "ada", since=20)] == ["ada/2/1"]
    actions.end(db, "ada/2/1", 30, None)
    assert actions.load(db)[2].ended == 30
    with pytest.raises(UnknownName, match="no action"):
        actions.end(db, "ada/9/9", 1, None)


# ---- the rest


def test_the_ledger_adds_up(db: Database) -> None:
    call = ModelCall("ada", "plan", 5, 100, 60, 20, 12.5, CallOutcome.USED)
    ledger.add(
        db,
        [
            call,
            call,
            replace(call, outcome=CallOutcome.INSTINCT, reason="late"),
            replace(call, npc="ben", stage="act", prompt_tokens=0, cached_tokens=0, reply_tokens=0),
        ],
    )
    assert ledger.spent(db) == [
        ledger.Spent("ada", "plan", 0, CallOutcome.INSTINCT, "", 1, 1, 100, 60, 20, 12.5),
        ledger.Spent("ada", "plan", 0, CallOutcome.USED, "", 2, 2, 200, 120, 40, 25.0),
        ledger.Spent("ben", "act", 0, CallOutcome.USED, "", 1, 0, 0, 0, 0, 12.5),
    ]


def test_what_a_save_is_changes_field_by_field(db: Database) -> None:
    assert meta.read(db) == meta.SaveMeta()
    meta.write(db, town="Millbrook", now=5)
    assert meta.write(db, epoch=2) == meta.read(db) == meta.SaveMeta(town="Millbrook", now=5, epoch=2)


def test_a_field_that_does_not_exist_or_has_the_wrong_type_is_not_written(db: Database) -> None:
    with pytest.raises(TypeError):
        meta.write(db, twon="x")
    with pytest.raises(SaveDamaged):
        meta.write(db, now="late")
    assert meta.read(db) == meta.SaveMeta()


@pytest.mark.parametrize("text", ["", "{", '"late"', "1.5", "null", "true", "[" * 100_000])
def test_a_field_that_does_not_read_is_damage(db: Database, text: str) -> None:
    db.execute("INSERT INTO meta VALUES ('now', ?)", (text,))
    with pytest.raises(SaveDamaged):
        meta.read(db)


def test_documents_keep_their_order_and_replace_those_of_their_kind(db: Database) -> None:
    town, b, a = Document("town.yaml", "town"), Document("b.yaml", "b"), Document("a.yaml", "ä\n")
    meta.put_documents(db, "town", [town])
    meta.put_documents(db, "persona", [Document("old.yaml", "")])
    meta.put_documents(db, "persona", [b, a])
    assert meta.documents(db, "persona") == [b, a]
    assert meta.documents(db, "town") == [town]


def test_people_come_back_in_the_order_they_were_stored(db: Database) -> None:
    ada = people.Person("ada", "Ada Moss", 7)
    people.insert(db, [people.Person("zoe", "Zoe"), ada])
    assert people.load(db) == [people.Person("zoe", "Zoe"), ada]


def test_the_state_of_a_person_comes_back(db: Database) -> None:
    people.insert(db, [people.Person("ada", "Ada")])
    assert people.state(db, "ada", PlanStep) is None
    people.set_state(db, "ada", step(1, 2, 3))
    assert people.state(db, "ada", PlanStep) == step(1, 2, 3)
    with pytest.raises(UnknownName, match="nobody 'ben'"):
        people.set_state(db, "ben", step(1, 2, 3))
    with pytest.raises(UnknownName, match="nobody 'ben'"):
        people.state(db, "ben", PlanStep)


def test_the_tree_comes_back_in_its_order_with_its_states(db: Database) -> None:
    stove = Node("t:c:s", NodeKind.OBJECT, "stove", "", "off", ("off", "on"), (ObjectAction("cook", "on"),), 1, (3600, 7200), ("ada",))
    nodes = [Node("t", NodeKind.WORLD, "T"), Node("t:c", NodeKind.SECTOR, "café"), stove]
    places.put_nodes(db, nodes)
    places.set_state(db, {"t:c:s": "on", "nowhere": "x"})
    places.put_nodes(db, [replace(nodes[0], name="Town")])
    assert places.load_nodes(db, Node) == [replace(nodes[0], name="Town"), nodes[1], replace(stove, state="on")]


def test_what_an_npc_knows_is_what_it_last_saw(db: Database) -> None:
    places.saw(db, "ada", [places.Known("t:b", "", 1), places.Known("t:a", "off", 1)])
    places.saw(db, "ada", [places.Known("t:a", "on", 9)])
    assert places.known(db, "ada") == [places.Known("t:a", "on", 9), places.Known("t:b", "", 1)]
    assert places.known(db, "ben") == []


def test_the_whole_plan_of_somebody_comes_back_in_order(db: Database) -> None:
    def planned(number: int, start: int, npc: str = "ada") -> PlanStep:
        return PlanStep(npc, number, PlanLevel.STEP, 0, start, start + HOUR, "read")

    plans.insert(db, [planned(2, DAY), planned(1, 5 * DAY), planned(1, DAY, "ben"), planned(3, 0)])
    assert [step.id for step in plans.load(db, "ada")] == [3, 2, 1]
