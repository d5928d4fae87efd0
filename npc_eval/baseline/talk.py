"""Holds a conversation as the reference does.

Each turn asks for a summary of the relationship and for a line. After the conversation come a summary and each speaker's thoughts. In the
reference these calls are `generate_summarize_agent_relationship`, `generate_one_utterance`, `generate_convo_summary`,
`generate_planning_thought_on_convo`, `generate_memo_on_convo` and `generate_new_decomp_schedule`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from npc_eval.baseline.parts import weigh
from npc_server import clock
from npc_server.affordable.social_memory import revise
from npc_server.cognition.claims import believe, claims_of
from npc_server.cognition.remember_talk import that_they_talked
from npc_server.english.text import clipped
from npc_server.llm.reply import Integer, Text, many, one
from npc_server.mind import relationships
from npc_server.mind.ask import ask
from npc_server.mind.baseline import Triple
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import for_prompt
from npc_server.records import (
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
    ScoredMemory,
    Source,
    Talk,
)

OF_THE_OTHER = 50
"""From how many memories each turn sums up the relationship. The reference takes as many."""
FOR_A_LINE = 15
"""How many memories are retrieved for each focal point of a line."""
LAST_LINES = 4
MOST_ROWS = 12
ON_TOPIC = 4
"""How many memories on the topic are shown beside Social Memory, when that part is on alone."""


@dataclass(frozen=True)
class Summed:
    summary: Annotated[str, Text(300)]


@dataclass(frozen=True)
class TalkThought:
    thought: Annotated[str, Text(200, "one sentence")]


@dataclass(frozen=True)
class RescheduledStep:
    minutes: Annotated[int, Integer(1, 60)]
    activity: Annotated[str, Text(100)]


async def context(mind: Mind, talk: Talk, others: Sequence[str], topic: str, now: GameTime) -> tuple[list[str], list[ScoredMemory]]:
    """Returns what a line is conditioned on: the relationship of the speaker to the others, and memories."""
    if relationships.kept_by(mind):
        return [relationships.line(mind, other) for other in others], await for_prompt(mind, "ga_say", topic, now, ON_TOPIC)
    between = await _relationship(mind, others[0], now)
    last = " ".join(mind.dialogue(talk.lines[-LAST_LINES:]))
    doing = f"{mind.people.name_of(others[0])} is talking with {mind.persona.first_name}"
    found: dict[int, ScoredMemory] = {}
    for focal in (between, doing, last):
        for scored in await for_prompt(mind, "ga_say", focal, now, FOR_A_LINE) if focal else ():
            found.setdefault(scored.memory.id, scored)
    return [between], list(found.values())


async def remember(mind: Mind, talk: Talk, spoke: Sequence[str], summed_up: str, now: GameTime) -> list[Memory]:
    """Remembers a summary, a thought for the plan and a memo, each with importance and triple. Then it plans the schedule anew."""
    summed_up = summed_up or await _thought(mind, "ga_talk_summary", talk, mind.instinct.talk_summary(mind, talk).summary, now)
    made = await that_they_talked(mind, talk, summed_up, mind.others_in(talk), now)
    if not made:
        return []
    plainly = [fact for other in spoke for fact in await mind.instinct.talk_claims(mind, talk, other)]
    made += await _for_the_plan(mind, talk, plainly[0] if plainly else "", made[0], now)
    note, importance, triple = await _memo(mind, talk, plainly[0] if plainly else "", now)
    # The memo is kept as a claim of the one who spoke first. The claims of each line are kept, too.
    made += await believe(mind, spoke[0], [note], talk, now, [importance], [triple])
    for other in spoke:
        claims = claims_of(talk, other, ())
        made += await believe(mind, other, claims, talk, now)
        await revise(mind, other, now, claims)
    await _reschedule(mind, talk, now)
    return made


async def _relationship(mind: Mind, other: str, now: GameTime) -> str:
    name = mind.people.name_of(other)
    known = await for_prompt(mind, "ga_relationship", name, now, OF_THE_OTHER)
    answer = await ask(
        mind,
        "ga_relationship",
        one(Summed),
        lambda: Summed(clipped(relationships.line(mind, other), 300)),
        now,
        max_tokens=100,
        other=name,
        memories=[scored.memory.text for scored in known],
    )
    return answer.value.summary


async def _for_the_plan(mind: Mind, talk: Talk, plain: str, about: Memory, now: GameTime) -> list[Memory]:
    """Remembers a thought for the NPC's plans, with the conversation as its evidence."""
    plain = clipped(plain, 200, f"{mind.persona.first_name} goes on with the day.")
    thought = await _thought(mind, "ga_talk_plan", talk, plain, now)
    importance, triple = await weigh(mind, thought, now)
    return await mind.remember(
        [thought],
        kind=MemoryKind.REFLECTION,
        at=now,
        importance=[importance],
        source=MemorySource.THOUGHT,
        triples=[triple],
        evidence=(about.id,) if about.id else (),
    )


async def _memo(mind: Mind, talk: Talk, plain: str, now: GameTime) -> tuple[str, int, Triple]:
    """Asks what was worth hearing. Returns it with importance and triple."""
    plain = clipped(plain, 200, "They talked about this and that.")
    thought = await _thought(mind, "ga_talk_memo", talk, plain, now)
    importance, triple = await weigh(mind, thought, now)
    return thought, importance, triple


async def _reschedule(mind: Mind, talk: Talk, now: GameTime) -> None:
    """Plans the rest of the hour's steps anew around the conversation. The steps stay when the model has no answer."""
    until = now + len(talk.lines) * mind.settings.talk_line_s
    hour = next((s for s in mind.steps_of(PlanLevel.HOUR, now) if s.start <= now < s.end and s.origin is not PlanOrigin.AGREED), None)
    if hour is None or until >= hour.end:
        return
    ahead = [s for s in mind.steps_of(PlanLevel.STEP, now) if s.parent == hour.id and s.status is PlanStatus.AHEAD and s.end > until]
    if not ahead:
        return
    plain = tuple(RescheduledStep(_minutes(step, until), clipped(step.text, 100, "going on")) for step in ahead[:MOST_ROWS])
    answer = await ask(
        mind,
        "ga_reschedule",
        many(RescheduledStep, 1, MOST_ROWS),
        lambda: plain,
        now,
        max_tokens=24 * MOST_ROWS,
        schedule=[f"{clock.hhmm(s.start)} to {clock.hhmm(s.end)} {s.text}" for s in ahead],
        others=[mind.people.name_of(other) for other in mind.others_in(talk)],
        until=clock.hhmm(until),
        end=clock.hhmm(hour.end),
    )
    if answer.source is Source.INSTINCT:
        return
    mind.drop(ahead)
    made: list[PlanStep] = []
    at = until
    for i, row in enumerate(answer.value):
        end = hour.end if i == len(answer.value) - 1 else min(at + row.minutes * clock.MINUTE, hour.end)
        if at < end:
            made.append(PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, at, end, row.activity, "", PlanStatus.AHEAD, Source.MODEL))
        at = end
    mind.add_steps(made)


def _minutes(step: PlanStep, after: GameTime) -> int:
    return max(1, min(60, (step.end - max(step.start, after)) // clock.MINUTE))


async def _thought(mind: Mind, question: str, talk: Talk, plain: str, now: GameTime) -> str:
    answer = await ask(
        mind,
        question,
        one(TalkThought),
        lambda: TalkThought(clipped(plain, 200)),
        now,
        max_tokens=64,
        others=[mind.people.name_of(other) for other in mind.others_in(talk)],
        dialogue=mind.dialogue(talk.lines),
    )
    return answer.value.thought
