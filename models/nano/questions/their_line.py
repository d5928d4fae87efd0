"""The other's next line of a conversation. Its dialogue act decides what I have to answer."""

from __future__ import annotations

from models.nano.draw import capital, style
from models.nano.facts import Fact, ask_of, make_fact, remember
from models.nano.people import in_voice

from . import interview
from .conversation import Conversation, joined, not_known, topic_of

MORE = (
    "That's all I know.",
    "I'm not sure, I only heard it.",
    "We'll see what comes of it.",
    "Everybody is talking about it.",
    "I only know what I told you.",
    "Time will tell.",
)
SAD = (
    "I can't sleep because of {worry}.",
    "I'm so sad about {worry}.",
    "I lost {thing}, and I can't find it.",
    "Nobody talks to me any more.",
    "I have {illness}.",
)


def their_line(talk: Conversation) -> str:
    """The other's next line. Sets the dialogue act that I have to answer."""
    draw, manner = talk.draw, talk.other_manner
    is_opened = any(talk.has_spoken(name) for name in talk.others)
    if talk.act == "bye" or len(talk.lines) >= talk.length:
        talk.act = "bye"
        return draw.said(manner.bye, you=talk.me.first)
    parts = [] if is_opened else [draw.said(manner.greet, you=talk.me.first)]
    if talk.act == "follow":
        parts.append(draw.one(MORE))
    elif talk.act in ("news", "how"):
        parts.append(draw.said(style()["surprise" if talk.act == "news" else "fine"]))
    if draw.chance(0.25) and (found := _subject(talk)):
        talk.act = "subject"
        return joined(*parts, found)
    roll = draw.rng.random()
    if roll < 0.38 and (found := _question(talk)):
        talk.act = "question"
        return joined(*parts, found)
    return joined(*parts, *_their_own(talk, roll, is_opened))


def _their_own(talk: Conversation, roll: float, is_opened: bool) -> list[str]:
    """What the other says unasked. `roll`, from 0 to 1, decides the dialogue act."""
    draw = talk.draw
    if roll < 0.55:
        fact = make_fact(draw, talk.people)
        talk.known.append(fact)
        if draw.chance(0.6):
            _related(talk, fact)
        talk.act = "news"
        return [draw.said(style()["news_open"], fact=fact.told, fact_l=fact.told)]
    if roll < 0.63:
        talk.act = "invite"
        talk.subject = {"event": draw.bank("event"), "place": draw.bank("place"), "day": draw.bank("weekday"), "time": draw.time()}
        return [draw.said(style()["invite"], **talk.subject)]
    if roll < 0.72:
        talk.act, talk.subject = "feel", {"subject": draw.bank("subject")}
        return [draw.said(style()["feel_ask"], **talk.subject)]
    if roll < 0.78:
        talk.act = "sad"
        return [draw.fill(draw.one(SAD))]
    if roll < 0.86:
        talk.act = "how"
        return [draw.said(style()["how_are_you"])]
    if not is_opened and draw.chance(0.6):
        talk.act = "greet"
        return []
    talk.act = "small"
    return [draw.said(style()["smalltalk"])]


def _subject(talk: Conversation) -> str:
    """A subject that the other brings up, and that a memory of mine may be about; empty when none is found."""
    draw = talk.draw
    unsaid = [k for k in talk.kept if k.fact and topic_of(k.fact) and not any(_said(k.fact, line) for _, line in talk.lines)]
    if unsaid and draw.chance(0.85):
        talk.source = draw.one(unsaid)
        assert talk.source.fact is not None
        return draw.said(style()["speak_of"], about=topic_of(talk.source.fact))
    other = topic_of(make_fact(draw, talk.people))
    if not other or any(other in k.text for k in talk.kept):
        return ""
    talk.source = None
    return draw.said(style()["speak_of"], about=other)


def _said(fact: Fact, line: str) -> bool:
    return fact.text.rstrip(".") in line or fact.told.rstrip(".") in line


def _related(talk: Conversation, fact: Fact) -> None:
    """Adds a memory of mine on the same people or subject as the news."""
    other = make_fact(talk.draw, [*fact.people, *talk.draw.some(talk.people, 2)], fact.kind if talk.draw.chance(0.5) else "")
    if not any(person in other.text for person in fact.people) or interview.clashes(fact, other):
        return
    talk.source = remember(talk.draw, talk.me, other, talk.now)
    talk.kept = talk.draw.shuffled([*talk.kept, talk.source])


def _question(talk: Conversation) -> str:
    """A question of the other, with my answer stored for my next line: from memory, from this talk, or `I don't know`."""
    draw, me = talk.draw, talk.me
    roll = draw.rng.random()
    facts = [k for k in talk.kept if k.fact]
    if roll < 0.5 and facts:
        item = draw.one(facts)
        found = interview.recall(draw, me, item)
        if found and found[1] not in talk.asked:
            talk.asked.add(found[1])
            whole = in_voice(draw, me.manner, interview.as_told(me, item), 0.3)
            right = found[3][0].lower() in whole.lower()
            talk.subject = {"answer": whole if right and draw.chance(interview.WHOLE) else found[2], "expect": "\n".join(found[3])}
            talk.source = item
            return found[1]
    if roll < 0.62 and talk.known:
        asked = ask_of(draw, talk.known[-1])
        if asked and asked.value in " ".join(text for _, text in talk.lines) and asked.question not in talk.asked:
            talk.asked.add(asked.question)
            talk.subject = {"answer": in_voice(draw, me.manner, capital(asked.answer), 0.3)}
            return asked.question
    if roll < 0.85:
        _, text, _, _ = interview.cannot_know(draw, me, [k.fact for k in facts if k.fact] + talk.known, talk.people)
        answer = not_known(talk)
    else:
        _, text, answer, _ = interview.of_oneself(draw, me, talk.kept, talk.now)
    talk.asked.add(text)
    talk.subject = {"answer": answer}
    return text
