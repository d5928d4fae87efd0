"""Opens the compiled llama.cpp in the model process, and answers chat requests with a language model.

The main thread of the process owns the llama.cpp context.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from npc_server.errors import EngineError
from npc_server.llm.adapters import Adapter
from npc_server.llm.batching import Batcher, FinishedReply, Step
from npc_server.llm.embed_worker import EmbedWorker, library_readers
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.inbox import Inbox
from npc_server.llm.kv_layout import Layout, cell_bytes, choose_layout
from npc_server.llm.prompt_tokens import PromptTokens, recommended_asking, refuse_long
from npc_server.llm.protocol import Frame, Send, pack_error
from npc_server.llm.rerank_worker import LibraryVerdicts, RerankWorker
from npc_server.llm.sampling_parameters import PENALTY_TOKENS, Penalty, recommended
from npc_server.llm.scheduler import MOST_S, most_tokens
from npc_server.llm.score import FinishedScore, read_given
from npc_server.llm.sequences import Job
from npc_server.llm.state_files import StateFiles, key_of
from npc_server.visible import visible


def open_worker(init: Frame, send: Send) -> ChatWorker | EmbedWorker | RerankWorker:
    """Loads the model of `init`. Raises EngineError."""
    # The template runs before llama.cpp is imported, because its memory can be limited only then.
    from npc_server.llm.template import frame_of

    header = read_header(Path(init["path"]), int(init["max_header_bytes"]))
    frame = frame_of(header.chat_template) if init["mode"] == "chat" else None
    from npc_server.llm import llama

    llama.send_log(lambda text: print(visible(text), end="", file=sys.stderr, flush=True))  # noqa: T201
    adapters = [Adapter(Path(it["path"]), float(it["scale"])) for it in init["adapters"]]
    model = llama.LlamaModel(header.path, int(init["n_gpu_layers"]), adapters=adapters)
    if init["mode"] == "rerank":
        return RerankWorker(LibraryVerdicts(model, int(init["threads"])), send)
    if frame is None:
        return EmbedWorker(library_readers(model, init), init, send)
    if frame.problem:
        print(f"The model's chat template is not used: {frame.problem}", file=sys.stderr, flush=True)  # noqa: T201
    if frame.source != "template":
        frame = frame_of("", knows_chatml=len(model.tokenizer.read_template("<|im_start|>")) == 1)
    # The template ran without a BOS token. If it asks for one, the prompt gets it here.
    return ChatWorker(model, frame, model.adds_bos or "bos_token" in header.chat_template, init, send, header)


def _layout(init: Frame, header: Header, model: Any, sequences: int) -> Layout:
    return choose_layout(
        str(init["kv_cache"]),
        pool_tokens=int(init["context_tokens"]),
        stream_tokens=int(init["stream_tokens"]),
        trained=model.trained_context,
        sequences=sequences,
        cell=cell_bytes(header),
        memory_mb=int(init["kv_memory_mb"]),
        can_share=model.can_share,
        on_card=model.on_card,
    )


def _measured(context: Any, model: Any, most_s: float) -> list[float] | None:
    """Tokens read and written each second, or None when nobody asked."""
    if most_s <= 0:
        return None
    from npc_server.llm.measure_speed import measure

    found = measure(context, model.n_vocab, most_s, on_card=model.uses_card)
    return [found.read_per_s, found.written_per_s]


def _states(init: Frame, model: Any) -> StateFiles | None:
    """What earlier plays have read. None where nothing is kept, or where the beginning of a sequence cannot be used again."""
    most = int(init["states_mb"]) * 1_000_000
    if not most or not model.can_share or not init["share"]:
        return None
    from npc_server.llm.llama import library_facts

    return StateFiles(Path(init["states_folder"]), key_of(Path(init["path"]), model.adapter_files, str(library_facts())), most)


class ChatWorker:
    """Answers chat requests with a language model."""

    def __init__(self, model: Any, frame: Any, wants_bos: bool, init: Frame, send: Send, header: Header) -> None:
        from npc_server.llm.llama import LlamaContext, Shape
        from npc_server.llm.sampling import Chooser, GrammarPool

        self.model, self.frame, self.send = model, frame, send
        self.chooser_class, self.usual = Chooser, recommended(header.values)
        parallel, kept = int(init["max_parallel"]), int(init["kept_prefixes"])
        batch = most_tokens(init["batch_tokens"], model.on_card, parallel)
        layout = _layout(init, header, model, parallel + kept)
        context = LlamaContext(model, Shape(layout.tokens, batch, parallel + kept, int(init["threads"]), layout.streams))
        self.speed = _measured(context, model, float(init.get("measure_s", 0)))
        self.ends = model.end_tokens()
        self.pool = GrammarPool(model.guidance(self.ends))
        self.piece = lru_cache(maxsize=65536)(model.piece)
        self.states = _states(init, model)
        self.batcher = Batcher(
            context,
            self.piece,
            batch_tokens=batch,
            max_parallel=parallel,
            kept_prefixes=kept,
            share=model.can_share and bool(init["share"]),
            others_share=float(init["others_share"]),
            apart=not model.on_card,
            most_s=MOST_S if model.uses_card else math.inf,
            states=self.states,
        )
        self.inbox = Inbox(context.interrupt)
        self.batcher.decoding = self.inbox.decoding
        self.prompts = PromptTokens(model.tokenizer, frame, model.bos if wants_bos else -1)
        self.heard = 0.0
        self._tell_ready(context.cells, layout.streams, header)

    def _tell_ready(self, cells: int, streams: bool, header: Header) -> None:
        from npc_server.llm.llama import library_facts

        self.send(
            {
                "ev": "ready",
                "context_tokens": min(cells, self.model.trained_context or cells),
                "temperature": self.usual.temperature,
                **recommended_asking(header),
                "template": self.frame.source,
                "plain_buffers": self.model.plain_buffers,
                "streams": streams,
                "keeps_states": self.states is not None,
                "speed": self.speed,
                "library": library_facts(),
            },
        )

    def hear(self, frame: Frame) -> None:
        """Takes a frame from the reading thread. Tokens are counted in that thread, so that a count does not wait for a decode."""
        counts = [item for item in frame["do"] if item["op"] == "count"]
        for item in counts:
            found = [len(self.model.tokenizer.read_words(text)) for text in item["texts"]]
            self.send({"ev": "answer", "id": item["id"], "counts": found})
        if len(counts) < len(frame["do"]):
            self.inbox.put({"do": [item for item in frame["do"] if item["op"] != "count"]})

    def run(self) -> None:
        """Handles frames and decodes until the process ends."""
        while True:
            for frame in self.inbox.take(wait=self.batcher.idle):
                self._take(frame)
            if not self.batcher.idle:
                self._report(self.batcher.turn())

    def _take(self, frame: Frame) -> None:
        for item in frame["do"]:
            try:
                if item["op"] == "ask":
                    self._ask(item)
                elif item["op"] == "score":
                    self._score(item)
                elif item["op"] == "cancel":
                    self.batcher.cancel(int(item["id"]))
                    self._report(Step(), always=True)
            except EngineError as error:
                self.send({"ev": "failed", "id": item["id"], "error": pack_error(error)})

    def _score(self, item: Frame) -> None:
        tokens, head = self.prompts.of_item(item)
        written, scored = read_given(self.model.tokenizer.read_words, item["given"], item["text"])
        refuse_long(len(tokens) + len(written), self.model.trained_context)
        if not scored:
            self._report(Step(scored=[FinishedScore(int(item["id"]), 0.0, 0, 0)]))
            return
        given = np.array(written, np.int32)
        id_, priority, lasting = int(item["id"]), int(item["priority"]), self.prompts.lasting(item)
        self.batcher.add(Job(id_, tokens, head, 0, priority, lambda: None, given, scored, lasting=lasting))

    def _ask(self, item: Frame) -> None:
        tokens, head = self.prompts.of_item(item)
        refuse_long(len(tokens), self.model.trained_context)
        lasting = self.prompts.lasting(item)
        if item["only_reads"] and (self.states is None or self.states.has(tokens[:lasting])):
            self._report(Step(done=[FinishedReply(int(item["id"]), "", len(tokens), len(tokens), 0, False)]))
            return
        matcher = self.pool.matcher(item["grammar"]) if item["grammar"] else None
        parameters = replace(
            self.usual, **{name: float(item[name]) for name in ("temperature", "top_p", "min_p") if item[name] is not None}
        )
        ends, seed, penalty = frozenset(self.ends), int(item["seed"]), Penalty(float(item["repeat_penalty"]), tokens[-PENALTY_TOKENS:])
        self.batcher.add(
            Job(
                int(item["id"]),
                tokens,
                head,
                int(item["max_tokens"]),
                int(item["priority"]),
                lambda: self.chooser_class(matcher.deep_copy() if matcher else None, ends, parameters, seed, penalty),
                is_chat=bool(item["one_line"]),
                one_line=bool(item["one_line"]),
                lasting=lasting,
            )
        )

    def _report(self, step: Step, always: bool = False) -> None:
        """Sends what happened in a turn. It sends at least once a second while it works, so that the server knows that it lives."""
        now = time.monotonic()
        if not (always or step.started or step.text or step.done or step.scored or step.failed) and now - self.heard < 1.0:
            return
        self.heard = now
        self.send(
            {
                "ev": "step",
                "started": step.started,
                "text": step.text,
                "done": [vars(done) for done in (*step.done, *step.scored)],
                "failed": [[id_, pack_error(error)] for id_, error in step.failed],
                "running": len(self.batcher.running),
            },
        )
