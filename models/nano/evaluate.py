"""Evaluates a GGUF file on the held-out split, through the server's engine: `python -m models.nano.evaluate FILE`.

Needs no PyTorch. Replies are made without the grammar, to show what the model does by itself.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from models.nano.draw import Split
from models.nano.examples import markdown
from models.nano.mixture import MAKERS, samples
from models.nano.render import Sample, Turn
from npc_server.config import EngineSettings
from npc_server.errors import ReplyUnreadable
from npc_server.llm.engine import Request
from npc_server.llm.worker import LlamaEngine

SEED = 2024
"""Seed of the held-out samples. Training has another."""
AT_ONCE = 8
SAYS_UNKNOWN = re.compile(
    r"\b(don't|do not|cannot|can't|couldn't|no idea|not heard|haven't heard|unknown|nobody)\b|\bnot (know|say)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Result:
    """One reply and its score."""

    kind: str
    parses: bool
    score: float
    prompt: str
    reply: str
    wanted: str


async def ask(engine: LlamaEngine, sample: Sample, turn: Turn, temperature: float | None, free: bool) -> str:
    assert turn.type is not None
    request = Request(sample.system, turn.user, turn.type, seed=1, max_tokens=500, temperature=temperature, deadline_s=600, free=free)
    return (await engine.complete(request)).text.strip()


def judge(sample: Sample, turn: Turn, reply: str) -> Result:
    assert turn.type is not None
    try:
        turn.type.parse(reply)
        parses = True
    except ReplyUnreadable:
        parses = False
    kind = turn.kind
    score = SCORES.get(kind, _parses)(turn, reply) if parses else 0.0
    return Result(kind, parses, score, turn.user, reply, turn.reply)


def _parses(turn: Turn, reply: str) -> float:
    return 1.0


def _any_expected(turn: Turn, reply: str) -> float:
    return float(not turn.expect or any(part.casefold() in reply.casefold() for part in turn.expect))


def _unknown(turn: Turn, reply: str) -> float:
    return float(bool(SAYS_UNKNOWN.search(reply)))


def _first_line(turn: Turn, reply: str) -> float:
    return float(reply.split("\n")[0] == turn.reply.split("\n")[0])


def _close_numbers(turn: Turn, reply: str) -> float:
    """Share of the ratings that are at most one off."""
    pairs = list(zip(reply.split("\n"), turn.reply.split("\n"), strict=True))
    return sum(abs(int(a) - int(b)) <= 1 for a, b in pairs) / len(pairs)


def _evidence(turn: Turn, reply: str) -> float:
    """Share of insights whose evidence is part of the evidence of a wanted insight."""
    wanted = [set(row.rsplit("|", 1)[1].split(", ")) for row in turn.reply.replace("| ", "|").split("\n")]
    found = [set(row.rsplit("|", 1)[1].split(", ")) for row in reply.replace("| ", "|").split("\n")]
    return sum(any(got <= want for want in wanted) for got in found) / len(found)


def _all_expected(turn: Turn, reply: str) -> float:
    """1 when every appointment stands at its time."""
    starts = [row.split(" | ")[0] for row in reply.split("\n")]
    return float(all(at in starts for at in turn.expect))


def _told(turn: Turn, reply: str) -> float:
    if not turn.expect:
        return float("told: nothing" in reply)
    told = [row.removeprefix("told: ") for row in reply.split("\n") if row.startswith("told: ")]
    return sum(wanted in told for wanted in turn.expect) / len(turn.expect)


def _names_known(turn: Turn, reply: str) -> float:
    """1 when every capitalized word inside a sentence is in the prompt."""
    words = re.findall(r"(?<=[a-z,;] )[A-Z][a-z']+", reply.split("\n")[0])
    return float(all(word.removesuffix("'s") in turn.user or word.startswith("I") for word in words))


SCORES: Mapping[str, Callable[[Turn, str], float]] = {
    "recall": _any_expected,
    "self": _any_expected,
    "unknown": _unknown,
    "react": _first_line,
    "listen": _first_line,
    "place": _first_line,
    "importance": _close_numbers,
    "insights": _evidence,
    "plan_day": _all_expected,
    "talk_over": _told,
    "say": _names_known,
}


def chosen(each: int, questions: Sequence[str]) -> list[tuple[Sample, Turn]]:
    """The first turns of held-out samples, which are whole prompts."""
    found: list[tuple[Sample, Turn]] = []
    for name in questions:
        for sample in islice(samples(SEED, Split.HELD_OUT, {name: 1.0}), each * (3 if name == "interview" else 1)):
            found.append((sample, sample.turns[0]))
    return found


async def evaluate(model: Path, each: int, questions: Sequence[str], temperature: float | None, free: bool) -> list[Result]:
    engine = LlamaEngine(model, EngineSettings(context_tokens=16384, max_parallel=AT_ONCE, queue_limit=1000))
    await engine.loaded()
    try:
        if not engine.status().ready:
            raise SystemExit(engine.status().problem)
        pairs = chosen(each, questions)
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(sample: Sample, turn: Turn) -> Result:
            async with gate:
                return judge(sample, turn, await ask(engine, sample, turn, temperature, free))

        return list(await asyncio.gather(*(one(sample, turn) for sample, turn in pairs)))
    finally:
        await engine.close()


def table(results: Sequence[Result]) -> str:
    rows = ["| question | n | parses | score |", "|---|---|---|---|"]
    for kind in dict.fromkeys(r.kind for r in results):
        of = [r for r in results if r.kind == kind]
        rows.append(f"| {kind} | {len(of)} | {sum(r.parses for r in of) / len(of):.2f} | {sum(r.score for r in of) / len(of):.2f} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Asks a GGUF file the held-out questions.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--each", type=int, default=40, help="samples of each question")
    parser.add_argument("--questions", nargs="+", choices=sorted(MAKERS), default=list(MAKERS))
    parser.add_argument("--temperature", type=float, help="as the model file recommends when left out")
    parser.add_argument("--grammar", action="store_true", help="use the grammars of replies, as in play")
    parser.add_argument("--json", type=Path, help="write every reply to this file")
    parser.add_argument("--show", type=int, default=0, help="print so many replies of each kind")
    parser.add_argument("--examples", type=Path, help="write replies of each kind to this file, as many as --show says, or 20")
    args = parser.parse_args()
    results = asyncio.run(evaluate(args.model, args.each, args.questions, args.temperature, not args.grammar))
    shown: dict[str, int] = {}
    for r in () if args.examples else results:
        shown[r.kind] = shown.get(r.kind, 0) + 1
        if shown[r.kind] <= args.show:
            verdict = f"{r.score:.2f}" if r.parses else "DOES NOT PARSE"
            print(f"\n--- {r.kind} {verdict}\n{r.prompt[-700:]}\n>>> {r.reply}\n=== {r.wanted}")
    print(table(results))
    if args.examples:
        title = f"What {args.model.stem} answers: held-out prompts, drawn by seed {SEED}"
        args.examples.write_text(markdown(results, args.show or 20, title), encoding="utf-8")
    if args.json:
        args.json.write_text(json.dumps([vars(r) for r in results], ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
