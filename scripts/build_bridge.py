"""Builds the bridge of the Godot addon: see godot_project/addons/npc/bridge/build.py, which goes with the addon."""

from __future__ import annotations

import runpy
from pathlib import Path

ADDON = Path(__file__).resolve().parents[1] / "godot_project" / "addons" / "npc"

if __name__ == "__main__":
    runpy.run_path(str(ADDON / "bridge" / "build.py"), run_name="__main__")
