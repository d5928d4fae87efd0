"""Collects the stems of all words in the examples: `python -m models.speak.stems > npc_server/data/english_stems.txt`.

The server takes a word in lower case that is neither among them nor in the prompt for garbled. Words that only occur in capitals are left
out, since they are names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from models.speak import worlds
from models.speak.lines import FOLDER
from npc_server.english.stems import stem

HEAD = "# Stems of the words in the examples of models/speak, for the check of a small model's replies. Made by models/speak/stems.py.\n"
LINE = 140
_WORD = re.compile(r"(?<![^\W\d_])[a-zà-öø-ÿ]+")


def stems_of(texts: Iterable[str]) -> list[str]:
    """The stems, sorted. Words are taken up to their apostrophe."""
    return sorted({stem(word) for text in texts for word in _WORD.findall(re.sub(r"['’][a-z]+", "", text))})


def as_lines(stems: Iterable[str]) -> str:
    rows = [""]
    for it in stems:
        if len(rows[-1]) + len(it) >= LINE:
            rows.append("")
        rows[-1] += f" {it}" if rows[-1] else it
    return "".join(f"{row}\n" for row in rows)


def texts(folder: Path = FOLDER) -> list[str]:
    return [path.read_text(encoding="utf-8") for kind in worlds.KINDS for path in sorted((folder / kind).glob("*.jsonl"))]


if __name__ == "__main__":
    sys.stdout.write(HEAD + as_lines(stems_of(texts())))
