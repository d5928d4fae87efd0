"""Questions that do not look like one: `I am looking for the key`, `My cow is sick. Is there a remedy?`, `What do you do for a living?`

They become a kind, the words that an answer should have something like, and what that has to be besides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from npc_server.english.normalize import all_prepositions, data, level, levels, levels_listed, listed, read
from npc_server.english.question_parts import AsksFor, QuestionParts, asked_of


class Aim(Enum):
    """What is asked for where the question word does not say it."""

    PLAIN = auto()
    """What its kind says."""
    WORK = auto()
    """What somebody does for a living."""
    STATE = auto()
    """What is wrong with something, or happens somewhere."""
    NEED = auto()
    """Something that would help."""


@dataclass(frozen=True)
class Sought:
    """A question, taken apart for loose comparison."""

    asked: QuestionParts
    aim: Aim
    terms: frozenset[str]
    """Levels of what is asked about, without names."""
    hints: frozenset[str]
    """The same of what was said before it."""
    negated: bool


_HAS_WORD = re.compile(r"\b(who|whom|whose|what|which|when|where|why|how)\b", re.I)
_PUT_OTHERWISE = (
    (re.compile(r"\bwhere do you (come|hail) from\b", re.I), "where were you born"),
    (re.compile(r"\bwhere does ((?-i:[A-Z])\w+( (?-i:[A-Z])\w+)?) (come|hail) from\b", re.I), r"where was \1 born"),
    (re.compile(r"\b(can't|cannot|can not) hear\b( any ?more)?", re.I), "is deaf"),
    (re.compile(r"\b(can't|cannot|can not) see\b( any ?more)?(?=[?.!]|$)", re.I), "is blind"),
    (re.compile(r"\b(make|makes|made) off with\b", re.I), "steal"),
    (re.compile(r"\bput(s|ting)? to sea\b", re.I), "sail"),
    (re.compile(r"\b(held|hold|holds) up\b", re.I), "robbed"),
    (re.compile(r"\b(get|gets|got|getting) off\b", re.I), "alight"),
    (re.compile(r"\b(set|sets|setting) (off|out)\b", re.I), "depart"),
    (re.compile(r"\b(get|gets|got) up\b|\bup and about\b", re.I), "wake"),
    (re.compile(r"\bpass(ed)? away\b", re.I), "die"),
    (re.compile(r"\b(broke|breaks?|broken) (in|into)\b", re.I), "burgle"),
    (re.compile(r"\b(on|by) whose (orders?|commands?|behalf)( did| do| does| must| should| have| has)?\b", re.I), "who told"),
    (re.compile(r"\b(from|since|until|till|by) when\b|\bhow (soon|late|early)\b|\b(at )?what (time|hour)\b", re.I), "when"),
    (re.compile(r"\bwhat are (the|your) (?P<what>[\w ]+ )?hours\b", re.I), r"when is \g<what>"),
    (re.compile(r"\b(has |have |had )?(lost|loses?|given|gives) (his|her|their) heart to\b", re.I), "is in love with"),
    (re.compile(r"\b(fallen|fell|falls?) for\b", re.I), "is in love with"),
    (re.compile(r"\bwhereabouts\b|\bin (what|which) (place|spot)\b|\bat (what|which) (place|spot)\b", re.I), "where"),
    (re.compile(r"\bhow come\b|\bfor what reason\b|\bwhat for\b", re.I), "why"),
    (re.compile(r"\b(where|how) (can|do|could|would|does|should) (i|we|one) (get|come|go) to\b", re.I), "where is"),
)  # fmt: skip
_PLACE = re.compile(
    r"\b(look|search|hunt)(ing)? (all over |everywhere )?for\b|\bseek(ing)?\b|\bin search of\b|\bthe way to\b|\bshow me\b"
    r"|\b(can't|cannot|can not|could not|couldn't) (seem to )?find\b|\b(need|want|have|like|trying) to (find|get to|reach)\b"
    r"|\b(point|direct|lead|take) (me|us) to\b",
    re.I,
)
_NEED = re.compile(
    r"\b(i|we)( am|'m| are|'re|'d| would| badly| really| do)* (need|want|require|like|love|after|in need|could do|could use)\b", re.I
)
_TRADE = r"(job|trade|profession|occupation|business|work|living|craft)"
_WORK = re.compile(
    rf"\b(for a living|for work|line of work|{_TRADE} (of|do|is|does)\b|(your|'s|s') {_TRADE}\b|what (sort of |kind of )?(work|job|trade)\b"
    r"|(earn|make) (your|his|her|their|a|one's) (living|bread|keep))|^what (do|does) [\w' ]+ do\?*$",
    re.I,
)
_STATE = re.compile(
    r"\b(happen(s|ed|ing)?|(going|goes|went) on|wrong|(is |'s )the (matter|trouble|problem)|ails?|become of|became of|how (is|are))\b", re.I
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_POINTING = re.compile(r"\b(it|them|that|this|him|her|he|she)\b", re.I)
_NOT = re.compile(r"\bnot\b|n't\b|n’t\b|\bcannot\b|\bnobody\b|\bno\b|\bnone\b|\bnever\b", re.I)


@lru_cache(maxsize=256)
def sought(question: str, names: frozenset[str]) -> Sought:
    """Takes a question apart. `names` are words of names, small."""
    before, asks = _asking(put_otherwise(question))
    asked = asked_of(asks, names)
    aim = Aim.PLAIN
    if _WORK.search(asks.strip()):
        aim = Aim.WORK
    elif _STATE.search(asks) and asked.kind in (
        AsksFor.WHAT,
        AsksFor.WHETHER,
        AsksFor.HOW,
        AsksFor.OPEN,
        AsksFor.WHO,
    ):
        aim = Aim.STATE
    elif not _HAS_WORD.search(asks):
        if _PLACE.search(asks):
            asked = replace(asked, kind=AsksFor.WHERE, verb="", to_me=False)
        elif _NEED.search(asks):
            aim = Aim.NEED
            asked = replace(asked, to_me=False)
    if asked.kind is AsksFor.WHETHER and asked.to_me:
        asked = replace(asked, of_asker=False)  # who could mend my net mends anybody's
    terms = _telling(asks, names) - _of_kind(asked.kind)
    hints = _telling(before, names)
    if not terms or (_POINTING.search(asks) and len(terms) <= 1):
        terms, hints = terms | hints, frozenset()
    return Sought(asked, aim, terms, hints, bool(_NOT.search(asks)))


def put_otherwise(question: str) -> str:
    """A question with one verb where it had a verb and a particle, and a plain question word where it had several."""
    question = question.replace("’", "'")
    for pattern, put in _PUT_OTHERWISE:
        question = pattern.sub(put, question)
    return question


def _asking(text: str) -> tuple[str, str]:
    """What was said before, and the sentence that asks."""
    parts = [part for part in _SENTENCE.split(text.strip()) if any(c.isalpha() for c in part)]
    asking = [i for i, part in enumerate(parts) if "?" in part] or [i for i, part in enumerate(parts) if _HAS_WORD.search(part)]
    last = asking[-1] if asking else len(parts) - 1
    return (" ".join(parts[:last]), parts[last]) if parts else ("", text)


def _telling(text: str, names: frozenset[str]) -> frozenset[str]:
    asked = asked_of(text, names).names if text else frozenset()
    titles = frozenset(w.level for w in read(text) if w.capital and not w.first and w.low in listed("titles"))
    return levels(text) - levels(" ".join(asked)) - titles - _polite()


def _of_kind(kind: AsksFor) -> frozenset[str]:
    """The nouns that a kind is asked for with: `what colour` asks for a colour, which no answer calls one."""
    return frozenset(map(level, data()["asks"].get(kind.name.lower(), "").split()))


@lru_cache(maxsize=1)
def _polite() -> frozenset[str]:
    return levels_listed("polite") | levels_listed("auxiliaries") | levels_listed("measures") | all_prepositions()
