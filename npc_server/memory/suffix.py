"""How the name of a save file ends."""

from __future__ import annotations

SUFFIX = ".npcsave"
