"""Calls llama.cpp through the low-level functions of llama-cpp-python. Only the model process uses it.

llama.cpp aborts the process on misuse. So each function here checks that its arguments keep the limits that the context was opened with.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp as lib
import numpy as np
from llguidance import LLTokenizer
from llguidance.llamacpp import lltokenizer_from_vocab
from numpy.typing import NDArray

from npc_server.errors import ModelRejected
from npc_server.llm.adapters import Adapter
from npc_server.llm.interrupt import Interrupt
from npc_server.llm.library_vocab import LibraryVocabulary
from npc_server.llm.tokenizer import Tokenizer

Logits = NDArray[np.float32]


MICRO_BATCH = 512
"""Most tokens that llama.cpp computes at once. More would be hardly faster, and need more memory beside the model."""


@dataclass(frozen=True)
class Shape:
    """The sizes with which a context is opened."""

    context: int
    """Tokens: of all sequences together in a shared pool, and of each sequence with streams."""
    batch: int
    """The most tokens of a decode."""
    sequences: int
    threads: int
    streams: bool = False
    """Whether each sequence has cells of its own (`kv_layout`)."""


class Row(NamedTuple):
    """One token of a batch."""

    token: int
    position: int
    sequence: int
    wants_logits: bool


@dataclass(frozen=True)
class Rows:
    """The tokens of a batch, one array for each column. All have shape (tokens,)."""

    tokens: NDArray[np.int32]
    positions: NDArray[np.int32]
    sequences: NDArray[np.int32]
    wants_logits: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, bool]]) -> Rows:
        """Makes a batch of single rows."""
        columns = np.array([tuple(row) for row in rows], np.int32).reshape(-1, 4).T
        return cls(columns[0], columns[1], columns[2], columns[3].astype(bool))

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Row]:
        columns = (self.tokens, self.positions, self.sequences, self.wants_logits)
        return (Row(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


class Interrupted(Exception):
    """A decode stopped early because of `Interrupt.ask`."""


def needs_plain_buffers(system_info: str) -> bool:
    """Returns whether the processor is one on which llama.cpp's repacked weights crash.

    Builds with AMX die on the first decode of quantised models (llama.cpp issue 20824). Without the extra buffer types AMX is not used.
    The speed is then about 0.6 of that with AMX.
    """
    flags = dict(part.split("=", 1) for part in system_info.replace(" ", "").replace(":", "|").split("|") if "=" in part)
    return flags.get("AMX_INT8", "0") == "1"


_log_callbacks: list[object] = []
"""The callback that is set now. llama.cpp may call it until the process ends, so Python must not free it."""


def send_log(write: Callable[[str], None]) -> None:
    """Sends the warnings and errors of llama.cpp to `write` from now on."""

    @lib.llama_log_callback  # type: ignore[untyped-decorator, unused-ignore]
    def callback(level: int, text: bytes, _: object) -> None:
        if level >= 3:  # GGML_LOG_LEVEL_WARN; 5 continues a line
            write(text.decode("utf-8", "replace"))

    lib.llama_log_set(callback, ctypes.c_void_p(0))
    _log_callbacks[:] = [callback]


class LlamaModel:
    """A loaded GGUF file with its adapters and its vocabulary."""

    def __init__(self, path: Path, n_gpu_layers: int, system_info: str | None = None, adapters: Sequence[Adapter] = ()) -> None:
        """Loads a model. Raises ModelRejected when llama.cpp refuses a file. `system_info` replaces what llama.cpp says of the CPU."""
        lib.llama_backend_init()
        info = lib.llama_print_system_info().decode() if system_info is None else system_info
        params = lib.llama_model_default_params()
        params.n_gpu_layers = n_gpu_layers if n_gpu_layers >= 0 else 2**31 - 1
        self.plain_buffers = needs_plain_buffers(info)
        if self.plain_buffers:
            params.use_extra_bufts = False
        self.model = lib.llama_model_load_from_file(str(path).encode(), params)
        if not self.model:
            raise ModelRejected(
                f"llama.cpp cannot load the model file {str(path)!r}.",
                "This version may not know its architecture, or the memory may be too small; see the model log.",
                file=path,
            )
        self.adapter_files = tuple(adapters)
        self.adapters = [(self._adapter(adapter), adapter.scale) for adapter in adapters]
        self.vocab = lib.llama_model_get_vocab(self.model)
        self.tokenizer = Tokenizer(LibraryVocabulary(self.vocab))
        self.n_vocab: int = lib.llama_vocab_n_tokens(self.vocab)
        self.n_embd: int = lib.llama_model_n_embd(self.model)
        self.trained_context: int = lib.llama_model_n_ctx_train(self.model)
        self.uses_card = n_gpu_layers != 0 and bool(lib.llama_supports_gpu_offload())
        """Whether a graphics card runs some of its layers."""
        self.on_card = self.uses_card and not 0 <= n_gpu_layers < lib.llama_model_n_layer(self.model)
        """Whether it runs all of them."""
        self.can_share = not (lib.llama_model_is_recurrent(self.model) or lib.llama_model_is_hybrid(self.model))
        self.adds_bos = bool(lib.llama_vocab_get_add_bos(self.vocab))
        self.bos: int = lib.llama_vocab_bos(self.vocab)

    def close(self) -> None:
        """Frees the model, and its adapters with it."""
        lib.llama_model_free(self.model)

    def _adapter(self, adapter: Adapter) -> Any:
        loaded = lib.llama_adapter_lora_init(self.model, str(adapter.path).encode())
        if not loaded:
            raise ModelRejected(
                f"llama.cpp cannot load the adapter {str(adapter.path)!r}.",
                "It may be for another model; see the model log.",
                file=adapter.path,
            )
        return loaded

    def piece(self, token: int) -> bytes:
        """Returns the bytes of a token. Control tokens have none."""
        buffer = ctypes.create_string_buffer(256)
        count = lib.llama_token_to_piece(self.vocab, token, buffer, 256, 0, False)
        if count < 0:
            buffer = ctypes.create_string_buffer(-count)
            count = lib.llama_token_to_piece(self.vocab, token, buffer, -count, 0, False)
        return buffer.raw[: max(count, 0)]

    def end_tokens(self) -> list[int]:
        """Returns the tokens that end a reply."""
        return [token for token in range(self.n_vocab) if lib.llama_vocab_is_eog(self.vocab, token)]

    def guidance(self, ends: list[int]) -> LLTokenizer:
        """Returns the vocabulary in the form that llguidance needs for grammars."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # llguidance calls a deprecated function of llama.cpp for each token
            return lltokenizer_from_vocab(self.vocab, eos_token=ends or None)


class LlamaContext:
    """One llama.cpp context, with the KV cache of all sequences. Implements `kv_cache.ContextMemory`."""

    def __init__(
        self,
        model: LlamaModel,
        shape: Shape,
        *,
        embeddings: bool = False,
        adapted: bool = True,
        change: Callable[[Any], None] = lambda params: None,
    ) -> None:
        """`adapted` puts the model's adapters on. `change` may alter llama.cpp's own parameters, to measure others."""
        params = lib.llama_context_default_params()
        params.n_ctx = shape.context * (shape.sequences if shape.streams else 1)
        params.n_batch = shape.batch
        params.n_ubatch = shape.batch if embeddings else min(shape.batch, MICRO_BATCH)
        params.n_seq_max = shape.sequences
        params.n_threads = shape.threads
        params.n_threads_batch = shape.threads
        params.kv_unified = not shape.streams
        params.op_offload = model.uses_card  # else a card would do the large products of a model that the processor runs
        params.swa_full = True  # a sliding window would forget the shared prefix
        params.no_perf = True
        params.embeddings = embeddings
        change(params)
        self.model, self.shape = model, shape
        self.context = lib.llama_init_from_model(model.model, params)
        if not self.context:
            raise ModelRejected(
                f"llama.cpp cannot open a context of {params.n_ctx} tokens for this model.",
                "Lower engine.context_tokens or take a smaller model; see the model log.",
            )
        self._put_on(model.adapters if adapted else ())
        self.streams = shape.streams
        self.cells = int(lib.llama_n_ctx_seq(self.context))
        self.memory = lib.llama_get_memory(self.context)
        self.batch = _Batch(shape.batch)
        self.interrupt = Interrupt()

    def close(self) -> None:
        lib.llama_free(self.context)

    def decode(self, rows: Rows, may_interrupt: bool = False) -> bool:
        """Decodes a batch. Returns False when the KV cache has no room for it; then nothing has changed.

        Raises Interrupted after `Interrupt.ask`; the caller should then cut off what was computed. Raises RuntimeError for any other
        failure. The state of the context is then unknown, and the process should end.
        """
        self._fill(rows)
        # What a recurrent model computed cannot be cut off. With a graphics card only the processor's part would stop, while the card still
        # works on the rest.
        self.interrupt.listen(self.context, may_interrupt and self.model.can_share and not self.model.uses_card)
        code = lib.llama_decode(self.context, self.batch.of_llama)
        if self.model.uses_card:
            lib.llama_synchronize(self.context)  # a card goes on beside the processor, and could not be timed
        if code == 2:
            raise Interrupted
        if code not in (0, 1):
            raise RuntimeError(f"llama_decode returned {code}")
        return bool(code == 0)

    def logits(self) -> Logits:
        """Returns the logits of the rows that want them, in their order, shape (rows, vocabulary). The next decode overwrites them."""
        count = self.batch.wanted
        pointer = lib.llama_get_logits(self.context)
        if not pointer or count == 0:
            raise RuntimeError("no row of the batch has logits")
        return np.ctypeslib.as_array(pointer, shape=(count, self.model.n_vocab))

    def copy(self, source: int, target: int, end: int) -> None:
        """Gives the sequence `target` the first `end` tokens of `source`. `target` must be empty.

        In a pool both sequences then share the cells. Between streams llama.cpp copies the cells, and only whole streams.
        """
        if self.streams:
            lib.llama_memory_seq_cp(self.memory, source, target, -1, -1)
            self.cut(target, end)
        else:
            lib.llama_memory_seq_cp(self.memory, source, target, 0, end)

    def double(self, source: int, targets: Iterable[int]) -> None:
        """Gives each of the sequences `targets` cells of its own with the tokens of `source`, also in a pool."""
        state = self.state(source)
        for target in targets:
            if not self.restore(target, state):
                raise RuntimeError(f"llama.cpp did not take the state of sequence {source} for {target}")

    def state(self, sequence: int) -> bytes:
        """Return what was computed of a sequence's tokens."""
        size = lib.llama_state_seq_get_size(self.context, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = lib.llama_state_seq_get_data(self.context, buffer, size, sequence)
        return bytes(memoryview(buffer)[:written])

    def restore(self, sequence: int, state: bytes) -> bool:
        """Give an empty sequence a state that such a context gave. Return False where llama.cpp does not take it."""
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        return bool(lib.llama_state_seq_set_data(self.context, buffer, len(state), sequence))

    def cut(self, sequence: int, start: int = 0) -> None:
        """Forgets the tokens of a sequence from position `start` on."""
        if not lib.llama_memory_seq_rm(self.memory, sequence, start, -1):
            raise RuntimeError(f"sequence {sequence} cannot be cut at {start}")

    def embed(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Returns one pooled vector for each text in tokens, shape (texts, dimensions). All texts together must fit in one batch.

        There may not be more texts than sequences. Raises ValueError when they do not fit.
        """
        self._fill(Rows.of((token, at, sequence, True) for sequence, text in enumerate(texts) for at, token in enumerate(text)))
        code = lib.llama_encode(self.context, self.batch.of_llama)
        if code != 0:
            raise RuntimeError(f"llama_encode returned {code}")
        found = [
            np.ctypeslib.as_array(lib.llama_get_embeddings_seq(self.context, n), shape=(self.model.n_embd,)) for n in range(len(texts))
        ]
        return np.array(found, dtype=np.float32)

    def _put_on(self, adapters: Sequence[tuple[Any, float]]) -> None:
        """Puts adapters on the context. It is done once, before anything is computed, so all that is kept was computed with them."""
        if not adapters:
            return
        pointers = (lib.llama_adapter_lora_p_ctypes * len(adapters))(*(adapter for adapter, _ in adapters))
        scales = (ctypes.c_float * len(adapters))(*(scale for _, scale in adapters))
        code = lib.llama_set_adapters_lora(self.context, pointers, len(adapters), scales)
        if code != 0:
            raise ModelRejected(f"llama.cpp cannot put the adapters on the model: code {code}.", "Take one away from engine.adapters.")

    def _fill(self, rows: Rows) -> None:
        if not 0 < len(rows) <= self.shape.batch:
            raise ValueError(f"a batch has {len(rows)} tokens, and 1 to {self.shape.batch} are allowed")
        strange = rows.sequences[(rows.sequences < 0) | (rows.sequences >= self.shape.sequences)]
        if strange.size:
            raise ValueError(f"sequence {strange[0]} is not below {self.shape.sequences}")
        self.batch.fill(rows)


class _Batch:
    """A batch for llama.cpp whose columns are arrays of numpy, so that no Python runs for each token."""

    def __init__(self, size: int) -> None:
        self.tokens, self.positions, self.sequences = (np.zeros(size, np.int32) for _ in range(3))
        self.counts, self.wants = np.ones(size, np.int32), np.zeros(size, np.int8)
        step = self.sequences.itemsize
        self.pointers = np.arange(size, dtype=np.uintp) * step + self.sequences.ctypes.data  # each token belongs to one sequence
        self.wanted = 0
        """Rows whose logits are wanted."""
        kinds: dict[str, Any] = {entry[0]: entry[1] for entry in lib.llama_batch._fields_}
        columns: dict[str, NDArray[Any]] = {
            "token": self.tokens,
            "pos": self.positions,
            "n_seq_id": self.counts,
            "seq_id": self.pointers,
            "logits": self.wants,
        }
        self.of_llama = lib.llama_batch(0, **{name: ctypes.cast(column.ctypes.data, kinds[name]) for name, column in columns.items()})

    def fill(self, rows: Rows) -> None:
        count = len(rows)
        self.tokens[:count], self.positions[:count] = rows.tokens, rows.positions
        self.sequences[:count], self.wants[:count] = rows.sequences, rows.wants_logits
        self.wanted = int(np.count_nonzero(rows.wants_logits))
        self.of_llama.n_tokens = count


def library_facts() -> dict[str, str]:
    """Returns the versions of llama-cpp-python and Python, and what llama.cpp was built for."""
    return {"llama_cpp_python": lib.__version__, "system": lib.llama_print_system_info().decode(), "python": sys.version.split()[0]}
