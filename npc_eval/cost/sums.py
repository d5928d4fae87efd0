"""Sums of a save's ledger by stage, person, game hour, day or outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from npc_eval.simulation.report import stamp
from npc_server import clock
from npc_server.errors import SaveDamaged
from npc_server.memory import ledger, meta, people
from npc_server.memory.database import reading
from npc_server.memory.ledger import BUDGET_SPENT, Spent
from npc_server.records import CallOutcome, GameTime, NpcId
from npc_server.session.inspect_save import copied

K = TypeVar("K")
MOST_ROWS = 20_000
"""Hours without a question have a row only in saves with fewer hours than this, about two years."""


class By(str, Enum):
    """What the rows of a table stand for."""

    STAGE = "stage"
    PERSON = "person"
    HOUR = "hour"
    OUTCOME = "outcome"


@dataclass(frozen=True)
class Bill:
    """What the minds of a save asked until `now`."""

    town: str
    now: GameTime
    names: dict[NpcId, str]
    spent: tuple[Spent, ...]


@dataclass(frozen=True)
class Sum:
    """Tokens and calls of several rows of the ledger."""

    questions: int = 0
    """Includes those that did not reach a model."""
    calls: int = 0
    """Questions that reached a model, each attempt counted."""
    computed: int = 0
    """Prompt tokens that were computed."""
    cached: int = 0
    """Prompt tokens that came from the KV cache."""
    reply: int = 0
    wall_s: float = 0.0
    """Waiting time for replies. Those of several people overlap."""
    retried: int = 0
    cancelled: int = 0
    instinct: int = 0
    """Questions that instinct answered."""
    refused: int = 0
    """Those of them that were not asked, because the person's token budget was spent."""

    @property
    def tokens(self) -> int:
        """The cost, in which cached tokens are free."""
        return self.computed + self.reply

    @property
    def prompt(self) -> int:
        """Prompt tokens, computed or cached."""
        return self.computed + self.cached


async def read_bill(save: Path) -> Bill:
    """Reads a copy of the save. Raises SaveNotFound, SaveInUse, SaveDamaged, SaveTooNew."""
    async with copied(save) as store:
        held, persons, spent = await store.do(lambda db: (meta.read(db), people.load(db), ledger.spent(db)))
    for at in (held.now, *(row.hour for row in spent)):
        if not clock.EARLIEST <= at <= clock.LATEST:
            raise SaveDamaged(
                f"The save's ledger has a question at {at}, which is no game time.", "Choose another save, or a copy.", save=save
            )
    return Bill(held.town, held.now, {person.npc: person.name for person in persons}, tuple(spent))


def total(rows: Iterable[Spent]) -> Sum:
    found = list(rows)

    def calls(outcome: CallOutcome, why: str = "") -> int:
        return sum(row.calls for row in found if row.outcome is outcome and (not why or row.why == why))

    return Sum(
        questions=sum(row.calls for row in found),
        calls=sum(row.asked for row in found),
        computed=sum(row.prompt_tokens - row.cached_tokens for row in found),
        cached=sum(row.cached_tokens for row in found),
        reply=sum(row.reply_tokens for row in found),
        wall_s=sum(row.wall_ms for row in found) / 1000,
        retried=calls(CallOutcome.RETRIED),
        cancelled=calls(CallOutcome.CANCELLED),
        instinct=calls(CallOutcome.INSTINCT),
        refused=calls(CallOutcome.INSTINCT, BUDGET_SPENT),
    )


def by_stage(bill: Bill) -> dict[str, Sum]:
    """The most expensive stages first."""
    return _dearest_first(sums_by(bill.spent, lambda row: row.stage))


def by_person(bill: Bill) -> dict[NpcId, Sum]:
    """Everybody in the save, the most expensive people first."""
    return _dearest_first({**dict.fromkeys(bill.names, Sum()), **sums_by(bill.spent, lambda row: row.npc)})


def by_hour(bill: Bill) -> dict[GameTime, Sum]:
    """Every hour from the first question to the last, in order."""
    found = sums_by(bill.spent, lambda row: row.hour)
    return {hour: found.get(hour, Sum()) for hour in _steps(found, clock.HOUR)}


def by_day(bill: Bill) -> dict[GameTime, Sum]:
    found = sums_by(bill.spent, lambda row: clock.day_start(row.hour))
    return {day: found.get(day, Sum()) for day in _steps(found, clock.DAY)}


def by_outcome(bill: Bill) -> dict[str, Sum]:
    """`used`, `retried`, `instinct: BUDGET_SPENT` … in the order of `CallOutcome`."""
    names = list(CallOutcome)
    found = sums_by(bill.spent, lambda row: (names.index(row.outcome), row.why))
    return {names[at].value + (f": {why}" if why else ""): found[at, why] for at, why in sorted(found)}


def as_json(bill: Bill) -> dict[str, object]:
    """All sums, with readable dates."""
    return {
        "town": bill.town,
        "now": stamp(bill.now),
        "total": _figures(total(bill.spent)),
        "by_day": {stamp(day)[:10]: _figures(it) for day, it in by_day(bill).items()},
        "by_hour": {stamp(hour): _figures(it) for hour, it in by_hour(bill).items()},
        "by_stage": {stage: _figures(it) for stage, it in by_stage(bill).items()},
        "by_person": {npc: {"name": bill.names.get(npc, npc), **_figures(it)} for npc, it in by_person(bill).items()},
        "by_outcome": {outcome: _figures(it) for outcome, it in by_outcome(bill).items()},
    }


def model_figures(save: Path) -> dict[str, object]:
    """The model's part of `simulate --json`: calls, tokens and answers of instinct, in all and by stage.

    `starved` are the people whose token budget was spent, with the number of questions that were not asked. The save must be of this
    version.
    """
    with reading(save) as db:
        rows = ledger.spent(db)
    starved = {npc: it.refused for npc, it in sorted(sums_by(rows, lambda row: row.npc).items()) if it.refused}
    by_stage = {stage: _short_figures(it) for stage, it in sorted(sums_by(rows, lambda row: row.stage).items())}
    return {**_short_figures(total(rows)), "by_stage": by_stage, "starved": starved}


def _short_figures(it: Sum) -> dict[str, int]:
    return {
        "calls": it.calls,
        "prompt_tokens": it.prompt,
        "cached_tokens": it.cached,
        "reply_tokens": it.reply,
        "instinct": it.instinct,
    }


def _figures(it: Sum) -> dict[str, object]:
    return {**asdict(it), "wall_s": round(it.wall_s, 3), "tokens": it.tokens}


def sums_by(rows: Iterable[Spent], key: Callable[[Spent], K]) -> dict[K, Sum]:
    """A sum for each key, in the order in which the rows have them."""
    found: dict[K, list[Spent]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return {name: total(group) for name, group in found.items()}


def _dearest_first(found: dict[K, Sum]) -> dict[K, Sum]:
    return dict(sorted(found.items(), key=lambda item: (-item[1].tokens, -item[1].questions)))


def _steps(times: Collection[GameTime], step: int) -> Sequence[GameTime]:
    """All times from the first to the last; only those that exist when there would be very many."""
    if not times:
        return ()
    first, last = min(times), max(times)
    return range(first, last + 1, step) if (last - first) // step < MOST_ROWS else sorted(times)
