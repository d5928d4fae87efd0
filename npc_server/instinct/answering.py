"""Answering questions from memory without a model. An NPC that remembers nothing says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server import clock
from npc_server.english import polite_forms
from npc_server.english.answer_match import can_answer, name_words
from npc_server.english.answer_match_fuzzy import Candidate, best_match
from npc_server.english.indirect_questions import Aim, parse_fuzzy, rephrased
from npc_server.english.normalize import terms_of
from npc_server.english.question_parts import QuestionParts, parse_question
from npc_server.english.text import quoted
from npc_server.instinct import self_knowledge
from npc_server.instinct.about_asker import answer as of_who_asks
from npc_server.instinct.news import is_secret
from npc_server.instinct.self_knowledge import as_told
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic

MEMORIES_SEARCHED = 5000
"""Latest memories that are searched for an answer."""
MEMORIES_TRIED = 300
"""How many of these are tried as the answer, those with the most words of the question first."""


@dataclass(frozen=True)
class Question:
    """A parsed question."""

    text: str
    """Without polite forms before it."""
    asked: QuestionParts
    names: frozenset[str]
    """Words of the known names, in lower case."""


def parse(mind: Mind, question: str, asker: str) -> Question:
    text = polite_forms.strip_politeness(question)
    names = name_words(mind.persona.name, mind.name_of(asker), *mind.names.values())
    return Question(text, parse_question(rephrased(text), names), names)


def answer(mind: Mind, question: str, asker: str, now: GameTime) -> str:
    """The answer to a question in plain words; empty when nothing fits, since an NPC makes nothing up."""
    of_us = of_who_asks(mind, question, asker) or self_knowledge.answer(mind, question, asker, now)
    if of_us:
        return of_us
    memory = recall(mind, question, asker)
    return as_answer(mind, memory, question, asker, now) if memory else ""


def as_answer(mind: Mind, memory: Memory, question: str, asker: str, now: GameTime) -> str:
    """A memory as the answer to a question, with the person who told it."""
    said = f"{mind.first_name_of(memory.source_person)} told me: " if memory.source is MemorySource.TOLD and memory.source_person else ""
    when = f" That was {clock.ago(memory.created, now)}." if _WHEN_DID.search(question) and memory.source is not MemorySource.KNOWN else ""
    return said + as_told(mind, memory.text, asker) + when


def is_hypothetical(question: Question) -> bool:
    """Whether a question asks what the NPC would do if something happened, or offers something."""
    return bool(_HYPOTHETICAL.search(question.text))


def asks_whether_heard(question: Question) -> bool:
    """Whether a question asks if the NPC has heard of something. Only a memory with its words can answer that."""
    return bool(_HEARD_OF.search(question.text))


def recall(mind: Mind, question: str, asker: str) -> Memory | None:
    """The memory that can answer and shares most content words with the question; of equals the most important, then the newest.

    Memories that share no word are not tried, since there are thousands. Hypothetical questions have no answer in memory.
    """
    apart = parse(mind, question, asker)
    if is_hypothetical(apart):
        return None
    me, other, asked, known = mind.persona.name, mind.name_of(asker), apart.asked, apart.names
    wanted = terms_of(apart.text) - terms_of(me) | (terms_of(other) if asked.of_asker else frozenset())
    found: list[tuple[int, int, int, Memory]] = []
    told = [memory for memory in mind.stream.latest(MEMORIES_SEARCHED) if may_tell(mind, memory, asker)]
    for memory in told:
        shared = len(wanted & (terms_of(memory.text) | terms_of(mind.name_of(memory.subject))))
        if shared:
            found.append((shared, memory.importance, memory.id, memory))
    found.sort(key=lambda entry: entry[:3], reverse=True)
    plain = parse_fuzzy(apart.text, known).aim not in (Aim.WORK, Aim.NEED)
    for *_, memory in found[: MEMORIES_TRIED * plain]:
        seen = memory.source is MemorySource.SEEN
        about = mind.name_of(memory.subject)
        if any(can_answer(asked, text, me=me, asker=other, about=about, known=known, seen=seen) for text in _readings(memory)):
            return memory
    return None if asks_whether_heard(apart) else _recall_fuzzy(mind, told, apart, asker)


def _readings(memory: Memory) -> tuple[str, ...]:
    """A memory's text, and for something said, the quotation alone."""
    return (memory.text, quoted(memory.text)) if memory.topic is MemoryTopic.SAID else (memory.text,)


def _recall_fuzzy(mind: Mind, told: Sequence[Memory], question: Question, asker: str) -> Memory | None:
    """The memory that answers in other words, among those that may be told."""
    tried = [memory for memory in told if can_be_paraphrased(memory)]
    tried.sort(key=lambda memory: (memory.importance, memory.id), reverse=True)
    candidates = [Candidate(memory.text, mind.name_of(memory.subject), i) for i, memory in enumerate(tried)]
    found = best_match(question.text, candidates, me=mind.persona.name, asker=mind.name_of(asker), known=question.names)
    return None if found is None else tried[found]


def may_tell(mind: Mind, memory: Memory, asker: str) -> bool:
    """Whether an NPC may tell a memory to somebody.

    It tells no plans, no list of its own deeds, no words of the asker, no former answers and no secrets. A conclusion from a secret is
    a secret, too. An interviewer from outside the world, who has no name, is told secrets.
    """
    if memory.kind is MemoryKind.PLAN or memory.source_person == asker or memory.topic in (MemoryTopic.ANSWERED, MemoryTopic.OWN_DEEDS):
        return False
    grounds = (mind.stream.get(number) for number in memory.evidence if number in mind.stream)
    secret = any(is_secret(mind.persona, it.text, it.kind) for it in (memory, *grounds))
    return not (secret and mind.name_of(asker)[:1].isupper())


def can_be_paraphrased(memory: Memory) -> bool:
    """Whether it may answer a question in other words. What somebody was seen doing says too little."""
    return not (memory.source is MemorySource.SEEN and memory.predicate == "is")


_HEARD_OF = re.compile(r"^(did|have|do) you (hear|heard|know|learn\w*) (anything |something |any news |more )?(of|about)\b", re.IGNORECASE)
_HYPOTHETICAL = re.compile(
    r"\bwould you\b.*\bif\b|\bif\b.*\bwould you\b|^would you (like|care for)\b|^what would you (do|say)\b", re.IGNORECASE
)
_WHEN_DID = re.compile(r"\b(when|how long ago) (did|was|were|has|have)\b", re.IGNORECASE)
"""Asks when something happened."""
