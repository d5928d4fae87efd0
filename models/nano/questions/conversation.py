"""A conversation while it is made: its state, and phrases of both speakers (`my_line`, `their_line`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.nano.draw import Draw, style
from models.nano.facts import Fact, FactMemory
from models.nano.people import Manner, Someone, in_voice, manners
from npc_server.english.text import ended, without_possessive
from npc_server.personas.names import first_name
from npc_server.records import GameTime

from . import interview

TOPICS = ("event", "project", "thing", "hobby", "worry", "office", "place", "food", "w", "plural", "animal")
"""Values of a fact that can be a subject of talk, the better ones first."""
LONG = 6
"""Lines after which I leave."""


@dataclass
class Conversation:
    """A conversation while it is made."""

    draw: Draw
    me: Someone
    people: list[str]
    others: list[str]
    """Their names; mostly one."""
    where: str
    kept: list[FactMemory]
    now: GameTime
    about: str = ""
    news: FactMemory | None = None
    other_manner: Manner = field(default_factory=lambda: manners()[0])
    lines: list[tuple[str, str]] = field(default_factory=list)
    """Speaker's name and words."""
    act: str = ""
    """Dialogue act of the last line, such as `question`, `news` or `bye`."""
    subject: dict[str, str] = field(default_factory=dict)
    """Values of the last line."""
    length: int = 6
    asked: set[str] = field(default_factory=set)
    known: list[Fact] = field(default_factory=list)
    """Facts that the others told in this talk, which they may ask about later."""
    source: FactMemory | None = None
    """The memory that my next line is based on."""

    def said(self, bank: str, **values: str) -> str:
        """A phrase of a bank that nobody has used in this talk."""
        for _ in range(12):
            text = self.draw.said(style()[bank], **{**self.common(), **values})
            if self.unsaid(text):
                return text
        return text

    def has_spoken(self, name: str) -> bool:
        return any(speaker == name for speaker, _ in self.lines)

    def unsaid(self, text: str) -> bool:
        return not any(text in line for _, line in self.lines)

    def common(self) -> dict[str, str]:
        """Values for small talk: only people and places that the prompt has."""
        values = {"place": self.where or "home", "p": first_name(self.others[0]), "W": self.me.town}
        return values


def telling(talk: Conversation, news: FactMemory) -> str:
    assert news.fact is not None
    fact = interview.as_mine(talk.me, ended(news.text if talk.draw.chance(0.5) else news.fact.told))
    names = {word for name in (*news.fact.people, *talk.people, *talk.others) for word in name.split()}
    first = without_possessive(fact.split()[0])
    lower = fact if first in {"I", *names} else fact[:1].lower() + fact[1:]
    bank = "news_from" if news.person and talk.draw.chance(0.7) else "news_open"
    return talk.said(bank, fact=fact, fact_l=lower, teller=first_name(talk.me.name_of(news.person)) if news.person else "")


def small(talk: Conversation) -> str:
    """Small talk: about myself, or a common phrase."""
    draw, me = talk.draw, talk.me
    own = [p for p in [*me.persona.identity_phrases[1:], me.persona.currently.rstrip(".")] if p and "nobody" not in p]
    for phrase in draw.shuffled(own)[:2]:
        text = f"{interview.as_i(phrase, me)}."
        if draw.chance(0.5) and text.startswith("I ") and talk.unsaid(text):
            return in_voice(draw, me.manner, text, 0.3)
    if draw.chance(0.25) and me.persona.voice.examples:
        text = draw.one(me.persona.voice.examples)
        if talk.unsaid(text):
            return text
    return in_voice(draw, me.manner, talk.said("smalltalk"), 0.3)


def not_known(talk: Conversation) -> str:
    """`I don't know` in words that were not said yet."""
    for _ in range(12):
        text = interview.unknown(talk.draw, talk.me)
        if talk.unsaid(text):
            break
    return text


def fit(text: str) -> str:
    return text if len(text) <= 235 else text[:235].rsplit(".", 1)[0] + "."


def topic_of(fact: Fact) -> str:
    """The subject of a fact; empty when it is only about people."""
    if fact.passage:
        return next((value for key, _, _, value in fact.passage.asks if key == "what"), "")
    return next((value for slot in TOPICS if (value := fact.values.get(slot, "")) and value in fact.text), "")


def joined(*parts: str) -> str:
    return fit(" ".join(parts))
