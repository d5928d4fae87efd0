"""News: what is worth passing on, and how it is told. It spreads from mouth to mouth, so a town has gossip before it has a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server import clock
from npc_server.english.stems import words_of
from npc_server.english.text import SAID, TOLD, is_question, sentences
from npc_server.instinct import deeds, phrases
from npc_server.instinct.poignancy import importance
from npc_server.mind.instinct import Told
from npc_server.mind.mind import Mind
from npc_server.personas.schema import Persona
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Talk

NEWS_IMPORTANCE = 6
"""Least importance of what is worth telling."""
CHATTER_IMPORTANCE = 7
"""Least importance of what somebody was seen doing, or of an overheard line that was not brought as news."""
NEWS_AGE = 3 * clock.DAY
"""Game seconds after which something is no news any more."""
LISTEN, HEARD = "Listen:", "Have you heard?"
"""How one tells of one's own intention, and of what one saw or overheard."""
QUOTES = 'says: "'
"""What stands between somebody's name and words that are passed on."""
_NO_NEWS = words_of(
    "reading writing lecturing teaching studying learning asking answering talking telling singing reciting painting drawing thinking going"
)
_OF_ONESELF = re.compile(r"(I|My)\b")
_QUOTING = re.compile(r'\bsays?: "')
HEARSAY = (MemorySource.TOLD, MemorySource.HEARD)
GOSSIP_ONE_IN = 2
"""Of so many chances to pass on what one only heard, one takes one."""
RELATED_LOOK_BACK = 2000
"""How many of the newest memories a topic brings to mind."""
SAID_SHARE = 0.7
"""Share of the words of a memory from which on it has been said."""
SECRET = re.compile(
    r"\b(secret\w*|(tells|told) (nobody|no one)|never (told|tells)|nobody knows|has not told|hides|hiding|has hidden)\b", re.IGNORECASE
)
"""What one keeps to oneself."""
_KEPT_BACK = re.compile(
    r"\b(nobody (must|may)|not (to )?tell|found out|(does|do) not know|believes that it is|not let (her|him|them) (see|know)|"
    r"without (her|him|them|anybody) knowing|ashamed)\b",
    re.IGNORECASE,
)
"""And of what a persona's file tells, this, too."""
_COMMON = words_of(" ".join(deeds.verbs())) | words_of(
    "day days today tonight morning evening night time week year thing things people somebody something good well old new fine little much "
    "many always never again still back home house want wants need go going come came been have know think like see look will would could"
)
"""Words that stand in so many sentences that to share them says nothing."""


def news(mind: Mind, others: Sequence[str], now: GameTime, told: Told, said: Sequence[str] = ()) -> Memory | None:
    """The most important recent thing that none of the others told, is part of, or was told; the newest of equals.

    `said` is what was told in this conversation, by whomever.
    """
    names = {mind.name_of(other).casefold() for other in others} | {mind.first_name_of(other).casefold() for other in others}
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
        if _comes_back(mind, memory):
            continue
        if any((other, memory.id) in told for other in others) or memory.subject.casefold() in names:
            continue
        if memory.kind is MemoryKind.CONVERSATION and memory.source is not MemorySource.TOLD:
            continue
        if memory.predicate in ("did", "could not"):
            continue  # what the game did on one's word, or would not let one do
        if found is not None and memory.importance <= found.importance:
            continue
        gist = _gist(mind, memory)
        if gist not in known and not gist.startswith(tuple(names)) and gist != "":
            found = memory
    return found


def related(mind: Mind, others: Sequence[str], topic: str, told: Told, said: Sequence[str]) -> Memory | None:
    """What one knows on a topic that somebody brought up: the memory with the most of its rarer words, the newest of equals.

    Nothing that the others told or were told, nothing about themselves, and nothing that was said in this conversation.
    """
    names = words_of(" ".join([mind.persona.name, *(mind.name_of(other) for other in others)]))
    wanted = words_of(topic) - names - _COMMON
    spoken = words_of(" ".join(said))
    best: tuple[int, int] | None = None
    found: Memory | None = None
    for memory in mind.stream.latest(RELATED_LOOK_BACK):
        tells = memory.object if memory.source is MemorySource.HEARD else memory.text
        shared = len(wanted & words_of(tells)) if wanted else 0
        if not shared or (best is not None and (shared, memory.id) <= best):
            continue
        if memory.kind in (MemoryKind.PLAN, MemoryKind.SEED):
            continue
        if memory.kind is MemoryKind.CONVERSATION and memory.source is not MemorySource.TOLD:
            continue
        if memory.source_person in others or any((other, memory.id) in told for other in others) or _seen_doing(memory):
            continue
        if memory.text.startswith(tuple(mind.name_of(other) for other in others)) or SECRET.search(memory.text):
            continue
        if _comes_back(mind, memory):
            continue
        words = words_of(tells) - names
        if len(words & spoken) > SAID_SHARE * len(words):
            continue
        best, found = (shared, memory.id), memory
    return found


def is_secret(persona: Persona, text: str, kind: MemoryKind) -> bool:
    """Whether it is what only the persona's file tells of oneself, and nobody is to know: the file says so, or the words do."""
    return kind is MemoryKind.SEED and bool(persona.keeps_back(text) or SECRET.search(text) or _KEPT_BACK.search(text))


def _comes_back(mind: Mind, memory: Memory) -> bool:
    """Whether it is what one said oneself, by way of others."""
    return memory.kind is not MemoryKind.INTENTION and as_claim(mind, memory).startswith(f"{mind.persona.name} {QUOTES}")


def _seen_doing(memory: Memory) -> bool:
    """What people and things do all day long, and what they say of no weight: no answer to anybody."""
    seen = memory.source in (MemorySource.SEEN, MemorySource.HEARD) and memory.predicate in ("is", SAID)
    light = memory.importance < NEWS_IMPORTANCE and (seen or memory.topic is MemoryTopic.SAID)
    return light or memory.topic is MemoryTopic.MET or _at_third_hand(memory)


def _at_third_hand(memory: Memory) -> bool:
    """Whether it is what somebody was overheard to quote, and did not bring as news: nobody quotes a quotation."""
    if not _is_overheard(memory) or not _QUOTING.search(memory.object):
        return False
    brought = _brought(memory.object)
    return brought is None or brought[1] == LISTEN


def _is_overheard(memory: Memory) -> bool:
    return memory.source is MemorySource.HEARD and memory.predicate == SAID


def as_claim(mind: Mind, memory: Memory) -> str:
    """A memory as a sentence that stays true in another's mouth: an intention becomes what its owner said, gossip what it is about."""
    if memory.kind is MemoryKind.INTENTION:
        return f'{mind.persona.name} {QUOTES}{memory.text}"'
    if memory.source is MemorySource.HEARD and memory.predicate == TOLD:
        return memory.object
    if _is_overheard(memory):
        return _overheard(mind, memory.subject, memory.object)
    if memory.source is MemorySource.TOLD and memory.source_person and _OF_ONESELF.match(memory.text):
        return f'{mind.name_of(memory.source_person)} {QUOTES}{memory.text}"'
    if memory.source is MemorySource.SEEN and memory.predicate == "is":
        # What was seen an hour ago may be over.
        return memory.text.replace(" is ", " was ", 1)
    return memory.text


def _is_chatter(mind: Mind, memory: Memory) -> bool:
    """What people do all day, and what they say about this and that."""
    if _at_third_hand(memory) or _is_no_news(mind, memory):
        return True
    if memory.importance >= CHATTER_IMPORTANCE:
        return False
    if _is_overheard(memory):
        return _brought(memory.object) is None
    return memory.source is MemorySource.SEEN and memory.subject in mind.names.values()


def _is_no_news(mind: Mind, memory: Memory) -> bool:
    """Whether it is that somebody reads or speaks of something, or goes to it: a book on floods is no flood."""
    doing = memory.source is MemorySource.SEEN and memory.predicate == "is" and memory.subject in mind.names.values()
    return doing and bool(words_of(memory.object.partition(" ")[0]) & _NO_NEWS)


def _brought(line: str) -> re.Match[str] | None:
    """How a line brings news, or None when it does not."""
    return _BROUGHT.match(_unsurprised(line))


def _unsurprised(line: str) -> str:
    """A line without what its speaker said to what was told before."""
    for surprise in phrases.lines("surprise"):
        line = line.removeprefix(f"{surprise} ")
    return line


_BROUGHT = re.compile(rf"({re.escape(LISTEN)}|{re.escape(HEARD)}|[\w ]+ told me something\.) +(?P<news>.*)", re.DOTALL)


def _overheard(mind: Mind, speaker: str, line: str) -> str:
    """What a line that was overheard tells: the news without how it was brought; of a line that brings none what matters in it, as said."""
    brought = _brought(line)
    if brought is not None:
        return f'{speaker} {QUOTES}{brought["news"]}"' if brought[1] == LISTEN else brought["news"]
    matters = worth_telling(_unsurprised(line))
    # What is told of somebody by name is true of them in anybody's mouth.
    return matters if matters.startswith(tuple(mind.names.values())) else f'{speaker} {QUOTES}{matters or _unsurprised(line)}"'


def worth_telling(line: str) -> str:
    """The sentences of a line that hold something to remember, as instinct sees it; a question holds nothing."""
    return " ".join(it for it in sentences(line) if not is_question(it) and importance(it) >= NEWS_IMPORTANCE)


def _gist(mind: Mind, memory: Memory) -> str:
    """Equal for memories of the same news, however they came."""
    return _plain(as_claim(mind, memory))


def _plain(claim: str) -> str:
    return claim.casefold().strip(" .")


def telling(mind: Mind, memory: Memory, claim: str) -> str:
    if memory.kind is MemoryKind.INTENTION:
        return f"{LISTEN} {memory.text}"
    if claim.startswith(mind.persona.first_name):  # it will say `I`
        return f"{LISTEN} {claim}"
    if memory.source is MemorySource.TOLD and memory.source_person and not claim.startswith(mind.name_of(memory.source_person)):
        return f"{mind.first_name_of(memory.source_person)} told me something. {claim}"
    return f"{HEARD} {claim}"


def gossips(mind: Mind, talk: Talk, memory: Memory) -> bool:
    """Whether one passes on what one only heard: not at every meeting, or a whole town would know everything by noon."""
    return mind.seed_for("gossips", talk.id, memory.id) % GOSSIP_ONE_IN == 0
