"""Records as messages and back, from the game's side of the contract."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from npc_server.records import (
    Action,
    Clock,
    GameAction,
    GameActionResult,
    GameEvent,
    MindEvent,
    Notice,
    NoticeLevel,
    ObjectChange,
    Outcome,
    PathQuery,
    PathResult,
    Perception,
    Settled,
    Source,
    Speech,
    Thought,
    Whereabouts,
)
from npc_server.v1 import npc_pb2 as pb

E = TypeVar("E", bound=Enum)


def event(seq: int, it: GameEvent) -> pb.GameEvent:
    """One event with its number."""
    if isinstance(it, Perception):
        return pb.GameEvent(
            seq=seq,
            perception=pb.Perception(
                npc_id=it.npc,
                kind=pb.PerceptionKind.Value(f"PERCEPTION_KIND_{it.kind.value.upper()}"),
                subject=it.subject,
                text=it.text,
                address=it.address,
                distance_m=it.distance,
                at_s=it.at,
            ),
        )
    if isinstance(it, PathResult):
        reaches = [pb.Reach(address=r.address, reachable=r.reachable, travel_s=r.travel, free=r.free) for r in it.reaches]
        return pb.GameEvent(seq=seq, path_result=pb.PathResult(query_id=it.query_id, npc_id=it.npc, reaches=reaches))
    if isinstance(it, Outcome):
        return pb.GameEvent(
            seq=seq,
            outcome=pb.ActionOutcome(
                npc_id=it.npc,
                action_id=it.action_id,
                status=pb.OutcomeStatus.Value(f"OUTCOME_STATUS_{it.status.value.upper()}"),
                reason=it.reason,
                address=it.address,
            ),
        )
    if isinstance(it, ObjectChange):
        return pb.GameEvent(seq=seq, object_change=pb.ObjectChange(address=it.address, state=it.state, by=it.by))
    if isinstance(it, Whereabouts):
        return pb.GameEvent(seq=seq, whereabouts=pb.Whereabouts(npc_id=it.npc, address=it.address, player_distance_m=it.player_distance))
    if isinstance(it, Clock):
        return pb.GameEvent(seq=seq, clock=pb.Clock(now_s=it.now, lockstep=it.lockstep, speed=it.speed))
    if isinstance(it, GameActionResult):
        return pb.GameEvent(
            seq=seq,
            game_action_result=pb.GameActionResult(npc_id=it.npc, call_id=it.call_id, happened=it.happened, reason=it.reason),
        )
    raise TypeError(f"{type(it).__name__} is nothing that a game sends.")


def mind_event(it: pb.MindEvent) -> MindEvent | None:
    """What a mind sent; None for acknowledgements and for kinds of a newer contract."""
    kind = it.WhichOneof("event")
    if kind == "action":
        return action(it.action)
    if kind == "path_query":
        return PathQuery(it.path_query.npc_id, it.path_query.query_id, tuple(it.path_query.addresses))
    if kind == "speech":
        said = it.speech
        return Speech(said.npc_id, said.text, said.at_s, tuple(said.to), said.partial, said.conversation_id)
    if kind == "thought":
        return Thought(
            it.thought.npc_id, it.thought.text, _enum(Source, pb.DecisionSource, it.thought.source, Source.INSTINCT), it.thought.at_s
        )
    if kind == "game_action":
        return GameAction(it.game_action.npc_id, it.game_action.call_id, it.game_action.name, it.game_action.arguments_json)
    if kind == "settled":
        return Settled(it.settled.seq, it.settled.next_wake_s)
    if kind == "notice":
        level = _enum(NoticeLevel, pb.NoticeLevel, it.notice.level, NoticeLevel.INFO)
        return Notice(level, it.notice.reason, it.notice.message, it.notice.seq)
    return None


def action(it: pb.Action) -> Action:
    return Action(
        id=it.action_id,
        npc=it.npc_id,
        sentence=it.sentence,
        address=it.address,
        emoji=it.emoji,
        start=it.start_s,
        end=it.end_s,
        object_action=it.object_action,
        object_state=it.object_state,
        object_state_after=it.object_state_after,
        source=_enum(Source, pb.DecisionSource, it.source, Source.INSTINCT),
    )


def _enum(kind: type[E], wire: Any, value: int, other: E) -> E:
    """The record's value for the wire's; `other` for what this client does not know."""
    name = wire.Name(value).lower() if value in wire.values() else ""
    return next((member for member in kind if name.endswith(f"_{member.value}")), other)
