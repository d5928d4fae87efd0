"""What lies beside a persona file that was made of a card: the card itself, its portrait, its other files, and the facts of its book.

`ada.yaml` has `ada.card.json`, `ada.png`, `ada.assets/` and `ada.knowledge.txt`. So nothing of the card is lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from npc_server.documents import read_bytes
from npc_server.errors import BadInput
from npc_server.personas.cards import charx
from npc_server.personas.cards.card import MOST_BYTES, Card, checked, read_json, wrong
from npc_server.personas.cards.to_persona import Given, Imported


@dataclass(frozen=True)
class Kept:
    """The card of a persona, and what was given when it was imported."""

    card: Card
    given: Given


def write(folder: Path, card: Card, made: Imported, given: Given, force: bool) -> list[Path]:
    """Writes all files of a persona, the YAML last, and returns their paths. Raises BadInput, and writes none, if one is there."""
    kept = {"user": given.user, "npc": made.npc, "age": given.age, "home": given.home, "card": card.root}
    files: dict[Path, bytes] = {folder / f"{made.npc}.card.json": json.dumps(kept, indent=1).encode()}
    if card.portrait:
        files[folder / f"{made.npc}.png"] = card.portrait
    for name, body in card.assets.items():
        files[folder / f"{made.npc}.assets" / name] = body
    if made.knowledge:
        files[folder / f"{made.npc}.knowledge.txt"] = ("\n".join(made.knowledge) + "\n").encode("utf-8", "replace")
    files[folder / f"{made.npc}.yaml"] = made.yaml().encode()
    return _written(folder, files, force)


def write_persona(folder: Path, made: Imported, force: bool) -> list[Path]:
    """Writes the persona file alone. Raises BadInput."""
    return _written(folder, {folder / f"{made.npc}.yaml": made.yaml().encode()}, force)


def _written(folder: Path, files: Mapping[Path, bytes], force: bool) -> list[Path]:
    there = next((path for path in files if path.exists()), None)
    if there is not None and not force:
        fix = "Choose another folder or --id, or add --force to replace it."
        raise BadInput(f"There is a file {str(there)!r} already.", fix, file=there)
    try:
        for path, body in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
    except OSError as error:
        raise BadInput(f"The files cannot be written to {str(folder)!r}: {error.strerror}.", "Choose another folder with --to.") from error
    return list(files)


def read(persona: Path) -> Kept | None:
    """The card beside a persona file; None if there is none. Raises FileProblem."""
    source = persona.with_suffix(".card.json")
    if not source.is_file():
        return None
    held = read_json(read_bytes(source, MOST_BYTES), source.name)
    if not isinstance(held, dict):
        raise wrong(source.name, "It does not hold a card.", "Import the card again.")
    user, npc, age, home = (held.get(name) for name in ("user", "npc", "age", "home"))
    given = Given(str(npc or ""), age if isinstance(age, int) else None, str(home or ""), str(user or ""))
    return Kept(checked(held.get("card"), source.name, portrait_of(persona), _assets(persona.with_suffix(".assets"))), given)


def portrait_of(persona: Path) -> bytes:
    """The picture beside a persona file; empty if there is none. Raises FileProblem."""
    portrait = persona.with_suffix(".png")
    return read_bytes(portrait, MOST_BYTES) if portrait.is_file() else b""


def _assets(folder: Path) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) if folder.is_dir() else []
    if len(paths) > charx.MOST_FILES:
        raise wrong(folder.name, f"It holds {len(paths):,} files, and {charx.MOST_FILES:,} are allowed.", "Take some out.")
    for path in paths:
        found[path.relative_to(folder).as_posix()] = read_bytes(path, MOST_BYTES)
    return found
