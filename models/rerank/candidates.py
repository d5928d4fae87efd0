"""Candidates for lines of the talks, for a judge: replies of the bank, and what the character knows.

python -m models.rerank.candidates --talks 640 --out talks.jsonl

Each line of the sheet has the candidates for one line of a player, with `"scores": null`. A judge fills in 0 (wrong),
1 (poor), 2 (fine) or 3 (very good).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from models.answers.own_words import in_own_words
from models.training.talks import TALKS, TalkExample, read
from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import load_exchanges
from npc_server.config import EngineSettings
from npc_server.llm.engine import Embedder
from npc_server.llm.start import open_embedder
from npc_server.personas.names import first_name
from npc_server.personas.schema import Manner

OF_BANK, GENERAL, KNOWN = 5, 3, 3
"""Candidates for a line: of near entries of the bank, of general ones, and of what the character knows."""
TELLING = 2
"""Most candidates of the bank that tell something of the character."""
STRANGE_TEMPER = 0.3
"""Share of talks in which the bank answers in tempers drawn by chance."""


def told(talk: TalkExample, text: str) -> str:
    """A sentence about the character in its own words."""
    return in_own_words(talk.name, text, (talk.player,) if talk.player else ())


def known(talk: TalkExample) -> list[str]:
    """What the character could tell of itself, its day and its memories, in its own words."""
    first = first_name(talk.name)
    of_today = [f"{first} {deed}" for deed in talk.today]
    moment = [f"{first} is {talk.doing}", *([f"{first} will {talk.next} next"] if talk.next else [])]
    return [told(talk, text) for text in (*talk.identity, *talk.memories, *of_today, *moment)]


def facts(talk: TalkExample, rng: random.Random) -> dict[str, str]:
    """Values of the bank's slots, as far as a talk has them."""
    first = first_name(talk.name)
    day, _, hour = talk.at.rpartition(", ")
    found = {
        "me": first, "full_name": talk.name, "age": str(talk.age), "about_me": told(talk, talk.identity[0]),
        "on_my_mind": told(talk, rng.choice(talk.memories or talk.identity)), "i_do": told(talk, f"{first} is {talk.doing}"),
        "did": told(talk, f"{first} {rng.choice(talk.today)}") if talk.today else "", "next": talk.next, "place": talk.place,
        "time": f"about {int(hour[:2]) % 12 or 12}", "day": day.split()[0],
        "news": told(talk, rng.choice(talk.memories)) if talk.memories else "",
    }  # fmt: skip
    return {name: text.rstrip(".") for name, text in found.items() if text}


async def candidates(bank: ExchangeBank, embedder: Embedder, talk: TalkExample, line: str, rng: random.Random) -> list[str]:
    """Some twelve texts that could answer a line, in random order."""
    texts = known(talk)
    vectors = await embedder.embed([line, *texts])
    near = [texts[place] for place in np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")]
    drawn = tuple(rng.sample(sorted(bank_settings().described), 2)) if rng.random() < STRANGE_TEMPER else ()
    found = await bank.replies_to(line, Manner(tuple(talk.identity), drawn), facts(talk, rng))
    telling = [it.text for it in found if it.slots and not it.is_general][:TELLING]
    of_bank = [*telling, *(it.text for it in found if not it.slots and not it.is_general)]
    general = [it.text for it in found if it.is_general]
    chosen = [*near[:KNOWN], *rng.sample(of_bank, min(OF_BANK, len(of_bank))), *rng.sample(general, min(GENERAL, len(general)))]
    chosen = list(dict.fromkeys(chosen))
    rng.shuffle(chosen)
    return chosen


def drawn_talks(count: int, seed: int) -> Iterator[tuple[str, int, TalkExample]]:
    """Talks in a seeded order, each with its world and number. Those that are held back come, too."""
    every = [(path.stem, it.line, it.example) for path in sorted(TALKS.glob("*.jsonl")) for it in read(path)]
    random.Random(seed).shuffle(every)
    yield from every[:count]


async def _run(count: int, seed: int, out: Path) -> None:
    embedder = await open_embedder(EngineSettings(reranker="none", models_folder=Path("models")))
    bank = ExchangeBank(load_exchanges(bank_settings().described), embedder, bank_settings(), Path("models"))
    await bank.prepare()
    with out.open("w", encoding="utf-8") as sheet:
        for world, number, talk in drawn_talks(count, seed):
            rng = random.Random(f"{world} {number} {seed}")
            for turn in range(0, len(talk.turns), 2):
                texts = await candidates(bank, embedder, talk, talk.turns[turn].text, rng)
                row: Mapping[str, object] = {"world": world, "talk": number, "turn": turn, "texts": texts, "scores": None}
                sheet.write(json.dumps(row, ensure_ascii=False) + "\n")
    await embedder.close()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Writes candidates for lines of the talks, for a judge.")
    parser.add_argument("--talks", type=int, default=640, help="how many talks")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="the sheet, a .jsonl file")
    it = parser.parse_args(arguments)
    asyncio.run(_run(it.talks, it.seed, it.out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
