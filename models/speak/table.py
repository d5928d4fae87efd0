"""Counts the examples by kind, and shows what becomes of one.

python -m models.speak.table                  # examples, answers and tokens of each kind
python -m models.speak.table days castle 3    # the messages of a line
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from models.speak import worlds
from models.speak.lines import FOLDER, BadExample
from models.speak.render import Messages, messages
from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing, ReplyUnreadable
from npc_server.llm.llama_vocab import Vocabulary
from npc_server.llm.models import resolve

NAME = "npc-speak"
"""The model whose tokens are counted. It has those of its base."""
HEADER = ("kind", "examples", "held back", "answers", "prompt, mean", "prompt, most", "answer, mean", "tokens, all")


@dataclass
class Count:
    examples: int = 0
    held_back: int = 0
    prompts: list[int] = field(default_factory=list)
    """Tokens of each prompt."""
    answers: list[int] = field(default_factory=list)
    without: set[str] = field(default_factory=set)
    """Values of the template that examples do not have."""

    def row(self) -> tuple[object, ...]:
        if not self.prompts:
            return (self.examples, self.held_back, 0, "", "", "", 0)
        sizes = (round(mean(self.prompts)), max(self.prompts), round(mean(self.answers)))
        return (self.examples, self.held_back, len(self.answers), *sizes, sum(self.prompts) + sum(self.answers))


def counted(found: Iterable[worlds.World], count: Callable[[Sequence[str]], list[int]]) -> dict[str, Count]:
    """Examples by kind. `count` counts the tokens of texts. Raises ReplyUnreadable for an answer that the server could not read."""
    counts = {kind: Count() for kind in worlds.KINDS}
    for world in found:
        for kind, written in world.all():
            it = counts[kind]
            it.examples += 1
            it.held_back += world.holds_back(written)
            made = messages(world, written)
            it.prompts += count([f"{message.system}\n{message.user}" for message in made])
            it.answers += count([message.answer for message in made])
            it.without |= {f"{message.question}: {value}" for message in made for value in message.without}
    return counts


def as_table(counts: dict[str, Count]) -> str:
    rows = [HEADER, *((kind, *it.row()) for kind, it in counts.items())]
    widths = [max(len(f"{row[i]}") for row in rows) for i in range(len(HEADER))]
    lines = [
        "  ".join(f"{cell}".rjust(width) if i else f"{cell}".ljust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    missing = sorted({value for it in counts.values() for value in it.without})
    return "\n".join([*lines, *([f"Values of templates that examples leave empty: {', '.join(missing)}"] if missing else [])]) + "\n"


def shown(made: Sequence[Messages]) -> str:
    return "\n\n".join(f"=== {it.question}\n--- system\n{it.system}\n--- user\n{it.user}\n--- answer\n{it.answer}" for it in made) + "\n"


def main(arguments: Sequence[str], folder: Path = FOLDER) -> int:
    if len(arguments) not in (0, 3) or (arguments and (arguments[0] not in worlds.KINDS or not arguments[2].isdecimal())):
        sys.stderr.write(f"Give nothing, or a kind, a world and a line: days castle 3. Kinds: {', '.join(worlds.KINDS)}.\n")
        return 2
    try:
        if not arguments:
            settings = EngineSettings()
            count = Vocabulary(resolve(NAME, settings.models_folder), settings.max_header_bytes).count
            sys.stdout.write(as_table(counted((worlds.load(name, folder) for name in worlds.names(folder)), count)))
            return 0
        kind, name, line = arguments
        world = worlds.load(name, folder)
        found = [written for written in world.of(kind) if written.line == int(line)]
        if not found:
            raise BadExample(f"{kind}/{name}.jsonl has no line {line}")
        sys.stdout.write(shown(messages(world, found[0])))
    except (BadExample, ReplyUnreadable, ModelMissing, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
