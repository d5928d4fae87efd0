"""Drawing people as the server's own records: identity, voice and relations."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from models.nano.draw import Draw, capital, style
from npc_server import clock
from npc_server.config import MindSettings
from npc_server.llm.engine import Engine
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.stream import MemoryStream
from npc_server.mind.mind import Mind
from npc_server.personas.names import TITLES, first_name
from npc_server.personas.schema import Persona, Relation, Voice
from npc_server.records import GameTime, Mood, Needs, PlanLevel, PlanStep, Social, Talk
from npc_server.world.knowledge import Knowledge
from npc_server.world.tree import World


@dataclass(frozen=True)
class Manner:
    """A way of talking, from the bank of voices."""

    traits: tuple[str, ...]
    style: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    greet: tuple[str, ...]
    bye: tuple[str, ...]
    unknown: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass
class Someone:
    """Enough of a mind to render the server's prompts and to run instinct."""

    persona: Persona
    names: dict[str, str]
    manner: Manner
    trade: str
    town: str
    summary: str = ""
    currently: str = ""
    social: dict[str, Social] = field(default_factory=dict)
    needs: Needs = field(default_factory=Needs)
    mood: Mood = field(default_factory=Mood)
    settings: MindSettings = field(default_factory=MindSettings)
    stream: MemoryStream = field(default_factory=lambda: MemoryStream("me"))
    """Memories for instinct; empty when only the prompt shows memories."""
    world: World = field(default_factory=World)
    known: Knowledge = field(default_factory=Knowledge)
    plan: tuple[PlanStep, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    """Values in the identity by key, such as `hobby.hobby`, for questions about it."""

    @property
    def engine(self) -> Engine:
        """npc-nano itself: prompts show it suggested answers, and the identity without its own words for secrets."""
        return ScriptedEngine({}, drafts=True)

    def name_of(self, who: str) -> str:
        return self.names.get(who, who)

    def first_name_of(self, who: str) -> str:
        return first_name(self.name_of(who))

    def others_in(self, talk: Talk) -> list[str]:
        return [person for person in talk.people if person != self.npc]

    def steps_of(self, level: PlanLevel, now: GameTime) -> list[PlanStep]:
        return []

    def seed_for(self, *parts: object) -> int:
        return zlib.crc32("\x1f".join(str(part) for part in (self.name, *parts)).encode())

    @property
    def mind(self) -> Mind:
        return cast(Mind, self)

    @property
    def npc(self) -> str:
        return self.persona.id

    @property
    def name(self) -> str:
        return self.persona.name

    @property
    def first(self) -> str:
        return self.persona.first_name


def manners() -> list[Manner]:
    return [Manner(**{key: tuple(lines) for key, lines in voice.items()}) for voice in style()["voices"]]


TITLES_USED = sorted(TITLES - {"young"})
"""Titles that are no family names in the banks."""
TITLE_SHARE = 0.15
"""Share of the people with a title."""


def full_name(draw: Draw) -> str:
    title = f"{capital(draw.one(TITLES_USED))} " if draw.chance(TITLE_SHARE) else ""
    first = draw.line("given") if draw.chance(0.55) else draw.word(2, 2)
    if draw.chance(0.12):
        return title + first
    return f"{title}{first} {draw.line('family') if draw.chance(0.5) else draw.word(2, 2)}"


def distinct_names(draw: Draw, count: int) -> list[str]:
    """Full names, no two with the same first name."""
    names: dict[str, str] = {}
    while len(names) < count:
        name = full_name(draw)
        names.setdefault(first_name(name), name)
    return list(names.values())


RELATIONS = {
    "family": (
        ("wife", 10),
        ("husband", 10),
        ("sister", 9),
        ("brother", 9),
        ("mother", 9),
        ("father", 9),
        ("daughter", 9),
        ("son", 9),
        ("cousin", 7),
    ),
    "near": (
        ("friend", 7),
        ("best friend", 9),
        ("neighbour", 5),
        ("old friend", 8),
        ("colleague", 5),
        ("teacher", 5),
        ("pupil", 5),
        ("employer", 4),
    ),
    "far": (("acquaintance", 3), ("customer", 3), ("rival", 2), ("landlord", 3), ("stranger", 0), ("competitor", 2), ("former friend", 2)),
}
WARM = (
    "{m} trusts {f}.",
    "{m} loves {f} very much.",
    "{m} is fond of {f}.",
    "{m} likes to hear {f} laugh.",
    "{m} worries about {f}.",
    "{m} would do anything for {f}.",
    "{m} enjoys every talk with {f}.",
    "{m} admires {f}.",
)
COLD = (
    "{m} does not trust {f}.",
    "{m} finds {f} {quality}.",
    "{m} avoids {f} since their quarrel about {subject}.",
    "{m} thinks that {f} talks too much.",
    "{m} hardly knows {f}.",
    "{m} is still angry with {f}.",
    "{m} envies {f} a little.",
)
PLAIN = (
    "{m} finds {f} {quality}.",
    "{m} knows {f} from {place}.",
    "{m} buys {food} from {f}.",
    "{m} thinks {f} works too hard.",
    "{m} plays cards with {f} now and then.",
    "{m} thinks that {f} is hiding something.",
)
IDENTITY_SLOTS = ("W", "hobby", "dream", "worry", "food", "trade2", "animal", "w", "project", "place", "thing", "event", "weekday")
"""Drawn for every phrase of an identity, whether it has them or not."""
MANY_PHRASES = 0.25
"""Share of the long prompts with an identity of six to ten phrases."""
IDENTITY = (
    ("trade", "{name} is [the|a] {trade}[ of {town}| at {place}|]"),
    ("origin", "{first} [grew up in|was born in|comes from|moved here from] {W}"),
    ("hobby", "{first} [loves|likes|has always liked] {hobby}"),
    ("dream", "{first} [wants|has always wanted|dreams of one thing, and that is] {dream}"),
    ("worry", "{first} [worries about|cannot stop thinking about] {worry}"),
    ("food", "{first} [likes|could live on|is known for] {food}"),
    ("past", "{first} [used to be a|learned to be a|was once a] {trade2}[ before that|]"),
    ("pet", "{first} has a {animal} called {w}"),
    ("secret", "{first} has told nobody [about {thing}|about {worry}|of the {event} that went wrong]"),
    ("project", "{first} [is working on|has begun|spends the evenings on] {project}"),
    ("habit", "{first} [drinks {drink}|eats {food}|walks to {place}|thinks of {worry}] every [morning|evening|day|{weekday}]"),
    ("house", "{first} [inherited|rents|owns] a [small|crooked|warm|cold] house [near|behind|by] {place}"),
)
CURRENTLY = (
    "{first} is [working on|busy with] {project}",
    "{first} is planning a {event} at {place}",
    "{first} worries about {worry}",
    "{first} is looking for {thing}",
    "{first} hopes {dream}",
    "{first} is getting ready for the {event} on {weekday}",
    "{first} wants to talk with {other} about {subject}",
    "{first} is thinking about {subject}",
)
LIFESTYLE = (
    "{first} gets up at {h1} and goes to bed at {h2}",
    "{first} rises [early|late], works until evening, and sleeps around {h2}",
    "{first} is up before everybody else and in bed by {h2}",
)


def someone(draw: Draw, others: list[str], *, phrases: tuple[int, int] = (1, 4), relations: tuple[int, int] = (0, 4)) -> Someone:
    """A person who knows `others` by name and has a relation with some of them.

    `phrases` and `relations` are the least and the most of each.
    """
    taken = {first_name(other) for other in others}
    name = next(found for found in iter(lambda: full_name(draw), None) if first_name(found) not in taken)
    manner = draw.one(manners())
    traits = _traits(draw, manner)
    town, trade = draw.bank("town"), draw.bank("trade")
    if not draw.brief and draw.chance(MANY_PHRASES):
        phrases = (6, 10)
    identity, facts = _identity(draw, {"name": name, "first": first_name(name), "trade": trade, "town": town}, phrases)
    wake, sleep = draw.number(5, 9), draw.number(20, 23)
    draw.chance(0.5)  # nothing reads it, but without this draw every seed would give another text
    ids = {f"p{i}": other for i, other in enumerate(others)}
    known = [relation(draw, who, ids[who], first_name(name)) for who in draw.some(list(ids), draw.few(*relations))]
    currently = _currently(draw, first_name(name), others)
    persona = Persona(
        id="me",
        name=name,
        first_name=first_name(name),
        voice=_voice(draw, manner),
        age=draw.number(8, 85),
        traits=traits if draw.chance(0.95) else (),
        identity="; ".join(identity),
        identity_phrases=tuple(identity),
        currently=currently,
        lifestyle=_lifestyle(draw, first_name(name), wake, sleep),
        home="",
        work="",
        wake=wake * clock.HOUR,
        sleep=sleep * clock.HOUR,
        routine=(),
        knows=(),
        relations=tuple(known),
    )
    return Someone(persona, {"me": name, **ids}, manner, trade, town, facts=facts)


def _traits(draw: Draw, manner: Manner) -> tuple[str, ...]:
    """Two or three traits of the manner; some people have one of another manner, too."""
    own = draw.some(manner.traits, draw.number(2, 3))
    return tuple(dict.fromkeys(own + ([draw.one(draw.one(manners()).traits)] if draw.chance(0.3) else [])))


def _identity(draw: Draw, known: Mapping[str, str], phrases: tuple[int, int]) -> tuple[list[str], dict[str, str]]:
    """Phrases that say who somebody is, and the values in them by key, such as `hobby.hobby`."""
    has_trade = draw.chance(0.9)
    count = draw.few(*phrases)
    chosen = [IDENTITY[0], *draw.some(IDENTITY[1:], count - 1)] if has_trade else draw.some(IDENTITY[1:], count)
    lines: list[str] = []
    facts: dict[str, str] = {}
    for key, text in chosen:
        values = {**known, **{slot: draw._value("trade" if slot == "trade2" else slot, {}) for slot in IDENTITY_SLOTS}}
        lines.append(draw.fill(text, **values))
        for slot, value in values.items():
            if slot not in ("name", "first") and value in lines[-1]:
                facts.setdefault(f"{key}.{slot}", value)
    return lines, facts


def _currently(draw: Draw, first: str, others: list[str]) -> str:
    other = draw.one(others) if others else draw.bank("given")
    return f"{draw.fill(draw.one(CURRENTLY), first=first, other=other)}." if draw.chance(0.7) else ""


def _voice(draw: Draw, manner: Manner) -> Voice:
    return Voice(
        style=draw.one(manner.style) if draw.chance(0.8) else "",
        examples=tuple(draw.some(manner.examples, draw.number(0, 4))),
        greetings=_own(draw, manner.greet),
        farewells=_own(draw, manner.bye),
        dont_know=tuple(draw.some(manner.unknown, 2)),
    )


def _lifestyle(draw: Draw, first: str, wake: int, sleep: int) -> str:
    if not draw.chance(0.6):
        return ""
    return draw.fill(draw.one(LIFESTYLE), first=first, h1=f"{wake:02}:00", h2=f"{sleep:02}:00")


def _own(draw: Draw, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of the persona's own, which name nobody. Half of the people have none."""
    named = [line for line in lines if not set("{[") & set(line)]
    return tuple(draw.some(named, min(2, len(named)))) if draw.chance(0.5) else ()


def relation(draw: Draw, who: str, name: str, me: str) -> Relation:
    group = draw.one(("family", "near", "near", "far"))
    being, closeness = draw.one(RELATIONS[group])
    lines = {"family": WARM, "near": WARM + PLAIN, "far": COLD + PLAIN}[group]
    feeling = draw.fill(draw.one(lines), m=me, f=first_name(name)) if draw.chance(0.85) else ""
    return Relation(who, being, feeling, closeness)


def in_voice(draw: Draw, manner: Manner, text: str, much: float = 0.5) -> str:
    """A sentence as this person would say it, sometimes with an opener or a closer. `much` is the chance of an opener."""
    opener = draw.one(manner.openers) if draw.chance(much) else ""
    closer = draw.one(manner.closers) if draw.chance(much * 0.6) else ""
    said = capital(text)
    if opener and not opener.rstrip().endswith((".", "!", "?", "...", ":")):
        said = lowered(said)
    return capital(f"{opener}{said}{closer}".strip())


_SMALL_WORDS = (
    "a an the this that that's these those it it's they we my our some no nobody nothing somebody everybody everything yes there "
    "at in on with to about near by ask of for from under below behind beside between before after during since until because when "
    "while early late around every last next today tonight tomorrow yesterday one two three four five six seven eight nine ten "
    "eleven twelve"
)
_SMALL = frozenset(_SMALL_WORDS.split())
"""Words that are never names."""


def lowered(text: str) -> str:
    """A sentence for the middle of another: its first letter in lower case, unless it may begin a name."""
    return text[:1].lower() + text[1:] if text.split()[0].lower().strip(".,!?") in _SMALL else text


def random_time(draw: Draw) -> GameTime:
    """A game time by day, within many centuries."""
    day = draw.number(-200000, 40000)
    return day * clock.DAY + draw.number(6 * 60, 22 * 60) * clock.MINUTE
