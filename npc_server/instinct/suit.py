"""Which object suits an activity, and what is done with it there, by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from npc_server.english.stems import telling
from npc_server.english.uses import LIGHT, meant, of_action, uses_of
from npc_server.world.tree import Node, ObjectAction

_VERB, _OTHER, _WITHOUT_VERB, _WHOLE = 2.0, 1.0, 0.6, 1.0
"""What the verb of an action counts that an activity shares, each other word, each where the verb is another, and the whole of it."""

_NAME, _MOST_BY_USE = 0.75, 1.9

_UNDECLARED, _BY_ACTION = 0.5, 0.8
"""What a use counts at a thing that declares other actions only, and at one that only an action, not its name, tells to be of it."""

_CIRCUMSTANCE = re.compile(r"\s(?:before|after|during|until|till|while|because|since)\b")

_ASIDE = 0.25
"""What the words of a circumstance count: `exercise before breakfast` is no meal."""


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
