"""`npc-server bundle`: makes a folder with Python, npc-server and its models, for a game to take along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from npc_server.bundle.make import make_bundle
from npc_server.bundle.model_files import TARGET
from npc_server.bundle.place import Bundle
from npc_server.bundle.python_archive import WHERE
from npc_server.bundle.systems import NAMES, find_system
from npc_server.cli.options import Config, EmbeddingModel, Model
from npc_server.cli.output import Console, say
from npc_server.config import EngineSettings, load_settings
from npc_server.errors import BadInput
from npc_server.llm.answers_model import FILE_NAME
from npc_server.llm.vector_file import EXCHANGES, vector_files


def bundle(
    folder: Annotated[Path, typer.Argument(help="Folder to make, or to replace if it is an older bundle.")],
    without_models: Annotated[bool, typer.Option("--without-models", help="Leave the models out.")] = False,
    model: Model = None,
    embedding_model: EmbeddingModel = None,
    platform: Annotated[
        str | None, typer.Option(help=f"Make it from wheels, for another system: {', '.join(NAMES)}. It needs --python.")
    ] = None,
    python: Annotated[
        Path | None, typer.Option(metavar="ARCHIVE", help="Archive with Python for --platform. docs/export.md says where to get one.")
    ] = None,
    python_sha256: Annotated[str, typer.Option(metavar="SUM", help="Checksum of that archive.")] = "",
    wheels: Annotated[Path | None, typer.Option(help="Folder of wheels to take instead of downloading them.")] = None,
    config: Config = None,
) -> None:
    """Make a folder with Python, npc-server and its models, so that players need neither. The addon does this when a game is exported.

    It runs on Linux with the same kind of processor; with --platform on that system, with the prebuilt llama.cpp.
    """
    engine: dict[str, Any] = {"model": model, "embedding_model": embedding_model}
    given = {name: value for name, value in engine.items() if value is not None}
    settings = load_settings(config, **({"engine": given} if given else {}))
    taken = None if without_models else settings.engine
    with Console(stderr=True).status(f"Making {folder}"):
        made = make_bundle(folder, taken) if platform is None else _for_system(folder, taken, platform, python, python_sha256, wheels)
    say(f"{'Made:' if made.is_new else 'Up to date:'} {made.folder} ({made.bytes / 1e6:.0f} MB)")
    for line in _notes(made):
        say(line)


def _for_system(
    folder: Path, engine: EngineSettings | None, platform: str, python: Path | None, sha256: str, wheels: Path | None
) -> Bundle:
    system = find_system(platform)
    if python is None:
        raise BadInput("--platform needs an archive with Python.", f"Give it with --python. {WHERE}", platform=platform)
    try:
        # It reads requirements with the package packaging, which no other command needs.
        from npc_server.bundle.from_wheels import BundleSource, make_from_wheels
    except ImportError as error:
        raise BadInput("This Python has no package packaging.", "Install it: pip install packaging.") from error
    return make_from_wheels(folder, engine, BundleSource(system, python, sha256, wheels))


def _notes(made: Bundle) -> list[str]:
    if made.mark.platform:
        system = find_system(made.mark.platform)
        least = f"glibc 2.{made.mark.glibc} or newer" if made.mark.glibc else system.needs
        notes = [f"It is for {system.title}, with {least}."]
        if not made.mark.was_run:
            notes.append("Its files were checked, and it was not started, since this is another system. Try it there before you release.")
    else:
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
