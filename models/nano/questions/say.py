"""Say: the next line of a conversation, from a small play in which two people greet, tell news, ask, answer, invite and part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.nano import between
from models.nano.draw import Draw, capital, style
from models.nano.facts import Fact, Kept, ask_of, keep, make_fact
from models.nano.people import Manner, Someone, cast_of, in_voice, manners, moment, someone
from models.nano.render import Sample, Turn, rendered, turn
from npc_server.cognition.converse import LEAVE, STAY, Spoken
from npc_server.llm.reply import one
from npc_server.records import GameTime, MemorySource

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

    def said(self, bank: str, **values: str) -> str:
        """A phrase that nobody used in this talk yet."""
        for _ in range(12):
            text = self.draw.said(style()[bank], **{**self.common(), **values})
            if not any(text in line for _, line in self.lines):
                return text
        return text

    def common(self) -> dict[str, str]:
        """What one's own small talk may name: nobody and no place that the prompt does not have."""
        values = {"place": self.where or "home", "p": self.others[0].split()[0], "W": self.me.town}
        return values


def say(draw: Draw) -> Sample:
    """One to three of my lines out of a talk, each with the dialogue so far."""
    people = cast_of(draw, draw.number(3, 6))
    me = someone(draw, people)
    now = moment(draw)
    ids = draw.some([i for i in me.names if i != "me"], 2 if draw.chance(0.1) else 1)
    others = [me.name_of(i) for i in ids]
    for i in ids:
        between.know(draw, me, i, now, people)
    kept = interview.memories(draw, me, now, people, draw.few(0, 4))
    play = Play(draw, me, people, others, place(draw) if draw.chance(0.8) else "", kept, now)
    play.other_manner = draw.one(manners())
    play.length = draw.number(3, 9)
    if draw.chance(0.55):
        play.news = (
            draw.one([k for k in kept if k.fact])
            if [k for k in kept if k.fact] and draw.chance(0.6)
            else keep(draw, me, make_fact(draw, [p for p in people if p not in others] or people), now)
        )
        if play.news.person in ids or play.news.source is MemorySource.KNOWN:
            play.news = None
    if draw.chance(0.3):
        play.about = draw.said(style()["topics"], b=draw.one(people), place=draw.bank("place"))
    spans: list[Turn] = []
    system = ""
    reply = one(Spoken)
    mine_first = draw.chance(0.5)
    wanted = set(draw.some(range(0, 5), draw.number(2, 4)))
    number = 0
    for count in range(12):
        if (count % 2 == 0) == mine_first:
            last = draw.chance(0.06) and count > 0
            values = _values(play, ids, last)
            text, then = mine(play, last)
            if number in wanted or (then == LEAVE and not spans):
                full = rendered(me, now, "say", reply, values)
                system = full.part("system")
                spans.append(turn(full, not spans, reply, Spoken(text, then), (), "say"))
            number += 1
            play.lines.append((me.name, text))
            if then == LEAVE:
                break
        else:
            play.lines.append((draw.one(others), theirs(play)))
    return Sample("say", system, tuple(spans), {"npc": me.name})


def _values(play: Play, ids: Sequence[str], last: bool) -> dict[str, object]:
    me, draw = play.me, play.draw
    news = ""
    if play.news and play.news.fact:
        teller = f"{me.name_of(play.news.person)} told you: " if play.news.person else ""
        news = teller + play.news.text
    return {
        "others": play.others,
        "place": play.where,
        "memories": [k.line for k in play.kept],
        "news": news,
        "voice": me.persona.voice.style,
        "examples": list(me.persona.voice.examples),
        "dialogue": [f"{who}: {text}" for who, text in play.lines][-12:],
        "about": play.about if len(play.lines) < 6 else "",
        "last_words": last,
        "offers": [],
        "between": [between.line(me, i) for i in ids] if draw.rng.random() < 0.85 else [],
    }


def mine(play: Play, last: bool) -> tuple[str, str]:
    """My next line, and whether I leave with it."""
    draw, me, you = play.draw, play.me, play.others[0].split()[0]
    opened = any(who == me.name for who, _ in play.lines)
    if last or play.act == "bye" or (len(play.lines) >= play.length and play.act != "question"):
        play.act = "bye"
        return draw.said(me.manner.bye, you=you), LEAVE
    parts: list[str] = []
    act = play.act
    if act == "question":
        play.act = "answer"
        return _fit(play.subject["answer"]), STAY
    if not opened and act in ("", "greet", "how"):
        parts.append(draw.said(me.manner.greet, you=you))
        if act == "how":
            parts.append(play.said("fine"))
        if play.about and draw.chance(0.7):
            parts.append(play.said("about_open", about=play.about))
            play.act = "topic"
            return _fit(" ".join(parts)), STAY
        if act == "" or draw.chance(0.5):
            play.act = "greet"
            if draw.chance(0.4) and act != "how" and "?" not in parts[0]:
                parts.append(play.said("how_are_you"))
                play.act = "how"
            return _fit(" ".join(parts)), STAY
    elif act == "how":
        parts.append(in_voice(draw, me.manner, play.said("fine"), 0.3))
    elif act == "news":
        parts.append(play.said("surprise"))
        if draw.chance(0.35) and not play.news:
            play.act = "follow"
            parts.append(draw.one(FOLLOW))
            return _fit(" ".join(parts)), STAY
    elif act == "invite":
        play.act = "small"
        yes = draw.chance(0.7)
        return _fit(in_voice(draw, me.manner, play.said("accept" if yes else "decline", **play.subject), 0.2)), STAY
    elif act == "feel":
        play.act = "small"
        return _fit(in_voice(draw, me.manner, play.said("feel", **play.subject), 0.4)), STAY
    elif act == "sad":
        parts.append(play.said("comfort"))
        play.act = "small"
        return _fit(" ".join(parts)), STAY
    elif act in ("small", "answer", "topic", "greet") and draw.chance(0.5):
        parts.append(play.said("agree"))
    if play.about and not any(play.about in line for _, line in play.lines) and draw.chance(0.8):
        parts.append(play.said("about_open", about=play.about))
        play.act = "topic"
    elif play.news and play.news.fact:
        parts.append(telling(play, play.news))
        play.news = None
        play.act = "news"
    else:
        parts.append(_small(play))
        play.act = "small"
        if draw.chance(0.25):
            parts.append(play.said("ask_back"))
            play.act = "how"
    return _fit(" ".join(parts)), STAY


def telling(play: Play, news: Kept) -> str:
    assert news.fact is not None
    fact = news.text if play.draw.chance(0.5) else news.fact.told
    lower = fact if fact.split()[0].rstrip("'s") in " ".join(news.fact.people) else fact[:1].lower() + fact[1:]
    if fact.split()[0] in ("I",):
        lower = fact
    bank = "news_from" if news.person and play.draw.chance(0.7) else "news_open"
    return play.said(bank, fact=fact, fact_l=lower, teller=play.me.name_of(news.person).split()[0] if news.person else "")


def _small(play: Play) -> str:
    """Small talk: of oneself, or of what anybody speaks of."""
    draw, me = play.draw, play.me
    own = [p for p in [*me.persona.identity_phrases[1:], me.persona.currently.rstrip(".")] if p and "nobody" not in p]
    for phrase in draw.mixed(own)[:2]:
        text = f"{interview.as_i(phrase, me)}."
        if draw.chance(0.5) and text.startswith("I ") and not any(text in line for _, line in play.lines):
            return in_voice(draw, me.manner, text, 0.3)
    if draw.chance(0.25) and me.persona.voice.examples:
        text = draw.one(me.persona.voice.examples)
        if not any(text in line for _, line in play.lines):
            return text
    return in_voice(draw, me.manner, play.said("smalltalk"), 0.3)


def _fit(text: str) -> str:
    return text if len(text) <= 235 else text[:235].rsplit(".", 1)[0] + "."


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
    roll = draw.rng.random()
    if roll < 0.38:
        found = _question(play)
        if found:
            parts.append(found)
            play.act = "question"
            return _fit(" ".join(parts))
    if roll < 0.55:
        fact = make_fact(draw, play.people)
        play.known.append(fact)
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
        parts.append(
            draw.fill(
                draw.one(
                    (
                        "I can't sleep because of {worry}.",
                        "I'm so sad about {worry}.",
                        "I lost {thing}, and I can't find it.",
                        "Nobody talks to me any more.",
                        "I have {illness}.",
                    )
                )
            )
        )
        play.act = "sad"
    elif roll < 0.86:
        parts.append(draw.said(style()["how_are_you"]))
        play.act = "how"
    elif not opened and draw.chance(0.6):
        play.act = "greet"
    else:
        parts.append(draw.said(style()["smalltalk"]))
        play.act = "small"
    return _fit(" ".join(parts))


def _question(play: Play) -> str:
    """A question of the other's, with my answer kept for the next line: from memory, from this talk, or that I don't know."""
    draw, me = play.draw, play.me
    roll = draw.rng.random()
    facts = [k for k in play.kept if k.fact]
    if roll < 0.5 and facts:
        item = draw.one(facts)
        found = interview.recall(draw, me, item, play.now)
        if found and found[1] not in play.asked:
            play.asked.add(found[1])
            play.subject = {"answer": found[2]}
            return found[1]
    if roll < 0.62 and play.known:
        asked = ask_of(draw, play.known[-1])
        if asked and asked.value in " ".join(text for _, text in play.lines) and asked.question not in play.asked:
            play.asked.add(asked.question)
            play.subject = {"answer": in_voice(draw, me.manner, capital(asked.answer), 0.3)}
            return asked.question
    if roll < 0.85:
        _, text, answer, _ = interview.cannot_know(draw, me, [k.fact for k in facts if k.fact] + play.known, play.people)
    else:
        _, text, answer, _ = interview.of_oneself(draw, me, play.kept, play.now)
    play.asked.add(text)
    play.subject = {"answer": answer}
    return text


def place(draw: Draw) -> str:
    """A place as the server describes it."""
    inner = draw.one(
        (
            "kitchen",
            "dining room",
            "hall",
            "garden",
            "bedroom",
            "counter",
            "square",
            "bench",
            "yard",
            "cellar",
            "workshop",
            "storage",
            "corridor",
        )
    )
    outer = draw.bank("place")
    return f"the {inner} of {outer}" if draw.chance(0.5) else outer
