"""Shows whether a change of the code kept people's behaviour: plays towns with two versions of it and compares what happened.

    python scripts/compare_play.py play --checkout . --out before.jsonl
    python scripts/compare_play.py compare before.jsonl after.jsonl

Plays are by instinct, in lockstep and without Godot: the same code plays the same twice. Needs nothing of the package but the command
`npc-server simulate`, so that files may move and names may change in between.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from play_differences import compare, read_lines
from play_rows import rows_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    play = commands.add_parser("play", help="play towns and write down what happened, one JSON line for each thing")
    play.add_argument("--checkout", type=Path, required=True, help="folder of the code to play with, set up (make setup)")
    play.add_argument("--out", type=Path, required=True, help="file to write; replaced when all plays are over")
    play.add_argument("--towns", default="millbrook,alderwick", help="joined by commas (%(default)s)")
    play.add_argument("--days", type=float, default=2.0, help="game days of each play (%(default)s)")
    play.add_argument("--seeds", default="1,2,3", help="joined by commas (%(default)s)")
    play.add_argument("--jobs", type=int, default=2, help="plays at once (%(default)s)")
    play.add_argument("--embedder", default="", help="embedding model, or `none` to be quick; the checkout's own where left out")
    play.set_defaults(run=_play)
    both = commands.add_parser("compare", help="compare two such files; ends with 1 when anything differs")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    both.add_argument("--show", type=int, default=10, help="differences to print (%(default)s)")
    both.set_defaults(run=_compare)
    options = parser.parse_args()
    try:
        return int(options.run(options))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _play(options: argparse.Namespace) -> int:
    program = _program(options.checkout)
    plays = list(product(_words(options.towns), [int(seed) for seed in _words(options.seeds)]))
    if not options.out.absolute().parent.is_dir():
        raise ValueError(f"There is no folder {str(options.out.parent)!r} for --out. Make it first, or choose another place.")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max(1, options.jobs)) as pool:
        played = Path(folder) / "played.jsonl"
        with played.open("w", encoding="utf-8") as file:
            for lines in pool.map(lambda it: list(_one(program, it[0], it[1], options.days, options.embedder)), plays):
                for kind, line in lines:
                    counts[kind] += 1
                    file.write(line + "\n")
        options.out.write_bytes(played.read_bytes())
    sys.stdout.write("".join(f"{count:8} {kind}\n" for kind, count in counts.items()))
    return 0


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _program(checkout: Path) -> Path:
    program = checkout.absolute() / ".venv" / "bin" / "npc-server"
    if not program.is_file():
        raise ValueError(f"The checkout {str(checkout)!r} has no {program}. Run `make setup` in it, or name another checkout.")
    return program


def _one(program: Path, town: str, seed: int, days: float, embedder: str) -> Iterator[tuple[str, str]]:
    """Plays once, in a folder of its own and without settings of this machine. Yields the kind and the line of each thing."""
    began = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NPC_SERVER_")}
    if embedder:
        environment["NPC_SERVER_ENGINE__EMBEDDING_MODEL"] = embedder
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / "played.npc"
        words = ["simulate", "--town", town, "--days", str(days), "--seed", str(seed), "--model", "none", "--save", str(save), "--json"]
        done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or not save.is_file() or not done.stdout.startswith("{"):
            what = (
                f"`{program} {' '.join(words)}` ended with {done.returncode} and without what it should make: a save, and a report as JSON."
            )
            raise ValueError(f"{what} Run it by itself, mend what it says, and play again.\n{done.stderr[-2000:]}")
        for row in rows_of(save, json.loads(done.stdout)):
            yield row["kind"], json.dumps({"town": town, "seed": seed, **row}, ensure_ascii=False)
    sys.stderr.write(f"{town}, seed {seed}: {days:g} days in {time.monotonic() - began:.0f} s\n")


def _compare(options: argparse.Namespace) -> int:
    text, differ = compare(read_lines(options.before), read_lines(options.after), options.show)
    sys.stdout.write(text)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
