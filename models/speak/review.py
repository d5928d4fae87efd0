"""Reviews examples: what a reader would stumble over, as far as code can see it.

    python -m models.speak.review                            # all worlds
    python -m models.speak.review models/speak/days/castle.jsonl ...

Prints one line for each fault and ends with 1 if there is one.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from models.speak import review_kinds, review_talks, worlds
from models.speak.lines import FOLDER, BadExample
from models.speak.review_talks import Fault
from models.speak.talks import read


def _of_all(folder: Path) -> tuple[list[Fault], Counter[str]]:
    found = [worlds.load(name, folder) for name in worlds.names(folder)]
    faults = review_talks.faults([written for world in found for written in world.talks])
    faults += [fault for world in found for fault in review_kinds.faults(world)] + review_kinds.faults_of_all(found)
    return faults, Counter(kind for world in found for kind, _ in world.all())


def _of_file(path: Path) -> tuple[list[Fault], Counter[str]]:
    """Faults of one file. Its kind is its folder's name; what is in no such folder has talks."""
    kind = path.parent.name
    if kind not in worlds.KINDS or kind == worlds.TALKS:
        talks = list(read(path))
        return review_talks.faults(talks), Counter({worlds.TALKS: len(talks)})
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    world = worlds.load(path.stem, path.parent.parent)
    faults = [*review_kinds.faults(world), *review_kinds.faults_of_all([world])]
    of_kind = [fault for fault in faults if fault.where.startswith(kind) or (kind == worlds.MEETINGS and fault.where == "all")]
    return of_kind, Counter({kind: len(world.of(kind))})


def main(files: Sequence[str], folder: Path = FOLDER) -> int:
    try:
        reviewed = [_of_file(Path(file)) for file in files] if files else [_of_all(folder)]
    except (BadExample, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = [fault for faults, _ in reviewed for fault in faults]
    counts = sum((count for _, count in reviewed), Counter[str]())
    sys.stdout.writelines(f"{fault}\n" for fault in found)
    sys.stdout.write(f"{', '.join(f'{counts[kind]} {kind}' for kind in worlds.KINDS if counts[kind])}: {len(found)} faults\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
