"""What people say without a model: a greeting, their most important recent news, an answer from memory, a farewell.

News spread by it from mouth to mouth, so a town has gossip before it has a model. Every line says what it tells as fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server import clock
from npc_server.cognition.mind import Mind
from npc_server.cognition.offers import Call
from npc_server.cognition.places import words_of
from npc_server.cognition.wording import ended, is_question
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, Talk

NEWS_IMPORTANCE = 6
"""Least importance of what is worth telling."""
CHATTER_IMPORTANCE = 7
"""Least importance of what somebody was seen doing, or of an overheard line that was not brought as news."""
NEWS_AGE = 3 * clock.DAY
"""Game seconds after which something is no news any more."""
SURPRISE = ("Well, I never.", "I hadn't heard.", "Is that so?", "Good to know.")
"""What one says to news, before one's own."""
LISTEN, HEARD = "Listen:", "Have you heard?"
"""How one tells of one's own intention, and of what one saw or overheard."""
HEARSAY = (MemorySource.TOLD, MemorySource.HEARD)
GOSSIP_ONE_IN = 2
"""Of so many chances to pass on what one only heard, one takes one."""
LINES_EACH = 3
"""Greeting, news, farewell."""


@dataclass(frozen=True)
class Said:
    text: str
    leaves: bool = False
    claims: tuple[str, ...] | None = ()
    """What it tells as news; None where that is not known."""
    told: tuple[int, ...] = ()
    """Ids of the memories that were passed on."""
    call: Call | None = None
    """An action of the game's that was chosen."""


def say(mind: Mind, talk: Talk, now: GameTime, told: frozenset[tuple[str, int]]) -> Said:
    """The next line of a conversation. `told` are pairs of a person and the id of a memory they were told already."""
    others = mind.others_in(talk)
    own = [line for line in talk.lines if line.speaker == mind.npc]
    heard = talk.lines[-1] if talk.lines and talk.lines[-1].speaker != mind.npc else None
    pick = _Picker(mind, talk)
    # Instinct asks nothing that wants an answer: its "Lamp oil?" is a greeting, and must not keep the news from being told.
    if heard is not None and is_question(heard.text) and heard.claims is None:
        return Said(answer(mind, heard.text, heard.speaker, now) or pick(mind.persona.voice.dont_know, "I couldn't say."))
    if not own:
        return Said(pick(mind.persona.voice.greetings, f"Hello, {first_name(mind, others[0])}."))
    if len(own) >= LINES_EACH - 1 or _farewell(mind, heard.text if heard else ""):
        return farewell(mind, talk)
    reply = pick(SURPRISE, "") + " " if heard and heard.claims else ""
    memory = news(mind, others, now, told, [claim for line in talk.lines for claim in line.claims or ()])
    if memory is None or (memory.source in HEARSAY and not _gossips(mind, talk, memory)):
        return Said(reply + pick(mind.persona.voice.smalltalk, "It's a fine day for it."))
    claim = as_claim(mind, memory)
    return Said(reply + _telling(mind, memory, claim), claims=(claim,), told=(memory.id,))


def farewell(mind: Mind, talk: Talk) -> Said:
    return Said(_Picker(mind, talk)(mind.persona.voice.farewells, "I have to go. See you."), leaves=True)


def _gossips(mind: Mind, talk: Talk, memory: Memory) -> bool:
    """Whether one passes on what one only heard: not at every meeting, or a whole town would know everything by noon."""
    return mind.seed_for("gossips", talk.id, memory.id) % GOSSIP_ONE_IN == 0


def news(mind: Mind, others: Sequence[str], now: GameTime, told: frozenset[tuple[str, int]], said: Sequence[str] = ()) -> Memory | None:
    """The most important recent thing that none of the others told, is part of, or was told; the newest of equals.

    `said` is what was told in this conversation, by whomever.
    """
    names = {mind.name_of(other).casefold() for other in others} | {first_name(mind, other).casefold() for other in others}
    found: Memory | None = None
    # The same news may have been told, overheard and seen: it is passed on once.
    known = {_gist(mind, mind.stream.get(memory)) for other, memory in told if other in others and memory in mind.stream}
    known |= {_plain(claim) for claim in said}
    latest = [memory for memory in mind.stream.latest(1000) if memory.importance >= NEWS_IMPORTANCE]
    known |= {_gist(mind, memory) for memory in latest if memory.source_person in others}
    for memory in latest:
        if memory.created < now - NEWS_AGE or memory.kind in (MemoryKind.PLAN, MemoryKind.SEED):
            continue
        if memory.source_person in others or _is_chatter(mind, memory):
            continue
        if any((other, memory.id) in told for other in others) or memory.subject.casefold() in names:
            continue
        if memory.kind is MemoryKind.CONVERSATION and memory.source is not MemorySource.TOLD:
            continue
        if found is not None and memory.importance <= found.importance:
            continue
        gist = _gist(mind, memory)
        if gist not in known and not gist.startswith(tuple(names)) and gist != "":
            found = memory
    return found


def as_claim(mind: Mind, memory: Memory) -> str:
    """A memory as a sentence that stays true in another's mouth: an intention becomes what its owner said, gossip what it is about."""
    if memory.kind is MemoryKind.INTENTION:
        return f'{mind.persona.name} says: "{memory.text}"'
    if memory.source is MemorySource.HEARD and memory.predicate == "said":
        return _overheard(memory.subject, memory.object)
    if memory.source is MemorySource.SEEN and memory.predicate == "is":
        # What was seen an hour ago may be over.
        return memory.text.replace(" is ", " was ", 1)
    return memory.text


def _is_chatter(mind: Mind, memory: Memory) -> bool:
    """What people do all day, and what they say about this and that."""
    if memory.importance >= CHATTER_IMPORTANCE:
        return False
    if memory.source is MemorySource.HEARD and memory.predicate == "said":
        return _brought(memory.object) is None
    return memory.source is MemorySource.SEEN and memory.subject in mind.names.values()


def _brought(line: str) -> re.Match[str] | None:
    """How a line brings news, or None when it does not."""
    for surprise in SURPRISE:
        line = line.removeprefix(f"{surprise} ")
    return _BROUGHT.match(line)


_BROUGHT = re.compile(rf"({re.escape(LISTEN)}|{re.escape(HEARD)}|\w+ told me something\.) +(?P<news>.*)", re.DOTALL)


def _overheard(speaker: str, line: str) -> str:
    """What a line that was overheard tells: the news without how it was brought; a line that brings none, as it was said."""
    brought = _brought(line)
    if brought is None:
        return f'{speaker} says: "{line}"'
    return f'{speaker} says: "{brought["news"]}"' if brought[1] == LISTEN else brought["news"]


def _gist(mind: Mind, memory: Memory) -> str:
    """Equal for memories of the same news, however they came."""
    return _plain(as_claim(mind, memory))


def _plain(claim: str) -> str:
    return claim.casefold().strip(" .")


def _telling(mind: Mind, memory: Memory, claim: str) -> str:
    if memory.kind is MemoryKind.INTENTION:
        return f"{LISTEN} {memory.text}"
    if memory.source is MemorySource.TOLD and memory.source_person:
        return f"{first_name(mind, memory.source_person)} told me something. {claim}"
    return f"{HEARD} {claim}"


def answer(mind: Mind, question: str, asker: str, now: GameTime) -> str:
    """What is remembered about a question, in plain words; empty when nothing fits: an NPC does not make things up."""
    if _WHO_ARE_YOU.search(question):
        return f"I am {mind.persona.name}. {ended(next(iter(mind.persona.identity_phrases), ''))}".strip()
    memory = recall(mind, question, asker)
    if memory is None:
        return ""
    said = f"{first_name(mind, memory.source_person)} told me: " if memory.source is MemorySource.TOLD and memory.source_person else ""
    when = "" if memory.source is MemorySource.KNOWN else f" That was {clock.ago(memory.created, now)}."
    return said + ended(memory.text) + when


def recall(mind: Mind, question: str, asker: str) -> Memory | None:
    """The memory that shares most telling words with the question, the most important, newest of equals.

    At least half of them, and of those that are nobody's name: to have seen Tobin is not to know what he carves.
    """
    wanted = words_of(question) - _ASKING - words_of(mind.persona.name)
    if not wanted:
        return None
    needed = wanted - words_of(" ".join(mind.names.values())) or wanted
    best: tuple[int, int, int] | None = None
    found: Memory | None = None
    for memory in mind.stream.latest(5000):
        if memory.kind is MemoryKind.PLAN or memory.source_person == asker:
            continue
        words = words_of(f"{memory.text} {mind.name_of(memory.subject)}")
        score = (len(wanted & words), memory.importance, memory.id)
        if len(needed & words) * 2 >= len(needed) and (best is None or score > best):
            best, found = score, memory
    return found


def first_name(mind: Mind, person: str) -> str:
    return mind.name_of(person).split()[0]


def _farewell(mind: Mind, text: str) -> bool:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return bool(words & {"bye", "goodbye", "farewell"}) or "see you" in text.lower() or "good night" in text.lower()


_WHO_ARE_YOU = re.compile(r"\bwho (are you|you are)\b|\b(your name|introduce yourself)\b", re.IGNORECASE)
_ASKING = frozenset(
    words_of(
        "who what where when why how do does did you your are is was were will would can could have has had know hear heard tell me "
        "i we us any think about there that this please say said ever"
    )
)


@dataclass(frozen=True)
class _Picker:
    """One of several lines, by the save's seed: the same in every run, another in every conversation."""

    mind: Mind
    talk: Talk

    def __call__(self, lines: Sequence[str], otherwise: str) -> str:
        if not lines:
            return otherwise
        said = {line.text for line in self.talk.lines}
        fresh = [line for line in lines if line not in said] or list(lines)
        return fresh[self.mind.seed_for("say", self.talk.id, len(self.talk.lines)) % len(fresh)]
