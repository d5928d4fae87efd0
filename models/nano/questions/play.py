"""The play that conversations are made from: two people greet, tell news, ask, answer, invite and part."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.nano.draw import Draw, capital, style
from models.nano.facts import Fact, Kept, ask_of, keep, make_fact
from models.nano.people import Manner, Someone, in_voice, manners
from npc_server.english.text import bare, ended
from npc_server.mind.replies import LEAVE, STAY
from npc_server.personas.names import first_name
from npc_server.records import GameTime

from . import interview

FOLLOW = (
    "Really? When was that?",
    "Who told you that?",
    "Are you sure about that?",
    "And what happens now?",
    "What do you think will come of it?",
    "Since when?",
)
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
TOPICS = ("event", "project", "thing", "hobby", "worry", "office", "place", "food", "w", "plural", "animal")
"""Parts of a fact that one can be asked to speak of, the more telling ones first."""
LONG = 6
"""Lines after which one takes one's leave."""


@dataclass
class Play:
    """A conversation while it is made."""

    draw: Draw
    me: Someone
    people: list[str]
    others: list[str]
    """Their names; mostly one."""
    where: str
    kept: list[Kept]
    now: GameTime
    about: str = ""
    news: Kept | None = None
    other_manner: Manner = field(default_factory=lambda: manners()[0])
    lines: list[tuple[str, str]] = field(default_factory=list)
    """Speaker's name and words."""
    act: str = ""
    """What the last line did."""
    subject: dict[str, str] = field(default_factory=dict)
    """Values of what the last line spoke of."""
    length: int = 6
    asked: set[str] = field(default_factory=set)
    known: list[Fact] = field(default_factory=list)
    """What the others told in this talk, and can be asked for later."""
    source: Kept | None = None
    """The memory that the next line of mine rests on."""

    def said(self, bank: str, **values: str) -> str:
        """A phrase that nobody used in this talk yet."""
        for _ in range(12):
            text = self.draw.said(style()[bank], **{**self.common(), **values})
            if self.unsaid(text):
                return text
        return text

    def unsaid(self, text: str) -> bool:
        return not any(text in line for _, line in self.lines)

    def common(self) -> dict[str, str]:
        """What one's own small talk may name: nobody and no place that the prompt does not have."""
        values = {"place": self.where or "home", "p": first_name(self.others[0]), "W": self.me.town}
        return values


def mine(play: Play, last: bool) -> tuple[str, str]:
    """My next line, and whether I leave with it."""
    draw, me, you = play.draw, play.me, first_name(play.others[0])
    opened = any(who == me.name for who, _ in play.lines)
    parts: list[str] = []
    act = play.act
    if act == "question":
        play.act = "answer"
        parts.append(play.subject["answer"])
    elif act == "subject":
        play.act = "answer"
        parts.append(telling(play, play.source) if play.source else not_known(play))
    if last or act == "bye" or len(play.lines) >= LONG:
        play.act = "bye"
        return fit(" ".join([*parts, draw.said(me.manner.bye, you=you)])), LEAVE
    if parts:
        return fit(" ".join(parts)), STAY
    if not opened and act in ("", "greet", "how"):
        parts.append(draw.said(me.manner.greet, you=you))
        if act == "how":
            parts.append(play.said("fine"))
        if play.about:
            parts.append(play.said("about_open", about=play.about))
            play.act = "topic"
            return fit(" ".join(parts)), STAY
        if act == "" or draw.chance(0.5):
            play.act = "greet"
            if draw.chance(0.4) and act != "how" and "?" not in parts[0]:
                parts.append(play.said("how_are_you"))
                play.act = "how"
            return fit(" ".join(parts)), STAY
    elif act == "how":
        parts.append(in_voice(draw, me.manner, play.said("fine"), 0.3))
    elif act == "news":
        if play.source:
            play.act = "news"
            return fit(f"{play.said('surprise')} {telling(play, play.source)}"), STAY
        parts.append(play.said("surprise"))
        if draw.chance(0.35) and not play.news:
            play.act = "follow"
            parts.append(draw.one(FOLLOW))
            return fit(" ".join(parts)), STAY
    elif act == "invite":
        play.act = "small"
        yes = draw.chance(0.7)
        return fit(in_voice(draw, me.manner, play.said("accept" if yes else "decline", **play.subject), 0.2)), STAY
    elif act == "feel":
        play.act = "small"
        return fit(in_voice(draw, me.manner, play.said("feel", **play.subject), 0.4)), STAY
    elif act == "sad":
        parts.append(play.said("comfort"))
        play.act = "small"
        return fit(" ".join(parts)), STAY
    elif act in ("small", "answer", "topic", "greet") and draw.chance(0.5):
        parts.append(play.said("agree"))
    if play.about and play.unsaid(play.about) and draw.chance(0.8):
        parts.append(play.said("about_open", about=play.about))
        play.act = "topic"
    elif play.news and play.news.fact:
        parts.append(telling(play, play.news))
        play.news = None
        play.act = "news"
    else:
        parts.append(small(play))
        play.act = "small"
        if draw.chance(0.25):
            parts.append(play.said("ask_back"))
            play.act = "how"
    return fit(" ".join(parts)), STAY


def theirs(play: Play) -> str:
    """The other's next line: what it does decides what I have to answer."""
    draw, me, manner = play.draw, play.me, play.other_manner
    you = me.first
    opened = any(who != me.name for who, _ in play.lines)
    parts: list[str] = []
    if play.act == "bye" or len(play.lines) >= play.length:
        play.act = "bye"
        return draw.said(manner.bye, you=you)
    if not opened:
        parts.append(draw.said(manner.greet, you=you))
    if play.act == "follow":
        parts.append(draw.one(MORE))
    elif play.act == "news":
        parts.append(draw.said(style()["surprise"]))
    elif play.act == "how":
        parts.append(draw.said(style()["fine"]))
    if draw.chance(0.25) and (found := _subject(play)):
        parts.append(found)
        play.act = "subject"
        return fit(" ".join(parts))
    roll = draw.rng.random()
    if roll < 0.38:
        found = _question(play)
        if found:
            parts.append(found)
            play.act = "question"
            return fit(" ".join(parts))
    if roll < 0.55:
        fact = make_fact(draw, play.people)
        play.known.append(fact)
        if draw.chance(0.6):
            _related(play, fact)
        parts.append(draw.said(style()["news_open"], fact=fact.told, fact_l=fact.told))
        play.act = "news"
    elif roll < 0.63:
        play.subject = {"event": draw.bank("event"), "place": draw.bank("place"), "day": draw.bank("weekday"), "time": draw.time()}
        parts.append(draw.said(style()["invite"], **play.subject))
        play.act = "invite"
    elif roll < 0.72:
        play.subject = {"subject": draw.bank("subject")}
        parts.append(draw.said(style()["feel_ask"], **play.subject))
        play.act = "feel"
    elif roll < 0.78:
        parts.append(draw.fill(draw.one(SAD)))
        play.act = "sad"
    elif roll < 0.86:
        parts.append(draw.said(style()["how_are_you"]))
        play.act = "how"
    elif not opened and draw.chance(0.6):
        play.act = "greet"
    else:
        parts.append(draw.said(style()["smalltalk"]))
        play.act = "small"
    return fit(" ".join(parts))


def telling(play: Play, news: Kept) -> str:
    assert news.fact is not None
    fact = interview.as_mine(play.me, ended(news.text if play.draw.chance(0.5) else news.fact.told))
    names = {word for name in (*news.fact.people, *play.people, *play.others) for word in name.split()}
    first = bare(fact.split()[0])
    lower = fact if first in {"I", *names} else fact[:1].lower() + fact[1:]
    bank = "news_from" if news.person and play.draw.chance(0.7) else "news_open"
    return play.said(bank, fact=fact, fact_l=lower, teller=first_name(play.me.name_of(news.person)) if news.person else "")


def small(play: Play) -> str:
    """Small talk: of oneself, or of what anybody speaks of."""
    draw, me = play.draw, play.me
    own = [p for p in [*me.persona.identity_phrases[1:], me.persona.currently.rstrip(".")] if p and "nobody" not in p]
    for phrase in draw.mixed(own)[:2]:
        text = f"{interview.as_i(phrase, me)}."
        if draw.chance(0.5) and text.startswith("I ") and play.unsaid(text):
            return in_voice(draw, me.manner, text, 0.3)
    if draw.chance(0.25) and me.persona.voice.examples:
        text = draw.one(me.persona.voice.examples)
        if play.unsaid(text):
            return text
    return in_voice(draw, me.manner, play.said("smalltalk"), 0.3)


def not_known(play: Play) -> str:
    """That one does not know, in words that were not said yet."""
    for _ in range(12):
        text = interview.unknown(play.draw, play.me)
        if play.unsaid(text):
            break
    return text


def fit(text: str) -> str:
    return text if len(text) <= 235 else text[:235].rsplit(".", 1)[0] + "."


def _subject(play: Play) -> str:
    """The other speaks of something; a memory of mine is about it, or none is."""
    draw = play.draw
    unsaid = [k for k in play.kept if k.fact and topic_of(k.fact) and not any(_said(k.fact, line) for _, line in play.lines)]
    if unsaid and draw.chance(0.85):
        play.source = draw.one(unsaid)
        assert play.source.fact is not None
        return draw.said(style()["speak_of"], about=topic_of(play.source.fact))
    other = topic_of(make_fact(draw, play.people))
    if not other or any(other in k.text for k in play.kept):
        return ""
    play.source = None
    return draw.said(style()["speak_of"], about=other)


def topic_of(fact: Fact) -> str:
    """What a fact is about, as one would ask for it; empty where it is about people alone."""
    if fact.deed:
        return next((value for key, _, _, value in fact.deed.asks if key == "what"), "")
    return next((value for slot in TOPICS if (value := fact.values.get(slot, "")) and value in fact.text), "")


def _said(fact: Fact, line: str) -> bool:
    return fact.text.rstrip(".") in line or fact.told.rstrip(".") in line


def _related(play: Play, fact: Fact) -> None:
    """A memory of mine about the same people or thing, which the news brings to mind."""
    other = make_fact(play.draw, [*fact.people, *play.draw.some(play.people, 2)], fact.kind if play.draw.chance(0.5) else "")
    if not any(person in other.text for person in fact.people) or interview.clashes(fact, other):
        return
    play.source = keep(play.draw, play.me, other, play.now)
    play.kept = play.draw.mixed([*play.kept, play.source])


def _question(play: Play) -> str:
    """A question of the other's, with my answer kept for the next line: from memory, from this talk, or that I don't know."""
    draw, me = play.draw, play.me
    roll = draw.rng.random()
    facts = [k for k in play.kept if k.fact]
    if roll < 0.5 and facts:
        item = draw.one(facts)
        found = interview.recall(draw, me, item)
        if found and found[1] not in play.asked:
            play.asked.add(found[1])
            whole = in_voice(draw, me.manner, interview.as_told(me, item), 0.3)
            right = found[3][0].lower() in whole.lower()
            play.subject = {"answer": whole if right and draw.chance(interview.WHOLE) else found[2], "expect": "\n".join(found[3])}
            play.source = item
            return found[1]
    if roll < 0.62 and play.known:
        asked = ask_of(draw, play.known[-1])
        if asked and asked.value in " ".join(text for _, text in play.lines) and asked.question not in play.asked:
            play.asked.add(asked.question)
            play.subject = {"answer": in_voice(draw, me.manner, capital(asked.answer), 0.3)}
            return asked.question
    if roll < 0.85:
        _, text, _, _ = interview.cannot_know(draw, me, [k.fact for k in facts if k.fact] + play.known, play.people)
        answer = not_known(play)
    else:
        _, text, answer, _ = interview.of_oneself(draw, me, play.kept, play.now)
    play.asked.add(text)
    play.subject = {"answer": answer}
    return text
