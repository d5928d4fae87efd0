"""Which build of llama.cpp runs models on this machine: the compiled llama-cpp-python, the prebuilt xllamacpp, or a llama-server.

The first that is installed is taken, in this order, which is that of their speed. `engine.runtime` names another one.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from npc_server.errors import ModelMissing

COMPILED, XLLAMACPP, LLAMA_SERVER = "llama-cpp-python", "xllamacpp", "llama-server"
AUTO = "auto"
_KINDS = (COMPILED, XLLAMACPP, LLAMA_SERVER)
"""The fastest first."""
_PACKAGES = {COMPILED: ("llama_cpp", "llguidance"), XLLAMACPP: ("xllamacpp",)}
_INSTALL = 'pip install "npc-server[prebuilt]", or "npc-server[llama-cpp-python]" where there is a C++ compiler.'


@dataclass(frozen=True)
class Runtime:
    """A build of llama.cpp."""

    kind: str
    """`llama-cpp-python`, `xllamacpp` or `llama-server`."""
    program: str = ""
    """The path of the llama-server."""
    build: str = ""
    """What tells it from other builds, without loading it."""

    @property
    def is_served(self) -> bool:
        """Whether llama.cpp's own server runs the model, and not our batching."""
        return self.kind != COMPILED

    @property
    def told(self) -> str:
        """Its name for people."""
        if self.kind == LLAMA_SERVER:
            return f"llama-server ({self.program})"
        return f"{self.kind}, {'prebuilt' if self.is_served else 'compiled here'}"

    def as_frame(self) -> dict[str, str]:
        return asdict(self)


def find_runtime(wanted: str = AUTO) -> Runtime:
    """Return the runtime that the setting `engine.runtime` names; with `auto` the best that is installed. Raises ModelMissing."""
    name = wanted.strip() or AUTO
    kinds = _KINDS if name == AUTO else (name,)
    found = next((it for kind in kinds if (it := _installed(kind)) is not None), None)
    if found is not None:
        return found
    what = "Nothing that runs a model is installed." if name == AUTO else f"engine.runtime is {name!r}, and that is not installed."
    raise ModelMissing(what, f"Install one: {_INSTALL}")


def is_compiled(wanted: str) -> bool:
    """Return whether the setting `engine.runtime` takes the compiled llama-cpp-python."""
    try:
        return not find_runtime(wanted).is_served
    except ModelMissing:
        return False


def need_compiled(what: str) -> None:
    """Raises ModelMissing where llama-cpp-python is not installed. `what` needs it, and starts a sentence."""
    if _installed(COMPILED) is None:
        raise ModelMissing(f"{what} needs llama-cpp-python.", 'Install it: pip install "npc-server[llama-cpp-python]". It is compiled.')


def packages_of_runtime() -> tuple[str, ...]:
    """Return the names of the packages that run models here: of the fastest runtime that is a package; none without one."""
    kind = next((it.kind for it in installed_runtimes() if it.kind in _PACKAGES), None)
    return {COMPILED: (COMPILED, "llguidance"), XLLAMACPP: (XLLAMACPP,), None: ()}[kind]


def installed_runtimes() -> tuple[Runtime, ...]:
    """Return all that are installed, the fastest first."""
    return tuple(it for kind in _KINDS if (it := _installed(kind)) is not None)


def _installed(kind: str) -> Runtime | None:
    packages = _PACKAGES.get(kind)
    if packages is None:
        return _program(kind)
    if any(importlib.util.find_spec(package) is None for package in packages):
        return None
    return Runtime(kind, build=_build(kind, packages[0]))


def _program(name: str) -> Runtime | None:
    """A llama-server by its name on the PATH, or by its path."""
    path = shutil.which(name)
    if path is None:
        return None
    full = Path(path).resolve()
    return Runtime(LLAMA_SERVER, str(full), f"{LLAMA_SERVER} {int(full.stat().st_mtime)}")


def _build(kind: str, package: str) -> str:
    spec = importlib.util.find_spec(package)
    library = Path(spec.origin).parent / "lib" if spec is not None and spec.origin is not None else None
    # llama-cpp-python is compiled here, so one version has many builds.
    built = f" {int(library.stat().st_mtime)}" if kind == COMPILED and library is not None and library.is_dir() else ""
    version = importlib.metadata.version(kind)
    return f"{version}{built}" if kind == COMPILED else f"{kind} {version}"
