"""Candidates for lines, for a judge: plays lines of players with people of the towns, and writes down among what each answer was chosen.

python -m models.speak.candidates --lines models/speak/judged/players.yaml --out models/speak/judged/town.jsonl

The sheet (`town.jsonl`) has one answer in each line: the prompt, and the candidates in random order with `"score": null`. A judge fills
in 0 (wrong, garbled, contradicts), 1 (poor), 2 (fine) or 3 (very good). `made/town.jsonl` says who made each candidate and holds its
features, so that the judge does not see them. `fit_choice.py` fits the weights.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from npc_server import clock
from npc_server.cli.talk import OF_THE_DAY
from npc_server.config import Settings, load_settings
from npc_server.evaluation.local_server import local_server, with_own_saves
from npc_server.evaluation.player_lines import PlayerLines, read_lines
from npc_server.llm.engine import Embedder
from npc_server.llm.start import open_engine
from npc_server.mind.line_chooser import LineChoice
from npc_server.mind.line_features import features
from npc_server.records import Document
from npc_server.sandbox.talk import talking
from npc_server.sandbox.towns import cast_with


async def played(talk: PlayerLines, settings: Settings) -> list[LineChoice | None]:
    """The choice for each line; None where it was answered by a deed, or by nobody."""
    cast, npc = cast_with(talk.town, talk.to)
    seen: list[LineChoice] = []
    found: list[LineChoice | None] = []
    with tempfile.TemporaryDirectory(prefix="npc-candidates-") as folder:
        engine = await open_engine(settings.engine)
        left = tuple(sorted(engine.status().weak_at | OF_THE_DAY))
        async with local_server(with_own_saves(settings, Path(folder), by_instinct=left), engine=engine) as local:
            local.host.chooser.watch = lambda choice: seen.append(choice) if choice.npc == npc else None
            async with talking(local.connection, cast, npc, talk.player, clock.parse_datetime(talk.at), 7) as player:
                for line in talk.lines:
                    seen.clear()
                    async for _ in player.say(line):
                        pass
                    choice = next((it for it in seen if it.heard is not None and it.heard.text == line), None)
                    found.append(None if choice is None else await with_fits(choice, line, local.host.embedder))
    return found


async def with_fits(choice: LineChoice, line: str, embedder: Embedder) -> LineChoice:
    """The choice with what npc-answers says of all candidates. In play it reads only those of the bank where npc-rerank reads."""
    odds = await embedder.answers(line, [it.candidate.text for it in choice.measured])
    if odds is None:
        return choice
    return replace(choice, measured=tuple(replace(it, fits=float(fits)) for it, fits in zip(choice.measured, odds, strict=True)))


def sheet_line(name: str, heard: str, choice: LineChoice, order: Sequence[int]) -> dict[str, object]:
    """What the judge sees."""
    shown = [{"text": choice.measured[number].candidate.text, "score": None} for number in order]
    return {"id": name, "persona": choice.npc, "asked": heard, "prompt": choice.prompt, "candidates": shown}


def made_line(name: str, choice: LineChoice, order: Sequence[int]) -> dict[str, object]:
    """Who made the candidates, and their features."""
    found = [choice.measured[number] for number in order]
    values = [{key: None if value is None else round(value, 4) for key, value in features(it).items()} for it in found]
    said = choice.candidates[0].candidate.text
    heard = None if choice.heard is None else asdict(choice.heard)
    return {"id": name, "said": said, "heard": heard, "made": [asdict(it.candidate) for it in found], "features": values}


async def _run(talks: Sequence[PlayerLines], first: int, settings: Settings, out: Path) -> None:
    made_file = out.parent / "made" / out.name
    made_file.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as sheet, made_file.open("w", encoding="utf-8") as made:
        for number, talk in enumerate(talks, first):
            for line, (heard, choice) in enumerate(zip(talk.lines, await played(talk, settings), strict=True)):
                if choice is None:
                    continue
                name = f"{number}:{line}:{talk.to}"
                order = list(range(len(choice.measured)))
                random.Random(name).shuffle(order)
                sheet.write(json.dumps(sheet_line(name, heard, choice, order), ensure_ascii=False) + "\n")
                made.write(json.dumps(made_line(name, choice, order), ensure_ascii=False) + "\n")
            sheet.flush()
            made.flush()
            sys.stderr.write(f"talk {number}\n")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Writes candidates for answers to players, for a judge.")
    parser.add_argument("--lines", type=Path, required=True, help="lines of players, as for `npc-server eval preference run`")
    parser.add_argument("--talks", default="1-", help="which talks of the file, such as 1-20")
    parser.add_argument("--out", type=Path, required=True, help="the sheet, a .jsonl file")
    parser.add_argument("--model", help="model that draws; `none` shows what memory and the bank have")
    parser.add_argument("--config", type=Path, help="settings file")
    it = parser.parse_args(arguments)
    talks = read_lines(Document(str(it.lines), it.lines.read_text(encoding="utf-8")))
    start, _, end = it.talks.partition("-")
    chosen = talks[int(start) - 1 : int(end) if end else None]
    asyncio.run(_run(chosen, int(start), load_settings(it.config, **({"engine": {"model": it.model}} if it.model else {})), it.out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
