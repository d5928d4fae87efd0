"""Conclusions without a model: what came up again and again of late, each with its evidence (Generative Agents, section 4.2).

Three memories make a pattern: of one theme, of what somebody is like, of what one does oneself. A conclusion is put in the words of the
weightiest of them, so that it never claims more than they say; what is done and seen every day makes none.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from npc_server.cognition import poignancy, weigh
from npc_server.cognition.levelled import level, levels_listed, listed, plain_level, read, verbs
from npc_server.cognition.places import Everyday
from npc_server.cognition.wording import clipped
from npc_server.personas.names import first_name, forms
from npc_server.records import Memory, MemoryKind, MemorySource

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INSIGHTS = 5
LEAST = 3
"""Memories that make a pattern."""
PAIR = 2
MOST = 6
"""Memories cited, the weightiest."""
WEIGHT = 10
"""Importance of a pattern's memories together, at least: three everyday ones are none."""
ENOUGH = 4
"""Or this for each, where there are but two."""
EVERYDAY = 3
"""What rules are sure weighs no more makes no insight."""
SPOKEN = 6
"""Least importance of words that count: what is said in passing tells of nothing, however often."""
SIGHT = 4
"""Least importance of what was seen at a moment."""
ALIKE = 0.7
"""Share of the words from which on two memories tell of the same event: news that was heard three times is no pattern."""
LONGEST = 180
QUOTED = 100
_SAME = 0.6
"""Share of the memories from which on two patterns are one."""
_MINE, _OTHERS, _COLOUR, _NEAR, _FAMILY = 1.15, 1.25, 0.8, 0.6, 0.7
"""How much a pattern of a kind says, beside a theme."""
_WHERE = re.compile(r"(?:[A-Z][\w'’-]* ){1,3}(?:is|are|was|were) (?:at|in|on|by|near) [^.,;:]*$")
"""Where somebody is: a sight."""
_SPOKEN = re.compile(r"""^(?:.*\b(?:said|says): ["“]|\S.{0,60}? talked with [^:]{1,80}(?:: | at \d\d:\d\d about ))""", re.DOTALL)
"""What comes before the last words that were said, however many passed them on."""
_DOING = re.compile(r"(?:(?:The|An?) [^.!?,;:]{1,100}? |(?:[A-Z][\w'’-]* ){1,3})(?:is|are) \w+ing\b")
_NAME = re.compile(r"[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_THE = re.compile(r"\b(?:the|his|her|their|my|our|\w+['’]s) (?:\w+ )?$", re.IGNORECASE)
_DETERMINED = re.compile(
    r"\b(?:the|an?|his|her|their|my|our|your|its|this|that|no|some|of|for|about|with|in|from|at|on|\w+['’]s) (?:\w+ )?$", re.IGNORECASE
)


@dataclass(frozen=True)
class _Line:
    """A memory as it is read."""

    number: int
    text: str
    weight: int
    levels: frozenset[str]
    who: tuple[str, ...]
    """Whose doing it is."""
    people: frozenset[str]
    tones: frozenset[str]
    spoken: bool = False
    sight: bool = False
    """Whether it only tells what somebody was doing at a moment, or in which state a thing is."""


@dataclass(frozen=True)
class _Pattern:
    key: str
    lines: tuple[_Line, ...]
    wordings: tuple[str, ...]
    """With everything but the quotation filled in."""
    factor: float
    about: str = ""
    """The word it is about, where it is one."""

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(line.number for line in self.lines)

    @property
    def impersonal(self) -> bool:
        return self.key.startswith(("topic ", "family "))

    @property
    def score(self) -> float:
        return self.factor * sum(line.weight for line in self.lines[:MOST])


def conclude(
    memories: Sequence[Memory],
    me: str,
    names: Iterable[str],
    known: Sequence[str],
    seed: Callable[[str], int],
    everyday: Everyday = weigh.NOWHERE,
) -> list[tuple[str, tuple[int, ...]]]:
    """At most five, the best first. `names` are whom one knows, `known` what was concluded before: it is not in other words again."""
    lines = _lines(memories, me, names, everyday)
    found = [*_of_people(lines, me), *_themes(lines, me), *_families(lines)]
    standing = [text.casefold() for text in known]
    taken: list[frozenset[int]] = []
    made: list[tuple[str, tuple[int, ...]]] = []
    for pattern in sorted(found, key=lambda it: -it.score):
        numbers = pattern.numbers
        is_same = any(len(numbers & it) > _SAME * min(len(numbers), len(it)) for it in taken)
        # Of words and sights alone no theme is made: people talk about, and do, the same things every day.
        hearsay = all(line.spoken or (line.sight and pattern.impersonal) for line in pattern.lines)
        if is_same or hearsay or sum(line.weight for line in pattern.lines) < min(WEIGHT, ENOUGH * len(pattern.lines)):
            continue
        taken.append(numbers)
        if len(taken) > INSIGHTS:
            break
        if not _stands(pattern, standing):
            made.append(_told(pattern, seed(pattern.key)))
    return made


def _stands(pattern: _Pattern, standing: Sequence[str]) -> bool:
    heads = tuple(wording.split("{quote}")[0].casefold() for wording in pattern.wordings)
    return any(text.startswith(heads) or (pattern.about and f" {pattern.about}" in f" {text.split(':')[0]}") for text in standing)


def _told(pattern: _Pattern, seed: int) -> tuple[str, tuple[int, ...]]:
    """One of the wordings, with the weightiest memory that is short enough to be quoted."""
    best = max(pattern.lines, key=lambda line: (not line.spoken, len(line.text) <= QUOTED, line.weight, -line.number))
    wording = pattern.wordings[seed % len(pattern.wordings)]
    head = wording.replace("{quote}.", "")
    text = clipped(f"{head}{_inside(best)}", LONGEST - 1).rstrip(".!?") + "."
    cited = sorted(sorted(pattern.lines, key=lambda line: -line.weight)[:MOST], key=lambda line: line.number)
    return text[:1].upper() + text[1:], tuple(line.number for line in cited)


def _inside(line: _Line) -> str:
    """A memory within a sentence: names keep their capital."""
    text = line.text.strip().rstrip(".")
    first = _NAME.match(text)
    keeps = first is None or any(first[0].startswith(form) or form.startswith(first[0]) for who in line.people for form in forms(who))
    return text if keeps else text[:1].lower() + text[1:]


# ---- reading


def _lines(memories: Sequence[Memory], me: str, names: Iterable[str], everyday: Everyday) -> list[_Line]:
    worth = [memory for memory in memories if _is_worth(memory, everyday)]
    called = _called([memory.text for memory in worth], dict.fromkeys((me, *names)))
    found: list[_Line] = []
    for memory in sorted(worth, key=lambda it: it.id):
        line = _line(memory, called)
        if not any(_is_same(line, other) for other in found):
            found.append(line)
    return found


def _is_worth(memory: Memory, everyday: Everyday) -> bool:
    if memory.kind in (MemoryKind.PLAN, MemoryKind.SEED, MemoryKind.REFLECTION) or memory.source is MemorySource.THOUGHT:
        return False
    if memory.importance < SPOKEN and _SPOKEN.match(memory.text):
        return False
    if memory.importance < SIGHT and _is_sight(memory.text):
        return False
    value, sure = weigh.by_rules(memory.text, everyday)
    return not (sure and value <= EVERYDAY) and not _WHERE.match(memory.text)


def _is_sight(text: str) -> bool:
    now = text.replace(" was ", " is ", 1).replace(" were ", " are ", 1)
    return weigh.is_state(now) or bool(_DOING.match(now))


def _is_same(line: _Line, other: _Line) -> bool:
    if line.text == other.text:
        return True
    fewer = min(len(line.levels), len(other.levels))
    return fewer > 2 and len(line.levels & other.levels) >= ALIKE * fewer and (line.spoken or other.spoken or line.who == other.who)


def _called(texts: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """What people are called in these texts, with who that is: those known, and whom the texts themselves name."""
    called = {form: name for name in names for form in forms(name)}
    small = {word.text for text in texts for word in read(text) if not word.capital}
    not_names = _no_names() | small
    seen: Counter[str] = Counter()
    for text in texts:
        for match in _NAME.finditer(text):
            words = match[0].split()
            # `The Kettle` and `Then Mara`, but `June Ott` and `Little Pim`.
            while match.start() == 0 and words and words[0].lower() in (listed("empty") if len(words) > 1 else not_names):
                words = words[1:]
            name = " ".join(words)
            if name and name not in called and name.lower() not in not_names:
                seen[name] += 2 if match.start() or len(words) > 1 or text[match.end() :].startswith(("'s", "’s")) else 1
    for name in sorted((it for it, count in seen.items() if count > 1), key=len, reverse=True):
        for form in (name, *(word for word in (*name.split()[:1], *name.split()[-1:]) if word.lower() not in not_names)):
            called.setdefault(form, called.get(name, name))
    return called


def _line(memory: Memory, called: dict[str, str]) -> _Line:
    text = _SPOKEN.sub("", memory.text)
    spoken = text != memory.text
    at = sorted((match.start(), who) for match, who in _named(text, called))
    people = list(dict.fromkeys(who for _, who in at))
    who: tuple[str, ...] = ()
    if at and at[0][0] == 0 and not spoken:
        both = len(people) > 1 and re.match(r"\S+(?: \S+)? and [A-Z]", text) is not None
        who = tuple(people[:2] if both else people[:1])
    own = frozenset(level(word.casefold()) for name in people for word in name.split())
    levels = frozenset(word.level for word in read(text) if word.word and word.low not in listed("empty")) - own
    return _Line(memory.id, text, max(memory.importance, 1), levels, who, frozenset(people), _tones(text, levels), spoken, _is_sight(text))


def _named(text: str, called: dict[str, str]) -> list[tuple[re.Match[str], str]]:
    found = []
    for match in _NAME.finditer(text):
        # `Little Pim` and `Yesterday Pim` are Pim.
        name = next((it for it in (match[0], match[0].partition(" ")[2], match[0].partition(" ")[0]) if it in called), "")
        if name:
            found.append((match, called[name]))
    for match in re.finditer(r"\b(?:The|the|Her|her|His|his|My|my) (\w+)\b", text):
        if match[1].casefold() in _persons():
            found.append((match, f"the {match[1].casefold()}"))
    return found


def _tones(text: str, levels: frozenset[str]) -> frozenset[str]:
    low = f" {text.casefold()} "
    return frozenset(name for name, (words, phrases) in _tone_words().items() if words & levels or any(it in low for it in phrases))


# ---- people, and oneself


def _of_people(lines: Sequence[_Line], me: str) -> list[_Pattern]:
    everybody = dict.fromkeys(who for line in lines for who in sorted(line.people))
    return [pattern for who in everybody for pattern in (_of_me(lines, me) if who == me else _of_other(lines, who, me))]


def _of_me(lines: Sequence[_Line], me: str) -> list[_Pattern]:
    found = []
    for name, tone in _data()["tones"].items():
        cited = tuple(line for line in lines if me in line.who and name in line.tones)
        if len(cited) >= LEAST:
            found.append(_Pattern(f"me {name}", cited, _filled(tone["own"], me=first_name(me)), _MINE))
    return found


def _of_other(lines: Sequence[_Line], who: str, me: str) -> list[_Pattern]:
    found: list[_Pattern] = []
    doing = [line for line in lines if who in line.who]
    for name, tone in _data()["tones"].items():
        mutual = tone.get("mutual", False)
        cited = tuple(line for line in (lines if mutual else doing) if name in line.tones and who in line.people)
        if len(cited) >= LEAST or _is_most(cited, doing):
            found.append(_Pattern(f"{who} {name}", cited, _of_tone(tone, cited, who, me), _OTHERS))
    if found:
        # Of few deeds not more than one thing is said.
        return found if len(doing) > LEAST else [max(found, key=lambda it: it.score)]
    for colour in ("good", "bad", "sad"):
        cited = tuple(line for line in doing if any(_data()["tones"][tone].get(colour) for tone in line.tones))
        if len(cited) >= LEAST:
            kept = _data()["colours"][colour] if any(me in line.people for line in cited) else _data()["colours"][colour][1:]
            found.append(_Pattern(f"{who} {colour}", cited, _filled(kept, who=who, me=first_name(me)), _COLOUR))
    near = tuple(line for line in doing if me in line.people)
    if len(near) >= LEAST and not found:
        found.append(_Pattern(f"{who} near", near, _filled(_data()["colours"]["near"], who=who, me=first_name(me)), _NEAR))
    return found


def _is_most(cited: Sequence[_Line], doing: Sequence[_Line]) -> bool:
    """Two are enough where they are the most of the few things somebody was seen to do."""
    return len(doing) >= LEAST and len(cited) == PAIR and 2 * len(cited) > len(doing)


def _of_tone(tone: dict[str, Any], cited: Sequence[_Line], who: str, me: str) -> tuple[str, ...]:
    """Between two where it is, with oneself where most of it is done to oneself."""
    others = Counter(it for line in cited for it in line.people if it != who)
    other, times = others.most_common(1)[0] if others else ("", 0)
    if other == me and 2 * times > len(cited) and "me" in tone:
        return _filled(tone["me"], who=who, me=first_name(me))
    if other != me and 2 * times > len(cited) and "two" in tone:
        return _filled(tone["two"], who=who, other=other)
    return _filled(tone["others"], who=who)


# ---- themes


def _themes(lines: Sequence[_Line], me: str) -> list[_Pattern]:
    """Of words that stand in three memories and more, and tell what these are about."""
    by_word: dict[str, list[_Line]] = {}
    for line in lines:
        for word in filter(str.isalpha, line.levels - _no_topics()):
            by_word.setdefault(word, []).append(line)
    found = []
    for word, cited in by_word.items():
        topic = _topic(word, cited) if len(cited) >= LEAST else ""
        if topic:
            everyday = bool(poignancy.traits(topic)) and "plain" in poignancy.traits(topic)
            found.append(_Pattern(f"topic {word}", tuple(cited), _of_topic(topic, cited, me), 0.8 if everyday else 1.0, topic.split()[-1]))
    return found


def _topic(word: str, cited: Sequence[_Line]) -> str:
    """What to call it: `the well`, `wolves`, `the lantern festival`; nothing for what is no noun."""
    forms_of: Counter[str] = Counter()
    before: Counter[str] = Counter()
    nouns = the = 0
    for line in cited:
        words = read(line.text)
        i = next((i for i, it in enumerate(words) if it.level == word), None)
        if i is None:
            continue
        it, previous = words[i], words[i - 1] if i else None
        forms_of[it.low] += 1
        left = " ".join(other.text for other in words[max(0, i - 2) : i]) + " "
        nouns += bool(_DETERMINED.search(left)) or (it.level not in verbs() and not it.low.endswith(("ly", "ed", "ing")))
        the += bool(_THE.search(left))
        if previous and previous.word and previous.low not in listed("empty") and previous.level not in verbs() and not previous.capital:
            before[previous.low] += 1
    if 2 * nouns < len(cited):
        return ""
    form = forms_of.most_common(1)[0][0]
    first = next((it for it, times in before.most_common(1) if times > 1 and level(it) not in _no_topics()), "")
    return " ".join(part for part in ("the" if the else "", first, form) if part)


def _of_topic(topic: str, cited: Sequence[_Line], me: str) -> tuple[str, ...]:
    kinds, mine = _data()["topics"], first_name(me)
    doers = Counter(who for line in cited for who in line.who)
    who, times = doers.most_common(1)[0] if doers else ("", 0)
    if sum(bool(line.levels & _trouble()) for line in cited) * 2 >= len(cited):
        return _filled(kinds["trouble"], topic=topic)
    if times >= LEAST and 3 * times >= 2 * len(cited):
        return _filled(kinds["own" if who == me else "others"], topic=topic, who=who, me=mine)
    return _filled(kinds["plain"], topic=topic)


def _families(lines: Sequence[_Line]) -> list[_Pattern]:
    """Of things that are told in many different words: illness, theft, money."""
    kinds = {line.number: frozenset(poignancy.traits(line.text)) for line in lines}
    found = []
    for name, (words, of_kinds, wordings) in _family_words().items():
        cited = tuple(line for line in lines if words & line.levels or of_kinds & kinds[line.number])
        doers = frozenset(who for line in cited for who in line.who)
        # What one person does alone says something of that person.
        if len(cited) >= LEAST and not (len(doers) == 1 and all(line.who for line in cited)):
            found.append(_Pattern(f"family {name}", cited, wordings, _FAMILY))
    return found


# ---- words


def _filled(wordings: Iterable[str], **values: str) -> tuple[str, ...]:
    return tuple(wording.format(quote="{quote}", **{"who": "", "me": "", "topic": "", "other": "", **values}) for wording in wordings)


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(resources.files("npc_server").joinpath("data/conclusions.toml").read_text(encoding="utf-8"))
    return found


@cache
def _tone_words() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    return {name: (_levels(tone["words"]), tuple(tone.get("phrases", ()))) for name, tone in _data()["tones"].items()}


@cache
def _family_words() -> dict[str, tuple[frozenset[str], frozenset[str], tuple[str, ...]]]:
    return {
        name: (_levels(family["words"]), frozenset(family["kinds"].split()), tuple(family["wordings"]))
        for name, family in _data()["families"].items()
    }


def _levels(words: str) -> frozenset[str]:
    return frozenset(level(word) for word in words.split())


@cache
def _trouble() -> frozenset[str]:
    return _levels(_data()["words"]["trouble"])


@cache
def _persons() -> frozenset[str]:
    found = listed("persons") | frozenset(_data()["words"]["persons"].split())
    return frozenset(word for word in found if not word.endswith("s") or word.endswith("ss"))


@cache
def _no_topics() -> frozenset[str]:
    names = _data()["lists"]["no_topics"].split()
    words = listed("auxiliaries") | frozenset(_data()["words"]["no_topic"].split())
    return frozenset().union(*map(levels_listed, names)) | frozenset(map(level, words)) | frozenset(map(plain_level, words))


@cache
def _no_names() -> frozenset[str]:
    names = _data()["lists"]["no_names"].split()
    return frozenset().union(*map(listed, names), _data()["words"]["no_topic"].split()) - listed("titles")
