"""LoRA adapters: small GGUF files that change how a model writes, without a copy of it.

llama.cpp says little about an adapter that it refuses. So its header is compared with the model's before the model process starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.models import model_folders

ENDING = ".lora.gguf"
"""How the files of our own adapters end, so that they are not taken for models."""
PARTS = (".lora_a", ".lora_b")
"""The two matrices of a change. `W + scale * B A` takes the place of the matrix W."""
_ALPHA = "adapter.lora.alpha"
_ONLY_AFTER_A_PHRASE = "adapter.alora.invocation_tokens"


@dataclass(frozen=True)
class Adapter:
    """An adapter that fits its model, and how strongly it acts: 1 as it was trained, 0 not at all."""

    path: Path
    scale: float = 1.0


def is_adapter(header: Header) -> bool:
    return header.values.get("general.type") == "adapter"


def open_adapters(settings: EngineSettings, model: Header) -> tuple[Adapter, ...]:
    """Finds the adapters of the settings, and checks that they fit the model. Raises ModelMissing or ModelRejected."""
    found = tuple(Adapter(find_adapter(it.file, settings.models_folder), it.scale) for it in settings.adapters)
    for adapter in found:
        check_fits(read_header(adapter.path, settings.max_header_bytes), model)
    return found


def find_adapter(name: str, models_folder: Path) -> Path:
    """Finds an adapter by its path, or by its file name in the folders of models. Raises ModelMissing."""
    given = Path(name).expanduser()
    folders = model_folders(models_folder) if len(given.parts) == 1 else ()
    places = [given, *(folder / file for folder in folders for file in (name, f"{name}{ENDING}", f"{name}.gguf"))]
    for place in places:
        if place.is_file():
            return place
    raise ModelMissing(f"There is no adapter {name!r}.", "Check engine.adapters: `file` is the path of a LoRA GGUF file.", file=given)


def check_fits(adapter: Header, model: Header) -> None:
    """Raises ModelRejected when the file is no LoRA adapter, or is one for another model."""
    if not is_adapter(adapter) or adapter.values.get("adapter.type") != "lora":
        raise _wrong(adapter, "is no LoRA adapter", "llama.cpp's convert_lora_to_gguf.py makes one; a model belongs in engine.model.")
    if _ONLY_AFTER_A_PHRASE in adapter.arrays:
        raise _wrong(adapter, "acts only after certain words, which is not supported", "Train a plain LoRA adapter.")
    if adapter.architecture != model.architecture:
        raise _wrong(adapter, f"is for the architecture {adapter.architecture!r}, and {model.name!r} is {model.architecture!r}", _OTHER)
    names = changed_tensors(adapter)
    for name in names:
        _check_shapes(name, adapter, model)


def changed_tensors(adapter: Header) -> list[str]:
    """The names of the model's tensors that an adapter changes. Raises ModelRejected when it does not have both matrices of each."""
    names = {name.removesuffix(part) for name in adapter.shapes for part in PARTS if name.endswith(part)}
    wanted = {name + part for name in names for part in PARTS}
    odd = sorted(wanted ^ adapter.shapes.keys())
    if odd or not names:
        what = f"has no pair of matrices for {odd[0]!r}" if odd else "changes nothing"
        raise _wrong(adapter, what, "It is damaged, or a faulty tool made it; get it again.")
    return sorted(names)


def strength(adapter: Header, rank: int) -> float:
    """What `B A` is multiplied with at scale 1, as llama.cpp does: alpha over rank, or 1 without an alpha."""
    alpha = adapter.values.get(_ALPHA, 0)
    return float(alpha) / rank if alpha else 1.0


_OTHER = "Take the adapter of this model, or the model of this adapter."


def _check_shapes(name: str, adapter: Header, model: Header) -> None:
    if name not in model.shapes:
        raise _wrong(adapter, f"changes {name!r}, which {model.name!r} does not have", _OTHER)
    a, b = (adapter.shapes[name + part] for part in PARTS)
    matrix = model.shapes[name]
    if name.startswith("token_embd."):
        return  # looked up and not multiplied: llama.cpp lays these out otherwise, and checks them itself
    if min(map(len, (a, b, matrix))) < 2 or (a[0], b[1], a[1]) != (matrix[0], matrix[1], b[0]):
        what = f"changes {name!r} ({_sizes(matrix)}) by matrices that do not fit it ({_sizes(a)} and {_sizes(b)})"
        raise _wrong(adapter, what, _OTHER)


def _sizes(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def _wrong(adapter: Header, what: str, fix: str) -> ModelRejected:
    return ModelRejected(f"The adapter {str(adapter.path)!r} {what}.", fix, file=adapter.path)
