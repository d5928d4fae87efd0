"""Opens a model of the model process in llama.cpp's own server."""

from __future__ import annotations

import sys
from pathlib import Path

from npc_server.llm.adapters import Adapter
from npc_server.llm.embed_worker import EmbedWorker
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.kv_layout import Layout, cell_bytes, choose_layout
from npc_server.llm.prompt_tokens import PromptTokens, recommended_asking
from npc_server.llm.protocol import Frame, Send
from npc_server.llm.rerank_worker import RerankWorker
from npc_server.llm.runtime import Runtime
from npc_server.llm.sampling_parameters import recommended
from npc_server.llm.served.chat import ServedChatWorker
from npc_server.llm.served.embed import served_readers
from npc_server.llm.served.measure import measure
from npc_server.llm.served.rerank import ServedVerdicts
from npc_server.llm.served.score import can_score
from npc_server.llm.served.server import ServerShape, start
from npc_server.llm.served.states import Keeping
from npc_server.llm.served.vocab import ServedVocabulary
from npc_server.llm.template import frame_of
from npc_server.llm.tokenizer import Tokenizer

BATCH_TOKENS = 512
"""Most tokens of a decode, unless the settings say it."""


def open_served(init: Frame, send: Send) -> EmbedWorker | RerankWorker | ServedChatWorker:
    """Starts the server for a model process and returns what answers its frames. Raises EngineError."""
    runtime = Runtime(**init["runtime"])
    header = read_header(Path(init["path"]), int(init["max_header_bytes"]))
    adapters = [Adapter(Path(it["path"]), float(it["scale"])) for it in init["adapters"]]
    if init["mode"] == "embed":
        return EmbedWorker(served_readers(runtime, header, init, adapters), init, send)
    if init["mode"] == "rerank":
        return RerankWorker(ServedVerdicts.start(runtime, header, init, adapters), send)
    return _open_chat(runtime, header, init, adapters, send)


def _open_chat(runtime: Runtime, header: Header, init: Frame, adapters: list[Adapter], send: Send) -> ServedChatWorker:
    frame = frame_of(header.chat_template)
    layout = _layout(header, init)
    keeping = Keeping.of(init, runtime.build, adapters, layout)
    server = start(runtime, _shape(header, init, layout, adapters, keeping))
    tokenizer = Tokenizer(ServedVocabulary(server, header))
    if frame.problem:
        print(f"The model's chat template is not used: {frame.problem}", file=sys.stderr, flush=True)  # noqa: T201
    if frame.source != "template":
        frame = frame_of("", knows_chatml=len(tokenizer.read_template("<|im_start|>")) == 1)
    slot_tokens = min(layout.tokens, header.number("context_length") or layout.tokens)
    bos, usual = int(header.values.get("tokenizer.ggml.bos_token_id", -1)), recommended(header.values)
    # The template ran without a BOS token. If it asks for one, the prompt gets it here.
    wants_bos = bos in tokenizer.ends()[0] or "bos_token" in header.chat_template
    prompts = PromptTokens(tokenizer, frame, bos if wants_bos else -1)
    measure_s = float(init.get("measure_s", 0))
    speed = measure(server, header.arrays.get("tokenizer.ggml.tokens", 0), measure_s) if measure_s > 0 else None
    slots = int(init["max_parallel"])
    states = keeping.start(server, tokenizer, slot_tokens, cell_bytes(header)) if keeping is not None else None
    worker = ServedChatWorker(server, tokenizer, prompts, usual=usual, slots=slots, slot_tokens=slot_tokens, send=send, states=states)
    send(
        {
            "ev": "ready",
            "context_tokens": slot_tokens,
            "temperature": usual.temperature,
            **recommended_asking(header),
            "template": frame.source,
            "streams": layout.streams,
            "keeps_states": states is not None,
            "speed": [speed.read_per_s, speed.written_per_s] if speed is not None else None,
            "scores": can_score(server, tokenizer),
            "library": {runtime.kind: runtime.build},
        }
    )
    return worker


def _layout(header: Header, init: Frame) -> Layout:
    return choose_layout(
        str(init["kv_cache"]),
        pool_tokens=int(init["context_tokens"]),
        stream_tokens=int(init["stream_tokens"]),
        trained=header.number("context_length"),
        sequences=int(init["max_parallel"]),
        cell=cell_bytes(header),
        memory_mb=int(init["kv_memory_mb"]),
        can_share=True,
        on_card=False,
    )


def _shape(header: Header, init: Frame, layout: Layout, adapters: list[Adapter], keeping: Keeping | None) -> ServerShape:
    slots = int(init["max_parallel"])
    return ServerShape(
        header.path,
        int(init["threads"]),
        slots,
        layout.tokens * (slots if layout.streams else 1),
        int(init["batch_tokens"] or BATCH_TOKENS),
        shared=not layout.streams,
        gpu_layers=int(init["n_gpu_layers"]),
        adapters=adapters,
        states=keeping.exchange if keeping is not None else None,
    )
