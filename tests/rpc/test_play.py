"""The stream: order, acknowledgements, rejected events, second streams, back-pressure."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from npc_server.errors import SaveFull
from npc_server.records import Clock, ObjectChange, Perception, Rejected, Settled, Source, Thought
from npc_server.rpc.play import EVENTS_PER_RESPONSE, RESPONSES_AHEAD
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields
from tests.rpc.conftest import Game
from tests.rpc.test_interceptors import info_of
from tests.waiting import LIMIT_S, until


class Stream:
    """The game's end of one Play stream."""

    def __init__(self, game: Game, session_id: str = "s1") -> None:
        self.call = game.world.Play(metadata=game.auth)
        self.session_id = session_id
        self.waiting: list[pb.MindEvent] = []

    async def hello(self, epoch: int = 0) -> pb.Welcome:
        await self.send(epoch=epoch)
        return (await self.next("welcome")).welcome

    async def send(self, *events: pb.GameEvent, epoch: int = 3, session_id: str | None = None) -> None:
        await self.call.write(pb.PlayRequest(session_id=self.session_id if session_id is None else session_id, epoch=epoch, events=events))

    async def next(self, kind: str = "") -> pb.MindEvent:
        """The next event; it must be of that kind."""
        while not self.waiting:
            response = await asyncio.wait_for(self.call.read(), LIMIT_S)
            assert response is not grpc.aio.EOF, "the stream ended"
            self.waiting += response.events
        event = self.waiting.pop(0)
        assert not kind or event.WhichOneof("event") == kind, event
        return event

    async def failure(self) -> grpc.aio.AioRpcError:
        """What the stream ends with, at once or after what still comes."""
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self._rest()
        return caught.value

    async def _rest(self) -> None:
        while await asyncio.wait_for(self.call.read(), LIMIT_S) is not grpc.aio.EOF:
            pass

    async def silent(self, seconds: float = 0.15) -> bool:
        """True when nothing comes in that time."""
        read = asyncio.ensure_future(self.call.read())
        done, _ = await asyncio.wait({read}, timeout=seconds)
        if done:
            self.waiting += read.result().events
            return False
        self._pending = read
        return True

    async def after_silence(self) -> list[pb.MindEvent]:
        response = await asyncio.wait_for(self._pending, LIMIT_S)
        return list(response.events)


def clock(seq: int, now: int = 2000) -> pb.GameEvent:
    return pb.GameEvent(seq=seq, clock=pb.Clock(now_s=now))


def change(seq: int) -> pb.GameEvent:
    return pb.GameEvent(seq=seq, object_change=pb.ObjectChange(address="w:s:a:o", state="on"))


def broken(seq: int) -> pb.GameEvent:
    return pb.GameEvent(seq=seq, perception=pb.Perception(npc_id="", kind=pb.PERCEPTION_KIND_EVENT, text="A bell."))


async def test_welcome_comes_first_with_epoch_last_stored_and_clock(game: Game) -> None:
    game.host.session_.last_stored_seq = 41
    stream = Stream(game)
    await stream.send(clock(42))
    welcome = (await stream.next("welcome")).welcome
    assert (welcome.epoch, welcome.last_stored_seq, welcome.now_s) == (3, 41, 1000)
    assert (await stream.next("ack")).ack.seq == 42
    assert game.host.session_.stored == [(42, Clock(2000))]


async def test_acknowledgement_comes_only_after_the_store(game: Game) -> None:
    gate = game.host.session_.gate = asyncio.Event()
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1))
    assert await stream.silent()
    assert game.host.session_.takes == [[1]]
    gate.set()
    assert [event.ack.seq for event in await stream.after_silence()] == [1]


async def test_what_comes_while_a_commit_is_awaited_is_stored_together(game: Game) -> None:
    gate = game.host.session_.gate = asyncio.Event()
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1))
    await until(lambda: game.host.session_.takes == [[1]])
    for seq in range(2, 8):
        await stream.send(clock(seq))
    (served,) = game.server.world._streams
    await until(lambda: len(served._up._items) == 6)
    gate.set()
    seen = 0
    while seen < 7:
        seen = (await stream.next("ack")).ack.seq
    assert game.host.session_.takes == [[1], [2, 3, 4, 5, 6, 7]]


async def test_hanging_up_the_upward_side_stores_the_rest_and_ends_well(game: Game) -> None:
    stream = Stream(game)
    for seq in range(1, 6):
        await stream.send(clock(seq))
    await stream.call.done_writing()
    acks = [event.ack.seq async for response in stream.call for event in response.events if event.HasField("ack")]
    assert acks[-1] == 5
    assert await stream.call.code() is grpc.StatusCode.OK


async def test_broken_event_is_told_and_does_not_hold_up_the_next(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1), broken(2), pb.GameEvent(seq=3), change(4))
    for seq, words in ((2, "perception.npc_id"), (3, "Field event")):
        notice = (await stream.next("notice")).notice
        assert (notice.level, notice.reason, notice.seq) == (pb.NOTICE_LEVEL_ERROR, "EVENT_REJECTED", seq)
        assert words in notice.message
    assert (await stream.next("ack")).ack.seq == 4
    stored = dict(game.host.session_.stored)
    assert stored[1] == Clock(2000)
    assert isinstance(stored[2], Rejected)
    assert isinstance(stored[3], Rejected)
    assert stored[4] == ObjectChange("w:s:a:o", "on")


async def test_event_without_a_number_is_told_and_nothing_is_stored_for_it(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(0), clock(-4), clock(1))
    for _ in range(2):
        notice = (await stream.next("notice")).notice
        assert (notice.reason, notice.seq) == ("EVENT_REJECTED", 0)
    assert (await stream.next("ack")).ack.seq == 1
    assert game.host.session_.takes == [[1]]


async def test_perception_without_a_time_happened_at_the_clock_before_it(game: Game) -> None:
    def bell(seq: int, at: int = 0) -> pb.GameEvent:
        seen = pb.Perception(npc_id="mara_voss", kind=pb.PERCEPTION_KIND_EVENT, text="A bell.", at_s=at)
        return pb.GameEvent(seq=seq, perception=seen)

    stream = Stream(game)
    await stream.hello()
    await stream.send(bell(1), clock(2, 2000), bell(3), bell(4, 1500))
    await stream.next("ack")
    assert [event.at for _, event in game.host.session_.stored if isinstance(event, Perception)] == [1000, 2000, 1500]


async def test_resent_broken_event_is_not_told_again(game: Game) -> None:
    game.host.session_.last_stored_seq = 2
    stream = Stream(game)
    await stream.hello()
    await stream.send(broken(2), clock(3))
    assert (await stream.next("ack")).ack.seq == 3


async def test_events_of_an_older_epoch_are_dropped_and_told_once(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(7), epoch=2)
    assert (await stream.next("notice")).notice.reason == "OLD_EPOCH"
    await stream.send(clock(8), epoch=2)
    await stream.send(clock(1))
    assert (await stream.next("ack")).ack.seq == 1
    assert game.host.session_.takes == [[1]]


async def test_nothing_is_acknowledged_when_a_load_came_between(game: Game) -> None:
    session = game.host.session_
    session.gate = asyncio.Event()
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1))
    await until(lambda: session.takes == [[1]])
    session.epoch = 4
    session.gate.set()
    assert await stream.silent()


async def test_epoch_of_the_future_ends_the_stream(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1), epoch=9)
    error = await stream.failure()
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "Field epoch is 9" in str(error.details())


async def test_second_stream_ends_the_first_with_its_reason(game: Game) -> None:
    first = Stream(game)
    await first.hello()
    second = Stream(game)
    await second.hello()
    error = await first.failure()
    assert error.code() is grpc.StatusCode.ABORTED
    assert info_of(error).reason == "STREAM_REPLACED"
    await second.send(clock(1))
    assert (await second.next("ack")).ack.seq == 1


async def test_closing_the_session_ends_its_stream_well(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await game.saves.CloseSave(pb.CloseSaveRequest(session_id="s1"), metadata=game.auth)
    assert await asyncio.wait_for(stream.call.read(), LIMIT_S) is grpc.aio.EOF
    assert await stream.call.code() is grpc.StatusCode.OK


async def test_what_minds_send_comes_down_in_order_and_in_pieces(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    count = 3 * EVENTS_PER_RESPONSE + 5
    game.host.session_.tell(*(Settled(seq, 0) for seq in range(count)))
    assert [(await stream.next("settled")).settled.seq for _ in range(count)] == list(range(count))


async def test_game_that_does_not_read_stops_the_outbox_and_not_its_acknowledgements(game: Game) -> None:
    """400 batches of 100 kB wait with the session, which bounds them, and not in the stream; events still get stored."""
    stream = Stream(game)
    await stream.hello()
    session = game.host.session_
    for _ in range(400):
        session.tell(Thought("mara_voss", "x" * 100_000, Source.INSTINCT, 5))
    assert session.outbox is not None
    await asyncio.sleep(0.5)
    stalled = session.outbox.fetched
    assert stalled < RESPONSES_AHEAD + 200  # gRPC's own windows hold some MB
    for seq in range(1, 2_001):
        await stream.send(clock(seq))
    await until(lambda: session.last_stored_seq == 2_000)
    acks: list[int] = []
    thoughts = 0
    while thoughts < 400 or not acks or acks[-1] < 2_000:
        event = await stream.next()
        if event.HasField("ack"):
            acks.append(event.ack.seq)
        else:
            thoughts += 1
    assert len(acks) < 100  # merged, not queued


async def test_error_of_the_store_ends_the_stream_with_its_code(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    game.host.session_.fails = SaveFull("The disk is full.", "Free some space.")
    await stream.send(clock(1))
    error = await stream.failure()
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert info_of(error).reason == "DISK_FULL"


async def test_stream_of_no_session_is_refused(game: Game) -> None:
    stream = Stream(game, "nobody")
    await stream.send()
    assert (await stream.failure()).code() is grpc.StatusCode.FAILED_PRECONDITION


async def test_stream_that_says_nothing_is_refused(game: Game) -> None:
    stream = Stream(game)
    await stream.call.done_writing()
    assert (await stream.failure()).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_session_may_not_change_within_a_stream(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1), session_id="")
    assert (await stream.next("ack")).ack.seq == 1
    await stream.send(clock(2), session_id="other")
    assert (await stream.failure()).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_message_of_too_many_events_is_refused(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await stream.send(*[pb.GameEvent(seq=1)] * (fields.MAX_EVENTS + 1))
    error = await stream.failure()
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert game.host.session_.takes == []


async def test_game_that_hangs_up_leaves_no_task_behind_and_its_commit_is_let_through(game: Game) -> None:
    session = game.host.session_
    gate = session.gate = asyncio.Event()
    before = len(asyncio.all_tasks())
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1))
    await until(lambda: session.takes == [[1]])
    stream.call.cancel()
    await asyncio.sleep(0.1)
    gate.set()
    await until(lambda: session.last_stored_seq == 1)
    await until(lambda: len(asyncio.all_tasks()) <= before)


async def test_server_that_stops_stores_what_came_and_says_why_the_stream_ended(game: Game) -> None:
    session = game.host.session_
    gate = session.gate = asyncio.Event()
    stream = Stream(game)
    await stream.hello()
    await stream.send(clock(1))
    await until(lambda: session.takes == [[1]])
    stopping = asyncio.ensure_future(game.server.stop(LIMIT_S))
    await asyncio.sleep(0.05)
    gate.set()
    assert (await stream.next("ack")).ack.seq == 1
    error = await stream.failure()
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert info_of(error).reason == "SERVER_STOPPING"
    await asyncio.wait_for(stopping, LIMIT_S)


@pytest.mark.parametrize("broken_at", ["first", "later"])
async def test_unforeseen_error_in_the_store_ends_the_stream_as_internal(game: Game, broken_at: str) -> None:
    stream = Stream(game)
    if broken_at == "later":
        await stream.hello()
    game.host.session_.fails = RuntimeError("secret")
    await stream.send(clock(1))
    error = await stream.failure()
    assert error.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in str(error)
