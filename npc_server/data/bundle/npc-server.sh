#!/bin/sh
# Runs npc-server with the Python of this folder, wherever the folder lies. It uses nothing else but the system's C library.
folder_of() { case "$1" in */*) here=${1%/*} ;; *) here=. ;; esac; }
program=$0
folder_of "$program"
# A link to it may lie in a folder of the PATH.
while [ -L "$program" ]; do
    link=$(readlink "$program")
    case "$link" in /*) program=$link ;; *) program=$here/$link ;; esac
    folder_of "$program"
done
# The loader reads $ORIGIN as the folder of the program, so any letter may be in the path of this folder.
# shellcheck disable=SC2016
LD_LIBRARY_PATH='$ORIGIN/../lib:$ORIGIN/../lib/native'"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
# -I: no PYTHON... variable of the player, no packages of the player, nothing from the working folder.
exec "$here/python/bin/python3" -I "$here/python/bin/npc-server" "$@"
