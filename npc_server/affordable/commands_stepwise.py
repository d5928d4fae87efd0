"""Asks the model for one command at a time, out of those that the mind believes possible (AGA).

The critic, a question of its own, says when the activity is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.affordable import household_view
from npc_server.affordable.commands_plan import (
    Chosen,
    ahead_of,
    chosen_from,
    command_of,
    entry_as,
    entry_for,
    forbidden_of,
    has_role,
    same,
)
from npc_server.affordable.household_view import View
from npc_server.english.stems import stems_of
from npc_server.llm.reply import Choice, one
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import YES, CriticVerdict, NextCommand
from npc_server.records import CommandRole, GameTime, PlannedCommand, PlanStatus, PlanStep, Source
from npc_server.world import household_rules as rules
from npc_server.world.household import VERBS, WALK, Command, from_text

CRITIC_EVERY = 4
"""After how many commands the critic is asked although nothing suggests that the activity is done. AGA asks after each command."""
PLACES_OFFERED = 4
"""How many places the prompt offers to put one thing."""
THINGS_TOLD = 10
DONE_TOLD = 12


async def by_steps(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], now: GameTime) -> Chosen | None:
    """Asks the critic when something was done, then asks for the next command. Returns None when the activity is done."""
    ahead, forbidden = ahead_of(entries), forbidden_of(entries)
    wanted = next(((entry, command) for entry, command in ahead if has_role(entry, CommandRole.CHOSEN)), None)
    if wanted is not None:
        ahead = [it for it in ahead if it is not wanted]
        first = household_view.first_for(view, wanted[1], forbidden)
        if first is not None:
            return chosen_from(step, first, [wanted, *ahead], Source.MODEL, view)
        mind.drop([wanted[0]])
    habit = household_view.next_by_habit(view, [command for _, command in ahead], forbidden)
    done = [entry for entry in entries if entry.status is PlanStatus.DONE]
    situation = situation_of(view, entries)
    if done and _is_time_for_critic(mind, done, habit is None) and await _is_done(mind, step, view, situation, done, habit is None, now):
        return None
    few = mind.settings.uses("fuller_calls")
    usual = None if habit is None else habit.wanted if few else habit.first
    offered = await _offer(mind, view, step.text, usual, forbidden, few)
    if not offered:
        return None
    texts = [command.text for command in offered]
    answer = await ask(
        mind, "command", one(NextCommand, command=Choice(tuple(texts))), lambda: NextCommand(texts[0]), now,
        max_tokens=24, activity=step.text,
        posture=situation.posture, hands=situation.hands, done=situation.done, forbidden=situation.forbidden,
        offered=texts, things=things_of(view, offered, done),
    )  # fmt: skip
    command = from_text(answer.value.command) or offered[0]
    if habit is not None and command == usual:
        mind.drop(entry for entry, _ in ahead[: habit.index])
        ahead = ahead[habit.index :]
    first = household_view.first_for(view, command, forbidden)
    if first is None or first == command:
        return chosen_from(step, command, ahead, answer.source, view)
    chosen = PlannedCommand(CommandRole.CHOSEN)
    if not ahead or not same(command, ahead[0][1], view):
        ahead = [(mind.add_steps([entry_for(mind, step, command, view, answer.source, chosen)])[0], command), *ahead]
    else:
        ahead = [(mind.update_step(entry_as(ahead[0][0], command, view, chosen)), command), *ahead[1:]]
    return chosen_from(step, first, ahead, answer.source, view)


async def _is_done(
    mind: Mind, step: PlanStep, view: View, situation: Situation, done: Sequence[PlanStep], habit_is_over: bool, now: GameTime
) -> bool:
    """Asks the critic whether the activity is done."""
    verdict = await ask(
        mind, "critic", one(CriticVerdict), lambda: mind.instinct.critic(is_done=habit_is_over), now,
        max_tokens=48, activity=step.text, posture=situation.posture, hands=situation.hands, done=situation.done,
        forbidden=situation.forbidden, things=things_of(view, [], done),
    )  # fmt: skip
    return verdict.value.done == YES


def _is_time_for_critic(mind: Mind, done: Sequence[PlanStep], habit_is_over: bool) -> bool:
    """Returns whether to ask the critic now.

    It is asked after each command, as in AGA. With `fuller_calls` it is asked only after a command that may end the activity.
    """
    if not mind.settings.uses("fuller_calls"):
        return True
    last = command_of(done[-1])
    return habit_is_over or len(done) % CRITIC_EVERY == 0 or (last is not None and VERBS[last.verb].lasts)


async def _offer(mind: Mind, view: View, activity: str, habit: Command | None, forbidden: dict[str, str], few: bool) -> list[Command]:
    """Returns the commands that the mind believes possible, ranked by meaning, by shared words and by what is at hand.

    With `few` it includes commands that need only walking, opening or standing up first.
    """
    found = household_view.within_reach(view, forbidden) if few else list(rules.possible(view.home, view.npc, view.at))
    found = [command for command in found if command.text not in forbidden]
    things = list(view.home.things.values())
    relevance = await mind.places.relevance([thing.address for thing in things], activity)
    suits = {thing.id: float(value) for thing, value in zip(things, relevance, strict=True)}
    wanted = stems_of(activity)

    def score(command: Command) -> float:
        suited = suits[command.what] + (suits.get(command.target, 0.0) / 2)
        at_hand = all(view.home.near(view.npc, view.at, name) for name in (command.what, command.target) if name)
        near = 0.3 if command.verb != WALK and at_hand else 0.0
        return suited + near + 0.25 * len(wanted & stems_of(household_view.phrase(view, command)))

    best = _varied(sorted(found, key=score, reverse=True))
    if habit is not None:
        best = [habit, *(command for command in best if command != habit)]
    return best[: mind.settings.commands_offered]


@dataclass(frozen=True)
class Situation:
    """What the prompts for the next command, for the list and for the critic show of the situation."""

    done: list[str]
    forbidden: list[str]
    posture: str
    hands: str


def _varied(commands: Sequence[Command]) -> list[Command]:
    """Returns the commands with only a few places for each thing that can be put somewhere. Otherwise they would fill the list."""
    puts: Counter[str] = Counter()
    kept: list[Command] = []
    for command in commands:
        puts[command.what] += bool(command.target)
        if not command.target or puts[command.what] <= PLACES_OFFERED:
            kept.append(command)
    return kept


def situation_of(view: View, entries: Sequence[PlanStep]) -> Situation:
    done = [entry.text for entry in entries if entry.status is PlanStatus.DONE]
    forbidden = [f"{text}, because {why}" for text, why in forbidden_of(entries).items()]
    return Situation(done[::-1][:DONE_TOLD], forbidden, household_view.posture(view), household_view.hands(view))


def things_of(view: View, offered: Sequence[Command], done: Sequence[PlanStep]) -> list[str]:
    """Returns what the mind knows of the things in question. The things used last come first."""
    used = [command for entry in reversed(done) if (command := command_of(entry)) is not None]
    names = dict.fromkeys(name for command in [*used, *offered] for name in (command.what, command.target) if name in view.home.things)
    return [household_view.line(view.home.things[name], view.npc) for name in list(names)[:THINGS_TOLD]]
