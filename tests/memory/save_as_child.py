"""What a kill test kills: a process that saves what it plays in `first` to `second`, and dies before its n-th change of the folder.

`python -m tests.memory.save_as_child FOLDER N`: ends with 9 when it died, with 0 when it had done all.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from npc_server.memory.slots import Slots
from npc_server.memory.working_copy import open_store


def die_before(number: int) -> None:
    """The n-th rename, removal or sync kills the process."""
    count = 0

    def hook(owner: object, name: str) -> None:
        real = getattr(owner, name)

        def step(*given: object, **named: object) -> object:
            nonlocal count
            count += 1
            if count == number:
                os._exit(9)
            return real(*given, **named)

        setattr(owner, name, step)

    for owner, name in ((Path, "replace"), (Path, "unlink"), (os, "fsync")):
        hook(owner, name)


async def save_as(folder: Path, number: int) -> None:
    slots = Slots(folder)
    store = await open_store(slots.open_working_copy("first"), 0)
    die_before(number)
    await asyncio.to_thread(slots.save, store.copy, "first", "second", 1234)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(save_as(Path(sys.argv[1]), int(sys.argv[2])))
