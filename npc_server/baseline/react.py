"""Reacting as the reference does: to a person it asks whether to talk, and, where both are after the same thing, whether to wait.

Its code asks nothing about objects (`_should_react`, `generate_decide_to_talk`, `generate_decide_to_react`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.llm.reply import Choice, ReplyType, one
from npc_server.mind import relationships
from npc_server.mind.ask import Answer, R, ask
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import as_lines, for_prompt, memory_line
from npc_server.records import GameTime, Memory, MemoryKind, NpcId, PlanLevel, PlanStatus, Source

CONTEXT = 30
"""Memories of the person shown, events and thoughts together."""
WAIT, GO_ON = "wait", "go on"


@dataclass(frozen=True)
class Talks:
    answer: Annotated[str, Choice(("yes", "no"))]


@dataclass(frozen=True)
class Waits:
    answer: Annotated[str, Choice((WAIT, GO_ON))]


async def talks(mind: Mind, memory: Memory, who: NpcId, plainly: bool, doing: str, now: GameTime) -> tuple[bool, Source]:
    """Whether to begin a conversation with the person seen."""
    suggested = Talks("yes" if plainly else "no")
    answer = await _asked(mind, "ga_decide_talk", one(Talks), suggested, memory, who, doing, now)
    return answer.value.answer == "yes", answer.source


async def waits(mind: Mind, memory: Memory, who: NpcId, doing: str, now: GameTime) -> tuple[bool, Source]:
    """Whether to wait until the person seen is done."""
    answer = await _asked(mind, "ga_decide_react", one(Waits), Waits(GO_ON), memory, who, doing, now)
    return answer.value.answer == WAIT, answer.source


def after_the_same(mind: Mind, memory: Memory, now: GameTime) -> bool:
    """Whether the person seen is where one is going to do something oneself; only then the reference thinks of waiting."""
    mine = [s.address for s in mind.steps_of(PlanLevel.STEP, now) if s.status is PlanStatus.ACTIVE and s.address]
    return memory.address != "" and memory.address in mine


async def _asked(
    mind: Mind, question: str, reply: ReplyType[R], suggested: R, memory: Memory, who: NpcId, doing: str, now: GameTime
) -> Answer[R]:
    """With what is known of the person: memories as the reference gathers them, Social Memory where that is on alone."""
    name = mind.name_of(who)
    if relationships.kept_by(mind):
        known = [relationships.line(mind, who), *as_lines(mind, await for_prompt(mind, question, memory.text, now, 4), now)]
    else:
        known = as_lines(mind, await for_prompt(mind, question, name, now, CONTEXT), now)
    last = next((m for m in mind.stream.about(name, 20) if m.kind is MemoryKind.CONVERSATION), None)
    return await ask(
        mind,
        question,
        reply,
        lambda: suggested,
        now,
        max_tokens=8,
        observation=memory.text,
        other=name,
        doing=doing or "nothing in particular",
        memories=known,
        last_talk=memory_line(mind, last, now) if last else "",
    )
