"""One `Play` stream between game and server. It stores and acknowledges the game's events, and sends what the minds do.

Three tasks serve it. The first collects requests. The second hands their events to the session and acknowledges them. The third fetches
what the minds send. The pipes between them are bounded: when the game does not read, the server stops reading its events too, and gRPC's
flow control slows the game down. An acknowledgement never waits, because the newest replaces the one before. Events of an old epoch are
dropped; `session/epoch.py` has the rule.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import structlog

from npc_server.errors import BadInput, NpcServerError
from npc_server.records import Clock, GameEvent, MindEvent, Notice, NoticeLevel, Perception, Rejected
from npc_server.rpc.contract import SessionView
from npc_server.rpc.pipe import Pipe
from npc_server.rpc.status import cut
from npc_server.session.epoch import EventEpoch, compare_epoch
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import convert, convert_minds, fields

REQUESTS_AHEAD = 16
"""How many requests are collected during one commit: a game at 60 frames a second sends as many in a quarter of a second."""
RESPONSES_AHEAD = 16
"""How many responses wait for a game that does not read."""
EVENTS_PER_RESPONSE = 256
"""Keeps a response far below the 4 MiB that gRPC clients accept."""

_log = structlog.get_logger("npc_server.rpc")


class PlayStream:
    """Owns the tasks and pipes of one stream."""

    def __init__(self, session: SessionView, over: Callable[[PlayStream], None]) -> None:
        """`over` is called when this stream no longer uses the session. That may be after its call has ended."""
        self._session = session
        self._tell_over = over
        self._up: Pipe[pb.PlayRequest] = Pipe(REQUESTS_AHEAD)
        self._down: Pipe[pb.PlayResponse] = Pipe(RESPONSES_AHEAD)
        self._clock = session.now
        self._told_epochs: set[int] = set()
        self._ending: NpcServerError | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def responses(self, first: pb.PlayRequest, requests: AsyncIterable[pb.PlayRequest]) -> AsyncGenerator[pb.PlayResponse, None]:
        """Yields everything the game is sent, a Welcome first. Raises NpcServerError when the stream must end."""
        outbox = self._session.attach()
        await self._down.put(self._welcome())
        await self._up.put(first)
        self._start(self._collect(requests))
        self._start(self._store())
        pump = self._start(self._fetch(outbox))
        try:
            while batch := await self._down.drain():
                for response in batch:
                    yield response
        finally:
            # Only the third task is cancelled. The first ends with the call, and cancelling it would leak memory in grpcio. The second
            # may be in a commit, and cancelling that would leave the session between two states.
            self._up.close(discard=True)
            self._down.close(discard=True)
            pump.cancel()

    @property
    def busy(self) -> bool:
        """Whether a task of this stream still runs."""
        return bool(self._tasks)

    def tell(self, notice: Notice) -> None:
        """Queues a notice for the game."""
        self._start(self._put_notice(notice))

    def end(self, error: NpcServerError) -> None:
        """Takes no more requests. The stream ends with `error` once the collected ones are stored and acknowledged."""
        self._ending = error
        self._up.close()

    async def settled(self) -> None:
        """Waits until this stream no longer uses the session."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[None]) -> None:
        """Takes note of a task's end. When it failed, the stream ends with its error."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._down.close(error)
            self._up.close(discard=True)
        if not self._tasks:
            self._tell_over(self)

    # ---- from the game

    async def _collect(self, requests: AsyncIterable[pb.PlayRequest]) -> None:
        async for request in requests:
            if not await self._up.put(request):
                return
        self._up.close()

    async def _store(self) -> None:
        while batch := await self._up.drain():
            for epoch, group in groupby(batch, key=lambda request: request.epoch):
                await self._store_epoch(epoch, list(group))
        self._down.close(self._ending)

    async def _store_epoch(self, epoch: int, requests: Sequence[pb.PlayRequest]) -> None:
        """Stores the events of several requests of one `epoch` in one commit, and then acknowledges them.

        Events of an old epoch are dropped with a notice. Raises BadInput for an epoch that the session has not begun.
        """
        for request in requests:
            self._check(request)
        count = sum(len(request.events) for request in requests)
        if not count:
            return
        compared = compare_epoch(epoch, self._session.epoch)
        if compared is EventEpoch.OLD:
            await self._tell_old(epoch, count)
            return
        if compared is EventEpoch.UNKNOWN:
            raise BadInput(
                f"Field epoch is {epoch}, and the session plays in epoch {self._session.epoch}.", "Send the epoch of Welcome.", epoch=epoch
            )
        events: list[tuple[int, GameEvent]] = []
        self._clock = self._session.now
        for request in requests:
            for event in request.events:
                await self._read(event, events)
        if events:
            last = await self._session.take(epoch, events)
            if epoch == self._session.epoch:  # otherwise a save was loaded meanwhile, and nobody waits for this acknowledgement
                self._down.put_newest(pb.PlayResponse(epoch=epoch, events=[pb.MindEvent(ack=pb.Ack(seq=last))]))

    def _check(self, request: pb.PlayRequest) -> None:
        """Raises BadInput for another session's id, and for too many events."""
        if request.session_id and request.session_id != self._session.id:
            raise BadInput(
                f"Field session_id changed to {request.session_id[: fields.MAX_ID]!r} within a stream.", "Open one stream for each session."
            )
        fields.count(request.events, "events", fields.MAX_EVENTS)

    async def _read(self, event: pb.GameEvent, events: list[tuple[int, GameEvent]]) -> None:
        """Appends the event, or a `Rejected` in its place when it cannot be read, so that the events after it are still stored."""
        try:
            if event.seq < 1:
                raise fields.bad("seq", event.seq, "sequence numbers count from 1", "Number the events 1, 2, 3 … within an epoch.")
            events.append((event.seq, self._timed(convert.event_from_wire(event))))
        except BadInput as error:
            if event.seq >= 1:
                events.append((event.seq, Rejected(str(error))))
            if event.seq < 1 or event.seq > self._session.last_stored_seq:
                await self._notice(NoticeLevel.ERROR, "EVENT_REJECTED", f"Event {event.seq} was left out. {error}", max(event.seq, 0))

    def _timed(self, event: GameEvent) -> GameEvent:
        """Gives a perception without a time the time of the last clock before it."""
        if isinstance(event, Clock):
            self._clock = max(self._clock, event.now)
        elif isinstance(event, Perception) and not event.at:
            return replace(event, at=self._clock)
        return event

    async def _tell_old(self, epoch: int, count: int) -> None:
        """Sends a notice that events of an old epoch were dropped, once for each epoch."""
        if epoch not in self._told_epochs and len(self._told_epochs) < 100:
            self._told_epochs.add(epoch)
            now = self._session.epoch
            text = f"{count} events of epoch {epoch} were dropped: the session plays in epoch {now}. Send the epoch of Welcome or LoadGame."
            await self._notice(NoticeLevel.WARNING, "OLD_EPOCH", text, 0)

    async def _notice(self, level: NoticeLevel, reason: str, message: str, seq: int) -> None:
        await self._put_notice(Notice(level, reason, cut(message, 1_000), seq))

    async def _put_notice(self, it: Notice) -> None:
        notice = convert_minds.notice_to_wire(it)
        await self._down.put(pb.PlayResponse(epoch=self._session.epoch, events=[pb.MindEvent(notice=notice)]))

    # ---- to the game

    def _welcome(self) -> pb.PlayResponse:
        it = self._session
        welcome = pb.Welcome(epoch=it.epoch, last_stored_seq=it.last_stored_seq, now_s=it.now)
        return pb.PlayResponse(epoch=it.epoch, events=[pb.MindEvent(welcome=welcome)])

    async def _fetch(self, outbox: AsyncIterable[tuple[int, Sequence[MindEvent]]]) -> None:
        async for epoch, batch in outbox:
            for start in range(0, len(batch), EVENTS_PER_RESPONSE):
                some = [convert_minds.mind_event_to_wire(event) for event in batch[start : start + EVENTS_PER_RESPONSE]]
                if not await self._down.put(pb.PlayResponse(epoch=epoch, events=some)):
                    return
        self._up.close(discard=True)  # the session is closed, so nothing more can be stored
