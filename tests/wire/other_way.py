"""The other direction of what `npc_server.wire` only writes or only reads, for round trips."""

from __future__ import annotations

from collections.abc import Iterable

from npc_server import clock
from npc_server.records import (
    Emotion,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    MindState,
    Mood,
    Needs,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
    SaveInfo,
    ScoredMemory,
    Social,
    Source,
)
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields
from npc_server.wire.convert_minds import action_from_wire
from npc_server.world.tree import Node, ObjectAction


def node_to_wire(it: Node) -> pb.WorldNode:
    return pb.WorldNode(
        address=it.address,
        kind=fields.write_enum(pb.NodeKind, it.kind),
        name=it.name,
        description=it.description,
        state=it.state,
        states=it.states,
        actions=[_action_to_wire(action) for action in it.actions],
        capacity=it.capacity,
        hours="-".join(_hhmm(second) for second in it.hours) if it.hours else "",
        owners=it.owners,
        preposition=it.preposition,
    )


def _action_to_wire(it: ObjectAction) -> pb.ObjectAction:
    fills = {need.value: points for need, points in it.fills}
    return pb.ObjectAction(name=it.name, needs=it.needs, during=it.during, after=it.after, first=it.first, fills=fills)


def _hhmm(second: int) -> str:
    return f"{second // clock.HOUR:02}:{second % clock.HOUR // clock.MINUTE:02}"


def save_from_wire(it: pb.SaveInfo, warnings: Iterable[str] = ()) -> SaveInfo:
    return SaveInfo(
        slot=it.slot,
        town=it.town,
        now=it.game_time_s,
        saved_at=it.saved_at_unix_s,
        people=tuple(it.people),
        size=it.size_bytes,
        memories=it.memories,
        problem=it.problem,
        recoverable=it.recoverable,
        game=it.game,
        town_id=it.town_id,
        warnings=tuple(warnings),
    )


def memory_from_wire(it: pb.Memory) -> Memory:
    return Memory(
        npc=it.npc_id,
        id=it.id,
        kind=fields.read_enum(MemoryKind, pb.MemoryKind, it.kind, "memory.kind"),
        text=it.text,
        created=it.created_s,
        last_access=it.last_access_s,
        importance=it.importance,
        subject=it.subject,
        predicate=it.predicate,
        object=it.object,
        source=fields.read_enum(MemorySource, pb.MemorySource, it.source, "memory.source"),
        source_person=it.source_person,
        address=it.address,
        evidence=tuple(it.evidence),
        topic=fields.read_enum(MemoryTopic, pb.MemoryTopic, it.topic, "memory.topic"),
        key=it.key,
        doubt=it.doubt,
    )


def scored_from_wire(it: pb.ScoredMemory) -> ScoredMemory:
    return ScoredMemory(
        memory=memory_from_wire(it.memory), score=it.score, recency=it.recency, importance=it.importance, relevance=it.relevance
    )


def social_from_wire(it: pb.Relation, npc: str) -> Social:
    """On the wire a relation does not say whose it is; the request did."""
    return Social(npc, it.other, it.relation, it.feeling, it.between, it.closeness, it.upto_memory_id, it.revised_s)


def plan_step_from_wire(it: pb.PlanStep, npc: str) -> PlanStep:
    """On the wire a step does not say whose it is; the request did."""
    return PlanStep(
        npc=npc,
        id=it.id,
        level=fields.read_enum(PlanLevel, pb.PlanLevel, it.level, "step.level"),
        parent=it.parent_id,
        start=it.start_s,
        end=it.end_s,
        text=it.text,
        address=it.address,
        status=fields.read_enum(PlanStatus, pb.PlanStatus, it.status, "step.status"),
        source=fields.read_enum(Source, pb.DecisionSource, it.source, "step.source"),
        origin=fields.read_enum(PlanOrigin, pb.PlanOrigin, it.origin, "step.origin"),
    )


def mind_from_wire(it: pb.GetMindResponse) -> MindState:
    return MindState(
        npc=it.npc_id,
        name=it.name,
        identity=it.identity,
        action=action_from_wire(it.action) if it.HasField("action") else None,
        address=it.address,
        asleep=it.asleep,
        now=it.now_s,
        memories=tuple((kind, it.memories[kind.value]) for kind in MemoryKind if kind.value in it.memories),
        model_answers=it.model_answers,
        instinct_answers=it.instinct_answers,
        known=tuple(it.known_addresses),
        policy_answers=it.policy_answers,
        chosen_answers=it.chosen_answers,
        needs=Needs(it.needs.food, it.needs.rest, it.needs.company, it.needs.fun, it.needs.health),
        mood=Mood(fields.read_enum(Emotion, pb.Emotion, it.mood.emotion, "mood"), it.mood.strength, it.now_s),
    )
