#!/bin/sh
# Prints the Godot to use: $GODOT, then godot or godot4 on the PATH, then the project's own. Fails if none is version 4.4 or newer.
cd "$(dirname "$0")/.." || exit 1
for candidate in "${GODOT:-}" "$(command -v godot 2>/dev/null)" "$(command -v godot4 2>/dev/null)" "$PWD/.godot-engine/godot"; do
    [ -n "$candidate" ] && [ -x "$candidate" ] || continue
    version=$("$candidate" --version 2>/dev/null | tail -n 1)
    case "$version" in
        4.[4-9].* | 4.[1-9][0-9].* | [5-9].*) echo "$candidate"; exit 0 ;;
    esac
done
exit 1
