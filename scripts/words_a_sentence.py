"""Measures how long the sentences of Markdown files are: `python scripts/words_a_sentence.py README.md docs/*.md`.

Code blocks, tables, headings, pictures and HTML comments are left out. Each list item begins a new sentence.
`code` counts as one word, and a link as its text. `--long` also prints every sentence over the limit.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

LIMIT = 25
BLOCK = re.compile(r"^ *(```|~~~).*?^ *\1[^\n]*$", re.MULTILINE | re.DOTALL)
BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.) )")
END = re.compile(r"(?<=[.!?…])[\"')*_]*\s+(?=[\"'(*_\[]*[A-Z0-9`])")


def prose(text: str) -> str:
    """Removes everything from a page that is not a sentence."""
    text = re.sub(r"<!--.*?-->", "", BLOCK.sub("\n", text), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#", "!["))]
    return re.sub(r"`[^`]+`", "CODE", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", "\n".join(lines)))


def sentences(text: str) -> list[str]:
    """Returns the sentences of a page, each on one line."""
    pieces = (re.sub(r"^\s*(?:[-*+]|\d+\.) ", "", piece) for piece in BREAK.split(prose(text)))
    return [" ".join(one.split()) for piece in pieces for one in END.split(piece) if words(one)]


def words(sentence: str) -> int:
    return len(re.findall(r"[^\W_][\w'’.,:/-]*", sentence))


def row(name: str, counts: list[int]) -> str:
    longer = sum(count > LIMIT for count in counts)
    return f"{name:<44}{len(counts):>6}{sum(counts) / max(1, len(counts)):>8.1f}{100 * longer / max(1, len(counts)):>8.1f} %"


def report(files: list[Path], long: bool) -> list[str]:
    """Returns a row for each file, and one for all of them."""
    lines = [f"{'file':<44}{'all':>6}{'words':>8}{'over ' + str(LIMIT):>10}"]
    total: list[int] = []
    for path in files:
        found = sentences(path.read_text(encoding="utf-8"))
        counts = [words(one) for one in found]
        total += counts
        lines.append(row(str(path), counts))
        if long:
            lines += [f"  {count}: {one}" for one, count in zip(found, counts, strict=True) if count > LIMIT]
    return [*lines, row("all", total)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Words a sentence in Markdown files, and the share of sentences with more than 25.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--long", action="store_true", help="print each sentence over the limit")
    given = parser.parse_args()
    sys.stdout.write("\n".join(report(given.files, given.long)) + "\n")


if __name__ == "__main__":
    main()
