from __future__ import annotations

import pytest

from npc_server.clock import parse_datetime
from npc_server.records import Action, ObjectChange, Outcome, OutcomeStatus, Perception
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import find_cast
from npc_server.world.household import from_text

NOW = parse_datetime("2026-05-04 12:00")
NORA, THEO = "nora_lind", "theo_lind"


@pytest.fixture
def house() -> TownWorld:
    world = TownWorld(find_cast("household").town, NOW)
    world.put(NORA, "Nora Lind", "household:house:kitchen:worktop")
    world.advance(NOW)
    world.take_events()
    return world


def address(world: TownWorld, name: str) -> str:
    return next(node.address for node in world.world if node.address.endswith(f":{name}"))


def told(world: TownWorld, *texts: str, npc: str = NORA, seconds: int = 5) -> list[str]:
    """Does commands one after the other; the outcomes that end each: `done`, or the reason why not."""
    found: list[str] = []
    for i, text in enumerate(texts):
        command = from_text(text)
        assert command is not None
        end = world.now + (900 if command.verb == "walk to" else seconds)
        action = Action(f"{npc}/{world.now}/{i}", npc, text, address(world, command.what), "🙂", world.now, end, command.does)
        world.act(action)
        for _ in range(20):
            world.advance(world.now + max(seconds, 60))
            ends = [e for e in world.take_events() if isinstance(e, Outcome) and e.action_id == action.id]
            if ends and ends[-1].status is not OutcomeStatus.ARRIVED:
                found.append(ends[-1].reason or ends[-1].status.value)
                break
    return found


def state(world: TownWorld, name: str) -> str:
    return world.world.node(address(world, name)).state


def test_tea_is_made_step_by_step(house: TownWorld) -> None:
    done = told(
        house,
        "open wall_cupboard",
        "grab mug_1",
        "put mug_1 on worktop",
        "grab kettle",
        "switch on sink",
        "fill kettle",
        "pour kettle into mug_1",
        "put kettle on worktop",
        "grab mug_1",
        "walk to dining_chair_1",
        "sit on dining_chair_1",
        "drink from mug_1",
    )
    assert done == ["done"] * 12
    assert state(house, "mug_1") == f"dirty, empty, held by {NORA}"
    assert state(house, "dining_chair_1") == f"taken by {NORA}, at the dining table"


def test_each_refusal_has_a_reason_and_changes_nothing(house: TownWorld) -> None:
    before = {node.address: node.state for node in house.world}
    assert told(house, "grab mug_1", "open fridge", "drink from mug_1") == [
        "the wall cupboard is closed",
        "the fridge is not at hand",
        "the wall cupboard is closed",
    ]
    assert before == {node.address: node.state for node in house.world}


def test_who_sits_stands_up_before_walking_and_who_is_sent_elsewhere_leaves_the_chair(house: TownWorld) -> None:
    assert told(house, "walk to sofa", "sit on sofa", "walk to fridge") == ["done", "done", "one has to stand up first"]
    kitchen = "household:house:kitchen"
    house.act(Action("nora_lind/9", NORA, "Nora goes", kitchen, "🚶", house.now, house.now + 600))
    assert state(house, "sofa") == "free, at the coffee table"


def test_a_talk_where_one_sits_leaves_one_sitting(house: TownWorld) -> None:
    told(house, "walk to sofa", "sit on sofa")
    house.act(Action("nora_lind/9", NORA, "Nora is talking", address(house, "sofa"), "💬", house.now, house.now + 60))
    assert state(house, "sofa") == f"taken by {NORA}, at the coffee table"


def test_what_is_broken_off_changes_nothing(house: TownWorld) -> None:
    open_it = Action("nora_lind/1", NORA, "open", address(house, "wall_cupboard"), "🙂", NOW, NOW + 5, "open")
    house.act(open_it)
    house.advance(NOW + 2)
    house.act(Action("nora_lind/2", NORA, "wait", "household:house:kitchen", "🙂", NOW + 2, NOW + 60))
    house.advance(NOW + 60)
    assert state(house, "wall_cupboard") == "closed, at the worktop"


def test_a_change_is_told_before_the_command_is_done(house: TownWorld) -> None:
    house.act(Action("nora_lind/1", NORA, "open", address(house, "wall_cupboard"), "🙂", NOW, NOW + 5, "open"))
    house.advance(NOW + 60)
    kinds = [type(e) for e in house.take_events() if isinstance(e, ObjectChange | Outcome)]
    assert kinds == [Outcome, ObjectChange, Outcome]
    assert house.now == NOW + 5  # the mind decides at once what comes next


def test_what_is_shut_in_or_held_is_not_seen(house: TownWorld) -> None:
    house.put(THEO, "Theo Lind", "household:house:hall")
    told(house, "grab kettle")
    told(house, "walk to worktop", npc=THEO)
    house.put(THEO, "Theo Lind", "household:house:kitchen")
    house.advance(house.now + 1)
    seen = {e.subject.split(":")[-1] for e in house.take_events() if isinstance(e, Perception) and e.npc == THEO}
    assert {"toaster", "fridge"} <= seen
    assert not {"mug_1", "milk_jug", "kettle"} & seen
