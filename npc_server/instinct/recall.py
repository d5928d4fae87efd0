"""What an NPC could tell as an answer: memories and what it knows of the moment, by how well they answer.

A small model reads the line together with each sentence (npc-answers, `Embedder.answers`). Where there is none, sentences that are near by
their vectors count. What is not sure enough is not told, and the NPC says that it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from npc_server.bank.measure import read_again
from npc_server.data_files import read_json, read_toml
from npc_server.english.text import TALKED_WITH, ended, is_question, quoted, sentences
from npc_server.instinct.asker_head import may_be_about_asker
from npc_server.instinct.news import is_secret
from npc_server.instinct.self_knowledge import as_told, names_of_other, own_fact, own_names
from npc_server.llm.engine import LineInTalk, Scores
from npc_server.mind.instinct import INTERVIEWER, MUNDANE, PossibleAnswer
from npc_server.mind.listening import listening
from npc_server.mind.mind import Mind
from npc_server.mind.pronouns import with_pronouns
from npc_server.records import GameTime, Line, Memory, MemoryKind, MemorySource, MemoryTopic

MEMORIES_SEARCHED = 5000
"""Latest memories that are searched for an answer."""


@dataclass(frozen=True)
class Sentence:
    """Something that an NPC could tell."""

    read: str
    """As npc-answers reads it. npc-rerank reads it as it is told, but for the asker's own words."""
    memory: Memory | None = None
    """None for what it knows of itself and the moment."""
    asked: tuple[str, ...] = ()
    """Lines that it answers, for a sentence about the moment. Those with a name are left out: by its words a line is near all of them."""
    said: str = ""
    """How the asker's own words are told. Empty for all other sentences."""

    @property
    def is_own_fact(self) -> bool:
        """Whether it stands in the persona's file."""
        return self.memory is not None and self.memory.kind is MemoryKind.SEED


@dataclass(frozen=True)
class _Settings:
    nearest: int
    told: int
    least_log_odds: float
    reranked: int
    read_within: float
    least_read: float
    first_weight: float
    least_reranked: float
    least_possible: float
    least_cosine: float
    least_asked: float
    more_for_remarks: float
    you_told_me: Sequence[str]
    sentences: Mapping[str, str]


@cache
def _settings() -> _Settings:
    data: dict[str, Any] = read_toml("instinct.toml")
    return _Settings(**data["recall"], sentences=data["sentences"])


async def recall(
    mind: Mind, heard: str, asker: str, now: GameTime, facts: Mapping[str, str], before: Sequence[Line] = ()
) -> tuple[PossibleAnswer, ...]:
    """What may answer a line, the best first; at most three. Some of what npc-rerank reads is not sure, and only a candidate beside others.

    `facts` are the values of `line_facts`, `before` what was said before the line.
    """
    settings = _settings()
    known = [*await _nearest_memories(mind, heard, asker, settings.nearest), *_of_the_moment(facts)]  # of equals, who told it is said
    if not known or not heard.strip():
        return ()
    scores, odds = await mind.tools.embedder.answers(heard, [it.read for it in known]), None
    least = possible = settings.least_log_odds
    if scores is None:
        scores, least, possible = await _by_vectors(mind, heard, known), settings.least_cosine, settings.least_cosine
    elif asker not in mind.people.names:
        again = await _read_again(mind, listening(mind, heard, before, now, asker), asker, known, scores)
        if again is not None:
            (scores, odds), least, possible = again, settings.least_reranked, settings.least_possible
    if not is_question(heard):
        # Many players leave out the question mark. To a remark nobody says again what the other said.
        surer = least + settings.more_for_remarks
        scores = np.array([-np.inf if it.said and score < surer else score for it, score in zip(known, scores, strict=True)], np.float32)
    order = np.argsort(-scores, kind="stable")[: settings.told]
    return tuple(
        PossibleAnswer(
            _told(mind, known[place], asker),
            bool(scores[place] >= least),
            known[place].read if known[place].said else "",
            known[place].is_own_fact,
            None if odds is None else float(odds[place]),
        )
        for place in order
        if scores[place] >= possible
    )


async def _read_again(mind: Mind, heard: LineInTalk, asker: str, known: Sequence[Sentence], scores: Scores) -> tuple[Scores, Scores] | None:
    """What npc-rerank and npc-answers say of the best together, and what npc-rerank says alone: log odds. None without npc-rerank.

    npc-rerank reads them as they are told, as which they become candidates for the line.
    """
    settings = _settings()
    best = np.argsort(-scores, kind="stable")[: settings.reranked]
    best = best[scores[best] >= max(scores[best[0]] - settings.read_within, settings.least_read)]
    read = [known[place].read if known[place].said else _told(mind, known[place], asker) for place in best]
    odds = await read_again(mind.tools.embedder, heard, read, [bool(known[place].said) for place in best])
    if odds is None:
        return None
    both, alone = (np.full(len(known), -np.inf, np.float32) for _ in range(2))
    both[best], alone[best] = odds + settings.first_weight * scores[best], odds
    return both, alone


async def _by_vectors(mind: Mind, heard: str, known: Sequence[Sentence]) -> Scores:
    """How near a sentence of the line is to each memory, or to the lines that a sentence about the moment answers: cosines."""
    compared = [(it.read,) if it.memory is not None else it.asked for it in known]
    parts = sentences(heard)
    vectors = await mind.tools.embedder.embed([*parts, *(text for texts in compared for text in texts)])
    near = iter((vectors[len(parts) :] @ vectors[: len(parts)].T).max(axis=1))
    # Lines that players type are short, so unlike ones share much. More is asked of them.
    less = _settings().least_asked - _settings().least_cosine
    best = [max(islice(near, len(texts)), default=-1.0) for texts in compared]
    return np.array([score - less * (it.memory is None) for it, score in zip(known, best, strict=True)], np.float32)


def _of_the_moment(facts: Mapping[str, str]) -> list[Sentence]:
    """Sentences of `data/instinct.toml` whose braces all have a value."""
    return [
        Sentence(text.format_map(facts), asked=tuple(line for line in _asked()[name] if "{" not in line))
        for name, text in _settings().sentences.items()
        if facts.get(name)
    ]


@cache
def _asked() -> Mapping[str, Sequence[str]]:
    """Lines that each of these sentences answers, as players type them."""
    return read_json("moment.json")


async def _nearest_memories(mind: Mind, heard: str, asker: str, count: int) -> list[Sentence]:
    every, vectors = mind.stream.latest_vectors(MEMORIES_SEARCHED, (MemoryKind.PLAN,))
    if not every:
        return []
    (meant,) = await mind.tools.embedder.embed([heard])
    near = np.argsort(-(vectors @ meant), kind="stable")
    # Lazily, since what may be told takes longer to see than what is near.
    fit = (it for row in near if _tells_a_fact(it := every[row]) and may_tell(mind, it, asker) and _can_be_told(mind, it, asker))
    # What the asker said answers a question about the asker.
    tells_back = may_be_about_asker(mind.tools.embedder.name, meant)
    best = islice((it for it in fit if it.source_person != asker or tells_back), count)
    return [_sentence(mind, it, asker) for it in best]


def _sentence(mind: Mind, memory: Memory, asker: str) -> Sentence:
    """A memory as a sentence. Of the asker's own words the words are read, and the sentence says whose they are."""
    if memory.source_person == asker:
        words, ways = ended(quoted(memory.text)), _settings().you_told_me
        return Sentence(words, memory, said=f'{ways[memory.id % len(ways)]} "{words}"')
    if memory.kind is MemoryKind.SEED:
        return Sentence(own_fact(mind, memory.text, asker), memory)
    return Sentence(with_pronouns(memory.text, own_names(mind), names_of_other(mind, asker)), memory)


def _tells_a_fact(memory: Memory) -> bool:
    """Whether it is more than what somebody was seen doing, that a talk took place, or small talk that was overheard."""
    is_sight = memory.source is MemorySource.SEEN and memory.predicate == "is"
    is_small_talk = memory.source is MemorySource.HEARD and memory.importance <= MUNDANE
    return not is_sight and not is_small_talk and memory.predicate != TALKED_WITH


def _can_be_told(mind: Mind, memory: Memory, asker: str) -> bool:
    """Whether a fact of the persona's file can be said in the first person."""
    return memory.kind is not MemoryKind.SEED or bool(own_fact(mind, memory.text, asker))


def _told(mind: Mind, sentence: Sentence, asker: str) -> str:
    """The sentence in the first person, with the person who told it."""
    memory = sentence.memory
    if sentence.said or memory is None:
        return sentence.said or sentence.read
    if memory.kind is MemoryKind.SEED:
        return sentence.read
    if memory.source is not MemorySource.TOLD or not memory.source_person:
        return as_told(mind, memory.text, asker)
    words = quoted(memory.text) if memory.topic is MemoryTopic.SAID else ""
    told = f'"{ended(words)}"' if words else as_told(mind, memory.text, asker)
    return f"{mind.people.first_name_of(memory.source_person)} told me: {told}"


def may_tell(mind: Mind, memory: Memory, asker: str) -> bool:
    """Whether an NPC may tell a memory to somebody.

    It tells no plans, no list of its own deeds, no former answers, nobody's questions and no secrets. A conclusion from a secret is a
    secret, too. An interviewer from outside the world is told secrets.
    """
    if memory.kind is MemoryKind.PLAN or memory.topic in (MemoryTopic.ANSWERED, MemoryTopic.ASKED, MemoryTopic.OWN_DEEDS):
        return False
    if memory.source_person == asker and (memory.topic is not MemoryTopic.SAID or not quoted(memory.text)):
        return False
    grounds = (mind.stream.get(number) for number in memory.evidence if number in mind.stream)
    secret = any(is_secret(mind.persona, it.text, it.kind) for it in (memory, *grounds))
    return not secret or asker == INTERVIEWER


def sure_one(found: Sequence[PossibleAnswer]) -> PossibleAnswer | None:
    """The best, if it may be told as the answer."""
    return found[0] if found and found[0].is_sure else None
