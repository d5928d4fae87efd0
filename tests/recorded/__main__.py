"""Records, plays and re-keys the lives of this folder.

    python -m tests.recorded record NAME --by-hand FOLDER    play, and ask each question in FOLDER (npc-server answer FOLDER)
    python -m tests.recorded record NAME --model FILE --answers FOLDER    play, and let a model answer (it may take hours)
    python -m tests.recorded keep NAME FOLDER                pack what was answered in FOLDER, and write the day that follows
    python -m tests.recorded replay NAME                     play again, and show what differs from the kept day
    python -m tests.recorded rekey NAME                      after a change of prompts: keep the answers that still fit

With `player_lines` for NAME, these commands play the talks of players in place of a life. `rekey --by-hand FOLDER` asks there for the
answers that are missing. A new life needs only `NAME/life.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from types import ModuleType

from npc_server.cli.output import log_to
from tests.recorded import keep_life, keep_talks
from tests.recorded.lives import HERE
from tests.recorded.player_talks import FOLDER


def main() -> int:
    log_to()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    for name in ("record", "keep", "replay", "rekey"):
        command = commands.add_parser(name)
        command.add_argument("name", help="name of the life, a folder with life.json, or player_lines")
        if name == "keep":
            command.add_argument("folder", type=Path, help="folder of the answers")
        elif name != "replay":
            command.add_argument("--by-hand", type=Path, help="folder for questions and answers")
        if name == "record":
            command.add_argument("--model", type=Path, help="file of the model that answers, with --answers")
            command.add_argument("--answers", type=Path, help="folder in which its answers are kept while it plays")
    given = parser.parse_args()
    folder = HERE / given.name
    kind: ModuleType = keep_talks if folder == FOLDER else keep_life
    if given.command == "record" and given.model:
        return asyncio.run(keep_life.record_model(folder, given.answers or parser.error("--model needs --answers FOLDER"), given.model))
    if given.command == "record" and not given.by_hand:
        parser.error("Who answers? Name --by-hand FOLDER, or --model FILE.")
    by = given.folder if given.command == "keep" else getattr(given, "by_hand", None)
    code: int = asyncio.run(getattr(kind, given.command)(folder, by))
    return code


if __name__ == "__main__":
    sys.exit(main())
