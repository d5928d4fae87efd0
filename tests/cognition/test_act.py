from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from npc_server.cognition import act
from npc_server.cognition.occupied import Occupied
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import Action, Address, PlanLevel, PlanOrigin, PlanStatus, PlanStep, Reach, Source
from npc_server.world.tree import ObjectAction, World
from tests.minds import MORNING, everywhere, same_as_golden

MakeMind = Callable[..., Mind]
HOME = "millbrook:mara_house:kitchen"
OVEN = "millbrook:cafe:kitchen:oven"


def step(text: str, address: Address = "", source: Source = Source.MODEL) -> PlanStep:
    return PlanStep("mara_voss", 3, PlanLevel.STEP, 1, MORNING, MORNING + 600, text, address, PlanStatus.AHEAD, source)


async def test_the_model_chooses_place_and_deed_with_the_golden_prompt(make_mind: MakeMind) -> None:
    reply = "place: cafe:kitchen:oven\ndoes: bake\nsentence: Mara is baking rye bread\nemoji: 🥐🔥"
    engine = ScriptedEngine({"act": [reply]})
    mind = make_mind(engine)
    action = await act.act(mind, step("bake rye bread"), HOME, MORNING, everywhere, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.address, action.object_action, action.object_state, action.object_state_after) == (OVEN, "bake", "hot", "cold")
    assert (action.sentence, action.emoji, action.source) == ("Mara is baking rye bread", "🥐🔥", Source.MODEL)
    assert action.id == "mara_voss/1"
    same_as_golden(engine.requests[0], "act")


async def test_what_instinct_would_take_is_offered_first_and_no_more_places_than_the_model_can_keep_apart(make_mind: MakeMind) -> None:
    reply = "place: cafe:dining_room:piano\ndoes: play\nsentence: Mara is playing\nemoji: 🎹"
    for most in (2, 0):
        engine = ScriptedEngine({"act": [reply]}, places_shown=most)
        mind = make_mind(engine)
        action = await act.act(mind, step("play the piano"), HOME, MORNING, everywhere, "mara_voss/1")
        assert isinstance(action, Action)
        assert action.source is Source.MODEL
        shown = engine.requests[0].user.split("Places:\n")[1].split("\n\n")[0].splitlines()
        assert shown[0].startswith("- cafe:dining_room:piano")
        assert len(shown) == (most or mind.settings.places_offered)


async def test_without_a_model_instinct_finds_the_object_that_suits_the_activity(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = {}
    for text in ("bake bread", "serve customers", "fish", "play the piano", "take a shower"):
        action = await act.act(mind, step(text), HOME, MORNING, everywhere, "mara_voss/1")
        assert isinstance(action, Action)
        found[text] = (action.address.removeprefix("millbrook:"), action.object_action)
    assert found == {
        "bake bread": ("cafe:kitchen:oven", "bake"),
        "serve customers": ("cafe:dining_room:counter", "serve customers"),
        "fish": ("green:pond_side:pond", "fish"),
        "play the piano": ("cafe:dining_room:piano", "play"),
        "take a shower": ("mara_house:bathroom:shower", "shower"),
    }


async def test_a_place_that_cannot_be_reached_is_not_chosen(make_mind: MakeMind) -> None:
    async def no_oven(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, not address.startswith("millbrook:cafe"), 60.0) for address in addresses]

    action = await act.act(make_mind(), step("bake bread"), HOME, MORNING, no_oven, "mara_voss/1")
    assert isinstance(action, Action)
    assert not action.address.startswith("millbrook:cafe")


async def test_nobody_is_sent_into_somebody_elses_house_or_a_closed_shop(make_mind: MakeMind) -> None:
    mind = make_mind(places_offered=64)
    for at, gone in ((MORNING, "millbrook:shop"), (MORNING, "millbrook:tobin_house")):
        offered = await act.offer(mind, step("buy oranges"), HOME, at, everywhere)
        assert isinstance(offered, list)
        assert offered
        assert not [node.address for node in offered if node.address.startswith(gone)]
    noon = MORNING + 6 * 3600
    offered = await act.offer(mind, step("buy oranges"), HOME, noon, everywhere)
    assert isinstance(offered, list)
    assert [node for node in offered if node.address.startswith("millbrook:shop")]


async def test_nothing_reachable_means_no_action(make_mind: MakeMind) -> None:
    async def nowhere(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, False, 0.0) for address in addresses]

    assert await act.act(make_mind(), step("bake bread"), HOME, MORNING, nowhere, "mara_voss/1") is None


async def test_an_address_that_failed_is_avoided(make_mind: MakeMind) -> None:
    action = await act.act(make_mind(), step("bake bread"), HOME, MORNING, everywhere, "mara_voss/2", (OVEN,))
    assert isinstance(action, Action)
    assert action.address != OVEN


async def test_a_reply_with_a_place_that_was_not_offered_is_not_taken(make_mind: MakeMind) -> None:
    wrong = "place: moon\ndoes: bake\nsentence: Mara is baking\nemoji: 🥐"
    mind = make_mind(ScriptedEngine({"act": [wrong, wrong]}))
    action = await act.act(mind, step("bake bread"), HOME, MORNING, everywhere, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.address, action.source) == (OVEN, Source.INSTINCT)


async def test_a_place_that_is_taken_is_waited_for_and_not_replaced_by_the_sink(make_mind: MakeMind) -> None:
    shower = "millbrook:mara_house:bathroom:shower"

    async def occupied(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, True, 10.0, free=not address.startswith("millbrook:mara_house:bathroom")) for address in addresses]

    assert await act.act(make_mind(), step("shower", shower), HOME, MORNING, occupied, "mara_voss/1") == Occupied(shower)


async def test_a_place_that_is_registered_anew_is_found_by_its_new_words(make_mind: MakeMind) -> None:
    mind = make_mind()
    counter = "millbrook:cafe:dining_room:counter"
    assert "dance" not in mind.places.phrase(counter).text
    node = mind.world.node(counter)
    mind.world.merge([replace(node, actions=(ObjectAction("dance"),))])
    assert "dance" in mind.places.phrase(counter).text


READY = replace(step("bake rye bread", OVEN), does="bake", sentence="Mara is baking rye bread", emoji="🥐")


async def test_a_ready_step_is_done_without_a_question(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    action = await act.act(make_mind(engine), READY, HOME, MORNING, everywhere, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.address, action.sentence, action.emoji, action.source) == (OVEN, "Mara is baking rye bread", "🥐", Source.MODEL)
    assert (action.object_action, action.object_state, action.object_state_after) == ("bake", "hot", "cold")
    assert engine.requests == []


async def asked_instead(mind: Mind, engine: ScriptedEngine, paths: act.AskPaths = everywhere, avoid: tuple[Address, ...] = ()) -> bool:
    await act.act(mind, READY, HOME, MORNING, paths, "mara_voss/1", avoid)
    return [request.stage for request in engine.requests] == ["act"]


async def test_a_ready_step_is_asked_about_when_its_object_is_believed_to_be_in_another_state(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine)
    mind.knowledge.learn(OVEN, "burning", MORNING)
    assert await asked_instead(mind, engine)


async def test_a_ready_step_is_asked_about_when_its_place_cannot_be_reached_has_failed_or_is_closed(make_mind: MakeMind) -> None:
    async def no_oven(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, address != OVEN, 60.0) for address in addresses]

    engine = ScriptedEngine({})
    assert await asked_instead(make_mind(engine), engine, no_oven)
    engine = ScriptedEngine({})
    assert await asked_instead(make_mind(engine), engine, avoid=(OVEN,))
    engine = ScriptedEngine({})
    mind = make_mind(engine)
    mind.world.merge([replace(mind.world.node("millbrook:cafe"), hours=(12 * 3600, 13 * 3600))])
    assert await asked_instead(mind, engine)


async def test_a_ready_step_waits_for_a_place_that_is_taken(make_mind: MakeMind) -> None:
    async def occupied(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, True, 10.0, free=False) for address in addresses]

    assert await act.act(make_mind(), READY, HOME, MORNING, occupied, "mara_voss/1") == Occupied(OVEN)


async def test_a_ready_step_is_done_when_the_game_says_nothing_of_paths(make_mind: MakeMind) -> None:
    async def silent(addresses: Sequence[Address]) -> list[Reach]:
        return []

    engine = ScriptedEngine({})
    action = await act.act(make_mind(engine), READY, HOME, MORNING, silent, "mara_voss/1")
    assert isinstance(action, Action)
    assert engine.requests == []


async def test_an_object_in_use_goes_back_to_rest_and_not_to_the_state_of_its_use(make_mind: MakeMind, world: World) -> None:
    mind = make_mind()
    desk = next(node for node in world if any(action.during and action.name == "write" for action in node.actions))
    used = replace(desk, state="in use", actions=tuple(replace(action, after="") for action in desk.actions))
    mind.world.merge([used])
    ready = replace(step("write a letter", desk.address), does="write", sentence="Mara is writing a letter", emoji="✍")
    mind.see(desk.address, MORNING)
    action = await act.act(mind, ready, HOME, MORNING, everywhere, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.object_state, action.object_state_after) == ("in use", "tidy")


async def test_a_reaction_that_names_its_place_is_done_there_without_a_question(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine)
    wait = replace(step("waiting for Tobin to be done", HOME), origin=PlanOrigin.REACTION)
    action = await act.act(mind, wait, HOME, MORNING, everywhere, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.address, action.sentence) == (HOME, "Mara is waiting for Tobin to be done")
    assert engine.requests == []


async def test_what_needs_an_object_is_not_done_where_there_is_none(make_mind: MakeMind) -> None:
    """The pond is out of reach. Nobody fishes in a bedroom; what needs no object may be done elsewhere."""
    pond = "millbrook:green:pond_side:pond"

    async def no_pond(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, address != pond, 60.0) for address in addresses]

    mind = make_mind(places_offered=64)
    assert await act.act(mind, step("fish", pond), HOME, MORNING, no_pond, "mara_voss/1") is None
    assert await act.act(mind, step("fish", pond), HOME, MORNING, everywhere, "mara_voss/1", avoid=[pond]) is None
    walk = await act.act(mind, step("take a walk", "millbrook:green:pond_side"), HOME, MORNING, no_pond, "mara_voss/1", avoid=[pond])
    assert isinstance(walk, Action)
