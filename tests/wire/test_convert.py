"""Records cross the wire unchanged; what is wrong on it is refused by field and value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from npc_server import clock
from npc_server import records as r
from npc_server.errors import BadInput
from npc_server.session.game_files import ChangeKind
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import convert, convert_minds, fields
from npc_server.world import tree
from tests.wire import other_way, records

bounded = settings(max_examples=100, deadline=None)


def over(message: Any) -> Any:
    """The message after a trip as bytes."""
    return type(message).FromString(message.SerializeToString())


@bounded
@given(records.game_events)
def test_game_event_crosses_the_wire_unchanged(event: r.GameEvent) -> None:
    assert convert.event_from_wire(over(convert.event_to_wire(7, event))) == event


@bounded
@given(records.mind_events)
def test_mind_event_crosses_the_wire_unchanged(event: r.MindEvent) -> None:
    assert convert_minds.mind_event_from_wire(over(convert_minds.mind_event_to_wire(event))) == event


@bounded
@given(records.nodes)
def test_node_crosses_the_wire_unchanged(node: tree.Node) -> None:
    assert convert.node_from_wire(over(other_way.node_to_wire(node))) == node


@bounded
@given(records.documents)
def test_document_crosses_the_wire_unchanged(document: r.Document) -> None:
    assert convert.document_from_wire(over(convert.document_to_wire(document)), "town") == document


@bounded
@given(records.saves)
def test_save_crosses_the_wire_unchanged(save: r.SaveInfo) -> None:
    assert other_way.save_from_wire(over(convert.save_to_wire(save)), save.warnings) == save


@bounded
@given(records.scored)
def test_scored_memory_crosses_the_wire_unchanged(memory: r.ScoredMemory) -> None:
    assert other_way.scored_from_wire(over(convert_minds.scored_to_wire(memory))) == memory


@bounded
@given(records.steps)
def test_plan_step_crosses_the_wire_unchanged(step: r.PlanStep) -> None:
    assert other_way.plan_step_from_wire(over(convert_minds.plan_step_to_wire(step)), step.npc) == step


@bounded
@given(records.socials)
def test_social_memory_crosses_the_wire_unchanged(kept: r.Social) -> None:
    assert other_way.social_from_wire(over(convert_minds.social_to_wire(kept)), kept.npc) == kept


@bounded
@given(records.minds)
def test_state_of_a_mind_crosses_the_wire_unchanged(mind: r.MindState) -> None:
    assert other_way.mind_from_wire(over(convert_minds.mind_to_wire(mind))) == mind


def test_every_record_of_the_wire_is_tried_above() -> None:
    """A new record or a new field without a trip over the wire shows here."""
    # The ledger, the policies and what they are made of stay in the save, a conversation goes out line by line,
    # and a rejected event has no form on the wire.
    apart = {
        r.ModelCall,
        r.Policy,
        r.PolicyStep,
        r.PlannedCommand,
        r.Living,
        r.Rejected,
        r.Line,
        r.Talk,
        r.TalkPart,
        r.TalkWish,
        r.Turn,
        r.OfferTurn,
        r.AskedQuestion,  # it only goes to the game: tests/rpc/test_servicers.py
        r.MindGlance,  # so does this one
        r.MemoryChange,  # it only goes to the game: tests/rpc/test_mending.py
    }
    listed = {kind for kind in vars(r).values() if dataclasses.is_dataclass(kind) and isinstance(kind, type)} - apart
    tried = {kind for name in vars(records) if isinstance(kind := getattr(r, name, None), type) and dataclasses.is_dataclass(kind)}
    assert listed == tried


def test_every_enum_value_has_its_counterpart() -> None:
    pairs: list[tuple[Any, Any]] = [
        (r.PerceptionKind, pb.PerceptionKind),
        (r.PlayerPresence, pb.PlayerPresence),
        (r.OutcomeStatus, pb.OutcomeStatus),
        (r.OutcomeReason, pb.OutcomeReason),
        (r.Source, pb.DecisionSource),
        (r.Emotion, pb.Emotion),
        (r.NoticeLevel, pb.NoticeLevel),
        (r.MemoryKind, pb.MemoryKind),
        (r.MemorySource, pb.MemorySource),
        (r.MemoryTopic, pb.MemoryTopic),
        (r.MemoryChangeKind, pb.MemoryChangeKind),
        (r.RestraintKind, pb.RestraintKind),
        (r.PlanLevel, pb.PlanLevel),
        (r.PlanStatus, pb.PlanStatus),
        (r.PlanOrigin, pb.PlanOrigin),
        (r.AnsweredBy, pb.AnsweredBy),
        (r.CallOutcome, pb.QuestionOutcome),
        (tree.NodeKind, pb.NodeKind),
        (ChangeKind, pb.ChangeKind),
    ]
    assert {wire.DESCRIPTOR.name for _, wire in pairs} == set(pb.DESCRIPTOR.enum_types_by_name)
    for kinds, wire in pairs:
        assert {fields.write_enum(wire, kind) for kind in kinds} == set(wire.values()) - {0}
        for kind in kinds:
            assert fields.read_enum(kinds, wire, fields.write_enum(wire, kind), "f") is kind


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        (pb.OUTCOME_STATUS_FAILED, "the bathroom is occupied", r.OutcomeReason.OCCUPIED),
        (pb.OUTCOME_STATUS_FAILED, "the door is locked", r.OutcomeReason.OTHER),
        (pb.OUTCOME_STATUS_DONE, "the bathroom is occupied", r.OutcomeReason.OTHER),
    ],
)
def test_a_game_that_sends_words_without_a_code_is_read_as_before(
    status: pb.OutcomeStatus.ValueType, words: str, code: r.OutcomeReason
) -> None:
    assert convert.outcome_from_wire(pb.ActionOutcome(npc_id="a", action_id="i", status=status, reason=words)).code is code


def test_a_code_counts_whatever_the_words_say() -> None:
    sent = pb.ActionOutcome(
        npc_id="a", action_id="i", status=pb.OUTCOME_STATUS_FAILED, reason="occupied", reason_code=pb.OUTCOME_REASON_CLOSED
    )
    assert convert.outcome_from_wire(sent).code is r.OutcomeReason.CLOSED


GOOD: dict[str, Callable[[], pb.GameEvent]] = {
    "perception": lambda: pb.GameEvent(
        seq=1, perception=pb.Perception(npc_id="a", kind=pb.PERCEPTION_KIND_SPEECH, subject="b", text="hello", address="w:s", distance_m=1)
    ),
    "path_result": lambda: pb.GameEvent(
        seq=1, path_result=pb.PathResult(query_id="q", npc_id="a", reaches=[pb.Reach(address="w:s", reachable=True, travel_s=3)])
    ),
    "outcome": lambda: pb.GameEvent(seq=1, outcome=pb.ActionOutcome(npc_id="a", action_id="i", status=pb.OUTCOME_STATUS_DONE)),
    "object_change": lambda: pb.GameEvent(seq=1, object_change=pb.ObjectChange(address="w:s:a:o", state="on")),
    "whereabouts": lambda: pb.GameEvent(seq=1, whereabouts=pb.Whereabouts(npc_id="a", address="w:s")),
    "clock": lambda: pb.GameEvent(seq=1, clock=pb.Clock(now_s=5)),
    "restraint": lambda: pb.GameEvent(seq=1, restraint=pb.Restraint(npc_id="a", kind=pb.RESTRAINT_KIND_SILENT, on=True)),
}

BAD: list[tuple[str, str, object]] = [
    ("outcome", "reason_code", 99),
    ("perception", "npc_id", ""),
    ("perception", "npc_id", " "),
    ("perception", "npc_id", "x" * 65),
    ("perception", "npc_id", "two\nlines"),
    ("perception", "player", 1),
    ("perception", "player", 99),
    ("perception", "kind", 0),
    ("perception", "kind", 99),
    ("perception", "kind", -1),
    ("perception", "subject", ""),
    ("perception", "text", ""),
    ("perception", "text", "x" * 2_001),
    ("perception", "text", "\0\x1b\u202e"),
    ("perception", "address", "a::b"),
    ("perception", "address", ":a"),
    ("perception", "address", "x" * 257),
    ("perception", "distance_m", float("nan")),
    ("perception", "distance_m", float("inf")),
    ("perception", "distance_m", -1.0),
    ("perception", "distance_m", 1e30),
    ("perception", "at_s", clock.EARLIEST - 1),
    ("perception", "at_s", 2**63 - 1),
    ("path_result", "query_id", ""),
    ("path_result", "npc_id", ""),
    ("outcome", "status", 0),
    ("outcome", "status", 4),
    ("outcome", "action_id", ""),
    ("outcome", "reason", "x" * 2_001),
    ("object_change", "address", ""),
    ("object_change", "state", "x" * 121),
    ("object_change", "by", "x" * 121),
    ("whereabouts", "npc_id", ""),
    ("whereabouts", "address", ""),
    ("whereabouts", "player_distance_m", float("nan")),
    ("clock", "now_s", clock.LATEST + 1),
    ("restraint", "npc_id", ""),
    ("restraint", "kind", 0),
    ("restraint", "kind", 9),
    ("restraint", "until_s", clock.LATEST + 1),
    ("clock", "speed", -1.0),
    ("clock", "speed", float("inf")),
]


@pytest.mark.parametrize("kind", list(GOOD))
def test_plain_event_of_each_kind_is_taken(kind: str) -> None:
    convert.event_from_wire(GOOD[kind]())


@pytest.mark.parametrize(("kind", "field", "value"), BAD)
def test_wrong_field_is_refused_by_name_and_value(kind: str, field: str, value: object) -> None:
    event = GOOD[kind]()
    setattr(getattr(event, kind), field, value)
    with pytest.raises(BadInput) as caught:
        convert.event_from_wire(event)
    assert caught.value.values["field"] == f"{kind}.{field}"
    assert caught.value.what.startswith(f"Field {kind}.{field} is ")
    assert caught.value.fix
    assert len(str(caught.value)) < 600


def test_wrong_reach_is_named_by_its_place_in_the_list() -> None:
    event = GOOD["path_result"]()
    event.path_result.reaches.add(address="w:s", travel_s=float("nan"))
    with pytest.raises(BadInput, match=r"Field path_result.reaches\[1\].travel_s is nan"):
        convert.event_from_wire(event)


def test_event_that_says_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="Set one of perception"):
        convert.event_from_wire(pb.GameEvent(seq=4))


@pytest.mark.parametrize("hours", ["9-17", "09:00", "09:00-25:00", "-", "09:00-17:00-18:00", "x" * 300])
def test_hours_that_are_none_are_refused(hours: str) -> None:
    node = pb.WorldNode(address="w", kind=pb.NODE_KIND_SECTOR, name="w", hours=hours)
    with pytest.raises(BadInput, match=r"node\.hours"):
        convert.node_from_wire(node)


@pytest.mark.parametrize("slot", ["", " ", "../etc", "a/b", "a\\b", "a.b", " a", "a ", "x" * 65, "a\0", "a\n", "a:b"])
def test_slot_that_could_leave_its_folder_is_refused(slot: str) -> None:
    with pytest.raises(BadInput, match="cannot be the name of a save"):
        fields.slot(slot)


def test_slot_of_letters_digits_and_spaces_is_taken() -> None:
    assert fields.slot("Summer 2-b_C") == "Summer 2-b_C"
    assert fields.slot("", required=False) == ""


def test_too_many_nodes_are_refused_before_they_are_read() -> None:
    with pytest.raises(BadInput, match="at most 10000"):
        convert.NodeReader().read([pb.WorldNode()] * 10_001)


def test_long_document_is_refused_by_its_name() -> None:
    with pytest.raises(BadInput, match=r"long\.yaml"):
        convert.document_from_wire(pb.Document(name="long.yaml", text="x" * 1_000_001), "town")


def test_nodes_that_were_read_before_are_known_by_their_bytes() -> None:
    reader = convert.NodeReader()
    wire = [pb.WorldNode(address=f"t:{n}", kind=pb.NODE_KIND_OBJECT, name=f"thing {n}", states=["off", "on"]) for n in range(5)]
    first = reader.read(wire)
    wire[3].state = "on"
    again = reader.read([pb.WorldNode.FromString(node.SerializeToString()) for node in wire])
    assert [new is old for new, old in zip(again, first, strict=True)] == [True, True, True, False, True]
    assert again[3].state == "on"


def test_a_node_that_does_not_read_is_named_by_its_place_among_those_sent() -> None:
    good = pb.WorldNode(address="t:a", kind=pb.NODE_KIND_OBJECT, name="a")
    with pytest.raises(BadInput, match=r"nodes\[1\]\.name"):
        convert.NodeReader().read([good, pb.WorldNode(address="t:b", kind=pb.NODE_KIND_OBJECT, name="b\x07")])
