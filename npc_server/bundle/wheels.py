"""The packages of another system: their wheels, as pip finds them, and which of their files a bundle needs.

pip decides by the Python that runs it which conditions of a requirement hold. So it is asked for single wheels, and what each
requires is read here, as the other system sees it.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, PathDistribution, distribution
from pathlib import Path, PurePosixPath

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from npc_server.bundle.copies import PACKAGES, PYTHON, Copy
from npc_server.bundle.package_files import NOT_TAKEN, ROOT, is_used
from npc_server.bundle.systems import System
from npc_server.errors import BadInput

RUNS_MODELS, MAKES_MODELS = "prebuilt", "models"
"""The extras of npc-server with what runs models without a compiler, and, in the first as well, what makes them. No bundle makes any."""
OF_VISUAL_C = frozenset({"msvcp140.dll", "vcomp140.dll", "vcruntime140.dll", "vcruntime140_1.dll"})
"""What llama.cpp needs of Visual C++. All of one version, since a newer one may ask for more of the others."""
LIMIT_S = 900


@dataclass(frozen=True)
class Wheel:
    """A package for another system."""

    path: Path
    package: Distribution


def fetch_wheels(system: System, minor: int, folder: Path, given: Path | None = None) -> tuple[Wheel, ...]:
    """Bring the wheels of all that npc-server needs on a system with Python 3.`minor`, sorted by name. Raises BadInput.

    With `given`, a folder of wheels, nothing is downloaded.
    """
    found: dict[str, Wheel] = {}
    waiting = list(_first(system, minor))
    seen = set[tuple[str, frozenset[str]]]()
    while waiting:
        missing = {_plain(it.name): it for it in waiting if _plain(it.name) not in found}
        found |= _download(missing, system, minor, folder, given)
        asked, waiting = waiting, []
        for wanted in asked:
            key = (_plain(wanted.name), frozenset(wanted.extras))
            if key not in seen:
                seen.add(key)
                package = found[key[0]].package
                waiting += [it for it in _required(package.requires or (), wanted.extras, system, minor) if it.name not in NOT_TAKEN]
    return tuple(found[name] for name in sorted(found))


def versions_here() -> tuple[str, ...]:
    """Return the versions of what npc-server requires and is installed here. Bundles take the same ones."""
    return tuple(sorted(_as_here(Requirement(text)) for text in distribution(ROOT).requires or ()))


def unpack_wheel(wheel: Wheel, folder: Path) -> Iterator[Copy]:
    """Unpack what runs of a wheel into `folder`, and yield each file with its place in the bundle."""
    with zipfile.ZipFile(wheel.path) as archive:
        for entry in archive.infolist():
            target = None if entry.is_dir() else _target(entry.filename)
            if target is not None:
                source = folder / target
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_bytes(archive.read(entry))
                yield Copy(source, target)


def _target(name: str) -> Path | None:
    """Where in the bundle a file of a wheel belongs; None for what does not run."""
    path = PurePosixPath(name)
    if path.parts[0].endswith(".data"):
        if path.parts[1] in ("purelib", "platlib"):
            path = PurePosixPath(*path.parts[2:])
        else:
            return PYTHON / path.name if path.name in OF_VISUAL_C and "Scripts" in path.parts else None
    return PACKAGES / path if ".." not in path.parts and not path.is_absolute() and is_used(str(path)) else None


def _first(system: System, minor: int) -> Iterator[Requirement]:
    """What npc-server itself requires there, with what runs models."""
    try:
        own = distribution(ROOT).requires or ()
    except PackageNotFoundError as error:
        raise BadInput("npc-server is not installed as a package here.", "Install it with pip or uv.") from error
    plain, for_making = (frozenset(it.name for it in _required(own, extras, system, minor)) for extras in ((), (MAKES_MODELS,)))
    for wanted in _required(own, (RUNS_MODELS,), system, minor):
        if _plain(wanted.name) != ROOT and wanted.name not in for_making - plain:
            yield wanted
    yield from map(Requirement, system.more)


def _required(texts: Iterable[str], extras: Iterable[str], system: System, minor: int) -> Iterator[Requirement]:
    """The requirements whose conditions hold there."""
    here = {name: str(value) for name, value in default_environment().items()}
    there = {**here, **system.markers, "python_version": f"3.{minor}", "python_full_version": f"3.{minor}.0"}
    there |= {"implementation_name": "cpython", "platform_python_implementation": "CPython"}
    for wanted in map(Requirement, texts):
        if wanted.marker is None or any(wanted.marker.evaluate({**there, "extra": extra}) for extra in {*extras, ""}):
            yield wanted


def _download(wanted: dict[str, Requirement], system: System, minor: int, folder: Path, given: Path | None) -> dict[str, Wheel]:
    """Each wheel, in the version that is installed here if there is one for that system, else in any that was asked for."""
    if not wanted:
        return {}
    asked = [f"{it.name}{it.specifier}" for it in wanted.values()]
    told = _pip([_as_here(it) for it in wanted.values()], system, minor, folder, given)
    if told and (told := _pip(asked, system, minor, folder, given)):
        fix = "See that the registry can be reached, or give a folder of wheels with --wheels."
        raise BadInput(f"pip finds no wheels for {system.title} and Python 3.{minor}: {told}.", fix, packages=" ".join(asked))
    wheels = (Wheel(path, _package(path)) for path in folder.glob("*.whl"))
    found = {name: wheel for wheel in wheels if (name := _plain(wheel.package.metadata["Name"])) in wanted}
    if lost := sorted(set(wanted) - set(found)):
        raise BadInput(f"pip brought no wheel of {', '.join(lost)}.", "Run the command again.")
    return found


def _plain(name: str) -> str:
    return str(canonicalize_name(name))


def _as_here(wanted: Requirement) -> str:
    try:
        return f"{wanted.name}=={distribution(wanted.name).version}"
    except PackageNotFoundError:
        return f"{wanted.name}{wanted.specifier}"


def _pip(wanted: Sequence[str], system: System, minor: int, folder: Path, given: Path | None) -> str:
    """Download wheels. Return the last line of why that failed, else nothing."""
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    words += ["--implementation", "cp", "--python-version", f"3.{minor}", "--dest", str(folder)]
    words += [word for tag in system.tags for word in ("--platform", tag)]
    words += ["--no-index", "--find-links", str(given)] if given else []
    try:
        done = subprocess.run([*words, *wanted], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"pip did not end within {LIMIT_S} s"
    if done.returncode != 0 and "No module named pip" in done.stderr:
        raise BadInput("This Python has no pip, which brings the wheels.", f"Run {sys.executable} -m ensurepip, and try again.")
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines() or ["no message"]
    return "" if done.returncode == 0 else lines[-1].removeprefix("ERROR: ").rstrip(".")


def _package(wheel: Path) -> Distribution:
    """What the metadata of a wheel says, as of an installed package."""
    root = zipfile.Path(wheel)
    return PathDistribution(next(it for it in root.iterdir() if it.name.endswith(".dist-info")))
