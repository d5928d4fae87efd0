"""Computes what a mind believes about its household, and what it would do next by habit. Nothing here changes a mind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import believed
from npc_server.records import Address, GameTime, NpcId, PlanStep
from npc_server.world import household_rules as rules
from npc_server.world.household import (
    PUT_ON,
    SLEEP,
    STAND_UP,
    TWO_THINGS,
    VERBS,
    WALK,
    Command,
    Home,
    Thing,
    is_home,
    is_thing,
)
from npc_server.world.tree import NodeKind

BY_ITSELF = frozenset((WALK, STAND_UP, "open"))
"""Commands that `fuller_calls` adds without a question, because they follow from the wanted command."""
DEEP = 8
"""The most commands (stand up, walk, open …) that may be needed before a wanted one."""
RESERVE_S = 20
"""Game seconds at the end of an activity in which no command begins. They are kept for noticing that the activity is done."""
QUICK_S = 20
"""About how many game seconds a command takes that does not last, with the way to its thing."""


@dataclass(frozen=True)
class View:
    """The household as an NPC believes it to be, and the place where the NPC is."""

    home: Home
    npc: NpcId
    at: str
    """The id of the thing at which the NPC stands, or an empty string when it stands at none."""

    def refusal(self, command: Command) -> rules.Refusal | None:
        return rules.refusal(self.home, self.npc, self.at, command)

    def thing(self, name: str) -> Thing | None:
        return self.home.things.get(name)


def view_of(mind: Mind, here: Address) -> View:
    """Returns the household with the states that the mind last saw. Things the mind does not know are left out."""
    nodes = [node for node in mind.world if node.address in mind.knowledge and is_thing(node)]
    home = Home(nodes, lambda node: believed(mind, node))
    name = here.rpartition(":")[2]
    return View(home, mind.npc, name if name in home.things and home.things[name].address == here else "")


def lives_here(mind: Mind, address: Address, here: Address) -> bool:
    """Returns whether an activity takes place in a household. One without a place does when all of the town is a household."""
    if address:
        return is_home(mind.world, address)
    sectors = [node for node in mind.world if node.kind is NodeKind.SECTOR]
    return is_home(mind.world, here) and all(is_home(mind.world, sector.address) for sector in sectors)


# ---- Habits


def guess(view: View, activity: str, where: Address) -> list[Command]:
    """Guesses a command for an activity without a habit, from the things and verbs that its words name. Returns at most one command."""
    wanted = stems_of(activity) - _SAYS_LITTLE
    best: tuple[float, Command] | None = None
    for thing in view.home.things.values():
        called = stems_of(f"{thing.name} {thing.id.replace('_', ' ')}")
        near = (0.5 if thing.address == where else 0.0) + (0.25 if view.home.near(view.npc, view.at, thing.id) else 0.0)
        for verb in VERBS.values():
            if verb.name == SLEEP or not (verb.lasts or verb.name == "sit on") or verb.name not in thing.verbs:
                continue
            score = 2.0 * len(wanted & stems_of(verb.name)) + len(wanted & called) + near
            if score >= 1.0 and (best is None or score > best[0]):
                best = (score, Command(verb.name, thing.id))
    return [best[1]] if best is not None else []


_SAYS_LITTLE = stems_of("about this that think")


@dataclass(frozen=True)
class Habit:
    """The next command by habit."""

    index: int
    """The place of the wanted command in the list."""
    wanted: Command
    """The wanted command, maybe with another thing of the same name: any clean mug will do."""
    first: Command
    """The command to do now: the wanted one, or one that has to come before it."""


def next_by_habit(view: View, wanted: Sequence[Command], forbidden: Collection[str]) -> Habit | None:
    """Returns the first wanted command that is not done yet and is possible; None when there is none."""
    for i, command in enumerate(wanted):
        for candidate in _alike(view, command):
            found = first_for(view, candidate, forbidden)
            if found is not None:
                return Habit(i, candidate, found)
            refused = view.refusal(candidate)
            if refused is not None and refused.already:
                break
    return None


def first_for(view: View, command: Command, forbidden: Collection[str], deep: int = DEEP) -> Command | None:
    """Returns the command when it is possible, or else the one that helps first; None when none helps."""
    if command.text in forbidden or deep == 0:
        return None
    refused = view.refusal(command)
    if refused is None:
        return command
    return first_for(view, refused.remedy, forbidden, deep - 1) if refused.remedy is not None else None


def rehearsed(view: View, wanted: Sequence[Command], forbidden: Collection[str], most: int = 1000) -> list[Command]:
    """Returns the wanted commands that the mind believes it could do, one after the other.

    A command may name another thing of the same name. Commands that are impossible, or change nothing, are left out.
    """
    now, found = view, list[Command]()
    for command in wanted:
        if len(found) == most:
            break
        habit = next_by_habit(now, [command], forbidden)
        after = _after(now, habit.wanted, forbidden) if habit is not None else None
        if habit is not None and after is not None:
            now = after
            found.append(habit.wanted)
    return found


def _after(view: View, wanted: Command, forbidden: Collection[str]) -> View | None:
    """Returns the household after a command and all that it needs first; None when one of these is impossible."""
    home = view.home.copy()
    now = replace(view, home=home)
    for _ in range(DEEP):
        first = first_for(now, wanted, forbidden)
        if first is None:
            return None
        rules.apply(home, now.npc, first)
        if first.verb == WALK:
            goal = home.anchor(first.what)
            now = replace(now, at=goal.id if goal is not None else first.what)
        if first == wanted:
            return now
    return None


def within_reach(view: View, forbidden: Collection[str]) -> list[Command]:
    """Returns the commands that are possible now, or after walking, opening or standing up."""
    found: list[Command] = []
    held = view.home.held(view.npc)
    for thing in view.home.things.values():
        for verb in thing.verbs:
            if verb in BY_ITSELF:
                continue
            targets = [other.id for other in view.home.things.values()] if verb in TWO_THINGS and thing in held else [""]
            commands = [Command(verb, thing.id, target) for target in targets if target or verb not in TWO_THINGS]
            found += [it for it in commands if _comes_by_itself(view, it, forbidden)]
    return found


def _comes_by_itself(view: View, command: Command, forbidden: Collection[str]) -> bool:
    """Returns whether only walking, opening or standing up has to come first."""
    if command.text in forbidden:
        return False
    refused = view.refusal(command)
    return refused is None or (refused.remedy is not None and refused.remedy.verb in BY_ITSELF and refused.remedy.text not in forbidden)


def _alike(view: View, command: Command) -> Iterator[Command]:
    """Yields the command, then the command with each other thing of the same name. A thing in the hands comes before all."""
    thing = view.thing(command.what)
    others = [other for other in view.home.things.values() if thing is not None and other.name == thing.name and other.id != thing.id]
    held = [other for other in others if other.state.how == "held by" and other.state.where == view.npc]
    mine = thing is not None and thing.state.how in ("held by", "worn by") and thing.state.where == view.npc
    fixed = thing is not None and "grabbable" not in thing.properties
    if held and not mine:
        yield from (replace(command, what=other.id) for other in held)
    yield command
    # Another cup will do wherever it is. Another seat, which cannot be carried, will do only in the same room.
    if not fixed or command.verb in ("sit on", WALK):
        room = thing.address.rpartition(":")[0] if thing is not None else ""
        yield from (
            replace(command, what=other.id) for other in others if other not in held and (not fixed or other.address.startswith(room + ":"))
        )
    target = view.thing(command.target)
    if target is not None and "grabbable" in target.properties:
        yield from (
            replace(command, target=other.id) for other in view.home.things.values() if other.name == target.name and other.id != target.id
        )


def put_down(view: View, wanted: Sequence[Command]) -> list[Command]:
    """Returns the commands that put down what the NPC holds and the wanted commands do not use. There must be a surface at hand."""
    used = {name for command in wanted for name in (command.what, command.target)}
    surfaces = [
        thing
        for thing in view.home.things.values()
        if "surface" in thing.properties and "grabbable" not in thing.properties and view.home.near(view.npc, view.at, thing.id)
    ]
    held = [thing for thing in view.home.held(view.npc) if thing.id not in used]
    return [Command(PUT_ON, thing.id, surfaces[0].id) for thing in held] if surfaces else []


# ---- Time


def lengths(minutes: Sequence[int], whole: int) -> list[int]:
    """Returns the game seconds of each command of a policy when the activity has `whole` minutes.

    The longest command gets 0 and takes the time that is left. All get 0 when they do not fit.
    """
    longest = max(minutes, default=0)
    if sum(minutes) > whole:
        return [0] * len(minutes)
    return [0 if it == longest else it * clock.MINUTE for it in minutes]


def seconds(command: Command, step: PlanStep, now: GameTime, planned: int, to_come: Sequence[tuple[Command, int]], known: bool) -> int:
    """Returns how many game seconds a command lasts. `planned` and the numbers in `to_come` are seconds, or 0 where they are open.

    A lasting command shares the time that is left with the lasting commands after it, when `known` says that all are known.
    """
    verb = VERBS[command.verb]
    left = step.end - now
    if command.verb in (SLEEP, WALK):  # The game says when the NPC has arrived or wakes.
        return max(1, left)
    left -= RESERVE_S
    if planned or not verb.lasts or not known:
        return max(1, min(planned or verb.seconds, left))
    fixed = sum(length or (0 if VERBS[other.verb].lasts else QUICK_S) for other, length in to_come)
    lasting = sum(VERBS[other.verb].seconds for other, length in to_come if VERBS[other.verb].lasts and not length)
    return max(1, (left - fixed) * verb.seconds // (verb.seconds + lasting)) if left > fixed else max(1, min(60, left))


# ---- Words


def posture(view: View) -> str:
    """Returns words such as `standing at the stove` or `sitting on the sofa`."""
    seat = view.home.seat(view.npc)
    if seat is not None:
        return f"{'lying' if 'lieable' in seat.properties else 'sitting'} on {seat.id}"
    return f"standing at {view.at}" if view.at else "standing"


def hands(view: View) -> str:
    return " and ".join(thing.id for thing in view.home.held(view.npc)) or "nothing"


def line(thing: Thing, npc: NpcId) -> str:
    """Returns a line such as `mug_1 is clean, empty, in the wall cupboard`."""
    mine = thing.state.how == "held by" and thing.state.where == npc
    state = thing.write().replace(f"held by {npc}", "in your hand") if mine else thing.write()
    return f"{thing.id} is {state}"


def phrase(view: View, command: Command) -> str:
    """Returns the command as part of a sentence: `put the mug on the dining table`."""
    what, target = view.thing(command.what), view.thing(command.target)
    verb = VERBS[command.verb]
    return (verb.said or verb.text).format(
        what=what.called if what is not None else command.what, target=target.called if target is not None else command.target
    )


def used(view: View, command: Command) -> list[Thing]:
    return [thing for name in (command.what, command.target) if (thing := view.thing(name)) is not None]


def involved(view: View, command: Command) -> list[Thing]:
    """Returns the things that a command names, those that hold them, and those in the NPC's hands."""
    names = [name for name in (command.what, command.target) if name in view.home.things]
    found = [view.home.things[name] for name in names]
    for name in names:
        found += view.home.around(name)
    return list(dict.fromkeys([*found, *view.home.held(view.npc)]))
