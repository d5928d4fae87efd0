"""Which of the places an NPC knows suit an activity: the shortlist that is offered to the model, and instinct's own choice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from npc_server.cognition.stems import telling
from npc_server.cognition.stems import words_of as words_of
from npc_server.cognition.uses import LIGHT, meant, of_action, uses_of
from npc_server.llm.engine import Embedder, Vectors
from npc_server.records import Address
from npc_server.world.tree import Node, NodeKind, ObjectAction, World, parent

_VERB, _OTHER, _WITHOUT_VERB, _WHOLE = 2.0, 1.0, 0.6, 1.0
"""What the verb of an action counts that an activity shares, each other word, each where the verb is another, and the whole of it."""
_NAME, _MOST_BY_USE = 0.75, 1.9
_UNDECLARED, _BY_ACTION = 0.5, 0.8
"""What a use counts at a thing that declares other actions only, and at one that only an action, not its name, tells to be of it."""
_CIRCUMSTANCE = re.compile(r"\s(?:before|after|during|until|till|while|because|since)\b")
_ASIDE = 0.25
"""What the words of a circumstance count: `exercise before breakfast` is no meal."""


def describe(world: World, node: Node) -> str:
    """A node as a phrase that its uses can be found by."""
    actions = ", ".join(action.name for action in node.actions)
    return f"{world.describe(node.address)}: {actions or node.description}".rstrip(": ")


def short(world: World, address: Address) -> str:
    """The address without the town's id, as prompts name it: `cafe:kitchen:stove`. Where a game has several worlds the id stays."""
    head, _, rest = address.partition(":")
    return rest if rest and [root.address for root in world.children("")] == [head] else address


def full(world: World, name: str) -> Address:
    """The address that `short` made this of; the name itself when there is none."""
    if name in world:
        return name
    return next((found for root in world.children("") if (found := f"{root.address}:{name}") in world), name)


@dataclass(frozen=True)
class Everyday:
    """What belongs to every day in a world: telling words of what is done with its things and what they are called, and their states."""

    doings: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    """States that using a thing brings about. A fire is none of them."""


def everyday_of(world: World) -> Everyday:
    actions = [action for node in world for action in node.actions]
    return Everyday(
        frozenset().union(*(words_of(action.name) for action in actions)),
        frozenset().union(*(words_of(node.name) for node in world)),
        frozenset(state for action in actions for state in (action.during, action.after) if state),
    )


class PlaceVectors:
    """The embedding of every place's description, shared by all minds of a session; computed when first asked for."""

    def __init__(self, world: World, embedder: Embedder) -> None:
        self._world = world
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._phrases: dict[Address, tuple[str, frozenset[str], Address]] = {}
        self._everyday = Everyday()
        self._version = -1

    def _refresh(self) -> None:
        """Forgets what was worked out before places changed."""
        if self._version != self._world.version:
            self._phrases.clear()
            self._everyday = everyday_of(self._world)
            self._version = self._world.version

    def everyday(self) -> Everyday:
        """Of the whole world; kept until places change."""
        self._refresh()
        return self._everyday

    def phrase(self, address: Address) -> tuple[str, frozenset[str], Address]:
        """The description of a place, its telling words, and the room it is or lies in; kept until places change."""
        self._refresh()
        found = self._phrases.get(address)
        if found is None:
            text = describe(self._world, self._world.node(address))
            found = self._phrases[address] = (text, frozenset(words_of(text)), _room(self._world, address))
        return found

    async def relevance(self, addresses: Sequence[Address], activity: str) -> Vectors:
        """Cosine of each place's description with an activity."""
        return np.asarray((await self.of(addresses)) @ (await self._embedder.embed([activity]))[0])

    async def of(self, addresses: Sequence[Address]) -> Vectors:
        """Shape (len(addresses), dimensions)."""
        texts = [self.phrase(address)[0] for address in addresses]
        missing = sorted({text for text in texts if text not in self._vectors})
        if missing:
            fresh = dict(zip(missing, await self._embedder.embed(missing), strict=True))
            self._vectors.update({text: row for text, row in fresh.items() if row.any()})  # zeros: there was no model just now
            found = {**self._vectors, **fresh}
            return np.stack([found[text] for text in texts])
        return np.stack([self._vectors[text] for text in texts]) if texts else np.zeros((0, self._embedder.dimensions), np.float32)


async def shortlist(
    world: World,
    places: PlaceVectors,
    usable: Sequence[Address],
    activity: str,
    near: Address,
    hint: Address,
    count: int,
) -> list[Address]:
    """At most `count` places for an activity, best first: the plan's own place, then by meaning, words and nearness."""
    if not usable:
        return []
    relevance = await places.relevance(usable, activity)
    wanted = words_of(activity)
    scores: list[tuple[float, int]] = []
    here = _room(world, near)
    for i, address in enumerate(usable):
        node = world.node(address)
        _, words, room = places.phrase(address)
        score = float(relevance[i]) + 0.25 * len(wanted & words)
        score += 0.1 if room == here else 0.0
        score += 0.05 if node.kind is NodeKind.OBJECT else 0.0
        if hint:
            score += 10.0 if address == hint else 5.0 if address.startswith(hint + ":") else 0.0
        scores.append((-score, i))
    return [usable[i] for _, i in sorted(scores)[:count]]


def _room(world: World, address: Address) -> Address:
    if address in world and world.node(address).kind is NodeKind.OBJECT:
        return parent(address)
    return address


@dataclass(frozen=True)
class Suit:
    """How well an object suits an activity, and what instinct does with it; 0 and nothing where it does not."""

    score: float
    action: ObjectAction | None


def suit(node: Node, activity: str, state: str) -> Suit:
    """By the words of the object's own actions first, which its state must allow, then by what such things are for, then by its name.

    An action whose verb is meant always counts more than the lexicon of uses alone.
    """
    main = _CIRCUMSTANCE.split(activity, maxsplit=1)[0]
    found = _suit(node, main, state)
    if main == activity:
        return found
    whole = _suit(node, activity, state)
    return Suit(found.score + _ASIDE * whole.score, found.action or whole.action)


def _suit(node: Node, activity: str, state: str) -> Suit:
    wanted = frozenset(telling(activity))
    allowed = [action for action in node.actions if not (action.needs and state and action.needs != state)]
    own, action = 0.0, None
    for each in allowed:
        score = _own(telling(each.name), wanted)
        if score > own:
            own, action = score, each
    strength, meant_here = _by_use(node, allowed, activity)
    name = _NAME * len(wanted.intersection(telling(node.name)))
    return Suit(own + min(strength, _MOST_BY_USE) + name, action if own else meant_here)


def _own(action: Sequence[str], wanted: frozenset[str]) -> float:
    """What an action's own words say."""
    if not action or wanted.isdisjoint(action):
        return 0.0
    other = _OTHER if action[0] in wanted or action[0] in LIGHT else _WITHOUT_VERB
    said = [0.3 if word in LIGHT else _VERB if i == 0 else other for i, word in enumerate(action) if word in wanted]
    return sum(said) + (_WHOLE if len(said) == len(action) else 0.0)


def _by_use(node: Node, allowed: Sequence[ObjectAction], activity: str) -> tuple[float, ObjectAction | None]:
    """What the lexicon says, and the action that is of the use meant."""
    table = _told(node.name, node.description, tuple([action.name for action in allowed]), bool(node.actions))
    most, best = 0.0, -1
    for use, strength in meant(activity).items():
        told, i = table.get(use, (0.0, -1))
        if strength * told > most:
            most, best = strength * told, i
    return most, allowed[best] if best >= 0 else None


@lru_cache(maxsize=16384)
def _told(name: str, description: str, actions: tuple[str, ...], declares: bool) -> dict[int, tuple[float, int]]:
    """The uses of a thing: how sure its name and actions make them, and the action that is of each; -1 for none. Not to be changed."""
    named = uses_of(name, description)
    found = dict.fromkeys(named, (_UNDECLARED if declares else 1.0, -1))
    shares: dict[int, float] = {}
    for i, action in enumerate(actions):
        for use, share in of_action(action).items():
            if share > shares.get(use, 0.0):
                shares[use] = share
                found[use] = (1.0 if use in named else share * _BY_ACTION, i)
    return found


def fitting_action(node: Node, activity: str, state: str) -> ObjectAction | None:
    """What instinct does with an object for an activity."""
    return suit(node, activity, state).action
