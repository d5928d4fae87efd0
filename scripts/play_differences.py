"""Compares two files of plays: counts the differences, finds the time of the first one, and shows some.

The rows of a person are compared in order, as `diff` compares lines. So an additional row is only one difference.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from play_rows import KINDS, Kind, Row

Play = tuple[str, int]
"""The town and the seed."""
Key = tuple[Play, str]
"""The play and the kind."""
FIRST_MOMENT = 1_000_000_000
"""A whole number of at least this value is taken for a game time in seconds, and is shown as a date."""
ABOUT = ("sentence", "text", "activity", "stage", "what", "other", "address")
"""Columns that identify a row for a reader. The first one with a value is shown."""
LINE = {"town", "seed", "kind", "at", "npc", "row"}
"""Keys of every line of a file."""
COUNTED = ("same", "different", "only before", "only after")


@dataclass(frozen=True)
class Difference:
    """A row that differs, or that one side lacks. At `at` the plays had already run apart; None if that time is unknown."""

    play: Play
    kind: str
    npc: str | None
    at: int | None
    before: Row | None
    after: Row | None
    changed: tuple[str, ...]

    @property
    def counts_as(self) -> str:
        return "only after" if self.before is None else "only before" if self.after is None else "different"


@dataclass
class Found:
    """The result of a comparison."""

    plays: list[Play] = field(default_factory=list)
    counts: dict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    differences: list[Difference] = field(default_factory=list)
    lacked: list[str] = field(default_factory=list)
    """Plays and kinds that one side lacks. They count as differences."""
    left_out: list[str] = field(default_factory=list)
    """Columns that one side lacks. They do not count as differences."""


def read_lines(file: Path) -> list[Row]:
    """Reads the lines of a file that `play` wrote."""
    lines = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            lines.append({name: value for name, value in json.loads(line).items() if name in LINE})
        except (json.JSONDecodeError, AttributeError):
            lines.append({})
        if lines[-1].keys() != LINE:
            raise ValueError(f"{file}, line {number} is not a line of a play: {line[:80]!r}. Make the file again with `play`.")
    if not lines:
        raise ValueError(f"{file} is empty. Make the file again with `play`.")
    return lines


def compare(before: list[Row], after: list[Row], show: int) -> tuple[str, bool]:
    """Returns the report, and whether anything differs."""
    found = _found(before, after)
    return "\n".join(_report(found, show)) + "\n", bool(found.differences or found.lacked)


def _found(before: list[Row], after: list[Row]) -> Found:
    found = Found()
    plays, other_plays = (list(dict.fromkeys(_play(it) for it in lines)) for lines in (before, after))
    kinds, other_kinds = _kinds(before), _kinds(after)
    found.plays = [play for play in plays if play in other_plays]
    found.lacked = [*_lacked(map(_named, plays), map(_named, other_plays)), *_lacked(kinds, other_kinds)]
    ours, theirs = _columns(before), _columns(after)
    for kind in (kind for kind in kinds if kind in ours and kind in theirs):
        found.left_out += [f"{kind}.{column}" for column in sorted(ours[kind] ^ theirs[kind])]
    left_out = {kind: ours[kind] ^ theirs[kind] for kind in ours.keys() & theirs.keys()}
    rows, other_rows = _by_person(before, left_out), _by_person(after, left_out)
    for play, kind, npc in dict.fromkeys([*rows, *other_rows]):
        if play in found.plays and kind in kinds and kind in other_kinds:
            _lay_beside(found, (play, kind), npc, rows.get((play, kind, npc), []), other_rows.get((play, kind, npc), []))
    found.differences.sort(key=lambda it: (it.kind != "play", it.at is None, it.at or 0))
    return found


def _play(line: Row) -> Play:
    return line["town"], line["seed"]


def _named(play: Play) -> str:
    return f"{play[0]}, seed {play[1]}"


def _kinds(lines: list[Row]) -> list[str]:
    """Returns the kinds that could be read, with or without rows."""
    return list(dict.fromkeys(kind for line in lines if line["kind"] == "play" for kind in ("play", *line["row"]["found"])))


def _lacked(before: Iterable[str], after: Iterable[str]) -> list[str]:
    ours, theirs = list(before), list(after)
    only = [f"AFTER has no {it}" for it in ours if it not in theirs]
    return only + [f"BEFORE has no {it}" for it in theirs if it not in ours]


def _columns(lines: list[Row]) -> dict[str, set[str]]:
    columns: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        columns[line["kind"]].update(line["row"])
    return columns


Person = tuple[Play, str, str | None]


def _by_person(lines: list[Row], left_out: dict[str, set[str]]) -> dict[Person, list[Row]]:
    """Groups rows by person, without the columns that one side lacks. If it lacks the column of the person, all rows are one group."""
    people: dict[Person, list[Row]] = defaultdict(list)
    for line in lines:
        out = left_out.get(line["kind"], set())
        nameless = line["kind"] in KINDS and KINDS[line["kind"]].who in out
        row = {name: value for name, value in line["row"].items() if name not in out and name != "found"}
        people[_play(line), line["kind"], None if nameless else line["npc"]].append({**line, "row": row})
    return people


def _lay_beside(found: Found, key: Key, npc: str | None, before: list[Row], after: list[Row]) -> None:
    ours, theirs = ([json.dumps(it["row"], sort_keys=True) for it in rows] for rows in (before, after))
    for tag, start, end, other_start, other_end in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            found.counts[key]["same"] += end - start
            continue
        for one, other in zip_longest(before[start:end], after[other_start:other_end]):
            difference = _difference(key, npc, one, other)
            found.counts[key][difference.counts_as] += 1
            found.differences.append(difference)


def _difference(key: Key, npc: str | None, before: Row | None, after: Row | None) -> Difference:
    row, other = (it["row"] if it else {} for it in (before, after))
    changed = tuple(name for name in dict.fromkeys([*row, *other]) if row.get(name) != other.get(name)) if before and after else ()
    at = _when(KINDS.get(key[1], Kind("")), [it for it in (before, after) if it], changed)
    return Difference(*key, npc, at, row if before else None, other if after else None, changed)


def _when(kind: Kind, lines: list[Row], changed: tuple[str, ...]) -> int | None:
    """Returns the time at which the plays had already run apart, as far as this row tells.

    A column that holds the time of a last change tells it only by the later of its two values.
    """
    if changed and all(name in kind.later for name in changed):
        late = [line["row"].get(kind.later[name]) for line in lines for name in changed]
        return max((it for it in late if it), default=None)
    times = [line["at"] for line in lines if line["at"]]
    return (max if kind.is_state else min)(times, default=None)


def _report(found: Found, show: int) -> Iterator[str]:
    yield from (f"{it}: not compared, but counted as a difference" for it in found.lacked)
    yield from (f"only one side has {it}: left out" for it in found.left_out)
    yield f"{'play':24}{'kind':10}" + "".join(f"{it:>13}" for it in COUNTED)
    for play in found.plays:
        for (its, kind), counts in found.counts.items():
            if its == play:
                yield f"{_named(play):24}{kind:10}" + "".join(f"{counts[it]:13}" for it in COUNTED)
    yield from (f"{_named(play)}: {_first(found, play)}" for play in found.plays)
    if found.differences:
        yield f"\nthe first {min(show, len(found.differences))} of {len(found.differences)} differences:"
    for it in found.differences[:show]:
        yield from _told(it)


def _first(found: Found, play: Play) -> str:
    mine = [it for it in found.differences if it.play == play]
    if not mine:
        return "no difference"
    times = [it.at for it in mine if it.at]
    return f"the first difference at {_shown(min(times))}" if times else "differs, and nothing says when"


def _told(it: Difference) -> Iterator[str]:
    when = _shown(it.at) if it.at else "no time"
    row = it.before or it.after or {}
    about = next((row[name] for name in ABOUT if row.get(name) and name not in it.changed), "")
    yield f"{when}, {_named(it.play)}, {it.kind} of {it.npc or 'all'}, {it.counts_as}: {about}".rstrip(": ")
    if it.before is not None and it.after is not None:
        yield from (f"    {name}: {_shown(it.before.get(name))} -> {_shown(it.after.get(name))}" for name in it.changed)
    else:
        yield "    " + ", ".join(f"{name}: {_shown(value)}" for name, value in row.items() if value not in ("", None))


def _shown(value: object) -> str:
    if isinstance(value, int) and value >= FIRST_MOMENT:
        return datetime.fromtimestamp(value, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    return json.dumps(value, ensure_ascii=False)
