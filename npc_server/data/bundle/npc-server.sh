#!/bin/sh
# Runs npc-server with the Python of this folder, wherever the folder lies. It uses nothing else but the system's C library.
case "$0" in */*) here=${0%/*} ;; *) here=. ;; esac
# The loader reads $ORIGIN as the folder of the program, so any letter may be in the path of this folder.
# shellcheck disable=SC2016
LD_LIBRARY_PATH='$ORIGIN/../lib:$ORIGIN/../lib/native'"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
# -I: no PYTHON... variable of the player, no packages of the player, nothing from the working folder.
exec "$here/python/bin/python3" -I "$here/python/bin/npc-server" "$@"
