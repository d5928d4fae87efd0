"""Vectors of texts from an embedding model in llama.cpp's own server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.adapters import Adapter
from npc_server.llm.embed_worker import Readers, head_of, sizes_of
from npc_server.llm.gguf_header import Header
from npc_server.llm.protocol import Frame
from npc_server.llm.runtime import Runtime
from npc_server.llm.served.server import LlamaCppServer, ServerShape, start
from npc_server.llm.served.vocab import ServedVocabulary
from npc_server.llm.tokenizer import Tokenizer


class ServedReader:
    """Implements `embed_worker.Reader`."""

    def __init__(self, server: LlamaCppServer) -> None:
        self._server = server

    def embed(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        found = self._server.post("/v1/embeddings", {"input": [list(text) for text in texts]})["data"]
        return np.array([it["embedding"] for it in sorted(found, key=lambda it: int(it["index"]))], np.float32)


def served_readers(runtime: Runtime, header: Header, init: Frame, adapters: Sequence[Adapter]) -> Readers:
    """Starts the servers for single texts and, with npc-answers, for a line with a text. Raises EngineError.

    Each is one reader, with as many threads as several of them would have.
    """
    sizes, trained, dimensions = sizes_of(init), header.number("context_length"), header.number("embedding_length")
    longest = min(sizes.tokens, trained or sizes.tokens)
    threads = int(init["threads"]) * max(int(init["embedding_parallel"]), 1)
    tokens, layers = sizes.texts * longest, int(init["n_gpu_layers"])
    shape = ServerShape(header.path, threads, sizes.texts, tokens, sizes.tokens, gpu_layers=layers, embeds=True)
    head = head_of(init, dimensions, (it.path for it in adapters))
    server = start(runtime, shape)
    together = []
    if head is not None:
        merged = replace(shape, path=Path(init["answers"])) if init["answers"] else replace(shape, adapters=adapters)
        together = [ServedReader(start(runtime, merged))]
    return Readers(Tokenizer(ServedVocabulary(server, header)), dimensions, trained, [ServedReader(server)], together, head)
