"""Builds the bridge of the Godot addon: see godot_project/addons/npc/bridge/build.py, which goes with the addon.

Also names the extension in the demo's cache. A headless Godot that finds an extension by itself, in its first import,
crashes when it ends (godot issues 123511 and 111048); one that knows it from the start does not.
"""

from __future__ import annotations

import runpy
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "godot_project"
BUILD = PROJECT / "addons" / "npc" / "bridge" / "build.py"
EXTENSIONS = PROJECT / ".godot" / "extension_list.cfg"


NAME = "res://addons/npc/bin/npc_bridge.gdextension\n"


def name_extension() -> None:
    if not EXTENSIONS.exists() or EXTENSIONS.read_text(encoding="utf-8") != NAME:
        EXTENSIONS.parent.mkdir(exist_ok=True)
        EXTENSIONS.write_text(NAME, encoding="utf-8")


if __name__ == "__main__":
    name_extension()
    runpy.run_path(str(BUILD), run_name="__main__")
