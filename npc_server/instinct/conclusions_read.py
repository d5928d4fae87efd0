"""Reading memories for conclusions: which are worth it, whom each names, who acts in it, and its tones.

Everyday sights, small talk and where somebody is are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from npc_server.english.normalize import listed, term_of, tokenize
from npc_server.instinct import importance_rules
from npc_server.instinct.conclusions_words import no_names, persons, tone_words
from npc_server.mind.places import Everyday
from npc_server.personas.names import forms
from npc_server.records import Memory, MemoryKind, MemorySource

EVERYDAY = 3
"""Memories that the rules surely rate this low, or lower, are left out."""
SPOKEN = 6
"""Least importance of lines of talk: small talk makes no pattern, however often it comes."""
SIGHT = 4
"""Least importance of a sight."""
ALIKE = 0.7
"""Two memories that share this much of their words tell of the same event. News that was heard three times is no pattern."""
_WHERE = re.compile(r"(?:[A-Z][\w'’-]* ){1,3}(?:is|are|was|were) (?:at|in|on|by|near) [^.,;:]*$")
"""Says where somebody is."""
_SPOKEN = re.compile(r"""^(?:.*\b(?:said|says): ["“]|\S.{0,60}? talked with [^:]{1,80}(?:: | at \d\d:\d\d about ))""", re.DOTALL)
"""Everything before the innermost quotation."""
_DOING = re.compile(r"(?:(?:The|An?) [^.!?,;:]{1,100}? |(?:[A-Z][\w'’-]* ){1,3})(?:is|are) \w+ing\b")
NAME = re.compile(r"[A-Z][\w-]*(?: [A-Z][\w-]*)*")
"""A name of one or more words."""


@dataclass(frozen=True)
class ReadMemory:
    """What was read in a memory."""

    number: int
    text: str
    weight: int
    levels: frozenset[str]
    who: tuple[str, ...]
    """The people who act in it."""
    people: frozenset[str]
    tones: frozenset[str]
    spoken: bool = False
    sight: bool = False
    """Whether it only says what somebody was doing at a moment, or the state of an object."""


def read_lines(memories: Sequence[Memory], me: str, names: Iterable[str], everyday: Everyday) -> list[ReadMemory]:
    """The memories that can make a pattern, in order, each event once."""
    worth = [memory for memory in memories if _is_worth(memory, everyday)]
    called = _people_named([memory.text for memory in worth], dict.fromkeys((me, *names)))
    found: list[ReadMemory] = []
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
    value, sure = importance_rules.by_rules(memory.text, everyday, memory.topic)
    return not (sure and value <= EVERYDAY) and not _WHERE.match(memory.text)


def _is_sight(text: str) -> bool:
    now = text.replace(" was ", " is ", 1).replace(" were ", " are ", 1)
    return importance_rules.is_state(now) or bool(_DOING.match(now))


def _is_same(line: ReadMemory, other: ReadMemory) -> bool:
    if line.text == other.text:
        return True
    fewer = min(len(line.levels), len(other.levels))
    return fewer > 2 and len(line.levels & other.levels) >= ALIKE * fewer and (line.spoken or other.spoken or line.who == other.who)


def _people_named(texts: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """Forms of names in these texts, each with its person: people who are known, and others whom the texts name."""
    called = {form: name for name in names for form in forms(name)}
    small = {word.text for text in texts for word in tokenize(text) if not word.is_capitalized}
    not_names = no_names() | small
    seen: Counter[str] = Counter()
    for text in texts:
        for match in NAME.finditer(text):
            words = match[0].split()
            # Drop the first word of `The Kettle` and `Then Mara`, but not of `June Ott` and `Little Pim`.
            while match.start() == 0 and words and words[0].lower() in (listed("empty") if len(words) > 1 else not_names):
                words = words[1:]
            name = " ".join(words)
            if name and name not in called and name.lower() not in not_names:
                seen[name] += 2 if match.start() or len(words) > 1 or text[match.end() :].startswith(("'s", "’s")) else 1
    for name in sorted((it for it, count in seen.items() if count > 1), key=len, reverse=True):
        for form in (name, *(word for word in (*name.split()[:1], *name.split()[-1:]) if word.lower() not in not_names)):
            called.setdefault(form, called.get(name, name))
    return called


def _line(memory: Memory, called: dict[str, str]) -> ReadMemory:
    text = _SPOKEN.sub("", memory.text)
    spoken = text != memory.text
    at = sorted((match.start(), who) for match, who in _named(text, called))
    people = list(dict.fromkeys(who for _, who in at))
    who: tuple[str, ...] = ()
    if at and at[0][0] == 0 and not spoken:
        both = len(people) > 1 and re.match(r"\S+(?: \S+)? and [A-Z]", text) is not None
        who = tuple(people[:2] if both else people[:1])
    own = frozenset(term_of(word.casefold()) for name in people for word in name.split())
    levels = frozenset(word.term for word in tokenize(text) if word.is_word and word.lower not in listed("empty")) - own
    return ReadMemory(
        memory.id, text, max(memory.importance, 1), levels, who, frozenset(people), _tones(text, levels), spoken, _is_sight(text)
    )


def _named(text: str, called: dict[str, str]) -> list[tuple[re.Match[str], str]]:
    found = []
    for match in NAME.finditer(text):
        # `Little Pim` and `Yesterday Pim` both mean Pim.
        name = next((it for it in (match[0], match[0].partition(" ")[2], match[0].partition(" ")[0]) if it in called), "")
        if name:
            found.append((match, called[name]))
    for match in re.finditer(r"\b(?:The|the|Her|her|His|his|My|my) (\w+)\b", text):
        if match[1].casefold() in persons():
            found.append((match, f"the {match[1].casefold()}"))
    return found


def _tones(text: str, levels: frozenset[str]) -> frozenset[str]:
    low = f" {text.casefold()} "
    return frozenset(name for name, (words, phrases) in tone_words().items() if words & levels or any(it in low for it in phrases))
