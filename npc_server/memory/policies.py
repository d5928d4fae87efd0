"""Lifestyle Policies on disk, and the book of them that all minds of a session share (Affordable Generative Agents, section 3.1).

A mind does not edit a policy but records a change of it. Several minds may think at the same game time, and the save must not depend
on which was first. So changes of one game time give the same result in any order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from sqlite_utils import Database

from npc_server import clock
from npc_server.memory import codec, rows
from npc_server.memory.vectors import Vector, read_sound, to_bytes
from npc_server.records import NEVER, Address, GameTime, NpcId, Policy

_COLUMNS = rows.columns(Policy)
_KEY = "owner = ? AND activity = ? AND needs = ? AND steps = ?"


@dataclass(frozen=True)
class PolicyChange:
    """What happened with a policy at a game time: it worked, it failed, or, if neither is set, somebody began to follow it."""

    policy: Policy
    """The policy. Its counters are ignored."""
    at: GameTime
    worked: bool = False
    failed: bool = False
    vector: Vector | None = field(default=None, compare=False)
    """The vector of its activity, if the policy may be new: shape (dimensions,)."""


def key_of(policy: Policy) -> str:
    """The key of a policy. Policies with the same owner, activity, condition and steps have the same key."""
    text = "\x1f".join(_key(policy))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def after(before: Policy | None, change: PolicyChange) -> Policy | None:
    """The policy after a change, or None if there is no policy to change. Changes of one game time may come in any order."""
    if change.worked:
        it = before or replace(change.policy, worked=0, failed=0, usable=True, used=NEVER, failed_at=NEVER)
        return replace(it, worked=it.worked + 1, usable=it.usable or it.failed_at < change.at, used=max(it.used, change.at))
    if before is None:
        return None
    if change.failed:
        failed_at = max(before.failed_at, change.at)
        return replace(before, failed=before.failed + 1, usable=False, used=max(before.used, change.at), failed_at=failed_at)
    return replace(before, used=max(before.used, change.at))


def name_words(text: str) -> frozenset[str]:
    """The words of a text in lower case. Names are compared by their words."""
    return frozenset(re.findall(r"\w+", text.casefold()))


class PolicyBook:
    """The policies of a save in RAM. A mind sees its own changes at once, and those of others from a later game time on."""

    def __init__(
        self,
        policies: Iterable[tuple[Policy, Vector]] = (),
        *,
        most: int = 1000,
        homes: Collection[Address] = (),
        names: Collection[str] = (),
    ) -> None:
        self._most = most
        self.homes = tuple(sorted(homes))
        """Where people live. Policies that need these places are not shared."""
        self.names = frozenset(names)
        """Every single word of people's names, in lower case. Policies that hold one are not shared."""
        self._kept: dict[str, Policy] = {}
        self._vectors: dict[str, Vector] = {}
        for policy, vector in policies:
            self._kept[key_of(policy)] = policy
            self._vectors[policy.activity] = vector
        self._waiting: list[tuple[GameTime, NpcId, PolicyChange]] = []

    def __len__(self) -> int:
        """How many policies there are, without changes that still wait."""
        return len(self._kept)

    def stored(self, by: NpcId, changes: Iterable[PolicyChange]) -> None:
        """Takes in changes of an NPC that are now on disk."""
        for change in changes:
            self._waiting.append((change.at, by, change))
            self._learn_vector(change)

    def settle(self, now: GameTime) -> list[Policy]:
        """Applies the changes from before `now`. Returns the policies that were removed to make room, for the caller to delete on disk.

        The least recently used are removed. A policy that was used in the last game day stays, since somebody may still follow it.
        """
        ready = [change for at, _, change in self._waiting if at < now]
        if not ready:
            return []
        self._waiting = [item for item in self._waiting if item[0] >= now]
        for change in ready:
            _take(self._kept, change)
        over = len(self._kept) - self._most
        idle = sorted((it.used, key) for key, it in self._kept.items() if it.used <= now - clock.DAY) if over > 0 else []
        return [self._kept.pop(key) for _, key in idle[:over]]

    def seen_by(self, npc: NpcId, thinking: Iterable[PolicyChange] = ()) -> dict[str, Policy]:
        """The shared policies and an NPC's own, by key, as this NPC sees them. `thinking` are its changes that are not on disk yet."""
        found = {key: it for key, it in self._kept.items() if it.owner in ("", npc)}
        for change in [*(change for _, by, change in self._waiting if by == npc), *thinking]:
            self._learn_vector(change)
            _take(found, change)
        return found

    def _learn_vector(self, change: PolicyChange) -> None:
        if change.vector is not None:
            self._vectors.setdefault(change.policy.activity, change.vector)

    def vectors_of(self, policies: Sequence[Policy]) -> Vector:
        """The vectors of the policies' activities: shape (len(policies), dimensions)."""
        return np.stack([self._vectors[policy.activity] for policy in policies])


def _take(policies: dict[str, Policy], change: PolicyChange) -> None:
    key = key_of(change.policy)
    changed = after(policies.get(key), change)
    if changed is not None:
        policies[key] = changed


# ---- on disk


def write(db: Database, changes: Sequence[PolicyChange], gone: Sequence[Policy] = ()) -> None:
    """Applies changes to the stored policies, and deletes those in `gone`. Raises SaveDamaged."""
    db.conn.executemany(f"DELETE FROM policies WHERE {_KEY}", [_key(policy) for policy in gone])
    for change in changes:
        found = rows.select(db, f"SELECT {rows.quoted(_COLUMNS)}, vector FROM policies WHERE {_KEY}", _key(change.policy))
        before, blob = (_policy(found[0][:-1]), found[0][-1]) if found else (None, None)
        changed = after(before, change)
        vector = blob if blob is not None else change.vector
        if changed is not None and vector is not None:
            put(db, [(changed, vector)])


def put(db: Database, policies: Iterable[tuple[Policy, Vector | bytes]]) -> None:
    """Stores policies with the vectors of their activities. Each replaces the one with the same key."""
    stored = [(*_row(policy), vector if isinstance(vector, bytes) else to_bytes(vector)) for policy, vector in policies]
    rows.insert(db, "policies", (*_COLUMNS, "vector"), stored, "INSERT OR REPLACE")


def load(db: Database) -> list[Policy]:
    """All policies, ordered by owner, activity, condition and steps. Raises SaveDamaged."""
    return [_policy(row) for row in rows.select(db, f"SELECT {rows.quoted(_COLUMNS)} FROM policies ORDER BY owner, activity, needs, steps")]


def load_with_vectors(db: Database) -> list[tuple[Policy, Vector]]:
    """All policies with their vectors, ordered as by `load`. Policies with a damaged vector are left out. Raises SaveDamaged."""
    found = rows.select(db, f"SELECT {rows.quoted(_COLUMNS)}, vector FROM policies ORDER BY owner, activity, needs, steps")
    places, vectors = read_sound([row[-1] for row in found])
    return [(_policy(found[place][:-1]), vector) for place, vector in zip(places, vectors, strict=True)]


def replace_vectors(db: Database, vectors: Mapping[str, Vector]) -> None:
    """Replaces vectors by those of another embedding model, by activity."""
    db.conn.executemany("UPDATE policies SET vector = ? WHERE activity = ?", [(to_bytes(it), activity) for activity, it in vectors.items()])


def _key(policy: Policy) -> tuple[str, str, str, str]:
    return policy.owner, policy.activity, codec.dumps(policy.needs), codec.dumps(policy.steps)


def _row(policy: Policy) -> list[object]:
    texts: dict[str, str | int] = {"needs": codec.dumps(policy.needs), "steps": codec.dumps(policy.steps), "usable": int(policy.usable)}
    return [texts.get(name, getattr(policy, name)) for name in _COLUMNS]


def _policy(row: Sequence[object]) -> Policy:
    values = dict(zip(_COLUMNS, row, strict=True))
    values |= {"needs": codec.raw(Policy, str(values["needs"])), "steps": codec.raw(Policy, str(values["steps"]))}
    values["usable"] = bool(values["usable"])
    return codec.decode(Policy, values)
