"""A stand-in for npc-server, for what a real one cannot be made to do: fall silent, speak on command, raise the epoch.

Takes the arguments of `npc-server serve`, and more behind them. It keeps events in a file, one JSON line each, before it acknowledges.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from google.protobuf.json_format import MessageToDict

from npc_server.config import ServerSettings
from npc_server.errors import UnknownName
from npc_server.rpc.handlers import Handlers
from npc_server.rpc.interceptors import ErrorInterceptor
from npc_server.rpc.socket_front import SocketFront
from npc_server.rpc.tls import context
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc as pb_grpc

TOKEN = "fake-token"
EPOCH = 3
LIMIT_S = 300.0


class Fake:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store = Path(options.store) if options.store else None
        self.last = 0
        self.slots = ["evening", "morning"]
        if self.store is not None and self.store.exists():
            self.last = max((json.loads(line)["seq"] for line in self.store.read_text().splitlines()), default=0)

    async def OpenSave(self, request: pb.OpenSaveRequest, context: Any) -> pb.OpenSaveResponse:
        await self._silence()
        resumed = request.resume_epoch == EPOCH
        return pb.OpenSaveResponse(
            session_id="s1",
            epoch=EPOCH,
            recovered=resumed,
            last_stored_seq=self.last,
            npc_ids=[f"npc_{i}" for i in range(self.options.people)],
            model="qwen3-1.7b",
        )

    async def SaveGame(self, request: pb.SaveGameRequest, context: Any) -> pb.SaveGameResponse:
        return pb.SaveGameResponse(save=pb.SaveInfo(slot=request.slot))

    async def LoadGame(self, request: pb.LoadGameRequest, context: Any) -> pb.LoadGameResponse:
        return pb.LoadGameResponse(epoch=EPOCH + 1, save=pb.SaveInfo(slot=request.slot, game_time_s=777_000))

    async def ListSaves(self, request: pb.ListSavesRequest, context: Any) -> pb.ListSavesResponse:
        return pb.ListSavesResponse(saves=[pb.SaveInfo(slot=slot, game_time_s=1_000_000) for slot in self.slots])

    async def DeleteSave(self, request: pb.DeleteSaveRequest, context: Any) -> pb.DeleteSaveResponse:
        self.slots.remove(request.slot)
        return pb.DeleteSaveResponse()

    async def EndTalk(self, request: pb.EndTalkRequest, context: Any) -> pb.EndTalkResponse:
        return pb.EndTalkResponse(ended=request.npc_id == "npc_2")

    def __getattr__(self, name: str) -> Any:
        """Every other method: registered, and of no use here."""
        if name.startswith("_"):
            raise AttributeError(name)
        return None

    async def Play(self, requests: AsyncIterator[pb.PlayRequest], context: Any) -> AsyncIterator[pb.PlayResponse]:
        epoch = EPOCH
        yield self._say(pb.MindEvent(welcome=pb.Welcome(epoch=epoch, last_stored_seq=self.last, now_s=1_000_000)))
        async for request in requests:
            if request.epoch != epoch:
                epoch, self.last = request.epoch, 0
            for event in request.events:
                if event.seq <= self.last:
                    continue
                assert event.seq == self.last + 1, f"a gap: {event.seq} after {self.last}"
                self.last = event.seq
                self._keep(event)
                if self.options.silent_after == self.last:
                    await self._silence(always=True)
                for answer in self._answers(event):
                    yield self._say(answer, epoch)
            if request.events:
                yield self._say(pb.MindEvent(ack=pb.Ack(seq=self.last)), epoch)

    async def Say(self, request: pb.SayRequest, context: Any) -> AsyncIterator[pb.SayResponse]:
        if request.npc_id == "nobody":
            raise UnknownName("There is no NPC 'nobody' in this save.", "Name another.")
        if request.text == "Be silent":
            yield pb.SayResponse(delta="Hm")
            await asyncio.Event().wait()
        if request.text == "Be gone":  # as gRPC ends a call whose connection broke, while no other call has noticed
            await context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
        if request.text.startswith("number "):  # the later it was said, the sooner it is answered
            await asyncio.sleep((20 - int(request.text.split(" ")[1])) / 100)
        words = f"Good day, {request.speaker}.".split(" ")
        for i, word in enumerate(words):
            yield pb.SayResponse(delta=word if i == 0 else f" {word}")
        action = pb.GameAction(npc_id=request.npc_id, call_id="c2", name="wave", arguments_json='{"times": 2}')
        yield pb.SayResponse(
            full_text=" ".join(words), done=True, ended=request.text != "Be long", source=pb.DECISION_SOURCE_MODEL, actions=[action]
        )

    def _answers(self, event: pb.GameEvent) -> list[pb.MindEvent]:
        """To every perception an action, as long as the bench asks for; a speech and a thought to a question."""
        seen = event.perception
        if event.WhichOneof("event") != "perception":
            return []
        action = pb.Action(
            action_id=f"a{event.seq}", npc_id=seen.npc_id, sentence=f"Somebody is looking at {seen.subject}", address=seen.address,
            emoji="👀", start_s=seen.at_s, end_s=seen.at_s + 600, source=pb.DECISION_SOURCE_MODEL,
        )  # fmt: skip
        answers = [pb.MindEvent(action=action)]
        if seen.text == "asks":
            answers.append(
                pb.MindEvent(
                    speech=pb.Speech(
                        npc_id=seen.npc_id, text="Ça va, Zoë? 🙂", to=["tobin"], at_s=seen.at_s, source=pb.DECISION_SOURCE_MODEL
                    )
                )
            )
            coming = pb.Approach(npc_id=seen.npc_id, player="Zoë", about="the bell", text="Zoë!", conversation_id="t1", at_s=seen.at_s)
            answers += [pb.MindEvent(approach=coming)] * 2
            answers.append(pb.MindEvent(thought=pb.Thought(npc_id=seen.npc_id, text="hm", source=pb.DECISION_SOURCE_INSTINCT)))
            felt = pb.Mood(emotion=pb.EMOTION_HAPPY, strength=4)
            needs = pb.Needs(food=2.5, rest=8, company=8, fun=8, health=8)
            answers.append(pb.MindEvent(feelings=pb.Feelings(npc_id=seen.npc_id, needs=needs, mood=felt, at_s=36_000)))
            answers.append(pb.MindEvent(path_query=pb.PathQuery(query_id="q1", npc_id=seen.npc_id, addresses=["a:b", "a:c"])))
            answers.append(pb.MindEvent(notice=pb.Notice(level=pb.NOTICE_LEVEL_WARNING, reason="MODEL_MISSING", message="No model.")))
            answers.append(
                pb.MindEvent(game_action=pb.GameAction(npc_id=seen.npc_id, call_id="c1", name="give", arguments_json='{"item": "bread"}'))
            )
        return answers

    def _keep(self, event: pb.GameEvent) -> None:
        if self.store is None:
            return
        with self.store.open("a") as file:
            file.write(json.dumps({"seq": int(event.seq), "event": MessageToDict(event, preserving_proto_field_name=True)}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    async def _silence(self, always: bool = False) -> None:
        if always or self.options.silent:
            await asyncio.Event().wait()

    def _say(self, event: pb.MindEvent, epoch: int = EPOCH) -> pb.PlayResponse:
        return pb.PlayResponse(epoch=epoch, events=[event])


async def serve(options: argparse.Namespace) -> None:
    server = grpc.aio.server(interceptors=[ErrorInterceptor(LIMIT_S)])
    handlers, fake = Handlers(LIMIT_S), Fake(options)
    for add in (
        pb_grpc.add_SaveServiceServicer_to_server,
        pb_grpc.add_WorldServiceServicer_to_server,
        pb_grpc.add_DialogueServiceServicer_to_server,
    ):
        register: Any = add
        register(fake, server)
        register(fake, handlers)
    files = ServerSettings(tls_cert=options.tls_cert, tls_key=options.tls_key)
    front = SocketFront(handlers, TOKEN, 4 << 20, context(files), options.websocket)
    socket = await front.listen("127.0.0.1", 0)
    port = server.add_insecure_port(f"127.0.0.1:{options.port}")
    await server.start()
    ready = Path(options.ready_file)
    waiting = ready.with_suffix(".new")
    waiting.write_text(json.dumps({"address": f"127.0.0.1:{port}", "socket": f"127.0.0.1:{socket}", "token": TOKEN, "pid": os.getpid()}))
    waiting.replace(ready)
    try:
        while os.getppid() == options.parent_pid or not options.parent_pid:
            await asyncio.sleep(0.2)
    finally:
        await front.stop(0)
        await server.stop(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ready-file", required=True)
    parser.add_argument("--parent-pid", type=int, default=0)
    parser.add_argument("--save-folder", required=True, help="what a real server is given, too; nothing is kept there")
    parser.add_argument("--store", default="")
    parser.add_argument("--tls-cert", type=Path)
    parser.add_argument("--tls-key", type=Path)
    parser.add_argument("--websocket", action="store_true")
    parser.add_argument("--people", type=int, default=25)
    parser.add_argument("--silent", action="store_true", help="never answer OpenSave")
    parser.add_argument("--silent-after", type=int, default=0, help="no word after so many events")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
