"""`npc-server save`: the saves of a folder as a list, and a game's edited files taken over into one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
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
from npc_server.errors import BadInput, SaveError
from npc_server.evaluation.local_server import with_own_saves
from npc_server.llm.absent import AbsentEngine
from npc_server.llm.start import open_embedder
from npc_server.memory.listing import SUFFIX
from npc_server.memory.slots import Slots
from npc_server.records import SaveInfo
from npc_server.session import Host, Session
from npc_server.session.game_files import GameFiles

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
    ask = None if yes else (lambda: False) if dry_run else (lambda: typer.confirm(f"Take this over into {slot!r}?"))
    asyncio.run(_refresh(with_own_saves(settings, folder), slot, files, ask))


async def _refresh(settings: Settings, slot: str, files: GameFiles, ask: Callable[[], bool] | None) -> None:
    """Plays the save without a clock, so that it is locked and written as in a game. `ask` is None where nobody is asked."""
    host = Host(settings, AbsentEngine("Files are taken over without a model."), await open_embedder(settings.engine))
    try:
        session = await host.open_save(slot, files=files)
        if session.recovered:
            await session.suspend()
            raise SaveError(
                f"A crash left play of {slot!r} that is not saved.",
                "Open it in the game, save or discard it there, and try again.",
                slot=slot,
            )
        try:
            taken = await _taken_over(session, files, ask)
        except BaseException:
            await session.close(save=False)
            raise
        await session.close(save=taken)
    finally:
        await host.close()


async def _taken_over(session: Session, files: GameFiles, ask: Callable[[], bool] | None) -> bool:
    """Says what changed and takes it over, unless there is nothing or somebody says no."""
    for change in session.changes:
        say(change.summary)
    if not session.changes:
        say(f"The save {session.slot!r} holds these files already.")
        return False
    if ask is not None and not ask():
        say("Nothing was changed.")
        return False
    applied = await session.apply_files(files)
    for warning in applied.warnings:
        say(f"warning: {warning}")
    say(f"Taken over into {session.slot!r}: {len(applied.changes)} file{'' if len(applied.changes) == 1 else 's'}.")
    return True


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
