"""The files of words and figures that come with the server, in `npc_server/data/`: TOML, which anybody can edit."""

from __future__ import annotations

import sys
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(name: str) -> dict[str, Any]:
    """What a file of the folder holds. It is read anew each time: keep what is made of it."""
    found: dict[str, Any] = tomllib.loads(resources.files("npc_server").joinpath(f"data/{name}").read_text(encoding="utf-8"))
    return found
