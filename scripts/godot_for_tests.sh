#!/bin/sh
# Prepares Godot and the bridge for the tests. CI downloads a missing Godot; elsewhere the tests that need it are skipped.
set -eu
cd "$(dirname "$0")/.."
if [ "${CI:-}" = true ] && ! { sh scripts/find_godot.sh && command -v Xvfb; } >/dev/null 2>&1; then
    bash scripts/get_godot.sh .godot-engine # brings Xvfb for the picture, too
fi
if [ "${CI:-}" = true ]; then
    bash scripts/get_llama_server.sh .llama-server || true # Without it, the tests that need it say so.
fi
exec sh scripts/bridge_if_godot.sh
