"""The rules of a household: whether a command is possible, why not, what would help, and how it changes the things.

The game uses them on the real states, and a mind on those that it believes in. So the environment checks each command, as in Affordable
Generative Agents. Only `apply` and `leave_seat` change the `Home` that they get.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from npc_server.records import NpcId
from npc_server.world.household import (
    GONE,
    GRAB,
    POUR,
    PUT_IN,
    PUT_ON,
    SLEEP,
    STAND_UP,
    TWO_THINGS,
    VERBS,
    WALK,
    Command,
    Home,
    State,
    Thing,
)

HANDS = 2
"""How many things a person can hold."""
EATEN = State((GONE,))
"""The state of what was eaten or used up."""
WITHOUT_HOLDING = (WALK, STAND_UP, "eat", "cook", "open", "close", "switch on", "switch off")
"""Commands on a grabbable thing for which it can stay where it lies."""


@dataclass(frozen=True)
class Refusal:
    """Why a command is not possible now, and a command that would help, if there is one."""

    reason: str
    remedy: Command | None = None
    already: bool = False
    """Whether nothing has to be done, since the result is already there."""


def refusal(home: Home, npc: NpcId, at: str, command: Command) -> Refusal | None:
    """Why `npc` cannot do a command now, or None if it is possible. `at` is the thing at which `npc` stands, empty for none."""
    verb, thing = VERBS.get(command.verb), home.things.get(command.what)
    if verb is None or thing is None:
        return Refusal(f"there is no {command.what.replace('_', ' ')}" if verb else f"nobody can {command.verb}")
    if command.verb != WALK and command.verb not in thing.verbs:
        return Refusal(f"one cannot {command.verb} {thing.called}")
    return (
        _there(home, npc, thing)
        or _posture(home, npc, command, thing)
        or _already_done(command, thing)
        or _free_hand(home, npc, at, command, thing)
        or _at_hand(home, npc, at, command, thing)
        or _in_hand(home, npc, command, thing)
        or (_second_thing(home, npc, at, command, thing) if command.verb in TWO_THINGS else None)
        or _rule(home, npc, at, command, thing)
    )


def possible(home: Home, npc: NpcId, at: str) -> Iterator[Command]:
    """Every command that `npc` can do now, in the order of the things."""
    held = home.held(npc)
    for thing in home.things.values():
        for verb in (WALK, *thing.verbs):
            if verb in TWO_THINGS:
                targets = home.things.values() if thing in held else ()
                commands = [Command(verb, thing.id, target.id) for target in targets]
            else:
                commands = [Command(verb, thing.id)]
            yield from (command for command in commands if refusal(home, npc, at, command) is None)


# ---- conditions of every command


def _there(home: Home, npc: NpcId, thing: Thing) -> Refusal | None:
    """The thing must still exist, and nobody else may hold it."""
    if is_gone(thing):
        return Refusal(f"{thing.called} is gone")
    if home.holder(thing.id) not in ("", npc):
        return Refusal(f"somebody else has {thing.called}")
    return None


def _posture(home: Home, npc: NpcId, command: Command, thing: Thing) -> Refusal | None:
    """The person must sit, lie or stand as the command needs it."""
    seat = home.seat(npc)
    if command.verb == STAND_UP:
        return None if seat is not None and seat.id == thing.id else Refusal(f"one does not sit or lie on {thing.called}", already=True)
    if VERBS[command.verb].standing and seat is not None:
        if seat.id == thing.id and command.verb in ("sit on", "lie on"):
            return Refusal(f"one is on {thing.called} already", already=True)
        return Refusal("one has to stand up first", Command(STAND_UP, seat.id))
    return None


def _at_hand(home: Home, npc: NpcId, at: str, command: Command, thing: Thing) -> Refusal | None:
    """The thing must be near, and not in a closed container."""
    if command.verb == STAND_UP:
        return None
    near = home.near(npc, at, thing.id)
    if command.verb == WALK:
        return Refusal(f"{thing.called} is at hand already", already=True) if near else None
    if not near:
        return Refusal(f"{thing.called} is not at hand", Command(WALK, thing.id))
    shut = home.shut_in(thing.id)
    return Refusal(f"{shut.called} is closed", Command("open", shut.id)) if shut is not None else None


def _already_done(command: Command, thing: Thing) -> Refusal | None:
    """The result must not be there already. This comes before nearness, so that nobody walks there for nothing."""
    how = {PUT_ON: "on", PUT_IN: "in"}.get(command.verb)
    if how is not None and (thing.state.how, thing.state.where) == (how, command.target):
        return Refusal(f"{thing.called} is there already", already=True)
    if command.verb == "take off" and thing.state.how != "worn by":
        return Refusal(f"one does not wear {thing.called}", already=True)
    wanted = _FACET.get(command.verb, ("", ""))[1]
    return Refusal(f"{thing.called} is {wanted} already", already=True) if wanted in thing.state.facets else None


def _free_hand(home: Home, npc: NpcId, at: str, command: Command, thing: Thing) -> Refusal | None:
    """A hand must be free. This comes before nearness, so that somebody with full hands first puts something down here."""
    if command.verb == GRAB and thing in home.held(npc):
        return Refusal(f"{thing.called} is in the hand already", already=True)
    if VERBS[command.verb].free_hand and len(home.held(npc)) >= HANDS:
        return Refusal("both hands are full", _put_away(home, npc, at))
    return None


def _in_hand(home: Home, npc: NpcId, command: Command, thing: Thing) -> Refusal | None:
    """A grabbable thing must be in the hand, except for the commands in `WITHOUT_HOLDING`."""
    worn = thing.state.how == "worn by"
    if command.verb == "take off":
        return None
    if worn and command.verb not in WITHOUT_HOLDING:
        wearing = command.verb == "wear"
        return Refusal(f"one wears {thing.called}", None if wearing else Command("take off", thing.id), wearing)
    if command.verb == GRAB or command.verb in WITHOUT_HOLDING or "grabbable" not in thing.properties or thing in home.held(npc):
        return None
    return Refusal(f"{thing.called} is not in the hand", Command(GRAB, thing.id))


def _put_away(home: Home, npc: NpcId, at: str) -> Command | None:
    """The command that puts down a held thing, on a near surface if there is one. None if there is no surface."""
    thing = home.held(npc)[0]
    surfaces = [s for s in home.things.values() if "surface" in s.properties and home.holder(s.id) == "" and not is_gone(s)]
    fixed = [s for s in surfaces if "grabbable" not in s.properties] or surfaces
    best = next((s for s in fixed if home.near(npc, at, s.id)), fixed[0] if fixed else None)
    return Command(PUT_ON, thing.id, best.id) if best is not None else None


def _second_thing(home: Home, npc: NpcId, at: str, command: Command, thing: Thing) -> Refusal | None:
    """Conditions of the second thing, which something is put on, put in or poured into."""
    target = home.things.get(command.target)
    if target is None:
        return Refusal(f"there is no {command.target.replace('_', ' ')}")
    wanted = {PUT_ON: "surface", PUT_IN: "container", POUR: "fillable"}[command.verb]
    if wanted not in target.properties or target.id == thing.id:
        return Refusal(f"one cannot {VERBS[command.verb].text.format(what=thing.called, target=target.called)}")
    if thing in home.around(target.id):
        return Refusal(f"{target.called} is itself on or in {thing.called}")
    problem = _there(home, npc, target)
    if problem is not None:
        return problem
    if not home.near(npc, at, target.id):
        seat = home.seat(npc)
        walk = Command(STAND_UP, seat.id) if seat is not None else Command(WALK, target.id)
        return Refusal(f"{target.called} is not at hand", walk)
    shut = home.shut_in(target.id) or (target if command.verb == PUT_IN and "closed" in target.state.facets else None)
    if shut is not None:
        return Refusal(f"{shut.called} is closed", Command("open", shut.id))
    return None


# ---- conditions of each verb


def _rule(home: Home, npc: NpcId, at: str, command: Command, thing: Thing) -> Refusal | None:
    """The condition of one verb."""
    verb, facets = command.verb, thing.state.facets
    if verb == "open":
        return Refusal(f"{thing.called} is on", Command("switch off", thing.id)) if "on" in facets else None
    if verb == "switch on":
        return Refusal(f"{thing.called} is open", Command("close", thing.id)) if "open" in facets else None
    if verb in ("sit on", "lie on"):
        return Refusal(f"{thing.called} is taken") if len(thing.state.people) >= thing.seats else None
    if verb == SLEEP:
        return None if npc in thing.state.people else Refusal(f"one does not lie on {thing.called}", Command("lie on", thing.id))
    if verb == "make":
        return Refusal(f"somebody is on {thing.called}") if thing.state.people else None
    if verb in ("read", "watch", "use", "wash at"):
        return Refusal(f"{thing.called} is off", Command("switch on", thing.id)) if "off" in facets else None
    if verb == "eat":
        return Refusal(f"{thing.called} is raw", Command("cook", thing.id)) if "raw" in facets else None
    if verb == "drink":
        return _full(thing)
    if verb == "cook":
        return _cook(home, thing)
    if verb == "wash":
        return _wash(home, npc, at, thing)
    if verb == "fill":
        return _fresh(thing) or _running_water(home, npc, at)
    if verb == POUR:
        return _full(thing) or _fresh(home.things[command.target])
    return None


def _full(thing: Thing) -> Refusal | None:
    """Why nothing can be poured or drunk from a thing."""
    if "empty" not in thing.state.facets:
        return None
    return Refusal(f"{thing.called} is empty", None if "dirty" in thing.state.facets else Command("fill", thing.id))


def _fresh(thing: Thing) -> Refusal | None:
    """Why nothing can be poured into a thing."""
    if "full" in thing.state.facets:
        return Refusal(f"{thing.called} is full", already=True)
    return Refusal(f"{thing.called} is dirty", Command("wash", thing.id)) if "dirty" in thing.state.facets else None


def _cook(home: Home, thing: Thing) -> Refusal | None:
    """Food must be on something that heats and is switched on."""
    heater = next((around for around in home.around(thing.id) if "heats" in around.properties), None)
    if heater is None:
        return Refusal(f"{thing.called} is not on anything hot")
    return Refusal(f"{heater.called} is off", Command("switch on", heater.id)) if "off" in heater.state.facets else None


def _wash(home: Home, npc: NpcId, at: str, thing: Thing) -> Refusal | None:
    """A thing that can be carried needs running water, and any other a cloth in the hand."""
    if "grabbable" in thing.properties:
        return _running_water(home, npc, at)
    if any("cloth" in held.properties for held in home.held(npc)):
        return None
    cloth = next((other for other in home.things.values() if "cloth" in other.properties and home.holder(other.id) == ""), None)
    return Refusal("one has no cloth in the hand", Command(GRAB, cloth.id) if cloth is not None else None)


def _running_water(home: Home, npc: NpcId, at: str) -> Refusal | None:
    """Running water must be near."""
    # A basin is also a container and a shower is not, so dishes go to a basin. The town file's order decides which is the first.
    sources = [thing for thing in home.things.values() if {"water", "container"} <= thing.properties]
    near = [thing for thing in sources if home.near(npc, at, thing.id)]
    if not near:
        return Refusal("there is no water at hand", Command(WALK, sources[0].id) if sources else None)
    if any("off" not in thing.state.facets for thing in near):
        return None
    return Refusal(f"{near[0].called} is off", Command("switch on", near[0].id))


# ---- effects


def apply(home: Home, npc: NpcId, command: Command, fresh: Mapping[str, State] | None = None) -> list[Thing]:
    """Does a possible command and returns the things whose states changed. `fresh` holds the states of things that never run out, by id."""
    before = dict(home.things)
    _do(home, npc, command, home.things[command.what], fresh or {})
    return [thing for name, thing in home.things.items() if thing.state != before[name].state]


_FACET = {
    # The facet that a verb changes: before and after.
    "open": ("closed", "open"),
    "close": ("open", "closed"),
    "switch on": ("off", "on"),
    "switch off": ("on", "off"),
    "wash": ("dirty", "clean"),
    "fill": ("empty", "full"),
    "make": ("unmade", "made"),
    "cook": ("raw", "cooked"),
}


def _do(home: Home, npc: NpcId, command: Command, thing: Thing, fresh: Mapping[str, State]) -> None:
    verb, state = command.verb, thing.state
    if verb in _FACET:
        home.change(thing.id, state.but(*_FACET[verb]))
    if verb in (GRAB, "take off"):
        home.change(thing.id, replace(state, how="held by", where=npc))
    elif verb == "wear":
        home.change(thing.id, replace(state, how="worn by", where=npc))
    elif verb in (PUT_ON, PUT_IN):
        home.change(thing.id, replace(state, how="on" if verb == PUT_ON else "in", where=command.target))
    elif verb in ("sit on", "lie on"):
        made = state.but("made", "unmade") if verb == "lie on" else state
        home.change(thing.id, replace(made, people=(*state.people, npc)))
    elif verb == STAND_UP:
        home.change(thing.id, replace(state, people=tuple(who for who in state.people if who != npc)))
    elif verb == POUR:
        target = home.things[command.target]
        home.change(target.id, target.state.but("empty", "full"))
        if thing.id not in fresh:
            home.change(thing.id, state.but("full", "empty"))
    elif verb == "drink" and thing.id not in fresh:
        home.change(thing.id, state.but("full", "empty").but("clean", "dirty") if "fillable" in thing.properties else EATEN)
    elif verb == "eat":
        _soil(home, [*home.held(npc), *home.around(thing.id)])
        home.change(thing.id, fresh.get(thing.id, EATEN))
    elif verb == "cook":
        _soil(home, home.around(thing.id))
    elif verb == "switch off" and "washes" in thing.properties:
        for inside in list(home.things.values()):
            if any(around.id == thing.id for around in home.around(inside.id)):
                home.change(inside.id, inside.state.but("dirty", "clean"))


def _soil(home: Home, things: list[Thing]) -> None:
    """Makes the washable things dirty: plate, fork, pot, table."""
    for thing in things:
        if "washable" in thing.properties:
            home.change(thing.id, home.things[thing.id].state.but("clean", "dirty"))


def leave_seat(home: Home, npc: NpcId) -> list[Thing]:
    """Lets somebody stand up from where they sit or lie. Returns the things whose states changed."""
    seat = home.seat(npc)
    return apply(home, npc, Command(STAND_UP, seat.id)) if seat is not None else []


def is_gone(thing: Thing) -> bool:
    """Whether a thing was eaten or used up."""
    return GONE in thing.state.facets
