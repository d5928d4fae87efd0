"""The `Play` stream as a game uses it. It numbers events, keeps them until they are acknowledged, and sends them again if it breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

import grpc

from npc_server.errors import NoSession, NpcServerError, SaveError, SaveInUse
from npc_server.records import GameEvent, MindEvent
from npc_server.sandbox.connection import Connection, OpenedSave, PlayCall, broke, said
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import convert, convert_minds

EVENTS_PER_REQUEST = 1_000
"""Most events in one request. The server accepts 4,096."""
RETRY_S = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Wall seconds between attempts to reconnect. The last one repeats."""


@dataclass(frozen=True)
class Reconnected:
    """The stream broke and was restored. Events of minds may be lost, those of the game are not."""

    session_id: str


class PlayClient:
    """One `Play` stream that restores itself. `send` never waits, and `receive` returns events of the minds."""

    def __init__(self, connection: Connection, save: OpenedSave, give_up_s: float = 30.0) -> None:
        self._connection = connection
        self._save = save
        self._give_up_s = give_up_s
        self._last = save.last_stored_seq
        self._unacked: deque[pb.GameEvent] = deque()
        self._sent = save.last_stored_seq
        """Highest number that was written to the current stream."""
        self._waiting = asyncio.Event()
        self._all_stored = asyncio.Event()
        self._all_stored.set()
        self._incoming: asyncio.Queue[MindEvent | Reconnected | NpcServerError] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._streams = 0

    @property
    def session_id(self) -> str:
        return self._save.session_id

    @property
    def epoch(self) -> int:
        return self._save.epoch

    @property
    def unacked(self) -> int:
        """Events that are not yet known to be stored."""
        return len(self._unacked)

    def start(self) -> None:
        """Connects in the background."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def send(self, events: Iterable[GameEvent]) -> int:
        """Queues events, and returns the number of the last one."""
        for event in events:
            self._last += 1
            self._unacked.append(convert.event_to_wire(self._last, event))
            self._all_stored.clear()
        self._waiting.set()
        return self._last

    async def receive(self) -> MindEvent | Reconnected:
        """Returns the next event of a mind. Raises the error that ended the stream for good."""
        event = await self._incoming.get()
        if isinstance(event, NpcServerError):
            self._incoming.put_nowait(event)
            raise event
        return event

    async def stored(self, timeout_s: float = 30.0) -> bool:
        """Waits until the server has stored all sent events. Returns False if that takes longer than `timeout_s` wall seconds."""
        try:
            await asyncio.wait_for(self._all_stored.wait(), timeout_s)
        except asyncio.TimeoutError:
            return False
        return True

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    # ---- the stream

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        broke_at: float | None = None
        tries = 0
        while True:
            before = self._streams
            try:
                await self._stream()
                failure: NpcServerError = NpcServerError("The server ended the stream.", "See its log.")
            except grpc.aio.AioRpcError as error:
                failure = said(error)
                if not broke(error) and not isinstance(failure, NoSession):
                    self._incoming.put_nowait(failure)
                    return
            except NpcServerError as error:  # of a server in the same process
                self._incoming.put_nowait(error)
                return
            if self._streams > before:
                broke_at, tries = None, 0
            broke_at = loop.time() if broke_at is None else broke_at
            if loop.time() - broke_at > self._give_up_s:
                self._incoming.put_nowait(failure)
                return
            await asyncio.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1
            if isinstance(failure, NoSession) and not await self._reopen():
                return

    async def _reopen(self) -> bool:
        """Opens the save on a restarted server at the same epoch. Returns False if that is impossible."""
        try:
            found = await self._connection.open_save(self._save.slot, self._save.epoch)
        except SaveInUse:
            return True  # The old server has not closed it yet.
        except SaveError as error:
            self._incoming.put_nowait(error)
            return False
        except NpcServerError:
            return True  # The server is not reachable yet. The next round tries again.
        if found.epoch != self._save.epoch:
            lost = NpcServerError(
                f"The server lost epoch {self._save.epoch} of save {found.slot!r} and begins epoch {found.epoch}.",
                "Load the save and play on from its own time.",
            )
            self._incoming.put_nowait(lost)
            return False
        self._save = found
        return True

    async def _stream(self) -> None:
        call = self._connection.play()
        writer: asyncio.Task[None] | None = None
        try:
            await call.write(pb.PlayRequest(session_id=self._save.session_id, epoch=self._save.epoch))
            while isinstance(response := await call.read(), pb.PlayResponse):
                for event in response.events:
                    if event.HasField("welcome"):
                        self._greet(event.welcome)
                        writer = writer or asyncio.get_running_loop().create_task(self._write(call))
                    elif event.HasField("ack"):
                        self._stored_up_to(event.ack.seq)
                    elif response.epoch == self._save.epoch and (told := convert_minds.mind_event_from_wire(event)) is not None:
                        self._incoming.put_nowait(told)
        finally:
            call.cancel()
            if writer is not None:
                writer.cancel()
                await asyncio.gather(writer, return_exceptions=True)

    def _greet(self, welcome: pb.Welcome) -> None:
        self._stored_up_to(welcome.last_stored_seq)
        self._sent = welcome.last_stored_seq
        self._waiting.set()
        self._streams += 1
        if self._streams > 1:
            self._incoming.put_nowait(Reconnected(self._save.session_id))

    def _stored_up_to(self, seq: int) -> None:
        while self._unacked and self._unacked[0].seq <= seq:
            self._unacked.popleft()
        if not self._unacked:
            self._all_stored.set()

    async def _write(self, call: PlayCall) -> None:
        """Writes queued events to this stream as they come."""
        while True:
            self._waiting.clear()
            ready = [event for event in self._unacked if event.seq > self._sent]
            for start in range(0, len(ready), EVENTS_PER_REQUEST):
                piece = ready[start : start + EVENTS_PER_REQUEST]
                self._sent = piece[-1].seq
                await call.write(pb.PlayRequest(session_id=self._save.session_id, epoch=self._save.epoch, events=piece))
            await self._waiting.wait()


@contextlib.asynccontextmanager
async def playing(connection: Connection, save: OpenedSave) -> AsyncIterator[PlayClient]:
    """Plays an opened save, and closes it in the end. It does not save, so save the game before."""
    client = PlayClient(connection, save)
    client.start()
    try:
        yield client
    finally:
        await client.close()
        # After a failure the server may be gone, too. The first failure is the one to report.
        with contextlib.suppress(NpcServerError):
            await connection.close_save(client.session_id, save=False)
