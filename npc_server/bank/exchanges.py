"""The bank of hand-written exchanges: lines that anybody may say to anybody, and replies to them in several tempers.

One JSON object a line: `{"topic": "compliment", "said": ["Nice hat."], "replies": {"warm": ["Oh, you."], "curt": ["Hm."]}}`. Replies state
no fact of person, place or time but through slots such as `{i_do}`, so they suit every character of a temper. `bank/exchange_bank.py` finds
them by meaning, and `instinct/line_facts.py` fills the slots. With `"general": true` the replies suit many lines, such as all in which a
player tells something sad. With `"exact": true` they answer only these very words, which one character says to another.
With `"tells": "met"` the entry stands for questions that this slot alone answers: no reply may stand in for a name. With
`"agrees": true` who says this says yes to what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from npc_server.document_errors import as_problems, did_you_mean
from npc_server.errors import FileProblem, Problem
from npc_server.records import LINE_CHARS

FOLDER = Path(__file__).parent.parent / "data" / "exchanges"
ENDING = ".jsonl"
SLOTS = (
    "me", "full_name", "age", "about_me", "on_my_mind", "i_do", "next", "next_time", "did", "place", "work", "home", "time", "day",
    "person", "person_is", "person_feeling", "person_seen", "thing", "thing_at", "news", "told", "met",
)  # fmt: skip
"""What a reply may say of the speaker. docs/mods.md explains each."""
_SLOT = re.compile(r"\{([^{}]*)\}")
_Said = Annotated[str, StringConstraints(min_length=1, max_length=400, strip_whitespace=True)]
_Reply = Annotated[str, StringConstraints(min_length=1, max_length=LINE_CHARS, strip_whitespace=True)]


@dataclass(frozen=True)
class BankEntry:
    """One thing that people say, and the replies to it."""

    topic: str
    said: tuple[str, ...]
    """Ways in which it is said."""
    replies: tuple[tuple[str, str], ...]
    """Each reply with its temper."""
    is_general: bool = False
    """Whether its replies suit many lines of a kind, whatever they are about. They are candidates for every line."""
    is_exact: bool = False
    """Whether its replies answer only these very words, which a character says to another. No player's line is compared with them."""
    tells: str = ""
    """The slot whose value answers lines of this kind. Its replies are for those who have none."""
    agrees: bool = False
    """Whether who says this says yes to what was asked before."""


class _ExchangeLine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: _Said = Field(examples=["compliment"])
    said: tuple[_Said, ...] = Field(min_length=1, examples=[["You look lovely today."]])
    replies: dict[str, tuple[_Reply, ...]] = Field(min_length=1, examples=[{"warm": ["Oh, you."]}])
    general: bool = False
    exact: bool = False
    tells: str = Field("", examples=["met"])
    agrees: bool = False


def slots_of(reply: str) -> list[str]:
    """The slots in a reply, in their order."""
    return _SLOT.findall(reply)


def filled(reply: str, facts: Mapping[str, str]) -> str:
    """The reply with its slots filled; empty if one has no value. Nothing stands between a value and the punctuation after it."""
    if any(name not in facts for name in slots_of(reply)):
        return ""
    text = _SLOT.sub(lambda slot: facts[slot[1]], reply)
    text = re.sub(r"([.!?…])[.,]", r"\1", text)
    return text[:1].upper() + text[1:]


def load_exchanges(tempers: Collection[str], folders: Sequence[Path] = ()) -> tuple[BankEntry, ...]:
    """The exchanges of the package and of `folders`, in whose place files of the same name in later folders stand.

    Raises FileProblem with the mistakes of all files. `tempers` are the known ones.
    """
    files = {path.name: path for folder in (FOLDER, *folders) for path in _files(folder)}
    found: list[BankEntry] = []
    problems: list[Problem] = []
    for _, path in sorted(files.items()):
        status = path.stat()
        entries, wrong = _of_file(path, status.st_mtime_ns, status.st_size, tuple(tempers))
        found += entries
        problems += wrong
    if problems:
        raise FileProblem(tuple(problems))
    return tuple(found)


@lru_cache(maxsize=64)
def _of_file(path: Path, changed_ns: int, size: int, tempers: tuple[str, ...]) -> tuple[tuple[BankEntry, ...], tuple[Problem, ...]]:
    """The entries of a file, and its mistakes. A file is read once until it changes, however many hosts a process has."""
    read = [_read(str(path), number, line, tempers) for number, line in enumerate(_lines(path), start=1) if line.strip()]
    entries = tuple(it for it in read if isinstance(it, BankEntry))
    return entries, tuple(problem for it in read if isinstance(it, list) for problem in it)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileProblem((Problem(str(folder), 0, "There is no such folder of exchanges.", "Correct mind.exchanges, or make it."),))
    return sorted(folder.glob(f"*{ENDING}"))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FileProblem((Problem(str(path), 0, f"The file cannot be read: {error}.", "Save it as UTF-8 text."),)) from error


def _read(file: str, number: int, line: str, tempers: Collection[str]) -> BankEntry | list[Problem]:
    try:
        entry = _ExchangeLine.model_validate_json(line)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "json_invalid":
            said = error.errors(include_url=False)[0]["msg"]
            return [Problem(file, number, f"The line is no JSON object: {said}.", "Write one object a line, with double quotes.")]
        return list(as_problems(file, error, _ExchangeLine, lambda loc: number, {}))
    unknown = [temper for temper in entry.replies if temper not in tempers]
    if unknown:
        fix = did_you_mean(unknown[0], tempers) or f"Tempers: {', '.join(tempers)}."
        return [Problem(file, number, f"Temper {unknown[0]!r} of topic {entry.topic!r} is not known.", fix)]
    slots = [*filter(None, [entry.tells]), *(slot for texts in entry.replies.values() for reply in texts for slot in slots_of(reply))]
    strange = [slot for slot in slots if slot not in SLOTS]
    if strange:
        fix = did_you_mean(strange[0], SLOTS) or f"Slots: {', '.join(SLOTS)}."
        return [Problem(file, number, f"Slot {strange[0]!r} of topic {entry.topic!r} is not known.", fix)]
    replies = tuple((temper, reply) for temper, texts in entry.replies.items() for reply in texts)
    return BankEntry(entry.topic, entry.said, replies, entry.general, entry.exact, entry.tells, entry.agrees)
