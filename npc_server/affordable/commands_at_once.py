"""A whole activity in one answer: the model lists its commands in order, and is asked again only for the rest, when one was refused.

What a command needs first (walking, standing up, opening) follows by itself. No critic is asked when the list ran through: the game has
checked each of its commands. Where one was refused, the critic has the last word.
"""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.affordable import commands_stepwise, household_view
from npc_server.affordable.commands_plan import Chosen, ahead_of, as_failed, by_habit, entries_of, forbidden_of, has_role, plan_commands
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
"""Lists asked for in one activity. After so many refused commands it is gone on with one at a time."""
LINES = 24
"""Commands of one list."""
THINGS = 12
"""Things told of, those that the routine names for the activity first; more only where it names more."""
MOST_THINGS = 20
TOKENS_PER_LINE = 12
TAKES = {PUT_ON: "surface", PUT_IN: "container"}
"""What the second thing must be; liquids are poured into what can be filled."""


async def by_list(mind: Mind, step: PlanStep, view: View, now: GameTime) -> Chosen | None:
    """The next command of the list; a list is asked for where there is none. None when the activity is done."""
    for _ in range(LISTS + 1):
        entries = entries_of(mind, step)
        ahead, refused = ahead_of(entries), forbidden_of(entries)
        if any(not has_role(entry, CommandRole.LISTED) for entry, _ in ahead):
            break  # it is being done one at a time
        if not ahead:
            if any(_is_of_list(entry, len(refused)) for entry in entries):
                if refused:
                    break  # the critic says whether it is done all the same
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
    """Whether it stands in the list that was asked for after so many failures, and has not failed itself."""
    command, is_open = entry.command, entry.status is not PlanStatus.FAILED
    return is_open and command is not None and command.role is CommandRole.LISTED and command.failures == failures


async def _by_steps(mind: Mind, step: PlanStep, view: View, now: GameTime) -> Chosen | None:
    return await commands_stepwise.by_steps(mind, step, view, entries_of(mind, step), now)


def _first_refused(view: View, ahead: Sequence[tuple[PlanStep, Command]], forbidden: dict[str, str]) -> tuple[PlanStep, str] | None:
    """The first command that would have to be left out though it is not so already, and why."""
    found = household_view.next_by_habit(view, [command for _, command in ahead], forbidden)
    for entry, command in ahead if found is None else ahead[: found.index]:
        refused = view.refusal(command)
        if refused is None or not refused.already:
            return entry, refused.reason if refused is not None else "it did not work"
    return None


# ---- the question


async def _ask_for_list(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], now: GameTime) -> list[PlanStep]:
    """The list, put into the plan; empty when nothing could be done for the activity."""
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
    """What could matter for the activity: what it usually takes, what is in the hand, then by meaning, by words, and what is near."""
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
    """Every command that the things allow, in whatever state they are: it may become possible."""
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
    """`mug_1 is clean, empty, in the wall cupboard: drink, grab, put`; `worktop is clean: wash, put things on`."""
    verbs = [verb for verb in thing.verbs if verb not in TWO_THINGS]
    verbs += [f"put things {how.removeprefix('put ')}" for how, given in TAKES.items() if given in thing.properties]
    verbs += ["put"] * ("grabbable" in thing.properties) + ["pour"] * ("fillable" in thing.properties)
    return f"{household_view.line(thing, view.npc)}: {', '.join(verbs)}"
