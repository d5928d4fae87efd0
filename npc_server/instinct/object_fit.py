"""How well an object fits an activity, and which of its actions is used, by rules over words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from npc_server.english.stems import content_stems
from npc_server.english.uses import LIGHT_VERBS, uses_of_action, uses_of_activity, uses_of_thing
from npc_server.world.tree import Node, ObjectAction

_VERB, _OTHER, _WITHOUT_VERB, _WHOLE = 2.0, 1.0, 0.6, 1.0
"""Scores of an action for an activity: shared verb, each other shared word, the same without a shared verb, all words shared."""

_NAME, _MOST_BY_USE = 0.75, 1.9
"""Score of each shared word of the object's name, and the most that the lexicon of uses can add."""
_UNDECLARED, _BY_ACTION = 0.5, 0.8
"""Factor for a use that none of the object's actions has, and for one that its name does not have."""

_CIRCUMSTANCE = re.compile(r"\s(?:before|after|during|until|till|while|because|since)\b")

_ASIDE = 0.25
"""Factor for words after `before`, `during` and the like: `exercise before breakfast` is no meal."""


@dataclass(frozen=True)
class ObjectFit:
    """How well an object fits an activity (0: not at all), and the action to use, if any."""

    score: float
    action: ObjectAction | None


def object_fit(node: Node, activity: str, state: str) -> ObjectFit:
    """Scores the object's own actions that its state allows, then the uses of such objects, then its name.

    An action with the right verb always scores more than the lexicon of uses alone.
    """
    main = _CIRCUMSTANCE.split(activity, maxsplit=1)[0]
    found = _fit_without_aside(node, main, state)
    if main == activity:
        return found
    whole = _fit_without_aside(node, activity, state)
    return ObjectFit(found.score + _ASIDE * whole.score, found.action or whole.action)


def _fit_without_aside(node: Node, activity: str, state: str) -> ObjectFit:
    wanted = frozenset(content_stems(activity))
    allowed = [action for action in node.actions if not (action.needs and state and action.needs != state)]
    own, action = 0.0, None
    for each in allowed:
        score = _score_of_action(content_stems(each.name), wanted)
        if score > own:
            own, action = score, each
    strength, meant_here = _by_use(node, allowed, activity)
    name = _NAME * len(wanted.intersection(content_stems(node.name)))
    return ObjectFit(own + min(strength, _MOST_BY_USE) + name, action if own else meant_here)


def _score_of_action(action: Sequence[str], wanted: frozenset[str]) -> float:
    """The score of an action's own words."""
    if not action or wanted.isdisjoint(action):
        return 0.0
    other = _OTHER if action[0] in wanted or action[0] in LIGHT_VERBS else _WITHOUT_VERB
    said = [0.3 if word in LIGHT_VERBS else _VERB if i == 0 else other for i, word in enumerate(action) if word in wanted]
    return sum(said) + (_WHOLE if len(said) == len(action) else 0.0)


def _by_use(node: Node, allowed: Sequence[ObjectAction], activity: str) -> tuple[float, ObjectAction | None]:
    """The score by the lexicon of uses, and the action that has the use meant."""
    table = _known_uses(node.name, node.description, tuple([action.name for action in allowed]), bool(node.actions))
    most, best = 0.0, -1
    for use, strength in uses_of_activity(activity).items():
        told, i = table.get(use, (0.0, -1))
        if strength * told > most:
            most, best = strength * told, i
    return most, allowed[best] if best >= 0 else None


@lru_cache(maxsize=16384)
def _known_uses(name: str, description: str, actions: tuple[str, ...], declares: bool) -> dict[int, tuple[float, int]]:
    """The uses of an object, each with its weight and the index of its action (-1: none). Cached: do not change it."""
    named = uses_of_thing(name, description)
    found = dict.fromkeys(named, (_UNDECLARED if declares else 1.0, -1))
    shares: dict[int, float] = {}
    for i, action in enumerate(actions):
        for use, share in uses_of_action(action).items():
            if share > shares.get(use, 0.0):
                shares[use] = share
                found[use] = (1.0 if use in named else share * _BY_ACTION, i)
    return found


def best_action(node: Node, activity: str, state: str) -> ObjectAction | None:
    """The action of an object that fits an activity best; None when none does."""
    return object_fit(node, activity, state).action
