from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.errors import UnknownName
from npc_server.records import (
    Action,
    ObjectChange,
    Outcome,
    OutcomeReason,
    OutcomeStatus,
    PathQuery,
    Perception,
    PerceptionKind,
    Speech,
    Whereabouts,
)
from npc_server.sandbox import ways
from npc_server.sandbox.town_world import TownWorld
from npc_server.world.town import load_town
from tests.world.towns import document

TOWN = """\
id: t
name: Test
start: "2026-05-04 06:00"
size: [30, 12]
object_kinds:
  bed:
    capacity: 1
    states: [made, slept in, unmade]
    actions:
      - {name: sleep, during: slept in, after: unmade}
      - {name: make the bed, needs: unmade, after: made}
  table:
    states: [clear, laid]
    actions:
      - {name: eat, during: laid, after: clear}
      - {name: play cards, during: laid}
  garden:
    states: [dry, watered]
    actions:
      - {name: water, after: watered}
  well:
    actions:
      - {name: draw water}
places:
  - id: house
    name: Ann's house
    rect: [1, 1, 9, 8]
    doors: [[3, 8], [6, 3]]
    owners: [ann, bob]
    rooms:
      - id: room
        rect: [2, 2, 4, 6]
        objects:
          - {id: bed, kind: bed, at: [2, 2]}
          - {id: table, kind: table, at: [2, 6]}
      - id: bath
        name: bathroom
        rect: [7, 2, 2, 6]
        capacity: 1
  - id: shop
    name: the shop
    rect: [12, 1, 7, 8]
    doors: [[15, 8], [15, 4]]
    hours: "08:00-17:00"
    rooms:
      - id: floor
        rect: [13, 5, 5, 3]
      - id: store
        name: store room
        rect: [13, 2, 5, 2]
        owners: [cid]
  - id: green
    name: the green
    rect: [21, 1, 8, 8]
    open: true
    rooms:
      - id: lawn
        rect: [21, 1, 8, 8]
        objects:
          - {id: well, kind: well, at: [25, 4]}
          - {id: garden, kind: garden, at: [28, 8]}
"""
START = 6 * HOUR


def make(*people: tuple[str, str], now: int = START) -> TownWorld:
    world = TownWorld(load_town(document(TOWN)), now)
    for npc, address in people:
        world.put(npc, npc.capitalize(), address)
    world.advance(now)
    world.take_events()
    return world


def action(npc: str, address: str, verb: str = "", minutes: int = 10, at: int = START, state: str = "", after: str = "") -> Action:
    name = npc.capitalize()
    return Action(f"{npc}/{at}/{address}", npc, f"{name} is busy", address, "🙂", at, at + minutes * MINUTE, verb, state, after)


def run(world: TownWorld, to: int) -> list[object]:
    while world.now < to:
        world.advance(to)
    return list(world.take_events())


def failures(events: Sequence[object]) -> list[str]:
    return [e.reason for e in events if isinstance(e, Outcome) and e.status is OutcomeStatus.FAILED]


def codes(events: Sequence[object]) -> list[OutcomeReason]:
    return [e.code for e in events if isinstance(e, Outcome) and e.status is OutcomeStatus.FAILED]


def arrivals(events: Sequence[object]) -> list[str]:
    return [e.address for e in events if isinstance(e, Outcome) and e.status is OutcomeStatus.ARRIVED]


def changes(events: Sequence[object]) -> list[tuple[str, str]]:
    return [(e.address, e.state) for e in events if isinstance(e, ObjectChange)]


def perceived(events: Sequence[object], npc: str, kind: PerceptionKind) -> list[tuple[str, str]]:
    return [(e.subject, e.text) for e in events if isinstance(e, Perception) and e.npc == npc and e.kind is kind]


def test_body_is_told_where_it_starts_and_sees_the_room_and_its_objects_once() -> None:
    world = TownWorld(load_town(document(TOWN)), START)
    world.put("ann", "Ann", "t:house:room:bed")
    world.advance(START)
    events = list(world.take_events())
    assert events[0] == Whereabouts("ann", "t:house:room:bed")
    assert perceived(events, "ann", PerceptionKind.PLACE) == [("t:house:room", "is at the room in Ann's house")]
    assert perceived(events, "ann", PerceptionKind.OBJECT) == [("t:house:room:bed", "is made"), ("t:house:room:table", "is clear")]
    assert run(world, START + HOUR) == []


def test_nobody_can_be_put_where_there_is_no_place() -> None:
    with pytest.raises(UnknownName, match="t:inn"):
        make(("ann", "t:inn"))


def test_walking_takes_the_time_of_its_way_at_walking_pace() -> None:
    world = make(("dan", "t:green:lawn"))
    body = world.bodies["dan"]
    world.act(action("dan", "t:green:lawn:garden"))
    steps = len(body.route)
    assert steps == abs(body.cell[0] - 28) + abs(body.cell[1] - 8) - 1
    arrived = START + -(-steps * 10 // 12)
    assert arrivals(run(world, arrived - 1)) == []
    assert arrivals(run(world, arrived)) == ["t:green:lawn:garden"]


def test_object_has_its_state_during_the_action_and_the_other_after_it() -> None:
    world = make(("ann", "t:house:room"))
    world.act(action("ann", "t:house:room:table", "eat", minutes=10))
    assert changes(run(world, START + 9 * MINUTE)) == [("t:house:room:table", "laid")]
    assert changes(run(world, START + 10 * MINUTE)) == [("t:house:room:table", "clear")]


def test_states_named_by_the_mind_come_before_those_of_the_verb() -> None:
    world = make(("ann", "t:house:room"))
    world.act(action("ann", "t:house:room:bed", "sleep", state="slept in", after="made"))
    assert changes(run(world, START + HOUR)) == [("t:house:room:bed", "slept in"), ("t:house:room:bed", "made")]


def test_action_cut_short_leaves_no_result_it_did_not_reach() -> None:
    world = make(("dan", "t:green:lawn"))
    world.act(action("dan", "t:green:lawn:garden", "water"))
    run(world, START + 2 * MINUTE)
    world.act(action("dan", "t:green:lawn:well", "draw water", at=START + 2 * MINUTE))
    assert changes(run(world, START + HOUR)) == []


def test_action_cut_short_clears_what_it_had_begun() -> None:
    world = make(("ann", "t:house:room"))
    world.act(action("ann", "t:house:room:table", "eat"))
    run(world, START + 2 * MINUTE)
    world.act(action("ann", "t:house:bath", at=START + 2 * MINUTE))
    assert changes(run(world, START + 3 * MINUTE)) == [("t:house:room:table", "clear")]


def test_table_stays_laid_while_another_still_eats_at_it() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:room"))
    world.act(action("ann", "t:house:room:table", "eat", minutes=10))
    world.act(action("bob", "t:house:room:table", "eat", minutes=20))
    assert changes(run(world, START + 15 * MINUTE)) == [("t:house:room:table", "laid")]
    assert changes(run(world, START + 25 * MINUTE)) == [("t:house:room:table", "clear")]


def test_object_goes_back_to_rest_when_the_last_of_several_leaves_it() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:room"))
    world.act(action("ann", "t:house:room:table", "play cards", minutes=10))
    world.act(action("bob", "t:house:room:table", "play cards", minutes=20))
    assert changes(run(world, START + 15 * MINUTE)) == [("t:house:room:table", "laid")]
    assert changes(run(world, START + 25 * MINUTE)) == [("t:house:room:table", "clear")]


def test_others_see_what_the_mind_says_they_see() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:room"))
    world.act(replace(action("ann", "t:house:room:table"), sentence="Ann is having a word with Bob", seen_as="is at the table"))
    assert perceived(run(world, START + MINUTE), "bob", PerceptionKind.PERSON)[-1] == ("ann", "is at the table")


def test_closed_shop_fails_with_the_hour_it_opens() -> None:
    world = make(("ann", "t:green:lawn"))
    world.act(action("ann", "t:shop:floor"))
    assert failures(run(world, START + 1)) == ["the shop is closed until 08:00"]


def test_shop_that_opens_on_the_way_lets_one_in() -> None:
    world = make(("ann", "t:green:lawn"), now=8 * HOUR - 5)
    world.act(action("ann", "t:shop:floor", at=8 * HOUR - 5))
    events = run(world, 8 * HOUR + 60)
    assert (failures(events), arrivals(events)) == ([], ["t:shop:floor"])


def test_shop_that_closes_on_the_way_is_told_at_its_door() -> None:
    world = make(("ann", "t:house:room"), now=17 * HOUR - 30)
    world.act(action("ann", "t:shop:floor", at=17 * HOUR - 30))
    world.bodies["ann"].left_at += 20
    events = run(world, 17 * HOUR + 60)
    assert failures(events) == ["the shop is closed until 08:00"]
    assert world.bodies["ann"].room == "t"


def test_who_keeps_the_shop_has_a_key() -> None:
    world = make(("cid", "t:green:lawn"))
    world.act(action("cid", "t:shop:floor"))
    assert arrivals(run(world, START + MINUTE)) == ["t:shop:floor"]


def test_private_room_fails_with_its_reason() -> None:
    world = make(("dan", "t:green:lawn"), now=9 * HOUR)
    world.act(action("dan", "t:shop:store", at=9 * HOUR))
    world.act(action("dan", "t:house:room:bed", "sleep", at=9 * HOUR))
    seen = run(world, 9 * HOUR + 1)
    assert failures(seen) == ["the store room in the shop is private", "Ann's house is private"]
    assert codes(seen) == [OutcomeReason.CLOSED, OutcomeReason.CLOSED]


def test_occupied_bathroom_keeps_the_second_outside() -> None:
    world = make(("ann", "t:house:bath"), ("bob", "t:house:room"))
    world.act(action("bob", "t:house:bath"))
    seen = run(world, START + MINUTE)
    assert (failures(seen), codes(seen)) == (["the bathroom is occupied"], [OutcomeReason.OCCUPIED])
    assert world.bodies["bob"].room != "t:house:bath"


def test_bed_takes_one() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:room"))
    world.act(action("ann", "t:house:room:bed", "sleep", minutes=60))
    run(world, START + MINUTE)
    world.act(action("bob", "t:house:room:bed", "sleep", at=START + MINUTE))
    seen = run(world, START + 2 * MINUTE)
    assert (failures(seen), codes(seen)) == (["the bed is occupied"], [OutcomeReason.OCCUPIED])


def test_object_in_another_state_than_needed_says_which() -> None:
    world = make(("ann", "t:house:room"))
    world.act(action("ann", "t:house:room:bed", "make the bed"))
    seen = run(world, START + MINUTE)
    assert (failures(seen), codes(seen)) == (["the bed is made"], [OutcomeReason.UNSUITABLE])


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (action("ann", "t:inn"), "there is no place called t:inn"),
        (action("ann", "t:house:room:table", "fly"), "one cannot fly with the table"),
        (action("ann", "t:house:room:table", "eat", state="purple"), "the table is never purple"),
    ],
)
def test_impossible_action_fails_with_its_reason(wanted: Action, reason: str) -> None:
    world = make(("ann", "t:house:room"))
    world.act(wanted)
    assert failures(list(world.take_events())) == [reason]


def test_action_of_somebody_unknown_changes_nothing() -> None:
    world = make(("ann", "t:house:room"))
    world.act(action("zoe", "t:green:lawn"))
    assert world.take_events() == []


def test_building_as_a_goal_means_its_first_room_open_to_the_person() -> None:
    world = make(("ann", "t:green:lawn"))
    world.act(action("ann", "t:house"))
    assert arrivals(run(world, START + MINUTE)) == ["t:house:room"]


def test_people_in_one_room_within_sight_see_each_other_and_what_changes() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:green:lawn"))
    world.act(action("ann", "t:house:room:table", "eat", minutes=30))
    world.act(action("bob", "t:house:room:bed", "sleep", minutes=30))
    events = run(world, START + MINUTE)
    assert perceived(events, "bob", PerceptionKind.PERSON) == [("ann", "is busy")]
    assert [text for _, text in perceived(events, "ann", PerceptionKind.PERSON)] == ["is walking by", "is busy"]
    assert ("t:house:room:table", "is laid") in perceived(events, "bob", PerceptionKind.OBJECT)
    assert ("t:house:room:table", "is laid") in perceived(events, "ann", PerceptionKind.OBJECT), "she knows what she did"
    ways = [(e.text, e.on_the_way_to) for e in events if isinstance(e, Perception) and (e.npc, e.subject) == ("ann", "bob")]
    assert ways == [("is walking by", "t:house:room:bed"), ("is busy", "")]
    assert ("t:house:room:bed", "is slept in") in perceived(events, "ann", PerceptionKind.OBJECT)
    assert perceived(run(world, START + 20 * MINUTE), "bob", PerceptionKind.PERSON) == []


def test_people_in_different_rooms_do_not_see_each_other_through_the_wall() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:bath"))
    world.act(action("ann", "t:house:room:table", "eat"))
    assert perceived(run(world, START + MINUTE), "bob", PerceptionKind.PERSON) == []


def test_time_stops_when_somebody_comes_into_sight() -> None:
    world = make(("ann", "t:green:lawn"), ("bob", "t:house:room"))
    world.act(action("bob", "t:green:lawn"))
    assert world.advance(START + 10 * MINUTE)
    assert START < world.now < START + MINUTE
    assert perceived(list(world.take_events()), "ann", PerceptionKind.PERSON) == [("bob", "is walking by")]


def test_path_query_tells_travel_and_whether_there_is_room() -> None:
    world = make(("ann", "t:house:bath"), ("bob", "t:house:room"), ("dan", "t:green:lawn"))
    places = ("t:house:bath", "t:house:room:table", "t:shop:floor", "t:green:lawn:well", "t:inn", "t")
    bath, table, shop, well, inn, root = world.answer(PathQuery("bob", "q", places)).reaches
    assert (bath.reachable, bath.free) == (True, False)
    assert (table.reachable, table.free) == (True, True)
    assert 0 < table.travel < 10
    assert not shop.reachable
    assert well.reachable
    assert well.travel > 15
    assert not inn.reachable
    assert not root.reachable
    assert not world.answer(PathQuery("dan", "q", ("t:house:room",))).reaches[0].reachable


def test_answer_and_walk_agree_on_the_travel_time() -> None:
    world = make(("bob", "t:house:room"))
    (well,) = world.answer(PathQuery("bob", "q", ("t:green:lawn:well",))).reaches
    world.act(action("bob", "t:green:lawn:well"))
    assert arrivals(run(world, START + int(well.travel) - 1)) == []
    assert arrivals(run(world, START + int(well.travel))) == ["t:green:lawn:well"]


def test_words_are_overheard_in_the_room_by_those_not_spoken_to() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:room"), ("cid", "t:house:room"), ("dan", "t:green:lawn"))
    world.speak(Speech("ann", "The well is dry.", START, ("bob",)))
    world.speak(Speech("ann", "The we", START, ("bob",), partial=True))
    world.speak(Speech("zoe", "Hello?", START))
    heard = [e for e in world.take_events() if isinstance(e, Perception) and e.kind is PerceptionKind.SPEECH]
    assert [(e.npc, e.subject, e.text, e.address) for e in heard] == [("cid", "ann", "The well is dry.", "t:house:room")]


def test_who_sleeps_sees_and_hears_nothing_until_waking() -> None:
    world = make(("ann", "t:house:room"), ("bob", "t:house:room"))
    world.act(action("ann", "t:house:room:bed", "sleep", minutes=60))
    run(world, START + MINUTE)
    world.act(action("bob", "t:house:room:table", "eat", minutes=120, at=START + MINUTE))
    events = run(world, START + 30 * MINUTE)
    world.speak(Speech("bob", "Wake up!", START))
    assert [e for e in [*events, *world.take_events()] if isinstance(e, Perception) and e.npc == "ann"] == []
    assert ("t:house:room:table", "is laid") in perceived(run(world, START + 61 * MINUTE), "ann", PerceptionKind.OBJECT)


def test_what_is_kept_of_distances_is_bounded_and_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    query = PathQuery("ann", "q", ("t:green:lawn:well", "t:house:room:table", "t:shop:store"))

    def reaches(world: TownWorld) -> list[object]:
        found: list[object] = []
        for cell in ((2, 3), (5, 7), (2, 3), (22, 6)):
            world.bodies["ann"].cell = cell
            found.append(world.answer(query))
        return found

    kept = make(("ann", "t:house:room"))
    expected = reaches(kept)
    assert len(kept._ways._around) == 3
    monkeypatch.setattr(ways, "KEPT_STARTS", 1)
    forgetful = make(("ann", "t:house:room"))
    assert reaches(forgetful) == expected
    assert len(forgetful._ways._around) == 1
