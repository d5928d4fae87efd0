"""Keeps a finished activity as a Lifestyle Policy that repeats it, and updates what the mind knows of the things (AGA, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.affordable import household_view, lifestyle_policy
from npc_server.affordable.commands_plan import command_of, is_by_policy, policy_of
from npc_server.mind.mind import Mind
from npc_server.records import Address, GameTime, PlanStatus, PlanStep, PolicyStep, Source
from npc_server.world.household import GRAB, POUR, PUT_IN, PUT_ON, STAND_UP, VERBS, WALK, Command, is_thing, read, write

HELPING = frozenset((WALK, STAND_UP, "open", "close", "switch on", "switch off"))
"""Commands that only prepare others. The state in which they find a thing is no condition of a policy."""


async def keep(mind: Mind, step: PlanStep, entries: Sequence[PlanStep], now: GameTime) -> None:
    """Makes a Lifestyle Policy of a finished activity. If a policy was behind the activity, notes that the policy worked."""
    done = [entry for entry in entries if entry.status is PlanStatus.DONE and command_of(entry) is not None]
    if is_by_policy(entries):
        lifestyle_policy.worked(mind, policy_of(done), now)
    elif any(entry.source is Source.MODEL for entry in done):
        steps = [PolicyStep(_minutes(entry), entry.text, entry.address, entry.does, "", "") for entry in done]
        minutes = max(1, (step.end - step.start) // clock.MINUTE)
        await lifestyle_policy.remember(mind, step.text, minutes, _needs(mind, done), steps, now)


def _minutes(entry: PlanStep) -> int:
    command = command_of(entry)
    lasting = command is not None and VERBS[command.verb].lasts
    return max(1, (entry.end - entry.start) // clock.MINUTE) if lasting else 0


MOVES = frozenset((GRAB, PUT_ON, PUT_IN))


def _needs(mind: Mind, done: Sequence[PlanStep]) -> list[tuple[Address, str]]:
    """Returns the things that were used, each with the state it had before its first command. Helping commands do not count.

    For a thing that was only carried, only its place is kept: a pot that is put away may have been clean or dirty.
    """
    home = {node.address.rpartition(":")[2]: node.address for node in mind.world if node.address in mind.knowledge and is_thing(node)}
    commands = [command for entry in done if (command := command_of(entry)) is not None]
    more = {name for it in commands for name in ((it.target,) if it.verb in MOVES | {WALK} else (it.what, it.target))}
    found: dict[Address, str] = {}
    changed: set[str] = set()
    for entry in done:
        command = command_of(entry)
        for name, state in entry.command.states if entry.command is not None else ():
            if command is None or name not in home:
                continue
            if name == command.target and command.verb != POUR:
                found.setdefault(home[name], "")  # The table on which something is put may be clean or dirty.
            elif command.verb not in HELPING and name not in changed:
                found.setdefault(home[name], state if name in more else _place(state))
            if command.verb != WALK:
                changed.add(name)
    return sorted(found.items())


def _place(state: str) -> str:
    """Returns `in the dishwasher` for `clean, in the dishwasher`."""
    return write(replace(read(state), facets=(), people=()), seat=False)


# ---- What the mind sees


def learn_of_last(mind: Mind, here: Address, now: GameTime) -> None:
    """Updates the states of the things of the last command, because the NPC sees the result of what it does."""
    done = [step for step in mind.plan.steps if step.status is PlanStatus.DONE and (step.does or step.command) and step.start <= now]
    last = max(done, key=lambda step: (step.start, step.id), default=None)
    command = command_of(last) if last is not None else None
    if command is not None:
        learn(mind, command, here, now)


def learn(mind: Mind, command: Command, here: Address, now: GameTime) -> None:
    """Takes over the true states of the things of a command, and of the things that hold them."""
    view = household_view.view_of(mind, here)
    for thing in household_view.involved(view, command):
        mind.see(thing.address, now)
