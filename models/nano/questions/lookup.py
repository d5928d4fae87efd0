"""Lookup: only memories and many questions on them, to learn reading first. Play has no such prompt."""

from __future__ import annotations

import re
from dataclasses import replace

from models.nano.draw import Draw, capital, is_held_out_word, style
from models.nano.people import distinct_names, random_time, someone
from models.nano.render import Sample, Turn

from . import interview
from .interview import BEGINNINGS

MOST_FACTS = 6
QUESTIONS = 10
NOT_KNOWN = "I don't know."
UNKNOWN = 0.2
"""Share of the questions without an answer. With more, a model that cannot read yet says nothing else."""
RENAMED, RENAMED_WORDS = 0.4, 3
"""Share of the answers' words that are replaced, and the most words of such an answer."""
_WORD = re.compile(r"[A-Za-z]{3,}")


def lookup(draw: Draw) -> Sample:
    """Some memories, and questions on them in many wordings. A share of the questions has no answer."""
    people = distinct_names(draw, draw.number(2, 5))
    me = someone(draw, people)
    now = random_time(draw)
    kept = interview.memories(draw, me, now, people, draw.number(1, MOST_FACTS))
    facts = [item for item in kept if item.fact]
    turns: list[Turn] = []
    asked: set[str] = set()
    for _ in range(QUESTIONS):
        if draw.chance(UNKNOWN):
            kind, text, _, expect = interview.cannot_know(draw, me, [k.fact for k in kept if k.fact], people)
            answer = NOT_KNOWN
        else:
            found = interview.recall(draw, me, draw.one(facts), plain=True)
            if found is None:
                continue
            kind, text, answer, expect = found
        if text not in asked:
            asked.add(text)
            turns.append(Turn("\n".join(item.line for item in kept) + f"\n{text}" if not turns else text, answer, expect, kind))
    return with_new_words(draw, Sample("lookup", me.name, tuple(turns)))


def with_new_words(draw: Draw, sample: Sample) -> Sample:
    """Replaces some words of the answers by invented ones everywhere, so that the model learns to copy words it has never seen."""
    kept = BEGINNINGS | set(style()["never_renamed"])
    values = {value for turn in sample.turns for value in turn.expect if len(value.split()) <= RENAMED_WORDS}
    asked = sorted({word for value in values for word in _WORD.findall(value) if word not in kept and word.lower() not in BEGINNINGS})
    others = {word: _like(draw, word) for word in asked if draw.chance(RENAMED)}
    others |= {capital(word): capital(other) for word, other in others.items()}

    def put(text: str) -> str:
        return _WORD.sub(lambda found: others.get(found[0], found[0]), text)

    turns = [replace(t, user=put(t.user), reply=put(t.reply), expect=tuple(put(value) for value in t.expect)) for t in sample.turns]
    return replace(sample, system=put(sample.system), turns=tuple(turns))


def _like(draw: Draw, word: str) -> str:
    """An invented word of any length, capitalized like the given one."""
    if draw.chance(0.5):
        new = draw.word(1, 3)
    else:
        while is_held_out_word(new := "".join(draw.one(style()["pieces"]) for _ in range(draw.number(2, 5)))):
            pass
    return capital(new) if word[0].isupper() else new.lower()
