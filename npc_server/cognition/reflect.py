"""Reflect: when enough that matters has come in, draw conclusions, each with its evidence (Generative Agents, section 4.2).

The model asks three questions about the latest 100 records. Each question retrieves memories, and from these the model draws up to five
insights. An insight without evidence is not stored, and neither is one that cites a memory that was not shown. Without a model nobody
reflects: what came in counts from zero again, and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.cognition.importance import rate
from npc_server.llm.reply import Numbers, Text, many
from npc_server.mind import importance_sum
from npc_server.mind.ask import ask
from npc_server.mind.baseline import Conclusion
from npc_server.mind.mind import Mind
from npc_server.mind.replies import INSIGHTS, KNOWN_INSIGHTS, QUESTIONS, FocalQuestion, Insight
from npc_server.mind.retrieve import memory_line, retrieve, tells_nothing
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, ScoredMemory, Source

LATEST = 100
"""Records looked back on (GA, section 4.2)."""
WORTH_ASKING = 3
"""Least importance of the records that questions are asked about."""
EVIDENCE_SHOWN = 30
"""Memories shown when insights are asked for."""
INSIGHT_LEAST = 4
"""Importance of an insight at least, where rules rate it; everyday sights are 2 and 3."""


def is_due(mind: Mind) -> bool:
    """Whether the importance of what came in since the last reflection reaches the threshold."""
    return mind.settings.reflection and importance_sum.reaches_threshold(mind)


async def reflect(mind: Mind, now: GameTime) -> list[Memory]:
    """The new insights, as memories linked to their evidence. What came in counts from zero again."""
    importance_sum.reset(mind)
    latest = [memory for memory in mind.stream.latest(LATEST) if memory.kind is not MemoryKind.PLAN and not memory.doubt]
    if not latest:
        return []
    baseline = mind.answerer.reference
    if baseline:
        return await _store(mind, await baseline.insights(mind, latest, now), now)
    questions = await ask(
        mind,
        "reflect_questions",
        many(FocalQuestion, QUESTIONS, QUESTIONS),
        lambda: mind.instinct.reflect_questions(mind, latest),
        now,
        max_tokens=40 * QUESTIONS,
        may_wait=True,
        memories=[memory.text for memory in reversed(_worth_asking(mind, latest))],
    )
    if questions.source is Source.INSTINCT:
        return []
    return await _store(mind, await _insights(mind, [item.question for item in questions.value], now), now)


async def _insights(mind: Mind, questions: Sequence[str], now: GameTime) -> list[Conclusion]:
    """What the model concludes from the memories that each question brings to mind."""
    shown: dict[int, ScoredMemory] = {}
    for question in questions:
        for scored in await retrieve(mind, question, now, EVIDENCE_SHOWN // QUESTIONS):
            shown.setdefault(scored.memory.id, scored)
    numbered = list(shown.values())
    memories = [scored.memory for scored in numbered]
    answer = await ask(
        mind,
        "reflect_insights",
        many(Insight, 1, INSIGHTS, insight=Text(180), memories=Numbers(tuple(range(1, len(numbered) + 1)))),
        lambda: mind.instinct.reflect_insights(mind, memories, now),
        now,
        max_tokens=60 * INSIGHTS,
        may_wait=True,
        questions=list(questions),
        memories=[f"{i}. {memory_line(mind, scored.memory, now)}" for i, scored in enumerate(numbered, start=1)],
        wanted=INSIGHTS,
    )
    if answer.source is Source.INSTINCT:
        return []
    return [Conclusion(item.insight, tuple(numbered[i - 1].memory.id for i in item.memories)) for item in answer.value]


async def _store(mind: Mind, insights: Sequence[Conclusion], now: GameTime) -> list[Memory]:
    # What is in doubt may be concluded again, from what is left.
    known = {memory.text.casefold() for memory in mind.stream.latest(KNOWN_INSIGHTS, (MemoryKind.REFLECTION,)) if not memory.doubt}
    fresh: list[Conclusion] = []
    for it in insights:
        if it.evidence and it.text.casefold() not in known:
            fresh.append(it)
            known.add(it.text.casefold())
    baseline = mind.answerer.reference
    if baseline:
        weighed = [await baseline.weigh(mind, it.text, now) for it in fresh]
    elif mind.settings.uses("rule_importance"):
        weighed = [(_weight(mind, it.evidence), ("", "", "")) for it in fresh]
    else:
        rated = await rate(mind, [it.text for it in fresh], now)
        weighed = [(value, ("", "", "")) for value in rated]
    made: list[Memory] = []
    for it, (value, triple) in zip(fresh, weighed, strict=True):
        made += await mind.remember(
            [it.text],
            kind=MemoryKind.REFLECTION,
            at=now,
            importance=[value],
            source=MemorySource.THOUGHT,
            triples=[triple],
            evidence=it.evidence,
        )
    return made


def _weight(mind: Mind, evidence: Sequence[int]) -> int:
    """An insight is as important as its most important evidence, and at least `INSIGHT_LEAST`."""
    return max(INSIGHT_LEAST, *(mind.stream.get(number).importance for number in evidence if number in mind.stream), 0)


def _worth_asking(mind: Mind, latest: Sequence[Memory]) -> Sequence[Memory]:
    """The records without everyday sights, about which nobody asks themselves anything. Of talks of others the weightiest line is shown."""
    if not mind.settings.uses("fuller_calls"):
        return latest
    return [
        memory for memory in importance_sum.talks_once(mind, latest) if memory.importance >= WORTH_ASKING and not tells_nothing(memory)
    ] or latest
