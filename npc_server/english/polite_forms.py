"""Polite forms before a question: `Forgive me, might I ask who has the key?` asks who has the key."""

from __future__ import annotations

import re

from npc_server.english.text import lowered

_WORDS = "who|whom|whose|what|which|where|when|why|how"
_ASKING = "tell|ask|asking|enquire|inquire|say|saying|know|wonder|wondering|explain|remember|recall|guess"
_BEFORE = re.compile(rf"^(?P<before>.*?\b(?:{_ASKING})\b(?: (?:me|us))?(?: please)?)(?:,[^,?]*)?,? (?=(?:{_WORDS})\b)", re.I)
"""Everything up to the question word of the clause that asks."""
_ADDRESSED = re.compile(r"\b(you|i|one|pray|please|wonder\w*|mind)\b", re.I)
_ASIDE = re.compile(r"^(?:if|forgive|excuse|pardon|sorry|beg|begging|please|listen|oh|ah|well)\b[^,?]*,\s*(?:but\s+|and\s+)?", re.I)
_QUESTION_WORD = re.compile(rf"^(?:{_WORDS})\b", re.I)
_NAME = re.compile(r"(?<=\s)(?!I\b)[A-Z][a-z]")


def strip_politeness(question: str) -> str:
    """The question without the polite forms before it.

    `Did Mara say why she left?` stays: it asks what Mara said.
    """
    asked = question.strip()
    aside = _ASIDE.match(asked)
    if aside and len(asked) > aside.end():
        asked = asked[aside.end() :]
    found = None if _QUESTION_WORD.match(asked) else _BEFORE.match(asked)
    if found and _ADDRESSED.search(found["before"]) and not _NAME.search(found["before"]):
        asked = asked[found.end() :]
    return asked[:1].upper() + asked[1:]


def plain_question(question: str) -> str:
    """The same in lower case, without punctuation at its end."""
    return lowered(strip_politeness(question)).rstrip("?!. ")
