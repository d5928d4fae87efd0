"""How much a memory matters (Generative Agents, section 4.1): asked once for all that is new, and not for what instinct is sure of.

What others were heard to say, and what they told, is rated by instinct at first, and by the model when enough of it has come together.
Of a talk that was overheard the model rates the weightiest line: it is the one that counts (`mind.importance_sum`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from npc_server.llm.reply import many
from npc_server.mind import identity, importance_sum
from npc_server.mind.ask import ask
from npc_server.mind.instinct import MUNDANE, Weight
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Rating
from npc_server.records import GameTime, MemoryTopic

AT_ONCE = 12
"""Lines of others that are rated in one question."""
SEVERAL = 3
"""As many are rated before a reflection. Fewer keep what instinct said."""
LOOKED_THROUGH = 300
"""Latest memories among which those to be rated are looked for; what is older keeps what instinct said."""


async def rate(
    mind: Mind,
    texts: Sequence[str],
    now: GameTime,
    *,
    later: Collection[str] = (),
    topics: Sequence[MemoryTopic] = (),
    weights: Sequence[Weight] = (),
) -> list[int]:
    """Importance of each, 1 (mundane) to 10 (life changing); the model is asked for what instinct is not sure of.

    Those of `later` get what instinct says for the time being, and are rated by `catch_up`. `topics` are for each text, where there are
    any. `weights` are what instinct says, if that is known.
    """
    of = topics or [MemoryTopic.OTHER] * len(texts)
    weights = weights or await mind.instinct.importance(mind, texts, of)
    if not mind.answerer.asks("importance"):
        sure = [weight.importance == MUNDANE for weight in weights]
    elif mind.settings.uses("rule_importance"):
        sure = [weight.is_sure for weight in weights]
    else:
        sure = [mind.instinct.is_idle(mind, text, topic) for text, topic in zip(texts, of, strict=True)]
    values = [weight.importance for weight in weights]
    unsure = [i for i, it in enumerate(sure) if not it]
    if not unsure:
        return values
    baseline = mind.answerer.singly
    if baseline:
        for i in unsure:
            values[i] = await baseline.importance(mind, texts[i], values[i], now)
        return values
    mind.reflecting.unrated += [texts[i] for i in unsure if texts[i] in later and texts[i] not in mind.reflecting.unrated]
    unsure = [i for i in unsure if texts[i] not in later]
    for i, value in zip(unsure, await _asked(mind, [(texts[i], values[i]) for i in unsure], now), strict=True):
        values[i] = value
    return values


async def catch_up(mind: Mind, now: GameTime, least: int = AT_ONCE) -> None:
    """Rates what was put off, when there are at least so many."""
    while len(mind.reflecting.unrated) >= max(1, least):
        memories = [memory for memory in mind.stream.latest(LOOKED_THROUGH) if memory.text in mind.reflecting.unrated]
        counted = {memory.text for memory in importance_sum.talks_once(mind, memories)}
        mind.reflecting.unrated = [text for text in mind.reflecting.unrated if text in counted]
        if len(mind.reflecting.unrated) < least or not mind.reflecting.unrated:
            return
        texts, mind.reflecting.unrated = mind.reflecting.unrated[:AT_ONCE], mind.reflecting.unrated[AT_ONCE:]
        by_instinct = {memory.text: memory.importance for memory in memories if memory.text in texts}
        asked = list(by_instinct.items())
        rated = dict(zip(by_instinct, await _asked(mind, asked, now), strict=True))
        mind.set_importance({memory.id: rated[memory.text] for memory in memories if memory.text in rated})


async def _asked(mind: Mind, unsure: Sequence[tuple[str, int]], now: GameTime) -> list[int]:
    """The model's ratings of texts, each with what instinct says."""
    if not unsure:
        return []
    answer = await ask(
        mind,
        "importance",
        many(Rating, len(unsure), len(unsure), exact=True),
        lambda: tuple(Rating(value) for _, value in unsure),
        now,
        max_tokens=4 * len(unsure) + 8,
        memories=[text for text, _ in unsure],
        identity=identity.in_short(mind) if mind.budget.far else identity.in_prompts(mind),
    )
    return [rating.importance for rating in answer.value]
