"""What several commands read from their options in the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from npc_server import clock
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.memory.listing import SUFFIX
from npc_server.records import Document, GameTime
from npc_server.sandbox.towns import Cast


def parsed_time(text: str, option: str = "--at") -> GameTime | None:
    """`2026-05-04 18:00`, or None for nothing. Raises BadInput."""
    if not text:
        return None
    try:
        return clock.parse_datetime(text)
    except ValueError as error:
        raise BadInput(f"{option} {text!r} is not a date and time.", 'Write it like "2026-05-04 18:00".') from error


def slot_of(save: Path) -> tuple[Path, str]:
    """The folder and slot of a save file. Raises BadInput for a name that cannot be one."""
    if save.suffix not in ("", SUFFIX):
        raise BadInput(f"{save.name!r} is not the name of a save file.", f"Let it end in {SUFFIX}.", save=save)
    return save.absolute().parent, save.stem


def chosen_policies(cast: Cast, file: Path | None, none: bool) -> tuple[Document, ...]:
    """The files of policies that a new save begins with: the one given, none, or the town's own."""
    if file is not None and none:
        raise BadInput("--policies and --no-policies were given together.", "Leave one out.")
    return (read_document(file),) if file is not None else () if none else cast.policy_files


def names_in(text: str, separator: str = ",") -> list[str]:
    """`a, b` as ["a", "b"]."""
    return [part.strip() for part in text.split(separator) if part.strip()]


def engine_of(model: str | None) -> dict[str, dict[str, Any]]:
    """The section of the settings that names a model; nothing where the command line names none."""
    return {} if model is None else {"engine": {"model": model}}
