"""Parsing questions: the answer type, the verb, and what a question is about.

English has a fixed order for these: question word, auxiliary verb, subject, verb. What the rules do not find stays empty, and then an
answer need not have it (`answer_match`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from npc_server.english.normalize import Word, data, is_participle, listed, listed_terms, prepositions, terms_of, tokenize, verb_terms
from npc_server.english.text import without_title_dots


class AnswerType(Enum):
    """What kind of thing a question asks for."""

    WHO = auto()
    WHERE = auto()
    WHEN = auto()
    MANY = auto()
    LONG = auto()
    OLD = auto()
    WHY = auto()
    HOW = auto()
    NAME = auto()
    COLOUR = auto()
    WHICH = auto()
    WHAT = auto()
    WHETHER = auto()
    OPEN = auto()
    """Anything that is known: `what do you know about the mill?`"""


@dataclass(frozen=True)
class QuestionParts:
    """A parsed question. Words are terms (`normalize.term_of`)."""

    kind: AnswerType
    verb: str = ""
    """The main verb, where that is clear."""
    head: str = ""
    """The noun it is about when there is no such verb: the key in `where is the key to the cellar`."""
    counted: str = ""
    asks_who_acts: bool = False
    """Whether it asks who does something."""
    asks_what_acts: bool = False
    """Whether it asks who or what does something, so that it has no other subject."""
    any_preposition: bool = False
    """Whether the answer may follow any preposition."""
    about: frozenset[str] = frozenset()
    """The other content words."""
    names: frozenset[str] = frozenset()
    to_me: bool = False
    """Whether it is about the person who is asked."""
    of_asker: bool = False
    asks_past_time: bool = False
    """Whether it asks when something happened."""
    has_past_auxiliary: bool = False
    """Whether its auxiliary is in the past, for any answer type."""
    last_preposition: str = ""
    """The preposition at its end: `what are they shouting about`."""
    which_noun: str = ""
    """The noun after `which`: `which bus`."""
    asks_contents: bool = False
    """Whether it asks what is in something."""
    words: frozenset[str] = frozenset()


_WH = {
    "who": AnswerType.WHO,
    "whom": AnswerType.WHO,
    "whose": AnswerType.WHO,
    "where": AnswerType.WHERE,
    "when": AnswerType.WHEN,
    "why": AnswerType.WHY,
    "how": AnswerType.HOW,
}
_HOW = {
    "many": AnswerType.MANY,
    "much": AnswerType.MANY,
    "old": AnswerType.OLD,
    "long": AnswerType.LONG,
    "often": AnswerType.LONG,
}


@lru_cache(maxsize=256)
def parse_question(question: str, names: frozenset[str] = frozenset()) -> QuestionParts:
    """Parses a question. `names` are the words of known names in lower case."""
    words = [word for word in tokenize(_last_question(question)) if word.is_word]
    start = _question_start(words)
    kind, rest, noun = _kind(words[start:]) if start < len(words) else (AnswerType.OPEN, words, "")
    of_asker = any(a.lower == "my" or (b.lower == "i" and a.lower in ("did", "was", "have", "am")) for a, b in _pairs(words))
    subject, found, passive = _subject_and_verb(rest, names, kind)
    helped = bool(rest) and rest[0].lower in ("did", "was", "were", "has", "have", "had")
    verb = "" if found is None or found.term in listed_terms("generic") or found.lower in listed("empty") else found.term
    if found is None and kind is not AnswerType.OPEN and rest and rest[0].lower in ("is", "are", "was", "were", "am"):
        head = _head(rest[1:], names)
    else:
        head = ""
    named = frozenset(w.lower for w in words if is_name(w, names) and w.lower not in listed("titles"))
    skipped = {verb, noun, head, "", *listed_terms("times"), *listed_terms("titles")}
    telling = {w.term for w in words[start:] if w.lower not in listed("empty") and not is_name(w, names)}
    if kind is AnswerType.NAME:
        telling -= listed_terms("naming")
        verb = "" if verb in listed_terms("naming") else verb
        head = "" if head in listed_terms("naming") else head
    if kind in (AnswerType.OLD, AnswerType.LONG, AnswerType.MANY):
        telling -= listed_terms("measures")
    return QuestionParts(
        kind,
        verb,
        head,
        noun if kind is AnswerType.MANY else "",
        asks_who_acts=kind is AnswerType.WHO and bool(verb) and not subject and not passive,
        asks_what_acts=bool(verb) and not subject,
        any_preposition=any(w.lower in prepositions() | {"of"} for w in (*words[-1:], *words[max(start - 1, 0) : start])),
        about=frozenset(telling - skipped),
        names=named,
        to_me=kind is not AnswerType.OPEN and bool(subject) and subject[0].lower in ("you", "your") and (found is None or bool(verb)),
        of_asker=of_asker,
        asks_past_time=kind is AnswerType.WHEN and bool(verb) and helped,
        has_past_auxiliary=helped,
        last_preposition=words[-1].lower if words and words[-1].lower in prepositions() | {"of"} else "",
        asks_contents=_asks_inside(kind, rest),
        which_noun=_noun_after_which(words[start + 1 :]) if kind is AnswerType.WHICH else "",
        words=frozenset(w.term for w in words),
    )


def _last_question(text: str) -> str:
    """The last sentence that asks; the whole text when that sentence has no content words."""
    text = without_title_dots(text)
    parts = [part for part in text.replace("!", ".").split(".") if "?" in part]
    sentence = parts[-1] if parts else text
    sentence = next((part for part in reversed(sentence.split("?")) if part.strip()), sentence)
    return sentence if terms_of(sentence) else text


def _pairs(words: Sequence[Word]) -> list[tuple[Word, Word]]:
    return list(zip(words, [*words[1:], words[-1]], strict=True)) if words else []


def _question_start(words: Sequence[Word]) -> int:
    """The index where the question begins: at the question word, after `can you tell me`, or at the first auxiliary."""
    for i, word in enumerate(words):
        if word.lower in _WH or word.lower in ("what", "which"):
            return i
        if word.lower not in listed("preamble") | prepositions() and not (word.is_capitalized or i == 0):
            break
    return next((i for i, word in enumerate(words[:4]) if word.lower in listed("auxiliaries")), len(words))


def _kind(words: Sequence[Word]) -> tuple[AnswerType, list[Word], str]:
    """The answer type, the words after the question word, and the noun that names the type."""
    low, rest = words[0].lower, list(words[1:])
    behind = rest[0].lower if rest else ""
    if low == "how" and behind in _HOW:
        kind = _HOW[behind]
        rest = rest[1:]
        end = _auxiliary(rest)
        counted = [w for w in rest[:end] if w.lower not in listed("empty") and w.term not in listed_terms("persons")]
        return kind, rest[end:], counted[0].term if counted and kind is AnswerType.MANY and end < len(rest) else ""
    if low == "how" and behind in listed("measures"):
        return AnswerType.MANY, rest[1:], ""
    if low == "how" and behind == "come":
        return AnswerType.WHY, rest[1:], ""
    if low == "whose":
        end = _auxiliary(rest)
        return AnswerType.WHO, rest[end:], ""
    if low in _WH:
        return _WH[low], rest, ""
    if low not in ("what", "which"):
        opens = any(w.lower in ("know", "tell", "think", "hear", "heard") for w in words) and any(w.lower in ("about", "of") for w in words)
        return (AnswerType.OPEN if opens else AnswerType.WHETHER), list(words), ""
    return _kind_of_what(low, rest)


def _kind_of_what(low: str, rest: list[Word]) -> tuple[AnswerType, list[Word], str]:
    if any(w.lower in listed("naming") for w in rest):
        return AnswerType.NAME, rest, ""
    end = _auxiliary(rest)
    if end == 0 or (end == len(rest) and low == "what" and rest and rest[0].term in verb_terms()):
        opens = bool(rest) and rest[0].lower in ("do", "does", "did") and any(w.lower in ("know", "hear", "think") for w in rest)
        named = len(rest) > 1 and rest[0].term == "be" and rest[1].lower in listed("determiners")
        asks = [w for w in rest[1:5] if w.lower not in listed("empty") and not w.is_capitalized][:1] if named else []
        typed = _type_of_noun(asks[0].lower) if asks else None
        return (AnswerType.OPEN if opens else typed or AnswerType.WHAT), rest, ""
    noun = rest[end - 1] if end < len(rest) else rest[0]
    kind = _type_of_noun(noun.lower) or (AnswerType.WHAT if noun.lower in ("kind", "sort", "else") else AnswerType.WHICH)
    return kind, rest[end:] if end < len(rest) else rest[1:], noun.term if kind is not AnswerType.WHICH else ""


def _asks_inside(kind: AnswerType, rest: Sequence[Word]) -> bool:
    """`What is in the box`, `who was in the carriage`."""
    return kind in (AnswerType.WHAT, AnswerType.WHO) and len(rest) > 1 and rest[0].term == "be" and rest[1].lower in ("in", "inside")


def _noun_after_which(words: Sequence[Word]) -> str:
    """The noun between `which` and the auxiliary; empty when that is unclear."""
    end = _auxiliary(words)
    end = end if end < len(words) else 1
    return words[end - 1].term if 0 < end <= 3 and end <= len(words) else ""


def _type_of_noun(noun: str) -> AnswerType | None:
    for name, kind in (
        ("when", AnswerType.WHEN),
        ("where", AnswerType.WHERE),
        ("many", AnswerType.MANY),
        ("who", AnswerType.WHO),
        ("colour", AnswerType.COLOUR),
    ):
        if noun in data()["asks"][name].split():
            return kind
    return AnswerType.WHY if noun in data()["asks"]["why"].split() else None


def _auxiliary(words: Sequence[Word]) -> int:
    return next((i for i, word in enumerate(words) if word.lower in listed("auxiliaries")), len(words))


def is_name(word: Word, names: frozenset[str]) -> bool:
    if not word.is_capitalized or word.lower in ("i", *listed("times")):
        return False
    return word.lower in names or (not word.starts_sentence and word.lower not in listed("empty"))


def _subject_and_verb(rest: Sequence[Word], names: frozenset[str], kind: AnswerType) -> tuple[list[Word], Word | None, bool]:
    """The subject, the verb, and whether it is in the passive voice."""
    has = bool(rest) and rest[0].lower in listed("auxiliaries")
    helper = rest[0].lower if has else ""
    words = [w for w in rest[has:] if w.lower != "not"]
    end, clear = _subject(words, names, asks_subject=not has and kind in (AnswerType.WHO, AnswerType.WHAT, AnswerType.WHICH))
    subject, behind = list(words[:end]), words[end:]
    bends = helper in ("is", "are", "was", "were", "am", "has", "have", "had")
    candidates = []
    for i, word in enumerate(behind):
        base_wanted = not bends or (i > 0 and behind[i - 1].lower == "to")
        if word.lower in listed("adverbs") and not (word.lower in ("do", "go", "have") and i == len(behind) - 1):
            continue
        if word.lower in prepositions() | {"of"} | listed("determiners") and not (clear and i == 0 and word.term in verb_terms()):
            break
        candidates.append((word, base_wanted or is_participle(word.lower), base_wanted or word.term in verb_terms()))
        if clear:
            break
    passive = helper in ("is", "are", "was", "were") and bool(candidates) and not candidates[0][0].lower.endswith("ing")
    # "A cook steals", "the old cook cooks": when the end of the subject is unclear, take the last word that can be a verb.
    for word, fits_form, known in candidates if clear or bends else reversed(candidates):
        if fits_form and (known or bends) and (clear or word.term in verb_terms()):
            return subject, word, passive
    return subject, None, passive


def _subject(words: Sequence[Word], names: frozenset[str], *, asks_subject: bool) -> tuple[int, bool]:
    """The least number of words of the subject, and whether it surely ends there."""
    if asks_subject or not words:
        return 0, True
    if words[0].lower in listed("pronouns"):
        return 1, len(words) < 2 or words[0].lower not in ("this", "that", "these", "those", "any", "some")
    end = 0
    while end < len(words) and (
        is_name(words[end], names) or words[end].lower in ("and", "of", "the") or words[end].lower in listed("titles")
    ):
        if words[end].is_possessive:
            return end + 2, False
        end += 1
    if end and is_name(words[end - 1], names):
        return end, True
    if words[0].lower in listed("determiners"):
        return 2, False
    # No subject, as in "who is coming", or a bare noun, as in "does glue dry".
    return (0, True) if is_participle(words[0].lower) or len(words) == 1 else (0, False)


def _head(words: Sequence[Word], names: frozenset[str]) -> str:
    """The noun that the question is about."""
    found = ""
    for word in words:
        if word.lower == "of" or word.lower in prepositions():
            break
        if word.lower not in listed("empty") and not is_name(word, names) and word.lower not in listed("times"):
            found = word.term
    return found
