from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from npc_server.cognition import converse
from npc_server.llm.engine import Vectors
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.personas.schema import Offer, Parameter
from npc_server.records import MemoryKind, MemorySource, MemoryTopic, Social, Source
from tests.cognition.gossip import GOSSIP, PARTY, knows, talk
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]


# ---- listening


async def test_who_is_spoken_to_is_asked_whether_it_has_time(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"listen": ["no"]})
    mind = make_mind(engine, calm_reactions=False, social_memory=False)
    await knows(mind, "Tobin Hale owes Mara for a loaf")
    assert await converse.listen(mind, "tobin_hale", MORNING, hurried=True) == (False, Source.MODEL)
    same_as_golden(engine.requests[0], "listen")


async def test_rules_decide_whom_one_has_time_for_where_they_are_sure(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"listen": ["no"]})
    mind = make_mind(engine)
    assert await converse.listen(mind, "tobin_hale", MORNING, hurried=True) == (False, Source.INSTINCT)
    assert await converse.listen(mind, "tobin_hale", MORNING, hurried=False) == (True, Source.INSTINCT)
    await converse.listen(mind, "a stranger", MORNING, hurried=False)
    assert not engine.requests


async def test_the_model_is_asked_about_somebody_one_knows_and_is_not_close_to(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"listen": ["no"]})
    mind = make_mind(engine)
    mind.relationships.social["tobin_hale"] = Social(
        "mara_voss", "tobin_hale", "rival", "She does not trust him.", "He sold her a bad chair.", 1, 0, 0
    )
    assert await converse.listen(mind, "tobin_hale", MORNING, hurried=False) == (False, Source.MODEL)
    same_as_golden(engine.requests[0], "listen_social")


async def test_without_an_answer_who_is_in_a_hurry_declines_even_a_friend(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert await converse.listen(mind, "tobin_hale", MORNING, hurried=True) == (False, Source.INSTINCT)
    assert await converse.listen(mind, "tobin_hale", MORNING, hurried=False) == (True, Source.INSTINCT)


async def test_a_stranger_is_turned_down_now_and_then(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = [(await converse.listen(mind, "a stranger", MORNING + i, hurried=False))[0] for i in range(60)]
    assert 5 < found.count(True) < 55


# ---- saying


async def test_a_line_rests_on_memory_news_voice_and_the_talk_so_far(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: A party? I shall bake for it.\nthen: go on"]})
    mind = make_mind(engine)
    await knows(mind, "Tobin Hale broke his best chisel", 3)
    await knows(mind, "The old mill is burning", 8, source=MemorySource.TOLD, source_person="Ines Calder")
    said = await converse.say(mind, GOSSIP, MORNING, frozenset())
    assert (said.text, said.leaves, said.claims, said.source) == ("A party? I shall bake for it.", False, None, Source.MODEL)
    same_as_golden(engine.requests[0], "say")


async def test_without_social_memory_a_line_rests_on_what_is_remembered_of_the_other(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Hello.\nthen: go on"]})
    mind = make_mind(engine, social_memory=False)
    await knows(mind, "Tobin Hale broke his best chisel", 3)
    await converse.say(mind, GOSSIP, MORNING, frozenset())
    same_as_golden(engine.requests[0], "say_without_social_memory")


async def test_last_words_are_asked_for_and_end_the_talk_whatever_the_model_says(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: And another thing!\nthen: go on"]})
    said = await converse.say(make_mind(engine), GOSSIP, MORNING, frozenset(), last_words=True)
    assert said.leaves
    assert (
        "\nThis talk ends now. Say your last words in it. Do not ask or invite: nobody can answer any more.\nWhat do you say next?"
        in engine.requests[0].user
    )


async def test_what_stands_in_the_identity_is_not_repeated_as_a_memory(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Hm.\nthen: go on"]})
    mind = make_mind(engine)
    mind.budget.near = True
    for phrase in mind.persona.identity_phrases:
        await knows(mind, phrase if "Mara" in phrase else f"Mara: {phrase}", 9, kind=MemoryKind.SEED, source=MemorySource.KNOWN)
    await knows(mind, "The ferry stops at noon", 2, kind=MemoryKind.SEED, source=MemorySource.KNOWN)
    await converse.say(mind, GOSSIP, MORNING, frozenset())
    assert "- (always) The ferry stops at noon" in engine.requests[0].user
    assert "rent" not in engine.requests[0].user
    assert "rent" in engine.requests[0].system


@pytest.mark.parametrize(("near", "own", "whole"), [(True, True, True), (True, False, True), (False, False, True), (False, True, False)])
async def test_where_no_player_hears_only_the_first_line_shows_all_that_one_is(
    make_mind: MakeMind, near: bool, own: bool, whole: bool
) -> None:
    engine = ScriptedEngine({"say": ["say: Hm.\nthen: go on"]})
    mind = make_mind(engine)
    mind.budget.near = near
    lines = [("mara_voss", "Bread?"), ("tobin_hale", "Two, please.")] if own else [("tobin_hale", "Two, please.")]
    await converse.say(mind, talk(*lines), MORNING, frozenset())
    assert ("worries about the rent" in engine.requests[0].system) is whole
    assert "bakes the bread" in engine.requests[0].system


@pytest.mark.parametrize("near", [True, False])
async def test_a_long_memory_is_cut_only_where_no_player_hears(make_mind: MakeMind, near: bool) -> None:
    engine = ScriptedEngine({"say": ["say: Hm.\nthen: go on"]})
    mind = make_mind(engine)
    mind.budget.near = near
    await knows(mind, f"Tobin Hale sold a chair, and {'another chair, and ' * 8}at last the bench", 6)
    await converse.say(mind, talk(("tobin_hale", "I sold a chair.")), MORNING, frozenset())
    assert "sold a chair" in engine.requests[0].user
    assert ("at last the bench" in engine.requests[0].user) is near


async def test_the_days_plan_comes_to_mind_when_somebody_asks(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Hm.\nthen: go on"] * 2})
    mind = make_mind(engine)
    await knows(mind, "Mara's plan for Monday: bake bread", 9, kind=MemoryKind.PLAN, source=MemorySource.THOUGHT)
    for line in ("Lovely weather for bread.", "What do you bake today?"):
        await converse.say(mind, talk(("tobin_hale", line)), MORNING, frozenset())
    assert ["Mara's plan" in request.user for request in engine.requests] == [False, True]


async def test_a_talk_at_no_known_place_reads_well_too(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Hello.\nthen: go on"]})
    await converse.say(make_mind(engine), replace(talk(("tobin_hale", "Hello.")), place=""), MORNING, frozenset())
    assert "06:00. You are talking with Tobin Hale.\nWhat do you say next?" in engine.requests[0].user


async def test_a_line_in_words_that_were_said_already_is_asked_for_once_more(make_mind: MakeMind) -> None:
    again, other = "say: Sit down, dear Tobin!\nthen: go on", "say: Have some bread.\nthen: go on"
    said = talk(("tobin_hale", "Morning, Mara."), ("mara_voss", "Sit down, dear Tobin."), ("tobin_hale", PARTY))
    for answers, expected, source in (
        ([again, other], "Have some bread.", Source.MODEL),
        ([again, again], "", Source.INSTINCT),
        (["say: Morning, Mara.\nthen: go on"], "Morning, Mara.", Source.MODEL),  # two words are no line to be tired of
    ):
        mind = make_mind(ScriptedEngine({"say": answers}))
        spoken = await converse.say(mind, said, MORNING, frozenset())
        assert spoken.source is source
        assert spoken.text == expected or not expected


async def test_what_a_line_of_a_model_claims_is_not_known(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"say": ["say: Ada Finch sells the mill.\nthen: go on"]}))
    said = await converse.say(mind, talk(("tobin_hale", "Who sells the mill?")), MORNING, frozenset())
    assert said.claims is None


async def test_instinct_says_whether_it_remembers_the_answer(make_mind: MakeMind) -> None:
    mind = make_mind()
    await knows(mind, "Ada Finch sells the mill", 4)
    for heard, remembered in (("Who sells the mill?", True), ("Who is the king of France?", False), ("How are you, Mara?", False)):
        said = await converse.say(mind, talk(("tobin_hale", heard)), MORNING, frozenset())
        assert (said.is_remembered, said.source) == (remembered, Source.INSTINCT)


async def test_words_stream_while_they_are_made_and_the_rest_of_the_reply_does_not(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["agrees: no\nsay: Good morning, Tobin.\nthen: leave"]})
    pieces: list[str] = []
    said = await converse.say(make_mind(engine), talk(("tobin_hale", "Hello.")), MORNING, frozenset(), on_text=pieces.append)
    assert "".join(pieces) == said.text == "Good morning, Tobin."
    assert len(pieces) > 1


async def test_news_is_offered_to_a_model_once_for_each_of_the_others(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Flames up to the sails, Tobin!\nthen: go on"] * 2})
    mind = make_mind(engine)
    news = await knows(mind, "The old mill is burning", 8)
    hello = talk(("tobin_hale", "Hello."))
    assert (await converse.say(mind, hello, MORNING, frozenset())).told == (news.id,)
    assert "What you would like to tell: The old mill is burning" in engine.requests[0].user
    assert (await converse.say(mind, hello, MORNING, frozenset({("tobin_hale", news.id)}))).told == ()
    assert "What you would like to tell" not in engine.requests[1].user


async def test_an_offered_action_can_be_chosen_with_typed_parameters(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"say": ["say: Have a look.\ndoes: open_shop(item=bread, count=2)\nthen: go on"]})
    mind = make_mind(engine)
    goods = (Parameter("item", "choice", ("bread", "cheese")), Parameter("count", "integer", (), 1, 12))
    mind.persona = replace(mind.persona, offers=(Offer("open_shop", "let a customer see the goods", goods),))
    said = await converse.say(mind, talk(("tobin_hale", "Two loaves, please.")), MORNING, frozenset())
    assert said.call is not None
    assert (said.call.name, said.call.arguments) == ("open_shop", '{"item": "bread", "count": 2}')
    same_as_golden(engine.requests[0], "say_offers")


async def test_an_action_that_was_not_offered_is_not_taken(make_mind: MakeMind) -> None:
    wrong = "say: Done.\ndoes: give_gold(count=100)\nthen: go on"
    mind = make_mind(ScriptedEngine({"say": [wrong, wrong]}))
    mind.persona = replace(mind.persona, offers=(Offer("open_shop", "let a customer see the goods"),))
    said = await converse.say(mind, talk(("tobin_hale", "Gold!")), MORNING, frozenset())
    assert (said.call, said.source) == (None, Source.INSTINCT)


async def test_a_model_that_fails_leaves_the_offer_to_rules(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"say": ["nonsense", "nonsense"]}))
    mind.persona = replace(mind.persona, offers=(Offer("open_shop", "let a customer see the goods"),))
    said = await converse.say(mind, talk(("tobin_hale", "Show me your goods.")), MORNING, frozenset())
    assert said.source is Source.INSTINCT
    assert said.call is not None


# ---- repetition


@pytest.mark.parametrize(
    ("text", "expected"),
    [("MORNING, mara.", True), ("Morning Mara", True), ("I have to bake now.", False)],
)
async def test_a_line_that_was_said_already_is_noticed(make_mind: MakeMind, text: str, expected: bool) -> None:
    assert await converse.repeats(make_mind(), GOSSIP, text, Source.MODEL) is expected


async def test_a_model_may_not_say_what_was_said_in_other_words_and_written_lines_are_not_compared(make_mind: MakeMind) -> None:
    mind = make_mind()
    said = talk(("tobin_hale", "I keep thinking of long tables on the green."))
    same = "Long tables on the green, I keep thinking of."
    assert await converse.repeats(mind, said, same, Source.MODEL)
    assert not await converse.repeats(mind, said, "The oven is cold.", Source.MODEL)
    assert await converse.repeats(mind, said, said.lines[0].text.upper(), Source.INSTINCT)

    async def embed(texts: Sequence[str]) -> Vectors:
        raise AssertionError(f"embedded {texts}")

    mind.tools.embedder.embed = embed  # type: ignore[method-assign]
    assert not await converse.repeats(mind, said, same, Source.INSTINCT)


async def test_the_first_line_repeats_nothing(make_mind: MakeMind) -> None:
    assert not await converse.repeats(make_mind(), talk(), "Hello.", Source.MODEL)


@pytest.mark.parametrize(("mine", "topic"), [(True, MemoryTopic.OTHER), (False, MemoryTopic.SAID)])
async def test_a_model_is_not_shown_news_after_its_first_line_nor_bare_words_of_others(
    make_mind: MakeMind, mine: bool, topic: MemoryTopic
) -> None:
    engine = ScriptedEngine({"say": ["agrees: no\nsay: Fine.\nthen: go on"]})
    mind = make_mind(engine)
    seen = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.HEARD, "topics": [topic]}
    await mind.remember(["Ines Calder said that the mill is sold"], at=MORNING, importance=[9], **seen)  # type: ignore[arg-type]
    lines = [("tobin_hale", "Hello."), *([("mara_voss", "Hello."), ("tobin_hale", "How are you?")] if mine else [])]
    await converse.say(mind, talk(*lines), MORNING, frozenset())
    assert "What you would like to tell" not in engine.requests[-1].user


NOT_TOLD = {
    "the other's own words about herself, from a third": (
        "Tobin Hale said that he may give up sawing",
        MemoryKind.CONVERSATION,
        "ines_calder",
    ),
    "an insight of one's own": ("Two hands would help more than wood", MemoryKind.REFLECTION, ""),
    "what somebody who stands by told": ("The letter lies in the desk", MemoryKind.CONVERSATION, "edda_frey"),
    "what was told about somebody who stands by": ("Edda Frey means to leave the village", MemoryKind.CONVERSATION, "ines_calder"),
}


@pytest.mark.parametrize("case", NOT_TOLD)
async def test_a_model_is_offered_no_news_that_is_not_for_those_who_hear_it_and_is_offered_the_next(make_mind: MakeMind, case: str) -> None:
    text, kind, teller = NOT_TOLD[case]
    engine = ScriptedEngine({"say": ["agrees: no\nsay: Fine.\nthen: go on"]})
    mind = make_mind(engine)
    mind.people.names.update(ines_calder="Ines Calder", edda_frey="Edda Frey")
    await knows(mind, "The old mill is burning", 7)
    source = MemorySource.TOLD if teller else MemorySource.THOUGHT
    await mind.remember([text], kind=kind, at=MORNING - 3600, importance=[9], source=source, source_person=teller)
    await converse.say(mind, talk(("tobin_hale", "Hello.")), MORNING, frozenset(), present=["edda_frey"])
    shown = engine.requests[-1].user
    assert "What you would like to tell: The old mill is burning" in shown
