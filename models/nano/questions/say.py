"""Say: the next line of a conversation, drawn from whole conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.nano import social_memory
from models.nano.draw import Draw, style
from models.nano.facts import FactMemory, make_fact, remember
from models.nano.people import distinct_names, in_voice, manners, random_time, someone
from models.nano.ranking import retrieved, stream_of, with_those
from models.nano.render import Sample, Turn, rendered, turn
from npc_server.english.text import sentences
from npc_server.instinct import phrases, small_talk
from npc_server.llm.reply import one
from npc_server.mind.instinct import Said
from npc_server.mind.replies import LEAVE, STAY, Spoken
from npc_server.personas.names import first_name
from npc_server.records import Line, MemorySource, Talk

from . import interview
from .conversation import LONG, Conversation, fit, not_known, small
from .my_line import my_line
from .their_line import their_line

AS_SHOWN = 0.9
"""Share of the samples with as few memories as in play, in retrieval order."""
ALWAYS_TRUE = ("question", "subject")
"""Dialogue acts that are answered by what is true, whatever instinct would say."""
FOLLOWED = 0.75
"""Share of the other lines that say what instinct would, in the person's voice."""
ALONE, MOST = 0.5, 4
"""Share of the samples with one line of a talk, and the most lines of the other samples."""
PARTING = 0.4
"""Factor for lines after which instinct would leave, since goodbyes are learned quickly."""
WANTED = {"question": 4.0, "subject": 4.0, "invite": 2.0, "related": 3.0, "bye": 1.5}
"""Relative frequency of lines by the dialogue act that they answer; 1 for all others."""
INNER = (
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
"""Parts of a place."""


@dataclass(frozen=True)
class TaughtLine:
    """One of my lines, and what it was based on."""

    spoken: Spoken
    weight: float
    said: list[tuple[str, str]]
    kept: list[FactMemory]
    source: FactMemory | None
    news: FactMemory | None
    about: str
    last: bool
    expect: tuple[str, ...]
    act: str
    """Dialogue act of the line before it."""


def say(draw: Draw) -> Sample:
    """A sample with one or more of my lines, each with the dialogue so far."""
    people = distinct_names(draw, draw.number(3, 6))
    me = someone(draw, people)
    now = random_time(draw)
    ids = draw.some([i for i in me.names if i != "me"], 2 if draw.chance(0.1) else 1)
    others = [me.name_of(i) for i in ids]
    for i in ids:
        social_memory.add_relationship(draw, me, i, now, people)
    kept = interview.memories(draw, me, now, people, draw.few(0, 6))
    talk = Conversation(draw, me, people, others, place(draw) if draw.chance(0.8) else "", kept, now)
    talk.other_manner = draw.one(manners())
    talk.length = draw.number(3, 9)
    if draw.chance(0.4):
        talk.news = (
            draw.one([k for k in kept if k.fact])
            if [k for k in kept if k.fact] and draw.chance(0.6)
            else remember(draw, me, make_fact(draw, [p for p in people if p not in others] or people), now)
        )
        if talk.news.person in ids or talk.news.source is MemorySource.KNOWN:
            talk.news = None
    if draw.chance(0.3):
        talk.about = draw.said(style()["topics"], b=draw.one(people), place=draw.bank("place"))
    cues = _taught(draw, _mine_of(talk))
    common = _common(talk, ids, cues)
    reply = one(Spoken)
    turns: list[Turn] = []
    system = ""
    for cue in cues:
        drafted = _instinct(talk, ids, cue)
        spoken = _restyled(talk, drafted) if cue.act not in ALWAYS_TRUE and draw.chance(FOLLOWED) else cue.spoken
        full = rendered(me, now, "say", reply, {**common, **_of_line(draw, cue, drafted.text)})
        system = system or full.part("system")
        turns.append(turn(full, not turns, reply, spoken, cue.expect, "say"))
    return Sample("say", system, tuple(turns), {"npc": me.name})


def _taught(draw: Draw, cues: Sequence[TaughtLine]) -> list[TaughtLine]:
    """The lines to teach: one of a talk, or several in order that have the same news to tell."""
    first = draw.rng.choices(cues, [cue.weight for cue in cues])[0]
    if draw.chance(ALONE):
        return [first]
    rest = [cue for cue in cues if cue is not first and cue.news is first.news]
    chosen = [first]
    while rest and len(chosen) < MOST:
        chosen.append(rest.pop(draw.rng.choices(range(len(rest)), [cue.weight for cue in rest])[0]))
    return sorted(chosen, key=lambda cue: len(cue.said))


def _mine_of(talk: Conversation) -> list[TaughtLine]:
    """Continues the talk to its end. Returns all my lines."""
    draw, me = talk.draw, talk.me
    cues: list[TaughtLine] = []
    mine_first = draw.chance(0.5)
    for count in range(12):
        if (count % 2 == 0) == mine_first:
            last = draw.chance(0.03 if count < LONG else 0.4) and count > 0
            act, news, about = talk.act, talk.news, talk.about
            talk.source = talk.source if act in ("question", "subject", "news") else None
            said = list(talk.lines)
            expect = tuple(talk.subject.get("expect", "").split("\n")) if act == "question" and talk.subject.get("expect") else ()
            text, then = my_line(talk, last)
            weight = WANTED["bye"] if then == LEAVE else WANTED["related"] if act == "news" and talk.source else WANTED.get(act, 1.0)
            if sum(who == me.name for who, _ in said) >= small_talk.LINES_EACH - 1:
                weight *= PARTING
            topic = about if count < LONG else ""
            cues.append(TaughtLine(Spoken(text, then), weight, said, talk.kept, talk.source, news, topic, last, expect, act))
            talk.source = None
            talk.lines.append((me.name, text))
            if then == LEAVE:
                break
        else:
            talk.lines.append((draw.one(talk.others), their_line(talk)))
    return cues


def _common(talk: Conversation, ids: Sequence[str], cues: Sequence[TaughtLine]) -> dict[str, object]:
    """Values of the prompt that all these lines share. The memories that they are based on are among those shown."""
    me, draw, cue = talk.me, talk.draw, cues[0]
    shown = cue.kept
    sources = [c.source for c in cues if c.source]
    if draw.chance(AS_SHOWN):
        topic = cue.said[-1][1] if cue.said else cue.about or " ".join(talk.others)
        shown = retrieved(draw, cue.kept, topic, talk.now)
    shown = with_those(shown, [source for source in sources if source in cues[-1].kept])
    news = ""
    if cue.news and cue.news.fact:
        teller = f"{me.name_of(cue.news.person)} told you: " if cue.news.person else ""
        news = teller + cue.news.text
    return {
        "others": talk.others,
        "place": talk.where,
        "memories": [k.line for k in shown],
        "news": news,
        "voice": me.persona.voice.style,
        "examples": list(me.persona.voice.examples),
        "offers": [],
        "between": [social_memory.line(me, i) for i in ids] if draw.rng.random() < 0.85 else [],
    }


def _of_line(draw: Draw, cue: TaughtLine, draft: str) -> dict[str, object]:
    """Values of the prompt for one line."""
    return {
        "dialogue": [f"{who}: {text}" for who, text in cue.said][-12:],
        "about": cue.about,
        "last_words": cue.last,
        "draft": draft if draw.chance(interview.DRAFTED) else "",
    }


def _instinct(talk: Conversation, ids: Sequence[str], cue: TaughtLine) -> Said:
    """What instinct would say."""
    me = talk.me
    me.stream = stream_of(cue.kept)
    who = {me.name: me.npc, **dict(zip(talk.others, ids, strict=True))}
    lines = tuple(Line(who[name], text, talk.now) for name, text in cue.said)
    so_far = Talk(f"{talk.draw.rng.random()}", (me.npc, *ids), "", talk.now, lines)
    return small_talk.say(me.mind, so_far, talk.now, frozenset(), cue.about, last_words=cue.last)


def _restyled(talk: Conversation, drafted: Said) -> Spoken:
    """What instinct would say, with its usual phrases replaced by the person's own."""
    draw, me, you = talk.draw, talk.me, first_name(talk.others[0])
    parts: list[str] = []
    rest = drafted.text
    while rest:
        bank, line = _usual(talk, rest)
        if not bank:
            line = sentences(rest)[0]
        rest = rest[len(line) :].strip()
        if bank == "greetings":
            line = draw.said(me.manner.greet, you=you)
        elif bank == "farewells":
            line = draw.said(me.manner.bye, you=you)
        elif bank == "dont_know":
            line = not_known(talk)
        elif bank == "opening":
            line = talk.said("about_open", about=talk.about)
        elif bank in ("surprise", "fine"):
            line = talk.said(bank)
        elif bank == "smalltalk":
            line = small(talk)
        parts.append(line)
    text = " ".join(parts)
    return Spoken(fit(in_voice(draw, me.manner, text, 0.2) if not drafted.leaves else text), LEAVE if drafted.leaves else STAY)


def _usual(talk: Conversation, text: str) -> tuple[str, str]:
    """The usual phrase of instinct that a text begins with, and its list; empty when it begins with none."""
    for bank in ("greetings", "farewells", "dont_know", "surprise", "fine", "smalltalk"):
        for line in phrases.lines(bank):
            filled = line.format(you=talk.me.first_name_of(talk.others[0]))
            if text.startswith(filled):
                return bank, filled
    if talk.about:
        for line in phrases.lines("opening"):
            filled = line.format(about=talk.about.rstrip("."))
            if text.startswith(filled):
                return "opening", filled
    return "", ""


def place(draw: Draw) -> str:
    """A place in the words of the server."""
    inner = draw.one(INNER)
    outer = draw.bank("place")
    return f"the {inner} of {outer}" if draw.chance(0.5) else outer
