"""Puts LoRA adapters into the weights of a model.

Needs the package `gguf` (the `models` extra), which reads and writes the types of weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import ModelRejected
from npc_server.llm.adapters import PARTS, Adapter, changed_tensors, check_fits, strength
from npc_server.llm.gguf_header import Header, Value, read_header
from npc_server.llm.gguf_writer import gguf_package

if TYPE_CHECKING:
    from gguf import GGUFReader, GGUFWriter, ReaderTensor

Weights = NDArray[np.float32]
_WRITTEN_BY_ITSELF = ("GGUF.", "general.architecture")
_HINTS = ("npc_server.", "general.sampling.")
"""The keys of an adapter's header that its model gets, too."""


def merge(
    base: Path,
    adapters: Sequence[Adapter],
    target: Path,
    also: Mapping[str, Value] | None = None,
    form: type[np.float16] | type[np.float32] = np.float16,
) -> None:
    """Writes the model `base` with `adapters` in its weights to `target`. `also` are more keys for its header.

    Matrices that the adapters change get the type `form`; F16 is for `llama_tools.quantize`. The others are copied. Raises ModelMissing
    without the `models` extra, and ModelRejected for an adapter that does not fit.
    """
    gguf = gguf_package()
    model = read_header(base)
    changes = [_Change(read_header(adapter.path), adapter.scale) for adapter in adapters]
    for change in changes:
        check_fits(change.header, model)
        change.check_can_merge()
    reader = gguf.GGUFReader(base)
    writer = gguf.GGUFWriter(target, model.architecture)
    hints = {key: value for change in changes for key, value in change.header.values.items() if key.startswith(_HINTS)}
    copy_header(reader, writer, {**hints, **(also or {})})
    for tensor in reader.tensors:
        added = [change.of(tensor.name) for change in changes if tensor.name in change.names]
        if added:
            writer.add_tensor(tensor.name, (_weights(tensor) + sum(added)).astype(form))
        else:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_as_q8(source: Path, target: Path) -> None:
    """Writes a model with its matrices as Q8_0, as llama.cpp would, but without it. Raises ModelMissing without the `models` extra."""
    gguf = gguf_package()
    q8 = gguf.GGMLQuantizationType.Q8_0
    reader, writer = gguf.GGUFReader(source), gguf.GGUFWriter(target, read_header(source).architecture)
    copy_header(reader, writer, {"general.file_type": int(gguf.LlamaFileType.MOSTLY_Q8_0)})
    for tensor in reader.tensors:
        if len(tensor.shape) == 2:
            writer.add_tensor(tensor.name, gguf.quantize(_weights(tensor), q8), raw_dtype=q8)
        else:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class _Change:
    """What one adapter adds to the matrices of a model."""

    def __init__(self, header: Header, scale: float) -> None:
        self.header, self.scale = header, scale
        self.names = frozenset(changed_tensors(header))
        self.tensors: dict[str, ReaderTensor] = {tensor.name: tensor for tensor in gguf_package().GGUFReader(header.path).tensors}

    def check_can_merge(self) -> None:
        odd = sorted(name for name in self.names if name.startswith("token_embd.") or len(self.header.shapes[name + PARTS[0]]) != 2)
        if odd:
            raise ModelRejected(
                f"The adapter {str(self.header.path)!r} changes {odd[0]!r}, which is not merged.", "Name it in engine.adapters instead."
            )

    def of(self, name: str) -> Weights:
        a, b = (_weights(self.tensors[name + part]) for part in PARTS)
        found: Weights = (b @ a) * np.float32(self.scale * strength(self.header, len(a)))
        return found


def copy_header(reader: GGUFReader, writer: GGUFWriter, also: Mapping[str, Value]) -> None:
    """Copies all keys of the model, but those that the writer adds by itself, and adds those of `also`."""
    from gguf import GGUFValueType

    for key, field in reader.fields.items():
        if not key.startswith(_WRITTEN_BY_ITSELF) and key not in also:
            of = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], sub_type=of)
    for key, value in also.items():
        writer.add_key_value(key, value, type_of(value))


def type_of(value: Value) -> Any:
    from gguf import GGUFValueType

    kinds: dict[type, Any] = {
        bool: GGUFValueType.BOOL, int: GGUFValueType.UINT32, float: GGUFValueType.FLOAT32, str: GGUFValueType.STRING
    }  # fmt: skip
    return kinds[type(value)]


def _weights(tensor: ReaderTensor) -> Weights:
    """The numbers of a tensor, as many rows as the matrix has outputs."""
    import gguf

    found: Weights = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)
    return found
