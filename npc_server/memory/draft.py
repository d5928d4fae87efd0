"""Everything that one thought changes, written in one transaction. After a crash, the save has all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from npc_server.memory import actions, changes, inbox, ledger, memories, people, places, plans, policies, social
from npc_server.memory.places import Known
from npc_server.memory.policies import PolicyChange
from npc_server.records import (
    Action,
    Address,
    CallOutcome,
    GameTime,
    Memory,
    MemoryChange,
    ModelCall,
    NpcId,
    OutcomeReason,
    OutcomeStatus,
    PlanStep,
    Policy,
    Social,
)


@dataclass(frozen=True)
class EndedAction:
    """How an action ended, and why. `outcome` is None if the NPC turned to something else."""

    id: str
    ended: GameTime
    outcome: OutcomeStatus | None
    reason: str = ""
    code: OutcomeReason | None = None
    """Why it failed; None if it did not."""


@dataclass
class Draft:
    """Changes of one NPC that are not on disk yet. `write` stores them inside a job of the store."""

    memories: list[Memory] = field(default_factory=list)
    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    touched: dict[int, GameTime] = field(default_factory=dict)
    importance_set: dict[int, int] = field(default_factory=dict)
    """New importance of memories that were rated again, by id."""
    edited: list[tuple[Memory, NDArray[np.float32] | None]] = field(default_factory=list)
    """Memories that say something else now, or are in doubt, each with its new vector, or None to keep the one it has."""
    changes: list[MemoryChange] = field(default_factory=list)
    """The history of memories that were changed from outside."""
    plan_added: list[PlanStep] = field(default_factory=list)
    plan_updated: dict[int, PlanStep] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    ended: list[EndedAction] = field(default_factory=list)
    seen: dict[Address, Known] = field(default_factory=dict)
    """Places and objects it learned about, by address."""
    calls: list[ModelCall] = field(default_factory=list)
    events_done: list[int] = field(default_factory=list)
    """Sequence numbers of the game's events that this thought has handled."""
    forgotten: list[int] = field(default_factory=list)
    """Ids of memories to delete, because a line was undone."""
    steps_forgotten: list[int] = field(default_factory=list)
    socials: dict[str, Social | None] = field(default_factory=dict)
    """Revised Social Memory by the other person's id or name. None deletes the record."""
    taken_in: list[tuple[Social, tuple[int, ...]]] = field(default_factory=list)
    """For each revision of Social Memory, the record before it and the ids of the memories it uses. Not stored: see `Agent.keep`."""
    policies: list[PolicyChange] = field(default_factory=list)
    """Changes of Lifestyle Policies: they worked, failed or were used."""
    policies_gone: list[Policy] = field(default_factory=list)
    """Policies that were removed to make room."""
    state: object | None = None
    """The agent's state, a frozen record; None if it did not change."""

    def add_memory(self, memory: Memory, vector: NDArray[np.float32]) -> None:
        """Adds a new memory with its vector of shape (dimensions,)."""
        self.memories.append(memory)
        self.vectors.append(vector)

    def touch(self, ids: list[int], at: GameTime) -> None:
        """Sets the last access of memories."""
        self.touched.update(dict.fromkeys(ids, at))

    def update_plan(self, step: PlanStep) -> None:
        """Replaces the plan step with the same id."""
        self.plan_updated[step.id] = step

    def forget(self, memories: Sequence[int], steps: Sequence[int]) -> None:
        """Deletes memories and plan steps by their ids."""
        self.forgotten += memories
        self.steps_forgotten += steps

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(
            self.memories
            or self.touched
            or self.importance_set
            or self.edited
            or self.changes
            or self.plan_added
            or self.plan_updated
            or self.actions
            or self.ended
            or self.seen
            or self.calls
            or self.events_done
            or self.forgotten
            or self.steps_forgotten
            or self.socials
            or self.policies
            or self.policies_gone
            or self.state is not None
        )

    def copy(self) -> Draft:
        """A copy whose lists and dictionaries are its own."""
        parts: dict[str, Any] = {name: value.copy() if isinstance(value, (list, dict)) else value for name, value in vars(self).items()}
        return Draft(**parts)

    def dropped(self) -> Draft:
        """What is still stored when a thought is discarded: the calls, whose answers count as unused, and the removed policies.

        The policies are already gone from the book that all minds share.
        """
        used = CallOutcome.USED
        calls = [replace(call, outcome=CallOutcome.CANCELLED) if call.outcome is used else call for call in self.calls]
        return Draft(calls=calls, policies_gone=list(self.policies_gone))

    def write(self, db: Database, npc: NpcId, epoch: int) -> None:
        """Stores everything. Runs inside a job of the store, so that it is one transaction. `epoch` is that of `events_done`."""
        if self.memories:
            memories.insert(db, self.memories, np.stack(self.vectors))
        for at in sorted(set(self.touched.values())):
            memories.touch(db, npc, [i for i, when in self.touched.items() if when == at], at)
        if self.importance_set:
            memories.set_importance(db, npc, self.importance_set)
        for memory, vector in self.edited:
            memories.edit(db, memory, vector)
        changes.insert(db, self.changes)
        if self.plan_added:
            plans.insert(db, self.plan_added)
        for step in self.plan_updated.values():
            plans.update(db, step)
        for action in self.actions:
            actions.insert(db, action)
        for ended in self.ended:
            actions.end(db, ended.id, ended.ended, ended.outcome, ended.reason, ended.code)
        if self.seen:
            places.saw(db, npc, self.seen.values())
        if self.calls:
            ledger.add(db, self.calls)
        if self.events_done:
            inbox.mark_done(db, epoch, self.events_done)
        if self.forgotten:
            memories.delete(db, npc, self.forgotten)
        if self.steps_forgotten:
            plans.delete(db, npc, self.steps_forgotten)
        if self.socials:
            social.delete(db, npc, [other for other, kept in self.socials.items() if kept is None])
            social.put(db, [kept for kept in self.socials.values() if kept is not None])
        if self.policies or self.policies_gone:
            policies.write(db, self.policies, self.policies_gone)
        if self.state is not None:
            people.set_state(db, npc, self.state)
