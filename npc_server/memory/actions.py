"""The actions of people on disk, and how each one ended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlite_utils import Database

from npc_server.errors import UnknownName
from npc_server.memory import codec, rows
from npc_server.records import Action, GameTime, NpcId, OutcomeReason, OutcomeStatus

_FLAT = rows.columns(Action, without=("talks_with",))
_COLUMNS = (*_FLAT, "talks_with")
"""`talks_with` is JSON. It is empty for an action without."""


@dataclass(frozen=True)
class ActionRecord:
    """An action with its end. `ended` and `outcome` are None while the action runs. `code` is None unless it failed."""

    action: Action
    ended: GameTime | None
    outcome: OutcomeStatus | None
    reason: str
    code: OutcomeReason | None = None


def insert(db: Database, action: Action) -> None:
    """Stores an action that begins."""
    rows.insert(db, "actions", _COLUMNS, [_values(action)])


def end(
    db: Database, action_id: str, ended: GameTime, outcome: OutcomeStatus | None, reason: str = "", code: OutcomeReason | None = None
) -> None:
    """Stores how an action ended. `outcome` is None if the NPC turned to something else. Raises UnknownName."""
    sql = "UPDATE actions SET ended = ?, outcome = ?, reason = ?, code = ? WHERE id = ?"
    if not db.execute(sql, (ended, outcome.value if outcome else None, reason, code.value if code else None, action_id)).rowcount:
        raise UnknownName(f"There is no action {action_id!r}.", "Insert it first.", action=action_id)


def load(db: Database, npc: NpcId | None = None, since: GameTime | None = None) -> list[ActionRecord]:
    """The actions of one NPC, or of all with None, ordered by start. `since` leaves out those that began earlier. Raises SaveDamaged."""
    names = (*_COLUMNS, "ended", "outcome", "reason", "code")
    sql = f"SELECT {rows.quoted(names)} FROM actions WHERE (? IS NULL OR npc = ?) AND (? IS NULL OR start >= ?) ORDER BY start, npc, rowid"
    return [_record(row) for row in rows.select(db, sql, (npc, npc, since, since))]


def _values(action: Action) -> list[object]:
    return [*rows.values(action, _FLAT), codec.dumps(action.talks_with) if action.talks_with else ""]


def _record(row: tuple[object, ...]) -> ActionRecord:
    size = len(_FLAT)
    action = rows.record(Action, _FLAT, row[:size])
    if talks_with := row[size]:
        action = replace(action, talks_with=codec.loads(tuple[str, ...], str(talks_with)))
    return rows.record(_Ending, rows.columns(_Ending), row[size + 1 :]).of(action)


@dataclass(frozen=True)
class _Ending:
    """The columns of an action that say how it ended."""

    ended: GameTime | None
    outcome: OutcomeStatus | None
    reason: str
    code: OutcomeReason | None

    def of(self, action: Action) -> ActionRecord:
        return ActionRecord(action, self.ended, self.outcome, self.reason, self.code)
