"""No test thinks with a model that it does not name, and none meets a deadline of the product that it does not set itself."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("NPC_SERVER_ENGINE__MODEL", "none")
for deadline in ("ENGINE__DEADLINE_S", "ENGINE__PLAYER_DEADLINE_S", "ENGINE__HANG_S"):
    os.environ.setdefault(f"NPC_SERVER_{deadline}", "3600")

import pytest  # noqa: E402

from npc_server.bundle.make import make_bundle  # noqa: E402
from tests.minds import make_mind, persona, world  # noqa: E402, F401


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with Godot run one after another, in one process of pytest-xdist: they share a project folder and a display."""
    for item in items:
        if "godot" in item.keywords:
            item.add_marker(pytest.mark.xdist_group("godot"))


@pytest.fixture(scope="session")
def bundle_without_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real bundle, made once. Its tests are in the group `godot`, since an exported game takes the same one. Nobody writes to it."""
    folder = tmp_path_factory.mktemp("made") / "npc-server"
    make_bundle(folder, None)
    return folder
