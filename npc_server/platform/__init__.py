"""What differs between Linux, Windows and macOS, and nothing else does.

Each difference has a branch that works everywhere. `NPC_PORTABLE=1` takes it on Linux and macOS, too, so that the tests run it there.
"""
