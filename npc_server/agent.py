"""One NPC: what it is doing, and the order of the stages; nothing else.

A thought takes in what happened since the last one and decides what to do next. All it changes is written in one
transaction, so that a kill leaves a whole thought or none, and events that were acknowledged are thought about again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from npc_server import clock
from npc_server.cognition import act, identity, instinct, perceive, plan
from npc_server.cognition.mind import Mind
from npc_server.llm.engine import Priority
from npc_server.memory.draft import EndedAction
from npc_server.records import (
    Action,
    Address,
    GameEvent,
    GameTime,
    MindEvent,
    MindState,
    Outcome,
    OutcomeStatus,
    Perception,
    PlanStatus,
    PlanStep,
    Reach,
    Thought,
    Whereabouts,
)

NEAR_PLAYER_M = 15.0
"""A body within this many metres of a player gets the model before others (DESIGN: NPCs near the player first)."""
STUCK_S = 5 * clock.MINUTE
"""Game seconds before a mind that found nothing to do looks again."""


@dataclass(frozen=True)
class Doing:
    """What an agent is about, as it stands in the save."""

    address: Address = ""
    action: Action | None = None
    step: int = 0
    """Id of the plan's step behind the action; 0 for none."""
    attempt: int = 0
    avoid: tuple[Address, ...] = ()
    """Addresses that failed for this step."""


Emit = Callable[[MindEvent], None]
AskPaths = Callable[[str, Sequence[Address]], Awaitable[Sequence[Reach]]]


@dataclass
class Agent:
    """One NPC in a session. `think` is called by one task at a time."""

    mind: Mind
    doing: Doing
    emit: Emit
    ask_paths: AskPaths
    mailbox: list[tuple[int, GameEvent]] = field(default_factory=list)
    """What the game told and no thought has taken in yet, with sequence numbers."""
    next_wake: GameTime = 0
    """Game time at which there is something to decide; 0 for at once."""

    @property
    def npc(self) -> str:
        return self.mind.npc

    def due(self, now: GameTime) -> bool:
        return bool(self.mailbox) or now >= self.next_wake

    async def think(self, now: GameTime) -> None:
        """One thought. Changes stand in `mind.draft` afterwards; the session writes them."""
        events, self.mailbox = self.mailbox, []
        self.mind.forget_old_plans(now)
        perceptions = [event for _, event in events if isinstance(event, Perception)]
        for _, event in events:
            if isinstance(event, Whereabouts):
                self._stand(event)
            elif isinstance(event, Outcome):
                await self._hear_of(event, now)
        await perceive.perceive(self.mind, perceptions, now)
        if self._is_free(now):
            await self._next_action(now)
        self.mind.draft.events_done += [seq for seq, _ in events]
        self.mind.draft.state = self.doing

    # ---- what the game reports

    def _stand(self, event: Whereabouts) -> None:
        self.doing = replace(self.doing, address=event.address)
        near = 0 <= event.player_distance <= NEAR_PLAYER_M
        self.mind.priority = Priority.NEAR if near else Priority.USUAL

    async def _hear_of(self, outcome: Outcome, now: GameTime) -> None:
        """Only the action that is being done counts: the report of an earlier one is late."""
        if outcome.address:
            self.doing = replace(self.doing, address=outcome.address)
        action = self.doing.action
        if action is None or outcome.action_id != action.id:
            return
        if outcome.status is OutcomeStatus.DONE:
            self._finish(now)
        elif outcome.status is OutcomeStatus.FAILED:
            await self._fail(action, outcome.reason or "it was not possible", now)

    async def _fail(self, action: Action, reason: str, now: GameTime) -> None:
        """An action that could not be done is remembered, and tried elsewhere until the retries are used up."""
        name, place = self.mind.persona.first_name, self.mind.world.describe(action.address)
        text = f"{name} could not do this at {place}: {action.sentence}, because {reason}."
        await perceive.observe(self.mind, text, (self.npc, "could not", action.object_action or action.address), action.address, now)
        self.mind.draft.ended.append(EndedAction(action.id, now, OutcomeStatus.FAILED, reason))
        step = self._step()
        if self.doing.attempt < self.mind.settings.max_retries_per_step:
            avoid = (*self.doing.avoid, action.address)
            self.doing = replace(self.doing, action=None, attempt=self.doing.attempt + 1, avoid=avoid)
            return
        self.doing = replace(self.doing, action=None, step=0, attempt=0, avoid=())
        if step is not None:
            self.mind.update_step(replace(step, status=PlanStatus.FAILED))
            await plan.replan_hour(self.mind, step, reason, now)

    # ---- deciding

    def _is_free(self, now: GameTime) -> bool:
        """Whether there is something to decide: nothing is being done, or it is over (at or after its end)."""
        return self.doing.action is None or now >= self.doing.action.end

    async def _next_action(self, now: GameTime) -> None:
        if self.doing.action is not None:
            self._finish(now)
        step = self._step() if self.doing.attempt else None
        if step is None or step.end <= now:
            self.doing = replace(self.doing, step=0, attempt=0, avoid=())
            step = await plan.next_step(self.mind, now)
        action = await act.act(self.mind, step, self.doing.address, now, self._paths(step, now), self.doing.attempt, self.doing.avoid)
        if action is None:
            # No place for it can be reached: give the step up, and look again soon.
            self.mind.update_step(replace(step, status=PlanStatus.FAILED))
            self.doing = replace(self.doing, action=None, step=0, attempt=0, avoid=())
            self.next_wake = min(step.end, now + STUCK_S)
            return
        self.mind.update_step(replace(step, status=PlanStatus.ACTIVE, address=action.address))
        self.doing = replace(self.doing, action=action, step=step.id)
        self.mind.draft.actions.append(action)
        self.next_wake = action.end
        self.emit(action)
        self.emit(Thought(self.npc, self._thought(step), step.source, now))

    def _paths(self, step: PlanStep, now: GameTime) -> Callable[[Sequence[Address]], Awaitable[Sequence[Reach]]]:
        query = f"{self.npc}/{step.id}/{self.doing.attempt}/{now}"
        return lambda addresses: self.ask_paths(query, addresses)

    def _finish(self, now: GameTime) -> None:
        action, step = self.doing.action, self._step()
        if action is not None:
            self.mind.draft.ended.append(EndedAction(action.id, now, OutcomeStatus.DONE))
        if step is not None:
            self.mind.update_step(replace(step, status=PlanStatus.DONE))
        self.doing = replace(self.doing, action=None, step=0, attempt=0, avoid=())
        self.next_wake = now

    def _step(self) -> PlanStep | None:
        return next((step for step in self.mind.plan if step.id == self.doing.step), None) if self.doing.step else None

    def _thought(self, step: PlanStep) -> str:
        """What goes through its head: the step, within the hour it belongs to."""
        hour = next((s for s in self.mind.plan if s.id == step.parent), None)
        if hour is None or hour.text == step.text:
            return step.text
        return f"{hour.text}: {step.text}"

    # ---- looking in

    def state(self, now: GameTime) -> MindState:
        action = self.doing.action
        return MindState(
            npc=self.npc,
            name=self.mind.persona.name,
            identity=identity.paragraph(self.mind),
            action=action,
            address=self.doing.address,
            asleep=action is not None and instinct.is_asleep_at(self.mind.persona, now),
            now=now,
            memories=tuple(self.mind.stream.count_by_kind().items()),
            model_answers=self.mind.model_answers,
            instinct_answers=self.mind.instinct_answers,
            known=tuple(self.mind.known.addresses()),
        )
