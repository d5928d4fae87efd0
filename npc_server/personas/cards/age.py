"""The age that a card's text states, if it does. A number counts only where the sentence says that it is the person's own age."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server.english.first_person_verbs import is_function_word
from npc_server.english.number_words import SMALL, TENS

MOST = 100_000
"""Years; a persona file takes no more."""
_ONES = "|".join([*SMALL][1:10])
_NUMBER = rf"(?P<age>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}}|(?:{'|'.join(TENS)})(?:[- ](?:{_ONES}))?|{'|'.join(SMALL)})"
_YEARS = r"[- ]?(?:years?[- ]old|years? of age|y/?o)\b"
_NEARLY = "about|around|almost|nearly|only|just|now|still|over|barely|exactly|roughly|approximately|currently|aged"
_ADVERBS = rf"(?:(?:{_NEARLY}) ){{0,2}}"
_IS = r"(?: is|'s|’s) "
_LABEL = re.compile(rf"{_ADVERBS}{_NUMBER}\b(?!\s*(?:hundred|thousand|months?|weeks?|days?|[-–]\s*\d))", re.IGNORECASE)
_BEGINS = re.compile(rf"(?:an? )?{_NUMBER}{_YEARS}", re.IGNORECASE)
_AFTER_NAME = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf", {_NUMBER},",
        rf" \({_NUMBER}\)",
        rf"{_IS}(?P<between>(?:[\w'’-]+,? ){{0,5}}?){_NUMBER}{_YEARS}",
        rf"{_IS}{_ADVERBS}(?!one\b){_NUMBER}(?= and\b|[,;.!](?!\d)|$)",
    )
]
"""What follows the subject: "Ada, 44, mends", "Ada (44) mends", "Ada is a tall 44-year-old", and "Ada is forty-four and mends"."""


def of_label(value: str) -> int | None:
    """The age in the value of a label such as `Age: 44` or `Age: forty-four`; None if it tells none."""
    found = _LABEL.match(value.strip())
    return _read(found["age"]) if found else None


def in_text(facts: Sequence[str], names: Sequence[str]) -> int | None:
    """The age in the first sentence that states one and has the person, by one of the `names`, for its subject.

    A description that begins with "A 44-year-old" states it, too. Ages of others, of the past ("was twenty"), and vague ones ("in her
    forties") do not count, nor do numbers in words above ninety-nine.
    """
    if facts and (found := _BEGINS.match(facts[0])):
        return _read(found["age"])
    subject = re.compile(rf"(?:{'|'.join(re.escape(name) for name in names)})(?![\w-])", re.IGNORECASE)
    for fact in facts:
        begun = subject.match(fact)
        after = fact[begun.end() :] if begun else ""
        if found := next(filter(None, (pattern.match(after) for pattern in _AFTER_NAME)), None):
            between = (found.groupdict().get("between") or "").lower().replace(",", "").split()
            if not any(is_function_word(word) for word in between if word not in ("a", "an", "the", *_NEARLY.split("|"))):
                return _read(found["age"])
    return None


def _read(number: str) -> int | None:
    plain = number.lower().replace(",", "")
    if plain.isdigit():
        return int(plain) if int(plain) <= MOST else None
    return sum(TENS.get(word, 0) + SMALL.get(word, 0) for word in re.split(r"[- ]", plain))
