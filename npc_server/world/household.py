"""A household: things with properties, the atomic commands on them, and their states as text (Affordable Generative Agents, VirtualHome).

A thing's properties give it commands, and `household_rules` holds their rules. A thing's state is one readable text, such as
`dirty, full, held by nora` or `free, at the dining table`. So only addresses and states go over the wire. The game applies the rules
to the real states, and a mind applies the same rules to the states that it believes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from npc_server.records import Address, Need, NpcId
from npc_server.world.tree import Node, NodeKind, ObjectAction, World

WALK, GRAB, SLEEP, STAND_UP = "walk to", "grab", "sleep", "stand up"
PUT_ON, PUT_IN, POUR = "put on", "put in", "pour into"


@dataclass(frozen=True)
class Verb:
    """One kind of command."""

    name: str
    text: str
    """The command as text. `{what}` is the thing's id, and `{target}` the id of the second thing."""
    seconds: int
    """Game seconds it takes. If it lasts, this is only the usual time."""
    lasts: bool = False
    """Whether it continues as long as there is time, like reading or sleeping."""
    standing: bool = False
    """Whether the person must stand, not sit or lie."""
    free_hand: bool = False
    """Whether the person needs a free hand."""
    said: str = ""
    """How people say it, if they use other words. It has the same form as `text`."""
    fills: tuple[tuple[Need, float], ...] = ()
    """The needs that it fills, each with its points per game hour."""


def _verbs() -> dict[str, Verb]:
    found = (
        Verb(WALK, "walk to {what}", 10, standing=True),
        Verb(GRAB, "grab {what}", 5, free_hand=True, said="take {what}"),
        Verb(PUT_ON, "put {what} on {target}", 5),
        Verb(PUT_IN, "put {what} in {target}", 5),
        Verb("open", "open {what}", 5),
        Verb("close", "close {what}", 5),
        Verb("switch on", "switch on {what}", 5, said="turn on {what}"),
        Verb("switch off", "switch off {what}", 5, said="turn off {what}"),
        Verb("sit on", "sit on {what}", 5, standing=True),
        Verb("lie on", "lie on {what}", 10, standing=True, said="lie down on {what}"),
        Verb(SLEEP, "sleep on {what}", 480 * 60, lasts=True, said="sleep in {what}", fills=((Need.REST, 2.0),)),
        Verb(STAND_UP, "stand up from {what}", 5),
        Verb("drink", "drink from {what}", 5 * 60, lasts=True, fills=((Need.FOOD, 2.0),)),
        Verb("eat", "eat {what}", 12 * 60, lasts=True, fills=((Need.FOOD, 25.0),)),
        Verb("read", "read {what}", 25 * 60, lasts=True, fills=((Need.FUN, 3.0),)),
        Verb("watch", "watch {what}", 30 * 60, lasts=True, fills=((Need.FUN, 3.0),)),
        Verb("use", "use {what}", 10 * 60, lasts=True),
        Verb("cook", "cook {what}", 12 * 60, lasts=True, standing=True),
        Verb("wash", "wash {what}", 90, standing=True),
        Verb("wash at", "wash at {what}", 5 * 60, lasts=True, standing=True, fills=((Need.HEALTH, 6.0),)),
        Verb("fill", "fill {what}", 15, standing=True),
        Verb(POUR, "pour {what} into {target}", 10, said="pour from {what} into {target}"),
        Verb("wear", "wear {what}", 60, standing=True, said="put on {what}"),
        Verb("take off", "take off {what}", 60, standing=True, free_hand=True),
        Verb("make", "make {what}", 2 * 60, standing=True),
    )
    return {verb.name: verb for verb in found}


VERBS: Mapping[str, Verb] = _verbs()
"""Every kind of command, by name."""
TWO_THINGS = (PUT_ON, PUT_IN, POUR)
"""Commands that need a second thing."""

PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "grabbable": (GRAB, PUT_ON, PUT_IN),
    "openable": ("open", "close"),
    "switchable": ("switch on", "switch off"),
    "sittable": ("sit on", STAND_UP),
    "lieable": ("lie on", SLEEP, STAND_UP),
    "surface": ("put things on",),
    "container": ("put things in",),
    "drinkable": ("drink",),
    "edible": ("eat",),
    "readable": ("read",),
    "watchable": ("watch",),
    "usable": ("use",),
    "washable": ("wash",),
    "wearable": ("wear", "take off"),
    "fillable": ("fill", POUR),
    "cookable": ("cook",),
    "makeable": ("make",),
    "water": ("wash at",),
    "heats": ("heat things",),
    "cloth": ("wipe with",),
    "washes": ("wash what is in it",),
    "plenty": (),
}
"""The properties that a thing can have, and the actions that each gives. What `surface`, `container`, `heats`, `cloth` and `washes` give
is no command of its own, but part of others. It is listed so that a mind knows of it."""

FACETS: Mapping[str, tuple[str, str]] = {
    "openable": ("closed", "open"),
    "switchable": ("off", "on"),
    "makeable": ("made", "unmade"),
    "washable": ("clean", "dirty"),
    "fillable": ("empty", "full"),
    "cookable": ("raw", "cooked"),
}
"""Properties with a pair of states. The first one holds at the start of play."""
FREE = "free"
GONE = "gone"
PLACES = ("in", "on", "at")
"""The ways in which a thing is placed with another: in the cupboard, on the table, at the table (as a chair)."""


def actions_of(properties: Iterable[str]) -> tuple[ObjectAction, ...]:
    """The actions that these properties give, each once. Walking to the thing comes first."""
    names = dict.fromkeys([WALK, *(name for given in properties for name in PROPERTIES[given])])
    return tuple(ObjectAction(name, fills=VERBS[name].fills if name in VERBS else ()) for name in names)


@lru_cache(maxsize=1024)
def properties_of(actions: tuple[ObjectAction, ...]) -> frozenset[str]:
    """The properties whose actions are all among these. Empty for an object that belongs to no household."""
    names = {action.name for action in actions}
    if WALK not in names:
        return frozenset()
    return frozenset(given for given, gives in PROPERTIES.items() if gives and set(gives) <= names)


@lru_cache(maxsize=1024)
def _verbs_of(properties: frozenset[str]) -> tuple[str, ...]:
    names = dict.fromkeys(name for given in sorted(properties) for name in PROPERTIES[given])
    return tuple(name for name in names if name in VERBS)


def is_thing(node: Node) -> bool:
    """Whether a node is a thing of a household, so that commands work on it."""
    return node.kind is NodeKind.OBJECT and bool(properties_of(node.actions))


def is_home(world: World, address: Address) -> bool:
    """Whether an address belongs to a household: it is a thing of one, or a place with such things in it."""
    if address not in world:
        return False
    node = world.node(address)
    return is_thing(node) or (node.kind is not NodeKind.OBJECT and any(is_thing(below) for below in world.below(address)))


# ---- states


@dataclass(frozen=True)
class State:
    """A thing's state, parsed from its text."""

    facets: tuple[str, ...] = ()
    """Words such as `dirty`, `open` or `on`."""
    people: tuple[NpcId, ...] = ()
    """The people who sit or lie on it."""
    how: str = ""
    """`in`, `on`, `at`, `held by` or `worn by`. Empty for a thing that stands in the room by itself."""
    where: str = ""
    """The id of the other thing, or of the person who holds or wears this one."""

    def but(self, old: str, new: str) -> State:
        """The state with the facet `new` in place of `old`."""
        return replace(self, facets=tuple(new if facet == old else facet for facet in self.facets))


def write(state: State, seat: bool) -> str:
    """The state as text. `seat` says that people can sit or lie on the thing."""
    parts = list(state.facets)
    if seat:
        parts.append("taken by " + " and ".join(state.people) if state.people else FREE)
    if state.how in PLACES:
        parts.append(f"{state.how} the {state.where.replace('_', ' ')}")
    elif state.how:
        parts.append(f"{state.how} {state.where}")
    return ", ".join(parts) or "there"


@lru_cache(maxsize=8192)
def read(text: str) -> State:
    """The opposite of `write`. Unknown words become facets, so that every text is a valid state."""
    state = State()
    for part in (part.strip() for part in text.split(",")):
        how, _, rest = part.partition(" ")
        if part in ("", FREE, "there"):
            continue
        if how in PLACES and rest.startswith("the "):
            state = replace(state, how=how, where=rest[4:].replace(" ", "_"))
        elif part.startswith(("held by ", "worn by ")):
            state = replace(state, how=part[:7], where=part[8:])
        elif part.startswith("taken by "):
            state = replace(state, people=tuple(part[9:].split(" and ")))
        else:
            state = replace(state, facets=(*state.facets, part))
    return state


def start_state(properties: Iterable[str], given: str = "", how: str = "", where: str = "") -> str:
    """The state of a thing at the start of play, as text.

    Each pair of states begins with its first one, unless `given` says otherwise, as in `dirty, open`. `how` and `where` place the thing.
    """
    kinds = tuple(properties)
    wanted = [word.strip() for word in given.split(",") if word.strip()]
    facets = tuple(next((word for word in wanted if word in FACETS[kind]), FACETS[kind][0]) for kind in FACETS if kind in kinds)
    return write(State(facets, (), how, where), seat="sittable" in kinds or "lieable" in kinds)


# ---- commands


@dataclass(frozen=True)
class Command:
    """One atomic command: a verb, the id of a thing, and the id of a second thing if the verb needs one."""

    verb: str
    what: str
    target: str = ""

    @property
    def text(self) -> str:
        """The command as minds read and write it: `put mug_1 on dining_table`."""
        return VERBS[self.verb].text.format(what=self.what, target=self.target)

    @property
    def does(self) -> str:
        """The command as it goes over the wire, beside the thing's address: `put on dining_table`."""
        return f"{self.verb} {self.target}".rstrip()


def from_wire(what: str, does: str) -> Command | None:
    """The command that `Action.object_action` names for the thing with this id, or None if it names none."""
    for verb in TWO_THINGS:
        if does.startswith(verb + " "):
            return Command(verb, what, does[len(verb) + 1 :])
    return Command(does, what) if does in VERBS and does not in TWO_THINGS else None


def from_text(text: str) -> Command | None:
    """The opposite of `Command.text`. None if the text is no command."""
    words = " ".join(text.split())
    for verb in VERBS.values():
        if verb.name not in TWO_THINGS:
            continue
        before, between = verb.text.split("{what}")[0], verb.text.split("{what}")[1].split("{target}")[0]
        if words.startswith(before) and between in words[len(before) :]:
            what, _, target = words[len(before) :].partition(between)
            return Command(verb.name, what, target)
    # Longer texts are tried first, so that "wash at basin" does not read as "wash".
    for verb in sorted(VERBS.values(), key=lambda v: -len(v.text)):
        before = verb.text.split("{what}")[0]
        if verb.name not in TWO_THINGS and words.startswith(before) and len(words) > len(before):
            return Command(verb.name, words[len(before) :])
    return None


# ---- a household at a moment


@dataclass(frozen=True)
class Thing:
    """A thing of a household in its present state."""

    id: str
    """The last part of its address, which is unique in the household."""
    address: Address
    name: str
    properties: frozenset[str]
    state: State
    seats: int
    """How many people can sit or lie on it at once."""

    @property
    def called(self) -> str:
        """Its name with an article: `the stove`."""
        return f"the {self.name}"

    @property
    def verbs(self) -> tuple[str, ...]:
        """The commands that its properties give, each once. Walking to it is left out."""
        return _verbs_of(self.properties)

    def write(self) -> str:
        """Its state as text."""
        return write(self.state, seat=bool(self.properties & {"sittable", "lieable"}))


class Home:
    """The things of a household by id, in their real states or in those that a mind believes in."""

    def __init__(self, nodes: Iterable[Node], state_of: Callable[[Node], str]) -> None:
        self.things: dict[str, Thing] = {}
        for node in nodes:
            properties = properties_of(node.actions) if node.kind is NodeKind.OBJECT else frozenset()
            if properties:
                name = node.address.rpartition(":")[2]
                state = read(state_of(node))
                self.things[name] = Thing(name, node.address, node.name, properties, state, max(1, node.capacity))

    def copy(self) -> Home:
        """A copy, on which commands can be tried."""
        copy = Home((), lambda node: node.state)
        copy.things = dict(self.things)
        return copy

    def change(self, name: str, state: State) -> None:
        """Sets the state of a thing."""
        self.things[name] = replace(self.things[name], state=state)

    def around(self, name: str) -> list[Thing]:
        """What a thing is in, on or at, then what that one is in, and so on. A cycle is followed only once."""
        found: list[Thing] = []
        thing = self.things.get(name)
        while thing is not None and thing.state.how in PLACES:
            thing = self.things.get(thing.state.where)
            if thing is None or thing in found or thing.id == name:
                break
            found.append(thing)
        return found

    def anchor(self, name: str) -> Thing | None:
        """The thing at which one must stand to reach another: the last of `around`, or the thing itself if nothing is around it."""
        around = self.around(name)
        return around[-1] if around else self.things.get(name)

    def holder(self, name: str) -> NpcId:
        """Who holds or wears a thing, or what it is on or in. Empty if nobody does."""
        root = self.anchor(name)
        return root.state.where if root is not None and root.state.how in ("held by", "worn by") else ""

    def shut_in(self, name: str) -> Thing | None:
        """The nearest closed container around a thing, or None."""
        inside = name
        for thing in self.around(name):
            if self.things[inside].state.how == "in" and "closed" in thing.state.facets:
                return thing
            inside = thing.id
        return None

    def held(self, npc: NpcId) -> list[Thing]:
        """The things in somebody's hands."""
        return [thing for thing in self.things.values() if thing.state.how == "held by" and thing.state.where == npc]

    def seat(self, npc: NpcId) -> Thing | None:
        """The thing that somebody sits or lies on, or None."""
        return next((thing for thing in self.things.values() if npc in thing.state.people), None)

    def near(self, npc: NpcId, at: str, name: str) -> bool:
        """Whether somebody who stands at the thing `at` can reach the thing `name`."""
        if self.holder(name) == npc:
            return True
        anchor, here = self.anchor(name), self.anchor(at)
        return anchor is not None and here is not None and anchor.id == here.id
