"""Conversation without a model: a greeting, a topic, news, an answer, a farewell.

Every line carries the claims that it makes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from npc_server.english.text import OF_OCCASION, SAID_QUOTE, ended, is_question, sentences
from npc_server.instinct import invitations, offers_asked, offers_words, phrases, together
from npc_server.instinct.news import HEARSAY, QUOTES, as_claim, brought_by, knew, news, passes_on_hearsay
from npc_server.instinct.own_lines import fitting, hour_of
from npc_server.instinct.recall import sure_one
from npc_server.instinct.self_knowledge import names_of_other, spoken
from npc_server.mind import appointments
from npc_server.mind.instinct import PossibleAnswer, Said, Told
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import named_places
from npc_server.records import GameTime, Line, Memory, MemoryTopic, Talk, Why

LINES_EACH = 3
"""Lines of each speaker between NPCs: greeting, news, farewell."""
GREETING_WORDS = 6
"""Most words of a line that is only a greeting."""
_TAKES_LEAVE = re.compile(r"\b(bye|goodbye|farewell|see you|good night)\b")
SEEN_LATELY = 200
"""Latest memories in which a topic counts as something seen."""


def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: Told,
    about: str = "",
    *,
    last_words: bool = False,
    recalled: Sequence[PossibleAnswer] = (),
    replies: Sequence[str] = (),
    asked_for: Said | None = None,
) -> Said:
    """The next line of a conversation.

    `told` are pairs of a person and the id of a memory they were told. `about` is the topic for which the speaker came. With
    `last_words` the speaker has to leave. `recalled` is what may answer the last line, the best first, and `replies` answer its very words.
    `asked_for` answers what it asks for, if that is known.
    """
    called = asked_for or offer_line(mind, talk)
    if called is not None:
        return _as_one([called, farewell(mind, talk)]) if last_words else called
    # A player may talk as long as they like, and is greeted whenever it begins.
    is_among_npcs = all(other in mind.people.names for other in mind.others_in(talk))
    own = [line for line in talk.lines if line.speaker == mind.npc]
    heard = talk.lines[-1] if talk.lines and talk.lines[-1].speaker != mind.npc else None
    sure, goes = sure_one(recalled), heard is not None and _takes_leave(heard)
    greets = not own and not goes and not (is_among_npcs and (talk.again or len(talk.lines) > 1))
    said = _first_part(mind, talk, heard, about, now, sure, replies, greets=greets, is_first=not own)
    enough = is_among_npcs and len(own) + 1 >= (LINES_EACH - 1 if talk.again else LINES_EACH)
    closes = is_among_npcs and (last_words or enough) and not goes and together.stays(mind, talk, now)
    if closes and not said:
        said.append(_remark(mind, talk, heard, replies))
    elif not closes and (last_words or enough or goes):
        said += _parting(mind, talk, () if said else _answers(mind, talk, heard, () if goes else replies))
    found = _as_one(said or [_say_on(mind, talk, mind.others_in(talk), heard, told, now, replies)])
    return replace(found, closes=closes, recalled=tuple(recalled))


def _first_part(
    mind: Mind,
    talk: Talk,
    heard: Line | None,
    about: str,
    now: GameTime,
    sure: PossibleAnswer | None,
    replies: Sequence[str],
    *,
    greets: bool,
    is_first: bool,
) -> list[Said]:
    """An answer to an invitation or a question, a greeting, or the topic for which the speaker came; empty for none of them."""
    if sure is not None:
        return [Said(sure.said, is_remembered=True)]
    if (invited := to_invitation(mind, talk, now)) is not None:
        return [invited]
    if not_known := dont_know(mind, talk):
        return [Said(not_known)]
    if greets:
        return [_greeting(mind, talk, heard, about, replies, now)]
    opening = _opening(mind, talk, about) if is_first else ""
    return [Said(opening, has_topic=True)] if opening else []


def dont_know(mind: Mind, talk: Talk) -> str:
    """That the answer to the last line is not known; empty where that line asks nothing."""
    asking = heard_line(mind, talk)
    return _pick(mind, talk, mind.persona.voice.dont_know, "dont_know") if asking is not None and is_question(asking.text) else ""


def offer_line(mind: Mind, talk: Talk, *, agrees: bool = False) -> Said | None:
    """The line and the game call for a request; None when nobody asks for an offer of the persona."""
    wanted = offers_asked.offer_reply(mind.persona.offers, talk, mind.npc, agrees=agrees)
    if wanted is None:
        return None
    usual = [line.format_map(wanted.shown) for line in offers_words.lines(wanted.lines)]
    own = wanted.offer.says if wanted.call else wanted.offer.asks if not wanted.turn.parameter else ()
    return Said(_pick_unsaid(mind, talk, own or usual), call=wanted.call, why=wanted.why, offer=wanted.turn)


def to_invitation(mind: Mind, talk: Talk, now: GameTime) -> Said | None:
    """The line that accepts or declines the other's invitation; None when there is none.

    It says what the NPC then does: it comes to people it is close to, if it is free.
    """
    heard = talk.lines[-1] if talk.lines else None
    if heard is None or heard.speaker == mind.npc:
        return None
    # What instinct tells of others' plans invites nobody. What it tells of the speaker's own does, and changes the plan after the talk.
    own_plan = f"{mind.people.name_of(heard.speaker)} {QUOTES}"
    text = heard.text if heard.claims is None else next((it for it in heard.claims if it.startswith(own_plan)), "")
    found = mind.instinct.invitation(text, now, named_places(mind)) if text else None
    if found is None or not found.address:
        return None
    if not appointments.would_go(mind, found, appointments.people_in(mind, text, heard.speaker), now):
        return Said(_pick(mind, talk, (), "declines"), why=Why.REFUSAL)
    agreed = replace(found, occasion=f"come to {found.occasion}") if heard.claims is None else None
    return Said(_pick(mind, talk, (), "accepts"), agreed=agreed, why=Why.AGREED)


def heard_line(mind: Mind, talk: Talk) -> Line | None:
    """The last line, if a player or a model said it to the NPC.

    Lines of instinct, which carry claims, ask nothing: their "Lamp oil?" is a greeting, and must not suppress the news.
    """
    last = talk.lines[-1] if talk.lines else None
    return last if last and last.speaker != mind.npc and last.claims is None else None


def _parting(mind: Mind, talk: Talk, answers: Sequence[str]) -> list[Said]:
    """One of the answers to the last line, if there are any, and a goodbye."""
    return [*([Said(_pick_unsaid(mind, talk, answers))] if answers else []), farewell(mind, talk)]


def farewell(mind: Mind, talk: Talk) -> Said:
    """A goodbye of the persona or a common one, without those that name an hour which is past."""
    own = [line for line in mind.persona.voice.farewells if not invitations.names_past_hour(line, hour_of(talk))]
    return Said(_pick(mind, talk, own, "farewells"), leaves=True)


def _greeting(mind: Mind, talk: Talk, heard: Line | None, about: str, replies: Sequence[str], now: GameTime) -> Said:
    """A reply to the other's greeting, or a greeting with the topic for which the NPC came. To another's topic it listens.

    A persona's own greetings are for those who come in from outside. People of one house greet each other in words of their own.

    A player who begins with a topic gets the greeting alone: whether "Tell me about it" makes sense, no rule can tell.
    """
    if _is_deed_of_other(mind, talk, about):
        return Said(_pick(mind, talk, (), "witnessed"), has_topic=True, why=Why.RECALLED)
    opening = _opening(mind, talk, about)
    if replies and not opening:
        return Said(_pick_unsaid(mind, talk, replies))
    greeting = Said(_first_words(mind, talk, now), has_topic=bool(opening))
    if not opening and heard is not None and heard.claims is not None and _has_topic(mind, talk):
        opening = _pick(mind, talk, (), "listening")
    return _as_one([greeting, Said(opening)]) if opening else greeting


def _first_words(mind: Mind, talk: Talk, now: GameTime) -> str:
    if not together.live_together(mind, mind.others_in(talk)):
        return _pick(mind, talk, mind.persona.voice.greetings, "greetings")
    return _pick(mind, talk, (), "mornings" if together.just_up(mind, now) else "at_home")


def _opening(mind: Mind, talk: Talk, about: str) -> str:
    """A sentence on the topic for which the NPC came. Empty without one, or if it is what somebody was seen doing or heard saying.

    A phrase of its own persona is why it came, too, and nothing that one says to the other's face.
    """
    if not about or SAID_QUOTE in about or about in map(mind.persona.as_memory, mind.persona.identity_phrases):
        return ""
    seen = spoken(mind, about, _their_names(mind, talk))
    if seen.startswith("You ") or about.startswith(tuple(mind.people.names.values())):
        return ""
    if seen.startswith(("I ", "I'")) or any(memory.text == about for memory in mind.stream.latest(SEEN_LATELY)):
        return ended(seen)
    return _pick(mind, talk, (), "opening", about=(seen if seen == about else seen[:1].lower() + seen[1:]).rstrip("."))


def _is_deed_of_other(mind: Mind, talk: Talk, about: str) -> bool:
    """Whether the NPC came because of what it saw the other do."""
    latest = mind.stream.latest(SEEN_LATELY) if about else []
    return any(it.text == about and it.topic is MemoryTopic.PLAYER_DID and it.subject in talk.people for it in latest)


def _say_on(mind: Mind, talk: Talk, others: Sequence[str], heard: Line | None, told: Told, now: GameTime, replies: Sequence[str]) -> Said:
    """A reply to what was said, the NPC's news, or small talk."""
    memory = _news_for(mind, talk, others, told, now)
    if memory is None or (memory.source in HEARSAY and not passes_on_hearsay(mind, talk, memory)):
        return _remark(mind, talk, heard, replies)
    answers = _answers(mind, talk, heard, replies)
    reply = [Said(_pick_unsaid(mind, talk, answers))] if answers else []
    return _as_one([*reply, _passed_on(mind, talk, memory)])


def _news_for(mind: Mind, talk: Talk, others: Sequence[str], told: Told, now: GameTime) -> Memory | None:
    return news(mind, others, now, told, [claim for line in talk.lines for claim in line.claims or ()])


def news_asked_for(mind: Mind, talk: Talk, told: Told, now: GameTime) -> Said | None:
    """The NPC's news for somebody who asks for it; None if it has none."""
    memory = _news_for(mind, talk, mind.others_in(talk), told, now)
    return replace(_passed_on(mind, talk, memory), why=Why.RECALLED) if memory is not None else None


def _remark(mind: Mind, talk: Talk, heard: Line | None, replies: Sequence[str]) -> Said:
    """A reply to what was said, or small talk."""
    answers = _answers(mind, talk, heard, replies)
    if answers:
        return Said(_pick_unsaid(mind, talk, answers))
    if heard and _has_topic(mind, talk):
        return Said(_pick(mind, talk, (), "well"))
    return Said(_pick(mind, talk, mind.persona.voice.smalltalk, "smalltalk"))


def _answers(mind: Mind, talk: Talk, heard: Line | None, replies: Sequence[str]) -> Sequence[str]:
    """What may be said to the last line: `replies` to its very words, else to the news that it tells. Empty if there is neither."""
    if replies or heard is None or not heard.claims:
        return replies
    if heard.of_occasion:
        return phrases.lines("outing")
    return phrases.lines("known" if knew(mind, heard.claims, talk.started) else "surprise")


def _has_topic(mind: Mind, talk: Talk) -> bool:
    """Whether the first line has a topic. Instinct says so of its own; a player's or a model's has one if it is longer than a greeting."""
    first = talk.lines[0]
    return first.has_topic if first.claims is not None else not _only_greets(first.text)


def _passed_on(mind: Mind, talk: Talk, memory: Memory) -> Said:
    claim = as_claim(mind, memory)
    bank, news_told = brought_by(mind, memory, claim)
    words = spoken(mind, ended(news_told), _their_names(mind, talk))
    if bank:
        words = f"{_pick(mind, talk, (), bank, by=mind.people.first_name_of(memory.source_person))} {words}"
    return Said(words, claims=(claim,), of_occasion=memory.predicate in OF_OCCASION, told=(memory.id,))


def _as_one(parts: Sequence[Said]) -> Said:
    """Several parts as one line."""
    text = " ".join(part.text for part in parts)
    claims = tuple(claim for part in parts for claim in part.claims or ())
    told = tuple(memory for part in parts for memory in part.told)
    call = next((part.call for part in parts if part.call), None)
    agreed = next((part.agreed for part in parts if part.agreed), None)
    remembered = any(part.is_remembered for part in parts)
    outing, has_topic = any(part.of_occasion for part in parts), any(part.has_topic for part in parts)
    found = replace(parts[-1], text=text, claims=claims, of_occasion=outing, told=told, call=call, agreed=agreed)
    first = next((part for part in parts if part.why is not Why.TALK), parts[0])
    return replace(found, is_remembered=remembered, has_topic=has_topic, why=first.why, offer=first.offer)


def _their_names(mind: Mind, talk: Talk) -> tuple[str, ...]:
    """Forms of the other's name, when there is one other person."""
    others = mind.others_in(talk)
    return names_of_other(mind, others[0]) if len(others) == 1 else ()


def _only_greets(text: str) -> bool:
    """Whether a line may be only a greeting: few words."""
    return len(text.split()) <= GREETING_WORDS


def _takes_leave(heard: Line) -> bool:
    """Whether a line takes leave. Instinct knows that of its own lines; those of players and models are read."""
    return _is_farewell(heard.text) if heard.claims is None else heard.leaves


def _is_farewell(text: str) -> bool:
    """Whether a short sentence of the text takes leave. "A farewell gift" inside a longer one does not."""
    return any(_TAKES_LEAVE.search(it) for it in sentences(text.casefold()) if len(it.split()) <= GREETING_WORDS)


def _pick(mind: Mind, talk: Talk, own: Sequence[str], bank: str, **values: str) -> str:
    """One of the persona's `own` lines that fit here and now, or of the common ones."""
    given: Mapping[str, str] = {"you": mind.people.first_name_of(mind.others_in(talk)[0]), **values}
    return _pick_unsaid(mind, talk, fitting(mind, talk, own) or [line.format_map(given) for line in phrases.lines(bank)])


def _pick_unsaid(mind: Mind, talk: Talk, lines: Sequence[str]) -> str:
    """One of the lines that nobody said yet here, and that this person has not said for longest.

    Of several the save's seed decides: the same in every run, another in every conversation.
    """
    fresh = [line for line in lines if not any(line in said.text for said in talk.lines)] or list(lines)
    own = mind.talks.said_lately.of(mind.npc)
    last = [next((at for at in reversed(range(len(own))) if line in own[at]), -1) for line in fresh]
    oldest = [line for line, at in zip(fresh, last, strict=True) if at == min(last)]
    return oldest[mind.seed_for("say", talk.id, len(talk.lines)) % len(oldest)]
