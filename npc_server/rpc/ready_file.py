"""The ready file tells a game that starts `npc-server serve` its addresses and token, or why it did not start."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from npc_server import __version__
from npc_server.errors import BadInput, NpcServerError
from npc_server.platform.files import move_over


@contextlib.contextmanager
def ready_file(path: Path | None, address: str, token: str, socket: str = "") -> Iterator[None]:
    """Writes the file for the time of a `with` block; with None there is no file. Raises BadInput if it cannot be written."""
    if path is not None:
        _write(path, {"address": address, "socket": socket, "token": token, "pid": os.getpid(), "version": __version__})
    try:
        yield
    finally:
        if path is not None:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def start_errors_in(path: Path | None) -> Iterator[None]:
    """Writes an error of a `with` block to the ready file too, because a game cannot see the server's stderr."""
    try:
        yield
    except NpcServerError as error:
        if path is not None:
            with contextlib.suppress(BadInput):  # the error itself matters more than a file that cannot be written
                _write(path, {"error": str(error)})
        raise


def _write(path: Path, content: Mapping[str, object]) -> None:
    """Replaces the file in one step, so that a waiting game never reads half of it. Raises BadInput.

    Only this user may read the file, because it holds the token.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(content, file)
        move_over(temporary, path)
    except OSError as error:
        raise BadInput(
            f"Cannot write the ready file {str(path)!r}: {error.strerror}.", "Name a file in a folder that can be written."
        ) from error
