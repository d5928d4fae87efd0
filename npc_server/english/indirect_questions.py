"""Indirect questions: `I am looking for the key`, `My cow is sick. Is there a remedy?`, `What do you do for a living?`

They are parsed for fuzzy matching: the answer type, the terms that an answer should resemble, and a special aim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from npc_server.english.normalize import data, listed, listed_terms, prepositions, term_of, terms_of, tokenize
from npc_server.english.question_parts import AnswerType, QuestionParts, parse_question


class Aim(Enum):
    """What a question asks for, beside its answer type."""

    PLAIN = auto()
    """Only what its answer type says."""
    WORK = auto()
    """What somebody does for a living."""
    STATE = auto()
    """What is wrong with something, or what happens somewhere."""
    NEED = auto()
    """Something that would help the asker."""


@dataclass(frozen=True)
class FuzzyQuestion:
    """A question, parsed for fuzzy matching."""

    asked: QuestionParts
    aim: Aim
    terms: frozenset[str]
    """Terms of the question, without names."""
    hints: frozenset[str]
    """Terms of the sentences before the question."""
    negated: bool


_HAS_WORD = re.compile(r"\b(who|whom|whose|what|which|when|where|why|how)\b", re.I)
_REPHRASINGS = (
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
def parse_fuzzy(question: str, names: frozenset[str]) -> FuzzyQuestion:
    """Parses a question. `names` are the words of known names in lower case."""
    before, asks = _split_question(rephrased(question))
    asked = parse_question(asks, names)
    aim = Aim.PLAIN
    if _WORK.search(asks.strip()):
        aim = Aim.WORK
    elif _STATE.search(asks) and asked.kind in (
        AnswerType.WHAT,
        AnswerType.WHETHER,
        AnswerType.HOW,
        AnswerType.OPEN,
        AnswerType.WHO,
    ):
        aim = Aim.STATE
    elif not _HAS_WORD.search(asks):
        if _PLACE.search(asks):
            asked = replace(asked, kind=AnswerType.WHERE, verb="", to_me=False)
        elif _NEED.search(asks):
            aim = Aim.NEED
            asked = replace(asked, to_me=False)
    if asked.kind is AnswerType.WHETHER and asked.to_me:
        asked = replace(asked, of_asker=False)  # whoever can mend my net can mend anybody's
    terms = _content_terms(asks, names) - _nouns_of_type(asked.kind)
    hints = _content_terms(before, names)
    if not terms or (_POINTING.search(asks) and len(terms) <= 1):
        terms, hints = terms | hints, frozenset()
    return FuzzyQuestion(asked, aim, terms, hints, bool(_NOT.search(asks)))


def rephrased(question: str) -> str:
    """A question in plainer words: one verb for a phrasal verb, one question word for a phrase."""
    question = question.replace("’", "'")
    for pattern, put in _REPHRASINGS:
        question = pattern.sub(put, question)
    return question


def _split_question(text: str) -> tuple[str, str]:
    """The sentences before the question, and the question."""
    parts = [part for part in _SENTENCE.split(text.strip()) if any(c.isalpha() for c in part)]
    asking = [i for i, part in enumerate(parts) if "?" in part] or [i for i, part in enumerate(parts) if _HAS_WORD.search(part)]
    last = asking[-1] if asking else len(parts) - 1
    return (" ".join(parts[:last]), parts[last]) if parts else ("", text)


def _content_terms(text: str, names: frozenset[str]) -> frozenset[str]:
    asked = parse_question(text, names).names if text else frozenset()
    titles = frozenset(w.term for w in tokenize(text) if w.is_capitalized and not w.starts_sentence and w.lower in listed("titles"))
    return terms_of(text) - terms_of(" ".join(asked)) - titles - _polite_terms()


def _nouns_of_type(kind: AnswerType) -> frozenset[str]:
    """Terms that only name the answer type: an answer to `what colour` does not say `colour`."""
    return frozenset(map(term_of, data()["asks"].get(kind.name.lower(), "").split()))


@lru_cache(maxsize=1)
def _polite_terms() -> frozenset[str]:
    return listed_terms("polite") | listed_terms("auxiliaries") | listed_terms("measures") | prepositions()
