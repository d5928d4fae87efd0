"""Writes a bundle beside its place, compiles and tries it, and then puts it there. What fails leaves nothing behind."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from npc_server.bundle.copies import NATIVE, PACKAGES, PYTHON, Copy, total_bytes
from npc_server.bundle.systems import ELF, System, is_this
from npc_server.errors import BadInput
from npc_server.platform.files import move_over

BRIDGE = "npc_bridge.path"
LAUNCHER = "npc-server"
TEMPLATES = {"start.py": PYTHON / "bin" / "npc-server", "README.txt": Path("README.txt")}
LAUNCHERS = {False: ("npc-server.sh", Path(LAUNCHER)), True: ("npc-server.cmd", Path(f"{LAUNCHER}.cmd"))}
"""On Windows, and elsewhere: the template, and its path in the bundle."""
PROGRAM = PYTHON / "bin" / "python3"
SPARE = 1.2
"""A bundle takes so many times the bytes of its files, because Python's are also there in compiled form."""
LIMIT_S = 600
"""Seconds that compiling, or one start of the bundle, may take."""


@dataclass(frozen=True)
class Contents:
    """Everything that goes into a bundle."""

    copies: tuple[Copy, ...]
    preloaded: tuple[Path, ...]
    """Libraries that the bridge loads before Python starts, in this order."""
    texts: Mapping[Path, str]
    """Further files, by their path in the bundle."""
    system: System | None = None
    """The system that it is for, if it is made from wheels. Otherwise this machine's own Python is in it."""
    minor: int = sys.version_info[1]
    """It has Python 3.x, with this x."""

    @property
    def runs_here(self) -> bool:
        """Whether its Python can be started on this machine."""
        return self.system is None or is_this(self.system)

    @property
    def program(self) -> Path:
        """The path of Python's program."""
        return PROGRAM if self.system is None else self.system.program


def write_bundle(folder: Path, contents: Contents) -> None:
    """Makes the bundle and replaces the one that is there. Raises BadInput if the disk is full or the bundle does not start."""
    try:
        _check_room(folder, contents)
        stage = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
        try:
            stage.chmod(0o755)
            _fill(stage, contents)
            if contents.runs_here and (contents.system is None or contents.system.format == ELF):  # elsewhere it would break signatures
                _without_debug_symbols(stage)
            _compile(stage, contents)
            if contents.runs_here:
                _try_out(stage, contents)
            _put(stage, folder)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise _explained(error, folder) from error


def bridge_text(preloaded: tuple[Path, ...]) -> str:
    """For the bridge: where Python and the server are. Paths are relative to the bundle, which lies beside the bridge."""
    lines = ["home=python", "site=../python", f"site={PACKAGES}", f"server={LAUNCHER}", *(f"library={path}" for path in preloaded)]
    return "\n".join(lines) + "\n"


def _check_room(folder: Path, contents: Contents) -> None:
    needed, free = int(total_bytes(contents.copies) * SPARE), shutil.disk_usage(folder.parent).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed // 1_000_000} MB are needed and {free // 1_000_000} MB are free")


def _fill(stage: Path, contents: Contents) -> None:
    for copy in contents.copies:
        target = stage / copy.target
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(copy.source, target)
    is_windows = contents.system is not None and contents.system.is_windows
    template, launcher = LAUNCHERS[is_windows]
    data = resources.files("npc_server").joinpath("data/bundle")
    texts = {path: data.joinpath(name).read_text(encoding="utf-8") for name, path in {**TEMPLATES, template: launcher}.items()}
    bridge = {Path(BRIDGE): bridge_text(contents.preloaded)} if contents.system is None else {}
    for path, text in {**texts, **contents.texts, **bridge}.items():
        (stage / path).parent.mkdir(parents=True, exist_ok=True)
        # cmd.exe loses its place in files without the line endings of Windows.
        (stage / path).write_text(text, encoding="utf-8", newline="\r\n" if path.suffix == ".cmd" else "\n")
    for path in (launcher, contents.program):
        (stage / path).chmod(0o755)


def _without_debug_symbols(stage: Path) -> None:
    """A Python that was built here has three times its size in debug symbols. Packages come without."""
    strip = shutil.which("strip")
    libraries = [path for path in (stage / PYTHON).rglob("*.so*") if NATIVE not in path.relative_to(stage).parents]
    if strip:
        subprocess.run(
            [strip, "--strip-debug", str(stage / PROGRAM), *map(str, libraries)], capture_output=True, timeout=LIMIT_S, check=False
        )


def _compile(stage: Path, contents: Contents) -> None:
    """Compiles all Python files with the bundle's own Python, or with this one if it writes the same form, which no system changes.

    Times do not count, because they change when a game is packed.
    """
    if not contents.runs_here and contents.minor != sys.version_info[1]:
        return
    how = ["-q", "-f", "-j", "0", "--invalidation-mode", "unchecked-hash", "-s", str(stage), "-p", "/npc-server"]
    # Whether each file can be compiled does not matter: packages also have templates that end in .py.
    python = str(stage / contents.program) if contents.runs_here else sys.executable
    _run([python, "-I", "-B", "-m", "compileall", *how, str(stage)], stage, needs_libraries=contents.runs_here)


def _try_out(stage: Path, contents: Contents) -> None:
    """The bundle must start before it replaces an older one, and as a game starts it."""
    is_windows = contents.system is not None and contents.system.is_windows
    python = [str(stage / contents.program), "-I", str(stage / PYTHON / "bin" / LAUNCHER)]
    done = _run([*(python if is_windows else [str(stage / LAUNCHER)]), "version"], stage)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BadInput(f"The bundle does not start: {last}.", "Make the virtual environment of npc-server anew, and try again.")


def _run(command: list[str], stage: Path, needs_libraries: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs it with nothing of the environment but where the bundle's libraries are."""
    environment = {"PATH": os.defpath}
    if needs_libraries:
        environment["LD_LIBRARY_PATH"] = f"{stage / PYTHON / 'lib'}:{stage / NATIVE}"
    if root := os.environ.get("SYSTEMROOT"):  # Python on Windows does not start without it
        environment["SYSTEMROOT"] = root
    try:
        return subprocess.run(command, cwd=stage, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise BadInput(f"The bundle's Python did not end within {LIMIT_S} s.", "Try again when the machine has less to do.") from error


def _put(stage: Path, folder: Path) -> None:
    if not folder.exists():
        move_over(stage, folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".old", dir=folder.parent))
    try:
        move_over(folder, old)
    except OSError:
        with suppress(OSError):
            old.rmdir()  # nothing has moved there
        raise
    try:
        move_over(stage, folder)
    except OSError as error:
        raise _put_back(old, folder, error) from error
    shutil.rmtree(old, ignore_errors=True)


def _put_back(old: Path, folder: Path, cause: OSError) -> BadInput:
    """Moves the older bundle back, and says what is where now."""
    what = f"The new bundle could not be moved to {str(folder)!r}: {cause.strerror or cause}."
    try:
        move_over(old, folder)
    except OSError as error:
        fix = f"The older one is in {str(old)!r} and could not be moved back: {error.strerror or error}. Move it back, and try again."
        return BadInput(what, fix, folder=folder)
    return BadInput(what, "The older one is there as before. See what else writes there, and try again.", folder=folder)


def _explained(error: OSError, folder: Path) -> BadInput:
    if error.errno == errno.ENOSPC:
        return BadInput(
            f"The disk of {str(folder.parent)!r} is full: {error.strerror}.", "Free some room, or choose another disk.", folder=folder
        )
    return BadInput(f"The bundle {str(folder)!r} cannot be written: {error.strerror or error}.", "Choose another place.", folder=folder)
