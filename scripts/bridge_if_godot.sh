#!/bin/sh
# Builds the bridge if Godot is installed, else says how to get Godot.
set -eu
cd "$(dirname "$0")/.."
if ! command -v cc >/dev/null 2>&1 && ! command -v gcc >/dev/null 2>&1 && ! command -v clang >/dev/null 2>&1; then
    echo "No C compiler, which builds the addon's bridge: the town runs in the terminal."
elif godot=$(sh scripts/find_godot.sh 2>/dev/null); then
    GODOT=$godot .venv/bin/python scripts/build_bridge.py
else
    echo "No Godot 4.4 or newer: the town runs in the terminal, and the Godot tests are skipped. 'make godot' brings one (Debian)."
fi
