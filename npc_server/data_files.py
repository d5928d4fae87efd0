"""Reads the files of words and numbers in `npc_server/data/`, which anybody can edit."""

from __future__ import annotations

import json
import sys
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(name: str, package: str = "npc_server") -> dict[str, Any]:
    """Reads a file of the folder. It is not cached, so callers should keep the result. Other packages have such a folder, too."""
    found: dict[str, Any] = tomllib.loads(resources.files(package).joinpath(f"data/{name}").read_text(encoding="utf-8"))
    return found


def read_json(name: str) -> dict[str, Any]:
    """Reads a JSON file of the folder. It is not cached."""
    found: dict[str, Any] = json.loads(resources.files("npc_server").joinpath(f"data/{name}").read_text(encoding="utf-8"))
    return found


def read_words(name: str) -> frozenset[str]:
    """The words of a text file of the folder, without its lines that begin with `#`. It is not cached."""
    text = resources.files("npc_server").joinpath(f"data/{name}").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
