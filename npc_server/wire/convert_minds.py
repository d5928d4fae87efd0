"""Converts what minds send to messages and back: actions, speech, thoughts, memories, plans."""

from __future__ import annotations

from npc_server.records import (
    Action,
    Approach,
    Emotion,
    Feelings,
    GameAction,
    Memory,
    MindEvent,
    MindState,
    Mood,
    Need,
    Needs,
    Notice,
    NoticeLevel,
    PathQuery,
    PlanStep,
    ScoredMemory,
    Settled,
    Social,
    Source,
    Speech,
    Thought,
)
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields


def mind_event_to_wire(it: MindEvent) -> pb.MindEvent:
    if isinstance(it, Action):
        return pb.MindEvent(action=action_to_wire(it))
    if isinstance(it, PathQuery):
        return pb.MindEvent(path_query=pb.PathQuery(query_id=it.query_id, npc_id=it.npc, addresses=it.addresses))
    if isinstance(it, Speech):
        source = fields.write_enum(pb.DecisionSource, it.source)
        speech = pb.Speech(npc_id=it.npc, to=it.to, text=it.text, partial=it.partial, conversation_id=it.conversation, at_s=it.at)
        speech.source = source
        return pb.MindEvent(speech=speech)
    if isinstance(it, Approach):
        return pb.MindEvent(approach=approach_to_wire(it))
    if isinstance(it, Thought):
        return pb.MindEvent(
            thought=pb.Thought(npc_id=it.npc, text=it.text, source=fields.write_enum(pb.DecisionSource, it.source), at_s=it.at)
        )
    if isinstance(it, GameAction):
        return pb.MindEvent(game_action=game_action_to_wire(it))
    if isinstance(it, Feelings):
        return pb.MindEvent(feelings=feelings_to_wire(it))
    if isinstance(it, Notice):
        return pb.MindEvent(notice=notice_to_wire(it))
    return pb.MindEvent(settled=pb.Settled(seq=it.seq, next_wake_s=it.next_wake))


def approach_to_wire(it: Approach) -> pb.Approach:
    return pb.Approach(
        npc_id=it.npc,
        player=it.player,
        about=it.about,
        text=it.text,
        conversation_id=it.conversation,
        at_s=it.at,
        source=fields.write_enum(pb.DecisionSource, it.source),
    )


def approach_from_wire(it: pb.Approach) -> Approach:
    source = fields.read_enum(Source, pb.DecisionSource, it.source, "approach.source")
    return Approach(
        npc=it.npc_id, player=it.player, about=it.about, text=it.text, conversation=it.conversation_id, at=it.at_s, source=source
    )


def game_action_to_wire(it: GameAction) -> pb.GameAction:
    return pb.GameAction(npc_id=it.npc, call_id=it.call_id, name=it.name, arguments_json=it.arguments)


def mind_event_from_wire(event: pb.MindEvent) -> MindEvent | None:
    """Converts an event of a mind. Returns None for a welcome, an acknowledgement, and kinds that only a newer server knows."""
    kind = event.WhichOneof("event")
    if kind == "action":
        return action_from_wire(event.action)
    if kind == "path_query":
        query = event.path_query
        return PathQuery(npc=query.npc_id, query_id=query.query_id, addresses=tuple(query.addresses))
    if kind == "speech":
        it = event.speech
        by = fields.read_enum(Source, pb.DecisionSource, it.source, "speech.source")
        return Speech(it.npc_id, it.text, it.at_s, tuple(it.to), it.partial, it.conversation_id, by)
    if kind == "approach":
        return approach_from_wire(event.approach)
    if kind == "thought":
        thought = event.thought
        source = fields.read_enum(Source, pb.DecisionSource, thought.source, "thought.source")
        return Thought(npc=thought.npc_id, text=thought.text, source=source, at=thought.at_s)
    if kind == "game_action":
        call = event.game_action
        return GameAction(npc=call.npc_id, call_id=call.call_id, name=call.name, arguments=call.arguments_json)
    if kind == "feelings":
        return feelings_from_wire(event.feelings)
    if kind == "notice":
        notice = event.notice
        level = fields.read_enum(NoticeLevel, pb.NoticeLevel, notice.level, "notice.level")
        return Notice(level=level, reason=notice.reason, message=notice.message, seq=notice.seq)
    if kind == "settled":
        return Settled(seq=event.settled.seq, next_wake=event.settled.next_wake_s)
    return None


def notice_to_wire(it: Notice) -> pb.Notice:
    return pb.Notice(level=fields.write_enum(pb.NoticeLevel, it.level), reason=it.reason, message=it.message, seq=it.seq)


def feelings_to_wire(it: Feelings) -> pb.Feelings:
    return pb.Feelings(npc_id=it.npc, needs=needs_to_wire(it.needs), mood=mood_to_wire(it.mood), at_s=it.at)


def feelings_from_wire(it: pb.Feelings) -> Feelings:
    felt = fields.read_enum(Emotion, pb.Emotion, it.mood.emotion, "feelings.mood.emotion")
    needs = Needs(**{need.value: float(getattr(it.needs, need.value)) for need in Need})
    return Feelings(npc=it.npc_id, needs=needs, mood=Mood(felt, it.mood.strength, it.at_s), at=it.at_s)


def needs_to_wire(it: Needs) -> pb.Needs:
    return pb.Needs(**{need.value: it.of(need) for need in Need})


def mood_to_wire(it: Mood) -> pb.Mood:
    return pb.Mood(emotion=fields.write_enum(pb.Emotion, it.emotion), strength=it.strength)


def action_to_wire(it: Action) -> pb.Action:
    return pb.Action(
        action_id=it.id,
        npc_id=it.npc,
        sentence=it.sentence,
        address=it.address,
        emoji=it.emoji,
        start_s=it.start,
        end_s=it.end,
        object_action=it.object_action,
        object_state=it.object_state,
        object_state_after=it.object_state_after,
        source=fields.write_enum(pb.DecisionSource, it.source),
        seen_as=it.seen_as,
        talks_with=it.talks_with,
    )


def action_from_wire(it: pb.Action) -> Action:
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
        source=fields.read_enum(Source, pb.DecisionSource, it.source, "action.source"),
        seen_as=it.seen_as,
        talks_with=tuple(it.talks_with),
    )


def memory_to_wire(it: Memory) -> pb.Memory:
    return pb.Memory(
        id=it.id,
        npc_id=it.npc,
        kind=fields.write_enum(pb.MemoryKind, it.kind),
        text=it.text,
        created_s=it.created,
        last_access_s=it.last_access,
        importance=it.importance,
        subject=it.subject,
        predicate=it.predicate,
        object=it.object,
        source=fields.write_enum(pb.MemorySource, it.source),
        source_person=it.source_person,
        address=it.address,
        evidence=it.evidence,
        topic=fields.write_enum(pb.MemoryTopic, it.topic),
        key=it.key,
        doubt=it.doubt,
    )


def scored_to_wire(it: ScoredMemory) -> pb.ScoredMemory:
    return pb.ScoredMemory(
        memory=memory_to_wire(it.memory), score=it.score, recency=it.recency, importance=it.importance, relevance=it.relevance
    )


def social_to_wire(it: Social) -> pb.Relation:
    return pb.Relation(
        other=it.other,
        relation=it.relation,
        feeling=it.feeling,
        between=it.between,
        closeness=it.closeness,
        upto_memory_id=it.upto,
        revised_s=it.at,
    )


def plan_step_to_wire(it: PlanStep) -> pb.PlanStep:
    return pb.PlanStep(
        id=it.id,
        level=fields.write_enum(pb.PlanLevel, it.level),
        parent_id=it.parent,
        start_s=it.start,
        end_s=it.end,
        text=it.text,
        address=it.address,
        status=fields.write_enum(pb.PlanStatus, it.status),
        source=fields.write_enum(pb.DecisionSource, it.source),
        origin=fields.write_enum(pb.PlanOrigin, it.origin),
    )


def mind_to_wire(it: MindState) -> pb.GetMindResponse:
    return pb.GetMindResponse(
        npc_id=it.npc,
        name=it.name,
        identity=it.identity,
        action=action_to_wire(it.action) if it.action else None,
        address=it.address,
        asleep=it.asleep,
        now_s=it.now,
        memories={kind.value: count for kind, count in it.memories},
        model_answers=it.model_answers,
        instinct_answers=it.instinct_answers,
        known_addresses=it.known,
        policy_answers=it.policy_answers,
        chosen_answers=it.chosen_answers,
        needs=needs_to_wire(it.needs),
        mood=mood_to_wire(it.mood),
    )
