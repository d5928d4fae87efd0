"""The `npc-server` command. Each command has a file here. Only this package reads the environment and starts engines and servers."""

from __future__ import annotations

import os
import sys

from npc_server.errors import NpcServerError
from npc_server.platform.console import print_utf8


def main() -> None:
    """Runs a command. An error that npc-server can explain is printed as one message, and the exit code is 1."""
    # gRPC writes its own lines to stderr, although the same failures also raise errors. It reads this variable when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from npc_server.cli.app import app
    from npc_server.cli.output import say

    print_utf8()
    try:
        app()
    except NpcServerError as error:
        say(f"npc-server: {error}", err=True)
        sys.exit(1)
