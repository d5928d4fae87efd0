"""News: which memory an NPC passes on in a conversation, and how. A town has gossip even without a model."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.english.text import OF_OCCASION, SAID, TOLD, TOLD_OF_OCCASION, is_question, sentences
from npc_server.instinct import invitations, phrases
from npc_server.instinct.everyday_words import without_everyday
from npc_server.instinct.importance_head import weight_of
from npc_server.mind.appointments import EARLY
from npc_server.mind.instinct import WORTH_ASKING, Told
from npc_server.mind.mind import Mind
from npc_server.mind.named import is_word_in
from npc_server.mind.retrieve import is_kept_back
from npc_server.personas.schema import Persona
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Talk

NEWS_IMPORTANCE = 6
"""Least importance of news."""
CHATTER_IMPORTANCE = 7
"""Least importance of what somebody was seen doing, or of an overheard line that was not told as news, or of a sentence of a line."""
NEWS_AGE = 3 * clock.DAY
"""Game seconds after which something is no longer news."""
LOOKED_THROUGH = 1000
"""Latest memories among which news are looked for."""
LISTEN, HEARD, TOLD_ME = "listen", "heard", "told_me"
"""Phrases with which an NPC begins to tell its own intention, something it saw or overheard, and what a person told it."""
QUOTES = 'says: "'
"""Between the speaker's name and words that are passed on."""
NO_NEWS = stems_of(
    "reading writing lecturing teaching studying learning asking answering talking telling singing reciting painting drawing thinking "
    "going attending"
)
"""Stems of what is no news when somebody is seen doing it."""
_OF_ONESELF = re.compile(r"(I|My)\b")
_QUOTING = re.compile(r'\bsays?: "')
HEARSAY = (MemorySource.TOLD, MemorySource.HEARD)
GOSSIP_ONE_IN = 2
"""An NPC passes on hearsay in one of so many conversations."""
ALL_OVER_TOWN = 2
"""From so many people an NPC hears the same news until it no longer passes it on (stiflers: Daley and Kendall 1965)."""
_SECRET = re.compile(
    r"\b(secret\w*|(tells|told) (nobody|no one)|never (told|tells)|nobody knows|has not told|hides|hiding|has hidden)\b", re.IGNORECASE
)
"""Marks a secret."""
_KEPT_BACK = re.compile(
    r"\b(nobody (must|may)|not (to )?tell|found out|(does|do) not know|believes that it is|not let (her|him|them) (see|know)|"
    r"without (her|him|them|anybody) knowing|ashamed)\b",
    re.IGNORECASE,
)
"""Marks a secret, too, in what a persona's file tells."""


def news(mind: Mind, others: Sequence[str], now: GameTime, told: Told, said: Sequence[str] = ()) -> Memory | None:
    """The most important recent memory that is new to the others and not about them; the newest of equals. None when there is none.

    `told` are pairs of a person and a memory they were told. `said` are the claims made in this conversation.
    """
    names = {mind.people.name_of(other).casefold() for other in others} | {mind.people.first_name_of(other).casefold() for other in others}
    found: Memory | None = None
    # The same news may have been told, overheard and seen. It is passed on once.
    known = {_normalized(mind, mind.stream.get(memory)) for other, memory in told if other in others and memory in mind.stream}
    known |= {_plain(claim) for claim in said}
    latest = _important(mind)
    tellers: dict[str, set[str]] | None = None
    # Also what mattered little when they told it: somebody else's telling of the same may matter more.
    known |= {_normalized(mind, memory) for memory in mind.stream.latest(LOOKED_THROUGH) if _is_from(memory, others, names)}
    for memory in latest:
        if not _may_be_told(mind, memory, others, now, told) or memory.subject.casefold() in names:
            continue
        if found is not None and memory.importance <= found.importance:
            continue
        gist = _normalized(mind, memory)
        if gist in known or any(is_word_in(name, gist) for name in names) or gist == "" or _is_over(memory, now):
            continue
        if memory.kind is not MemoryKind.INTENTION:
            tellers = _tellers(mind, latest) if tellers is None else tellers
            if len(tellers.get(gist, ())) >= ALL_OVER_TOWN:
                continue
        found = memory
    return found


def _may_be_told(mind: Mind, memory: Memory, others: Sequence[str], now: GameTime, told: Told) -> bool:
    """Whether a memory is news at all, no secret, and none of the others told it or was told it."""
    if memory.created < now - NEWS_AGE or memory.doubt or memory.kind in (MemoryKind.PLAN, MemoryKind.SEED):
        return False
    if any((other, memory.id) in told for other in others):
        return False
    if _is_small_talk(mind, memory) or is_kept_back(mind, memory) or _is_own_words(mind, memory):
        return False
    if memory.kind is MemoryKind.CONVERSATION and memory.source is not MemorySource.TOLD:
        return False
    if memory.source in HEARSAY and memory.predicate in OF_OCCASION:
        return False  # who was at a party tells of it; nobody else does
    return memory.topic not in (MemoryTopic.CALLED, MemoryTopic.FAILED)  # what the game did, or refused to do, on the NPC's word


def _is_from(memory: Memory, others: Sequence[str], names: Collection[str]) -> bool:
    """Whether one of the others told it, or was overheard saying it. `names` are theirs."""
    return memory.source_person in others or (memory.source is MemorySource.HEARD and memory.subject.casefold() in names)


def _tellers(mind: Mind, latest: Sequence[Memory]) -> dict[str, set[str]]:
    """Who told the NPC each of its news, or said it where the NPC was."""
    found: dict[str, set[str]] = {}
    for memory in latest:
        if memory.source in HEARSAY:
            found.setdefault(_normalized(mind, memory), set()).add(memory.source_person or memory.subject)
    return found


def knew(mind: Mind, claims: Sequence[str], before: GameTime) -> bool:
    """Whether the NPC knew all these claims before a moment."""
    known = {_normalized(mind, memory) for memory in _important(mind) if memory.created < before}
    return bool(claims) and known >= {_plain(claim) for claim in claims}


def _important(mind: Mind) -> list[Memory]:
    """The latest memories that matter enough for news, the newest first. What is to take place on a day and at an hour concerns all."""
    return [it for it in mind.stream.latest(LOOKED_THROUGH) if it.importance >= _least(it) or _announces(it)]


def _least(memory: Memory) -> int:
    """The importance from which on a memory is news. What a player did is the talk of the town."""
    return WORTH_ASKING if memory.topic is MemoryTopic.PLAYER_DID else NEWS_IMPORTANCE


def _announces(memory: Memory) -> bool:
    return memory.topic is not MemoryTopic.APPOINTMENT and invitations.announces(memory.text)


def _is_over(memory: Memory, now: GameTime) -> bool:
    """Whether it tells of an hour to come, which has come since. Whoever is not on the way by then comes too late."""
    meant = invitations.find(memory.text, memory.created, ())
    return meant is not None and memory.created < meant.start <= now + EARLY


def is_secret(persona: Persona, text: str, kind: MemoryKind) -> bool:
    """Whether it is a secret from the persona's file: the file marks it as one, or its words do."""
    return kind is MemoryKind.SEED and bool(persona.keeps_back(text) or _SECRET.search(text) or _KEPT_BACK.search(text))


def _is_own_words(mind: Mind, memory: Memory) -> bool:
    """Whether it is the NPC's own words, passed on by others."""
    return memory.kind is not MemoryKind.INTENTION and as_claim(mind, memory).startswith(f"{mind.persona.name} {QUOTES}")


def _is_quoted_twice(memory: Memory) -> bool:
    """Whether it is an overheard line that quotes somebody and was not told as news. Nobody quotes a quotation."""
    if not _is_overheard(memory) or not _QUOTING.search(memory.object):
        return False
    brought = _news_brought(memory.object)
    return brought is None or bool(brought["own"])


def _is_overheard(memory: Memory) -> bool:
    return memory.source is MemorySource.HEARD and memory.predicate == SAID


def as_claim(mind: Mind, memory: Memory) -> str:
    """A memory as a claim that stays true when others repeat it.

    An intention becomes a quotation of the NPC. An overheard line becomes the news in it.
    """
    if memory.kind is MemoryKind.INTENTION:
        return f'{mind.persona.name} {QUOTES}{memory.text}"'
    if memory.source is MemorySource.HEARD and memory.predicate in (TOLD, TOLD_OF_OCCASION):
        return memory.object
    if _is_overheard(memory):
        return _overheard(mind, memory.subject, memory.object)
    if memory.source is MemorySource.TOLD and memory.source_person and _OF_ONESELF.match(memory.text):
        return f'{mind.people.name_of(memory.source_person)} {QUOTES}{memory.text}"'
    if memory.source is MemorySource.SEEN and memory.predicate == "is":
        # What was seen an hour ago may be over by now.
        return memory.text.replace(" is ", " was ", 1)
    return memory.text


def _is_small_talk(mind: Mind, memory: Memory) -> bool:
    """Whether it is no news: everyday doings, and small talk."""
    if _is_quoted_twice(memory) or _is_no_news(mind, memory):
        return True
    if memory.importance >= CHATTER_IMPORTANCE:
        return False
    if _is_overheard(memory):
        return _news_brought(memory.object) is None
    return memory.source is MemorySource.SEEN and memory.subject in mind.people.names.values()


def _is_no_news(mind: Mind, memory: Memory) -> bool:
    """Whether somebody was seen reading, speaking or going: a book on floods is no flood."""
    doing = memory.source is MemorySource.SEEN and memory.predicate == "is" and memory.subject in mind.people.names.values()
    return doing and bool(stems_of(memory.object.partition(" ")[0]) & NO_NEWS)


def _news_brought(line: str) -> re.Match[str] | None:
    """The parts of a line that tells news; None when it tells none."""
    return _brought().match(_unsurprised(line))


def _unsurprised(line: str) -> str:
    """A line without its speaker's surprise at what was told before."""
    for surprise in phrases.lines("surprise"):
        line = line.removeprefix(f"{surprise} ")
    return line


@cache
def _brought() -> re.Pattern[str]:
    """Matches a line that tells news, however it begins. `own` is how one begins to tell what one means to do."""
    own, other = _any_of(LISTEN), f"{_any_of(HEARD)}|{_any_of(TOLD_ME)}"
    return re.compile(rf"(?:(?P<own>{own})|{other}) +(?P<news>.*)", re.DOTALL)


def _any_of(bank: str) -> str:
    return "|".join(re.escape(line).replace(re.escape("{by}"), r"[\w ]+") for line in phrases.lines(bank))


def _overheard(mind: Mind, speaker: str, line: str) -> str:
    """The claim in an overheard line: the news in it, or else its important sentences as a quotation."""
    brought = _news_brought(line)
    if brought is not None:
        return f'{speaker} {QUOTES}{brought["news"]}"' if brought["own"] else brought["news"]
    matters = _worth_telling(mind, _unsurprised(line))
    # A sentence about somebody by name stays true whoever says it.
    return matters if matters.startswith(tuple(mind.people.names.values())) else f'{speaker} {QUOTES}{matters or _unsurprised(line)}"'


def _worth_telling(mind: Mind, line: str) -> str:
    """The important sentences of a line, without questions."""
    town = mind.places.everyday()
    weighed = ((it, weight_of(without_everyday(it, town))) for it in sentences(line) if not is_question(it))
    return " ".join(it for it, weight in weighed if weight >= CHATTER_IMPORTANCE)


def _normalized(mind: Mind, memory: Memory) -> str:
    """Equal for memories of the same news, whatever their source."""
    return _plain(as_claim(mind, memory))


def _plain(claim: str) -> str:
    return claim.casefold().strip(" .")


def brought_by(mind: Mind, memory: Memory, claim: str) -> tuple[str, str]:
    """The name of the phrases with which the news begins, and the news. Who was at an occasion just says so, and the name is empty."""
    if memory.kind is MemoryKind.INTENTION:
        return LISTEN, memory.text
    if memory.predicate in OF_OCCASION:
        return "", claim
    if claim.startswith(mind.persona.first_name):  # this will become `I`
        return LISTEN, claim
    if memory.source is MemorySource.TOLD and memory.source_person and not claim.startswith(mind.people.name_of(memory.source_person)):
        return TOLD_ME, claim
    return HEARD, claim


def told_of(mind: Mind, who: str) -> Memory | None:
    """What weighs most of what others told, or said where the NPC was, that `who` did; the newest of equals. None if nothing is known."""
    found = (it for it in mind.stream.latest(LOOKED_THROUGH) if it.source in HEARSAY and it.source_person != who and not it.doubt)
    of_them = (it for it in found if it.predicate in (TOLD, TOLD_OF_OCCASION) and _is_of(as_claim(mind, it), who))
    return max(of_them, key=lambda memory: (memory.importance, memory.id), default=None)


def _is_of(claim: str, who: str) -> bool:
    """Whether a claim says what somebody did, and not what they said."""
    return claim.startswith(f"{who} ") and not claim.startswith(f"{who} {QUOTES}")


def passes_on_hearsay(mind: Mind, talk: Talk, memory: Memory) -> bool:
    """Whether an NPC passes on hearsay in this conversation. If it always did, the whole town would know everything by noon."""
    return mind.seed_for("gossips", talk.id, memory.id) % GOSSIP_ONE_IN == 0
