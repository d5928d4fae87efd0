"""Turns an activity at home into atomic commands, each of which the game checks (AGA, VirtualHome).

A command that fails is *forbidden* for the rest of the activity. With `fuller_calls` the model lists the whole activity in one answer
(`commands_at_once`). Otherwise the model is asked for one command at a time (`commands_stepwise`). What worked becomes a Lifestyle
Policy, which repeats the activity without the model (`commands_policy`). The commands stand in the plan below the activity
(`commands_plan`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.affordable import commands_at_once, commands_stepwise, household_view, lifestyle_policy
from npc_server.affordable.commands_plan import (
    PREPARING,
    Chosen,
    ahead_of,
    as_failed,
    by_habit,
    command_from,
    command_of,
    entries_of,
    entry_for,
    has_role,
    is_by_policy,
    length_of,
    plan_commands,
    plan_habit,
    policy_of,
    without_broken_off,
)
from npc_server.affordable.commands_policy import keep, learn, learn_of_last
from npc_server.affordable.household_view import View
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import Action, Address, CommandRole, GameTime, PlanLevel, PlannedCommand, PlanStatus, PlanStep, Source, StepKind
from npc_server.world.household import SLEEP, Command


@dataclass(frozen=True)
class Decided:
    """The action to do now, and the step of the plan behind it.

    The step is one command, or the activity itself when no command is left.
    """

    step: PlanStep
    action: Action


def is_activity(mind: Mind, step: PlanStep, here: Address) -> bool:
    """Returns whether the step takes place in a household. Such a step is done by commands."""
    return step.kind is StepKind.ACTIVITY and household_view.lives_here(mind, step.address, here)


async def next_action(mind: Mind, step: PlanStep, here: Address, now: GameTime, action_id: str) -> Decided | None:
    """Returns the next command of the activity `step`, or None when the step is done without commands."""
    if not is_activity(mind, step, here):
        return None
    learn_of_last(mind, here, now)
    entries = without_broken_off(mind, entries_of(mind, step))
    view = household_view.view_of(mind, here)
    if not entries:
        entries = await _begin(mind, step, view, now)
        if not entries and not _asks(mind, step):
            return None
    if any(has_role(entry, CommandRole.FINISHED, CommandRole.GAVE_UP) for entry in entries):
        return _rest(mind, step, here, now, action_id)
    tried = [entry for entry in entries if entry.status in (PlanStatus.DONE, PlanStatus.FAILED)]
    if len(tried) >= mind.settings.commands_per_activity or now >= step.end - household_view.RESERVE_S // 2:
        return _over(mind, step, entries, CommandRole.GAVE_UP, here, now, action_id)
    chosen = await _choose(mind, step, view, entries, now)
    if chosen is not None:
        return _do(mind, step, chosen, view, now, action_id)
    await keep(mind, step, entries_of(mind, step), now)
    return _over(mind, step, entries, CommandRole.FINISHED, here, now, action_id)


def failed(mind: Mind, step: PlanStep, reason: str, here: Address, now: GameTime) -> bool:
    """Forbids a command that could not be done for the rest of its activity. Returns False when the step is no command."""
    command = command_of(step)
    activity = next((s for s in mind.plan.steps if s.id == step.parent and s.level is PlanLevel.STEP), None)
    if command is None or activity is None:
        return False
    mind.update_step(as_failed(step, reason))
    learn(mind, command, here, now)
    key = policy_of([step])
    if key:
        lifestyle_policy.failed(mind, key, now)
        mind.drop(entries_of(mind, activity))
    if not _lists(mind, activity):
        if key:
            plan_habit(mind, activity, household_view.view_of(mind, here))
    else:
        # The commands after the failed one may make no sense without it, so the model is asked for the rest again.
        mind.drop(it for it in entries_of(mind, activity) if has_role(it, CommandRole.LISTED))
    return True


async def _begin(mind: Mind, activity: PlanStep, view: View, now: GameTime) -> list[PlanStep]:
    """Plans the commands of the activity from a policy that worked before, or else from the habit."""
    if activity.text == routine.ASLEEP:
        mind.drop([s for s in mind.plan.steps if s.text == routine.ASLEEP and s.id != activity.id])
        bed = Command(SLEEP, activity.address.rpartition(":")[2])
        return plan_commands(mind, activity, view, [(bed, 0)], Source.INSTINCT, PlannedCommand(CommandRole.USUAL))
    if _asks(mind, activity):
        found = await lifestyle_policy.recall(mind, activity.text, 0, now, commands=True)
        if found is not None:
            pairs = [(it, command_from(it.address, it.does)) for it in found.steps]
            lengths = household_view.lengths([it.minutes for it, _ in pairs], (activity.end - now) // clock.MINUTE)
            known = [(command, length) for (_, command), length in zip(pairs, lengths, strict=True) if command is not None]
            return plan_commands(mind, activity, view, known, Source.POLICY, PlannedCommand(CommandRole.POLICY, found.key))
        if _lists(mind, activity):
            return []
    return plan_habit(mind, activity, view)


def _asks(mind: Mind, step: PlanStep) -> bool:
    """Returns whether the model decides. It never decides about sleep."""
    return step.text != routine.ASLEEP and mind.settings.planning and mind.tools.engine.status().ready


def _lists(mind: Mind, step: PlanStep) -> bool:
    """Returns whether the model lists the commands of the whole activity at once."""
    return _asks(mind, step) and mind.settings.uses("fuller_calls")


async def _choose(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], now: GameTime) -> Chosen | None:
    """Returns the next command of the policy, or else of the model, or else of the habit. Returns None when no command is left."""
    ahead = ahead_of(entries)
    key = policy_of([entry for entry, _ in ahead])
    if key:
        found = household_view.next_by_habit(view, [command for _, command in ahead], ())
        left_out = ahead if found is None else ahead[: found.index]
        if all((refused := view.refusal(command)) is not None and refused.already for _, command in left_out):
            return by_habit(mind, step, view, entries, Source.POLICY)
        lifestyle_policy.failed(mind, key, now)
        mind.drop(entries)
        if not _lists(mind, step):
            plan_habit(mind, step, view)
        entries = entries_of(mind, step)
    elif not ahead and is_by_policy(entries):
        return None
    if not _asks(mind, step):
        return by_habit(mind, step, view, entries, Source.INSTINCT)
    if _lists(mind, step):
        return await commands_at_once.by_list(mind, step, view, now)
    return await commands_stepwise.by_steps(mind, step, view, entries, now)


# ---- The action that goes to the game


def _do(mind: Mind, activity: PlanStep, chosen: Chosen, view: View, now: GameTime, action_id: str) -> Decided:
    command = chosen.command
    planned_s = length_of(activity, chosen.entry) if chosen.entry is not None else 0
    until = now + household_view.seconds(command, activity, now, planned_s, chosen.to_come, chosen.known)
    planned = chosen.entry or mind.add_steps([entry_for(mind, activity, command, view, chosen.source)])[0]
    states = tuple((thing.id, thing.write()) for thing in household_view.used(view, command))
    entry = replace(
        planned, start=now, end=until, text=command.text, address=view.home.things[command.what].address, does=command.does,
        source=chosen.source, command=replace(planned.command or PREPARING, states=states),
    )  # fmt: skip
    return Decided(entry, _action(mind, activity, entry, household_view.phrase(view, command), now, until, action_id))


def _action(mind: Mind, activity: PlanStep, entry: PlanStep, what: str, now: GameTime, until: GameTime, action_id: str) -> Action:
    return Action(
        id=action_id, npc=mind.npc, sentence=mind.instinct.sentence(mind.persona.first_name, what), address=entry.address,
        emoji=activity.emoji or mind.instinct.emoji(activity.text), start=now, end=until, object_action=entry.does, source=entry.source,
    )  # fmt: skip


def _over(
    mind: Mind, step: PlanStep, entries: Sequence[PlanStep], how: CommandRole, here: Address, now: GameTime, action_id: str
) -> Decided:
    """Ends the activity as done or given up. The NPC spends the time that is left where it is."""
    mind.drop(entries)
    end = PlanStep(mind.npc, 0, PlanLevel.STEP, step.id, now, now, how.value, "", PlanStatus.DONE, step.source, command=PlannedCommand(how))
    mind.add_steps([end])
    return _rest(mind, step, here, now, action_id)


def _rest(mind: Mind, step: PlanStep, here: Address, now: GameTime, action_id: str) -> Decided:
    """Returns the action that lasts until the activity's time is up."""
    sentence, emoji = mind.instinct.sentence(mind.persona.first_name, step.text), step.emoji or mind.instinct.emoji(step.text)
    return Decided(step, Action(action_id, mind.npc, sentence, here or step.address, emoji, now, step.end, source=step.source))
