"""The models in the box, for tests that need real ones. `make setup` makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm.convert_minilm import FILE_NAME
from npc_server.llm.models import model_folders, resolve

NAME = "npc-rerank"


def _found() -> Path:
    try:
        return resolve(NAME, EngineSettings().models_folder)
    except ModelMissing:
        return Path(f"{NAME}.gguf")


MODEL = _found()
needs_model = pytest.mark.skipif(not MODEL.is_file(), reason=f"there is no {NAME}; npc-server model pull {NAME} makes it")
EMBEDDER = model_folders(Path("nowhere"))[0] / FILE_NAME
needs_embedder = pytest.mark.skipif(not EMBEDDER.is_file(), reason="there is no embedding model; npc-server model make-embedder makes it")
