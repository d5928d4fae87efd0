"""How much a model's own lines weigh beside those from memory and the bank: how likely a judge calls one fine, 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from npc_server.data_files import read_toml
from npc_server.llm.by_size import by_size
from npc_server.llm.models import entry_of

CHAT_FILE = "chat.toml"


@cache
def _figures() -> Mapping[str, Any]:
    figures: dict[str, Any] = read_toml(CHAT_FILE)["own_lines"]
    return figures


def of_file(path: Path) -> float:
    """Return the figure of a model file: as the catalogue has it, else by its size."""
    entry = entry_of(path)
    if entry is not None and entry.own_lines:
        return entry.own_lines
    return float(by_size(path, _figures()["sizes"]))


def of_endpoint() -> float:
    """Return the figure of a model behind an address."""
    return float(_figures()["endpoint"])
