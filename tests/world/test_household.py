from __future__ import annotations

from functools import cache
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import FileProblem
from npc_server.records import Document
from npc_server.world import household_rules as rules
from npc_server.world.household import (
    PROPERTIES,
    VERBS,
    Command,
    Home,
    State,
    actions_of,
    from_text,
    from_wire,
    properties_of,
    read,
    start_state,
    write,
)
from npc_server.world.town import load_town
from npc_server.world.town_records import Town
from tests.world.faults import faults

NORA, THEO = "nora_lind", "theo_lind"
PATH = "data/towns/household/town.yaml"


@cache
def _house() -> Town:
    return load_town(Document("town.yaml", resources.files("npc_server").joinpath(PATH).read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def town() -> Town:
    return _house()


def home_of(town: Town, **states: str) -> Home:
    """The house with some things in other states."""
    return Home(town.nodes(), lambda node: states.get(node.address.rpartition(":")[2], node.state))


def test_the_house_has_at_least_100_things_with_properties_in_its_rooms(town: Town) -> None:
    home = home_of(town)
    assert len(home.things) >= 100
    assert {thing.address.split(":")[2] for thing in home.things.values()} >= {"kitchen", "bathroom", "bedroom", "living_room", "study"}
    used = {given for thing in home.things.values() for given in thing.properties}
    assert used == set(PROPERTIES) - {"plenty"}
    assert not faults(home)


# What is done, where one stands, what is in another state, and the reason why it cannot be done ("" when it can).
RULES = [
    ("walk to fridge", "worktop", {}, ""),
    ("walk to fridge", "fridge", {}, "the fridge is at hand already"),
    ("walk to fridge", "sofa", {"sofa": f"taken by {NORA}, at the coffee table"}, "one has to stand up first"),
    ("grab kettle", "worktop", {}, ""),
    ("grab kettle", "sink", {}, ""),  # beside the worktop
    ("grab kettle", "fridge", {}, "the kettle is not at hand"),
    ("grab mug_1", "worktop", {}, "the wall cupboard is closed"),
    ("grab mug_1", "worktop", {"wall_cupboard": "open, at the worktop"}, ""),
    ("grab kettle", "worktop", {"fork_1": f"clean, held by {NORA}", "fork_2": f"clean, held by {NORA}"}, "both hands are full"),
    ("grab kettle", "worktop", {"kettle": f"off, empty, held by {THEO}"}, "somebody else has the kettle"),
    ("grab kettle", "worktop", {"kettle": f"off, empty, held by {NORA}"}, "the kettle is in the hand already"),
    ("grab sofa", "sofa", {}, "one cannot grab the sofa"),
    ("grab unicorn", "sofa", {}, "there is no unicorn"),
    ("grab apple_1", "dining_table", {"apple_1": "gone"}, "the apple is gone"),
    ("open fridge", "fridge", {}, ""),
    ("open fridge", "fridge", {"fridge": "open"}, "the fridge is open already"),
    ("open sofa", "sofa", {}, "one cannot open the sofa"),
    ("close fridge", "fridge", {}, "the fridge is closed already"),
    ("open dishwasher", "dishwasher", {"dishwasher": "closed, on"}, "the dishwasher is on"),
    ("switch on dishwasher", "dishwasher", {"dishwasher": "open, off"}, "the dishwasher is open"),
    ("switch on television", "sofa", {}, ""),
    ("switch on television", "sofa", {"television": "on, at the coffee table"}, "the television is on already"),
    ("switch off television", "sofa", {}, "the television is off already"),
    ("switch off television", "sofa", {"television": "on, at the coffee table"}, ""),
    ("close fridge", "fridge", {"fridge": "open"}, ""),
    ("put fork_1 in drawer", "worktop", {"fork_1": f"clean, held by {NORA}", "drawer": "open, at the worktop"}, ""),
    ("use computer", "desk", {"computer": "on, on the desk"}, ""),
    ("put fork_1 on worktop", "worktop", {"fork_1": f"clean, held by {NORA}"}, ""),
    ("put fork_1 on worktop", "worktop", {}, "the drawer is closed"),
    ("put fork_1 on dining_table", "worktop", {"fork_1": f"clean, held by {NORA}"}, "the dining table is not at hand"),
    ("put fork_1 in drawer", "worktop", {"fork_1": f"clean, held by {NORA}"}, "the drawer is closed"),
    ("put fork_1 in worktop", "worktop", {"fork_1": f"clean, held by {NORA}"}, "one cannot put the fork in the worktop"),
    ("put plate_1 on plate_1", "worktop", {"plate_1": f"clean, held by {NORA}"}, "one cannot put the plate on the plate"),
    (
        "put plate_1 on plate_2",
        "worktop",
        {"plate_1": f"clean, held by {NORA}", "plate_2": "clean, on the plate 1"},
        "the plate is itself on or in the plate",
    ),
    ("sit on sofa", "sofa", {}, ""),
    ("sit on sofa", "sofa", {"sofa": f"taken by {NORA}, at the coffee table"}, "one is on the sofa already"),
    ("sit on armchair", "sofa", {"armchair": f"taken by {THEO}, at the coffee table"}, "the armchair is taken"),
    ("sit on sofa", "sofa", {"sofa": f"taken by {THEO}, at the coffee table"}, ""),  # it seats two
    ("lie on bed", "bed", {}, ""),
    ("lie on bed", "bed", {"bed": f"unmade, taken by {THEO} and guest"}, "the bed is taken"),
    ("sleep on bed", "bed", {}, "one does not lie on the bed"),
    ("sleep on bed", "bed", {"bed": f"unmade, taken by {NORA}"}, ""),
    ("stand up from bed", "bed", {"bed": f"unmade, taken by {NORA}"}, ""),
    ("stand up from bed", "bed", {}, "one does not sit or lie on the bed"),
    ("make bed", "bed", {"bed": "unmade, free"}, ""),
    ("make bed", "bed", {}, "the bed is made already"),
    ("make bed", "bed", {"bed": f"unmade, taken by {THEO}"}, "somebody is on the bed"),
    ("drink from mug_1", "worktop", {"mug_1": f"clean, full, held by {NORA}"}, ""),
    ("drink from mug_1", "worktop", {"mug_1": f"clean, empty, held by {NORA}"}, "the mug is empty"),
    ("drink from mug_1", "worktop", {"mug_1": "clean, full, on the worktop"}, "the mug is not in the hand"),
    ("eat bread", "pantry", {"pantry": "open"}, ""),
    ("eat pasta", "pantry", {"pantry": "open"}, "the pasta is raw"),
    ("read newspaper", "hall_table", {}, "the newspaper is not in the hand"),
    ("read newspaper", "hall_table", {"newspaper": f"held by {NORA}"}, ""),
    ("watch television", "sofa", {}, "the television is off"),
    ("watch television", "sofa", {"television": "on, at the coffee table"}, ""),
    ("use computer", "desk", {}, "the computer is off"),
    ("wash at washbasin", "washbasin", {}, "the washbasin is off"),
    ("wash at shower", "shower", {"shower": "on"}, ""),
    ("wash mug_1", "worktop", {"mug_1": f"dirty, empty, held by {NORA}"}, "the sink is off"),
    ("wash mug_1", "worktop", {"mug_1": f"dirty, empty, held by {NORA}", "sink": "on, at the worktop"}, ""),
    ("wash mug_1", "sofa", {"mug_1": f"dirty, empty, held by {NORA}"}, "there is no water at hand"),
    ("wash mug_1", "worktop", {"mug_1": f"clean, empty, held by {NORA}", "sink": "on, at the worktop"}, "the mug is clean already"),
    ("wash dining_table", "dining_table", {"dining_table": "dirty"}, "one has no cloth in the hand"),
    ("wash dining_table", "dining_table", {"dining_table": "dirty", "dish_cloth": f"clean, held by {NORA}"}, ""),
    ("fill kettle", "worktop", {"kettle": f"off, empty, held by {NORA}", "sink": "on, at the worktop"}, ""),
    ("fill mug_1", "worktop", {"mug_1": f"dirty, empty, held by {NORA}", "sink": "on, at the worktop"}, "the mug is dirty"),
    ("pour kettle into mug_1", "worktop", {"kettle": f"off, full, held by {NORA}", "mug_1": "clean, empty, on the worktop"}, ""),
    (
        "pour kettle into mug_1",
        "worktop",
        {"kettle": f"off, empty, held by {NORA}", "mug_1": "clean, empty, on the worktop"},
        "the kettle is empty",
    ),
    (
        "pour kettle into mug_1",
        "worktop",
        {"kettle": f"off, full, held by {NORA}", "mug_1": "clean, full, on the worktop"},
        "the mug is full",
    ),
    ("cook pasta", "worktop", {"pasta": "raw, on the worktop"}, "the pasta is not on anything hot"),
    ("cook pasta", "worktop", {"pasta": "raw, in the pot", "pot": "clean, on the stove"}, "the stove is off"),
    ("cook pasta", "worktop", {"pasta": "raw, in the pot", "pot": "clean, on the stove", "stove": "on, at the worktop"}, ""),
    ("wear coat_1", "coat_stand", {}, "the coat is not in the hand"),
    ("wear coat_1", "coat_stand", {"coat_1": f"clean, held by {NORA}"}, ""),
    ("take off coat_1", "sofa", {"coat_1": f"clean, worn by {NORA}"}, ""),
    ("take off coat_1", "coat_stand", {}, "one does not wear the coat"),
    ("grab coat_1", "sofa", {"coat_1": f"clean, worn by {NORA}"}, "one wears the coat"),
]


@pytest.mark.parametrize(("text", "at", "states", "reason"), RULES)
def test_what_can_be_done_and_why_not(town: Town, text: str, at: str, states: dict[str, str], reason: str) -> None:
    command = from_text(text)
    assert command is not None
    found = rules.refusal(home_of(town, **states), NORA, at, command)
    assert (found.reason if found else "") == reason


def test_every_verb_has_its_rules_in_the_table() -> None:
    told = {command.verb for text, _, _, reason in RULES if not reason and (command := from_text(text)) is not None}
    assert told == set(VERBS)
    refused = {command.verb for text, _, _, reason in RULES if reason and (command := from_text(text)) is not None}
    assert refused == set(VERBS)


@pytest.mark.parametrize(
    ("text", "at", "states", "after"),
    [
        ("grab kettle", "worktop", {}, {"kettle": f"off, empty, held by {NORA}"}),
        ("put fork_1 on worktop", "worktop", {"fork_1": f"clean, held by {NORA}"}, {"fork_1": "clean, on the worktop"}),
        ("open fridge", "fridge", {}, {"fridge": "open"}),
        ("lie on bed", "bed", {}, {"bed": f"unmade, taken by {NORA}"}),
        ("stand up from bed", "bed", {"bed": f"unmade, taken by {NORA} and {THEO}"}, {"bed": f"unmade, taken by {THEO}"}),
        ("drink from mug_1", "", {"mug_1": f"clean, full, held by {NORA}"}, {"mug_1": f"dirty, empty, held by {NORA}"}),
        (
            "pour kettle into mug_1",
            "worktop",
            {"kettle": f"off, full, held by {NORA}", "mug_1": "clean, empty, on the worktop"},
            {"kettle": f"off, empty, held by {NORA}", "mug_1": "clean, full, on the worktop"},
        ),
        (
            "eat apple_1",
            "dining_table",
            {"apple_1": "on the plate 1", "plate_1": "clean, on the dining table"},
            {"apple_1": "gone", "plate_1": "dirty, on the dining table", "dining_table": "dirty"},
        ),
        (
            "switch off dishwasher",
            "dishwasher",
            {"dishwasher": "closed, on", "mug_1": "dirty, empty, in the dishwasher"},
            {"dishwasher": "closed, off", "mug_1": "clean, empty, in the dishwasher"},
        ),
    ],
)
def test_what_becomes_of_things(town: Town, text: str, at: str, states: dict[str, str], after: dict[str, str]) -> None:
    home, command = home_of(town, **states), from_text(text)
    assert command is not None
    assert rules.refusal(home, NORA, at, command) is None
    changed = rules.apply(home, NORA, command)
    assert {thing.id: thing.write() for thing in changed} == after


def test_what_never_runs_out_is_there_again(town: Town) -> None:
    home = home_of(town, bread="on the dining table")
    changed = rules.apply(home, NORA, Command("eat", "bread"), {"bread": read("in the pantry")})
    assert [thing.write() for thing in changed if thing.id == "bread"] == ["in the pantry"]


def test_a_command_is_read_as_it_is_written_and_sent(town: Town) -> None:
    for verb in VERBS:
        command = Command(verb, "mug_1", "worktop" if verb in ("put on", "put in", "pour into") else "")
        assert from_text(command.text) == command
        assert from_wire("mug_1", command.does) == command
    assert from_wire("mug_1", "dance") is None
    assert from_text("dance") is None


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([NORA, THEO]), st.integers(0, 10**6)), min_size=20, max_size=40))
def test_no_sequence_of_commands_puts_the_house_into_an_impossible_state(picks: list[tuple[str, int]]) -> None:
    """Three hands, two seats, a thing in itself, a thing in nothing."""
    home, at = home_of(_house()), {NORA: "bed", THEO: "bed"}
    for npc, pick in picks:
        commands = list(rules.possible(home, npc, at[npc]))
        # Half of the time something with the hands, so that it is not all walking.
        busy = [command for command in commands if command.verb != "walk to"] or commands
        command = (busy if pick % 4 else commands)[pick % len(busy if pick % 4 else commands)]
        rules.apply(home, npc, command)
        if command.verb == "walk to":
            anchor = home.anchor(command.what)
            assert anchor is not None
            at[npc] = anchor.id
        assert not faults(home)
        assert max(len(home.held(NORA)), len(home.held(THEO))) <= 2
        for thing in home.things.values():
            assert read(thing.write()) == thing.state


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_read_as_a_state(text: str) -> None:
    state = read(text)
    assert isinstance(state, State)
    write(state, seat=True)


def test_properties_come_back_from_the_actions_they_gave() -> None:
    for given_ in (("grabbable", "fillable"), ("lieable", "makeable"), ("openable", "container", "washes", "switchable")):
        assert properties_of(actions_of(given_)) == frozenset(given_)
    assert start_state(("washable", "grabbable"), "dirty", "in", "wall_cupboard") == "dirty, in the wall cupboard"


MISTAKES = [
    ("kind: cup, inside: box", "kind: cup, inside: bax", "There is no 'bax' in the room of 'cup'"),
    ("kind: cup, inside: box", "kind: cup, on: box", "Nothing can be put on 'box'"),
    ("kind: cup, inside: box", "kind: cup, at: [3, 3]", "can be grabbed but lies nowhere"),
    ("kind: cup, inside: box", "kind: cup", "'cup' has no cell"),
    ("kind: cup, inside: box", "kind: cup, inside: box, at: [3, 3]", "lies inside 'box' and has a cell"),
    ("kind: cup, inside: box", "kind: cup, inside: box, state: wet", "'cup' has no state 'wet'"),
    ("id: cup, kind", "id: box, kind", "There are two things 'box'"),
    ("id: box, kind: box", "id: box, kind: bax", "There is no kind of object 'bax'"),
    ("cup: {properties: [grabbable]}", "cup: {properties: [grabbable], states: [a]}", "has `properties` and `states`"),
    ("cup: {properties: [grabbable]}", "cup: {properties: [grabable]}", "grabbable"),
    ("at: [2, 2], beside: shelf", "inside: box", "'box' is inside itself"),
]
SMALL = """
id: hut
name: Hut
start: "2026-05-04 06:00"
size: [8, 8]
object_kinds:
  box: {properties: [container]}
  shelf: {properties: [surface]}
  cup: {properties: [grabbable]}
places:
  - id: house
    rect: [1, 1, 6, 6]
    doors: [[3, 6]]
    rooms:
      - id: room
        rect: [2, 2, 4, 4]
        objects:
          - {id: shelf, kind: shelf, at: [2, 3]}
          - {id: box, kind: box, at: [2, 2], beside: shelf}
          - {id: cup, kind: cup, inside: box}
"""


def test_the_small_house_is_right() -> None:
    things = {thing.kind: thing for thing in load_town(Document("hut.yaml", SMALL)).things()}
    assert (things["cup"].state, things["cup"].cell) == ("in the box", (2, 2))
    assert things["box"].state == "at the shelf"


def test_a_thing_elsewhere_may_have_the_id_of_one_in_the_household() -> None:
    yard = """
  - id: yard
    rect: [8, 1, 6, 6]
    open: true
    rooms: [{id: lawn, rect: [8, 1, 6, 6], objects: [{id: box, kind: crate, at: [9, 2]}]}]
"""
    wider = SMALL.replace("[8, 8]", "[16, 8]").replace("  shelf: {", "  crate: {}\n  shelf: {")
    assert len(list(load_town(Document("hut.yaml", wider + yard)).things())) == 4


@pytest.mark.parametrize(("right", "wrong", "said"), MISTAKES)
def test_what_a_file_may_not_say_of_a_household_is_told(right: str, wrong: str, said: str) -> None:
    assert right in SMALL
    with pytest.raises(FileProblem) as caught:
        load_town(Document("hut.yaml", SMALL.replace(right, wrong, 1)))
    assert said in str(caught.value)
