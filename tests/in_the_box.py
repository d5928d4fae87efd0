"""The model in the box, for tests that need a real one. `make setup` makes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm.models import resolve

NAME = EngineSettings().model


def _found() -> Path:
    try:
        return resolve(NAME, EngineSettings().models_folder)
    except ModelMissing:
        return Path(f"{NAME}.gguf")


MODEL = _found()
needs_model = pytest.mark.skipif(not MODEL.is_file(), reason=f"there is no {NAME}; npc-server model pull {NAME} makes it")
