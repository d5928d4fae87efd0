"""Reads the save and the report of a play as rows that can be compared with those of another version of the code.

It uses only the names of tables and columns, and nothing of the package, because the other version may differ. It leaves out what
changes in each run (wall times, random ids) and row numbers, because one additional row would change all later numbers.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """One kind of row. `time` and `who` name columns; every column but `left_out` is compared."""

    table: str
    time: str = ""
    who: str = "npc"
    left_out: frozenset[str] = frozenset()
    refers: Mapping[str, str] = field(default_factory=dict)
    """Columns that hold the id of a row of some table. They are replaced by the text of that row."""
    later: Mapping[str, str] = field(default_factory=dict)
    """Columns that change after `time`, each with the column of the time of the change."""
    is_state: bool = False
    """Whether the row is a state at the end. `time` then tells when it last changed."""


KINDS = {
    "action": Kind("actions", "start", left_out=frozenset({"id"}), later={"ended": "ended", "outcome": "ended", "reason": "ended"}),
    "plan": Kind("plan_steps", "start", left_out=frozenset({"id"}), refers={"parent": "plan_steps"}, later={"status": "end"}),
    "memory": Kind("memories", "created", left_out=frozenset({"id"}), later={"last_access": "last_access"}),
    "evidence": Kind("evidence", refers={"memory": "memories", "rests_on": "memories"}),
    "call": Kind("calls", "at", left_out=frozenset({"id", "wall_ms"})),
    "relation": Kind("social", "at", refers={"upto": "memories"}, is_state=True),
    "policy": Kind("policies", who="owner", is_state=True),
    "known": Kind("known", "seen_at", is_state=True),
    "thing": Kind("nodes", who="address", left_out=frozenset({"position", "body"}), is_state=True),
}
"""The kinds of rows in a save. `call` is a question to the model, or to instinct without a model."""
TOLD = {"speech": "speeches", "failure": "failures"}
"""Kinds that only the report of `npc-server simulate --json` has, each with its key there."""


def rows_of(save: Path, report: Mapping[str, Any]) -> Iterator[Row]:
    """Yields a row for the play itself, then all rows of each kind, with `kind`, `at` in game seconds, `npc`, and the columns in `row`."""
    tables = _tables(save)
    told = [kind for kind, key in TOLD.items() if key in report]
    meta = {it["key"]: it["value"] for it in tables.get("meta", []) if {"key", "value"} <= it.keys()}
    found = [kind for kind, it in KINDS.items() if it.table in tables] + told
    about = {"days": report.get("days"), "people": report.get("people"), "embedder": meta.get("embedder"), "found": found}
    yield {"kind": "play", "at": None, "npc": None, "row": about}
    texts = {name: {(it.get("npc"), it.get("id")): it.get("text") for it in rows} for name, rows in tables.items()}
    for name, kind in KINDS.items():
        yield from _in_order(name, [_row(kind, it, texts) for it in tables.get(kind.table, [])])
    for name in told:
        numbered = [(_seconds(it.get("at")), it.get("npc"), number, it) for number, it in enumerate(report[TOLD[name]])]
        yield from _in_order(name, numbered)


def _tables(save: Path) -> dict[str, list[Row]]:
    db = sqlite3.connect(f"{save.absolute().as_uri()}?mode=ro", uri=True)
    try:
        db.row_factory = sqlite3.Row
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        wanted = {kind.table for kind in KINDS.values()} | {"meta"}
        return {name: [dict(row) for row in db.execute(f'SELECT * FROM "{name}"')] for name in names if name in wanted}
    finally:
        db.close()


Placed = tuple[int | None, str | None, int, Row]
"""The time, the person, the number among rows of that person and time, and the columns."""
Texts = Mapping[str, Mapping[tuple[Any, Any], Any]]
"""The text of each row, by table, then by person and id."""


def _row(kind: Kind, columns: Row, texts: Texts) -> Placed:
    kept = {name: value for name, value in columns.items() if name not in kind.left_out and not isinstance(value, bytes)}
    for name in kept.keys() & kind.refers.keys():
        kept[name] = texts.get(kind.refers[name], {}).get((columns.get("npc"), columns[name]))
    number = re.search(r"\d+$", str(columns.get("id", "")))
    return columns.get(kind.time), columns.get(kind.who), int(number.group()) if number else 0, kept


def _in_order(kind: str, rows: list[Placed]) -> Iterator[Row]:
    for at, npc, _, row in sorted(rows, key=lambda it: (it[0] or 0, it[1] or "", it[2], json.dumps(it[3], sort_keys=True))):
        yield {"kind": kind, "at": at, "npc": npc, "row": row}


def _seconds(moment: str | None) -> int | None:
    """Reads "2026-05-04 12:01" as game seconds."""
    return int(datetime.fromisoformat(moment).replace(tzinfo=timezone.utc).timestamp()) if moment else None
