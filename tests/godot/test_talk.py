"""The demo's talk: a real Godot with real clicks and keys, and the real server without a model."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.godot.conftest import RunCase, saves_of
from tests.godot.test_real_server import REAL

pytestmark = pytest.mark.godot


def test_player_clicks_somebody_talks_is_given_eggs_and_is_told_when_nobody_answers(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("talk", "--town=alderwick", "--player=  Zoë \t of the Marsh, the mill and the long, long road", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["player"] == "Zoë of the Marsh, the mill and the long,"
    (call,) = ran.result["calls"]
    assert {"npc": "agnes_rook", "call_id": call, "happened": True, "reason": ""} in told(tmp_path), "the game did not answer the call"


def told(folder: Path) -> list[dict[str, object]]:
    """What the game told of Alderwick, as the server stored it."""
    db = sqlite3.connect(next(saves_of(folder).glob("alderwick*.play.sqlite")))
    try:
        return [json.loads(body) for (body,) in db.execute("SELECT body FROM inbox")]
    finally:
        db.close()
