"""One NPC: what it is doing, and the order of the stages.

A thought takes in what happened since the last one and decides what to do next. It is written in one transaction, so a killed server
leaves a whole thought or none. The session undoes a thought that breaks (`session.rollback`), and its events are thought about again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from npc_server import clock
from npc_server.affordable import commands, policy_learning, social_memory
from npc_server.cognition import (
    act,
    errands,
    gathering,
    importance,
    loops,
    occupied,
    own_deeds,
    perceive,
    plan,
    react,
    reflect,
    revise_identity,
    see_to_need,
)
from npc_server.cognition.occupied import Occupied
from npc_server.cognition.replan_day import replan_if_agreed
from npc_server.lines import read_ahead
from npc_server.memory.draft import EndedAction
from npc_server.mind import forget, needs, offers, players, replies, restraints
from npc_server.mind.agent_state import state_of
from npc_server.mind.doing import CALLED_KEPT, TALKED_KEPT, TOLD_KEPT, Doing, with_summaries
from npc_server.mind.mind import Mind
from npc_server.mind.mind_state import mind_state
from npc_server.mind.named import seen_as
from npc_server.mind.places import room_of
from npc_server.mind.steps import decided, deed_of, people_of, thought_of
from npc_server.personas import routine
from npc_server.records import (
    NEVER,
    Action,
    Address,
    GameAction,
    GameActionResult,
    GameEvent,
    GameTime,
    Memory,
    MemoryTopic,
    MindEvent,
    MindState,
    NpcId,
    Outcome,
    OutcomeReason,
    OutcomeStatus,
    PathQuery,
    Perception,
    PerceptionKind,
    PlanStatus,
    PlanStep,
    Reach,
    Source,
    StepKind,
    Thought,
    Whereabouts,
)
from npc_server.world.tree import lineage

NEAR_PLAYER_M = 15.0
"""A body within this many metres of a player gets the model before others."""
STUCK_S = 5 * clock.MINUTE
"""Game seconds after which a mind that found nothing to do looks again."""


@dataclass(frozen=True)
class Wish:
    """A wish to talk with somebody about something."""

    to: NpcId
    about: str


@dataclass
class Agent:
    """One NPC in a session. `think` is called by one task at a time."""

    mind: Mind
    doing: Doing
    ask_game: Callable[[PathQuery], Awaitable[Sequence[Reach]]]
    """Asks the game how far places are. The answer is empty if the game does not answer in time."""
    mailbox: list[tuple[int, GameEvent]] = field(default_factory=list)
    """Events that no thought has taken in yet, with their sequence numbers."""
    outgoing: list[MindEvent] = field(default_factory=list)
    """What the session tells the game once the thought is stored."""
    wish: Wish | None = None
    """With whom it wants to talk now. The session brings them together after the thought."""
    decided: list[str] = field(default_factory=list)
    """Sentences of the latest actions that the model decided. `cognition.loops` compares them."""
    next_wake: GameTime = NEVER
    """Game time at which there is something to decide; at once if that is past."""
    rests_until: GameTime = NEVER
    """Game time until which it does not think, because its last thought broke."""
    tried: frozenset[int] = frozenset()
    """Sequence numbers of the events of the thought that broke."""
    thoughts: int = 0  # since the save was opened

    @property
    def npc(self) -> str:
        return self.mind.npc

    def due(self, now: GameTime) -> bool:
        return now >= self.rests_until and (bool(self.mailbox) or now >= self.next_wake)

    async def think(self, now: GameTime) -> None:
        """Thinks once. Afterwards `mind.draft` holds the changes, and the session writes them."""
        events, self.mailbox, self.thoughts = self.mailbox, [], self.thoughts + 1
        first_new_step = self.mind.plan.next_id
        self.mind.plan.forget_old(now)
        needs.live(self.mind, self.doing, now)
        self.wish = None
        self.doing, perceived = restraints.taken_in(self.doing, events)
        if players.notice(self.mind, [event for _, event in events]):
            read_ahead.before_talk(self.mind, now, room_of(self.mind.world, self.doing.address))
        for _, event in events:
            if isinstance(event, Whereabouts):
                self._take_whereabouts(event)
            elif isinstance(event, Outcome):
                await self._take_outcome(event, now)
            elif isinstance(event, GameActionResult):
                await self._take_game_action_result(event, now)
            elif isinstance(event, Perception) and event.kind is PerceptionKind.PLACE:
                self._enter(event.address)
        noticed = await perceive.perceive(self.mind, perceived, now)
        if not self._rests(now):
            await self._react(noticed, now)
        await replan_if_agreed(self.mind, now)
        if self._is_free(now):
            await self._next_action(now)
        elif self.doing.action is not None:
            self.next_wake = self.doing.action.end
        await own_deeds.remember(self.mind, now)
        for memory, guests in await gathering.remember(self.mind, now):
            self.note_told(guests, [memory.id])
        await own_deeds.remember_plan(self.mind, first_new_step, now)
        await social_memory.renew(self.mind, now)
        await social_memory.revise_after_players(self.mind, self.doing.talked, now)
        await revise_identity.renew(self.mind, now)
        await importance.catch_up(self.mind, now)
        if reflect.is_due(self.mind):
            await importance.catch_up(self.mind, now, least=importance.SEVERAL)
        if reflect.is_due(self.mind) and await reflect.reflect(self.mind, now) and self.mind.answerer.asks("identity"):
            await revise_identity.revise_in_between(self.mind, now)
        self.mind.draft.events_done += [seq for seq, _ in events]
        forget.forget_asleep(self.mind, now)
        self.outgoing += needs.news(self.mind, now)
        self.keep()

    def keep(self) -> None:
        """Puts the agent's state into the draft."""
        exchanges = tuple(with_summaries(exchange, self.mind.draft.taken_in) for exchange in self.doing.exchanges)
        self.doing = replace(self.doing, exchanges=exchanges)
        self.mind.draft.state = state_of(self.mind, self.doing)

    # ---- what the game reports

    def _take_whereabouts(self, event: Whereabouts) -> None:
        self.doing = replace(self.doing, address=event.address)
        self.mind.budget.near = 0 <= event.player_distance <= NEAR_PLAYER_M

    def _enter(self, place: Address) -> None:
        """Notes the place that it walks through. Somebody who uses an object stays at it."""
        if place in self.mind.world and place not in lineage(self.doing.address):
            self.doing = replace(self.doing, address=place)

    async def _take_outcome(self, outcome: Outcome, now: GameTime) -> None:
        """Takes in how the current action goes. A report of an earlier action is too late and has no effect."""
        if outcome.address:
            self.doing = replace(self.doing, address=outcome.address)
        action = self.doing.action
        if action is None or outcome.action_id != action.id:
            return
        if outcome.status is OutcomeStatus.ARRIVED:
            own_deeds.arrive(self.mind, now)
        elif outcome.status is OutcomeStatus.DONE:
            own_deeds.arrive(self.mind, now)
            self._finish(now)
        elif outcome.status is OutcomeStatus.FAILED:
            await self._fail(action, outcome.reason or "it was not possible", outcome.code, now)

    async def _fail(self, action: Action, reason: str, code: OutcomeReason, now: GameTime) -> None:
        """Remembers what could not be done, and tries it elsewhere until the retries are used up."""
        own_deeds.end(self.mind, now, reason)
        self.mind.draft.ended.append(EndedAction(action.id, now, OutcomeStatus.FAILED, reason, code))
        step, is_taken = self._step(), code is OutcomeReason.OCCUPIED
        if step is not None and not is_taken and commands.failed(self.mind, step, reason, self.doing.address, now):
            self._clear_action()
            return
        name, place = self.mind.persona.first_name, self.mind.world.describe(action.address)
        text = f"{name} could not do this at {place}: {action.sentence}, because {reason}."
        what = (self.npc, "could not", action.object_action or action.address)
        await perceive.observe(self.mind, text, what, action.address, now, MemoryTopic.FAILED)
        if step is not None and step.end > now and is_taken:
            self._clear_action()
            occupied.wait(self.mind, action.address, replace(step, status=PlanStatus.AHEAD), self._room(), now)
            return
        if step is not None and not is_taken:
            policy_learning.step_failed(self.mind, step, action, now)
        if self.doing.attempt < self.mind.settings.max_retries_per_step:
            avoid = (*self.doing.avoid, action.address)
            self.doing = replace(self.doing, action=None, attempt=self.doing.attempt + 1, avoid=avoid)
            return
        self._clear_action()
        if step is not None:
            self.mind.update_step(replace(step, status=PlanStatus.FAILED))
            await plan.replan_hour(self.mind, step, reason, now)

    async def _take_game_action_result(self, result: GameActionResult, now: GameTime) -> None:
        """Remembers whether what it chose to do in a conversation happened."""
        what, triple, topic = offers.outcome(self.mind.people.name_of, self.mind.persona, self.doing.called, result)
        await perceive.observe(self.mind, what, triple, self.doing.address, now, topic)

    # ---- reacting

    def is_talking(self, now: GameTime) -> bool:
        """Whether it is in a conversation, or one that was thought up already is still being said."""
        latest = self.mind.lifestyle.deeds[-1] if self.mind.lifestyle.deeds else None
        return bool(self.doing.talk) or (latest is not None and bool(latest.talked_with) and now < latest.end)

    def _rests(self, now: GameTime) -> bool:
        """Whether it is asleep or in a conversation, so that nothing interrupts it."""
        return bool(self.doing.talk) or (self.doing.action is not None and routine.is_asleep_at(self.mind.persona, now))

    def may_talk_to(self, who: NpcId, now: GameTime) -> bool:
        """Whether the last conversation with them is long enough ago. Nobody talks to themselves, or in two conversations at once."""
        pause = self.mind.settings.talk_cooldown_min * clock.MINUTE
        may = who != self.npc and not self.is_talking(now) and not restraints.is_silent(self.doing, self.mailbox, now)
        return may and all(now >= at + pause for person, at in self.doing.talked if person == who)

    async def _react(self, noticed: Sequence[Memory], now: GameTime) -> None:
        doing = self.doing.action.sentence if self.doing.action and not self._is_free(now) else ""
        may_talk, talked = partial(self.may_talk_to, now=now), self.doing.talked
        noticed = players.with_due_promise(self.mind, noticed, now, may_talk)
        found = await react.react(self.mind, noticed, doing, self.doing.address, now, may_talk, talked)
        if found is None:
            return
        if found.kind == replies.TALK:
            self.wish = Wish(found.to, found.about)
            return
        self._interrupt(now)
        kind = StepKind.PAUSE if found.kind == replies.WAIT else StepKind.ACTIVITY
        errands.insert(self.mind, now, found.errands, found.source, kind)
        self.mind.tally.plan_changes += 1

    def _interrupt(self, now: GameTime) -> None:
        """Stops the current action. Its step is taken up again if there is time left."""
        own_deeds.end(self.mind, now)
        step, action = self._step(), self.doing.action
        if action is not None and now < action.end:
            self.mind.draft.ended.append(EndedAction(action.id, now, None))
        elif action is not None:
            self.mind.draft.ended.append(EndedAction(action.id, now, OutcomeStatus.DONE))
        if step is not None:
            self.mind.update_step(replace(step, status=PlanStatus.AHEAD if now < step.end else PlanStatus.DONE))
        self._clear_action()
        self.next_wake = now

    # ---- talking (the session leads the conversation)

    def begin_talk(self, talk: str, others: Sequence[str], now: GameTime, until: GameTime) -> None:
        """Stops the current action and talks until `until`, or until `end_talk` is called."""
        needs.live(self.mind, self.doing, now)
        self._interrupt(now)
        own_deeds.begin_talk(self.mind, others, self.doing.address, now)
        action = act.talk(self.mind, others, self.doing.address, now, until, self._action_id())
        self.doing = replace(self.doing, action=action, talk=talk, actions=self.doing.actions + 1)
        self.next_wake = until
        self.mind.draft.actions.append(action)
        self.outgoing.append(action)
        self.keep()

    def end_talk(self, others: Sequence[str], now: GameTime, until: GameTime) -> None:
        """Ends the conversation. Its action ends at `until`."""
        talked = (*(item for item in self.doing.talked if item[0] not in others), *((other, now) for other in others))
        own_deeds.end(self.mind, until)
        action = replace(self.doing.action, end=until) if self.doing.action else None
        self.doing = replace(self.doing, talk="", talked=talked[-TALKED_KEPT:], action=action)
        for other in others:
            self.mind.relationships.talk_wanted.pop(other, None)  # it came to it
        self.next_wake = until
        self.keep()

    def note_told(self, others: Sequence[str], memories: Sequence[int]) -> None:
        told = (*self.doing.told, *((other, memory) for other in others for memory in memories))
        self.doing = replace(self.doing, told=tuple(dict.fromkeys(told))[-TOLD_KEPT:])

    def note_called(self, call: GameAction, who: str) -> None:
        """Notes what it chose to do in the game for somebody. The game answers by the id of the call."""
        noted = (call.call_id, call.name, who, offers.in_words(call.arguments))
        self.doing = replace(self.doing, called=(*self.doing.called, noted)[-CALLED_KEPT:])
        self.keep()

    # ---- deciding

    def _is_free(self, now: GameTime) -> bool:
        """Whether there is something to decide, because there is no action or its time is over."""
        return self.doing.action is None or now >= self.doing.action.end

    async def _next_action(self, now: GameTime) -> None:
        if self.doing.action is not None:
            self._finish(now)
        await policy_learning.learn(self.mind, now)
        step = self._step() if self.doing.attempt else None
        if step is None or step.end <= now:
            self.doing = replace(self.doing, step=0, attempt=0, avoid=())
            if not routine.is_asleep_at(self.mind.persona, now) and not plan.has_plan(self.mind, now):
                await revise_identity.revise(self.mind, now)
            step = await see_to_need.first(self.mind, await plan.next_step(self.mind, now), self.doing.address, now)
        command = await commands.next_action(self.mind, step, self.doing.address, now, self._action_id())
        if command is not None:
            policy_learning.activity_begun(self.mind, command.step, command.action)
            self._do(command.step, command.action, now)
            return
        step, action = await self._choose(step, now)
        if isinstance(action, Occupied):
            occupied.wait(self.mind, action.address, step, self._room(), now)
            step, action = await self._choose_anew(now)
        if isinstance(action, Action) and action.source is Source.MODEL and await loops.is_loop(self.mind, self.decided, action.sentence):
            plan.live_by_routine(self.mind, now)
            self.decided.clear()
            step, action = await self._choose_anew(now)
        if not isinstance(action, Action):
            # No place for it can be reached: give the step up, and look again soon.
            policy_learning.step_failed(self.mind, step, None, now)
            self.mind.update_step(replace(step, status=PlanStatus.FAILED))
            self._clear_action()
            self.next_wake = min(step.end, now + STUCK_S)
            return
        policy_learning.step_begun(self.mind, step, action)
        self._do(step, action, now)
        if action.source is Source.MODEL:
            self.decided = [*self.decided, action.sentence][-self.mind.settings.repeat_window :]

    def _do(self, step: PlanStep, action: Action, now: GameTime) -> None:
        """Begins the action that was chosen for a step."""
        action = replace(action, seen_as=seen_as(self.mind, action))
        own_deeds.begin(self.mind, deed_of(self.mind, step, action), action.address, now, people_of(self.mind, step))
        self.mind.update_step(decided(step, action))
        self.doing = replace(self.doing, action=action, step=step.id, actions=self.doing.actions + 1)
        self.mind.draft.actions.append(action)
        self.next_wake = action.end
        self.outgoing.append(action)
        self.outgoing.append(Thought(self.npc, thought_of(self.mind, step), step.source, now))

    async def _choose(self, step: PlanStep, now: GameTime) -> tuple[PlanStep, Action | Occupied | None]:
        """The step and the action for it. A policy that knows the step makes it ready."""
        step = await policy_learning.ready(self.mind, step, now, self.doing.avoid)
        paths = self._paths(step, now)
        return step, await act.act(self.mind, step, self.doing.address, now, paths, self._action_id(), self.doing.avoid)

    async def _choose_anew(self, now: GameTime) -> tuple[PlanStep, Action | Occupied | None]:
        """As `_choose`, for the step that is due now. Failures of the step before do not count for it."""
        self.doing = replace(self.doing, attempt=0, avoid=())
        return await self._choose(await plan.next_step(self.mind, now), now)

    def _action_id(self) -> str:
        return f"{self.npc}/{self.doing.actions + 1}"

    def _paths(self, step: PlanStep, now: GameTime) -> act.AskPaths:
        query = f"{self.npc}/{step.id}/{self.doing.attempt}/{now}"
        return lambda addresses: self.ask_game(PathQuery(self.npc, query, tuple(addresses)))

    def _finish(self, now: GameTime) -> None:
        own_deeds.end(self.mind, now)
        action, step = self.doing.action, self._step()
        if action is not None:
            self.mind.draft.ended.append(EndedAction(action.id, now, OutcomeStatus.DONE))
        if step is not None:
            self.mind.update_step(replace(step, status=PlanStatus.DONE))
        self._clear_action()
        self.next_wake = now

    def _clear_action(self) -> None:
        """Forgets the action and its step."""
        self.doing = replace(self.doing, action=None, step=0, attempt=0, avoid=())

    def _room(self) -> Address:
        return room_of(self.mind.world, self.doing.address)

    def _step(self) -> PlanStep | None:
        return next((step for step in self.mind.plan.steps if step.id == self.doing.step), None) if self.doing.step else None

    # ---- looking in

    def state(self, now: GameTime) -> MindState:
        return mind_state(self.mind, self.doing, now)
