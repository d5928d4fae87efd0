"""What people say without a model: a greeting, what they came for, what the other's words bring to mind, their news, a farewell.

Every line says what it tells as fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from npc_server.english.first_person import spoken
from npc_server.english.reported_speech import reported
from npc_server.english.stems import words_of
from npc_server.english.text import SPOKEN_OF, ended, is_question, sentences
from npc_server.instinct import offers_asked, offers_words, phrases
from npc_server.instinct.answering import answer, as_answer
from npc_server.instinct.by_embedding import Meant, nothing
from npc_server.instinct.news import HEARSAY, as_claim, gossips, news, related, telling
from npc_server.instinct.oneself import own_names
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.personas.names import forms
from npc_server.records import GameTime, Line, Memory, MemoryKind, Talk

LINES_EACH = 3
"""Greeting, news, farewell, among the people of the town."""
GREETING_WORDS = 6
"""Most words of a first line that is nothing but a greeting."""
REMARKS_ONE_IN = 3
"""Of so many times that one was seen doing something one is spoken to about it once."""
_PASSING = words_of("walk pass go come stand sit wait")
"""Doings that nobody remarks on."""
_DOES = re.compile(r"^[A-Z]\w+( [A-Z]\w+)* is \w+ing\b")
"""What somebody was seen doing."""
_TAKES_LEAVE = re.compile(r"\b(bye|goodbye|farewell|see you|good night)\b")
SEEN_LATELY = 200
"""Among so many memories one looks whether what one came for is something that was seen."""


def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: Told,
    about: str = "",
    *,
    last_words: bool = False,
    meant: Meant = nothing,
) -> Said:
    """The next line of a conversation.

    `told` are pairs of a person and the id of a memory they were told already, `about` is what the speaker came to talk about, and with
    `last_words` it has to go. `meant` may answer the question just put, where rules find nothing.
    """
    called = on_offer(mind, talk)
    if called is not None:
        return _joined([called, farewell(mind, talk)]) if last_words else called
    others = mind.others_in(talk)
    own = [line for line in talk.lines if line.speaker == mind.npc]
    heard = talk.lines[-1] if talk.lines and talk.lines[-1].speaker != mind.npc else None
    said: list[Said] = []
    asking, goes = put(mind, talk), _farewell(heard.text if heard else "")
    if asking is not None:
        said.append(Said(_answered(mind, talk, asking, now, meant)))
    elif not own and not goes:
        said.append(_greeting(mind, talk, heard, about, told, now))
    # A player stays as long as the player likes.
    enough = len(own) >= LINES_EACH - 1 and all(other in mind.names for other in others)
    if last_words or enough or goes:
        said.append(farewell(mind, talk))
    return _joined(said or [_told(mind, talk, others, heard, told, now)])


def on_offer(mind: Mind, talk: Talk) -> Said | None:
    """What one says, and does, when somebody asks for something that one's persona offers; None where nobody does."""
    wanted = offers_asked.wanted(mind.persona.offers, talk, mind.npc)
    if wanted is None:
        return None
    usual = [line.format_map(wanted.values) for line in offers_words.lines(wanted.line)]
    return Said(_of(mind, talk, (wanted.call and wanted.offer.says) or usual), call=wanted.call)


def put(mind: Mind, talk: Talk) -> Line | None:
    """The question that was just put to one, if the last line was that.

    Instinct asks nothing that wants an answer: its "Lamp oil?" is a greeting, and must not keep the news from being told.
    """
    last = talk.lines[-1] if talk.lines else None
    return last if last and last.speaker != mind.npc and last.claims is None and is_question(last.text) else None


def farewell(mind: Mind, talk: Talk) -> Said:
    return Said(_pick(mind, talk, mind.persona.voice.farewells, "farewells"), leaves=True)


def _greeting(mind: Mind, talk: Talk, heard: Line | None, about: str, told: Told, now: GameTime) -> Said:
    """With what one came for, or what the other's first words bring to mind."""
    greeting = Said(_pick(mind, talk, mind.persona.voice.greetings, "greetings"))
    if about:
        opening = _opening(mind, talk, about)
        return _joined([greeting, Said(opening), *_brought_to_mind(mind, talk, about, told, now)]) if opening else greeting
    if heard is None or not _has_topic(talk):
        return greeting
    return _joined([greeting, *(_in_reply(mind, talk, heard, told, now) or [Said(_pick(mind, talk, (), "listening"))])])


def _opening(mind: Mind, talk: Talk, about: str) -> str:
    """What one came for: a topic, or what was seen; now and then what the other was seen doing. Empty where that says nothing."""
    if SPOKEN_OF in about:
        return ""
    seen = spoken(about, own_names(mind), _their_names(mind, talk))
    if seen.startswith("You "):
        remarks = mind.seed_for("remarks", talk.id) % REMARKS_ONE_IN == 0 and not words_of(about) & _PASSING
        return _pick(mind, talk, (), "notice", about=seen.rstrip(".")) if remarks else ""
    if about.startswith(tuple(mind.names.values())):
        return ""
    if any(memory.text == about for memory in mind.stream.latest(SEEN_LATELY)):
        return "" if _DOES.search(about) else ended(seen)
    if seen.startswith(("I ", "I'")):
        return ended(seen)
    return _pick(mind, talk, (), "opening", about=(seen if seen == about else seen[:1].lower() + seen[1:]).rstrip("."))


def _told(mind: Mind, talk: Talk, others: Sequence[str], heard: Line | None, told: Told, now: GameTime) -> Said:
    """An answer to what was said, one's news, or how things are in general."""
    reply = _in_reply(mind, talk, heard, told, now) if heard else []
    if any(part.told for part in reply):
        return _joined(reply)
    memory = news(mind, others, now, told, [claim for line in talk.lines for claim in line.claims or ()])
    if memory is not None and (memory.source not in HEARSAY or gossips(mind, talk, memory)):
        return _joined([*reply, _passed_on(mind, talk, memory)])
    if heard and _has_topic(talk):
        return _joined(reply or [Said(_pick(mind, talk, (), "well"))])
    return _joined(reply or [Said(_pick(mind, talk, mind.persona.voice.smalltalk, "smalltalk"))])


def _in_reply(mind: Mind, talk: Talk, heard: Line, told: Told, now: GameTime) -> list[Said]:
    """What one says to words that ask nothing: how they sound, and what they bring to mind."""
    lines = phrases.reply_to(heard.text) if heard.claims is None else phrases.lines("surprise") if heard.claims else ()
    found = [Said(_of(mind, talk, lines))] if lines else []
    topical = _has_topic(talk)
    if heard.claims is not None and not topical:
        return found
    known = _brought_to_mind(mind, talk, heard.text, told, now)
    return [*found, *(known or (_brought_to_mind(mind, talk, talk.lines[0].text, told, now) if topical else []))]


def _has_topic(talk: Talk) -> bool:
    """Whether somebody came to talk about something, or told it with the first words."""
    first = talk.lines[0].text
    return not _only_greets(first) and not phrases.is_from("notice", first)


def _brought_to_mind(mind: Mind, talk: Talk, topic: str, told: Told, now: GameTime) -> list[Said]:
    """What one knows on the topic and did not say yet, if anything."""
    memory = related(mind, mind.others_in(talk), topic, told, [line.text for line in talk.lines])
    return [_passed_on(mind, talk, memory, plainly=True)] if memory else []


def _passed_on(mind: Mind, talk: Talk, memory: Memory, *, plainly: bool = False) -> Said:
    claim = as_claim(mind, memory)
    plain = memory.text if memory.kind is MemoryKind.INTENTION else claim
    told = plain if plainly else telling(mind, memory, claim)
    words = spoken(reported(told), own_names(mind), _their_names(mind, talk), list(mind.names.values()))
    return Said(ended(words) if plainly else words, claims=(claim,), told=(memory.id,))


def _answered(mind: Mind, talk: Talk, heard: Line, now: GameTime, meant: Meant) -> str:
    found = "" if phrases.needs_no_memory(heard.text) else answer(mind, heard.text, heard.speaker, now)
    if found:
        return found
    lines = phrases.answer_to(heard.text)
    memory = None if lines else meant()
    if memory:
        return as_answer(mind, memory, heard.text, heard.speaker, now)
    return _of(mind, talk, lines) if lines else _pick(mind, talk, mind.persona.voice.dont_know, "dont_know")


def _joined(parts: Sequence[Said]) -> Said:
    """Several things said in one breath."""
    text = " ".join(part.text for part in parts)
    claims = tuple(claim for part in parts for claim in part.claims or ())
    told = tuple(memory for part in parts for memory in part.told)
    return replace(parts[-1], text=text, claims=claims, told=told, call=next((part.call for part in parts if part.call), None))


def _their_names(mind: Mind, talk: Talk) -> tuple[str, ...]:
    """Of whom one speaks to, when it is one alone."""
    others = mind.others_in(talk)
    return forms(mind.name_of(others[0])) if len(others) == 1 else ()


def _only_greets(text: str) -> bool:
    """Whether a first line says nothing but a greeting: few words, which sound like nothing one would answer."""
    return len(text.split()) <= GREETING_WORDS and not phrases.reply_to(text)


def _farewell(text: str) -> bool:
    """Whether somebody takes leave, in a sentence of its own: a farewell gift is none."""
    return any(_TAKES_LEAVE.search(it) for it in sentences(text.casefold()) if len(it.split()) <= GREETING_WORDS)


def _pick(mind: Mind, talk: Talk, own: Sequence[str], bank: str, **values: str) -> str:
    """One of the persona's own lines, or of the usual ones."""
    given: Mapping[str, str] = {"you": mind.first_name_of(mind.others_in(talk)[0]), **values}
    return _of(mind, talk, own or [line.format_map(given) for line in phrases.lines(bank)])


def _of(mind: Mind, talk: Talk, lines: Sequence[str]) -> str:
    """One of several lines that nobody said yet, by the save's seed: the same in every run, another in every conversation."""
    fresh = [line for line in lines if not any(line in said.text for said in talk.lines)] or list(lines)
    return fresh[mind.seed_for("say", talk.id, len(talk.lines)) % len(fresh)]
