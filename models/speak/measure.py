"""Measures the candidates of sheets: writes their features into `made/`, for `fit_choice.py`.

python -m models.speak.measure --model models/npc-speak.gguf models/speak/judged/first.jsonl

Do it again when the model or a feature has changed. The judges' scores stay.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from models.speak.candidates import AT_ONCE, PLAIN, by_id, request_for
from npc_server.config import EngineSettings
from npc_server.llm.engine import Embedder, Engine
from npc_server.llm.start import open_embedder, open_engine
from npc_server.mind.candidates import CandidateLine, Maker
from npc_server.mind.line_features import features
from npc_server.mind.measure_lines import LineScene, measure


def rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


async def with_features(row: dict[str, Any], engine: Engine, embedder: Embedder) -> dict[str, Any]:
    """A line of `made/` with the features of its candidates."""
    asked = by_id(row["id"])
    candidates = [CandidateLine(**{**made, "maker": Maker(made["maker"])}) for made in row["made"]]
    scene = LineScene(request_for(asked, asked.message), request_for(asked, asked.bare), PLAIN, asked.asked, asked.said)
    measured = await measure(candidates, scene, embedder, engine)
    return {**row, "features": [_rounded(features(it)) for it in measured]}


def _rounded(values: dict[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 4) for name, value in values.items()}


async def _run(model: str, sheets: Sequence[Path]) -> int:
    settings = EngineSettings(model=model, context_tokens=16384, deadline_s=600)
    engine, embedder = await open_engine(settings), await open_embedder(settings)
    if not engine.status().ready:
        sys.stderr.write(f"{engine.status().problem}\n")
        return 2
    try:
        for sheet in sheets:
            file = sheet.parent / "made" / sheet.name
            made, done = list(rows(file)), []
            for start in range(0, len(made), AT_ONCE):
                done += await asyncio.gather(*(with_features(row, engine, embedder) for row in made[start : start + AT_ONCE]))
                sys.stderr.write(f"\r{sheet.name}: {len(done)} of {len(made)} lines")
            file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in done), encoding="utf-8")
            sys.stderr.write("\n")
    finally:
        await engine.close()
        await embedder.close()
    return 0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Measures the features of candidates.")
    parser.add_argument("--model", default="npc-speak", help="name or file of the model that scores them")
    parser.add_argument("sheets", type=Path, nargs="+")
    it = parser.parse_args(arguments)
    return asyncio.run(_run(it.model, it.sheets))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
