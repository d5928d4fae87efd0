from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server import clock
from npc_server.documents import read_document
from npc_server.errors import FileProblem, Problem
from npc_server.world.floor import Surface, lay
from npc_server.world.town import load_town
from npc_server.world.town_records import Incident
from npc_server.world.tree import NodeKind, World
from tests.world.towns import HAMLET, document, line_of, problems

MILLBROOK = "npc_server/data/towns/millbrook/town.yaml"


def test_town_file_becomes_a_tree_with_names_states_hours_and_owners() -> None:
    world = World(load_town(document()).nodes())
    assert [node.address for node in world] == [
        "hamlet",
        "hamlet:hut",
        "hamlet:hut:room",
        "hamlet:hut:room:bed",
        "hamlet:yard",
        "hamlet:yard:grass",
        "hamlet:yard:grass:well",
    ]
    bed = world.node("hamlet:hut:room:bed")
    assert (bed.kind, bed.name, bed.state, bed.states, bed.capacity) == (NodeKind.OBJECT, "bed", "made", ("made", "slept in"), 1)
    assert bed.actions[0].during == "slept in"
    assert world.node("hamlet:hut").owners == ("ann",)
    assert world.node("hamlet:yard").hours == (8 * 3600, 17 * 3600)
    assert world.node("hamlet:yard:grass:well").name == "old well"


def test_town_starts_at_its_game_time() -> None:
    assert load_town(document()).start == clock.parse_datetime("2026-05-04 06:00")


def test_object_state_and_capacity_override_those_of_its_kind() -> None:
    text = HAMLET.replace("kind: bed, at: [2, 2]", "kind: bed, at: [2, 2], state: slept in, capacity: 2")
    thing = next(load_town(document(text)).things())
    assert (thing.state, thing.capacity) == ("slept in", 2)


def test_shipped_town_loads_without_warnings() -> None:
    town = load_town(read_document(Path(MILLBROOK)))
    assert town.warnings == ()
    assert len(World(town.nodes())) == len(town.nodes()) == 80


def test_what_the_schema_cannot_express_is_told_beside_what_it_can() -> None:
    text = HAMLET.replace("capacity: 1", "capacity: many").replace("kind: well", "kind: wel").replace("doors: [[3, 5]]", "doors: [[9, 8]]")
    text = text.replace('start: "2026-05-04 06:00"', "start: noon")
    lines = [line_of(text, "start"), line_of(text, "many"), line_of(text, "doors")]
    # Whether there is a kind 'wel' is seen once the kinds are right.
    assert [it.line for it in problems(text)] == lines
    assert [it.line for it in problems(text.replace("many", "1"))] == [lines[0], lines[2], line_of(text, "wel,")]


SPREAD = """\
id: hamlet
name: Hamlet
start: "2026-05-04 06:00"
size: [12, 9]
cell_m: 1
object_kinds:
  bed:
    states: [made, slept in]
    state: made
    capacity: 1
    actions:
      - name: sleep
        during: slept in
        after: made
    incidents:
      - action: sleep
        becomes: slept in
        chance: 0.5
  table:
    properties: [surface]
  cup:
    properties: [grabbable]
stories:
  - id: supper
    kind: party
    starter: ann
    whisper: Give a supper.
    about: [supper]
    where: hut:room
    start: "2026-05-05 17:00"
    end: "2026-05-05 18:00"
places:
  - id: hut
    name: the hut
    rect: [1, 1, 6, 5]
    doors: [[3, 5]]
    open: false
    hours: "08:00-17:00"
    owners: [ann]
    capacity: 3
    rooms:
      - id: room
        rect: [2, 2, 4, 3]
        name: the room
        objects:
          - id: bed
            kind: bed
            at: [2, 2]
            state: made
          - id: table
            kind: table
            at: [4, 2]
          - id: cup
            kind: cup
            on: table
  - id: yard
    rect: [8, 1, 4, 6]
    open: true
    rooms:
      - id: grass
        rect: [8, 1, 4, 6]
"""
"""A town in which each value has a line of its own."""


@pytest.mark.parametrize("line", range(SPREAD.count("\n")))
def test_a_wrong_value_is_one_mistake_and_no_other_line_gets_one_from_it(line: int) -> None:
    rows = SPREAD.splitlines()
    key, colon, _ = rows[line].partition(": ")
    if not colon:
        load_town(document(SPREAD))
        return
    rows[line] = f"{key}: {{a: [b]}}"
    assert {it.line for it in problems("\n".join(rows))} == {line + 1}


def test_unknown_key_is_a_warning_with_its_line_and_the_town_loads() -> None:
    text = HAMLET.replace("    open: true", "    opne: true\n    open: true")
    (warning,) = load_town(document(text)).warnings
    assert f"town.yaml:{line_of(text, 'opne')}" in warning
    assert "opne" in warning


@pytest.mark.parametrize(
    ("old", "new", "line_with", "said"),
    [
        ("kind: bed, at: [2, 2]", "kind: bde, at: [2, 2]", "bde", "no kind of object 'bde'. Did you mean 'bed'?"),
        ("rect: [2, 2, 4, 3]", "rect: [2, 2, 9, 3]", "[2, 2, 9, 3]", "is not inside 'hut'"),
        ("rect: [8, 1, 4, 6]\n    open", "rect: [5, 1, 7, 6]\n    open", "[5, 1, 7, 6]", "overlap"),
        ("doors: [[3, 5]]", "doors: [[9, 8]]", "[9, 8]", "is not in a wall"),
        ("doors: [[3, 5]]", "doors: [[3, 4]]", "[3, 4]", "lies inside the room"),
        ("doors: [[3, 5]]", "doors: [[1, 1], [3, 5]]", "[1, 1]", "is not between two cells"),
        ("    doors: [[3, 5]]\n", "", "- id: room", "Nobody can walk to the room 'room'"),
        ("at: [2, 2]", "at: [9, 9]", "at: [9, 9]", "is not in its room"),
        ("id: yard", "id: hut", "id: hut", "Place 'hut' stands twice"),
        ("id: well, name", "id: Old-Well, name", "Old-Well", "Old-Well"),
        ('"08:00-17:00"', '"8 to 5"', "8 to 5", "are not opening hours"),
        ('"08:00-17:00"', '"25:00-17:00"', "25:00", "are not opening hours"),
        ("during: slept in", "during: slept", "during", "has no state 'slept'. Use one of 'made', 'slept in', or add it"),
        ("kind: bed, at", "state: broken, kind: bed, at", "broken", "has no state 'broken'"),
        ('"2026-05-04 06:00"', '"tomorrow"', "tomorrow", "is not a date and time"),
        ("size: [12, 9]", "size: [10, 9]", "rect: [8, 1, 4, 6]", "leaves the town"),
        ("size: [12, 9]", "size: [12]", "size", "size"),
        ("places:", "paths: [[0, 7, 40, 1]]\nplaces:", "40", "leaves the town"),
        ("open: true\n", "open: true\n    doors: [[8, 1]]\n", "doors: [[8, 1]]", "has no walls"),
    ],
)
def test_mistake_is_told_with_its_line_and_a_fix(old: str, new: str, line_with: str, said: str) -> None:
    assert old in HAMLET
    text = HAMLET.replace(old, new, 1)
    found = problems(text)
    lines = [i for i, line in enumerate(text.splitlines(), 1) if line_with in line]
    match = [p for p in found if said in f"{p.what} {p.fix}" and p.line in lines]
    assert match, [str(p) for p in found]
    assert match[0].file == "town.yaml"
    assert match[0].fix


def test_room_at_the_edge_of_its_building_is_a_warning() -> None:
    text = HAMLET.replace("rect: [2, 2, 4, 3]", "rect: [1, 2, 4, 3]")
    (warning,) = load_town(document(text)).warnings
    assert warning.startswith(f"town.yaml:{line_of(text, '[1, 2, 4, 3]')}: Room 'room' [1, 2, 4, 3] leaves no outer wall of 'hut'")


def test_room_walled_off_by_objects_is_unreachable() -> None:
    text = HAMLET.replace("          - {id: bed, kind: bed, at: [2, 2]}", "          - {id: bed, kind: bed, at: [3, 4]}")
    (problem,) = (p for p in problems(text) if "door" in p.what)
    assert "[3, 5]" in problem.what
    assert any("Nobody can walk to the room 'room'" in p.what for p in problems(text))


def test_object_behind_others_is_told() -> None:
    others = "".join(f"          - {{id: b{x}{y}, kind: bed, at: [{x}, {y}]}}\n" for x, y in ((3, 2), (2, 3)))
    text = HAMLET.replace("at: [2, 2]}\n", "at: [2, 2]}\n" + others)
    assert any("Nobody can stand at 'bed'" in p.what and p.line == line_of(text, "id: bed,") for p in problems(text))


def test_every_mistake_of_a_file_is_told_at_once() -> None:
    text = HAMLET.replace("kind: bed, at", "kind: bde, at").replace('"08:00-17:00"', '"noon"').replace("[[3, 5]]", "[[9, 8]]")
    assert len(problems(text)) == 3


def test_floor_shows_walls_rooms_doors_and_objects() -> None:
    floor = lay(load_town(document()))
    assert floor[(1, 1)] is Surface.WALL
    assert floor[(3, 5)] is Surface.DOOR
    assert floor[(3, 3)] is Surface.ROOM
    assert floor[(2, 2)] is Surface.THING
    assert floor[(8, 1)] is Surface.OPEN
    assert floor[(0, 0)] is Surface.GROUND
    assert floor[(-1, 0)] is Surface.WALL


def _loads_or_is_explained(text: str) -> None:
    found: tuple[Problem, ...] = ()
    try:
        World(load_town(document(text)).nodes())
    except FileProblem as error:
        found = error.problems
    assert all(problem.what and problem.file == "town.yaml" for problem in found)


_WORDS = st.sampled_from(
    ["hut", "bed", "room", "made", "", "é", "a:b", "2", "on", "~", "[1, 2]", "{", "true", "-1", "1e9", "08:00-17:00", "null"]
)


@settings(max_examples=80, deadline=None)
@given(line=st.integers(0, HAMLET.count("\n") - 1), word=_WORDS, cut=st.integers(0, 60), keep=st.booleans())
def test_mangled_town_loads_or_is_explained(line: int, word: str, cut: int, keep: bool) -> None:
    lines = HAMLET.splitlines()
    lines[line] = lines[line][:cut] + word + (lines[line][cut:] if keep else "")
    _loads_or_is_explained("\n".join(lines))


_NUMBERS = st.lists(st.integers(-3, 600), min_size=0, max_size=5)


@settings(max_examples=60, deadline=None)
@given(size=_NUMBERS, rect=_NUMBERS, room=_NUMBERS, door=_NUMBERS, at=_NUMBERS)
def test_any_numbers_load_or_are_explained(size: list[int], rect: list[int], room: list[int], door: list[int], at: list[int]) -> None:
    text = HAMLET.replace("[12, 9]", str(size)).replace("[1, 1, 6, 5]", str(rect)).replace("[2, 2, 4, 3]", str(room))
    text = text.replace("[3, 5]", str(door)).replace("[2, 2]", str(at))
    _loads_or_is_explained(text)


def test_town_of_the_handbook_loads_and_its_mistakes_are_told_as_it_says() -> None:
    page = Path("docs/towns.md").read_text("utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    assert load_town(document(text)).warnings == ()
    told = {
        str(problem)
        for mend in (("    doors: [[3, 5]]\n", "\n"), ("kind: bed, at", "kind: bde, at"))
        for problem in problems(text.replace(*mend))
    }
    assert told == {line for line in page.splitlines() if line.startswith("town.yaml:")}


def test_what_goes_wrong_with_a_thing_is_read_with_its_kind() -> None:
    text = HAMLET.replace("    capacity: 1\n", "    capacity: 1\n    incidents: [{action: sleep, becomes: slept in, chance: 0.5}]\n")
    (bed, _) = load_town(document(text)).things()
    assert bed.incidents == (Incident("sleep", "slept in", 0.5),)


@pytest.mark.parametrize(
    ("incident", "what"),
    [
        ("{action: sleeep, becomes: made, chance: 1}", "'bed' has no action 'sleeep'."),
        ("{action: sleep, becomes: burnt, chance: 1}", "'bed' has no state 'burnt'."),
        ("{action: sleep, becomes: '', chance: 1}", "The incident of 'bed' does not say what it becomes."),
        ("{action: sleep, becomes: made}", "The incident of 'bed' does not say how often it happens."),
        ("{action: sleep, becomes: made, chance: 0.5, every: 2}", "The incident of 'bed' does not say how often it happens."),
    ],
)
def test_an_incident_that_cannot_be_is_told_with_its_line(incident: str, what: str) -> None:
    text = HAMLET.replace("    capacity: 1\n", f"    capacity: 1\n    incidents:\n      - {incident}\n")
    (problem,) = problems(text)
    assert problem.what == what
    assert problem.line == line_of(text, incident)
