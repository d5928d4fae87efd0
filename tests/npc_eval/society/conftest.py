"""A save of four people made by hand, whose measures as a society are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.society.measures import Life, read
from npc_server.clock import HOUR, MINUTE, parse_datetime
from npc_server.english.text import TALKED_WITH
from npc_server.memory import actions, memories, meta, people, plans
from npc_server.memory.create import create
from npc_server.memory.people import Person
from npc_server.records import (
    Action,
    Document,
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    NpcId,
    OutcomeStatus,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
)
from npc_server.world.town_records import Story
from tests.world.towns import document

START = parse_datetime("2026-05-04 06:00")
PARTY = START + 11 * HOUR
STORY = Story("party", "party", "ann", "I give a party on Monday.", ("party", "dance"), "hamlet:yard", PARTY, PARTY + 2 * HOUR)
FRIENDS = {"ann": ["ben"], "ben": ["ann", "cid"], "cid": [], "dot": []}


def persona(npc: NpcId) -> Document:
    known = "".join(f"  - {{who: {who}, is: friend, closeness: 5}}\n" for who in FRIENDS[npc])
    text = f"id: {npc}\nname: {npc.capitalize()} Low\nage: 30\nidentity: {npc.capitalize()} lives in the hut\nhome: hut:room:bed\n"
    return Document(f"{npc}.yaml", text + (f"relations:\n{known}" if known else ""))


def memory(
    npc: NpcId, number: int, text: str, minutes: int, source: MemorySource = MemorySource.SEEN, person: NpcId = "", of: NpcId = ""
) -> Memory:
    kind = MemoryKind.CONVERSATION if source is MemorySource.TOLD or of else MemoryKind.OBSERVATION
    predicate, obj = (TALKED_WITH, f"{of.capitalize()} Low") if of else ("", "")
    at = START + minutes * MINUTE
    return Memory(npc, number, kind, text, at, at, 5, "", predicate, obj, source, person)


def action(npc: NpcId, number: int, address: str, start: GameTime, minutes: int) -> Action:
    return Action(f"{npc}/{number}", npc, "is there", address, "", start, start + minutes * MINUTE)


@pytest.fixture
def lives(tmp_path: Path) -> list[Life]:
    """Ann tells Ben of her party, Ben tells Cid, Dot sees them dance; Ben comes, Cid goes away at once, Dot is there by chance."""
    path = tmp_path / "small.npcsave"
    told = [
        Memory("ann", 1, MemoryKind.INTENTION, "I give a party", START, START, 8),
        memory("ann", 2, "Ann talked with Ben: a party", 10, of="ben"),
        memory("ben", 1, "Ben talked with Ann: a party", 10, of="ann"),
        memory("ben", 2, 'Ann says: "I give a party"', 10, MemorySource.TOLD, "ann"),
        memory("cid", 1, "There is a Party at Ann's", 60, MemorySource.HEARD, "ben"),
        memory("cid", 2, "Cid talked with Ben about this and that.", 200, of="ben"),
        memory("ben", 3, "Ben talked with Cid about this and that.", 200, of="cid"),
        memory("dot", 1, "Ann is going to the dance", 12 * 60),
        memory("dot", 2, "The partying geese are loud", 30),
        Memory("dot", 3, MemoryKind.SEED, "Dot loves a party", START, START, 5, source=MemorySource.KNOWN),
    ]
    steps = [
        PlanStep("ben", 1, PlanLevel.HOUR, 0, PARTY, PARTY + HOUR, "going to the party", origin=PlanOrigin.AGREED),
        PlanStep("ben", 2, PlanLevel.STEP, 0, START, START + MINUTE, "put out the fire", origin=PlanOrigin.REACTION),
        PlanStep("ben", 3, PlanLevel.STEP, 9, START, START + MINUTE, "read", status=PlanStatus.DROPPED),
        PlanStep("cid", 1, PlanLevel.STEP, 0, START, START + MINUTE, "read"),
    ]

    def fill(db: object) -> None:
        meta.put_documents(db, "town", [document()])  # type: ignore[arg-type]
        meta.put_documents(db, "persona", [persona(npc) for npc in FRIENDS])  # type: ignore[arg-type]
        people.insert(db, [Person(npc, f"{npc.capitalize()} Low") for npc in FRIENDS])  # type: ignore[arg-type]
        memories.insert(db, told)  # type: ignore[arg-type]
        plans.insert(db, steps)  # type: ignore[arg-type]
        for it in [
            action("ann", 1, "hamlet:yard:grass", PARTY, 60),
            action("ben", 1, "hamlet:yard:grass:well", PARTY - HOUR, 90),
            action("cid", 1, "hamlet:yard:grass", PARTY, 60),
            action("dot", 1, "hamlet:yard", PARTY + HOUR, 30),
        ]:
            actions.insert(db, it)  # type: ignore[arg-type]
        actions.end(db, "cid/1", PARTY + MINUTE, None)  # type: ignore[arg-type]
        actions.end(db, "dot/1", PARTY + HOUR + 20 * MINUTE, OutcomeStatus.DONE)  # type: ignore[arg-type]

    create(path, fill)
    town, found = read(path)
    assert town is not None
    assert town.id == "hamlet"
    return found
