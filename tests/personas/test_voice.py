"""The lines of a voice that fit only some places and hours."""

from __future__ import annotations

import json

import jsonschema
import pytest

from npc_server.clock import DAY, HOUR
from npc_server.documents import load_yaml
from npc_server.personas.in_world import check_against_world, mentioned
from npc_server.personas.schema import json_schema, load_persona
from npc_server.personas.voice import OnlyThere
from npc_server.sandbox.towns import find_cast
from tests.minds import MORNING
from tests.personas.test_schema import LEAST, PACKAGE, doc, problems

MIDNIGHT = MORNING - MORNING % DAY


def greeting(line: str) -> str:
    return f"{LEAST}voice:\n  greetings:\n  - Hello.\n  - {line}\n"


def test_a_line_is_a_text_or_one_with_its_place_and_hours() -> None:
    voice = load_persona(doc(greeting('{say: "Mind the plank.", where: jetty, from: "05:00", to: "12:00"}')), "t").voice
    assert voice.greetings == ("Hello.", "Mind the plank.")
    assert voice.only == (OnlyThere("Mind the plank.", "t:jetty", 5 * HOUR, 12 * HOUR, ("voice", "greetings", 1)),)


def test_place_and_hours_may_each_be_left_out() -> None:
    lines = 'smalltalk: [{say: a}, {say: b, where: jetty}], farewells: [{say: c, from: "18:00"}, {say: d, to: "12:00"}]'
    voice = load_persona(doc(f"{LEAST}voice: {{{lines}}}\n"), "t").voice
    assert (voice.smalltalk, voice.farewells) == (("a", "b"), ("c", "d"))
    assert {(it.line, it.where, it.start, it.end) for it in voice.only} == {
        ("b", "t:jetty", 0, DAY),
        ("c", "", 18 * HOUR, DAY),
        ("d", "", 0, 12 * HOUR),
    }


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [(5, 12, {5, 11}), (20, 2, {20, 23, 0, 1}), (18, 24, {18, 20, 23}), (0, 12, {0, 1, 2, 5, 11}), (20, 0, {20, 23})],
)
def test_the_last_hour_is_out_and_hours_may_go_past_midnight(start: int, end: int, hours: set[int]) -> None:
    only = OnlyThere("a", "", start * HOUR, end * HOUR)
    assert {hour for hour in (0, 1, 2, 5, 11, 12, 18, 20, 23) if only.is_at(MIDNIGHT + hour * HOUR)} == hours


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{say: a, form: "05:00"}', "Key 'form' in item 2 of 'greetings' is not known. Did you mean 'from'?"),
        ("{say: a, from: noon}", "'noon' is not a time of day. Write hours and minutes, e.g. '05:00'."),
        ("{say: a, to: 12}", "'to' in item 2 of 'greetings' is 12 where text belongs. Write hours and minutes, e.g. '12:00'."),
        ('{say: a, from: "05:00", to: "05:00"}', "'from' and 'to' are both 05:00. Leave some hours between them, or delete both."),
        ('{say: " ", where: jetty}', "A text is empty. Write something, or delete the key."),
        ("{where: jetty}", "Key 'say' in item 2 of 'greetings' is missing. Add it, e.g. `say: Mind the wet plank`."),
        ("{say: a, where: Jetty}", "Address 'Jetty' has the part 'Jetty'. "
         "Join ids of the town file with ':', without the town's own, e.g. 'mara_house:bedroom:bed'."),
        ("{say: Well, or so, where: jetty}", "Key 'or so' in item 2 of 'greetings' is not known. "
         "If a comma inside {…} or a missing ':' made it, put the text before it in quotes."),
        ("7", "'say' in item 2 of 'greetings' is 7 where text belongs. Put it in quotes: \"7\"."),
    ],
)  # fmt: skip
def test_a_wrong_line_is_told_with_its_value_and_what_to_write(line: str, told: str) -> None:
    assert problems(greeting(line)) == [f"8: {told}"]


def test_a_place_that_the_town_does_not_have_is_told_with_its_line() -> None:
    mara = load_persona(doc(greeting("{say: a, where: jety}")), "t")
    found = check_against_world(mara, ["t:house:bed", "t:jetty"])
    assert [(it.line, it.what, it.fix) for it in found] == [(8, "There is no place or object 'jety'.", "Did you mean 'jetty'?")]
    assert "t:jety" in mentioned(mara)


def test_the_json_schema_takes_both_forms_of_a_line_and_no_other() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(json_schema()))
    for line, is_good in (("Hello.", True), ("{say: a, where: jetty}", True), ("{where: jetty}", False), ("{say: a, when: b}", False)):
        assert validator.is_valid(load_yaml(doc(greeting(line))).value) is is_good, line


@pytest.mark.parametrize("town", ["alderwick", "millbrook"])
def test_everybody_of_a_town_has_lines_that_fit_anywhere(town: str) -> None:
    for person in find_cast(town).people:
        voice, bound = person.voice, {it.line for it in person.voice.only}
        free = [sum(line not in bound for line in lines) for lines in (voice.greetings, voice.farewells, voice.smalltalk)]
        assert all(count >= least for count, least in zip(free, (2, 2, 3), strict=True)), (person.id, free)


def test_the_example_in_the_docs_is_a_good_voice() -> None:
    text = (PACKAGE.parent / "docs" / "personas.md").read_text(encoding="utf-8")
    block = next(it.split("```")[0] for it in text.split("```yaml\n")[1:] if it.startswith("voice:"))
    assert {it.where for it in load_persona(doc(LEAST + block), "t").voice.only} == {"t:riverside:jetty", ""}
