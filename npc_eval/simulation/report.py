"""Records what happens in a run of the sandbox town, and reports it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from npc_server import clock
from npc_server.records import Action, Address, GameTime, MindEvent, Notice, NoticeLevel, NpcId, Outcome, OutcomeStatus, Source, Speech


@dataclass(frozen=True)
class PlayedAction:
    """One action as it was played."""

    id: str
    npc: NpcId
    start: GameTime
    end: GameTime
    address: Address
    sentence: str
    emoji: str
    source: Source
    failure: str = ""
    """Why the action failed. Empty if it did not."""


@dataclass(frozen=True)
class Failure:
    """Something that went wrong without ending the game."""

    at: GameTime
    npc: NpcId
    what: str


@dataclass(frozen=True)
class Report:
    """What happened in a run. Times without a unit are game times."""

    people: tuple[NpcId, ...]
    days: float
    start: GameTime
    end: GameTime
    actions: tuple[PlayedAction, ...]
    speeches: tuple[Speech, ...]
    memories: dict[NpcId, dict[str, int]]
    failures: tuple[Failure, ...]
    warnings: tuple[str, ...]
    wall_s: float
    town_s: float = 0.0
    """The part of `wall_s` that the town itself took."""
    setup_s: float = 0.0
    """The part of `wall_s` for making and opening the save."""
    interviews_s: float = 0.0
    """The part of `wall_s` for the questions at the end."""
    answers: dict[tuple[NpcId, str], str] = field(default_factory=dict)
    """What each person answered to each question at the end."""


class Recorder:
    """Collects the decisions of the minds, and their outcomes."""

    def __init__(self) -> None:
        self.actions: list[PlayedAction] = []
        self.speeches: list[Speech] = []
        self.failures: list[Failure] = []
        self._current: dict[NpcId, int] = {}

    def on_event(self, event: MindEvent, now: GameTime) -> None:
        if isinstance(event, Action):
            self._begin(event)
        elif isinstance(event, Speech) and not event.partial:
            self.speeches.append(event)
        elif isinstance(event, Notice) and event.level is not NoticeLevel.INFO:
            self.failures.append(Failure(now, "", f"{event.reason}: {event.message}"))

    def on_outcome(self, outcome: Outcome, now: GameTime) -> None:
        if outcome.status is not OutcomeStatus.FAILED:
            return
        self.failures.append(Failure(now, outcome.npc, outcome.reason))
        index = self._current.get(outcome.npc)
        if index is not None and self.actions[index].id == outcome.action_id:
            self.actions[index] = replace(self.actions[index], failure=outcome.reason)
            self._end(index, now)

    def close(self, now: GameTime) -> None:
        """Ends the actions that are still going on, and puts lines of the same moment in order: chance decides which arrive first."""
        self.speeches.sort(key=lambda it: (it.at, it.conversation))  # this keeps the order of the lines in one conversation
        for index in self._current.values():
            self._end(index, now)

    def _begin(self, action: Action) -> None:
        index = self._current.get(action.npc)
        if index is not None and self.actions[index].id == action.id:
            return
        if index is not None:
            self._end(index, action.start)
        self._current[action.npc] = len(self.actions)
        self.actions.append(
            PlayedAction(action.id, action.npc, action.start, action.end, action.address, action.sentence, action.emoji, action.source)
        )

    def _end(self, index: int, at: GameTime) -> None:
        played = self.actions[index]
        self.actions[index] = replace(played, end=max(played.start, min(played.end, at)))


def as_json(report: Report) -> dict[str, object]:
    """The report as `npc-server simulate --json` prints it, without the figures of the model, which come from the save."""
    kinds: dict[str, int] = {}
    for counts in report.memories.values():
        for kind, count in counts.items():
            kinds[kind] = kinds.get(kind, 0) + count
    return {
        "people": list(report.people),
        "days": report.days,
        "start": stamp(report.start),
        "end": stamp(report.end),
        "actions": [
            {
                "npc": it.npc,
                "start": stamp(it.start),
                "end": stamp(it.end),
                "start_s": it.start,
                "end_s": it.end,
                "address": it.address,
                "sentence": it.sentence,
                "emoji": it.emoji,
                "source": it.source.value,
                "failure": it.failure,
            }
            for it in report.actions
        ],
        "memories": kinds,
        "memories_by_npc": report.memories,
        "speeches": [{"npc": it.npc, "at": stamp(it.at), "to": list(it.to), "text": it.text} for it in report.speeches],
        "failures": [{"at": stamp(it.at), "npc": it.npc, "what": it.what} for it in report.failures],
        "warnings": list(report.warnings),
        "wall_s": round(report.wall_s, 3),
    }


def stamp(at: GameTime) -> str:
    """Formats a game time like `2026-05-04 06:30`."""
    return clock.written(at)
