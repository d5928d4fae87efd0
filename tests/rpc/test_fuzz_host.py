"""The same rubbish as in test_fuzz, to a server with a real host: saves, minds and store behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest_asyncio
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npc_server.config import load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.rpc.server import start_server
from npc_server.session.host import Host
from npc_server.v1 import npc_pb2 as pb
from tests.rpc import killing
from tests.rpc.conftest import Game
from tests.rpc.test_fuzz import METHODS, NEVER, message, send
from tests.waiting import LIMIT_S

bounded = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

NPCS = st.sampled_from(["mara_voss", "ines_calder", "nobody"])
ADDRESSES = st.sampled_from(["millbrook", "kettle_cafe:kitchen:oven", "mara_house:bedroom:bed", "no:where", "millbrook:x"])
REPEATED = {"CloseSave", "DeleteSave"}
"""They end the session that the other calls need."""


@dataclass
class Real(Game):
    session_id: str = ""
    epoch: int = 0


@pytest_asyncio.fixture
async def real(tmp_path: Path) -> AsyncIterator[Real]:
    quick = {"path_wait_s": 0.02}  # nobody answers path queries here
    every = load_settings(save={"folder": tmp_path}, server={"port": 0, "stop_grace_s": 0.5}, mind=quick)
    host = Host(every, NoModelEngine("There is none."), HashedWordsEmbedder())
    server = await start_server(host, every.server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        view: Any = host
        game = Real(view, server, channel)
        await killing.make_save(server.address, server.token)
        opened = await game.saves.OpenSave(pb.OpenSaveRequest(slot=killing.SLOT), metadata=game.auth)
        game.session_id, game.epoch = opened.session_id, opened.epoch
        yield game
    await server.stop(0)
    await host.close()


def sensible(made: Message, game: Real, data: st.DataObject) -> None:
    """Fills in what lets a message through to the minds: the session, somebody, somewhere."""
    for field in made.DESCRIPTOR.fields:
        if field.name == "session_id":
            setattr(made, field.name, game.session_id)
        elif field.name == "epoch":
            setattr(made, field.name, game.epoch)
        elif field.name == "slot":
            setattr(made, field.name, data.draw(st.sampled_from([killing.SLOT, "other", ""])))
        elif field.name == "npc_id":
            setattr(made, field.name, data.draw(NPCS))
        elif field.name == "address" and data.draw(st.booleans()):
            setattr(made, field.name, data.draw(ADDRESSES))
        elif field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue  # its values are numbers
        elif field.type == field.TYPE_MESSAGE and field.is_repeated:
            for item in getattr(made, field.name):
                sensible(item, game, data)
        elif field.type == field.TYPE_MESSAGE and made.HasField(field.name):
            sensible(getattr(made, field.name), game, data)


@bounded
@given(data=st.data())
async def test_nearly_right_messages_to_any_call_never_break_a_real_server(real: Real, data: st.DataObject) -> None:
    method = data.draw(st.sampled_from([method for method in METHODS if method.name not in REPEATED]), label="method")
    requests = data.draw(st.lists(message(method.input_type), min_size=1, max_size=3))
    for request in requests:
        sensible(request, real, data)
    assert await send(real, method, [request.SerializeToString() for request in requests]) not in NEVER
    if method.name == "OpenSave":
        # No stream is read here, so a second opening of the save takes over from the first.
        opened_again = await real.saves.OpenSave(pb.OpenSaveRequest(slot=killing.SLOT), metadata=real.auth)
        real.session_id = opened_again.session_id
    mind = await real.minds.GetMind(pb.GetMindRequest(session_id=real.session_id, npc_id="mara_voss"), metadata=real.auth)
    assert mind.name == "Mara Voss"
    # A load in between raises the epoch; the next example plays in it.
    opened: Any = real.host.session(real.session_id)
    real.epoch = opened.epoch


@bounded
@given(data=st.data())
async def test_nearly_right_events_are_all_counted_and_break_no_mind(real: Real, data: st.DataObject) -> None:
    session: Any = real.host.session(real.session_id)
    first = session.last_stored_seq + 1
    events: list[Any] = data.draw(st.lists(message(pb.GameEvent.DESCRIPTOR), max_size=6))
    for seq, event in enumerate(events, start=first):
        sensible(event, real, data)
        event.seq = seq
    last = first + len(events)
    good = pb.GameEvent(seq=last, clock=pb.Clock(now_s=min(session.now + 60, 2**37), lockstep=True))
    call = real.world.Play(metadata=real.auth, timeout=LIMIT_S)
    await call.write(pb.PlayRequest(session_id=real.session_id, epoch=real.epoch, events=[*events, good]))
    seen: list[pb.MindEvent] = []
    while not any(event.settled.seq == last for event in seen if event.HasField("settled")):
        response = await call.read()
        assert response is not grpc.aio.EOF
        seen += response.events
    call.cancel()
    assert session.last_stored_seq == last
    assert [
        event.notice for event in seen if event.HasField("notice") and event.notice.reason not in ("EVENT_REJECTED", "CLOCK_REFUSED")
    ] == []
