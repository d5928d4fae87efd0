"""The commands of an activity as entries of the plan: done, failed, or still ahead.

They stand as steps under the activity's own. So a save holds them, and an activity that was interrupted goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.affordable import household_view
from npc_server.affordable.habits import habit_of
from npc_server.affordable.household_view import View
from npc_server.mind.mind import Mind
from npc_server.records import Address, PlanLevel, PlanStatus, PlanStep, Source
from npc_server.world.household import Command, from_wire

FINISHED, GAVE_UP = "finished", "gave up"
"""What an activity's last entry in the plan says."""
PLANNED, WANTED, BETWEEN, BY_POLICY, LISTED = "planned", "wanted", "between", "policy ", "list "
"""What the sentence of an entry begins with: it stood in the plan from the start, by habit or by the policy of a key; it was chosen and
what has to come before it is being done; or it came between; or the model listed it, with the number of commands that had failed by then.
After it, when the command has begun, the things it has to do with and their states before."""


def entries_of(mind: Mind, activity: PlanStep) -> list[PlanStep]:
    """Its commands in the order in which they were done; those ahead last."""
    found = [s for s in mind.plan if s.parent == activity.id and s.level is PlanLevel.STEP and s.status is not PlanStatus.DROPPED]
    return sorted(found, key=lambda s: (s.status is PlanStatus.AHEAD, 0 if s.status is PlanStatus.AHEAD else s.start, s.id))


def without_broken_off(mind: Mind, entries: Sequence[PlanStep]) -> list[PlanStep]:
    """What came between and was interrupted may not be needed any more."""
    stale = [entry for entry in entries if entry.status is PlanStatus.AHEAD and entry.sentence.startswith(BETWEEN)]
    mind.drop(stale)
    return [entry for entry in entries if entry not in stale]


def by_custom(mind: Mind, activity: PlanStep, view: View) -> list[PlanStep]:
    """The habit, without what has been done already; before it, what is in the hand and not needed is put down."""
    habit = habit_of(mind.persona, activity.text)
    if not habit:
        habit = [(command, 0) for command in household_view.guess(view, activity.text, activity.address)]
    done = {entry.text for entry in entries_of(mind, activity) if entry.status is PlanStatus.DONE}
    habit = [(command, minutes * clock.MINUTE) for command, minutes in habit if command.text not in done]
    if habit:
        habit = [*((command, 0) for command in household_view.put_down(view, [command for command, _ in habit])), *habit]
    return planned(mind, activity, view, habit, Source.INSTINCT, PLANNED)


def planned(
    mind: Mind, activity: PlanStep, view: View, commands: Sequence[tuple[Command, int]], source: Source, mark: str
) -> list[PlanStep]:
    known = [(command, length) for command, length in commands if view.thing(command.what) is not None]
    return mind.add_steps([entry_for(mind, activity, command, view, source, mark, length) for command, length in known])


def entry_for(
    mind: Mind, activity: PlanStep, command: Command, view: View, source: Source, mark: str = BETWEEN, length: int = 0
) -> PlanStep:
    """`length` in game seconds, where it is known beforehand: then the entry is so long, else as long as the activity."""
    address = view.home.things[command.what].address
    start, end = activity.start, activity.start + length if length else activity.end
    return PlanStep(
        mind.npc, 0, PlanLevel.STEP, activity.id, start, end, command.text, address, PlanStatus.AHEAD, source, command.does, mark
    )  # fmt: skip


def command_of(entry: PlanStep) -> Command | None:
    return command_from(entry.address, entry.does)


def command_from(address: Address, does: str) -> Command | None:
    return from_wire(address.rpartition(":")[2], does)


def policy_of(entries: Sequence[PlanStep]) -> str:
    """The key of the policy that entries are done by; empty for none."""
    marks = (entry.sentence.partition(";")[0] for entry in entries)
    return next((mark[len(BY_POLICY) :] for mark in marks if mark.startswith(BY_POLICY)), "")


def ahead_of(entries: Sequence[PlanStep]) -> list[tuple[PlanStep, Command]]:
    pairs = [(entry, command_of(entry)) for entry in entries if entry.status is PlanStatus.AHEAD]
    return [(entry, command) for entry, command in pairs if command is not None]


def forbidden_of(entries: Sequence[PlanStep]) -> dict[str, str]:
    """The commands that failed, and why."""
    return {entry.text: entry.sentence for entry in entries if entry.status is PlanStatus.FAILED}


@dataclass(frozen=True)
class Chosen:
    command: Command
    source: Source
    entry: PlanStep | None
    """The entry that planned it; None when it comes between."""
    to_come: tuple[tuple[Command, int], ...]
    """With seconds, 0 where that is open."""
    known: bool
    """Whether `to_come` is all that there is to do."""


def is_by_policy(entries: Sequence[PlanStep]) -> bool:
    """Whether all that was done was done by a policy."""
    done = [entry for entry in entries if entry.status is PlanStatus.DONE and command_of(entry) is not None]
    return bool(policy_of(done)) and not forbidden_of(entries) and all(entry.source is Source.POLICY for entry in done)


def by_habit(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], source: Source) -> Chosen | None:
    """What the habit has next; what it has to leave out is dropped from the plan."""
    ahead = ahead_of(entries)
    found = household_view.next_by_habit(view, [command for _, command in ahead], forbidden_of(entries))
    pass_over(mind, ahead if found is None else ahead[: found.index])
    return chosen_from(step, found.first, ahead[found.index :], source, view) if found is not None else None


def pass_over(mind: Mind, skipped: Sequence[tuple[PlanStep, Command]]) -> None:
    """What is so already, or cannot be done, is left out."""
    mind.drop(entry for entry, _ in skipped)


def chosen_from(activity: PlanStep, command: Command, ahead: Sequence[tuple[PlanStep, Command]], source: Source, view: View) -> Chosen:
    """A command beside what is ahead: the first of it, another thing of the same name in its place, or one that comes between."""
    to_come = tuple((planned, length_of(activity, entry)) for entry, planned in ahead)
    if ahead and same(command, ahead[0][1], view):
        return Chosen(command, source, ahead[0][0], to_come[1:], True)
    return Chosen(command, source, None, to_come, bool(to_come))


def length_of(activity: PlanStep, entry: PlanStep) -> int:
    return 0 if entry.end - entry.start >= activity.end - activity.start else entry.end - entry.start


def same(a: Command, b: Command, view: View) -> bool:
    what, other = view.thing(a.what), view.thing(b.what)
    return a.verb == b.verb and a.target == b.target and what is not None and other is not None and what.name == other.name


def entry_as(entry: PlanStep, command: Command, view: View, mark: str) -> PlanStep:
    """The entry with another thing of the same name, and another mark."""
    return replace(entry, text=command.text, address=view.home.things[command.what].address, does=command.does, sentence=mark)
