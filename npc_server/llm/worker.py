"""LlamaEngine runs a GGUF file with llama.cpp in a model process of its own. This is its side in the server."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from npc_server.config import EngineSettings
from npc_server.errors import EngineError, Overloaded
from npc_server.llm import own_lines, state_files, weak_at
from npc_server.llm.adapters import Adapter
from npc_server.llm.endpoint.gbnf import gbnf
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Priority, Request
from npc_server.llm.no_model import estimate_tokens
from npc_server.llm.process import ModelProcess
from npc_server.llm.protocol import Frame
from npc_server.llm.runtime import COMPILED, find_runtime
from npc_server.llm.score import cannot_score
from npc_server.llm.served.score import is_fast_enough
from npc_server.llm.speed import Speed

COUNT_WAIT_S = 10.0
"""Wall seconds to wait for a count of tokens, before it is estimated."""
MEASURE_S = 3.0
"""Wall seconds for measuring how fast a model is here, once it is loaded."""
PATIENCE_S = 3600.0
"""Wall seconds that an answer may take where nobody waits for it."""


def threads_for(settings: EngineSettings, cores: int | None = None) -> int:
    """Returns the number of threads for llama.cpp. Unless the settings say it, that is half the logical cores: the game needs the rest."""
    return settings.threads or max(1, min(8, (cores or os.cpu_count() or 2) // 2))


def patient(settings: EngineSettings) -> EngineSettings:
    """The settings for a play whose clock waits for the minds, however slow they are."""
    longer = {name: max(getattr(settings, name), PATIENCE_S) for name in ("deadline_s", "embedding_deadline_s")}
    return settings.model_copy(update=longer)


def without_game(settings: EngineSettings, cores: int | None = None) -> EngineSettings:
    """The settings for a play without a game. It leaves all cores to the server, so texts are embedded on each of them.

    No player waits for answers, so the end of an interview does not depend on how fast the machine is.
    """
    parallel = max(settings.embedding_parallel, (cores or os.cpu_count() or 1) // threads_for(settings, cores))
    update = {"embedding_parallel": parallel, "player_deadline_s": max(settings.player_deadline_s, PATIENCE_S)}
    return patient(settings).model_copy(update=update)


def process_init(path: Path, settings: EngineSettings, mode: str, *, share: bool = True, adapters: Sequence[Adapter] = ()) -> Frame:
    """Makes the `init` frame of a model process. `mode` is `chat`, `embed` or `rerank`. Raises ModelMissing where nothing runs a model."""
    return {
        "mode": mode,
        "runtime": find_runtime(settings.runtime).as_frame(),
        "path": str(path),
        "adapters": [{"path": str(adapter.path), "scale": adapter.scale} for adapter in adapters],
        "max_header_bytes": settings.max_header_bytes,
        "n_gpu_layers": settings.n_gpu_layers,
        "threads": threads_for(settings),
        "context_tokens": settings.context_tokens,
        "kv_cache": settings.kv_cache,
        "stream_tokens": settings.stream_tokens,
        "kv_memory_mb": settings.kv_memory_mb,
        "batch_tokens": settings.batch_tokens,
        "max_parallel": settings.max_parallel,
        "kept_prefixes": settings.kept_prefixes,
        "others_share": settings.others_share,
        "states_folder": str(settings.models_folder / state_files.FOLDER),
        "states_mb": settings.states_mb,
        "share": share,
    }


def _prompt_of(request: Request) -> Frame:
    turns = [[turn.heard, turn.said] for turn in request.turns]
    return {"system": request.system, "turns": turns, "user": request.user, "lasting": request.lasting_turns}


class LlamaEngine:
    """Implements `Engine`. Make it inside the event loop. The model loads in the background, and `loaded` waits for it."""

    def __init__(
        self,
        path: Path,
        settings: EngineSettings,
        *,
        adapters: Sequence[Adapter] = (),
        share: bool = True,
        log_file: Path | None = None,
        speed: Speed | None = None,
        keep_speed: Callable[[Speed], None] | None = None,
    ) -> None:
        """`adapters` are those of the settings, found and checked: `adapters.open_adapters`.

        `speed` is what was measured of the model before. Without it, it is measured once the model is loaded, and `keep_speed` gets it.
        Without both it is not measured.
        """
        self.path, self.settings = path, settings
        self.speed, self._keep_speed = speed, keep_speed
        init = process_init(path, settings, "chat", share=share, adapters=adapters)
        self.is_served = init["runtime"]["kind"] != COMPILED
        """Whether llama.cpp's own server runs the model."""
        self.own_lines = own_lines.of_file(path)
        self.caveat = own_lines.caveat(path.stem, self.own_lines)
        self.weak_at = weak_at.of_file(path)
        self.process = ModelProcess(
            {**init, "measure_s": MEASURE_S if keep_speed is not None and speed is None else 0.0},
            restart_wait_s=settings.restart_wait_s,
            deaths_max=settings.deaths_max,
            hang_s=settings.hang_s,
            log_file=log_file,
            on_ready=self._hear_speed,
        )
        self.process.start()

    def _hear_speed(self, facts: Frame) -> None:
        """Takes the speed from the model process, so that its next start need not measure it."""
        if (found := facts.get("speed")) is None or self._keep_speed is None:
            return
        self.speed = Speed(float(found[0]), float(found[1]))
        self.process.init["measure_s"] = 0.0
        self._keep_speed(self.speed)

    async def loaded(self) -> EngineStatus:
        """Waits until the model is ready or given up, and returns the status."""
        await self.process.settled()
        return self.status()

    @property
    def temperature(self) -> float:
        """The temperature of requests that set none: that of the settings, or else of the model's file, once it is loaded; 0 before."""
        return float(self.process.facts.get("temperature", 0.0)) if self.settings.temperature is None else self.settings.temperature

    def _refuse_overload(self) -> None:
        if self.process.load >= self.settings.max_parallel + self.settings.queue_limit:
            raise Overloaded(
                f"{self.process.load} requests are running or waiting for the model.",
                "Ask less often, or raise engine.queue_limit.",
                queue_limit=self.settings.queue_limit,
            )

    def _deadline_s(self, request: Request) -> float:
        usual = self.settings.player_deadline_s if request.priority == Priority.PLAYER else self.settings.deadline_s
        return usual if request.deadline_s is None else request.deadline_s

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        settings = self.settings
        if request.only_reads and not self.process.facts.get("keeps_states"):
            return Completion("", 0, 0, 0, 0.0)
        self._refuse_overload()
        began = time.perf_counter()
        item: Frame = {
            "op": "ask",
            **_prompt_of(request),
            "grammar": self._grammar(request),
            "seed": request.seed,
            "max_tokens": max(request.max_tokens, 1),
            "temperature": settings.temperature if request.temperature is None else request.temperature,
            "top_p": settings.top_p,
            "min_p": settings.min_p,
            "repeat_penalty": request.repeat_penalty,
            "one_line": request.one_line,
            "only_reads": request.only_reads,
            "streams": on_text is not None,
            "priority": int(request.priority),
        }
        done = await self.process.ask(item, self._deadline_s(request), on_text)
        return Completion(
            text=str(done["text"]),
            prompt_tokens=int(done["prompt_tokens"]),
            cached_tokens=int(done["cached_tokens"]),
            reply_tokens=int(done["reply_tokens"]),
            wall_ms=(time.perf_counter() - began) * 1000,
            truncated=bool(done["truncated"]),
        )

    def _grammar(self, request: Request) -> str:
        """The form of the reply: in llguidance's language for our own sampling, and in llama.cpp's for its server."""
        if request.free:
            return ""
        return gbnf(request.reply) if self.is_served else request.reply.grammar()

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        if self.is_served and not self.process.facts.get("scores", True):
            raise cannot_score("This version of llama.cpp's own server")
        self._refuse_overload()
        item: Frame = {"op": "score", **_prompt_of(request), "given": given, "priority": int(request.priority)}
        # They start in the same turn of the event loop, so they go in one frame, and share decodes.
        asked = [asyncio.ensure_future(self.process.ask({**item, "text": text}, self._deadline_s(request))) for text in texts]
        try:
            found = await asyncio.gather(*asked)
        finally:
            for one in asked:
                one.cancel()
        return [Likelihood(float(it["logprob"]), int(it["tokens"]), int(it["read_tokens"])) for it in found]

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Counts the tokens of each text. While the model does not run, it estimates them."""
        if not texts or not self.process.ready:
            return estimate_tokens(texts)
        try:
            answer = await self.process.ask({"op": "count", "texts": list(texts)}, COUNT_WAIT_S)
        except EngineError:
            return estimate_tokens(texts)
        return [int(count) for count in answer["counts"]]

    def status(self) -> EngineStatus:
        process = self.process
        running = min(process.load, process.running)
        problem = str(process.problem) if process.problem else ""
        return EngineStatus(
            ready=process.ready,
            model="" if process.problem else self.settings.with_adapters(self.path.stem),
            context_tokens=int(process.facts.get("context_tokens", 0)),
            weak_at=weak_at.of_loaded(self.weak_at, process.facts.get("weak_at")),
            memories_shown=int(process.facts.get("memories_shown", 0)),
            places_shown=int(process.facts.get("places_shown", 0)),
            first_word_s=self.settings.first_word_s,
            own_lines=self.own_lines,
            caveat=self.caveat,
            chats=True,
            scores=not self.is_served or (bool(process.facts.get("scores")) and is_fast_enough(self.speed)),
            keeps_states=bool(process.facts.get("keeps_states")),
            speed=self.speed,
            restarts=process.restarts,
            running=running,
            waiting=process.load - running,
            problem=problem or ("" if process.ready else "The model is loading."),
        )

    def try_again(self) -> None:
        self.process.try_again()

    async def close(self) -> None:
        await self.process.close()
