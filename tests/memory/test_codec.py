from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import BadInput, SaveDamaged
from npc_server.memory import codec
from npc_server.records import (
    Action,
    Clock,
    Memory,
    ObjectChange,
    Outcome,
    OutcomeStatus,
    PathResult,
    Perception,
    PlanStep,
    Reach,
    Speech,
    Whereabouts,
)

RECORDS = (Perception, Outcome, ObjectChange, Whereabouts, PathResult, Clock, Memory, PlanStep, Action, Speech)
text = st.text(st.characters(exclude_categories=["Cs"]))


def made_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type, without those JSON cannot say: surrogates and infinities are refused (tested below)."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return st.builds(kind, **{field.name: made_of(hints[field.name]) for field in dataclasses.fields(kind)})
    if get_origin(kind) is tuple:
        return st.lists(made_of(get_args(kind)[0]), max_size=3).map(tuple)
    special: dict[Any, st.SearchStrategy[Any]] = {str: text, float: st.floats(allow_nan=False, allow_infinity=False)}
    return special[kind] if kind in special else st.from_type(kind)


record: st.SearchStrategy[Any] = st.one_of(*(made_of(cls) for cls in RECORDS))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text,
    lambda inner: st.lists(inner) | st.dictionaries(text, inner),
    max_leaves=8,
)


@dataclass(frozen=True)
class Newer:
    """A record that has grown."""

    a: int
    b: tuple[int, int] | None = None
    c: dict[str, float] = field(default_factory=dict)


@settings(max_examples=100, deadline=None)
@given(record)
def test_every_record_comes_back_as_it_was(made: Any) -> None:
    assert codec.loads(type(made), codec.dumps(made)) == made


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(RECORDS), json_values)
def test_any_other_json_is_damage_or_a_record(cls: type[Any], data: Any) -> None:
    try:
        made = codec.loads(cls, json.dumps(data))
    except SaveDamaged:
        return
    assert isinstance(made, cls)


@settings(max_examples=100, deadline=None)
@given(record, st.data())
def test_one_wrong_field_is_damage_and_names_the_field(made: Any, data: st.DataObject) -> None:
    encoded = codec.encode(made)
    name = data.draw(st.sampled_from(sorted(encoded)))
    encoded[name] = {"not": "this"}
    with pytest.raises(SaveDamaged, match=name):
        codec.decode(type(made), encoded)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "cannot be read"),
        ("[]", "should be an object"),
        ("[" * 50_000, "Invalid JSON"),
        ('{"address":"a"}', "state: Field required"),
        ('{"address":"a","state":"b","extra":1}', "extra: Unexpected keyword argument. It holds 1"),
        ('{"address":1,"state":"b"}', "address: Input should be a valid string. It holds 1"),
        ('{"address":null,"state":"b"}', "address: Input should be a valid string. It holds None"),
    ],
)
def test_a_body_that_does_not_fit_says_why(body: str, why: str) -> None:
    with pytest.raises(SaveDamaged, match=why):
        codec.loads(ObjectChange, body)


@pytest.mark.parametrize("value", ["true", "1.0", '"1"', "NaN"])
def test_a_whole_number_is_a_whole_number(value: str) -> None:
    with pytest.raises(SaveDamaged, match="now"):
        codec.loads(Clock, f'{{"now":{value}}}')


def test_infinity_in_a_file_is_damage() -> None:
    with pytest.raises(SaveDamaged, match="speed"):
        codec.loads(Clock, '{"now":1,"speed":Infinity}')


def test_an_older_record_reads_into_a_grown_one() -> None:
    assert codec.loads(Newer, '{"a":1}') == Newer(1)
    assert codec.loads(Newer, codec.dumps(Newer(1, (2, 3), {"x": 0.5}))) == Newer(1, (2, 3), {"x": 0.5})


def test_enums_and_tuples_are_plain_json() -> None:
    assert codec.encode(Outcome("a", "b", OutcomeStatus.DONE))["status"] == "done"
    assert codec.dumps(PathResult("ä", "q", (Reach("t", True, 1.5),))) == (
        '{"npc":"ä","query_id":"q","reaches":[{"address":"t","reachable":true,"travel":1.5,"free":true}]}'
    )


@pytest.mark.parametrize("wrong", [Clock(1, False, float("inf")), Clock(1, False, float("nan")), ObjectChange("\ud800", "x")])
def test_what_json_cannot_say_is_refused(wrong: object) -> None:
    with pytest.raises(BadInput, match="cannot be stored"):
        codec.dumps(wrong)
