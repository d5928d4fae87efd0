"""Streams are chosen where their memory is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from npc_server.llm.gguf_header import read_header
from npc_server.llm.kv_layout import Layout, cell_bytes, choose_layout

USUAL: dict[str, Any] = {
    "pool_tokens": 8192,
    "stream_tokens": 2048,
    "trained": 32768,
    "sequences": 32,
    "cell": 10_000,
    "memory_mb": 1000,
    "can_share": True,
    "on_card": False,
}


def test_a_cell_has_the_keys_and_values_of_all_layers(random_model: Path) -> None:
    assert cell_bytes(read_header(random_model)) == 2 * 64 * 2 * 2  # layers, width, keys and values, bytes


@pytest.mark.parametrize(
    ("wanted", "changed", "layout"),
    [
        ("auto", {}, Layout(True, 2048)),
        ("auto", {"cell": 20_000}, Layout(False, 8192)),
        ("auto", {"cell": 20_000, "memory_mb": 2000}, Layout(True, 2048)),
        ("auto", {"cell": 20_000, "sequences": 16}, Layout(True, 2048)),
        ("auto", {"trained": 1536}, Layout(True, 1536)),
        ("auto", {"cell": 0}, Layout(False, 8192)),
        ("auto", {"on_card": True}, Layout(False, 65_536)),
        ("auto", {"on_card": True, "cell": 50_000}, Layout(False, 20_000)),
        ("auto", {"on_card": True, "cell": 200_000}, Layout(False, 8192)),
        ("auto", {"on_card": True, "cell": 0}, Layout(False, 8192)),
        ("pool", {"on_card": True}, Layout(False, 8192)),
        ("pool", {}, Layout(False, 8192)),
        ("streams", {"on_card": True}, Layout(True, 2048)),
        ("streams", {"cell": 20_000}, Layout(True, 2048)),
        ("streams", {"cell": 0}, Layout(True, 2048)),
        ("streams", {"can_share": False}, Layout(False, 8192)),
    ],
)
def test_streams_are_taken_where_asked_for_or_where_they_fit(wanted: str, changed: dict[str, Any], layout: Layout) -> None:
    assert choose_layout(wanted, **USUAL | changed) == layout
