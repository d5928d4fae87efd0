"""What is wrong with the files of a bundle for another system. It cannot be started here, so its files are looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from npc_server.bundle.copies import Copy
from npc_server.bundle.headers import NativeHeader, read_header
from npc_server.bundle.systems import MACH_O, PE, System

LONGEST = 199
"""Letters of a path in the bundle. Windows allows 259, and the game's own folder comes before it."""
NOT_ON_WINDOWS = re.compile(r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*[<>:"|?*].*|.*[. ]', re.IGNORECASE)
OF_WINDOWS = re.compile(
    r"(api|ext)-ms-.*|advapi32|bcrypt|bcryptprimitives|cfgmgr32|comctl32|crypt32|dbghelp|gdi32|iphlpapi|kernel32|mpr|msvcrt|ncrypt|netapi32"
    r"|ntdll|ole32|oleaut32|pdh|powrprof|propsys|psapi|rpcrt4|secur32|setupapi|shell32|shlwapi|user32|userenv|version|winmm|ws2_32",
    re.IGNORECASE,
)
"""The libraries that every Windows has."""
OF_MACOS = ("/System/Library/", "/usr/lib/")


def problems_of(copies: Sequence[Copy], system: System) -> Iterator[str]:
    """Yield a phrase for each file that is not for the system, loads a library that is not there, or has a name that cannot be there."""
    names = frozenset(copy.target.name.lower() for copy in copies)
    for copy in copies:
        target = copy.target.as_posix()
        if len(target) > LONGEST:
            yield f"{target} has {len(target)} letters, and Windows allows few more with the folder of a game"
        if system.is_windows and any(NOT_ON_WINDOWS.fullmatch(part) for part in copy.target.parts):
            yield f"{target} cannot be the name of a file on Windows"
        native = read_header(copy.source)
        if native is not None:
            yield from _of_native(target, native, names, system)
    if system.format in (PE, MACH_O):  # they take two names that differ in capitals for one
        alike = Counter(target.lower() for target in {copy.target.as_posix() for copy in copies})
        yield from (f"{name} is there twice, with other capitals" for name, count in alike.items() if count > 1)


def _of_native(target: str, native: NativeHeader, names: frozenset[str], system: System) -> Iterator[str]:
    if native.format != system.format or system.machine not in native.machines:
        yield f"{target} is for {native.format} on {' and '.join(sorted(native.machines))}"
        return
    for library in native.loads:
        name = PurePosixPath(library).name.lower()
        if system.is_windows:
            is_there = name in names or OF_WINDOWS.fullmatch(name.removesuffix(".dll").removesuffix(".drv")) is not None
        else:
            is_there = library.startswith(OF_MACOS) or (library.startswith("@") and name in names)
        if not is_there:
            yield f"{target} loads {library}, which is not there"
