"""Keeps the commands of an activity as entries of the plan: done, failed, or still ahead.

The entries are steps below the activity's own step. So a save holds them, and an interrupted activity goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.affordable import household_view
from npc_server.affordable.habits import habit_of
from npc_server.affordable.household_view import View
from npc_server.mind.mind import Mind
from npc_server.records import Address, CommandRole, PlanLevel, PlannedCommand, PlanStatus, PlanStep, Source
from npc_server.world.household import Command, from_wire

PREPARING = PlannedCommand(CommandRole.PREPARING)


def entries_of(mind: Mind, activity: PlanStep) -> list[PlanStep]:
    """Returns the commands of the activity in the order in which they were done. Those still ahead come last."""
    found = [s for s in mind.plan.steps if s.parent == activity.id and s.level is PlanLevel.STEP and s.status is not PlanStatus.DROPPED]
    return sorted(found, key=lambda s: (s.status is PlanStatus.AHEAD, 0 if s.status is PlanStatus.AHEAD else s.start, s.id))


def without_broken_off(mind: Mind, entries: Sequence[PlanStep]) -> list[PlanStep]:
    """Drops helping commands that were interrupted, because they may not be needed any more. Returns the other entries."""
    stale = [entry for entry in entries if entry.status is PlanStatus.AHEAD and has_role(entry, CommandRole.PREPARING)]
    mind.drop(stale)
    return [entry for entry in entries if entry not in stale]


def plan_habit(mind: Mind, activity: PlanStep, view: View) -> list[PlanStep]:
    """Plans the habit without the commands that are done. Before it the NPC puts down what it holds and does not need."""
    habit = habit_of(mind.persona, activity.text)
    if not habit:
        habit = [(command, 0) for command in household_view.guess(view, activity.text, activity.address)]
    done = {entry.text for entry in entries_of(mind, activity) if entry.status is PlanStatus.DONE}
    habit = [(command, minutes * clock.MINUTE) for command, minutes in habit if command.text not in done]
    if habit:
        habit = [*((command, 0) for command in household_view.put_down(view, [command for command, _ in habit])), *habit]
    return plan_commands(mind, activity, view, habit, Source.INSTINCT, PlannedCommand(CommandRole.USUAL))


def plan_commands(
    mind: Mind, activity: PlanStep, view: View, commands: Sequence[tuple[Command, int]], source: Source, kept: PlannedCommand
) -> list[PlanStep]:
    known = [(command, length) for command, length in commands if view.thing(command.what) is not None]
    return mind.add_steps([entry_for(mind, activity, command, view, source, kept, length) for command, length in known])


def entry_for(
    mind: Mind, activity: PlanStep, command: Command, view: View, source: Source, kept: PlannedCommand = PREPARING, length: int = 0
) -> PlanStep:
    """Returns the entry of one command. It takes `length` game seconds, or as long as the activity when `length` is 0."""
    address = view.home.things[command.what].address
    start, end = activity.start, activity.start + length if length else activity.end
    return PlanStep(
        mind.npc, 0, PlanLevel.STEP, activity.id, start, end, command.text, address, PlanStatus.AHEAD, source, command.does, command=kept
    )  # fmt: skip


def command_of(entry: PlanStep) -> Command | None:
    return command_from(entry.address, entry.does)


def command_from(address: Address, does: str) -> Command | None:
    return from_wire(address.rpartition(":")[2], does)


def policy_of(entries: Sequence[PlanStep]) -> str:
    """Returns the key of the policy behind the entries, or an empty string when there is none."""
    return next((entry.command.policy for entry in entries if entry.command is not None and entry.command.policy), "")


def has_role(entry: PlanStep, *roles: CommandRole) -> bool:
    return entry.command is not None and entry.command.role in roles


def as_failed(entry: PlanStep, reason: str) -> PlanStep:
    """Returns the entry, marked as failed with the reason."""
    return replace(entry, status=PlanStatus.FAILED, command=replace(entry.command or PREPARING, failure=reason))


def ahead_of(entries: Sequence[PlanStep]) -> list[tuple[PlanStep, Command]]:
    pairs = [(entry, command_of(entry)) for entry in entries if entry.status is PlanStatus.AHEAD]
    return [(entry, command) for entry, command in pairs if command is not None]


def forbidden_of(entries: Sequence[PlanStep]) -> dict[str, str]:
    """Returns the commands that failed, each with the reason."""
    return {entry.text: entry.command.failure for entry in entries if entry.status is PlanStatus.FAILED and entry.command is not None}


@dataclass(frozen=True)
class Chosen:
    command: Command
    source: Source
    entry: PlanStep | None
    """The entry that planned the command, or None for a helping command that no entry planned."""
    to_come: tuple[tuple[Command, int], ...]
    """The commands after it with their game seconds, 0 where the length is open."""
    known: bool
    """Whether `to_come` holds everything that is left to do."""


def is_by_policy(entries: Sequence[PlanStep]) -> bool:
    """Returns whether every command that was done came from a policy."""
    done = [entry for entry in entries if entry.status is PlanStatus.DONE and command_of(entry) is not None]
    return bool(policy_of(done)) and not forbidden_of(entries) and all(entry.source is Source.POLICY for entry in done)


def by_habit(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], source: Source) -> Chosen | None:
    """Returns the next planned command that is possible. Those before it are dropped from the plan."""
    ahead = ahead_of(entries)
    found = household_view.next_by_habit(view, [command for _, command in ahead], forbidden_of(entries))
    mind.drop(entry for entry, _ in (ahead if found is None else ahead[: found.index]))
    return chosen_from(step, found.first, ahead[found.index :], source, view) if found is not None else None


def chosen_from(activity: PlanStep, command: Command, ahead: Sequence[tuple[PlanStep, Command]], source: Source, view: View) -> Chosen:
    """Returns the command as chosen. It is the first entry ahead, maybe with another thing of the same name, or it comes before that."""
    to_come = tuple((planned, length_of(activity, entry)) for entry, planned in ahead)
    if ahead and same(command, ahead[0][1], view):
        return Chosen(command, source, ahead[0][0], to_come[1:], True)
    return Chosen(command, source, None, to_come, bool(to_come))


def length_of(activity: PlanStep, entry: PlanStep) -> int:
    return 0 if entry.end - entry.start >= activity.end - activity.start else entry.end - entry.start


def same(a: Command, b: Command, view: View) -> bool:
    what, other = view.thing(a.what), view.thing(b.what)
    return a.verb == b.verb and a.target == b.target and what is not None and other is not None and what.name == other.name


def entry_as(entry: PlanStep, command: Command, view: View, kept: PlannedCommand) -> PlanStep:
    """Returns the entry with another thing of the same name."""
    return replace(entry, text=command.text, address=view.home.things[command.what].address, does=command.does, command=kept)
