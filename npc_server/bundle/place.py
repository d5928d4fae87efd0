"""The place of a bundle: whether one may be made there, and what the one that is there says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from npc_server.errors import BadInput

MARK = "bundle.json"
"""The file by which a folder is known to be a bundle."""


@dataclass(frozen=True)
class Mark:
    """What a bundle says of itself in its file `bundle.json`."""

    version: str
    made_of: str
    """The fingerprint of all files but those of the system."""
    libraries: tuple[str, ...]
    """The paths of the system's libraries."""
    system: str
    """The fingerprint of these, which change when the system is updated."""
    glibc: int
    """It runs where the C library is glibc 2.x, with x at least this."""
    processor: tuple[str, ...]
    """What llama.cpp was built for and not every processor has, such as AVX512. Models do not run on those that lack it."""
    without_licence: tuple[str, ...]
    """Libraries of the system for which no licence was found."""
    platform: str = ""
    """The system that it is for, if it was made from wheels."""
    was_run: bool = True
    """Whether it was started once where it was made. Nobody has started one for another system there."""

    @property
    def as_text(self) -> str:
        """What its file says."""
        return _MARK.dump_json(self, indent=1).decode() + "\n"


_MARK = TypeAdapter(Mark)


@dataclass(frozen=True)
class Bundle:
    """A bundle in its place."""

    folder: Path
    is_new: bool
    """False if what lay there was up to date."""
    bytes: int
    mark: Mark


def check_place(folder: Path) -> None:
    """Raises BadInput if a bundle cannot be made here without harm."""
    if not folder.parent.is_dir():
        raise BadInput(f"There is no folder {str(folder.parent)!r}.", "Create it first, or choose another place.", folder=folder)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput(f"{str(folder)!r} is not a folder.", "Move it away, or choose another name.", folder=folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise BadInput(
            f"The folder {str(folder)!r} is there and is not a bundle, so it is not replaced.",
            "Move it away, or export the game to another folder.",
            folder=folder,
        )


def read_mark(folder: Path) -> Mark | None:
    """What a bundle says of itself; None if it is no bundle, or one that another version made."""
    try:
        return _MARK.validate_json((folder / MARK).read_bytes())
    except (OSError, ValueError):
        return None


def bytes_of(folder: Path) -> int:
    """How much room all its files take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
