"""The options that several commands share, each declared once, and how their values are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from npc_server import clock
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.memory.suffix import SUFFIX
from npc_server.records import Document, GameTime
from npc_server.sandbox.towns import Cast

Config = Annotated[Path | None, typer.Option("--config", help="Settings file. Default: npc-server.toml in the current folder.")]
Model = Annotated[
    str | None,
    typer.Option("--model", help="Name or GGUF file of the model; `none` uses instinct alone. By default the settings decide."),
]
EmbeddingModel = Annotated[
    str | None,
    typer.Option("--embedding-model", help="Name or GGUF file of the embedding model; `none` compares words instead."),
]
Town = Annotated[str, typer.Option("--town", help="Name of an included town, or path of a town file.")]
People = Annotated[str, typer.Option("--people", help="Ids of the people to include, separated by commas. Default: everybody.")]
Mods = Annotated[Path | None, typer.Option("--mods", help="Folder of mods, each a folder in it.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random choices. A save keeps its own.")]
Policies = Annotated[
    Path | None,
    typer.Option("--policies", help="Policy file for a new save. Default: the town's own."),
]
NoPolicies = Annotated[bool, typer.Option("--no-policies", help="Begin a new save without policies.")]
SaveFolder = Annotated[Path | None, typer.Option("--save-folder", help="Folder of the saves. By default the settings decide.")]
SaveToPlay = Annotated[
    Path | None,
    typer.Option("--save", help=f"Save file to play, NAME{SUFFIX}, or to create."),
]
SaveToRead = Annotated[Path, typer.Argument(metavar="SAVE", help="Save file. It is only read.")]
Npc = Annotated[str, typer.Argument(metavar="NPC", help="Person: an id, or a name in upper or lower case.")]
At = Annotated[str, typer.Option("--at", help='Game time, such as "2026-05-04 18:00". Default: the time of the save.')]
Questions = Annotated[Path | None, typer.Option("--questions", help="File of questions. Default: the 25 built-in ones.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with all details.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]

DAYS = "Game days to play."
SPEED = "Game seconds per second of wall time."


def parsed_time(text: str, option: str = "--at") -> GameTime | None:
    """Reads `2026-05-04 18:00` as game time. An empty text gives None. Raises BadInput."""
    if not text:
        return None
    try:
        return clock.parse_datetime(text)
    except ValueError as error:
        raise BadInput(f"{option} {text!r} is not a date and time.", 'Write it like "2026-05-04 18:00"; early years are "0342".') from error


def slot_of(save: Path) -> tuple[Path, str]:
    """Splits the path of a save file into its folder and its slot. Raises BadInput if the file has another ending."""
    if save.suffix not in ("", SUFFIX):
        raise BadInput(f"{save.name!r} is not the name of a save file.", f"Let it end in {SUFFIX}.", save=save)
    return save.absolute().parent, save.stem


def new_save(save: Path, force: bool) -> Path:
    """Returns the path of a save file that a command will create. A name without an ending gets the usual one. Raises BadInput."""
    path = (save if save.suffix else save.with_name(save.name + SUFFIX)).absolute()
    check_new_file(path, force)
    return path


def chosen_policies(cast: Cast, file: Path | None, none: bool) -> tuple[Document, ...]:
    """Returns the policy files that a new save begins with: the given one, none at all, or the town's own."""
    if file is not None and none:
        raise BadInput("--policies and --no-policies were given together.", "Leave one out.")
    return (read_document(file),) if file is not None else () if none else cast.policy_files


def names_in(text: str, separator: str = ",") -> list[str]:
    """Splits `a, b` into ["a", "b"]."""
    return [part.strip() for part in text.split(separator) if part.strip()]


def engine_of(model: str | None) -> dict[str, dict[str, Any]]:
    """Returns the settings that `--model` overrides; an empty dict if the option was left out."""
    return {} if model is None else {"engine": {"model": model}}


def check_new_file(path: Path, force: bool) -> None:
    """Checks that a command may create this file, so that it fails before any work is done. Raises BadInput."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise BadInput(f"There is no folder {str(folder)!r}.", "Create it first, or choose another place.", file=path)
    if path.exists() and not force:
        raise BadInput(f"There is a file {str(path)!r} already.", "Choose another name, or add --force to replace it.", file=path)


def write_new_file(path: Path, text: str) -> None:
    """Writes the file as UTF-8. Raises BadInput if the system refuses."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The file {str(path)!r} cannot be written: {error.strerror}.", "Choose another place.", file=path) from error
