"""Starts llama.cpp's own server in this process (xllamacpp) or as a program beside it (llama-server), and asks it."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npc_server.errors import EngineError, ModelRejected
from npc_server.llm.adapters import Adapter
from npc_server.llm.lifetime import start_child
from npc_server.llm.runtime import XLLAMACPP, Runtime
from npc_server.platform.machine import has_amx

HOST = "127.0.0.1"
CACHE_MB = 256
"""Most memory for prompts that no slot holds any more."""
WAIT_S = 0.05
"""Wall seconds between two looks whether the server is up."""


@dataclass(frozen=True)
class ServerShape:
    """What a server is started with."""

    path: Path
    threads: int
    slots: int
    """How many requests it answers at a time."""
    tokens: int
    """Of the contexts of all slots together."""
    batch: int
    shared: bool = False
    """Whether all slots share the context, so that one of them may take it all."""
    gpu_layers: int = -1
    adapters: Sequence[Adapter] = ()
    embeds: bool = False
    states: Path | None = None
    """The folder through which the states of slots go in and out."""


class LlamaCppServer:
    """A running server. Its address and key are known to this process alone."""

    def __init__(self, port: int, key: str, keeps: object) -> None:
        """`keeps` is what ends the server when it is freed."""
        self.url, self.key = f"http://{HOST}:{port}", key
        self._port, self._keeps = port, keeps
        self._of_thread = threading.local()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Asks and waits for the answer, on a connection of this thread. Raises EngineError."""
        return self._ask("POST", path, json.dumps(body).encode())

    def get(self, path: str) -> Any:
        """Asks for what needs no question, like `post`."""
        return self._ask("GET", path)

    def _ask(self, method: str, path: str, data: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        for last in (False, True):
            connection = getattr(self._of_thread, "connection", None)
            if connection is None:
                connection = self._of_thread.connection = http.client.HTTPConnection(HOST, self._port)
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException) as error:  # it closes connections that were idle for a while
                self._of_thread.connection = None
                if last:
                    raise EngineError(f"llama.cpp's server does not answer: {error}.", "See the model log.") from error
                continue
            if answer.status != 200:
                raise EngineError(f"llama.cpp's server answered {answer.status}: {text[:200]!r}.", "See the model log.")
            return json.loads(text)
        raise AssertionError


def start(runtime: Runtime, shape: ServerShape) -> LlamaCppServer:
    """Starts a server and waits until its model is loaded. Raises ModelRejected when it refuses the model."""
    key = secrets.token_urlsafe(24)
    return _package(shape, key) if runtime.kind == XLLAMACPP else _program(runtime.program, shape, key)


def _package(shape: ServerShape, key: str) -> LlamaCppServer:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(shape.path)
    params.hostnames, params.port, params.api_keys = [HOST], 0, [key]
    params.ui = params.fit_params = False
    params.endpoint_slots = shape.states is not None
    params.n_parallel, params.n_ctx, params.kv_unified = shape.slots, shape.tokens, shape.shared
    params.n_batch = shape.batch
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = shape.threads
    params.cache_ram_mib, params.swa_full, params.verbosity = CACHE_MB, True, 1
    if shape.gpu_layers >= 0:
        params.n_gpu_layers = shape.gpu_layers
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(it.path), it.scale) for it in shape.adapters]
    if shape.states is not None:
        params.slot_save_path = f"{shape.states}{os.sep}"
    if shape.embeds:
        params.embedding, params.n_ubatch = True, shape.batch
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    try:
        server = xllamacpp.Server(params)
    except Exception as error:  # the package documents no class of its errors
        raise _refused(shape, error) from error
    return LlamaCppServer(int(server.listening_address.rpartition(":")[2]), key, server)


def _program(program: str, shape: ServerShape, key: str) -> LlamaCppServer:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = int(free.getsockname()[1])
    try:
        process = start_child([program, *_arguments(shape), "--host", HOST, "--port", str(port)], _environment(shape, key))
    except OSError as error:
        raise _refused(shape, error) from error
    server = LlamaCppServer(port, key, process)
    while not _is_up(port):
        if process.poll() is not None:
            raise _refused(shape, f"it ended with {process.returncode}")
        time.sleep(WAIT_S)
    return server


def _arguments(shape: ServerShape) -> list[str]:
    """What every llama-server of the last years knows. The file may not be read as an option, so its path is whole."""
    sizes = {"-c": shape.tokens, "-np": shape.slots, "-b": shape.batch, "-t": shape.threads, "-tb": shape.threads}
    lines = ["-m", str(shape.path.resolve()), *(str(it) for pair in sizes.items() for it in pair)]
    for adapter in shape.adapters:
        lines += ["--lora", str(adapter.path)] if adapter.scale == 1 else ["--lora-scaled", f"{adapter.path}:{adapter.scale:g}"]
    if shape.gpu_layers >= 0:
        lines += ["-ngl", str(shape.gpu_layers)]
    if shape.states is not None:
        lines += ["--slot-save-path", str(shape.states)]
    return [*lines, *(["-ub", str(shape.batch), "--embeddings", "--pooling", "mean"] if shape.embeds else [])]


def _environment(shape: ServerShape, key: str) -> dict[str, str]:
    """The rest, which older ones overlook here and would refuse among the arguments. Others could read a key there."""
    # llama.cpp issue 20824: builds with AMX die of repacked weights, and a program does not say beforehand how it was built.
    repack = {"LLAMA_ARG_REPACK": "0", "LLAMA_ARG_NO_REPACK": "1"} if has_amx() else {}
    return {
        "LLAMA_API_KEY": key,
        "LLAMA_ARG_CACHE_RAM": str(CACHE_MB),
        "LLAMA_ARG_SWA_FULL": "1",
        **({"LLAMA_ARG_KV_UNIFIED": "1"} if shape.shared else {}),
        **repack,
    }


def _is_up(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _refused(shape: ServerShape, why: object) -> ModelRejected:
    return ModelRejected(
        f"llama.cpp's server cannot load the model file {str(shape.path)!r}: {why}.",
        "This version may not know its architecture, or the memory may be too small; see the model log.",
        file=shape.path,
    )
