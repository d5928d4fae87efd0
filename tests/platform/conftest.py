"""Every test of this folder runs twice: with what this system has, and with the branches that work everywhere."""

from __future__ import annotations

import pytest

from npc_server.platform.system import SWITCH


@pytest.fixture(autouse=True, params=["", "1"], ids=["own", "portable"])
def branch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(SWITCH, request.param)
    return str(request.param)
