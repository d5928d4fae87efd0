"""What llama.cpp does for models besides running them: it writes one with other types, and knows the graphics cards."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import llama_cpp as lib
from llama_cpp._ggml import libggml as ggml

from npc_server.errors import ModelRejected

Form = Literal["IQ4_NL", "Q4_0", "Q8_0"]
"""A type of matrices. llama.cpp rearranges these for the processor while it loads them. Q4_1 stays as it is, and is slower."""
_FILE_TYPES: dict[Form, int] = {
    "IQ4_NL": lib.LLAMA_FTYPE_MOSTLY_IQ4_NL, "Q4_0": lib.LLAMA_FTYPE_MOSTLY_Q4_0, "Q8_0": lib.LLAMA_FTYPE_MOSTLY_Q8_0
}  # fmt: skip
_GPU = 1
"""GGML_BACKEND_DEVICE_TYPE_GPU."""


@dataclass(frozen=True)
class Graphics:
    """A graphics card that this build of llama.cpp can use."""

    name: str
    memory: int
    """Bytes of its memory."""


def graphics() -> tuple[Graphics, ...]:
    """Returns the graphics cards that llama.cpp can use. It is none where it was built without them."""
    if not lib.llama_supports_gpu_offload():
        return ()
    for name in ("ggml_backend_dev_get", "ggml_backend_dev_description"):
        getattr(ggml, name).restype = ctypes.c_void_p if name.endswith("get") else ctypes.c_char_p
    ggml.ggml_backend_dev_count.restype = ctypes.c_size_t
    found = []
    for number in range(ggml.ggml_backend_dev_count()):
        device = ctypes.c_void_p(ggml.ggml_backend_dev_get(ctypes.c_size_t(number)))
        if ggml.ggml_backend_dev_type(device) == _GPU:
            free, whole = ctypes.c_size_t(), ctypes.c_size_t()
            ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(whole))
            found.append(Graphics(ggml.ggml_backend_dev_description(device).decode("utf-8", "replace"), whole.value))
    return tuple(found)


def quantize(source: Path, target: Path, form: Form, threads: int = 2) -> None:
    """Writes a model with its matrices in another type; those that choose the words become Q8_0. Raises ModelRejected."""
    params = lib.llama_model_quantize_default_params()
    params.ftype, params.nthread = _FILE_TYPES[form], threads
    params.allow_requantize = True
    params.pure = True
    params.token_embedding_type = params.output_tensor_type = lib.GGML_TYPE_Q8_0
    code = lib.llama_model_quantize(str(source).encode(), str(target).encode(), ctypes.byref(params))
    if code != 0:
        raise ModelRejected(f"llama.cpp cannot turn {str(source)!r} into {form}: code {code}.", "Is there room on the disk?", file=source)
