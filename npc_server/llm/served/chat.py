"""Answers chat requests with a language model in llama.cpp's own server.

The server takes requests in the order in which they come. So they wait here for one of its slots, the most urgent first. While a player is
answered nobody else is: what runs for others is stopped, and asked again afterwards. What was read for it stays in the server's cache.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Iterable
from typing import Any

import aiohttp

from npc_server.errors import EngineError
from npc_server.llm.endpoint.server_events import ServerEvents
from npc_server.llm.endpoint.turns import Turns
from npc_server.llm.engine import Priority
from npc_server.llm.lifetime import end
from npc_server.llm.prompt_tokens import PromptTokens, refuse_long
from npc_server.llm.protocol import Frame, Send, pack_error
from npc_server.llm.sampling_parameters import PENALTY_TOKENS, SamplingParameters
from npc_server.llm.score import FinishedScore, read_given
from npc_server.llm.sequences import Tokens
from npc_server.llm.served.completion import Completed, body_of, read_event
from npc_server.llm.served.score import body_of_score, read_score
from npc_server.llm.served.server import LlamaCppServer
from npc_server.llm.served.states import ServedStates
from npc_server.llm.tokenizer import Tokenizer

Done = Completed | FinishedScore
MOST_WAITING = 1 << 20
"""The server of minds refuses before so many wait (`engine.queue_limit`)."""


class ServedChatWorker:
    """Answers the frames `ask`, `score`, `count` and `cancel`."""

    def __init__(
        self,
        server: LlamaCppServer,
        tokenizer: Tokenizer,
        prompts: PromptTokens,
        *,
        usual: SamplingParameters,
        slots: int,
        slot_tokens: int,
        send: Send,
        states: ServedStates | None = None,
    ) -> None:
        """`slot_tokens` is the most that a prompt with its reply may have. `states` are what earlier plays have read."""
        self.server, self.tokenizer, self.prompts = server, tokenizer, prompts
        self.usual, self.slot_tokens, self.send = usual, slot_tokens, send
        self.states = states
        self.loop = asyncio.new_event_loop()
        self.turns = Turns(slots, MOST_WAITING)
        self.asked: dict[int, asyncio.Task[None]] = {}
        self.running: dict[int, tuple[Frame, asyncio.Future[Done]]] = {}
        self.players = 0
        """Players that are answered now."""
        self.without_player = asyncio.Event()
        self.scoring = asyncio.Lock()
        """One text after the other, so that the slot that has read the prompt takes them all. Another one would read it anew."""
        self.keeping: asyncio.Task[None] | None = None
        """Keeps what was read for the latest answer to a player. The loop itself would not hold on to it."""
        self.http: aiohttp.ClientSession

    def hear(self, frame: Frame) -> None:
        """Takes a frame from the reading thread. Tokens are counted in that thread, so that a count does not wait."""
        rest = []
        for item in frame["do"]:
            if item["op"] == "count":
                counts = [len(self.tokenizer.read_words(text)) for text in item["texts"]]
                self.send({"ev": "answer", "id": item["id"], "counts": counts})
            else:
                rest.append(item)
        if rest:
            self.loop.call_soon_threadsafe(self._take, rest)

    def run(self) -> None:
        """Answers until the process ends."""
        self.loop.run_until_complete(self._run())

    async def _run(self) -> None:
        self.without_player.set()
        headers = {"Authorization": f"Bearer {self.server.key}"}
        # The server closes connections that were used before, at times just when another question is sent.
        connector, never = aiohttp.TCPConnector(limit=0, force_close=True), aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(connector=connector, timeout=never, headers=headers, trust_env=False) as self.http:
            await asyncio.Event().wait()

    def _take(self, items: Iterable[Frame]) -> None:
        for item in items:
            id_ = int(item["id"])
            if item["op"] in ("ask", "score"):
                self.asked[id_] = self.loop.create_task(self._answer(id_, item))
            elif item["op"] == "cancel" and id_ in self.asked:
                self.asked[id_].cancel()

    async def _answer(self, id_: int, item: Frame) -> None:
        try:
            done = await (self._for_player(id_, item) if item["priority"] == Priority.PLAYER else self._for_others(id_, item))
            self._step(done=[{"id": id_, **vars(done)}])
        except EngineError as error:
            self._step(failed=[[id_, pack_error(error)]])
        except (aiohttp.ClientError, OSError):  # it has ended
            # The server of minds sees the process end, starts it again and asks what had not begun once more.
            traceback.print_exc()
            sys.stderr.flush()
            end(1)
        finally:
            del self.asked[id_]

    async def _for_player(self, id_: int, item: Frame) -> Done:
        self.players += 1
        self.without_player.clear()
        for others, asking in list(self.running.values()):
            if others["priority"] != Priority.PLAYER and not others.get("streams"):
                asking.cancel()
        try:
            async with self.turns.turn(Priority.PLAYER):
                return await self._asked(id_, item)
        finally:
            self.players -= 1
            if not self.players:
                self.without_player.set()

    async def _for_others(self, id_: int, item: Frame) -> Done:
        while True:
            await self.without_player.wait()
            async with self.turns.turn(Priority(item["priority"])):
                if self.players:  # one came while it waited for its turn
                    continue
                asking = asyncio.ensure_future(self._asked(id_, item))
                self.running[id_] = item, asking
                try:
                    await asyncio.wait({asking})
                    if not asking.cancelled():
                        return asking.result()
                finally:
                    del self.running[id_]
                    asking.cancel()

    async def _asked(self, id_: int, item: Frame) -> Done:
        """Asks the server and keeps what lasts of what it read. Raises EngineError."""
        tokens, _ = self.prompts.of_item(item)
        refuse_long(len(tokens), self.slot_tokens)
        if self.states is None:
            return (await self._told(id_, item, tokens))[0]
        lasting = self.prompts.lasting(item)
        if item.get("only_reads") and self.states.has(tokens[:lasting]):
            return Completed("", len(tokens), len(tokens), 0, False)
        await self.states.bring(tokens, lasting)
        done, slot = await self._told(id_, item, tokens)
        self.states.read(tokens, slot)
        keeping = self.states.keep(slot, tokens, lasting)
        if item["priority"] == Priority.PLAYER:  # who gets the answer meanwhile
            self.keeping = self.loop.create_task(keeping)
        else:
            await keeping
        return done

    async def _told(self, id_: int, item: Frame, tokens: Tokens) -> tuple[Done, int]:
        """Asks the server and sends on what it writes. Returns the slot, too; -1 if it is not told. Raises EngineError."""
        if item["op"] == "score":
            return await self._scored(id_, item, tokens), -1
        body = body_of(item, tokens, self.usual, PENALTY_TOKENS)
        async with self.http.post(f"{self.server.url}/completion", json=body) as answer:
            await _check(answer)
            events, text = ServerEvents(), ""
            async for piece in answer.content.iter_any():
                for data in events.take(piece):
                    new, done, slot = read_event(data, text)
                    # What is only read so far shows, too, that the server works.
                    self._step(started=[id_] if new and not text else [], text=[[id_, new]] if new and item["streams"] else [])
                    text += new
                    if done is not None:
                        return done, slot
        raise ConnectionResetError("llama.cpp's server broke off in the middle of an answer")

    async def _scored(self, id_: int, item: Frame, tokens: Tokens) -> FinishedScore:
        written, scored = read_given(self.tokenizer.read_words, item["given"], item["text"])
        refuse_long(len(tokens) + len(written), self.slot_tokens)
        if not scored:
            return FinishedScore(id_, 0.0, 0, 0)
        before, given = [*tokens.tolist(), *written[:-scored]], written[-scored:]
        logprob, computed = 0.0, 0
        async with self.scoring:
            for at, token in enumerate(given):
                body = body_of_score([*before, *given[:at]], token)
                async with self.http.post(f"{self.server.url}/completion", json=body) as answer:
                    await _check(answer)
                    one, new = read_score(await answer.json(), token)
                logprob, computed = logprob + one, computed + new
                self._step()  # shows that the server works
        return FinishedScore(id_, logprob, len(given), computed)

    def _step(self, **what: Any) -> None:
        self.send({"ev": "step", "started": [], "text": [], "done": [], "failed": [], "running": self.turns.running, **what})


async def _check(answer: aiohttp.ClientResponse) -> None:
    """Raises EngineError for an answer that tells of an error."""
    if answer.status != 200:
        raise EngineError(f"llama.cpp's server answered {answer.status}: {(await answer.text())[:200]}.", "See the model log.")
