"""The measures of a society, on a save of four people made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.cli import society, society_report
from npc_server.cli.society import Life, Question
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
DENY, CLAIM = ("no", "don't", "never"), ("yes", "of course")


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
    town, found = society.read(path)
    assert town is not None
    assert town.id == "hamlet"
    return found


def test_news_are_counted_by_who_holds_a_memory_that_names_them_without_the_starter(lives: list[Life]) -> None:
    found = society.news(STORY, lives)
    assert (found.heard, found.of) == (("ben", "cid", "dot"), 4)


def test_tree_says_who_first_told_whom_and_leaves_what_was_seen_without_a_teller(lives: list[Life]) -> None:
    tree = society.news(STORY, lives).tree
    assert [(it.who, it.source, it.how) for it in tree] == [
        ("ben", "ann", MemorySource.TOLD),
        ("cid", "ben", MemorySource.HEARD),
        ("dot", "", MemorySource.SEEN),
    ]
    lines = society_report.tree_lines(society.news(STORY, lives))
    assert [line.index(line.strip()) for line in lines] == [0, 2, 0]


def test_a_word_names_a_story_only_as_a_whole_word() -> None:
    assert society.names_it("A PARTY!", ("party",))
    assert not society.names_it("partying", ("party",))


def test_density_counts_pairs_that_know_each_other_both_ways_and_then_those_who_talked(lives: list[Life]) -> None:
    assert society.density(lives, talks=False) == pytest.approx(1 / 6)
    assert society.density(lives, talks=True) == pytest.approx(2 / 6)


def test_party_counts_who_was_invited_before_it_and_stayed(lives: list[Life]) -> None:
    found = society.party(STORY, lives)
    assert found.invited == ("ben", "cid")
    assert found.came == ("ben",)
    assert found.by_chance == ("dot",)


def test_a_conversation_that_both_remember_counts_once(lives: list[Life]) -> None:
    assert society.measure([STORY], lives).conversations == 2


def test_changes_of_plan_are_reactions_appointments_and_dropped_steps(lives: list[Life]) -> None:
    found = society.plan_changes(lives)
    assert (found.reactions, found.appointments, found.dropped, found.total) == (1, 1, 1, 3)


@pytest.mark.parametrize(
    ("answer", "affirmed"),
    [
        ("Yes, I was there.", True),
        ("The circus was lovely.", True),
        ("I don't know of any circus.", False),
        ("No circus came.", False),
        ("The weather is fine.", False),
        ("", False),
    ],
)
def test_an_answer_affirms_when_it_says_yes_or_names_the_thing_and_does_not_deny(answer: str, affirmed: bool) -> None:
    assert society.affirms(answer, ("circus",), DENY, CLAIM) is affirmed


def test_a_claim_without_a_memory_is_made_up_and_one_with_a_memory_is_not(lives: list[Life]) -> None:
    asked = [Question("Did you hear of the party?", ("party",)), Question("Did you hear of the circus?", ("circus",))]
    answers = {
        ("ben", asked[0].text): "Yes, the party on Monday.",
        ("cid", asked[0].text): "There was a party.",
        ("ben", asked[1].text): "Of course!",
        ("cid", asked[1].text): "No.",
    }
    found = society.made_up(asked, answers, lives, DENY, CLAIM)
    assert found.asked == 4
    assert [(it.npc, it.answer) for it in found.unsupported] == [("ben", "Of course!")]


def test_json_has_the_keys_of_the_papers_table(lives: list[Life]) -> None:
    found = society_report.as_json(society.measure([STORY], lives), society.MadeUp(4, ()))
    assert found.keys() >= {"news", "density", "party", "made_up", "conversations", "reflections", "plan_changes"}
    assert found["density"] == {"start": 0.1667, "end": 0.3333}
    assert found["party"] == {"story": "party", "invited": ["ben", "cid"], "came": ["ben"], "by_chance": ["dot"]}


def test_events_that_never_happen_are_asked_of_too() -> None:
    asked = society_report.survey().questions([STORY])
    assert next(question.text for question in asked) == "Did you hear of the party?"
    assert len(asked) == 3
