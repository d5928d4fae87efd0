"""A question taken apart by plain rules: what kind of thing it asks for, its verb, and what it is about.

English puts these in few places: the question word, a helping verb, the subject, the verb. What the rules do not find stays empty, and
then nothing is required of an answer (`english.answer_match`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from npc_server.english.normalize import Word, all_prepositions, data, is_bent, levels, levels_listed, listed, read, verbs
from npc_server.english.text import undotted


class AsksFor(Enum):
    """What is asked for."""

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
    """Whatever is known."""


@dataclass(frozen=True)
class QuestionParts:
    """A question, taken apart. Words are levels."""

    kind: AsksFor
    verb: str = ""
    """What is done, where that is clear."""
    head: str = ""
    """What it is about where nothing is done: the key in `where is the key to the cellar`."""
    counted: str = ""
    agent: bool = False
    """Whether it asks for who or what does it."""
    does: bool = False
    """Whether it asks for what does something: nobody else is said to."""
    loose: bool = False
    """Whether what is asked for may stand behind any preposition."""
    about: frozenset[str] = frozenset()
    """The other telling words."""
    names: frozenset[str] = frozenset()
    to_me: bool = False
    """Whether it is about the one who is asked."""
    of_asker: bool = False
    past: bool = False
    """Whether it asks for the hour of what is over."""
    past_helper: bool = False
    """Whether it asks for what was or was done, of whatever kind."""
    ends: str = ""
    """The preposition that it ends with: `what are they shouting about`."""
    noun: str = ""
    """What one is to be told from others, in `which bus`."""
    inside: bool = False
    """Whether it asks for what is in something."""
    words: frozenset[str] = frozenset()


_WH = {
    "who": AsksFor.WHO,
    "whom": AsksFor.WHO,
    "whose": AsksFor.WHO,
    "where": AsksFor.WHERE,
    "when": AsksFor.WHEN,
    "why": AsksFor.WHY,
    "how": AsksFor.HOW,
}
_HOW = {
    "many": AsksFor.MANY,
    "much": AsksFor.MANY,
    "old": AsksFor.OLD,
    "long": AsksFor.LONG,
    "often": AsksFor.LONG,
}


@lru_cache(maxsize=256)
def asked_of(question: str, names: frozenset[str] = frozenset()) -> QuestionParts:
    """Takes a question apart. `names` are words of names, small."""
    words = [word for word in read(_last_question(question)) if word.word]
    start = _start(words)
    kind, rest, noun = _kind(words[start:]) if start < len(words) else (AsksFor.OPEN, words, "")
    of_asker = any(a.low == "my" or (b.low == "i" and a.low in ("did", "was", "have", "am")) for a, b in _pairs(words))
    subject, found, passive = _frame(rest, names, kind)
    helped = bool(rest) and rest[0].low in ("did", "was", "were", "has", "have", "had")
    verb = "" if found is None or found.level in levels_listed("generic") or found.low in listed("empty") else found.level
    if found is None and kind is not AsksFor.OPEN and rest and rest[0].low in ("is", "are", "was", "were", "am"):
        head = _head(rest[1:], names)
    else:
        head = ""
    named = frozenset(w.low for w in words if is_name(w, names) and w.low not in listed("titles"))
    skipped = {verb, noun, head, "", *levels_listed("times"), *levels_listed("titles")}
    telling = {w.level for w in words[start:] if w.low not in listed("empty") and not is_name(w, names)}
    if kind is AsksFor.NAME:
        telling -= levels_listed("naming")
        verb = "" if verb in levels_listed("naming") else verb
        head = "" if head in levels_listed("naming") else head
    if kind in (AsksFor.OLD, AsksFor.LONG, AsksFor.MANY):
        telling -= levels_listed("measures")
    return QuestionParts(
        kind,
        verb,
        head,
        noun if kind is AsksFor.MANY else "",
        agent=kind is AsksFor.WHO and bool(verb) and not subject and not passive,
        does=bool(verb) and not subject,
        loose=any(w.low in all_prepositions() | {"of"} for w in (*words[-1:], *words[max(start - 1, 0) : start])),
        about=frozenset(telling - skipped),
        names=named,
        to_me=kind is not AsksFor.OPEN and bool(subject) and subject[0].low in ("you", "your") and (found is None or bool(verb)),
        of_asker=of_asker,
        past=kind is AsksFor.WHEN and bool(verb) and helped,
        past_helper=helped,
        ends=words[-1].low if words and words[-1].low in all_prepositions() | {"of"} else "",
        inside=_asks_inside(kind, rest),
        noun=_told_from_others(words[start + 1 :]) if kind is AsksFor.WHICH else "",
        words=frozenset(w.level for w in words),
    )


def _last_question(text: str) -> str:
    """The sentence that asks; all of it where that one has nothing telling."""
    text = undotted(text)
    parts = [part for part in text.replace("!", ".").split(".") if "?" in part]
    sentence = parts[-1] if parts else text
    sentence = next((part for part in reversed(sentence.split("?")) if part.strip()), sentence)
    return sentence if levels(sentence) else text


def _pairs(words: Sequence[Word]) -> list[tuple[Word, Word]]:
    return list(zip(words, [*words[1:], words[-1]], strict=True)) if words else []


def _start(words: Sequence[Word]) -> int:
    """Where the asking begins: at the question word, behind `can you tell me`, or at the first auxiliary."""
    for i, word in enumerate(words):
        if word.low in _WH or word.low in ("what", "which"):
            return i
        if word.low not in listed("preamble") | all_prepositions() and not (word.capital or i == 0):
            break
    return next((i for i, word in enumerate(words[:4]) if word.low in listed("auxiliaries")), len(words))


def _kind(words: Sequence[Word]) -> tuple[AsksFor, list[Word], str]:
    """What is asked for, the words behind that, and the noun that it was asked with."""
    low, rest = words[0].low, list(words[1:])
    behind = rest[0].low if rest else ""
    if low == "how" and behind in _HOW:
        kind = _HOW[behind]
        rest = rest[1:]
        end = _auxiliary(rest)
        counted = [w for w in rest[:end] if w.low not in listed("empty") and w.level not in levels_listed("persons")]
        return kind, rest[end:], counted[0].level if counted and kind is AsksFor.MANY and end < len(rest) else ""
    if low == "how" and behind in listed("measures"):
        return AsksFor.MANY, rest[1:], ""
    if low == "how" and behind == "come":
        return AsksFor.WHY, rest[1:], ""
    if low == "whose":
        end = _auxiliary(rest)
        return AsksFor.WHO, rest[end:], ""
    if low in _WH:
        return _WH[low], rest, ""
    if low not in ("what", "which"):
        opens = any(w.low in ("know", "tell", "think", "hear", "heard") for w in words) and any(w.low in ("about", "of") for w in words)
        return (AsksFor.OPEN if opens else AsksFor.WHETHER), list(words), ""
    return _kind_of_what(low, rest)


def _kind_of_what(low: str, rest: list[Word]) -> tuple[AsksFor, list[Word], str]:
    if any(w.low in listed("naming") for w in rest):
        return AsksFor.NAME, rest, ""
    end = _auxiliary(rest)
    if end == 0 or (end == len(rest) and low == "what" and rest and rest[0].level in verbs()):
        opens = bool(rest) and rest[0].low in ("do", "does", "did") and any(w.low in ("know", "hear", "think") for w in rest)
        named = len(rest) > 1 and rest[0].level == "be" and rest[1].low in listed("determiners")
        asks = [w for w in rest[1:5] if w.low not in listed("empty") and not w.capital][:1] if named else []
        typed = _typed(asks[0].low) if asks else None
        return (AsksFor.OPEN if opens else typed or AsksFor.WHAT), rest, ""
    noun = rest[end - 1] if end < len(rest) else rest[0]
    kind = _typed(noun.low) or (AsksFor.WHAT if noun.low in ("kind", "sort", "else") else AsksFor.WHICH)
    return kind, rest[end:] if end < len(rest) else rest[1:], noun.level if kind is not AsksFor.WHICH else ""


def _asks_inside(kind: AsksFor, rest: Sequence[Word]) -> bool:
    """`What is in the box`, `who was in the carriage`."""
    return kind in (AsksFor.WHAT, AsksFor.WHO) and len(rest) > 1 and rest[0].level == "be" and rest[1].low in ("in", "inside")


def _told_from_others(words: Sequence[Word]) -> str:
    """The noun between the question word and the helping verb; nothing where that is not sure to be one."""
    end = _auxiliary(words)
    end = end if end < len(words) else 1
    return words[end - 1].level if 0 < end <= 3 and end <= len(words) else ""


def _typed(noun: str) -> AsksFor | None:
    for name, kind in (
        ("when", AsksFor.WHEN),
        ("where", AsksFor.WHERE),
        ("many", AsksFor.MANY),
        ("who", AsksFor.WHO),
        ("colour", AsksFor.COLOUR),
    ):
        if noun in data()["asks"][name].split():
            return kind
    return AsksFor.WHY if noun in data()["asks"]["why"].split() else None


def _auxiliary(words: Sequence[Word]) -> int:
    return next((i for i, word in enumerate(words) if word.low in listed("auxiliaries")), len(words))


def is_name(word: Word, names: frozenset[str]) -> bool:
    if not word.capital or word.low in ("i", *listed("times")):
        return False
    return word.low in names or (not word.first and word.low not in listed("empty"))


def _frame(rest: Sequence[Word], names: frozenset[str], kind: AsksFor) -> tuple[list[Word], Word | None, bool]:
    """Subject, verb and whether it is in the passive voice, of what follows the question word."""
    has = bool(rest) and rest[0].low in listed("auxiliaries")
    helper = rest[0].low if has else ""
    words = [w for w in rest[has:] if w.low != "not"]
    end, clear = _subject(words, names, asks_subject=not has and kind in (AsksFor.WHO, AsksFor.WHAT, AsksFor.WHICH))
    subject, behind = list(words[:end]), words[end:]
    bends = helper in ("is", "are", "was", "were", "am", "has", "have", "had")
    candidates = []
    for i, word in enumerate(behind):
        base_wanted = not bends or (i > 0 and behind[i - 1].low == "to")
        if word.low in listed("adverbs") and not (word.low in ("do", "go", "have") and i == len(behind) - 1):
            continue
        if word.low in all_prepositions() | {"of"} | listed("determiners") and not (clear and i == 0 and word.level in verbs()):
            break
        candidates.append((word, base_wanted or is_bent(word.low), base_wanted or word.level in verbs()))
        if clear:
            break
    passive = helper in ("is", "are", "was", "were") and bool(candidates) and not candidates[0][0].low.endswith("ing")
    # A cook steals, the old cook cooks: where the subject's end is not sure, the verb is the last that can be one.
    for word, fits_form, known in candidates if clear or bends else reversed(candidates):
        if fits_form and (known or bends) and (clear or word.level in verbs()):
            return subject, word, passive
    return subject, None, passive


def _subject(words: Sequence[Word], names: frozenset[str], *, asks_subject: bool) -> tuple[int, bool]:
    """How many words the subject has, at the least, and whether it is sure to end there."""
    if asks_subject or not words:
        return 0, True
    if words[0].low in listed("pronouns"):
        return 1, len(words) < 2 or words[0].low not in ("this", "that", "these", "those", "any", "some")
    end = 0
    while end < len(words) and (is_name(words[end], names) or words[end].low in ("and", "of", "the") or words[end].low in listed("titles")):
        if words[end].owner:
            return end + 2, False
        end += 1
    if end and is_name(words[end - 1], names):
        return end, True
    if words[0].low in listed("determiners"):
        return 2, False
    # Nobody stands before the verb: "who is coming". Or a plain noun: "does glue dry".
    return (0, True) if is_bent(words[0].low) or len(words) == 1 else (0, False)


def _head(words: Sequence[Word], names: frozenset[str]) -> str:
    """The noun that something is asked of."""
    found = ""
    for word in words:
        if word.low == "of" or word.low in all_prepositions():
            break
        if word.low not in listed("empty") and not is_name(word, names) and word.low not in listed("times"):
            found = word.level
    return found
