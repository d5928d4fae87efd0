"""Vectors in a file: kept by the player's server, or shipped with a game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from npc_server.llm import vector_file
from npc_server.llm.vector_file import key_of, read_vectors, write_vectors


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of models of the package."""
    folder = tmp_path / "package"
    monkeypatch.setattr(vector_file, "PACKAGED", folder)
    return folder


def test_what_a_game_ships_is_read_where_the_player_has_no_file_yet(tmp_path: Path, shipped: Path) -> None:
    own = tmp_path / "cache" / "exchanges-words-2.npz"
    write_vectors(shipped / own.name, [key_of("a boat")], np.array([[0.6, 0.8]], np.float32))
    assert read_vectors(own, 2)[key_of("a boat")].tolist() == pytest.approx([0.6, 0.8])
    write_vectors(own, [key_of("a net")], np.array([[1.0, 0.0]], np.float32))
    assert set(read_vectors(own, 2)) == {key_of("a net")}


def test_without_any_file_there_are_no_vectors(tmp_path: Path, shipped: Path) -> None:
    assert read_vectors(tmp_path / "exchanges-words-2.npz", 2) == {}
    assert read_vectors(None, 2) == {}
