"""The `npc-server` command. Each command is one file here; this is the only room that builds the world and reads the environment."""

from __future__ import annotations

import os
import sys

from npc_server.errors import NpcServerError


def main() -> None:
    """Runs a command; what this program can explain ends as one message and exit code 1."""
    # gRPC's core writes lines of its own to stderr, and reads this when it is imported; what they say comes as errors too.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from npc_server.cli.app import app
    from npc_server.cli.output import say

    try:
        app()
    except NpcServerError as error:
        say(f"npc-server: {error}", err=True)
        sys.exit(1)
