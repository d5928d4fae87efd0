from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from npc_server.errors import FileProblem
from npc_server.memory.policy_file import ReadPolicies, json_schema, read_policies, write_policies
from npc_server.records import Document, Policy, PolicyStep
from npc_server.visible import STEERING
from npc_server.world.tree import Node, NodeKind, ObjectAction
from npc_server.yaml_values import yaml_of

FILE = """
town: millbrook
policies:
  - activity: tend the garden
    worked: 3
    needs:
      - {object: green:bed, is: dry}
      - {object: green:bench}
    steps:
      - {do: watering the flowers, where: green:bed, action: water, minutes: 20, emoji: 🌷}
      - {do: rest, where: green:bench, minutes: 10, sentence: "{name} rests"}
  - activity: have soup
    for: mara_voss
    steps:
      - {do: eating soup, where: green:bench, minutes: 15}
"""
BED, BENCH = "millbrook:green:bed", "millbrook:green:bench"
GARDEN = Policy(
    "",
    "tend the garden",
    30,
    ((BED, "dry"), (BENCH, "")),
    (PolicyStep(20, "watering the flowers", BED, "water", "", "🌷"), PolicyStep(10, "rest", BENCH, "", "{name} rests", "🙂")),
    worked=3,
)
PLACES = {
    BED: Node(BED, NodeKind.OBJECT, "bed", states=("dry", "wet"), actions=(ObjectAction("water"),)),
    BENCH: Node(BENCH, NodeKind.OBJECT, "bench"),
}


def read(text: str, town: str = "millbrook") -> ReadPolicies:
    return read_policies(Document("policies.yaml", text), town)


def test_a_file_is_read_with_whole_addresses_and_defaults() -> None:
    found = read(FILE)
    assert next(policy for _, policy in found.policies) == GARDEN
    assert [(line, policy.owner, policy.minutes) for line, policy in found.policies] == [(4, "", 30), (12, "mara_voss", 15)]
    assert not found.warnings


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("minutes: 20", "minutes: soon", "policies.yaml:10: 'minutes' in item 1 of 'steps' is 'soon' where a whole number belongs."),
        (
            "minutes: 20",
            "minutes: 2000",
            "policies.yaml:10: 'minutes' in item 1 of 'steps' is 2000; it should be less than or equal to 1440.",
        ),
        ("where: green:bed", "where: 'green: bed'", "policies.yaml:10: The address 'green: bed' has an empty part or a space."),
        ("activity: tend the garden", "activitty: tend the garden", "Did you mean 'activity'?"),
        ("    steps:\n      - {do: eating soup, where: green:bench, minutes: 15}\n", "", "policies.yaml:12: Key 'steps' in item 2"),
        ("do: rest", "do: ''", "policies.yaml:11: A text is empty."),
    ],
)
def test_a_mistake_is_told_with_its_line_and_value(old: str, new: str, said: str) -> None:
    with pytest.raises(FileProblem) as wrong:
        read(FILE.replace(old, new, 1))
    assert said in str(wrong.value)


def test_what_does_not_fit_the_world_is_left_out_with_a_warning() -> None:
    kept, warnings = read(FILE).fitting(PLACES, {"mara_voss"})
    assert [policy.activity for policy in kept] == ["tend the garden", "have soup"]
    assert not warnings
    for changed, people, said in [
        (FILE.replace("object: green:bench", "object: green:bensh"), {"mara_voss"}, "there is no 'millbrook:green:bensh'. Did you mean"),
        (FILE.replace("where: green:bed", "where: pond"), {"mara_voss"}, "there is no 'millbrook:pond'"),
        (FILE.replace("is: dry", "is: drye"), {"mara_voss"}, "'millbrook:green:bed' is never 'drye'. Use one of: dry, wet."),
        (FILE.replace("action: water", "action: watr"), {"mara_voss"}, "one cannot 'watr' at 'millbrook:green:bed'. Use one of: water."),
        (FILE, {"tobin_hale"}, "there is nobody 'mara_voss'"),
    ]:
        kept, warnings = read(changed).fitting(PLACES, people)
        assert len(kept) == 1, said
        assert said in str(warnings[0])
        assert str(warnings[0]).startswith(f"policies.yaml:{warnings[0].line}: The policy for '")


def test_the_same_policy_twice_is_taken_once() -> None:
    entry = "\n".join(FILE.splitlines()[3:11])
    found = read(FILE + entry + "\n")
    assert len(found.policies) == 2
    assert "The same policy is on line 4" in str(found.warnings[0])


# What steers the direction of reading is refused in files.
readable = st.characters(exclude_categories=["Cs", "Cc"]).filter(lambda char: not STEERING.search(char))
words = st.text(readable, min_size=1, max_size=30).map(lambda t: " ".join(t.split())).filter(bool)
addresses = st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), min_size=1, max_size=4).map(
    lambda parts: ":".join(["t", *parts])
)
steps = st.builds(PolicyStep, st.integers(1, 60), words, addresses, words | st.just(""), words | st.just(""), st.sampled_from("🙂🍞🚶"))


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    found = tuple(draw(st.lists(steps, min_size=1, max_size=4)))
    needs = tuple(sorted(draw(st.dictionaries(addresses, words | st.just(""), max_size=3)).items()))
    minutes = draw(st.just(sum(step.minutes for step in found)) | st.integers(1, 1440))
    return Policy(draw(st.sampled_from(["", "mara_voss"])), draw(words), minutes, needs, found, worked=draw(st.integers(0, 9)))


@settings(max_examples=100, deadline=None)
@given(st.lists(policies(), max_size=4, unique_by=lambda it: (it.owner, it.activity, it.needs, it.steps)))
def test_what_is_written_reads_back(wanted: list[Policy]) -> None:
    text, count = write_policies(wanted, "t")
    assert count == len(wanted)
    key = repr
    assert sorted((policy for _, policy in read(text, "").policies), key=key) == sorted(wanted, key=key)


def test_commands_are_written_as_such() -> None:
    made = Policy("ada", "wash up", 20, (), (PolicyStep(0, "walk to sink", "t:sink", "walk", "", ""),))
    text, _ = write_policies([made], "t")
    assert "commands: true" in text
    assert [replace(policy, worked=0) for _, policy in read(text).policies] == [replace(made, worked=0)]


def test_a_policy_that_failed_is_not_written() -> None:
    text, count = write_policies([replace(GARDEN, usable=False)], "millbrook")
    assert count == 0
    assert not read(text).policies


def test_a_file_never_grows_beyond_what_can_be_read_and_keeps_what_worked_most() -> None:
    many = [replace(GARDEN, activity=f"tend garden number {i} " + "x" * 100, worked=i) for i in range(5000)]
    text, count = write_policies(many, "millbrook")
    assert 500 < count < 5000
    found = read(text)
    assert [policy.worked for _, policy in found.policies] == list(range(4999, 4999 - count, -1))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
@example("true")
@example("a: b")
@example("- x")
@example("🙂 # no")
@example("\u2028\ufffe\x7f")
def test_any_text_reads_back_from_yaml(text: str) -> None:
    yaml = YAML(typ="safe", pure=True)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert yaml.load(f"- {{key: {yaml_of(text)}, other: 1}}") == [{"key": text, "other": 1}]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_mangled_file_is_refused_or_read_and_never_crashes(data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(FILE)), st.integers(0, len(FILE)))))
    text = FILE[:start] + data.draw(st.text(max_size=8)) + FILE[min(end, start + 12) :]
    try:
        found = read(text)
    except FileProblem as error:
        assert all(problem.file == "policies.yaml" and problem.what and problem.fix for problem in error.problems)
    else:
        found.fitting(PLACES, {"mara_voss"})


def test_the_shipped_json_schema_is_the_one_of_the_code() -> None:
    shipped = resources.files("npc_server").joinpath("data/schema/policies.schema.json").read_text(encoding="utf-8")
    assert shipped == json_schema(), "run: npc-server policy schema > npc_server/data/schema/policies.schema.json"


def test_the_json_schema_takes_a_good_file_and_refuses_a_wrong_one() -> None:
    schema = json.loads(json_schema())
    good = YAML(typ="safe", pure=True).load(FILE)
    jsonschema.Draft202012Validator(schema).validate(good)
    good["policies"][0]["steps"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(good)
