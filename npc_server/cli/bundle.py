"""`npc-server bundle`: makes a folder with Python, npc-server and its models, for a game to take along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from npc_server.bundle.make import Bundle, make_bundle
from npc_server.bundle.model_files import TARGET
from npc_server.cli.options import Config, Model
from npc_server.cli.output import Console, say
from npc_server.config import load_settings
from npc_server.llm.answers_model import FILE_NAME
from npc_server.llm.vector_file import EXCHANGES, vector_files


def bundle(
    folder: Annotated[
        Path, typer.Argument(help="Folder to make, such as npc-server beside an exported game. An older bundle is replaced.")
    ],
    without_models: Annotated[
        bool, typer.Option("--without-models", help="Leave the models out. Everybody then lives by instinct, unless the player has some.")
    ] = False,
    model: Model = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="Name or GGUF file of the embedding model; `none` compares words instead.")
    ] = None,
    config: Config = None,
) -> None:
    """Make a folder with Python, npc-server and its models, so that players need neither. The addon does this when a game is exported.

    It runs on Linux with the same kind of processor, wherever it lies. Nothing happens if the folder is up to date.
    """
    engine: dict[str, Any] = {"model": model, "embedding_model": embedding_model}
    given = {name: value for name, value in engine.items() if value is not None}
    settings = load_settings(config, **({"engine": given} if given else {}))
    with Console(stderr=True).status(f"Making {folder}"):
        made = make_bundle(folder, None if without_models else settings.engine)
    say(f"{'Made:' if made.is_new else 'Up to date:'} {made.folder} ({made.bytes / 1e6:.0f} MB)")
    for line in _notes(made):
        say(line)


def _notes(made: Bundle) -> list[str]:
    notes = [f"It runs on Linux with glibc 2.{made.mark.glibc} or newer."]
    if made.mark.processor:
        notes.append(
            f"Its models run only on processors with {', '.join(made.mark.processor)}; on others everybody lives by instinct. "
            "For all processors since about 2015, run make setup CPU=v3 in the clone of npc-server, and try again."
        )
    models = made.folder / TARGET
    if (models / FILE_NAME).is_file() and not vector_files(models, EXCHANGES):
        notes.append(
            "The vectors of the exchanges are missing, so each player's server has to compute them. "
            "Run npc-server model prepare-exchanges, and try again."
        )
    if made.mark.without_licence:
        notes.append(f"No licence was found of {', '.join(made.mark.without_licence)}. Add it to {made.folder / 'licences'}.")
    return notes
