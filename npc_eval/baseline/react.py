"""Reacts as the reference does. It asks whether to talk to a person, and whether to wait when both want the same place.

The reference asks nothing about objects (`_should_react`, `generate_decide_to_talk`, `generate_decide_to_react`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.llm.reply import Choice, ReplyType, one
from npc_server.mind import relationships, replies
from npc_server.mind.ask import Answer, R, ask
from npc_server.mind.instinct import MENDING_MIN, Errand, Reaction
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import as_lines, for_prompt, memory_line
from npc_server.records import Address, GameTime, Memory, MemoryKind, NpcId, PlanLevel, PlanStatus, Source

CONTEXT = 30
"""How many memories of the person the prompt shows, events and thoughts together."""
WAIT, GO_ON = "wait", "go on"


@dataclass(frozen=True)
class Talks:
    answer: Annotated[str, Choice(("yes", "no"))]


@dataclass(frozen=True)
class Waits:
    answer: Annotated[str, Choice((WAIT, GO_ON))]


async def react(mind: Mind, memory: Memory, who: NpcId, plain: Reaction, doing: str, here: Address, now: GameTime) -> Reaction | None:
    """Asks whether to talk to the person, then whether to wait for them. For objects the rules of instinct decide."""
    if not who:
        mind.add_steps(plain.later)
        return plain if plain.kind == replies.CHANGE else None
    is_talking, source = await _talks(mind, memory, who, plain.kind == replies.TALK, doing, now)
    if is_talking:
        return Reaction(replies.TALK, source, who, memory.text)
    if not _after_the_same(mind, memory, now):
        return None
    is_waiting, source = await _waits(mind, memory, who, doing, now)
    return (
        Reaction(replies.WAIT, source, "", memory.text, (Errand(MENDING_MIN, f"waiting for {mind.people.name_of(who)}", here),))
        if is_waiting
        else None
    )


async def _talks(mind: Mind, memory: Memory, who: NpcId, plainly: bool, doing: str, now: GameTime) -> tuple[bool, Source]:
    """Asks whether to begin a conversation with the person."""
    suggested = Talks("yes" if plainly else "no")
    answer = await _asked(mind, "ga_decide_talk", one(Talks), suggested, memory, who, doing, now)
    return answer.value.answer == "yes", answer.source


async def _waits(mind: Mind, memory: Memory, who: NpcId, doing: str, now: GameTime) -> tuple[bool, Source]:
    """Asks whether to wait until the person is done."""
    answer = await _asked(mind, "ga_decide_react", one(Waits), Waits(GO_ON), memory, who, doing, now)
    return answer.value.answer == WAIT, answer.source


def _after_the_same(mind: Mind, memory: Memory, now: GameTime) -> bool:
    """Returns whether the person is where the NPC is active itself. Only then does the reference ask about waiting."""
    mine = [s.address for s in mind.steps_of(PlanLevel.STEP, now) if s.status is PlanStatus.ACTIVE and s.address]
    return memory.address != "" and memory.address in mine


async def _asked(
    mind: Mind, question: str, reply: ReplyType[R], suggested: R, memory: Memory, who: NpcId, doing: str, now: GameTime
) -> Answer[R]:
    """Asks with memories of the person, as the reference does, or with Social Memory when that part is on alone."""
    name = mind.people.name_of(who)
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
