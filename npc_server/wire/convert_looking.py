"""Converts what is looked at in minds to messages: what everybody does, and the latest questions with their answers."""

from __future__ import annotations

from npc_server.records import AskedQuestion, MindGlance
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields
from npc_server.wire.convert_minds import action_to_wire, mood_to_wire, needs_to_wire


def glance_to_wire(it: MindGlance) -> pb.MindGlance:
    return pb.MindGlance(
        npc_id=it.npc,
        name=it.name,
        action=action_to_wire(it.action) if it.action else None,
        address=it.address,
        asleep=it.asleep,
        needs=needs_to_wire(it.needs),
        mood=mood_to_wire(it.mood),
        memories=it.memories,
        latest_memory_id=it.latest_memory,
        latest_question_id=it.latest_question,
        why=it.why,
        origin=fields.write_enum(pb.PlanOrigin, it.origin) if it.origin else pb.PLAN_ORIGIN_UNSPECIFIED,
    )


def question_to_wire(it: AskedQuestion) -> pb.Question:
    call = it.call
    return pb.Question(
        id=it.id,
        npc_id=call.npc,
        name=call.stage,
        at_s=call.at,
        by=fields.write_enum(pb.AnsweredBy, it.by),
        outcome=fields.write_enum(pb.QuestionOutcome, call.outcome),
        reason=call.reason,
        system=it.system,
        user=it.user,
        reply=it.reply,
        prompt_tokens=call.prompt_tokens,
        cached_tokens=call.cached_tokens,
        reply_tokens=call.reply_tokens,
        wall_ms=call.wall_ms,
    )
