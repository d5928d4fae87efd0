from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.cognition import own_deeds, perceive, react
from npc_server.instinct import react as plain_react
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import replies
from npc_server.mind.instinct import MOOD_S, WORTH_ASKING, Errand, Reaction
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource, Perception, PerceptionKind, Source
from npc_server.world.tree import ObjectAction, World
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
KITCHEN = "millbrook:mara_house:kitchen"
STOVE = f"{KITCHEN}:stove"
TOBINS = "millbrook:tobin_house:kitchen:refrigerator"


async def notice(mind: Mind, subject: str, text: str, kind: PerceptionKind = PerceptionKind.OBJECT) -> list[Memory]:
    found = await perceive.perceive(mind, [Perception("mara_voss", kind, subject, text, KITCHEN, 2.0, MORNING)], MORNING)
    assert found
    return found


async def meet(mind: Mind, text: str = "is mending a chair") -> list[Memory]:
    return await notice(mind, "tobin_hale", text, PerceptionKind.PERSON)


async def reaction(mind: Mind, noticed: list[Memory], may_talk: bool = True) -> Reaction | None:
    return await react.react(mind, noticed, "Mara is eating breakfast", KITCHEN, MORNING, lambda who: may_talk)


def answers(reply: str) -> ScriptedEngine:
    return ScriptedEngine({"importance": ["5"], "react": [reply]})


async def test_the_prompt_asks_for_the_relationship_and_what_the_other_does(make_mind: MakeMind) -> None:
    engine = answers("reaction: talk\nminutes: 5\nwhat: the broken chair")
    mind = make_mind(engine)
    await mind.remember(
        ["Tobin Hale lent Mara his ladder"],
        kind=MemoryKind.OBSERVATION,
        at=MORNING - 2 * 86_400,
        importance=[4],
        source=MemorySource.SEEN,
        triples=[("Tobin Hale", "lent", "his ladder")],
    )
    found = await reaction(mind, await meet(mind))
    assert found == Reaction(replies.TALK, Source.MODEL, "tobin_hale", "the broken chair")
    same_as_golden(engine.requests[-1], "react_person")


@pytest.mark.parametrize("near", [True, False])
async def test_a_long_memory_is_cut_only_far_from_players(make_mind: MakeMind, near: bool) -> None:
    engine = answers("reaction: continue\nminutes: 1\nwhat: nothing")
    mind = make_mind(engine)
    mind.budget.near = near
    long = f"Tobin Hale is mending a chair, and {'another chair, and ' * 8}at last the bench"
    await mind.remember([long], kind=MemoryKind.OBSERVATION, at=MORNING - 86_400, importance=[6], source=MemorySource.SEEN)
    await reaction(mind, await meet(mind))
    assert "another chair" in engine.requests[-1].user
    assert ("at last the bench" in engine.requests[-1].user) is near


async def test_an_object_is_reacted_to_and_nobody_is_offered_to_talk_to(make_mind: MakeMind) -> None:
    engine = answers("reaction: change\nminutes: 10\nwhat: put out the fire on the stove.")
    mind = make_mind(engine)
    found = await reaction(mind, await notice(mind, STOVE, "is burning"))
    assert found is not None
    assert (found.kind, found.source) == (replies.CHANGE, Source.MODEL)
    assert found.errands == (Errand(10, "put out the fire on the stove"),)
    same_as_golden(engine.requests[-1], "react_object")


async def test_to_wait_is_an_errand_where_one_is(make_mind: MakeMind) -> None:
    mind = make_mind(answers("reaction: wait\nminutes: 7\nwhat: Tobin to come out of the bathroom"))
    found = await reaction(mind, await meet(mind, "is in the bathroom"))
    assert found is not None
    assert found.errands == (Errand(7, "waiting: Tobin to come out of the bathroom", KITCHEN),)


@pytest.mark.parametrize("reply", ["reaction: continue\nminutes: 1\nwhat: nothing", "reaction: change\nminutes: 5\nwhat: Nothing."])
async def test_to_continue_is_no_reaction(make_mind: MakeMind, reply: str) -> None:
    mind = make_mind(answers(reply))
    assert await reaction(mind, await meet(mind)) is None


async def test_who_cannot_be_spoken_to_is_not_offered(make_mind: MakeMind) -> None:
    engine = answers("reaction: continue\nminutes: 1\nwhat: nothing")
    mind = make_mind(engine)
    await reaction(mind, await meet(mind, "is crying"), may_talk=False)
    assert "talk" not in engine.requests[-1].reply.grammar()


async def test_a_reply_that_is_no_reaction_is_asked_again_and_then_left_to_instinct(make_mind: MakeMind) -> None:
    wrong = "reaction: scream\nminutes: 5\nwhat: help"
    engine = ScriptedEngine({"importance": ["8"], "react": [wrong, wrong]})
    mind = make_mind(engine)
    mind.world.set_state(STOVE, "burning")
    found = await reaction(mind, await notice(mind, STOVE, "is burning"))
    assert found is not None
    assert (found.kind, found.source) == (replies.CHANGE, Source.INSTINCT)
    assert [call.outcome.value for call in mind.draft.calls if call.stage == "react"] == ["retried", "instinct"]


# ---- what rules let pass


async def asked_about(mind: Mind, noticed: list[Memory], may_talk: bool = True, now: int = MORNING) -> bool:
    """Whether the model was asked."""
    before = len(mind.draft.calls)
    await react.react(mind, noticed, "Mara is eating breakfast", KITCHEN, now, lambda who: may_talk)
    return "react" in {call.stage for call in mind.draft.calls[before:]}


def quiet() -> ScriptedEngine:
    return ScriptedEngine(lambda request: "reaction: continue\nminutes: 1\nwhat: nothing" if request.stage == "react" else "3")


def in_the_mood(mind: Mind, wanted: bool) -> int:
    """A time at which an everyday sight of Tobin is worth a question, or is not."""
    below = plain_react.ASKED_BELOW + 5
    for now in range(MORNING, MORNING + 86_400, MOOD_S):
        if (mind.seed_for("talk", "tobin_hale", now // MOOD_S) % 20 < below) is wanted:
            return now
    raise AssertionError("no such time")


async def sees_tobin(mind: Mind, now: int, text: str = "is mending a chair") -> list[Memory]:
    seen = Perception("mara_voss", PerceptionKind.PERSON, "tobin_hale", text, KITCHEN, 2.0, now)
    return await perceive.perceive(mind, [seen], now)


@pytest.mark.parametrize("wanted", [True, False])
async def test_an_everyday_sight_of_a_friend_is_asked_about_by_mood(make_mind: MakeMind, wanted: bool) -> None:
    mind = make_mind(quiet())
    now = in_the_mood(mind, wanted)
    assert await asked_about(mind, await sees_tobin(mind, now), now=now) is wanted


async def test_a_person_seen_a_moment_ago_is_not_asked_about_again(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    now = in_the_mood(mind, True)
    assert await asked_about(mind, await sees_tobin(mind, now), now=now)
    assert not await asked_about(mind, await sees_tobin(mind, now + 60, "is sweeping"), now=now + 60)


async def test_a_wish_to_talk_that_came_to_nothing_holds_for_a_while_without_a_question(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "reaction: talk\nminutes: 5\nwhat: the broken chair")
    mind = make_mind(engine)
    now = in_the_mood(mind, True)
    first = await react.react(mind, await sees_tobin(mind, now), "", KITCHEN, now, lambda who: True)
    again = await react.react(mind, await sees_tobin(mind, now + 60, "is sweeping"), "", KITCHEN, now + 60, lambda who: True)
    assert first == again == Reaction(replies.TALK, Source.MODEL, "tobin_hale", "the broken chair")
    assert [request.stage for request in engine.requests].count("react") == 1
    assert await react.react(mind, await sees_tobin(mind, now + 120, "is sawing"), "", KITCHEN, now + 120, lambda who: False) is None


async def test_what_matters_is_asked_about_whoever_was_seen_when(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    now = in_the_mood(mind, False)
    await sees_tobin(mind, now)
    (memory,) = await sees_tobin(mind, now + 60, "is crying")
    assert await asked_about(mind, [replace(memory, importance=WORTH_ASKING)], now=now + 60)
    assert not await asked_about(mind, [replace(memory, importance=WORTH_ASKING - 1)], now=now + 60)


async def test_doings_of_those_one_may_not_talk_to_and_things_as_usual_are_let_pass(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    assert not await asked_about(mind, await meet(mind), may_talk=False)
    assert not await asked_about(mind, [replace(m, importance=4) for m in await notice(mind, STOVE, "is on")])


async def test_to_what_others_say_to_each_other_one_listens_and_goes_on(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    now = in_the_mood(mind, False)
    heard = Perception("mara_voss", PerceptionKind.SPEECH, "tobin_hale", "Have you heard? The mill is sold", KITCHEN, 2.0, now)
    (memory,) = await perceive.perceive(mind, [heard], now)
    assert not await asked_about(mind, [replace(memory, importance=10)], now=now)
    now = in_the_mood(mind, True)
    assert await asked_about(mind, [memory], now=now)


async def test_a_thing_that_wants_putting_right_is_asked_about(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    mind.world.set_state(STOVE, "burning")
    assert await asked_about(mind, await notice(mind, STOVE, "is burning"))


async def test_whenever_instinct_would_talk_the_model_is_asked(make_mind: MakeMind) -> None:
    """So that fewer questions do not mean fewer talks."""
    talks = 0
    for window in range(60):
        now = MORNING + window * MOOD_S
        alone = make_mind()
        found = await react.react(alone, await sees_tobin(alone, now), "", KITCHEN, now, lambda who: True)
        mind = make_mind(quiet())
        asked = await asked_about(mind, await sees_tobin(mind, now), now=now)
        assert asked or found is None
        talks += found is not None
    assert talks


async def test_switched_off_everything_is_asked_about(make_mind: MakeMind) -> None:
    mind = make_mind(quiet(), calm_reactions=False)
    now = in_the_mood(mind, False)
    assert await asked_about(mind, await sees_tobin(mind, now), now=now)
    assert await asked_about(mind, await sees_tobin(mind, now + 60, "is sweeping"), now=now + 60)


async def test_what_instinct_would_do_later_is_planned_only_when_it_decides(make_mind: MakeMind) -> None:
    own = f"{KITCHEN}:refrigerator"
    for engine, planned in ((None, True), (quiet(), False)):
        mind = make_mind(engine)
        needs_shopping(mind.world, own)
        early = MORNING - 3600  # the shop is shut
        await react.react(mind, await notice(mind, own, "is empty"), "", KITCHEN, early, lambda who: True)
        assert bool(mind.plan.steps) is planned


async def test_a_model_that_does_what_instinct_would_do_does_it_where_instinct_would(make_mind: MakeMind) -> None:
    own = make_mind()
    own.world.set_state(STOVE, "burning")
    plain = await reaction(own, await notice(own, STOVE, "is burning"))
    assert plain is not None
    engine = ScriptedEngine({"importance": ["9"], "react": [f"reaction: change\nminutes: 10\nwhat: {plain.about}"]})
    mind = make_mind(engine)
    mind.world.set_state(STOVE, "burning")
    assert await reaction(mind, await notice(mind, STOVE, "is burning")) == replace(plain, source=Source.MODEL)


# ---- by instinct


async def test_instinct_puts_out_a_fire_whosever_stove_it_is(make_mind: MakeMind) -> None:
    for stove in (STOVE, "millbrook:tobin_house:kitchen:stove"):
        mind = make_mind()
        mind.world.set_state(stove, "burning")
        found = await reaction(mind, await notice(mind, stove, "is burning"))
        assert found is not None
        assert (found.kind, found.source) == (replies.CHANGE, Source.INSTINCT)
        (errand,) = found.errands
        assert errand.address == stove
        assert errand.activity == f"put out the fire at {mind.world.describe(stove)}"


def needs_shopping(world: World, address: str) -> None:
    """Its refrigerator is empty, and is filled only after food was bought."""
    node = world.node(address)
    actions = (ObjectAction("take food", needs="stocked"), ObjectAction("fill", needs="empty", after="stocked", first="buy food"))
    world.merge([replace(node, state="empty", actions=actions)])


async def test_instinct_buys_food_before_it_fills_its_own_empty_refrigerator(make_mind: MakeMind) -> None:
    mind = make_mind()
    own = f"{KITCHEN}:refrigerator"
    needs_shopping(mind.world, own)
    found = await reaction(mind, await notice(mind, own, "is empty"))
    assert found is not None
    assert [(errand.activity, errand.address) for errand in found.errands] == [
        ("buy food at the counter in the dining room of the Kettle Café", "millbrook:cafe:dining_room:counter"),
        (f"fill {mind.world.describe(own)}", own),
    ]


async def test_somebody_elses_empty_refrigerator_is_nobodys_business(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert TOBINS in mind.world
    needs_shopping(mind.world, TOBINS)
    assert await reaction(mind, await notice(mind, TOBINS, "is empty")) is None


async def test_what_is_as_it_should_be_interrupts_nobody(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine)
    seen = Perception("mara_voss", PerceptionKind.OBJECT, STOVE, "is off", KITCHEN, 2.0, MORNING)
    assert await perceive.perceive(mind, [seen], MORNING) == []
    mind.knowledge.learn(STOVE, "on", MORNING)
    assert await reaction(mind, await notice(mind, STOVE, "is off")) is None
    assert not engine.requests


async def test_of_several_things_the_one_that_matters_most_is_reacted_to(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.world.set_state(STOVE, "burning")
    noticed = [*await notice(mind, STOVE, "is burning"), *await meet(mind), *await notice(mind, f"{KITCHEN}:sink", "is full of dishes")]
    found = await reaction(mind, noticed)
    assert found is not None
    assert found.errands[0].address == STOVE


async def test_instinct_sometimes_wants_to_talk_to_a_friend_and_never_against_the_cooldown(make_mind: MakeMind) -> None:
    kinds = []
    for hour in range(40):
        mind = make_mind()
        noticed = await meet(mind)
        now = MORNING + hour * 3600
        noticed = [replace(memory, created=now) for memory in noticed]
        found = await react.react(mind, noticed, "", KITCHEN, now, lambda who: True)
        kinds.append(found.kind if found else replies.CONTINUE)
        assert await react.react(mind, noticed, "", KITCHEN, now, lambda who: False) is None
    assert 5 < kinds.count(replies.TALK) < 35
    assert set(kinds) == {replies.TALK, replies.CONTINUE}


# ---- what holds at the moment of the question


async def sight(mind: Mind, subject: str, text: str, place: str = KITCHEN, at: int = MORNING) -> list[Memory]:
    kind = PerceptionKind.OBJECT if ":" in subject else PerceptionKind.PERSON
    return await perceive.perceive(mind, [Perception("mara_voss", kind, subject, text, place, 2.0, at)], at)


async def test_a_fire_that_was_seen_to_be_out_since_is_nothing_to_react_to(make_mind: MakeMind) -> None:
    mind = make_mind(answers("reaction: continue\nminutes: 1\nwhat: nothing"))
    fire = await sight(mind, STOVE, "is burning")
    assert react.still_true(mind, fire, MORNING) == fire
    mind.see(STOVE, MORNING + 60, "off")
    assert react.still_true(mind, fire, MORNING + 60) == []
    assert not await asked_about(mind, fire, now=MORNING + 60)


async def test_of_two_sights_of_a_person_the_newer_counts(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    older = await sight(mind, "tobin_hale", "is mending a chair")
    newer = await sight(mind, "tobin_hale", "is sweeping the floor", at=MORNING + 120)
    assert react.still_true(mind, [*older, *newer], MORNING + 120) == newer


async def test_who_was_seen_in_a_room_that_was_left_or_long_ago_is_gone(make_mind: MakeMind) -> None:
    mind = make_mind(quiet())
    tobin = await sight(mind, "tobin_hale", "is mending a chair")
    stove = await sight(mind, "millbrook:cafe:kitchen:stove", "is burning", "millbrook:cafe:kitchen", MORNING + 60)
    assert react.still_true(mind, [*tobin, *stove], MORNING + 60) == stove
    assert react.still_true(mind, tobin, MORNING + MOOD_S + 1) == []


async def test_on_the_way_the_question_says_where_to_and_what_for(make_mind: MakeMind) -> None:
    engine = answers("reaction: continue\nminutes: 1\nwhat: nothing")
    mind = make_mind(engine)
    own_deeds.begin(mind, "Mara is buying flour", "millbrook:shop:shop_floor:counter", MORNING)
    fire = await sight(mind, STOVE, "is burning")
    assert await asked_about(mind, fire)
    way = "What you are doing: you are on the way to the counter in the sales room of Calder's shop (your plan there: buying flour)"
    assert way in engine.requests[-1].user
    own_deeds.arrive(mind, MORNING)
    assert await asked_about(mind, fire)
    assert "What you are doing: eating breakfast" in engine.requests[-1].user
    own_deeds.end(mind, MORNING + 60)
    assert await asked_about(mind, fire)
    assert "What you are doing: nothing at the moment (just done: buying flour)" in engine.requests[-1].user


async def test_who_is_about_to_begin_something_is_not_asked_about_an_unmade_bed(make_mind: MakeMind) -> None:
    bed, engine = "millbrook:mara_house:bedroom:bed", quiet()
    mind = make_mind(engine)
    mind.world.set_state(bed, "unmade")
    noticed = await notice(mind, bed, "is unmade")
    for doing, asked in (("Mara is eating breakfast", True), ("", False)):
        engine.asked.clear()
        await react.react(mind, noticed, doing, KITCHEN, MORNING, lambda who: True)
        assert [request.stage for request in engine.requests] == ["react"] * asked


async def test_nobody_is_thrown_a_rope_on_the_way_to_the_drowned_bell(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.world.merge([replace(mind.world.node("millbrook:cafe"), name="the Drowned Bell")])
    tobin = Perception("mara_voss", PerceptionKind.PERSON, "tobin_hale", "is walking by", KITCHEN, 1.0, MORNING, "millbrook:cafe")
    (memory,) = await perceive.perceive(mind, [tobin], MORNING)
    assert memory.text == "Tobin Hale is on the way to the Drowned Bell"
    assert await reaction(mind, [memory], may_talk=False) is None
