"""The persona file: what it takes, and what it says about mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npc_server
from npc_server import clock
from npc_server.documents import load_yaml, read_document
from npc_server.errors import FileProblem, Problem
from npc_server.personas.file import PersonaFile
from npc_server.personas.in_world import absent_relations, check_against_world, check_people, load_people
from npc_server.personas.schema import Persona, RoutineStep, json_schema, load_persona
from npc_server.records import Document

PACKAGE = Path(npc_server.__file__).parent
SCHEMA = PACKAGE / "data" / "schema" / "persona.schema.json"
LEAST = "name: Mara Voss\nage: 34\nidentity: Mara bakes\nhome: house:bed\n"


def doc(text: str, name: str = "people/mara_voss.yaml") -> Document:
    return Document(name, text)


def problems(text: str) -> list[str]:
    with pytest.raises(FileProblem) as caught:
        load_persona(doc(text))
    return [str(problem).removeprefix("people/mara_voss.yaml:") for problem in caught.value.problems]


def test_the_least_file_makes_a_person() -> None:
    mara = load_persona(doc(LEAST), "town")
    assert (mara.id, mara.first_name, mara.home, mara.work) == ("mara_voss", "Mara", "town:house:bed", "")
    assert (mara.wake, mara.sleep) == (6 * clock.HOUR, 22 * clock.HOUR)
    assert mara.routine == ()
    assert mara.warnings == ()


def test_identity_is_split_into_phrases_at_semicolons() -> None:
    text = LEAST.replace("Mara bakes", '"Mara bakes;\n\n  Mara  sings ;; ; Mara sleeps."')
    assert load_persona(doc(text)).identity_phrases == ("Mara bakes", "Mara sings", "Mara sleeps")


def test_prose_is_split_into_sentences_each_with_the_persons_name() -> None:
    prose = (
        "Mara Voss pilots the ferry, dry and exact. She counts everything twice because her brother Emil drowned. "
        "Her terrier is called Anker. "
        "The ferry leaves at noon. She likes black tea and hates whistling"
    )
    assert load_persona(doc(LEAST.replace("Mara bakes", prose))).identity_phrases == (
        "Mara Voss pilots the ferry, dry and exact",
        "Mara counts everything twice because her brother Emil drowned",
        "Mara's terrier is called Anker",
        "The ferry leaves at noon",
        "Mara likes black tea and hates whistling",
    )


def test_a_fact_that_begins_with_somebody_unclear_is_a_warning_with_line_and_fix() -> None:
    prose = "Mara bakes. Tomas Birk is her foreman. He hates whistling. The guests like him."
    (warning,) = load_persona(doc(LEAST.replace("Mara bakes", prose))).warnings
    assert (warning.line, warning.fix) == (3, "Write the name in its place.")
    assert "He hates whistling" in warning.what


def test_the_manner_is_what_openly_tells_how_somebody_speaks() -> None:
    voice = "voice: {style: slow; lets a silence stand, tempers: [gruff, dry]}\n"
    manner = load_persona(doc(f"{LEAST}traits: [calm]\nsecrets: [Mara drinks]\n{voice}")).manner
    assert manner.about == ("Mara bakes", "calm", "slow", "lets a silence stand")
    assert manner.tempers == ("gruff", "dry")
    (told,) = problems(f"{LEAST}voice: {{tempers: [grumpy]}}\n")
    assert "grumpy" in told
    assert "'gruff'" in told


def test_secrets_are_phrases_that_are_kept_back() -> None:
    mara = load_persona(doc(LEAST + "secrets: [Mara owns a boat; a red one, There is a letter]\n"))
    assert mara.identity_phrases == ("Mara bakes", "Mara owns a boat; a red one", "There is a letter")
    assert mara.keeps_back("Mara owns a boat; a red one")
    assert mara.keeps_back(mara.as_memory("There is a letter"))
    assert not mara.keeps_back("Mara bakes")


def test_the_town_id_is_put_before_addresses_once() -> None:
    text = LEAST + "knows: [cafe, town:green]\nwork: cafe\n"
    mara = load_persona(doc(text), "town")
    assert mara.knows == ("town:cafe", "town:green")
    assert mara.work == "town:cafe"


def test_unknown_keys_are_kept_and_told_with_their_line() -> None:
    mara = load_persona(doc(LEAST + "hair: red\nrutine: []\n"))
    assert dict(mara.extra) == {"hair": "red", "rutine": []}
    assert [(problem.line, problem.fix) for problem in mara.warnings][1] == (6, "Did you mean 'routine'?")
    assert mara.warnings[0].line == 5


def test_what_the_schema_cannot_express_is_told_beside_what_it_can() -> None:
    text = (
        "name: Mara Voss\nage: old\nage: 3\nidentity: Mara bakes\nhome: house:bed\nroutine:\n"
        "  - {at: '09:00', do: eat, where: cafe}\n  - {at: '9', do: rest, where: cafe}\n  - {at: '08:00', do: bake, where: caff}\n"
        "relations: [{who: mara_voss, is: friend}]\n"
    )
    told = problems(text)
    assert [line.split(":")[0] for line in told] == ["3", "8", "9", "10"]
    assert told[2].startswith("9: 'bake' at 08:00 stands after one at 09:00.")
    assert "is this person itself" in told[3]


def test_addresses_of_a_file_with_mistakes_are_checked_too() -> None:
    routine = "routine:\n  - {at: x, do: eat, where: caff}\n  - {at: '09:00', do: eat, where: caff}\n"
    wrong = doc(LEAST.replace("34", "old") + "knows: [caff, cafe]\n" + routine)
    with pytest.raises(FileProblem) as caught:
        load_people([wrong], "t", {"t:cafe", "t:house:bed"})
    assert [(it.line, it.what.split(" ")[0]) for it in caught.value.problems] == [(2, "'age'"), (7, "'x'"), (8, "There"), (5, "There")]


WHOLE = """\
id: mara
name: Mara Voss
first_name: Mara
age: 34
traits: [warm]
identity: Mara bakes
secrets: [Mara owns a boat]
home: house:bed
work: cafe
wake: "05:00"
sleep: "23:30"
routine:
  - at: "05:30"
    do: bake
    where: cafe
    for: 30
    steps:
      - {do: knead, minutes: 10, where: cafe}
      - do: bake
        minutes: 10
  - at: "23:00"
    do: rest
    where: house
    days: [mon, tue]
  - at: "23:00"
    do: read
    where: house
    days: [sun]
voice:
  style: dry
  greetings:
    - say: Hello
      from: "05:00"
      to: "06:00"
relations:
  - who: tobin
    is: friend
offers:
  - name: sell
    description: sell bread
    parameters:
      - name: item
        type: choice
        options: [bread]
      - name: count
        type: integer
        low: 3
        high: 4
        default: 3
"""
"""A file in which each value has a line of its own."""


@pytest.mark.parametrize("line", range(WHOLE.count("\n")))
def test_a_wrong_value_is_one_mistake_and_no_other_line_gets_one_from_it(line: int) -> None:
    rows = WHOLE.splitlines()
    key, colon, _ = rows[line].partition(": ")
    if not colon:
        return
    rows[line] = f"{key}: {{a: [b]}}"
    people = {"t:house", "t:house:bed", "t:cafe"}
    with pytest.raises(FileProblem) as caught:
        load_people([doc("\n".join(rows))], "t", people)
    assert {it.line for it in caught.value.problems} == {line + 1}, caught.value


def test_every_mistake_is_told_with_line_what_and_fix() -> None:
    text = 'nam: Mara\nage: old\nidentity: [a, b]\nhome: "mara house:bed"\nwake: 6\ntraits: warm\nsleep: "25:00"\nrelations: [{is: x}]\n'
    assert problems(text) == [
        "1: Key 'name' is missing. Add it, e.g. `name: Mara Voss`.",
        "1: Key 'nam' is not known. Did you mean 'name'?",
        "2: 'age' is 'old' where a whole number belongs. Write e.g. 34.",
        "3: 'identity' is a list where text belongs. Write one paragraph of sentences about the person.",
        "4: Address 'mara house:bed' has the part 'mara house'. "
        "Join ids of the town file with ':', without the town's own, e.g. 'mara_house:bedroom:bed'.",
        "5: 'wake' is 6 where text belongs. Write hours and minutes, e.g. '06:00'.",
        "6: 'traits' is 'warm' where a list belongs. Write e.g. [warm, stubborn].",
        "7: '25:00' is not a time of day. Write hours and minutes, e.g. '22:00'.",
        "8: Key 'who' in item 1 of 'relations' is missing. Add it, e.g. `who: tobin_hale`.",
    ]


@pytest.mark.parametrize("knows", ["Mara has heard of the fire", "[Mara has heard of the fire]"])
def test_a_sentence_among_the_known_places_is_sent_to_currently(knows: str) -> None:
    (told,) = problems(f"{LEAST}knows: {knows}\n")
    assert told.startswith("5: ")
    assert told.endswith("Write a list of places of the town, e.g. [cafe, 'green:lawn']. News goes into 'currently'.")


def test_times_without_quotes_are_times() -> None:
    assert load_persona(doc(LEAST + "wake: 07:30\nsleep: 23:15\n")).wake == 7 * clock.HOUR + 30 * clock.MINUTE


def test_a_comma_in_braces_is_explained() -> None:
    text = LEAST + 'routine:\n- {at: "07:00", do: sit, or rather lie, where: house}\n'
    (warning,) = load_persona(doc(text)).warnings
    assert warning.line == 6
    assert "quotes" in warning.fix


@pytest.mark.parametrize(
    ("routine", "line", "what"),
    [
        ('- {at: "05:00", do: run, where: x}', 6, "'run' at 05:00 is outside the waking day, 06:00 to 22:00."),
        ('- {at: "22:00", do: run, where: x}', 6, "'run' at 22:00 is outside the waking day, 06:00 to 22:00."),
        ('- {at: "09:00", do: a, where: x}\n- {at: "08:00", do: b, where: x}', 7, "'b' at 08:00 stands after one at 09:00."),
        ('- {at: "09:00", do: a, where: x}\n- {at: "09:00", do: b, where: x}', 6, "Two items start at 09:00 on mon."),
        (
            '- {at: "09:00", do: a, where: x, for: 61}\n- {at: "10:00", do: b, where: x}',
            6,
            "'a' takes 61 minutes, and 'b' begins after 60.",
        ),
        ('- {at: "21:00", do: a, where: x, for: 61}', 6, "'a' takes 61 minutes, and bedtime begins after 60."),
        (
            '- at: "09:00"\n  do: a\n  where: x\n  for: 20\n  steps:\n  - {do: b, minutes: 15}\n  - {do: c, minutes: 10}',
            10,
            "The steps of 'a' take 25 minutes of 20.",
        ),
    ],
)
def test_a_routine_that_cannot_be_lived_is_told(routine: str, line: int, what: str) -> None:
    (told,) = problems(LEAST + "routine:\n" + routine + "\n")
    assert told.startswith(f"{line}: {what}")


def test_items_of_the_same_hour_may_have_different_days() -> None:
    text = LEAST + 'routine:\n- {at: "09:00", do: a, where: x, days: [mon]}\n- {at: "09:00", do: b, where: x, days: [tue, sun]}\n'
    mara = load_persona(doc(text))
    assert [[item.text for item in mara.routine_on(day)] for day in range(7)] == [["a"], ["b"], [], [], [], [], ["b"]]


def test_a_night_owl_goes_to_bed_after_midnight() -> None:
    text = LEAST + 'wake: "10:00"\nsleep: "02:00"\nroutine:\n- {at: "11:00", do: a, where: x}\n- {at: "00:30", do: b, where: x}\n'
    day = load_persona(doc(text)).routine_on(0)
    assert [(item.text, item.minutes) for item in day] == [("a", 13 * 60 + 30), ("b", 90)]


def test_an_item_without_minutes_lasts_until_the_next_and_its_steps_begin_again() -> None:
    text = LEAST + 'routine:\n- {at: "09:00", do: a, where: x, steps: [{do: b, minutes: 15}, {do: c, minutes: 10, where: y}]}\n'
    text += '- {at: "09:45", do: d, where: z, for: 30}\n'
    first, second = load_persona(doc(text), "t").routine_on(3)
    assert first.pieces() == (
        RoutineStep("b", "t:x", 15),
        RoutineStep("c", "t:y", 10),
        RoutineStep("b", "t:x", 15),
        RoutineStep("c", "t:y", 5),
    )
    assert second.pieces() == (RoutineStep("d", "t:z", 30),)
    assert [(step.text, step.minutes) for step in first.pieces(12)] == [("b", 12), ("c", 10), ("b", 12), ("c", 10), ("b", 1)]


def test_an_address_that_the_world_does_not_have_is_told_with_its_line() -> None:
    text = LEAST + 'routine:\n- at: "09:00"\n  do: a\n  where: cafe\n  steps:\n  - {do: b, minutes: 5, where: caffe}\n'
    found = check_against_world(load_persona(doc(text), "t"), ["t:house:bed", "t:cafe"])
    assert [(problem.line, problem.what, problem.fix) for problem in found] == [
        (10, "There is no place or object 'caffe'.", "Did you mean 'cafe'?")
    ]


def test_an_id_that_two_people_share_and_a_relation_with_nobody_are_told() -> None:
    mara = load_persona(doc(LEAST + "relations: [{who: tobin_hal, is: friend}]\n"))
    tobin = load_persona(doc(LEAST, "tobin_hale.yaml"))
    other = load_persona(doc(LEAST + "id: mara_voss\n", "other.yaml"))
    people = [mara, tobin, other]
    assert [(p.file, p.line, p.fix) for p in check_people(people)] == [("other.yaml", 5, "Give one of them another id.")]
    assert [(p.file, p.line, p.fix) for p in absent_relations(people)] == [("people/mara_voss.yaml", 5, "Did you mean 'tobin_hale'?")]


def test_people_are_loaded_together_and_mistakes_of_all_files_told_at_once() -> None:
    relation = "relations: [{who: nobody, is: friend}]\n"
    good = [doc(LEAST + relation, "a.yaml"), doc(LEAST, "b.yaml")]
    assert [persona.id for persona in load_people(good, "t", {"t:house:bed"})] == ["a", "b"]
    bad = [doc("name: A\n", "c.yaml"), doc(LEAST + "work: caffe\n", "d.yaml"), doc(LEAST + "id: d\n", "e.yaml")]
    with pytest.raises(FileProblem) as caught:
        load_people(bad, "t", {"t:house:bed"})
    assert [(problem.file, problem.line) for problem in caught.value.problems] == [
        ("c.yaml", 1), ("c.yaml", 1), ("c.yaml", 1), ("d.yaml", 5), ("e.yaml", 5),
    ]  # fmt: skip


def test_a_relation_with_oneself_is_refused() -> None:
    assert problems(LEAST + "relations: [{who: mara_voss, is: friend}]\n")[0].startswith("5: 'mara_voss' is this person itself.")


def test_a_file_name_that_is_no_id_asks_for_one() -> None:
    with pytest.raises(FileProblem, match=r"Add e\.g\. `id: mara_voss`\."):
        load_persona(doc(LEAST, "Mara Voss (2).yaml"))


def test_the_shipped_json_schema_is_the_one_of_the_code() -> None:
    fix = "run: npc-server persona schema > npc_server/data/schema/persona.schema.json"
    assert SCHEMA.read_text(encoding="utf-8") == json_schema(), fix


def test_the_json_schema_takes_the_people_of_millbrook_and_refuses_a_wrong_one() -> None:
    schema = json.loads(json_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted((PACKAGE / "data" / "towns" / "millbrook" / "personas").glob("*.yaml")):
        assert list(validator.iter_errors(load_yaml(read_document(path)).value)) == []
    wrong = load_yaml(doc(LEAST + "wake: '99:00'\n")).value
    assert [list(error.path) for error in validator.iter_errors(wrong)] == [["wake"]]


def test_every_key_has_a_description_for_the_editor() -> None:
    definitions = json.loads(json_schema())
    for part in [definitions, *definitions["$defs"].values()]:
        for key, spec in part["properties"].items():
            assert spec.get("description"), (part["title"], key)


KEYS = [spec.alias or name for name, spec in PersonaFile.model_fields.items()] + ["at", "do", "where", "steps", "minutes", "who", "is"]
KEYS += ["greetings", "say", "from", "to"]
VALUES = st.recursive(
    st.one_of(
        st.text(max_size=12), st.integers(), st.floats(), st.booleans(), st.none(), st.sampled_from(["06:00", "25:00", "a:b", "mon"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8))
def test_any_shape_of_file_is_a_person_or_a_list_of_mistakes(extra: dict[str, object]) -> None:
    base: dict[str, object] = {"name": "Mara Voss", "age": 34, "identity": "a; b", "home": "house"}
    text = json.dumps({**base, **extra})
    persona, mistakes = load_or_mistakes(text)
    assert all(problem.what and problem.fix and problem.line >= 0 for problem in mistakes)
    if persona is None:
        assert mistakes
        return
    assert persona.identity_phrases
    for weekday in range(7):
        for item in persona.routine_on(weekday):
            assert sum(piece.minutes for piece in item.pieces()) == item.minutes


def load_or_mistakes(text: str) -> tuple[Persona | None, tuple[Problem, ...]]:
    try:
        return load_persona(doc(text), "t"), ()
    except FileProblem as error:
        return None, error.problems


def test_the_examples_in_the_docs_are_good_persona_files() -> None:
    text = (PACKAGE.parent / "docs" / "personas.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```yaml\n")[1:]]
    least, offers, routine = (next(block for block in blocks if key in block) for key in ("name: Ada", "offers:", "routine:"))
    assert load_persona(doc(least, "ada_finch.yaml")).warnings == ()
    assert len(load_persona(doc(least + routine, "ada_finch.yaml")).routine_on(5)) == 2
    (offer,) = load_persona(doc(least + offers, "ada_finch.yaml")).offers
    assert [parameter.type for parameter in offer.parameters] == ["choice", "integer"]


def test_the_docs_name_every_key() -> None:
    text = (PACKAGE.parent / "docs" / "personas.md").read_text(encoding="utf-8")
    for key in json.loads(json_schema())["properties"]:
        assert f"`{key}`" in text, key


def test_an_offer_has_a_question_for_doubt_and_defaults_within_bounds() -> None:
    offers = "offers:\n  - {name: sell, description: sell bread, asks: [Do you want bread?], parameters: [{name: loaves, type: %s}]}\n"
    base = "name: Mara\nage: 34\nidentity: Mara bakes\nhome: cafe:kitchen\nwake: '06:00'\nsleep: '22:00'\n"
    (offer,) = load_persona(Document("mara.yaml", base + offers % "integer, low: 1, high: 6, default: 2"), "millbrook").offers
    assert (offer.asks, offer.parameters[0].default) == (("Do you want bread?",), 2)
    for wrong in ("integer, low: 1, high: 6, default: 7", "text, default: 2"):
        with pytest.raises(FileProblem, match="default of 'loaves'"):
            load_persona(Document("mara.yaml", base + offers % wrong), "millbrook")
