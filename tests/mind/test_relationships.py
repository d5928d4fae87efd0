"""Social Memory: what it begins with, takes in once, shows in prompts, and does not believe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npc_server.affordable import social_memory
from npc_server.clock import DAY, MINUTE
from npc_server.cognition import converse, plan, remember_talk
from npc_server.english.text import clipped, last_sentences
from npc_server.instinct import talk_over
from npc_server.llm.reply import ReplyType, one
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import identity, relationships, replies
from npc_server.mind.mind import Mind
from npc_server.records import Line, Memory, MemoryKind, MemorySource, Social, Talk
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
SQUARE = "millbrook:lane:square"
TOBIN, MARA = "tobin_hale", "mara_voss"


def over(between: str, close: int = 5, relation: str = "neighbour", feeling: str = "She is glad of him.", told: str = "nothing") -> str:
    between = f"relation: {relation}\nfeeling: {feeling}\nbetween: {between}\ncloseness: {close}"
    return f"about: They talked.\n{between}\npromised: nothing\ntold: {told}"


def talk(*texts: str, at: int = MORNING, who: str = TOBIN) -> Talk:
    lines = tuple(Line((who, MARA)[i % 2], text, at + 15 * i) for i, text in enumerate(texts or ("Good morning.", "Morning.")))
    return Talk(f"{who}+{MARA}@{at}", (who, MARA), SQUARE, at, lines)


async def sees(mind: Mind, text: str, at: int = MORNING, who: str = "Tobin Hale") -> Memory:
    triple = [(who, "is", text)]
    given = await mind.remember([text], kind=MemoryKind.OBSERVATION, at=at, importance=[3], source=MemorySource.SEEN, triples=triple)
    return given[0]


def asked(engine: ScriptedEngine, stage: str) -> list[str]:
    return [request.user for request in engine.requests if request.stage == stage]


# ---- the beginning


def test_it_begins_with_what_the_persona_says_and_writes_nothing(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert relationships.of(mind, TOBIN) == Social(MARA, TOBIN, "neighbour", "She likes his dry jokes", "", 5, 0, 0)
    assert relationships.of(mind, "ines_calder") == Social(MARA, "ines_calder", "stranger", "", "", 0, 0, 0)
    assert (mind.relationships.social, mind.draft.socials) == ({}, {})


async def test_a_pair_is_ordered(make_mind: MakeMind) -> None:
    """What Tobin is to Mara is not what Mara is to Tobin."""
    mara, tobin = make_mind(), make_mind()
    tobin.persona = replace(tobin.persona, id=TOBIN, name="Tobin Hale", relations=())
    tobin.people.names = mara.people.names
    tobin.stream = type(tobin.stream)(TOBIN)
    both = talk("The mill is burning!", "Good heavens.")
    for mind in (mara, tobin):
        await remember_talk.remember(mind, both, MORNING)
    of_tobin, of_mara = mara.relationships.social[TOBIN], tobin.relationships.social[MARA]
    assert (of_tobin.npc, of_tobin.relation, of_tobin.closeness) == (MARA, "neighbour", 5)
    assert (of_mara.npc, of_mara.relation, of_mara.closeness) == (TOBIN, "acquaintance", 2)
    assert "mill is burning" in of_tobin.between
    assert "mill" not in of_mara.between


# ---- each memory once


async def test_the_summary_never_takes_in_a_memory_twice(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_over": [over("He carves spoons."), over("He carves spoons and hums.")], "importance": ["3"] * 9})
    mind = make_mind(engine)
    await sees(mind, "Tobin Hale is carving a spoon", MORNING - DAY)
    await remember_talk.remember(mind, talk(), MORNING)
    assert mind.relationships.social[TOBIN].upto == mind.stream.latest(1)[0].id
    await sees(mind, "Tobin Hale is humming", MORNING + MINUTE)
    await sees(mind, "Ines Calder is waving", MORNING + MINUTE, "Ines Calder")
    await remember_talk.remember(mind, talk(at=MORNING + 3 * 3600), MORNING + 3 * 3600)
    first, second = asked(engine, "talk_over")
    assert "Tobin Hale is carving a spoon" in first
    assert "Tobin Hale is humming" in second
    for taken_in_before in ("carving a spoon", "They talked.", "waving"):
        assert taken_in_before not in second
    assert "He carves spoons." in second  # the summary itself goes on
    assert not relationships.unseen(mind, mind.relationships.social[TOBIN])


async def test_what_was_said_in_a_talk_is_not_unseen_after_it(make_mind: MakeMind) -> None:
    mind = make_mind()
    await remember_talk.remember(mind, talk("The mill is burning!", "Oh no."), MORNING)
    assert len(mind.stream.about("Tobin Hale", 9)) == 2
    assert relationships.unseen(mind, relationships.of(mind, TOBIN)) == []


async def test_only_the_latest_few_are_taken_in_and_the_rest_counts_as_seen(make_mind: MakeMind) -> None:
    mind = make_mind()
    for i in range(relationships.UNSEEN + 4):
        await sees(mind, f"Tobin Hale is on errand {i}")
    found = relationships.unseen(mind, relationships.of(mind, TOBIN))
    assert [memory.text for memory in found] == [f"Tobin Hale is on errand {i}" for i in range(4, relationships.UNSEEN + 4)]
    relationships.keep(mind, relationships.of(mind, TOBIN), found, MORNING)
    assert relationships.unseen(mind, relationships.of(mind, TOBIN)) == []


async def test_that_somebody_walked_by_is_nothing_between_two_people(make_mind: MakeMind) -> None:
    mind = make_mind()
    common = {"kind": MemoryKind.OBSERVATION, "at": MORNING, "source": MemorySource.SEEN}
    triples = [("Tobin Hale", "is", what) for what in ("walking by", "crying")]
    await mind.remember(["Tobin Hale is walking by", "Tobin Hale is crying"], importance=[2, 6], triples=triples, **common)  # type: ignore[arg-type]
    assert [memory.text for memory in relationships.unseen(mind, relationships.of(mind, TOBIN))] == ["Tobin Hale is crying"]


async def test_an_insight_about_the_other_counts_and_a_plan_does_not(make_mind: MakeMind) -> None:
    mind = make_mind()
    common = {"at": MORNING, "importance": [5], "source": MemorySource.THOUGHT}
    await mind.remember(["Tobin Hale is lonely"], kind=MemoryKind.REFLECTION, **common)  # type: ignore[arg-type]
    await mind.remember(["Visit Tobin Hale"], kind=MemoryKind.PLAN, triples=[("Mara", "visits", "Tobin Hale")], **common)  # type: ignore[arg-type]
    assert [memory.text for memory in relationships.unseen(mind, relationships.of(mind, TOBIN))] == ["Tobin Hale is lonely"]


# ---- what a model says


@pytest.mark.parametrize(
    "broken",
    ["", "about: x", over("x", 99), over(""), over("x").replace("relation", "ralation"), "I'd rather not."],
)
async def test_an_answer_that_does_not_fit_is_not_stored(make_mind: MakeMind, broken: str) -> None:
    mind = make_mind(ScriptedEngine(lambda request: broken if request.stage == "talk_over" else "3"))
    await remember_talk.remember(mind, talk("The mill is burning!", "Oh no."), MORNING)
    kept = mind.relationships.social[TOBIN]
    assert (kept.relation, kept.feeling, kept.closeness) == ("neighbour", "She likes his dry jokes", 5)
    assert kept.between == "Tobin told Mara: The mill is burning!"


@pytest.mark.parametrize("empty", ["nothing", "None.", "n/a", "unknown", "...", "7"])
async def test_an_answer_that_says_nothing_leaves_what_was(make_mind: MakeMind, empty: str) -> None:
    engine = ScriptedEngine({"talk_over": [over(empty, 5, empty, empty)], "importance": ["3"] * 3})
    mind = make_mind(engine)
    mind.relationships.social[TOBIN] = Social(MARA, TOBIN, "neighbour", "She likes him.", "He owes her a loaf.", 5, 0, 0)
    await remember_talk.remember(mind, talk(), MORNING)
    kept = mind.relationships.social[TOBIN]
    assert (kept.relation, kept.feeling, kept.between) == ("neighbour", "She likes him.", "He owes her a loaf.")


async def test_nobody_marries_over_one_talk(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_over": [over("x", 10, "a husband"), over("x", 0)], "importance": ["3"] * 9})
    mind = make_mind(engine)
    await remember_talk.remember(mind, talk(who="ines_calder"), MORNING)
    kept = mind.relationships.social["ines_calder"]
    assert (kept.closeness, kept.relation) == (relationships.MOST_MOVE, "husband")
    await remember_talk.remember(mind, talk(), MORNING)
    assert mind.relationships.social[TOBIN].closeness == 5 - relationships.MOST_MOVE


def test_that_they_talked_is_told_with_the_latest_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    first = talk_over.talk_relation(mind, relationships.of(mind, TOBIN), [], MORNING)
    later = talk_over.talk_relation(mind, first, [], MORNING + 86_400)
    assert (first.between, later.between) == ("They talked on Monday 4 May.", "They talked on Tuesday 5 May.")
    news = talk_over.talk_relation(mind, later, ["The mill is sold"], MORNING)
    assert "The mill is sold" in talk_over.talk_relation(mind, news, [], MORNING + 86_400).between


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=400), st.integers(0, 10))
def test_whatever_was_said_fits_a_prompt_and_a_reply(make_mind: MakeMind, relation: str, feeling: str, between: str, close: int) -> None:
    mind = make_mind()
    kept = relationships.sensible(relationships.of(mind, TOBIN), relation, feeling, between, close)
    assert (len(kept.relation) <= 60, len(kept.feeling) <= 160, len(kept.between) <= replies.BETWEEN_CHARS) == (True, True, True)
    assert not {"\n", "|", "\x00"} & set(kept.relation + kept.feeling + kept.between)
    reply: ReplyType[replies.TalkOver] = one(replies.TalkOver)
    plain = talk_over.talk_relation(mind, kept, [between], MORNING)
    value = replies.TalkOver("They talked.", *social_memory.as_reply(mind, plain), "nothing", (clipped(feeling, 200, "nothing"),))
    assert reply.parse(reply.write(value)) == value


# ---- where it is shown


async def test_the_prompts_show_it(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Hello.\nthen: go on"]})
    mind = make_mind(engine)
    mind.relationships.social[TOBIN] = Social(MARA, TOBIN, "rival", "She does not trust him", "He sold her a bad chair", 2, 0, 0)
    mind.relationships.social["ines_calder"] = Social(MARA, "ines_calder", "friend", "She worries about her", "They cook together", 6, 0, 0)
    mind.people.names["ines_calder"] = "Ines Calder"
    await converse.say(mind, talk(), MORNING, frozenset())
    same_as_golden(engine.requests[0], "say_social")
    # What lies between two people changes with every talk, and the shared start of prompts must not.
    assert "bad chair" not in engine.requests[0].system
    assert identity.values_of(mind, MORNING)["relations"] == [
        "Tobin Hale is Mara's rival. She does not trust him.",
        "Ines Calder is Mara's friend. She worries about her.",
    ]


async def test_planning_is_told_of_it(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "nothing of use")
    mind = make_mind(engine)
    mind.relationships.social[TOBIN] = Social(MARA, TOBIN, "rival", "She does not trust him", "", 2, 0, 0)
    await plan.next_step(mind, MORNING)
    assert "Tobin Hale is Mara's rival" in next(request for request in engine.requests if request.stage == "plan_day").system


# ---- a question of its own


async def test_where_calls_are_not_fuller_the_relationship_is_asked_by_itself(make_mind: MakeMind) -> None:
    revised = "relation: friend\nfeeling: She is fond of him.\nbetween: He fears for the mill.\ncloseness: 6"
    script = {
        "talk_summary": ["They talked."],
        "talk_claims": ["The mill is burning."],
        "talk_relation": [revised],
        "importance": ["3"] * 3,
    }
    engine = ScriptedEngine(script)
    mind = make_mind(engine, fuller_calls=False)
    await sees(mind, "Tobin Hale is running", MORNING - MINUTE)
    await remember_talk.remember(mind, talk("The mill is burning!", "Oh no."), MORNING)
    assert mind.relationships.social[TOBIN] == Social(MARA, TOBIN, "friend", "She is fond of him.", "He fears for the mill.", 6, 3, MORNING)
    same_as_golden(next(request for request in engine.requests if request.stage == "talk_relation"), "talk_relation")


async def test_switched_off_nothing_is_kept(make_mind: MakeMind) -> None:
    mind = make_mind(social_memory=False)
    await remember_talk.remember(mind, talk("The mill is burning!", "Oh no."), MORNING)
    await social_memory.revise_after_players(mind, (("Ada", MORNING),), MORNING + DAY)
    assert (mind.relationships.social, mind.draft.socials, mind.draft.taken_in) == ({}, {}, [])


async def test_who_makes_no_memories_keeps_no_social_memory(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, opt_out_of_memory=True)
    await remember_talk.remember(mind, talk("The mill is burning!", "Oh no."), MORNING)
    assert not mind.relationships.social


# ---- instinct


async def test_by_talk_alone_people_come_closer_slowly_and_not_without_end(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.people.names["ines_calder"] = "Ines Calder"
    grown = []
    for i in range(60):
        await remember_talk.remember(mind, talk(at=MORNING + i * DAY, who="ines_calder"), MORNING + i * DAY)
        grown.append(relationships.closeness(mind, "ines_calder"))
    assert grown == sorted(grown)
    assert (grown[0], grown[-1]) == (relationships.MET, talk_over.CLOSEST_BY_TALK)
    assert grown.count(relationships.MET) > 1
    assert relationships.closeness(mind, TOBIN) == 5


def test_the_last_sentences_that_fit_are_kept() -> None:
    assert last_sentences("One is long gone. Two went by. Three is here.", 30) == "Two went by. Three is here."
    assert last_sentences("x" * 50, 10) == "xxxxxxxxx…"
    assert last_sentences("one two three four", 10) == "one two…"
