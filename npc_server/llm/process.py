"""Supervises a model process: starts it, sends it requests, restarts it when it dies or hangs, and fails the requests that were lost.

All calls come from one event loop. The process is a new interpreter and never a fork, because the server has gRPC's threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import platformdirs
import structlog

from npc_server.errors import DeadlinePassed, EngineError, ModelDied, ModelRejected
from npc_server.llm.deadline import current_deadline
from npc_server.llm.deadline_clock import DeadlineClock, comes_in_time
from npc_server.llm.engine import Priority
from npc_server.llm.protocol import MAX_FRAME_BYTES, BrokenFrame, Frame, pack, unpack, unpack_error
from npc_server.platform import files, processes

MAX_RESTART_WAIT_S = 30.0
MAX_DEATHS_WHILE_LOADING = 3
"""The model is given up after so many deaths in a row before it was loaded."""
MAX_TRIES = 3
"""A request fails when the process has died so many times while it waited."""
MAX_LOG_BYTES = 1024 * 1024
_START = "import sys,json; sys.path[:]=json.loads(sys.argv[1]); from npc_server.llm.process_main import main; main(int(sys.argv[2]))"

OnText = Callable[[str], None]
log = structlog.get_logger(__name__)


@dataclass
class _Asked:
    """A request that is not answered yet."""

    item: Frame
    answer: asyncio.Future[Frame]
    on_text: OnText | None
    started: bool = False
    tries: int = 0


def default_log_file() -> Path:
    """Returns the path of the model log, which gets what llama.cpp prints."""
    return Path(platformdirs.user_log_dir("npc-server", appauthor=False)) / "model.log"


class ModelProcess:
    """Keeps a model process running, and sends it requests."""

    def __init__(
        self,
        init: Frame,
        *,
        restart_wait_s: float,
        deaths_max: int = 5,
        hang_s: float = 120.0,
        helps: bool = False,
        log_file: Path | None = None,
        on_ready: Callable[[Frame], None] = lambda facts: None,
    ) -> None:
        """`helps` says that its model helps where a language model is late: the wait for it has a limit of its own (`deadline.HELP_S`).

        `on_ready` gets `facts` each time that the model was loaded.
        """
        self.init, self.helps = init, helps
        self.restart_wait_s, self.deaths_max, self.hang_s = restart_wait_s, deaths_max, hang_s
        self.log_file = log_file or default_log_file()
        self.on_ready = on_ready
        self.facts: Frame = {}
        """The `ready` frame of the process: facts about its model."""
        self.restarts = self.running = 0
        self.problem: EngineError | None = None
        """Why the process is not started again. When it was given up after too many deaths, `try_again` clears this."""
        self._given_up = False
        self._deaths = 0
        """Deaths in a row without a finished answer between them."""
        self.pid = 0
        self._asked: dict[int, _Asked] = {}
        self._others_clock = DeadlineClock()
        self._ids = itertools.count(1)
        self._outbox: list[Frame] = []
        self._ready = asyncio.Event()
        self._settled = asyncio.Event()
        self._closing = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._last_sign = 0.0

    # ---- for the engine

    def start(self) -> None:
        """Starts the process in the background. Call it once, inside the event loop."""
        self._watch = asyncio.get_running_loop().create_task(self._keep_alive(), name="model process")

    def try_again(self) -> None:
        """Starts the process again if it was given up because it died too often. Otherwise it does nothing."""
        if self._given_up and not self._closing.is_set():
            log.info("model process is tried again", path=self.init.get("path", ""))
            self._given_up, self._deaths, self.problem = False, 0, None
            self._settled.clear()
            self.start()

    @property
    def ready(self) -> bool:
        return self._ready.is_set()

    @property
    def load(self) -> int:
        """How many requests are not answered yet."""
        return len(self._asked)

    async def settled(self) -> None:
        """Waits until the model is loaded, or `problem` says why it never will be."""
        await self._settled.wait()

    async def ask(self, item: Frame, deadline_s: float, on_text: OnText | None = None) -> Frame:
        """Returns the answer to `item`. Raises EngineError; that is DeadlinePassed after `deadline_s` or the task's own deadline.

        `deadline_s` is in wall seconds. For a request of an NPC, seconds in which a player is being answered do not count. When the
        caller is cancelled, the process forgets the item.
        """
        if self._closing.is_set():
            raise ModelDied("The engine is closed.", "Start the server again.")
        if self.problem is not None:
            raise self.problem
        mine, began = current_deadline(), time.monotonic()
        if mine.is_over(helps=self.helps):
            raise _late(0.0)
        id_ = next(self._ids)
        asked = _Asked({**item, "id": id_}, asyncio.get_running_loop().create_future(), on_text)
        if not self._asked:
            self._last_sign = time.monotonic()
        self._asked[id_] = asked
        if self.ready:
            self._say(asked.item)
        try:
            for_player = asked.item.get("priority") == Priority.PLAYER
            if await comes_in_time(asked.answer, mine, deadline_s, for_player=for_player, clock=self._others_clock, helps=self.helps):
                return asked.answer.result()
            raise _late(min(deadline_s, round(time.monotonic() - began, 1)))
        finally:
            if self._asked.pop(id_, None) and self.ready:
                self._say({"op": "cancel", "id": id_})
            asked.answer.cancel()

    def tell(self, item: Frame) -> None:
        """Sends what needs no answer. It is lost where the process is not ready."""
        if self.ready:
            self._say({**item, "id": next(self._ids)})

    async def close(self) -> None:
        """Ends the process. Requests that still wait raise ModelDied."""
        self._closing.set()
        self._fail_all(ModelDied("The engine was closed.", "Start the server again."))
        process = self._process
        between_lives = process is None or process.returncode is not None
        if process is not None and process.returncode is None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), 3)
            except asyncio.TimeoutError:
                _kill(process)
        if self._watch is not None:
            if between_lives:
                self._watch.cancel()
            done, _ = await asyncio.wait({self._watch}, timeout=5)
            if not done:
                self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        self._settled.set()

    # ---- sending

    def _say(self, item: Frame) -> None:
        """Sends an item. All items of one turn of the event loop go in one frame, so that they share batches."""
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outbox.append(item)

    def _flush(self) -> None:
        items, self._outbox = self._outbox, []
        if items and self.ready and self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(pack({"do": items}))

    # ---- supervision

    async def _keep_alive(self) -> None:
        wait = self.restart_wait_s
        deaths_while_loading = 0
        while not self._closing.is_set():
            answered, was_ready = False, False
            try:
                answered = await self._one_life()
                was_ready = self.ready
            except OSError as error:
                log.error("model process cannot be started", error=str(error))
            finally:
                self._ready.clear()
                self._outbox.clear()
                self.running = 0
            if self._closing.is_set():
                return
            self._deaths += 1
            deaths_while_loading = 0 if was_ready else deaths_while_loading + 1
            if self.problem is None:
                self._give_up(deaths_while_loading)
            if self.problem is not None:
                self._fail_all(self.problem)
                self._settled.set()
                return
            self._lose_running()
            if answered:
                wait = self.restart_wait_s
            await asyncio.sleep(wait)
            wait = min(max(wait * 2, 0.05), MAX_RESTART_WAIT_S)
            self.restarts += 1

    def _give_up(self, deaths_while_loading: int) -> None:
        """Sets `problem` when the process died too often. It would die again and again, and each time somebody would wait for it."""
        path = self.init.get("path", "")
        if deaths_while_loading >= MAX_DEATHS_WHILE_LOADING:
            self.problem = ModelRejected(
                f"The model process ended {deaths_while_loading} times while loading {path!r}.",
                f"The file may be damaged or too large for the memory; see {self.log_file}.",
            )
        elif self._deaths >= self.deaths_max:
            self.problem = ModelDied(
                f"The model process of {path!r} ended {self._deaths} times in a row without finishing an answer, and is given up.",
                f"See {self.log_file}; take another model, or open a save to try this one again.",
            )
        self._given_up = self.problem is not None
        if self.problem is not None:
            log.error("model process is given up", problem=str(self.problem))

    async def _one_life(self) -> bool:
        """Runs the process once, from its start to its end. Returns whether it answered anything."""
        answered = False
        process = await self._spawn()
        self._process, self.pid = process, process.pid
        try:
            assert process.stdin is not None
            process.stdin.write(pack(self.init))
            while line := await self._line(process):
                frame = unpack(line)
                self._last_sign = time.monotonic()
                answered = self._heard(frame) or answered
        except (BrokenFrame, KeyError, TypeError, ValueError) as error:
            log.error("model process broke the protocol", error=str(error))
        finally:
            if process.returncode is None and (self._closing.is_set() or not process.stdout or not process.stdout.at_eof()):
                _kill(process)
            code = await process.wait()
            if not self._closing.is_set() and self.problem is None:
                log.warning("model process ended", code=code, log=str(self.log_file))
        return answered

    async def _spawn(self) -> asyncio.subprocess.Process:
        stderr = _open_log(self.log_file)
        try:
            return await asyncio.create_subprocess_exec(
                *_command(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr if stderr is not None else asyncio.subprocess.DEVNULL,
                env={**os.environ, "GGML_NO_BACKTRACE": "1"},
                limit=MAX_FRAME_BYTES,
            )
        finally:
            if stderr is not None:
                stderr.close()

    async def _line(self, process: asyncio.subprocess.Process) -> bytes:
        """Returns the next line, or an empty one when the process has ended, or has sent nothing for `hang_s` seconds of work."""
        assert process.stdout is not None
        while True:
            try:
                return await asyncio.wait_for(process.stdout.readline(), max(self.hang_s / 4, 0.05))
            except asyncio.TimeoutError:
                if self.ready and self._asked and time.monotonic() - self._last_sign > self.hang_s:
                    log.error("model process hangs and is killed", seconds=self.hang_s)
                    return b""

    # ---- receiving

    def _heard(self, frame: Frame) -> bool:
        """Handles a frame from the process. Returns whether it was an answer or a part of one, which shows that the process works."""
        kind = frame["ev"]
        if kind == "ready":
            self.facts = frame
            self.on_ready(frame)
            self._ready.set()
            self._settled.set()
            for asked in self._asked.values():
                self._say(asked.item)
        elif kind == "rejected":
            self.problem = unpack_error(frame["error"])
        elif kind == "answer":
            if "counts" not in frame:  # counting needs no decode, so it does not show that the model works
                self._deaths = 0
            return self._answer(int(frame["id"]), frame)
        elif kind == "failed":
            return self._answer(int(frame["id"]), unpack_error(frame["error"]))
        elif kind == "step":
            self.running = int(frame["running"])
            return self._step(frame)
        return False

    def _step(self, frame: Frame) -> bool:
        for id_ in frame["started"]:
            if id_ in self._asked:
                self._asked[id_].started = True
        for id_, text in frame["text"]:
            asked = self._asked.get(id_)
            if asked is not None and asked.on_text is not None and not asked.answer.done():
                try:
                    asked.on_text(text)
                except Exception as error:  # noqa: BLE001  an error in the caller's own code must not end the supervision
                    asked.answer.set_exception(error)
        for done in frame["done"]:
            self._deaths = 0
            self._answer(int(done["id"]), done)
        for id_, failure in frame["failed"]:
            self._answer(int(id_), unpack_error(failure))
        return bool(frame["text"] or frame["done"])

    def _answer(self, id_: int, result: Frame | EngineError) -> bool:
        asked = self._asked.pop(id_, None)
        if asked is None or asked.answer.done():
            return False
        if isinstance(result, EngineError):
            asked.answer.set_exception(result)
        else:
            asked.answer.set_result(result)
        return True

    def _lose_running(self) -> None:
        """Fails the requests whose replies had started when the process died. The others will be sent again."""
        for id_, asked in list(self._asked.items()):
            asked.tries += 1
            if asked.started or asked.tries >= MAX_TRIES:
                self._answer(id_, ModelDied("The model process ended while it answered.", "It is being restarted; ask again."))

    def _fail_all(self, error: EngineError) -> None:
        for id_ in list(self._asked):
            self._answer(id_, error)


def _late(seconds: float) -> DeadlinePassed:
    return DeadlinePassed(
        f"The model did not answer within {seconds:g} s.",
        "Take a smaller model, or raise engine.deadline_s, or engine.player_deadline_s where a player waits.",
        deadline_s=seconds,
    )


def _command() -> list[str]:
    """Returns the command of the process. It has the server's own import path, so that nothing in the working folder is imported.

    A server that ignores the variables of the environment that steer Python (in a bundle) passes that on.
    """
    isolated = ["-I"] if sys.flags.isolated else []
    return [sys.executable, *isolated, "-c", _START, json.dumps([str(Path(entry).resolve()) for entry in sys.path]), str(os.getpid())]


def _kill(process: asyncio.subprocess.Process) -> None:
    # `process.kill` would poll first, and then asyncio's own child watcher would find no process to wait for.
    processes.end_at_once(process.pid)


def _open_log(path: Path) -> IO[Any] | None:
    """Opens the model log to append to it, and renames an old one that is long. Returns None when no log can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            files.move_over(path, path.with_suffix(".old.log"))
        return path.open("ab")
    except OSError:
        return None
