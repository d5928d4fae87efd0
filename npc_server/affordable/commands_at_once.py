"""Asks the model for all commands of an activity in one answer. The model is asked again, for the rest, only when a command was refused.

The commands that another command needs first (walking, standing up, opening) are added without a question. When the list is done, the
critic decides whether the activity is, as after single commands. It is not asked when all commands of the persona's habit are done,
because the persona's file says that these are the activity.
"""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.affordable import commands_stepwise, household_view
from npc_server.affordable.commands_plan import (
    Chosen,
    ahead_of,
    as_failed,
    by_habit,
    command_of,
    entries_of,
    forbidden_of,
    has_role,
    plan_commands,
    same,
)
from npc_server.affordable.habits import habit_of
from npc_server.affordable.household_view import View
from npc_server.english.stems import stems_of
from npc_server.llm.reply import Choice, many
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import ListedCommand
from npc_server.records import Address, CommandRole, GameTime, PlannedCommand, PlanStatus, PlanStep, Source
from npc_server.world.household import PUT_IN, PUT_ON, TWO_THINGS, Command, Thing, from_text

LISTS = 3
"""How many lists the model is asked for in one activity. After so many refused commands it is asked for one command at a time."""
LINES = 24
"""The most commands in one list."""
THINGS = 12
"""How many things the prompt shows. The things in the persona's habit come first, and all of them are shown up to `MOST_THINGS`."""
MOST_THINGS = 20
TOKENS_PER_LINE = 12
TAKES = {PUT_ON: "surface", PUT_IN: "container"}
"""The property that the second thing of a command must have. The second thing of `pour` must be fillable."""


async def by_list(mind: Mind, step: PlanStep, view: View, now: GameTime) -> Chosen | None:
    """Returns the next command of the list, and asks for a list when there is none. Returns None when the activity is done."""
    for _ in range(LISTS + 1):
        entries = entries_of(mind, step)
        ahead, refused = ahead_of(entries), forbidden_of(entries)
        if any(not has_role(entry, CommandRole.LISTED) for entry, _ in ahead):
            break  # The commands of this activity are chosen one at a time.
        if not ahead:
            if any(_is_of_list(entry, len(refused)) for entry in entries):
                if refused or not _needs_no_critic(mind, step, view, entries):
                    break  # The critic decides whether the activity is done.
                return None
            if len(refused) >= LISTS:
                break
            ahead = ahead_of(await _ask_for_list(mind, step, view, entries, now))
            entries = entries_of(mind, step)
        source = ahead[0][0].source if ahead else Source.MODEL
        unlikely = _first_refused(view, ahead, refused) if source is Source.MODEL else None
        if unlikely is None:
            found = by_habit(mind, step, view, entries, source)
            return found if found is not None or not refused or source is not Source.MODEL else await _by_steps(mind, step, view, now)
        mind.update_step(as_failed(*unlikely))
        mind.drop(entries_of(mind, step))
    return await _by_steps(mind, step, view, now)


def _is_of_list(entry: PlanStep, failures: int) -> bool:
    """Returns whether the entry stands in the list that was asked for after so many failures, and has not failed itself."""
    command, is_open = entry.command, entry.status is not PlanStatus.FAILED
    return is_open and command is not None and command.role is CommandRole.LISTED and command.failures == failures


def _needs_no_critic(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep]) -> bool:
    """Returns whether the list came from instinct, or every command of the persona's habit is done or changes nothing."""
    done = [entry for entry in entries if entry.status is PlanStatus.DONE]
    if not any(entry.source is Source.MODEL for entry in done):
        return True
    commands = [command for entry in done if (command := command_of(entry)) is not None]
    habit = [command for command, _ in habit_of(mind.persona, step.text)]
    return bool(habit) and all(any(same(it, command, view) for command in commands) or _is_so(view, it) for it in habit)


def _is_so(view: View, command: Command) -> bool:
    refused = view.refusal(command)
    return refused is not None and refused.already


async def _by_steps(mind: Mind, step: PlanStep, view: View, now: GameTime) -> Chosen | None:
    return await commands_stepwise.by_steps(mind, step, view, entries_of(mind, step), now)


def _first_refused(view: View, ahead: Sequence[tuple[PlanStep, Command]], forbidden: dict[str, str]) -> tuple[PlanStep, str] | None:
    """Returns the first command that cannot be done, and the reason. A command whose result is already there does not count."""
    found = household_view.next_by_habit(view, [command for _, command in ahead], forbidden)
    for entry, command in ahead if found is None else ahead[: found.index]:
        refused = view.refusal(command)
        if refused is None or not refused.already:
            return entry, refused.reason if refused is not None else "it did not work"
    return None


# ---- The question


async def _ask_for_list(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], now: GameTime) -> list[PlanStep]:
    """Asks for the list and puts it into the plan. Returns an empty list when no command is possible for the activity."""
    situation = commands_stepwise.situation_of(view, entries)
    forbidden = forbidden_of(entries)
    done = {entry.text for entry in entries if entry.status is PlanStatus.DONE}
    habit = habit_of(mind.persona, step.text) or [(it, 0) for it in household_view.guess(view, step.text, step.address)]
    usual = [command for command, _ in habit if command.text not in done]
    wanted = household_view.rehearsed(view, [*household_view.put_down(view, usual), *usual] if usual else [], forbidden)
    things = await _things(mind, view, step.text, step.address, wanted)
    options = [command for command in _options(things) if command.text not in forbidden]
    texts = tuple(command.text for command in options)
    likely = [command.text for command in wanted if command.text in texts]
    likely = likely or [command.text for command in household_view.rehearsed(view, options, forbidden, 1)]
    if not likely:
        return []
    answer = await ask(
        mind, "commands", many(ListedCommand, 1, LINES, command=Choice(texts, hint="command")),
        lambda: tuple(ListedCommand(text) for text in likely[:LINES]), now, max_tokens=LINES * TOKENS_PER_LINE,
        activity=step.text, minutes=max(1, (step.end - now) // clock.MINUTE), posture=situation.posture, hands=situation.hands,
        done=situation.done, forbidden=situation.forbidden, things=[_line(view, thing) for thing in things],
    )  # fmt: skip
    lengths = {command.text: minutes * clock.MINUTE for command, minutes in habit}
    listed = [(command, lengths.get(line.command, 0)) for line in answer.value if (command := from_text(line.command)) is not None]
    return plan_commands(mind, step, view, listed, answer.source, PlannedCommand(CommandRole.LISTED, failures=len(forbidden)))


async def _things(mind: Mind, view: View, activity: str, where: Address, usual: Sequence[Command]) -> list[Thing]:
    """Returns the things that may matter for the activity.

    Things in the hands and in the habit come first. The others are ranked by meaning, by shared words and by how near they are.
    """
    things = list(view.home.things.values())
    relevance = await mind.places.relevance([thing.address for thing in things], activity)
    room, wanted = where.rpartition(":")[0], stems_of(activity)
    scores: dict[str, float] = {}
    for thing, value in zip(things, relevance, strict=True):
        anchor = view.home.anchor(thing.id) or thing
        near = 0.3 * (anchor.address == where or thing.address == where) + 0.2 * (anchor.address.rpartition(":")[0] == room)
        scores[thing.id] = float(value) + near + 0.25 * len(wanted & stems_of(thing.name))
    named = [name for command in usual for name in (command.what, command.target) if name]
    held = [thing.id for thing in view.home.held(view.npc)]
    first = list(dict.fromkeys([*held, *named]))
    rest = sorted((name for name in scores if name not in first), key=lambda name: -scores[name])
    names = [*first, *rest[: max(0, THINGS - len(first))]]
    return [view.home.things[name] for name in names[:MOST_THINGS]]


def _options(things: Sequence[Thing]) -> list[Command]:
    """Returns every command that the things allow in any state, because an earlier command may make it possible."""
    found: list[Command] = []
    for thing in things:
        for verb in thing.verbs:
            if verb not in TWO_THINGS:
                found.append(Command(verb, thing.id))
                continue
            wanted = TAKES.get(verb, "fillable")
            found += [Command(verb, thing.id, other.id) for other in things if wanted in other.properties and other.id != thing.id]
    return found


def _line(view: View, thing: Thing) -> str:
    """Describes a thing: `mug_1 is clean, empty, in the wall cupboard: drink, grab, put`, or `worktop is clean: wash, put things on`."""
    verbs = [verb for verb in thing.verbs if verb not in TWO_THINGS]
    verbs += [f"put things {how.removeprefix('put ')}" for how, given in TAKES.items() if given in thing.properties]
    verbs += ["put"] * ("grabbable" in thing.properties) + ["pour"] * ("fillable" in thing.properties)
    return f"{household_view.line(thing, view.npc)}: {', '.join(verbs)}"
