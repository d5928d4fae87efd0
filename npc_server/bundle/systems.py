"""The systems for which a bundle can be made from wheels: how pip, packages and their libraries name each."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from npc_server.bundle.copies import PYTHON
from npc_server.errors import BadInput

ELF, PE, MACH_O = "ELF", "PE", "Mach-O"
X86_64, ARM64 = "x86-64", "arm64"


@dataclass(frozen=True)
class System:
    """A system with a kind of processor."""

    name: str
    """As people name it, and as the addon names the folder of its bundle."""
    title: str
    needs: str
    """The oldest one that all packages run on."""
    tags: tuple[str, ...]
    """Its wheels, as pip's option --platform names them."""
    markers: Mapping[str, str]
    """How conditions in the requirements of packages see it."""
    format: str
    """The format of its programs and libraries: `ELF`, `PE` or `Mach-O`."""
    machine: str
    more: tuple[str, ...] = ()
    """Packages that the others need there and do not ask for."""

    @property
    def is_windows(self) -> bool:
        return self.format == PE

    @property
    def program(self) -> Path:
        """The path of Python's program in the bundle."""
        return PYTHON / "python.exe" if self.is_windows else PYTHON / "bin" / "python3"


def _linux(machine: str) -> tuple[str, ...]:
    return (*(f"manylinux_2_{minor}_{machine}" for minor in range(28, 16, -1)), f"manylinux2014_{machine}")


_LINUX = {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"}
_MACOS = {"os_name": "posix", "sys_platform": "darwin", "platform_system": "Darwin"}
_WINDOWS = {"os_name": "nt", "sys_platform": "win32", "platform_system": "Windows", "platform_machine": "AMD64"}
_ON_LINUX = "glibc 2.28 or newer"
_ON_MACOS = "macOS 13 or newer"
SYSTEMS = (
    System("linux", "Linux on x86-64", _ON_LINUX, _linux("x86_64"), {**_LINUX, "platform_machine": "x86_64"}, ELF, X86_64),
    System("linux-arm64", "Linux on ARM64", _ON_LINUX, _linux("aarch64"), {**_LINUX, "platform_machine": "aarch64"}, ELF, ARM64),
    # xllamacpp needs two libraries of Visual C++ that not every Windows has, and Python brings others of them.
    System("windows", "Windows on x86-64", "Windows 10 or newer", ("win_amd64",), _WINDOWS, PE, X86_64, ("msvc-runtime",)),
    System("macos", "macOS on Intel", _ON_MACOS, ("macosx_13_0_x86_64",), {**_MACOS, "platform_machine": "x86_64"}, MACH_O, X86_64),
    System(
        "macos-arm64", "macOS on Apple silicon", _ON_MACOS, ("macosx_13_0_arm64",), {**_MACOS, "platform_machine": "arm64"}, MACH_O, ARM64
    ),
)
NAMES = tuple(system.name for system in SYSTEMS)


def find_system(name: str) -> System:
    """Return the system with this name. Raises BadInput."""
    found = next((system for system in SYSTEMS if system.name == name.strip().lower()), None)
    if found is None:
        raise BadInput(f"There is no platform {name!r}.", f"Choose one of: {', '.join(NAMES)}.", platform=name)
    return found


def is_this(system: System) -> bool:
    """Return whether this machine is of a system."""
    here = platform.machine()
    return platform.system() == system.markers["platform_system"] and here in (system.markers["platform_machine"], system.machine)
