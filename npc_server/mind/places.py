"""Places as prompts name them, and what suits an activity best, by embedding and words: places, and actions of an object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npc_server.english.stems import stems_of
from npc_server.llm.engine import Embedder, Vectors
from npc_server.records import Address
from npc_server.world.tree import Node, NodeKind, ObjectAction, World, lineage, parent

ACTIVITIES_KEPT = 1000
"""Activities whose vectors are kept, and the places that they name."""
SHARED_WORD = 0.25
"""What a word that both share adds to a cosine."""
SAME_ROOM, AN_OBJECT = 0.1, 0.05
"""What being in the same room, or being an object, adds to a cosine."""
LISTS_KEPT = 256
"""Lists of places that are kept. A person knows a few, by the hours at which places are open."""
LEAST_LIKENESS = 0.25
"""From which sum on an object's action is meant by an activity. With MiniLM, 67 of 80 that are meant in `npc_eval/data/eval` reach it."""


def describe(world: World, node: Node) -> str:
    """A node as a phrase for its embedding: `stove in the kitchen: cook, make tea`."""
    actions = ", ".join(action.name for action in node.actions)
    return f"{world.describe(node.address)}: {actions or node.description}".rstrip(": ")


def short(world: World, address: Address) -> str:
    """The address without the town's id, as prompts show it: `cafe:kitchen:stove`. With several worlds the id stays."""
    head, _, rest = address.partition(":")
    return rest if rest and [root.address for root in world.children("")] == [head] else address


def full(world: World, name: str) -> Address:
    """The address that `short` shortened; the name itself if there is none."""
    if name in world:
        return name
    return next((found for root in world.children("") if (found := f"{root.address}:{name}") in world), name)


def room_of(world: World, address: Address) -> Address:
    """The arena an address lies in, or the address itself."""
    rooms = [a for a in lineage(address) if a in world and world.node(a).kind is NodeKind.ARENA]
    return rooms[-1] if rooms else address


@dataclass(frozen=True)
class Everyday:
    """What belongs to every day in a world: telling words of what is done with its things, and their states."""

    doings: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    """States that using a thing brings about. A fire is none of them."""
    actions: frozenset[str] = frozenset()
    """Names of what can be done with its things."""
    names: frozenset[str] = frozenset()
    """Names of its buildings and rooms, without their article."""


def everyday_of(world: World) -> Everyday:
    actions = [action for node in world for action in node.actions]
    return Everyday(
        frozenset().union(*(stems_of(action.name) for action in actions)),
        frozenset(state for action in actions for state in (action.during, action.after) if state),
        frozenset(action.name for action in actions),
        frozenset(node.name.removeprefix("the ") for node in world if node.kind in (NodeKind.SECTOR, NodeKind.ARENA)),
    )


@dataclass(frozen=True)
class Phrase:
    """What a place is called."""

    text: str
    """Its description."""
    stems: frozenset[str]
    """Those of the description's telling words."""
    room: Address
    """The room that it is or lies in."""
    is_object: bool


@dataclass(frozen=True)
class PlaceList:
    """Several places, with what `shortlist` asks of each. A mind asks for the same few lists all day."""

    phrases: tuple[Phrase, ...]
    stems: frozenset[str]
    """Those of all phrases."""
    rooms: Mapping[Address, tuple[int, ...]]
    """Positions in the list, by room."""
    objects: NDArray[np.float64]
    """What being an object adds to the score of each, shape (len(phrases),)."""


class PlaceVectors:
    """The embedding of each place's description, shared by all minds of a session and computed when first needed."""

    def __init__(self, world: World, embedder: Embedder) -> None:
        self._world = world
        self._embedder = embedder
        self._phrases: dict[Address, Phrase] = {}
        self._everyday = Everyday()
        self._rows: dict[str, int] = {}
        """The row of a description in `_matrix`."""
        self._matrix: Vectors = np.zeros((0, embedder.dimensions), np.float32)
        self._activities: OrderedDict[str, Vectors] = OrderedDict()
        self._actions: dict[str, Vectors] = {}
        """The vectors of activities, and of the names of objects' actions."""
        self._new_actions: set[str] = set()
        """Names that have no vector yet."""
        self._named: dict[str, list[Address]] = {}
        self._lists: dict[tuple[Address, ...], PlaceList] = {}
        self._version = -1

    def _refresh(self) -> None:
        """Forgets what was computed for an older version of the world."""
        if self._version != self._world.version:
            self._phrases.clear()
            self._named.clear()
            self._lists.clear()
            self._everyday = everyday_of(self._world)
            self._new_actions = {action.name for node in self._world for action in node.actions} - self._actions.keys()
            self._version = self._world.version

    def everyday(self) -> Everyday:
        """The everyday states of the whole world. They are kept until places change."""
        self._refresh()
        return self._everyday

    def phrase(self, address: Address) -> Phrase:
        """What a place is called; kept until places change."""
        self._refresh()
        found = self._phrases.get(address)
        if found is None:
            node = self._world.node(address)
            text, room = describe(self._world, node), _room(self._world, address)
            found = self._phrases[address] = Phrase(text, frozenset(stems_of(text)), room, node.kind is NodeKind.OBJECT)
        return found

    def listed(self, addresses: Sequence[Address]) -> PlaceList:
        """These places as a list. Kept for `LISTS_KEPT` of them, until places change."""
        self._refresh()
        key = tuple(addresses)
        found = self._lists.get(key)
        if found is None:
            if len(self._lists) >= LISTS_KEPT:
                self._lists.clear()
            phrases, rooms = tuple(self.phrase(address) for address in key), dict[Address, tuple[int, ...]]()
            for i, phrase in enumerate(phrases):
                rooms[phrase.room] = (*rooms.get(phrase.room, ()), i)
            objects = np.array([AN_OBJECT if phrase.is_object else 0.0 for phrase in phrases])
            stems = frozenset().union(*(phrase.stems for phrase in phrases))
            found = self._lists[key] = PlaceList(phrases, stems, rooms, objects)
        return found

    def named(self, activity: str, named_in: Callable[[World, Iterable[Address], str], list[Address]]) -> list[Address]:
        """The places of the world that an activity names, as `named_in` finds them. Kept for `ACTIVITIES_KEPT` of them."""
        self._refresh()
        found = self._named.get(activity)
        if found is None:
            if len(self._named) >= ACTIVITIES_KEPT:
                self._named.clear()
            found = self._named[activity] = named_in(self._world, (node.address for node in self._world), activity)
        return found

    async def relevance(self, addresses: Sequence[Address], activity: str) -> Vectors:
        """Cosine of each place's description with an activity, shape (len(addresses),)."""
        return np.asarray((await self.of(addresses)) @ (await self.learn([activity]))[0])

    async def learn(self, activities: Sequence[str]) -> Vectors:
        """The vectors of activities, shape (len(activities), dimensions). From now on `action_for` knows what they mean."""
        self._refresh()
        names = sorted(self._new_actions)
        if names:
            rows = await self._embedder.embed(names)
            self._actions |= {name: row for name, row in zip(names, rows, strict=True) if row.any()}
            self._new_actions -= self._actions.keys()
        found = await self._embedder.embed(activities)
        for activity, vector in zip(activities, found, strict=True):
            self._activities[activity] = vector
            self._activities.move_to_end(activity)
        while len(self._activities) > ACTIVITIES_KEPT:
            self._activities.popitem(last=False)
        return found

    def action_for(self, activity: str, allowed: Sequence[ObjectAction]) -> ObjectAction | None:
        """The action that comes nearest to an activity; None where none is near, or where the activity was not learnt."""
        same = next((action for action in allowed if action.name == activity), None)
        vector = self._activities.get(activity)
        known = [action for action in allowed if action.name in self._actions]
        if same or vector is None or not known:
            return same
        words = stems_of(activity)
        shared = [len(words & stems_of(action.name)) for action in known]
        likeness = np.stack([self._actions[action.name] for action in known]) @ vector + SHARED_WORD * np.array(shared)
        best = int(likeness.argmax())
        return known[best] if likeness[best] >= LEAST_LIKENESS else None

    async def of(self, addresses: Sequence[Address]) -> Vectors:
        """Embeddings of the places' descriptions, shape (len(addresses), dimensions)."""
        texts = [self.phrase(address).text for address in addresses]
        missing = sorted({text for text in texts if text not in self._rows})
        if missing:
            fresh = await self._embedder.embed(missing)
            lasting = [(text, row) for text, row in zip(missing, fresh, strict=True) if row.any() and text not in self._rows]
            if len(lasting) < len(missing):  # zeros: there was no model just now
                found = {**dict(zip(missing, fresh, strict=True)), **{text: self._matrix[row] for text, row in self._rows.items()}}
                return np.stack([found[text] for text in texts])
            self._rows.update({text: len(self._matrix) + i for i, (text, _) in enumerate(lasting)})
            self._matrix = np.concatenate([self._matrix, [row for _, row in lasting]])
        return self._matrix[[self._rows[text] for text in texts]]


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
    scores = (await places.relevance(usable, activity)).astype(np.float64)
    wanted, here = stems_of(activity), _room(world, near)
    listed = places.listed(usable)
    wanted = wanted & listed.stems
    if wanted:
        scores += [SHARED_WORD * len(wanted & phrase.stems) for phrase in listed.phrases]
    scores[list(listed.rooms.get(here, ()))] += SAME_ROOM
    scores += listed.objects
    if hint:
        scores += [10.0 if address == hint else 5.0 if address.startswith(f"{hint}:") else 0.0 for address in usable]
    return [usable[i] for i in np.argsort(-scores, kind="stable")[:count].tolist()]


def _room(world: World, address: Address) -> Address:
    if address in world and world.node(address).kind is NodeKind.OBJECT:
        return parent(address)
    return address
