"""Candidates for lines of the training talks, for a judge: what the model draws, what the bank has, and what the writer wrote.

python -m models.speak.candidates --model models/npc-speak.gguf --lines 300 --out models/speak/judged/first.jsonl

The sheet (`first.jsonl`) has one line of a talk in each line: the prompt, and the candidates in random order with `"score": null`. A judge
fills in 0 (wrong, garbled, contradicts), 1 (poor), 2 (fine) or 3 (very good). `made/first.jsonl` says who made each candidate, so that the
judge does not see it. `measure.py` adds the features, and `fit_choice.py` fits the weights.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from models.speak import worlds
from models.speak.lines import FOLDER, BadExample, Written
from models.speak.render import Messages, messages
from models.speak.talks import TalkExample
from npc_server.cognition.converse import LINE_TOKENS
from npc_server.config import EngineSettings
from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Engine, Priority, Request
from npc_server.llm.mend_reply import read
from npc_server.llm.start import open_embedder, open_engine
from npc_server.mind.candidates import CandidateLine, Maker, each_once
from npc_server.mind.exchange_bank import ExchangeBank, bank_settings
from npc_server.mind.exchanges import load_exchanges
from npc_server.mind.measure_lines import WITHOUT_CONTEXT

DRAWS = 4
"""Lines that the model draws, as `mind.lines_drawn` for a small model."""
AT_ONCE = 4
"""Lines that are worked on at once. Each has `DRAWS` requests."""
PLAIN = "agrees: no\nsay: "
"""What stands before the words of a reply that agrees to nothing."""
SAY = "say: "
"""What stands before the words of a reply."""


@dataclass(frozen=True)
class Asked:
    """A line of a talk that a character answers."""

    id: str
    """World, line of the file, and number of the answer in the talk, such as `castle:12:3`."""
    talk: TalkExample
    asked: str
    """What the player said."""
    said: tuple[str, ...]
    """The character's lines before."""
    written: str
    """The writer's answer."""
    message: Messages
    bare: Messages
    """The question without memories and moment."""


def drawn(count: int, seed: int, folder: Path = FOLDER) -> list[Asked]:
    """Lines of talks that are not held back: one of a talk, and of each world as many as of the others."""
    order = random.Random(f"candidates {seed}")
    of_world = [_of_world(worlds.load(name, folder), order) for name in worlds.names(folder)]
    found: list[Asked] = []
    while of_world and len(found) < count:
        for lines in list(of_world):
            asked = next(lines, None)
            if asked is None:
                of_world.remove(lines)
            elif len(found) < count:
                found.append(asked)
    return found


def _of_world(world: worlds.World, order: random.Random) -> Iterator[Asked]:
    talks = [written for written in world.of(worlds.TALKS) if not world.holds_back(written)]
    order.shuffle(talks)
    for written in talks:
        replies = len(written.example.replies)
        yield _asked(world, written, order.randrange(replies) + 1)


def by_id(name: str, folder: Path = FOLDER) -> Asked:
    """The line with this id. Raises BadExample."""
    world, line, number = name.split(":")
    found = worlds.load(world, folder)
    written = next((it for it in found.of(worlds.TALKS) if it.line == int(line)), None)
    if written is None or not 1 <= int(number) <= len(written.example.replies):
        raise BadExample(f"there is no answer {number} in line {line} of talks/{world}.jsonl")
    return _asked(found, written, int(number))


def _asked(world: worlds.World, written: Written[TalkExample], number: int) -> Asked:
    talk = written.example
    before = talk.turns[: 2 * number - 1]
    return Asked(
        f"{world.name}:{written.line}:{number}", talk, before[-1].text, tuple(it.text for it in before if it.who == "npc"),
        talk.turns[2 * number - 1].text, messages(world, written)[number - 1], messages(world, written, WITHOUT_CONTEXT)[number - 1],
    )  # fmt: skip


async def candidates_for(asked: Asked, engine: Engine, bank: ExchangeBank, draws: int, seed: int) -> list[CandidateLine]:
    """All candidates for the line, each once, the writer's first."""
    made = await asyncio.gather(*(_draw(asked, engine, seed + number) for number in range(draws)))
    found = await bank.replies_to(asked.asked, asked.talk.identity)
    return each_once([CandidateLine(asked.written, Maker.WRITER), *(it for it in made if it is not None), *found])


def request_for(asked: Asked, it: Messages, seed: int = 0) -> Request:
    """What the server would ask for this line."""
    return Request(it.system, it.user, it.reply, seed, asked.id, "say", LINE_TOKENS, priority=Priority.USUAL, deadline_s=600)


async def _draw(asked: Asked, engine: Engine, seed: int) -> CandidateLine | None:
    """What the model says with this seed; None if it cannot be read."""
    try:
        text = (await engine.complete(request_for(asked, asked.message, seed))).text
        spoken = read(asked.message.reply, text, (asked.talk.name,)).value
    except (ReplyUnreadable, EngineError) as error:
        sys.stderr.write(f"{asked.id}: {error}\n")
        return None
    return CandidateLine(str(spoken.say), Maker.MODEL, given=text.partition(SAY)[0] + SAY)


def sheet_line(asked: Asked, found: Sequence[CandidateLine]) -> dict[str, object]:
    """What the judge sees."""
    it = asked.message
    shown = [{"text": candidate.text, "score": None} for candidate in found]
    return {"id": asked.id, "persona": asked.talk.name, "asked": asked.asked, "prompt": f"{it.system}\n\n{it.user}", "candidates": shown}


async def _run(model: str, lines: int, draws: int, seed: int, out: Path, exchanges: Sequence[Path]) -> int:
    settings = EngineSettings(model=model, context_tokens=16384, deadline_s=600)
    engine, embedder = await open_engine(settings), await open_embedder(settings)
    if not engine.status().ready:
        sys.stderr.write(f"{engine.status().problem}\n")
        return 2
    numbers = bank_settings()
    bank = ExchangeBank(load_exchanges(numbers.described, exchanges), embedder, numbers, settings.models_folder)
    made_file = out.parent / "made" / out.name
    made_file.parent.mkdir(parents=True, exist_ok=True)
    try:
        await bank.prepare()
        asked = drawn(lines, seed)
        with out.open("w", encoding="utf-8") as sheet, made_file.open("w", encoding="utf-8") as made:
            for start in range(0, len(asked), AT_ONCE):
                part = asked[start : start + AT_ONCE]
                for it, found in zip(
                    part, await asyncio.gather(*(candidates_for(it, engine, bank, draws, seed) for it in part)), strict=True
                ):
                    random.Random(f"{seed} {it.id}").shuffle(found)
                    sheet.write(json.dumps(sheet_line(it, found), ensure_ascii=False) + "\n")
                    made.write(json.dumps({"id": it.id, "made": [asdict(one) for one in found]}, ensure_ascii=False) + "\n")
                sys.stderr.write(f"\r{start + len(part)} of {len(asked)} lines")
                sheet.flush()
                made.flush()
        sys.stderr.write("\n")
    finally:
        await engine.close()
        await embedder.close()
    return 0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Writes candidates for lines of the training talks, for a judge.")
    parser.add_argument("--model", default="npc-speak", help="name or file of the model that draws")
    parser.add_argument("--lines", type=int, default=300, help="lines of talks")
    parser.add_argument("--draws", type=int, default=DRAWS, help="lines that the model draws for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="the sheet, a .jsonl file")
    parser.add_argument("--exchanges", type=Path, nargs="*", default=[], help="further folders of exchanges")
    it = parser.parse_args(arguments)
    return asyncio.run(_run(it.model, it.lines, it.draws, it.seed, it.out, it.exchanges))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
