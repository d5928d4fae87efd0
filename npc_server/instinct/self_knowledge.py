"""Self-knowledge: answers about the NPC itself, people it knows and places, without a search of its memories.

Players ask these first: who are you, what do you do, what is new, do you know Tobin, where is the well. The persona, Social Memory,
the plan and the known places answer them (Generative Agents, section 6.2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from npc_server import clock
from npc_server.english import polite_forms
from npc_server.english.first_person import in_first_person
from npc_server.english.reported_speech import reported
from npc_server.english.text import ended, sentences
from npc_server.instinct import act, phrases
from npc_server.instinct.news import as_claim, is_secret, news
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.personas.names import forms
from npc_server.records import GameTime, MemoryKind, MemorySource, PlanLevel
from npc_server.world.tree import with_article

_FAMILY = re.compile(
    r"\b(wife|husband|mother|father|sister|brother|son|daughter|aunt|uncle|cousin|niece|nephew|grand\w+|parents?|child(ren)?|twin|spouse)\b",
    re.I,
)
_TRADE = r" is (the|an?) \w+|\b(works?|keeps|runs|bakes|sells|teaches|builds|mends|makes|farms|fishes|heals|guards|studies|repairs)\b"
_LEAST_WORDS = 3
"""Least words of a sentence that is cut short."""
INTENTION_AGE = 7 * clock.DAY
"""Game seconds for which an intention is still told."""
SIGHTINGS_SEARCHED = 2000
"""Newest memories about somebody that are searched for the last sight of them."""


def answer(mind: Mind, question: str, asker: str, now: GameTime) -> str:
    """The answer to a question about the NPC, its relations or places; empty for every other question."""
    plain = polite_forms.plain_question(question)
    for asked, say in _ANSWERS:
        if asked.search(plain) and (found := say(mind, asker, now)):
            return found
    return _of_somebody(mind, plain, asker, now) or _of_a_place(mind, plain)


def as_told(mind: Mind, text: str, to: str) -> str:
    """A memory's text in the first person, as the NPC tells it to somebody."""
    you = mind.name_of(to)
    # An interviewer has no name, so no memory names them.
    return ended(in_first_person(reported(text), own_names(mind), forms(you) if you[:1].isupper() else (), list(mind.names.values())))


def own_names(mind: Mind) -> tuple[str, ...]:
    """All forms of the NPC's name in memories."""
    return (*forms(mind.persona.name), mind.persona.first_name)


# ---- the NPC itself


def _phrases(mind: Mind, marks: str = "") -> list[str]:
    """Phrases of the identity that are no secrets and match the pattern `marks`."""
    found = [phrase for phrase in mind.persona.identity_phrases if not is_secret(mind.persona, phrase, MemoryKind.SEED)]
    return [phrase for phrase in found if re.search(marks, phrase)] if marks else found


def _first(mind: Mind, asker: str, found: Iterable[str], count: int = 1) -> str:
    return " ".join(_until_unclear_pronoun(as_told(mind, phrase, asker)) for phrase in list(found)[:count])


def _until_unclear_pronoun(told: str) -> str:
    """A sentence in the first person, cut before a "she" or "his" that may mean the NPC."""
    unsure = re.search(r"\b(he|she|him|her|his|hers)\b", told)
    if not told.startswith(("I ", "My ")) or not unsure:
        return told
    ends = (found.start() for found in _ENDS.finditer(told[: unsure.start()]))
    end = next((end for end in ends if len(told[:end].split()) >= _LEAST_WORDS), None)
    return told if end is None else ended(told[:end])


_ENDS = re.compile(r"[,;]| (?:as|because|and|who|which|when|that|if) ")


def _who(mind: Mind, asker: str, _: GameTime) -> str:
    return f"I am {mind.persona.name}. {_first(mind, asker, _phrases(mind))}".strip()


def _more(mind: Mind, asker: str, _: GameTime) -> str:
    return f"I am {mind.persona.name}. {_first(mind, asker, _phrases(mind), 2)}".strip()


def _work(mind: Mind, asker: str, _: GameTime) -> str:
    return _first(mind, asker, _phrases(mind, _TRADE))


def _age(mind: Mind, _asker: str, _now: GameTime) -> str:
    return f"I am {mind.persona.age}."


def _home(mind: Mind, _asker: str, _now: GameTime) -> str:
    home = routine.home(mind.persona)
    if home not in mind.world:
        return ""
    where = mind.world.describe(home)
    return "In my own house." if mind.persona.first_name in where else f"In {where}."


def _workplace(mind: Mind, _asker: str, _now: GameTime) -> str:
    return f"At {mind.world.describe(mind.persona.work)}." if mind.persona.work in mind.world else ""


def _current_activity(mind: Mind, asker: str, now: GameTime) -> str:
    steps = (step for level in (PlanLevel.STEP, PlanLevel.HOUR) for step in mind.steps_of(level, now))
    step = next((step for step in steps if step.start <= now < step.end), None)
    return as_told(mind, act.sentence(mind.persona.first_name, step.text), asker) if step else _current_concern(mind, asker, now)


def about_me(mind: Mind, asker: str) -> str:
    """The first phrase of the identity that is no secret, in the first person."""
    return _first(mind, asker, _phrases(mind))


def on_my_mind(mind: Mind, asker: str, now: GameTime) -> str:
    """What occupies it these days, in the first person; empty where that may be a secret."""
    current = mind.currently or mind.persona.currently
    return "" if is_secret(mind.persona, current, MemoryKind.SEED) else _current_concern(mind, asker, now)


def _current_concern(mind: Mind, asker: str, _: GameTime) -> str:
    current = mind.currently or mind.persona.currently
    return _until_unclear_pronoun(as_told(mind, sentences(current)[0], asker)) if current.strip() else ""


def _plan(mind: Mind, asker: str, now: GameTime) -> str:
    """A recent intention, else the current concern."""
    found = next((memory for memory in mind.stream.latest(1, (MemoryKind.INTENTION,)) if memory.created > now - INTENTION_AGE), None)
    return ended(found.text) if found else _current_concern(mind, asker, now)


def _family(mind: Mind, asker: str, _: GameTime) -> str:
    kin = [kept for kept in relationships.people(mind) if _FAMILY.search(plain_relation(kept.relation))]
    if kin:
        return " ".join(f"{mind.name_of(kept.other)} is my {plain_relation(kept.relation)}." for kept in kin[:2])
    told = (_first(mind, asker, [phrase]) for phrase in _phrases(mind))
    return next((text for text in told if _FAMILY.search(text)), "")


def _wish(mind: Mind, asker: str, now: GameTime) -> str:
    intended = _plan(mind, asker, now) if mind.stream.latest(1, (MemoryKind.INTENTION,)) else ""
    return intended or _first(mind, asker, _phrases(mind, r"\b(wants?|dreams?|hopes?|would like|longs?)\b"))


def _liking(mind: Mind, asker: str, _: GameTime) -> str:
    return _first(mind, asker, _phrases(mind, r"\b(loves|likes|enjoys|fond of|taught|plays|draws|collects|sings)\b"))


def _news(mind: Mind, asker: str, now: GameTime) -> str:
    found = news(mind, [asker], now, frozenset())
    return as_told(mind, as_claim(mind, found), asker) if found else ""


def _hour(_mind: Mind, _asker: str, now: GameTime) -> str:
    return f"It is about {time_in_words(now)}."


def time_in_words(at: GameTime) -> str:
    """The time to a quarter of an hour: `a quarter past ten`."""
    minutes = at % clock.DAY // clock.MINUTE + 7
    hour, quarter = minutes // 60, minutes % 60 // 15
    name = _HOURS[(hour + (quarter == len(_QUARTERS) - 1)) % 12]
    return f"{_QUARTERS[quarter]}{name}"


_QUARTERS = ("", "a quarter past ", "half past ", "a quarter to ")
_HOURS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


def _day(_mind: Mind, _asker: str, now: GameTime) -> str:
    return f"It is {clock.date(now)}."


def _here(mind: Mind, _asker: str, now: GameTime) -> str:
    """Where the NPC is, by its plan."""
    step = next((step for step in mind.steps_of(PlanLevel.HOUR, now) if step.start <= now < step.end and step.address in mind.world), None)
    return f"This is {mind.world.describe(':'.join(step.address.split(':')[:3]))}." if step else ""


def _fine(mind: Mind, asker: str, now: GameTime) -> str:
    lines = phrases.lines("fine")
    return lines[mind.seed_for("fine", asker, now) % len(lines)]


Say = Callable[[Mind, str, GameTime], str]
_ANSWERS: tuple[tuple[re.Pattern[str], Say], ...] = tuple(
    (re.compile(pattern), say)
    for pattern, say in (
        (r"\bwho (are you|you are)($|,)|\b(your name|introduce yourself)\b", _who),
        (r"\b(tell me|something|a bit|more) about yourself\b|\bdescribe yourself\b", _more),
        (r"^what do you do( here| for a living| for work)?$|^what('s| is) your (job|trade|work|profession|occupation)\b", _work),
        (r"^how old are you\b|^what('s| is) your age\b", _age),
        (r"^where do you live\b|^where('s| is) your (home|house)\b", _home),
        (r"^where do you work\b", _workplace),
        (r"^what are you (doing|up to)( now| here| there| just now| right now)?$|^what keeps you busy", _current_activity),
        (
            r"^what are you (doing|up to) (today|these days|lately)|\bon your mind\b|^what are you (worried|thinking) about$",
            _current_concern,
        ),
        (r"^what (troubles you|worries you|bothers you)", _current_concern),
        (r"^what (are you planning|are your plans|do you (plan|intend|mean)|will you do|have you (planned|decided))\b", _plan),
        (
            r"^(do you have|have you got) (a |any )?(family|relatives|relations|brothers|sisters|children|kids)|^tell me about your family",
            _family,
        ),
        (
            r"^what('s| is) your (dream|goal|wish)|"
            r"^what do you (want|dream of|wish for|hope for)( to do| to happen)?( most| now| today)?( in life)?$",
            _wish,
        ),
        (r"^what do you (like|love|enjoy)( to do| doing| most)?$|^what('s| is) your hobby|^do you have (a|any) hobb", _liking),
        (
            r"^(what('s| is) (new|the news|going on|happening)|(is there |have you )?(any|got any|heard any) news|what have you heard)\b",
            _news,
        ),
        (
            r"^how (are|do) you( do| feel| feeling)?( today| now)?$|^are you (well|all right|ok|okay|hungry|tired|busy|happy|sad|cold)\b",
            _fine,
        ),
        (r"^(has )?(anything|something) (new|happened|interesting)", _news),
        (r"^(do you (know|have) (what )?the time|what('s| is) the time|what time is it|have you got the time)\b", _hour),
        (r"^(what day is (it|today)|what('s| is) (today|the date)|which day is (it|today))\b", _day),
        (r"^(where are we|where am i|what('s| is) this (place|town|village|house|building|room)|what place is this)\b", _here),
    )
)


# ---- other people, and places


def plain_relation(relation: str) -> str:
    """A relation without what the file adds: `neighbour` for `neighbour, and the first friend she had`."""
    return re.sub(r"^(his|her|their|my) ", "", relation.split(",")[0].strip())


def _of_somebody(mind: Mind, plain: str, asker: str, now: GameTime) -> str:
    asked = _ABOUT.search(plain)
    who = _called(mind, asked["who"]) if asked else ""
    if who and who != asker:
        kept = relationships.of(mind, who)
        if kept.relation in (relationships.STRANGER, ""):
            return ""
        yes = "Yes. " if plain.startswith("do you") else ""
        feeling = _until_unclear_pronoun(as_told(mind, kept.feeling, asker)) if kept.feeling else ""
        return f"{yes}{mind.name_of(who)} is my {plain_relation(kept.relation)}. {feeling}".strip()
    asked = _WHERE_IS.search(plain)
    who = _called(mind, asked["who"]) if asked else ""
    return _last_seen(mind, who, now) if who else ""


_ABOUT = re.compile(
    r"^(who is|do you know|what do you think (of|about)|tell me about|what is (your )?opinion of|how do you like) (?P<who>[\w' .-]+)$"
)
_WHERE_IS = re.compile(
    r"^(where('s| is| can i find| could i find)|(where |when )?(have you( last)? seen|did you( last)? see)) "
    r"(?P<who>[\w' .-]+?)( now| today| last)?$"
)


def _called(mind: Mind, name: str) -> str:
    """The person whom a name means, among those known by name; empty for nobody or several."""
    found = [who for who, full in mind.names.items() if who != mind.npc and name in (form.casefold() for form in forms(full))]
    return found[0] if len(found) == 1 else ""


def _last_seen(mind: Mind, who: str, now: GameTime) -> str:
    seen = last_seen(mind, who, now)
    return f"I last saw {mind.name_of(who)} {seen}." if seen else ""


def last_seen(mind: Mind, who: str, now: GameTime) -> str:
    """When and where somebody was last seen: `20 minutes ago, near the pond`; empty if never."""
    name = mind.name_of(who)
    for memory in sorted(mind.stream.about(name, SIGHTINGS_SEARCHED), key=lambda memory: memory.id, reverse=True):
        if memory.source is MemorySource.SEEN and memory.address in mind.world and memory.address:
            return f"{clock.ago(memory.created, now)}, near {mind.world.describe(memory.address)}"
    return ""


def _of_a_place(mind: Mind, plain: str) -> str:
    """Where an object or place is, when the question has its exact name."""
    asked = _PLACE.search(plain)
    if not asked:
        return ""
    wanted = asked["what"]
    known = (address for address in mind.known.addresses() if address in mind.world)
    found = [address for address in known if _is_called(mind.world.node(address).name, wanted)]
    if not found:
        return ""
    address = min(found, key=len)
    name = with_article(mind.world.node(address).name)
    return f"{name[:1].upper()}{name[1:]} is in {mind.world.describe(address.rpartition(':')[0])}."


def _is_called(name: str, wanted: str) -> bool:
    """Whether it has this name, or a name that ends so: the Kettle Café is the café."""
    plain = name.casefold().removeprefix("the ")
    return plain == wanted or plain.endswith(f" {wanted}")


_PLACE = re.compile(r"^(where('s| is| are| can i find)|how do i (get|come) to|which way (is|to)) (the |your |a )?(?P<what>[\w' -]+)$")
