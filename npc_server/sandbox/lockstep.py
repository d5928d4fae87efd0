"""Plays a town in lockstep: time waits until every mind has decided, so the same seed gives the same day."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from npc_server.records import NEVER, Action, Clock, GameTime, MindEvent, Outcome, PathQuery, Settled, Speech
from npc_server.sandbox.client import PlayClient, Reconnected
from npc_server.sandbox.town_world import TownWorld

TICK_S = 60
"""Game seconds between two decisions while somebody walks."""
IDLE_S = 3600
"""Most game seconds that the clock advances at once."""
QUICK_TICKS = 5
"""How many short turns of one game second may follow each other, so that minds can react to a locked door at once."""

OnEvent = Callable[[MindEvent], None]
OnOutcome = Callable[[Outcome, GameTime], None]


class Lockstep:
    """Lets a town and its minds take turns."""

    def __init__(
        self,
        client: PlayClient,
        world: TownWorld,
        on_event: OnEvent,
        tick_s: int = TICK_S,
        on_outcome: OnOutcome | None = None,
    ) -> None:
        self._client = client
        self._world = world
        self._on_event = on_event
        self._tick_s = tick_s
        self._on_outcome = on_outcome
        self._next_wake: GameTime = NEVER
        self._quick = 0
        self.town_s = 0.0
        """Wall seconds that the town took for moving, seeing and finding paths. The minds took the rest of the run."""

    async def turn(self, end: GameTime) -> None:
        """Lets the minds decide, then moves the town on, at most to `end`."""
        with self._in_town():
            self._world.advance(self._world.now)
        await self._settle()
        with self._in_town():
            self._world.advance(self._next_time(end))

    async def finish(self) -> None:
        """Sends the last events to the minds, and waits until they are stored."""
        await self._settle()
        await self._client.stored()

    async def _settle(self) -> None:
        """Sends what happened and the clock, answers path queries, and collects actions until every mind has decided."""
        happened = self._world.take_events()
        for outcome in (event for event in happened if isinstance(event, Outcome)):
            if self._on_outcome is not None:
                self._on_outcome(outcome, self._world.now)
        seq = self._client.send([*happened, self._clock()])
        actions: dict[str, Action] = {}
        speeches: list[Speech] = []
        while True:
            event = await self._client.receive()
            if isinstance(event, Reconnected):
                # The session sends all current actions again, and minds that had not decided do so now.
                seq = self._client.send([self._clock()])
                continue
            self._on_event(event)
            if isinstance(event, PathQuery):
                with self._in_town():
                    answer = self._world.answer(event)
                self._client.send([answer])
            elif isinstance(event, Action):
                actions[event.npc] = event
            elif isinstance(event, Speech):
                speeches.append(event)
            elif isinstance(event, Settled) and event.seq >= seq:
                self._next_wake = event.next_wake
                break
        # Actions are applied in the order of people, not of arrival, so that timing does not decide who gets the last free chair.
        # The lines of one conversation keep their order.
        with self._in_town():
            for speech in sorted(speeches, key=lambda it: it.conversation):
                self._world.speak(speech)
            for npc in self._world.bodies:
                if npc in actions:
                    self._world.act(actions[npc])

    @contextmanager
    def _in_town(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.town_s += time.perf_counter() - began

    def _clock(self) -> Clock:
        return Clock(self._world.now, lockstep=True)

    def _next_time(self, end: GameTime) -> GameTime:
        """Returns the next game time at which a mind may have to decide."""
        now = self._world.now
        if self._world.has_events and self._quick < QUICK_TICKS:
            self._quick += 1
            return min(now + 1, end)
        self._quick = 0
        wanted = [now + IDLE_S, end]
        if any(body.route for body in self._world.bodies.values()):
            wanted.append(now + self._tick_s)
        elif (change := self._world.next_change()) is not None:
            wanted.append(change)
        if self._next_wake > now:
            wanted.append(self._next_wake)
        return max(min(wanted), min(now + 1, end))
