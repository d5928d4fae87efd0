"""How much a model's own lines weigh beside those from memory and the bank: how likely a judge calls one fine, 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from npc_server.data_files import read_toml
from npc_server.llm.by_size import by_size, of_megabytes
from npc_server.llm.models import CatalogueModel, entry_of

CHAT_FILE = "chat.toml"


@cache
def _figures() -> Mapping[str, Any]:
    figures: dict[str, Any] = read_toml(CHAT_FILE)["own_lines"]
    return figures


def of_file(path: Path) -> float:
    """Return the figure of a model file: as the catalogue has it, else by its size."""
    entry = entry_of(path)
    return float(by_size(path, _figures()["sizes"])) if entry is None else of_entry(entry)


def of_entry(entry: CatalogueModel) -> float:
    """Return the figure of a model of the catalogue: as it was measured, else by its size."""
    return entry.own_lines or float(of_megabytes(entry.size_mb, _figures()["sizes"]))


def is_step_up(figure: float) -> bool:
    """Return whether a model's own lines are as likely to be fine as those of memory and the bank."""
    return figure >= float(_figures()["small_profile"])


def caveat(name: str, figure: float) -> str:
    """Return what somebody who plays should know of a model that is no step up, as a sentence; nothing of any other."""
    return "" if is_step_up(figure) else f"{name} is taken to make less sense than memory and the bank do, so these speak first."


def of_endpoint() -> float:
    """Return the figure of a model behind an address."""
    return float(_figures()["endpoint"])
