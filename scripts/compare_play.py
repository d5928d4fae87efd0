"""Shows whether a change of the code changed what people do: plays towns with two versions of the code, and compares the plays.

    python scripts/compare_play.py play --checkout . --out before.jsonl
    python scripts/compare_play.py compare before.jsonl after.jsonl

Towns are played by instinct in lockstep, so the same code gives the same play twice. The script only uses the command
`npc-server simulate`, so files and names of the package may change between the versions.
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
    play.add_argument("--checkout", type=Path, required=True, help="folder of the code to play with, after `make setup`")
    play.add_argument("--out", type=Path, required=True, help="file to create; an old one is replaced when all plays are over")
    play.add_argument("--towns", default="millbrook,alderwick", help="names of towns, separated by commas (default: %(default)s)")
    play.add_argument("--days", type=float, default=2.0, help="game days of each play (default: %(default)s)")
    play.add_argument("--seeds", default="1,2,3", help="seeds, separated by commas (default: %(default)s)")
    play.add_argument("--jobs", type=int, default=2, help="plays that run at the same time (default: %(default)s)")
    play.add_argument("--embedder", default="", help="embedding model, or `none` for a quick run (default: that of the code)")
    play.set_defaults(run=_play)
    both = commands.add_parser("compare", help="compare two such files; the exit code is 1 if anything differs")
    both.add_argument("before", type=Path, help="file of the old version")
    both.add_argument("after", type=Path, help="file of the new version")
    both.add_argument("--show", type=int, default=10, help="most differences to print (default: %(default)s)")
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
        raise ValueError(f"There is no folder {str(options.out.parent)!r} for --out. Create it first, or choose another place.")
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
    """Plays once in a temporary folder, without the settings of this machine. Yields the kind and the line of each row."""
    began = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NPC_SERVER_")}
    if embedder:
        environment["NPC_SERVER_ENGINE__EMBEDDING_MODEL"] = embedder
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / "played.npc"
        words = ["simulate", "--town", town, "--days", str(days), "--seed", str(seed), "--model", "none", "--save", str(save), "--json"]
        done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or not save.is_file() or not done.stdout.startswith("{"):
            what = f"`{program} {' '.join(words)}` ended with code {done.returncode}, and gave no save or no JSON report."
            raise ValueError(f"{what} Run it by itself, fix what it reports, and play again.\n{done.stderr[-2000:]}")
        for row in rows_of(save, json.loads(done.stdout)):
            yield row["kind"], json.dumps({"town": town, "seed": seed, **row}, ensure_ascii=False)
    sys.stderr.write(f"{town}, seed {seed}: {days:g} days in {time.monotonic() - began:.0f} s\n")


def _compare(options: argparse.Namespace) -> int:
    text, differ = compare(read_lines(options.before), read_lines(options.after), options.show)
    sys.stdout.write(text)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
