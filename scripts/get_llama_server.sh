#!/usr/bin/env bash
# Downloads llama.cpp's own llama-server into .llama-server/ on Debian, and changes no installed package. Tests of endpoints and
# `npc-server bench` compare with it. Usage: scripts/get_llama_server.sh [FOLDER]. A second run does nothing.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
into=$(realpath -m "${1:-$here/.llama-server}")

say() { echo "get_llama_server: $*" >&2; }
die() { say "$@"; exit 1; }

if [ -x "$into/llama-server" ] && "$into/llama-server" --version >/dev/null 2>&1; then
    say "$into/llama-server is there already"
    exit 0
fi
if [ -d "$into" ] && [ ! -e "$into/llama-server" ] && [ -n "$(ls -A "$into")" ]; then
    die "$into holds something else. Name an empty folder."
fi
# shellcheck source=scripts/from_sid.sh
. "$here/scripts/from_sid.sh"
sid_open "Install llama.cpp from its makers, and set LLAMA_SERVER to its llama-server."
sid_unpack llama.cpp

cat > "$work/root/llama-server" <<'WRAPPER'
#!/bin/sh
# Runs the unpacked llama-server with its own C library. ggml looks for its processors' libraries beside the program, which is the
# loader here, so the one that fits best is named.
R=$(dirname "$(readlink -f "$0")")
L=$(dirname "$(ls "$R"/usr/lib/*/libc.so.6 | head -1)")
loader=$(ls "$L"/ld-linux-*.so.* | head -1)
if [ -z "${GGML_BACKEND_PATH:-}" ]; then
    has() { grep -qwm1 "$1" /proc/cpuinfo 2>/dev/null; }
    if has avx512_bf16; then best=zen4; elif has avx512f; then best=skylakex; elif has avx2; then best=haswell; else best=x64; fi
    GGML_BACKEND_PATH=$(ls "$L"/ggml/backends*/libggml-cpu-$best.so 2>/dev/null | head -1)
    export GGML_BACKEND_PATH
fi
exec "$loader" --library-path "$L:$L/llama:$L/ggml" "$R/usr/bin/llama-server" "$@"
WRAPPER
chmod +x "$work/root/llama-server"
"$work/root/llama-server" --version >/dev/null 2>&1 || die "the unpacked llama-server does not run on this machine. Set LLAMA_SERVER to one that does."
sid_place "$into"
say "$into/llama-server: $("$into/llama-server" --version 2>&1 | grep -m1 version)"
