"""Converse: line by line, each conditioned on what the speaker remembers of the others and on the dialogue so far.

Generative Agents, section 4.3.2. Afterwards everybody remembers what was said, what others claimed (as their claims),
and what follows from it for the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from npc_server.affordable.social_memory import facts_of, revise, talk_over
from npc_server.cognition.claims import believe, claims_of
from npc_server.cognition.importance import rate
from npc_server.english.text import TALKED_WITH, clipped, each_once, words_in
from npc_server.llm.engine import OnText
from npc_server.llm.reply import ReplyType, many, one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.memory.ledger import BY_INSTINCT
from npc_server.mind import offers, relationships
from npc_server.mind.ask import ask, by_instinct
from npc_server.mind.instinct import Said
from npc_server.mind.mind import Mind
from npc_server.mind.replies import LEAVE, LINE, NOTHING, STAY, Learned, Spoken, SpokenWithDeed, Summary, Willing
from npc_server.mind.retrieve import as_lines, for_prompt, on_topic
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, ScoredMemory, Source, Talk

ROUND_IMPORTANCE = 2
"""Of having talked with somebody in a larger round."""
ON_TOPIC = 4
"""Memories on the topic that stand beside Social Memory."""
SAME_WORDS, FEWEST_WORDS = 0.85, 4
"""Share of the words of two lines that stand in the same order in both, from which on one repeats the other; and of how many words on."""


async def listen(mind: Mind, who: str, now: GameTime, *, hurried: bool) -> tuple[bool, Source]:
    """Whether an NPC that is spoken to has time. Without an answer, who is in a hurry or speaks to a stranger declines."""

    def plain() -> Willing:
        return mind.instinct.listen(mind, who, now, hurried=hurried)

    sure = mind.settings.uses("calm_reactions") and (hurried or not _wary(mind, who))
    if sure or mind.as_reference():  # the reference does not ask whoever is spoken to
        return plain() == Willing("yes"), Source.INSTINCT
    with_social = relationships.kept_by(mind)
    found = [] if with_social else await for_prompt(mind, "listen", f"{mind.name_of(who)} and {mind.persona.first_name}", now, 8)
    answer = await ask(
        mind,
        "listen",
        one(Willing),
        plain,
        now,
        max_tokens=8,
        other=mind.name_of(who),
        between=relationships.line(mind, who, named=True) if with_social else "",
        memories=as_lines(mind, found, now),
        hurried=hurried,
    )
    return answer.value.answer == "yes", answer.source


def _wary(mind: Mind, who: str) -> bool:
    """Whether one knows the other and yet is not close: then a rule is not sure."""
    kept = relationships.of(mind, who)
    return kept.relation != relationships.STRANGER and kept.closeness < relationships.MET


async def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: frozenset[tuple[str, int]],
    *,
    about: str = "",
    last_words: bool = False,
    answers_goodbye: bool = False,
    on_text: OnText | None = None,
) -> tuple[Said, Source]:
    """The next line. `about` is why the speaker began to talk; `last_words` tells it that it has to go now.

    To a goodbye people answer with one of their own farewells, where their persona has some. A model that wants to see drafts is asked for
    a line where something is remembered to be said: what a small one says of its own accord is of its training. What it does rules choose.
    """
    if answers_goodbye and mind.settings.uses("calm_reactions") and mind.persona.voice.farewells and mind.engine.status().ready:
        return mind.instinct.farewell(mind, talk), Source.INSTINCT
    others = mind.others_in(talk)
    topic = talk.lines[-1].text if talk.lines else about or " ".join(mind.name_of(other) for other in others)
    baseline = mind.as_reference()
    suggested = await mind.instinct.say(mind, talk, now, told, about, last_words=last_words)
    if suggested.is_all():
        return by_instinct(mind, "say", suggested.said, now, BY_INSTINCT).value, Source.INSTINCT
    as_it_comes = baseline or mind.engine.status().stands_in  # who stands in for a model would only say it again
    between, memories = await (baseline.talk_context if baseline else _context)(mind, talk, others, topic, now)
    fresh = mind.instinct.news(mind, others, now, told)
    offered = () if mind.is_small() else mind.persona.offers  # such a model is taught no calls: rules choose
    remembered_lines = as_lines(mind, memories, now)
    place = mind.world.describe(talk.place) if talk.place else ""

    def shown() -> list[str]:
        lines = mind.dialogue(talk.lines) + remembered_lines + between
        return [*lines, *(mind.name_of(other) for other in others), about, place, fresh.text if fresh else ""]

    def wrong(spoken: Spoken | SpokenWithDeed) -> str:
        return _said_before(talk, spoken.say) or suggested.wrong(spoken.say, shown())

    def instinct() -> Spoken | SpokenWithDeed:
        plain = suggested.said()
        words, then = clipped(plain.text, 240, "Well."), LEAVE if plain.leaves else STAY
        return SpokenWithDeed(words, plain.call, then) if offered else Spoken(words, then)

    line = suggested.form(LINE)
    reply: ReplyType[Spoken | SpokenWithDeed] = (
        one(SpokenWithDeed, say=line, does=offers.OneOf(offered)) if offered else one(Spoken, say=line)
    )
    answer = await ask(
        mind,
        "ga_say" if baseline else "say",
        reply,
        instinct,
        now,
        check=None if as_it_comes else wrong,
        max_tokens=90,
        on_text=SpokenWords(on_text, "say: ").feed if on_text else None,
        others=[mind.name_of(other) for other in others],
        place=place,
        between=between,
        memories=remembered_lines,
        news=_told_by(mind, fresh) + fresh.text if fresh else "",
        voice=mind.persona.voice.style,
        examples=list(mind.persona.voice.examples[:4]),
        dialogue=mind.dialogue(talk.lines[-12:]),
        about=about,
        last_words=last_words,
        offers=offers.lines(offered),
        draft=instinct().say if mind.engine.status().drafts else "",
    )
    if answer.source is Source.INSTINCT:
        return suggested.said(), Source.INSTINCT
    spoken = answer.value
    passed_on = (fresh.id,) if fresh is not None and mind.instinct.tells(spoken.say, fresh) else ()
    call = spoken.does if isinstance(spoken, SpokenWithDeed) else None
    # Who says a draft in its own voice claims what the draft does; of a line of its own that is not known.
    claims = suggested.said().claims if suggested.is_remembered else None
    return Said(each_once(spoken.say), last_words or spoken.then == LEAVE, claims, passed_on, call), answer.source


async def _context(mind: Mind, talk: Talk, others: Sequence[str], topic: str, now: GameTime) -> tuple[list[str], list[ScoredMemory]]:
    """What a line rests on: Social Memory and a few memories on the topic; without it memories of the others, too."""
    if relationships.kept_by(mind):
        return [relationships.line(mind, other, named=True) for other in others], await on_topic(mind, "say", topic, now, ON_TOPIC)
    known = await for_prompt(mind, "say", f"{mind.persona.first_name} and {', '.join(mind.name_of(o) for o in others)}", now, 8)
    recent = await for_prompt(mind, "say", topic, now, 8)
    return [], list({scored.memory.id: scored for scored in [*known, *recent]}.values())


def _said_before(talk: Talk, text: str) -> str:
    """What is wrong with a line that says in the same words what was said in this talk, or nothing: it is worth another try."""
    words = words_in(text)
    if len(words) < FEWEST_WORDS:
        return ""
    same = next((line.text for line in talk.lines if SequenceMatcher(None, words, words_in(line.text)).ratio() > SAME_WORDS), "")
    return f"says again what was said: {same!r}" if same else ""


async def repeats(mind: Mind, talk: Talk, text: str, similarity: float) -> bool:
    """Whether a line says what somebody said in this conversation already (loop detection by embedding)."""
    said = [line.text for line in talk.lines]
    if not said:
        return False
    if text.casefold() in (line.casefold() for line in said):
        return True
    rows = await mind.embedder.embed([text, *said])
    return bool(np.max(rows[1:] @ rows[0]) > similarity)


async def remember(mind: Mind, talk: Talk, now: GameTime, summed_up: str = "") -> list[Memory]:
    """What stays of a conversation: that it was, what others claimed, what follows for the plan, and what the others are to one now.

    The first of the memories says what it was about. `summed_up` is what another already made of it: the reference asks that once for all.
    """
    others = mind.others_in(talk)
    spoke = list(dict.fromkeys(line.speaker for line in talk.lines if line.speaker != mind.npc))
    if not spoke:
        return []
    baseline = mind.as_reference()
    if baseline:
        return await baseline.remember_talk(mind, talk, spoke, summed_up, now)
    if not mind.asks_singly():
        overs = {
            other: await talk_over(
                mind, talk, other, mind.instinct.talk_summary(mind, talk).summary, mind.instinct.talk_claims(talk, other), now
            )
            for other in spoke
        }
        made = await that_they_talked(mind, talk, overs[spoke[0]].about, others, now)
        claims = {other: claims_of(talk, other, over.told) for other, over in overs.items()}
    else:
        overs = {}
        made = await that_they_talked(mind, talk, await _summary(mind, talk, others, now), others, now)
        claims = {other: claims_of(talk, other, await _found(mind, talk, other, now)) for other in spoke}
    for other in spoke:
        made += await believe(mind, other, [*mind.instinct.left_out(mind, talk, other, claims[other], now), *claims[other]], talk, now)
    for other in spoke:
        revised = overs[other].revised if other in overs else None
        if revised is not None:
            relationships.keep(mind, revised, [*overs[other].unseen, *made], now)
        elif not overs:
            await revise(mind, other, now, claims[other])
    return made


async def that_they_talked(mind: Mind, talk: Talk, summary: str, others: Sequence[str], now: GameTime) -> list[Memory]:
    """Memories that the talk was: its summary, and one for each further person."""
    first = mind.persona.first_name
    made = await mind.remember(
        [summary],
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=await rate(mind, [summary], now),
        source=MemorySource.SEEN,
        triples=[(first, TALKED_WITH, mind.name_of(others[0]))],
        address=talk.place,
    )
    # The others of a larger round are found by their own names, too.
    further = [mind.name_of(other) for other in others[1:]]
    return made + await mind.remember(
        [f"{first} talked with {name} in a round of {len(others) + 1}." for name in further],
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=[ROUND_IMPORTANCE] * len(further),
        source=MemorySource.SEEN,
        triples=[(first, TALKED_WITH, name) for name in further],
        address=talk.place,
    )


async def _summary(mind: Mind, talk: Talk, others: Sequence[str], now: GameTime) -> str:
    answer = await ask(
        mind,
        "talk_summary",
        one(Summary),
        lambda: Summary(clipped(mind.instinct.talk_summary(mind, talk).summary, 200)),
        now,
        max_tokens=64,
        others=[mind.name_of(other) for other in others],
        dialogue=mind.dialogue(talk.lines),
    )
    return answer.value.summary


async def _found(mind: Mind, talk: Talk, speaker: str, now: GameTime) -> tuple[str, ...]:
    """What the model finds in the lines of a speaker of which is not known what they tell."""
    if all(line.claims is not None for line in talk.lines if line.speaker == speaker):
        return ()
    plain = tuple(Learned(clipped(text, 200)) for text in mind.instinct.talk_claims(talk, speaker))[:3] or (Learned(NOTHING),)
    answer = await ask(
        mind,
        "talk_claims",
        many(Learned, 1, 3),
        lambda: plain,
        now,
        max_tokens=120,
        other=mind.name_of(speaker),
        dialogue=mind.dialogue(talk.lines),
    )
    return facts_of([item.fact for item in answer.value])


def _told_by(mind: Mind, memory: Memory) -> str:
    return f"{mind.name_of(memory.source_person)} told you: " if memory.source is MemorySource.TOLD else ""
