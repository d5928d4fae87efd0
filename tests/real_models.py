"""Real language models for tests with the marker `real_model`. Where one cannot be had, its tests are skipped and say so.

They are looked for in the folder `NPC_REAL_MODELS` and then where models usually are. The smaller one is pulled if it is not there.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.llm.models import find_entry, resolve
from npc_server.llm.pull import pull
from npc_server.memory.lock import FileLock

FOLDER = "NPC_REAL_MODELS"
"""The variable of the environment that names a folder of models."""


def model_here(name: str) -> Path | None:
    """Return the file of a model of the catalogue, or None when it is not on this machine."""
    entry = find_entry(name)
    assert entry is not None
    own = Path(os.environ.get(FOLDER, "")) / entry.file
    if os.environ.get(FOLDER) and own.is_file():
        return own
    try:
        return resolve(name, EngineSettings().models_folder)
    except EngineError:
        return None


def pulled_model(name: str) -> Path:
    """Return the file of a model, which is pulled if it is not here. Raises EngineError."""
    entry, engine = find_entry(name), EngineSettings()
    assert entry is not None
    folder = Path(os.environ.get(FOLDER) or engine.models_folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock.acquire(folder / ".pull.lock", patience_s=1500.0)
    try:
        return model_here(name) or pull(entry, folder, engine.models_url, engine.max_pull_bytes).path
    finally:
        if lock is not None:
            lock.release()


@pytest.fixture(scope="session")
def qwen_05b() -> Path:
    """The file of Qwen2.5-Coder-0.5B-Instruct."""
    name = "qwen2.5-coder-0.5b"
    try:
        return model_here(name) or pulled_model(name)
    except EngineError as error:
        pytest.skip(f"{name} is not on this machine and cannot be pulled: {error}")


@pytest.fixture(scope="session")
def qwen_15b() -> Path:
    """The file of Qwen2.5-Coder-1.5B-Instruct. It is too large to be pulled for tests."""
    name = "qwen2.5-coder-1.5b"
    found = model_here(name)
    if found is None:
        pytest.skip(f"{name} is not on this machine. Pull it: npc-server model pull {name}; or name its folder in {FOLDER}")
    return found
