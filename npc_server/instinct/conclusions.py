"""Conclusions without a model: patterns in recent memories, each with its evidence (Generative Agents, section 4.2).

Three memories make a pattern: on one topic, on what a person is like, or on what the NPC does. A conclusion quotes the most important
of them, so that it claims no more than they say. Everyday memories make no pattern.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from npc_server.english.normalize import listed, term_of, tokenize, verb_terms
from npc_server.english.text import clipped
from npc_server.instinct import importance_rules, poignancy
from npc_server.instinct.conclusions_read import NAME, ReadMemory, read_lines
from npc_server.instinct.conclusions_words import data, family_words, no_topics, trouble
from npc_server.mind.places import Everyday
from npc_server.personas.names import first_name, forms
from npc_server.records import Memory

INSIGHTS = 5
LEAST_MEMORIES = 3
"""Memories of a pattern, at least."""
PAIR = 2
MOST_CITED = 6
"""Memories cited, the most important ones."""
WEIGHT = 10
"""Least sum of the importance of a pattern's memories. Three everyday ones do not reach it."""
ENOUGH = 4
"""Least mean importance of a pattern of two memories."""
LONGEST = 180
QUOTED = 100
_SAME = 0.6
"""Two patterns that share more of their memories than this are the same."""
_MINE, _OTHERS, _COLOUR, _NEAR, _FAMILY = 1.15, 1.25, 0.8, 0.6, 0.7
"""Weights of the kinds of patterns. A topic weighs 1."""
_THE = re.compile(r"\b(?:the|his|her|their|my|our|\w+['’]s) (?:\w+ )?$", re.IGNORECASE)
_DETERMINED = re.compile(
    r"\b(?:the|an?|his|her|their|my|our|your|its|this|that|no|some|of|for|about|with|in|from|at|on|\w+['’]s) (?:\w+ )?$", re.IGNORECASE
)


@dataclass(frozen=True)
class _Pattern:
    key: str
    lines: tuple[ReadMemory, ...]
    wordings: tuple[str, ...]
    """Templates in which only the quotation is missing."""
    factor: float
    about: str = ""
    """The topic, where it is a single word."""

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(line.number for line in self.lines)

    @property
    def impersonal(self) -> bool:
        return self.key.startswith(("topic ", "family "))

    @property
    def score(self) -> float:
        return self.factor * sum(line.weight for line in self.lines[:MOST_CITED])


def conclude(
    memories: Sequence[Memory],
    me: str,
    names: Iterable[str],
    known: Sequence[str],
    seed: Callable[[str], int],
    everyday: Everyday = importance_rules.NO_TOWN,
) -> list[tuple[str, tuple[int, ...]]]:
    """At most five conclusions with the ids of their evidence, the best first.

    `names` are the people the NPC knows. `known` are former conclusions, which are not drawn again. `seed` maps a pattern's key to a
    number that chooses its wording.
    """
    lines = read_lines(memories, me, names, everyday)
    found = [*_of_people(lines, me), *_themes(lines, me), *_families(lines)]
    standing = [text.casefold() for text in known]
    taken: list[frozenset[int]] = []
    made: list[tuple[str, tuple[int, ...]]] = []
    for pattern in sorted(found, key=lambda it: -it.score):
        numbers = pattern.numbers
        is_same = any(len(numbers & it) > _SAME * min(len(numbers), len(it)) for it in taken)
        # Lines of talk and everyday sights alone make no topic: people say and do the same things every day.
        hearsay = all(line.spoken or (line.sight and pattern.impersonal) for line in pattern.lines)
        if is_same or hearsay or sum(line.weight for line in pattern.lines) < min(WEIGHT, ENOUGH * len(pattern.lines)):
            continue
        taken.append(numbers)
        if len(taken) > INSIGHTS:
            break
        if not _is_known_already(pattern, standing):
            made.append(_worded(pattern, seed(pattern.key)))
    return made


def _is_known_already(pattern: _Pattern, standing: Sequence[str]) -> bool:
    heads = tuple(wording.split("{quote}")[0].casefold() for wording in pattern.wordings)
    return any(text.startswith(heads) or (pattern.about and f" {pattern.about}" in f" {text.split(':')[0]}") for text in standing)


def _worded(pattern: _Pattern, seed: int) -> tuple[str, tuple[int, ...]]:
    """A conclusion in one of the wordings, with the most important memory that is short enough to quote."""
    best = max(pattern.lines, key=lambda line: (not line.spoken, len(line.text) <= QUOTED, line.weight, -line.number))
    wording = pattern.wordings[seed % len(pattern.wordings)]
    head = wording.replace("{quote}.", "")
    text = clipped(f"{head}{_inside(best)}", LONGEST - 1).rstrip(".!?") + "."
    cited = sorted(sorted(pattern.lines, key=lambda line: -line.weight)[:MOST_CITED], key=lambda line: line.number)
    return text[:1].upper() + text[1:], tuple(line.number for line in cited)


def _inside(line: ReadMemory) -> str:
    """A memory's text inside a sentence: its first letter in lower case, unless it begins a name."""
    text = line.text.strip().rstrip(".")
    first = NAME.match(text)
    keeps = first is None or any(first[0].startswith(form) or form.startswith(first[0]) for who in line.people for form in forms(who))
    return text if keeps else text[:1].lower() + text[1:]


# ---- people


def _of_people(lines: Sequence[ReadMemory], me: str) -> list[_Pattern]:
    everybody = dict.fromkeys(who for line in lines for who in sorted(line.people))
    return [pattern for who in everybody for pattern in (_of_me(lines, me) if who == me else _of_other(lines, who, me))]


def _of_me(lines: Sequence[ReadMemory], me: str) -> list[_Pattern]:
    found = []
    for name, tone in data()["tones"].items():
        cited = tuple(line for line in lines if me in line.who and name in line.tones)
        if len(cited) >= LEAST_MEMORIES:
            found.append(_Pattern(f"me {name}", cited, _filled(tone["own"], me=first_name(me)), _MINE))
    return found


def _of_other(lines: Sequence[ReadMemory], who: str, me: str) -> list[_Pattern]:
    found: list[_Pattern] = []
    doing = [line for line in lines if who in line.who]
    for name, tone in data()["tones"].items():
        mutual = tone.get("mutual", False)
        cited = tuple(line for line in (lines if mutual else doing) if name in line.tones and who in line.people)
        if len(cited) >= LEAST_MEMORIES or _is_most(cited, doing):
            found.append(_Pattern(f"{who} {name}", cited, _of_tone(tone, cited, who, me), _OTHERS))
    if found:
        # Few memories of somebody allow one conclusion only.
        return found if len(doing) > LEAST_MEMORIES else [max(found, key=lambda it: it.score)]
    for colour in ("good", "bad", "sad"):
        cited = tuple(line for line in doing if any(data()["tones"][tone].get(colour) for tone in line.tones))
        if len(cited) >= LEAST_MEMORIES:
            kept = data()["colours"][colour] if any(me in line.people for line in cited) else data()["colours"][colour][1:]
            found.append(_Pattern(f"{who} {colour}", cited, _filled(kept, who=who, me=first_name(me)), _COLOUR))
    near = tuple(line for line in doing if me in line.people)
    if len(near) >= LEAST_MEMORIES and not found:
        found.append(_Pattern(f"{who} near", near, _filled(data()["colours"]["near"], who=who, me=first_name(me)), _NEAR))
    return found


def _is_most(cited: Sequence[ReadMemory], doing: Sequence[ReadMemory]) -> bool:
    """Whether two memories are enough, being most of the few that somebody is the subject of."""
    return len(doing) >= LEAST_MEMORIES and len(cited) == PAIR and 2 * len(cited) > len(doing)


def _of_tone(tone: dict[str, Any], cited: Sequence[ReadMemory], who: str, me: str) -> tuple[str, ...]:
    """Wordings for a tone: towards the NPC or another person if most of the memories name that person."""
    others = Counter(it for line in cited for it in line.people if it != who)
    other, times = others.most_common(1)[0] if others else ("", 0)
    if other == me and 2 * times > len(cited) and "me" in tone:
        return _filled(tone["me"], who=who, me=first_name(me))
    if other != me and 2 * times > len(cited) and "two" in tone:
        return _filled(tone["two"], who=who, other=other)
    return _filled(tone["others"], who=who)


# ---- topics


def _themes(lines: Sequence[ReadMemory], me: str) -> list[_Pattern]:
    """Patterns of memories that share a noun."""
    by_word: dict[str, list[ReadMemory]] = {}
    for line in lines:
        for word in filter(str.isalpha, line.levels - no_topics()):
            by_word.setdefault(word, []).append(line)
    found = []
    for word, cited in by_word.items():
        topic = _topic(word, cited) if len(cited) >= LEAST_MEMORIES else ""
        if topic:
            factor = 0.8 if "plain" in poignancy.traits(topic) else 1.0
            found.append(_Pattern(f"topic {word}", tuple(cited), _of_topic(topic, cited, me), factor, topic.split()[-1]))
    return found


def _topic(word: str, cited: Sequence[ReadMemory]) -> str:
    """A topic's name: `the well`, `wolves`, `the lantern festival`; empty when the word is no noun."""
    forms_of: Counter[str] = Counter()
    before: Counter[str] = Counter()
    nouns = the = 0
    for line in cited:
        words = tokenize(line.text)
        i = next((i for i, it in enumerate(words) if it.term == word), None)
        if i is None:
            continue
        it, previous = words[i], words[i - 1] if i else None
        forms_of[it.lower] += 1
        left = " ".join(other.text for other in words[max(0, i - 2) : i]) + " "
        nouns += bool(_DETERMINED.search(left)) or (it.term not in verb_terms() and not it.lower.endswith(("ly", "ed", "ing")))
        the += bool(_THE.search(left))
        if (
            previous
            and previous.is_word
            and previous.lower not in listed("empty")
            and previous.term not in verb_terms()
            and not previous.is_capitalized
        ):
            before[previous.lower] += 1
    if 2 * nouns < len(cited):
        return ""
    form = forms_of.most_common(1)[0][0]
    first = next((it for it, times in before.most_common(1) if times > 1 and term_of(it) not in no_topics()), "")
    return " ".join(part for part in ("the" if the else "", first, form) if part)


def _of_topic(topic: str, cited: Sequence[ReadMemory], me: str) -> tuple[str, ...]:
    kinds, mine = data()["topics"], first_name(me)
    doers = Counter(who for line in cited for who in line.who)
    who, times = doers.most_common(1)[0] if doers else ("", 0)
    if sum(bool(line.levels & trouble()) for line in cited) * 2 >= len(cited):
        return _filled(kinds["trouble"], topic=topic)
    if times >= LEAST_MEMORIES and 3 * times >= 2 * len(cited):
        return _filled(kinds["own" if who == me else "others"], topic=topic, who=who, me=mine)
    return _filled(kinds["plain"], topic=topic)


def _families(lines: Sequence[ReadMemory]) -> list[_Pattern]:
    """Patterns of subjects that have many words, such as illness, theft or money."""
    kinds = {line.number: frozenset(poignancy.traits(line.text)) for line in lines}
    found = []
    for name, (words, of_kinds, wordings) in family_words().items():
        cited = tuple(line for line in lines if words & line.levels or of_kinds & kinds[line.number])
        doers = frozenset(who for line in cited for who in line.who)
        # What only one person does says something about that person, not about the subject.
        if len(cited) >= LEAST_MEMORIES and not (len(doers) == 1 and all(line.who for line in cited)):
            found.append(_Pattern(f"family {name}", cited, wordings, _FAMILY))
    return found


def _filled(wordings: Iterable[str], **values: str) -> tuple[str, ...]:
    return tuple(wording.format(quote="{quote}", **{"who": "", "me": "", "topic": "", "other": "", **values}) for wording in wordings)
