#!/usr/bin/env bash
# Downloads Godot 4 into .godot-engine/ on Debian, and changes no installed package. Usage: scripts/get_godot.sh [FOLDER]
#
# Debian's sid suite has Godot 4. Its packages need sid's C library, so they are not installed but unpacked into the folder and
# run through their own loader. The mirror is the one that apt already uses. A second run does nothing.
set -euo pipefail

least=4.4
here=$(cd "$(dirname "$0")/.." && pwd)
into=$(realpath -m "${1:-$here/.godot-engine}")

say() { echo "get_godot: $*" >&2; }
die() { say "$@"; exit 1; }
fits() { [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$least" "$1" | sort -V | head -1)" = "$least" ]; }

get_xvfb() {
    command -v Xvfb >/dev/null && return 0
    if [ "$(id -u)" = 0 ]; then
        say "installing xvfb, for pictures without a display"
        apt-get install -y -qq --no-install-recommends xvfb >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends xvfb >/dev/null; } \
            || say "xvfb could not be installed; the screenshot test will not run."
    else
        say "for the screenshot test install xvfb: sudo apt-get install xvfb"
    fi
}

if [ -x "$into/godot" ] && fits "$("$into/godot" --version 2>/dev/null | tail -1)"; then
    get_xvfb
    say "$into/godot is there already: $("$into/godot" --version | tail -1)"
    exit 0
fi

if [ -d "$into" ] && [ ! -e "$into/godot" ] && [ -n "$(ls -A "$into")" ]; then
    die "$into holds something else. Name an empty folder."
fi
# shellcheck source=scripts/from_sid.sh
. "$here/scripts/from_sid.sh"
sid_open "Install Godot $least or later from your system or its makers, and set GODOT to it."
version=$(sid_version godot)
fits "$version" || die "the mirror's Godot is version '${version:-none}', and $least or later is needed."

say "godot $version, some 200 MB"
sid_unpack godot godot-template-release libgl1-mesa-dri libegl1 libgl1 libglx-mesa0 mesa-vulkan-drivers

cat > "$work/root/godot" <<'WRAPPER'
#!/bin/sh
# Runs the unpacked Godot with its own C library and, without a graphics card, with its own software renderer.
R=$(dirname "$(readlink -f "$0")")
L=$(dirname "$(ls "$R"/usr/lib/*/libc.so.6 | head -1)")
loader=$(ls "$L"/ld-linux-*.so.* | head -1)
if [ -n "$NPC_SOFTWARE_GL" ]; then
    export LIBGL_ALWAYS_SOFTWARE=1 LIBGL_DRIVERS_PATH="$L/dri" GBM_BACKENDS_PATH="$L/gbm" __EGL_VENDOR_LIBRARY_DIRS="$R/usr/share/glvnd/egl_vendor.d"
    # The editor loads the system's Vulkan drivers, too, and ends when they were made for another C library.
    export VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null
fi
exec "$loader" --library-path "$L:$L/pulseaudio:$L/blas:$L/lapack" "$R/usr/bin/godot" "$@"
WRAPPER
chmod +x "$work/root/godot"
fits "$("$work/root/godot" --version 2>/dev/null | tail -1)" || die "the unpacked Godot does not run on this machine. Set GODOT to one that does."
sid_place "$into"
get_xvfb
say "$into/godot: $("$into/godot" --version | tail -1)"
