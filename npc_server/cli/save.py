"""`npc-server save`: lists saves, and updates a save with edited persona and town files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from npc_server import clock
from npc_server.cli.options import Config, Mods, SaveFolder, slot_of
from npc_server.cli.output import Console, log_to, say
from npc_server.config import Settings, load_settings
from npc_server.documents import read_document
from npc_server.errors import BadInput, FileProblem
from npc_server.local.server import with_own_saves
from npc_server.memory.slots import Slots
from npc_server.memory.suffix import SUFFIX
from npc_server.personas.mods import read_mods
from npc_server.records import SaveInfo
from npc_server.session.game_files import FileChange, GameFiles
from npc_server.session.take_over import take_over

app = typer.Typer(help="List saves, and update a save with edited persona and town files.", no_args_is_help=True)


@app.command("list")
def list_(save_folder: SaveFolder = None, config: Config = None) -> None:
    """List the saves of a folder, newest first, with game, town, game time and people, and why a save cannot be opened."""
    folder = _settings(save_folder, config).save.folder
    found = Slots(folder).saves()
    if not found:
        say(f"There are no saves in {folder}.")
        return
    table = Table("slot", "game", "town", "game time", "saved", "people", "problem", box=None, pad_edge=False, header_style="bold")
    for info in found:
        table.add_row(*_row(info))
    console = Console(highlight=False)
    if not console.is_terminal:  # Another program reads the output, so no column may be cut.
        console.width = 1000
    console.print(table)


@app.command()
def refresh(
    save: Annotated[str, typer.Argument(help="Save file, or name of a slot in --save-folder.")],
    town: Annotated[Path | None, typer.Option(help="Edited town file.")] = None,
    personas: Annotated[Path | None, typer.Option(help="Folder of edited persona files.")] = None,
    mods: Mods = None,
    yes: Annotated[bool, typer.Option("--yes", help="Update the save without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would change.")] = False,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Update a save with edited persona and town files. Memories and other experiences are kept.

    The save must not be open in a game. If any file has a mistake, all mistakes are printed and the save stays as it is.
    """
    log_to()
    if yes and dry_run:
        raise BadInput("--yes and --dry-run were given together.", "Leave one out.")
    settings = _settings(save_folder, config)
    folder, slot = _slot(save, settings.save.folder)
    files = _files(town, personas, mods)
    of_mods = {file.name for file in files.mods}
    ready: list[FileChange] = []
    """What can be applied. A file of a mod that has a mistake is left out, and keeps no other from being applied."""

    def confirm(changes: Sequence[FileChange]) -> bool:
        ready.extend(change for change in changes if change.readable or change.file not in of_mods)
        for change in changes:
            say(change.summary if change in ready else f"warning: {change.summary}")
        if not ready:
            return False
        return yes or (not dry_run and typer.confirm(f"Update {slot!r} with these changes?"))

    done = asyncio.run(take_over(with_own_saves(settings, folder), slot, files, confirm))
    if not ready:
        say(f"The save {slot!r} holds these files already.")
    elif done.applied is None:
        say("Nothing was changed.")
    else:
        told = tuple(change.summary for change in done.changes)
        for warning in (it for it in done.applied.warnings if not any(shown.startswith(it) for shown in told)):
            say(f"warning: {warning}")
        count = len(done.applied.changes)
        say(f"Updated {slot!r} with {count} file{'' if count == 1 else 's'}.")


def _files(town: Path | None, personas: Path | None, mods: Path | None) -> GameFiles:
    """Reads the files that the command line names. Raises FileProblem and BadInput."""
    if mods is not None and personas is None:
        raise BadInput("--mods was given without --personas.", "Name the game's folder of persona files, too: mods lie over them.")
    if town is None and personas is None:
        raise BadInput("Neither --town nor --personas was given.", "Name the town file, the folder of persona files, or both.")
    found = sorted(path for path in personas.glob("*.y*ml") if path.is_file()) if personas is not None and personas.is_dir() else []
    if personas is not None and not found:
        raise BadInput(f"There is no persona file in {str(personas)!r}.", "Name a folder that holds .yaml files.", folder=personas)
    # The files get the names that games give them, because a path of this machine has no meaning in a save.
    people = tuple(replace(read_document(path), name=f"{path.absolute().parent.name}/{path.name}") for path in found)
    changed, unread = read_mods(mods) if mods is not None else ([], [])
    if unread:
        raise FileProblem(tuple(unread))
    return GameFiles("", replace(read_document(town), name=town.name) if town is not None else None, people, tuple(changed))


def _slot(save: str, folder: Path) -> tuple[Path, str]:
    """Reads a path as the name of a save file, and a single word as a slot."""
    path = Path(save)
    return slot_of(path) if path.suffix == SUFFIX or len(path.parts) > 1 else (folder, save)


def _settings(save_folder: Path | None, config: Path | None) -> Settings:
    flags: dict[str, Any] = {"save": {"folder": save_folder}} if save_folder is not None else {}
    return load_settings(config, **flags)


def _row(info: SaveInfo) -> tuple[str, ...]:
    saved = datetime.fromtimestamp(info.saved_at).strftime("%Y-%m-%d %H:%M") if info.saved_at else ""
    now = clock.written(info.now) if info.now else ""
    note = info.problem or ("has play that was not saved; opening the save continues it" if info.recoverable else "")
    return info.slot, info.game, info.town, now, saved, str(len(info.people)), note
