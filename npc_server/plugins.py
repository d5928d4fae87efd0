"""Finds by entry points what other packages add: commands, engines, and the baseline. npc-eval is such a package."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from npc_server import __version__
from npc_server.errors import BadInput

COMMANDS, ENGINES, BASELINES = "npc_server.commands", "npc_server.engines", "npc_server.baselines"
"""Groups of entry points. An object of each is named by its entry point: a command, `by-hand` in `by-hand:FOLDER`, a profile."""
OF_EVAL = {
    COMMANDS: ("answer", "bench", "cost", "eval", "simulate"),
    ENGINES: ("by-hand", "recorded"),
    BASELINES: ("generative-agents",),
}
"""What npc-eval adds. Whoever asks for one of these without it learns where it is."""
INSTALL = 'Install it: pip install "npc-server[eval]", or make setup in a clone.'


def names(group: str) -> list[str]:
    """Return the names of what the installed packages add to a group."""
    return sorted({entry.name for entry in entry_points(group=group)})


def find(group: str, name: str) -> Any:
    """Return what an installed package adds under a name, or None.

    Raises BadInput where it is a part of npc-eval and that is not installed, or a package is of another version than npc-server.
    """
    found = next(iter(entry_points(group=group, name=name)), None)
    if found is not None:
        _check_version(found)
        return found.load()
    if name in OF_EVAL[group]:
        raise BadInput(f"{name!r} is a part of npc-eval, which is not installed.", INSTALL)
    return None


def _check_version(entry: EntryPoint) -> None:
    """Packages that stand on the inside of npc-server change with it."""
    if entry.dist is not None and entry.dist.version != __version__:
        installed = f"{entry.dist.name} is version {entry.dist.version}, and npc-server is {__version__}."
        raise BadInput(installed, f"Install both together: pip install --upgrade npc-server {entry.dist.name}.")
