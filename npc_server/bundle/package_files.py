"""Which packages npc-server needs at run time, and which of their files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from npc_server.bundle.copies import LEFT_OUT_FOLDERS, PACKAGES, Copy, tree
from npc_server.errors import BadInput
from npc_server.llm.runtime import packages_of_runtime

ROOT = "npc-server"
NOT_TAKEN = frozenset({"pip", "pycparser", "setuptools"})
"""Required by packages, for commands that a bundle does not have."""
IN_THE_GAME = "cffi"
"""Only its compiled part, which the bridge needs. The bridge's Python lies in the same bundle."""
OUTSIDE = frozenset({"..", "bin", "include", "lib", "share", "/"})
"""Folders beside the packages into which some put programs, headers and libraries for compiling."""
SOURCES = frozenset((".a", ".c", ".cc", ".cmake", ".cpp", ".h", ".hpp", ".pc", ".pth", ".pxd", ".pxi", ".pyc", ".pyi", ".pyx"))
OF_METADATA = re.compile(r"METADATA|.*(LICEN[CS]E|NOTICE|COPYING|AUTHORS).*|licenses/.*", re.IGNORECASE)
"""What stays of a package's metadata. The rest names paths of this machine."""


def needed() -> tuple[Distribution, ...]:
    """npc-server and all that it requires here, sorted by name, with what runs models and without other extras. Raises BadInput."""
    try:
        from packaging.requirements import Requirement
    except ImportError as error:
        raise BadInput("This Python has no package packaging.", "Install it: pip install 'npc-server[bridge]'.") from error
    found: dict[str, Distribution] = {}
    runs_models = packages_of_runtime()
    if not runs_models:
        raise BadInput("No package that runs models is installed here.", 'Install one: pip install "npc-server[prebuilt]".')
    waiting = [(name, frozenset[str](), "") for name in (ROOT, *runs_models)]
    done = set[tuple[str, frozenset[str]]]()
    while waiting:
        name, extras, by = waiting.pop()
        if _plain(name) in NOT_TAKEN or (_plain(name), extras) in done:
            continue
        done.add((_plain(name), extras))
        found[_plain(name)] = package = _installed(name, by)
        for text in package.requires or ():
            wanted = Requirement(text)
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras | {""}):
                waiting.append((wanted.name, frozenset(wanted.extras), name))
    return tuple(found[name] for name in sorted(found))


def bridge_part() -> tuple[Distribution, ...]:
    """cffi, if it is here. Without it no bridge was built with this Python."""
    try:
        return (distribution(IN_THE_GAME),)
    except PackageNotFoundError:
        return ()


def files_of(package: Distribution) -> Iterator[Copy]:
    """The files of an installed package that run, and its licences. Raises BadInput if it does not list them."""
    if package.files is None:
        raise BadInput(
            f"The package {package.metadata['Name']} does not list its files.",
            "Use a virtual environment in which pip or uv installed it, and not the system's packages.",
        )
    only = re.compile(r"_cffi_backend|cffi\.libs/|cffi-") if _plain(package.metadata["Name"]) == IN_THE_GAME else re.compile("")
    listed = {str(path): Path(str(package.locate_file(path))) for path in package.files}
    for name, source in sorted(listed.items()):
        if is_used(name) and only.match(name) and not _is_a_third_name(source) and source.is_file():
            yield Copy(source, PACKAGES / name)


def is_used(name: str) -> bool:
    """Whether a file of a package, by its path in the folder of packages, belongs into a bundle."""
    path = Path(name)
    head = path.parts[0]
    if head in OUTSIDE or LEFT_OUT_FOLDERS & set(path.parts[:-1]):
        return False
    if head.endswith(".dist-info"):
        return OF_METADATA.fullmatch(str(path.relative_to(head))) is not None
    return path.suffix not in SOURCES


def own_files(folder: Path, left_out: Iterable[Path] = ()) -> Iterator[Copy]:
    """The package npc_server itself, from the folder it was imported from: so a clone is taken as it is."""
    skipped = frozenset(left_out)
    return tree(folder, PACKAGES / folder.name, lambda path: path not in skipped and path.suffix != ".pyc")


def licence_list(packages: Iterable[Distribution]) -> str:
    """A line for each package with its version and licence."""
    return "".join(f"{package.metadata['Name']} {package.version}: {_licence_of(package)}\n" for package in packages)


def _licence_of(package: Distribution) -> str:
    """As an SPDX expression, as a classifier, or in the package's own words, whichever it has."""
    data = package.metadata
    classified = [line.rpartition(" :: ")[2] for line in data.get_all("Classifier") or () if line.startswith("License ::")]
    named = (data.get_all("License") or ["see its folder"])[0].strip().splitlines()[:1]
    return ", ".join(data.get_all("License-Expression") or classified or named)


def _installed(name: str, by: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        needs = f", which {by} needs," if by else ""
        raise BadInput(f"The package {name}{needs} is not installed.", "Install npc-server anew with pip or uv.") from error


def _is_a_third_name(source: Path) -> bool:
    """llama.cpp's libraries come under three names each, as copies: `x.so`, `x.so.0`, `x.so.0.1.2`. Nothing asks for the last."""
    match = re.fullmatch(r"(.*\.so\.\d+)\.[\d.]+", source.name)
    short = source.with_name(match[1]) if match else source
    return short != source and short.is_file() and short.stat().st_size == source.stat().st_size


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
