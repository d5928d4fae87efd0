"""Test-only servers. Run as a script it imports everything once, and starts a server by each line of flags that it reads:
a process of its own that runs `npc-server serve`'s own code, to be killed by whoever asked for it.

`early` serves with a host that acknowledges before the commit: what the tests must find out.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

import typer

from npc_server.cli.serve import serve as command
from npc_server.records import GameEvent
from npc_server.rpc import serve
from npc_server.session.game_files import NO_FILES, GameFiles
from npc_server.session.host import Host
from npc_server.session.session import Session


class EarlyHost(Host):
    """Acknowledges what it has not stored yet."""

    async def open_save(self, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False, files: GameFiles = NO_FILES) -> Session:
        session = await super().open_save(slot, resume_epoch, discard_unsaved, files)
        take, stores = session.take, set[asyncio.Task[int]]()

        async def early(epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
            stores.add(asyncio.get_running_loop().create_task(take(epoch, events)))
            return events[-1][0]

        hooked: Any = session
        hooked.take = early
        return session


def main(kind: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the killed are not kept
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # who waits for this script's end must not wait for its servers
            if kind == "early":
                hooked: Any = serve
                hooked.open_server = functools.partial(serve.open_server, make_host=EarlyHost)
            app = typer.Typer(add_completion=False)
            app.command()(command)
            app(json.loads(line))
        print(pid, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
