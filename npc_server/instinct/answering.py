"""Answering: what is remembered about a question, looked up without a model. Who remembers nothing says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server import clock
from npc_server.english import polite_forms
from npc_server.english.answer_match import fits, name_words
from npc_server.english.answer_match_loose import Candidate, most_like
from npc_server.english.indirect_questions import Aim, put_otherwise, sought
from npc_server.english.normalize import levels
from npc_server.english.question_parts import QuestionParts, asked_of
from npc_server.english.text import quoted
from npc_server.instinct import oneself
from npc_server.instinct.asker import answer as of_who_asks
from npc_server.instinct.news import is_secret
from npc_server.instinct.oneself import as_told
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic

LATEST = 5000
"""How many memories are looked through for an answer, the latest first."""
LOOKED_AT = 300
"""How many of these are tried as the answer, those first that share most words with the question."""


@dataclass(frozen=True)
class Question:
    """A question taken apart."""

    text: str
    """Without the courtesies before it."""
    asked: QuestionParts
    names: frozenset[str]
    """Words of the names that are known, small."""


def taken_apart(mind: Mind, question: str, asker: str) -> Question:
    text = polite_forms.without(question)
    names = name_words(mind.persona.name, mind.name_of(asker), *mind.names.values())
    return Question(text, asked_of(put_otherwise(text), names), names)


def answer(mind: Mind, question: str, asker: str, now: GameTime) -> str:
    """What is remembered about a question, in plain words; empty when nothing fits: an NPC does not make things up."""
    of_us = of_who_asks(mind, question, asker) or oneself.answer(mind, question, asker, now)
    if of_us:
        return of_us
    memory = recall(mind, question, asker)
    return as_answer(mind, memory, question, asker, now) if memory else ""


def as_answer(mind: Mind, memory: Memory, question: str, asker: str, now: GameTime) -> str:
    """A memory as the answer to a question, with who said so."""
    said = f"{mind.first_name_of(memory.source_person)} told me: " if memory.source is MemorySource.TOLD and memory.source_person else ""
    when = f" That was {clock.ago(memory.created, now)}." if _WHEN_DID.search(question) and memory.source is not MemorySource.KNOWN else ""
    return said + as_told(mind, memory.text, asker) + when


def supposes(question: Question) -> bool:
    """Whether it is asked what one would do if something happened, or something is offered."""
    return bool(_SUPPOSES.search(question.text))


def asks_whether_heard(question: Question) -> bool:
    """Who is asked whether they heard of something heard of that, or did not."""
    return bool(_HEARD_OF.search(question.text))


def recall(mind: Mind, question: str, asker: str) -> Memory | None:
    """The memory that can be the answer and shares most telling words with the question, the most important, newest of equals.

    What shares none is not looked at: there are thousands. What one would do if something happened, nobody remembers.
    """
    apart = taken_apart(mind, question, asker)
    if supposes(apart):
        return None
    me, other, asked, known = mind.persona.name, mind.name_of(asker), apart.asked, apart.names
    wanted = levels(apart.text) - levels(me) | (levels(other) if asked.of_asker else frozenset())
    found: list[tuple[int, int, int, Memory]] = []
    told = [memory for memory in mind.stream.latest(LATEST) if may_tell(mind, memory, asker)]
    for memory in told:
        shared = len(wanted & (levels(memory.text) | levels(mind.name_of(memory.subject))))
        if shared:
            found.append((shared, memory.importance, memory.id, memory))
    found.sort(key=lambda entry: entry[:3], reverse=True)
    plain = sought(apart.text, known).aim not in (Aim.WORK, Aim.NEED)
    for *_, memory in found[: LOOKED_AT * plain]:
        seen = memory.source is MemorySource.SEEN
        about = mind.name_of(memory.subject)
        if any(fits(asked, text, me=me, asker=other, about=about, known=known, seen=seen) for text in _readings(memory)):
            return memory
    return None if asks_whether_heard(apart) else _recall_loosely(mind, told, apart, asker)


def _readings(memory: Memory) -> tuple[str, ...]:
    """A memory's text, and what somebody said where it is that."""
    return (memory.text, quoted(memory.text)) if memory.topic is MemoryTopic.SAID else (memory.text,)


def _recall_loosely(mind: Mind, told: Sequence[Memory], question: Question, asker: str) -> Memory | None:
    """The memory of those that may be told that says in other words what is asked."""
    tried = [memory for memory in told if says_enough(memory)]
    tried.sort(key=lambda memory: (memory.importance, memory.id), reverse=True)
    candidates = [Candidate(memory.text, mind.name_of(memory.subject), i) for i, memory in enumerate(tried)]
    found = most_like(question.text, candidates, me=mind.persona.name, asker=mind.name_of(asker), known=question.names)
    return None if found is None else tried[found]


def may_tell(mind: Mind, memory: Memory, asker: str) -> bool:
    """No plan, nothing of the asker's own or answered before, and no secret, except to who asks from outside the world and has no name.

    What was concluded from a secret is one, too.
    """
    if memory.kind is MemoryKind.PLAN or memory.source_person == asker or memory.topic is MemoryTopic.ANSWERED:
        return False
    grounds = (mind.stream.get(number) for number in memory.evidence if number in mind.stream)
    secret = any(is_secret(mind.persona, it.text, it.kind) for it in (memory, *grounds))
    return not (secret and mind.name_of(asker)[:1].isupper())


def says_enough(memory: Memory) -> bool:
    """Whether it may answer what is put in other words; a sight of a moment says too little."""
    return not (memory.source is MemorySource.SEEN and memory.predicate == "is")


_HEARD_OF = re.compile(r"^(did|have|do) you (hear|heard|know|learn\w*) (anything |something |any news |more )?(of|about)\b", re.IGNORECASE)
_SUPPOSES = re.compile(
    r"\bwould you\b.*\bif\b|\bif\b.*\bwould you\b|^would you (like|care for)\b|^what would you (do|say)\b", re.IGNORECASE
)
_WHEN_DID = re.compile(r"\b(when|how long ago) (did|was|were|has|have)\b", re.IGNORECASE)
"""Asks for the hour of what happened."""
