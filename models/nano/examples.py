"""Example replies for the model card, good and bad, as the seed draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.nano.evaluate import Result

LONGEST = 600
"""Most characters shown of a prompt's end."""


def markdown(results: Sequence[Result], each: int, title: str) -> str:
    """The first `each` results of each kind as Markdown."""
    parts = [f"# {title}\n"]
    for kind in dict.fromkeys(r.kind for r in results):
        of = [r for r in results if r.kind == kind][:each]
        parts.append(f"## {kind}\n")
        parts += [_one(number, r) for number, r in enumerate(of, 1)]
    return "\n".join(parts)


def _one(number: int, result: Result) -> str:
    verdict = ("good" if result.score == 1 else f"{result.score:.2f}" if result.score else "bad") if result.parses else "does not parse"
    text = f"{number}. {verdict}\n\n```\n{end_of(result.prompt)}\n>>> {result.reply}\n```\n"
    return text if result.score == 1 else f"{text}\nWanted:\n\n```\n{result.wanted}\n```\n"


def end_of(prompt: str) -> str:
    """The last lines of a prompt before the description of the reply's form."""
    lines: list[str] = []
    for line in reversed(prompt.split("\n\nAnswer with ")[0].split("\n")):
        if lines and sum(len(kept) for kept in lines) + len(line) > LONGEST:
            return "\n".join(["…", *reversed(lines)])
        lines.append(line)
    return "\n".join(reversed(lines))
