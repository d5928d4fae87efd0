"""`npc-server save`: lists saves, and takes edited persona and town files over into one."""

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
from npc_server.cli.options import slot_of
from npc_server.cli.output import Console, log_to, say
from npc_server.config import Settings, load_settings
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.evaluation.local_server import with_own_saves
from npc_server.memory.listing import SUFFIX
from npc_server.memory.slots import Slots
from npc_server.records import SaveInfo
from npc_server.session.game_files import FileChange, GameFiles
from npc_server.session.take_over import take_over

app = typer.Typer(help="Saves: list them, and take edited persona and town files over into one.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--save-folder", help="Folder of the saves; the settings' one when left out.")]
Config = Annotated[Path | None, typer.Option(help="Settings file.")]


@app.command("list")
def list_(save_folder: Folder = None, config: Config = None) -> None:
    """Lists the saves of a folder, the newest first: game, town, game time, people, and why one cannot be opened."""
    folder = _settings(save_folder, config).save.folder
    found = Slots(folder).saves()
    if not found:
        say(f"There are no saves in {folder}.")
        return
    table = Table("slot", "game", "town", "game time", "saved", "people", "problem", box=None, pad_edge=False, header_style="bold")
    for info in found:
        table.add_row(*_row(info))
    console = Console(highlight=False)
    if not console.is_terminal:  # another program reads it: no column is cut
        console.width = 1000
    console.print(table)


@app.command()
def refresh(
    save: Annotated[str, typer.Argument(help="A save file, or the name of a slot in --save-folder.")],
    town: Annotated[Path | None, typer.Option(help="The town file as it is now; the save's town stays as it is when left out.")] = None,
    personas: Annotated[Path | None, typer.Option(help="Folder of the persona files as they are now; likewise.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Take the changes over without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what changed.")] = False,
    save_folder: Folder = None,
    config: Config = None,
) -> None:
    """Takes edited persona and town files over into a save that nobody plays, and keeps what was lived.

    All mistakes of all files are told, and then nothing is changed. The save's file is replaced whole or not at all.
    """
    log_to()
    if yes and dry_run:
        raise BadInput("--yes and --dry-run were given together.", "Leave one out.")
    settings = _settings(save_folder, config)
    folder, slot = _slot(save, settings.save.folder)
    files = _files(town, personas)

    def confirm(changes: Sequence[FileChange]) -> bool:
        for change in changes:
            say(change.summary)
        return yes or (not dry_run and typer.confirm(f"Take this over into {slot!r}?"))

    done = asyncio.run(take_over(with_own_saves(settings, folder), slot, files, confirm))
    if not done.changes:
        say(f"The save {slot!r} holds these files already.")
    elif done.applied is None:
        say("Nothing was changed.")
    else:
        for warning in done.applied.warnings:
            say(f"warning: {warning}")
        count = len(done.applied.changes)
        say(f"Taken over into {slot!r}: {count} file{'' if count == 1 else 's'}.")


def _files(town: Path | None, personas: Path | None) -> GameFiles:
    """Raises FileProblem and BadInput."""
    if town is None and personas is None:
        raise BadInput(
            "Neither --town nor --personas says which files to take over.", "Name the town file, the folder of persona files, or both."
        )
    found = sorted(path for path in personas.glob("*.y*ml") if path.is_file()) if personas is not None and personas.is_dir() else []
    if personas is not None and not found:
        raise BadInput(f"There is no persona file in {str(personas)!r}.", "Name a folder that holds .yaml files.", folder=personas)
    # Named as games name them, for a path of this machine means nothing in a save.
    people = tuple(replace(read_document(path), name=f"{path.absolute().parent.name}/{path.name}") for path in found)
    return GameFiles("", replace(read_document(town), name=town.name) if town is not None else None, people)


def _slot(save: str, folder: Path) -> tuple[Path, str]:
    """A path names a file, a bare word a slot."""
    path = Path(save)
    return slot_of(path) if path.suffix == SUFFIX or len(path.parts) > 1 else (folder, save)


def _settings(save_folder: Path | None, config: Path | None) -> Settings:
    flags: dict[str, Any] = {"save": {"folder": save_folder}} if save_folder is not None else {}
    return load_settings(config, **flags)


def _row(info: SaveInfo) -> tuple[str, ...]:
    saved = datetime.fromtimestamp(info.saved_at).strftime("%Y-%m-%d %H:%M") if info.saved_at else ""
    now = f"{clock.to_datetime(info.now):%Y-%m-%d %H:%M}" if info.now else ""
    note = info.problem or ("a crash left unsaved play, which opening it continues" if info.recoverable else "")
    return info.slot, info.game, info.town, now, saved, str(len(info.people)), note
