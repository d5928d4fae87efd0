"""Running the evaluation of one model: all cases in parallel, then prompts without the grammar, then the speed."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from npc_eval.benchmarks.engine import EngineSpeed, measure
from npc_eval.model import cases, scores
from npc_eval.model.asking import CaseSetup, ask_case
from npc_eval.model.cases import KINDS, Case
from npc_eval.model.exchanges import Health, ModelExchange, RecordingEngine
from npc_eval.model.minds import Minds
from npc_eval.model.results import CaseResult, FreeReply, KindResult, ModelResult
from npc_server.config import Settings
from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Embedder, Engine, Request
from npc_server.llm.gguf_header import read_header
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.start import open_engine
from npc_server.llm.worker import LlamaEngine
from npc_server.mind.mind import Mind
from npc_server.records import CallOutcome

QUESTIONS = {
    "recall": {"interview"},
    "importance": {"importance"},
    "place": {"act"},
    "react": {"react"},
    "say": {"say"},
    "offer": {"say"},
    "dialogue": {"say"},
    "invitation": {"talk_over", "plan_day"},
    "insights": {"reflect_questions", "reflect_insights"},
}
"""The prompts that a kind evaluates. When instinct has to answer one of them, the case is lost."""
PATIENCE_S = 600.0
"""Deadline of a reply in wall seconds. It is long, since speed is measured separately."""
PARSED_OF_EACH = 60
"""Most prompts of a stage that are asked again without the grammar."""
PARSE = "parse"


AS_IN_PLAY = "as in play, instinct helping"
"""Name of the part with the score of play, where instinct answers when the model cannot."""


@dataclass(frozen=True)
class EvaluationOptions:
    seed: int = 7
    grammar: bool = True
    """Whether replies are limited by the grammar. Without it, replies that do not parse are lost, as in play."""
    in_play: bool = False
    """Whether prompts that the model's file leaves to instinct are left to it, as in play. Instinct's answers count then."""
    parse: bool = True
    """Whether prompts are asked again without the grammar."""
    at_once: int = 16


@dataclass
class Progress:
    """Callbacks for each kind that begins, and for each case that is done."""

    begin: Callable[[str, int], None] = field(default=lambda kind, count: None)
    step: Callable[[str], None] = field(default=lambda kind: None)


def choose_cases(found: Sequence[Case], kinds: Sequence[str], limit: int, seed: int) -> list[Case]:
    """The cases of these kinds in order, at most `limit` of each (0: all), drawn by the seed."""
    picked: list[Case] = []
    for kind in kinds:
        of_kind = [case for case in found if case.kind == kind]
        if limit and len(of_kind) > limit:
            numbers = sorted(random.Random(f"{seed} {kind}").sample(range(len(of_kind)), limit))
            of_kind = [of_kind[i] for i in numbers]
        picked += of_kind
    return picked


async def evaluate_model(
    name: str, settings: Settings, embedder: Embedder, found: Sequence[Case], options: EvaluationOptions, steps: Progress
) -> ModelResult:
    """Opens a model by name or file, asks it every case, and measures its speed. Raises EngineError when it cannot be run."""
    patient = settings.engine.model_copy(update={"model": name, "deadline_s": PATIENCE_S, "player_deadline_s": PATIENCE_S})
    began = time.perf_counter()
    engine = await open_engine(patient)
    load_s = time.perf_counter() - began
    try:
        if isinstance(engine, NoModelEngine) and not patient.instinct_only:
            raise engine.problem
        mind = settings.mind if options.in_play else settings.mind.model_copy(update={"by_instinct": ()})
        minds = Minds(mind, embedder, options.seed)
        health = Health()
        rows = await evaluate(engine, minds, found, options, steps, health)
        speed, size, parameters, temperature = EngineSpeed(), 0.0, 0.0, 0.0
        if isinstance(engine, LlamaEngine):
            if not health.given_up:
                speed = await measure(engine, load_s, engine.process.pid)
            header = read_header(engine.path, patient.max_header_bytes)
            size, parameters, temperature = header.size / 1e6, header.parameters / 1e6, engine.temperature
        return ModelResult(
            patient.model_name, size, parameters, options.seed, options.grammar, temperature, tuple(rows), speed, health.deaths
        )
    finally:
        await engine.close()


async def evaluate(
    engine: Engine,
    minds: Minds,
    found: Sequence[Case],
    options: EvaluationOptions,
    steps: Progress | None = None,
    health: Health | None = None,
) -> list[KindResult]:
    """The results by kind in the order of `KINDS`, then of parsing. Without a model, instinct's answers are scored."""
    steps = steps or Progress()
    health = health or Health()
    rows: list[KindResult] = []
    for kind in KINDS:
        of_kind = [case for case in found if case.kind == kind]
        if of_kind:
            steps.begin(kind, len(of_kind))
            rows.append(await _kind(kind, engine, minds, of_kind, options, health, steps))
    asked = [it for row in rows for result in row.cases for it in result.exchanges]
    if options.parse and asked:
        rows.append(await _parse(engine, asked, options, health, steps))
    return rows


async def _kind(
    kind: str, engine: Engine, minds: Minds, found: Sequence[Case], options: EvaluationOptions, health: Health, steps: Progress
) -> KindResult:
    gate = asyncio.Semaphore(max(options.at_once, 1))
    all_count = options.in_play or isinstance(engine, NoModelEngine)

    async def one(number: int, case: Case) -> CaseResult:
        async with gate:
            heard = RecordingEngine(engine, health, not options.grammar)
            verdict, thinking = await ask_case(case, CaseSetup(minds, heard, number, all_count))
            steps.step(kind)
            return CaseResult(case, verdict, "" if all_count else _failed(kind, thinking), tuple(heard.exchanges))

    began = time.perf_counter()
    results = tuple(await asyncio.gather(*(one(number, case) for number, case in enumerate(found))))
    wall = time.perf_counter() - began
    done = [it.done for result in results for it in result.exchanges if it.done is not None]
    count = max(len(done), 1)
    replied = sum(it.reply_tokens for it in done)
    return KindResult(
        kind,
        len(results),
        _rank_score(results) if kind == "importance" else sum(result.score for result in results) / len(results),
        _parts(results),
        sum(bool(result.failed) for result in results),
        sum(it.prompt_tokens for it in done) / count,
        sum(it.cached_tokens for it in done) / count,
        replied / count,
        replied / wall if wall > 0 else 0.0,
        wall,
        results,
    )


def _failed(kind: str, thinking: Sequence[Mind]) -> str:
    for mind in thinking:
        for call in mind.draft.calls:
            if call.stage in QUESTIONS[kind] and call.outcome is CallOutcome.INSTINCT:
                return call.reason or "no answer"
    return ""


def _rank_score(results: Sequence[CaseResult]) -> float:
    """The rank correlation of the ratings, times the share of cases that were rated."""
    rated = [result for result in results if not result.failed]
    hand = [float(result.case.expect) for result in rated if isinstance(result.case, cases.Importance)]
    return scores.spearman([float(result.verdict.rating) for result in rated], hand) * len(rated) / len(results)


def _parts(results: Sequence[CaseResult]) -> dict[str, tuple[int, float]]:
    names = dict.fromkeys(name for result in results for name in result.verdict.parts)
    found: dict[str, tuple[int, float]] = {}
    for name in names:
        values = [0.0 if result.failed else result.verdict.parts[name] for result in results if name in result.verdict.parts]
        found[name] = (len(values), sum(values) / len(values))
    if results and isinstance(results[0].case, cases.Importance):
        off = [
            abs(result.verdict.rating - result.case.expect)
            for result in results
            if not result.failed and isinstance(result.case, cases.Importance)
        ]
        found["mean error, in steps of 10"] = (len(off), sum(off) / len(off) if off else 9.0)
    elif any(result.failed for result in results):
        found[AS_IN_PLAY] = (len(results), sum(result.verdict.score for result in results) / len(results))
    return found


async def _parse(engine: Engine, asked: Sequence[ModelExchange], options: EvaluationOptions, health: Health, steps: Progress) -> KindResult:
    """Whether replies parse without the grammar. Prompts that were asked with it are asked again."""
    by_stage: dict[str, list[ModelExchange]] = {}
    for it in asked:
        by_stage.setdefault(it.request.stage, []).append(it)
    picked = [it for stage in sorted(by_stage) for it in _sample(by_stage[stage], options.seed)]
    steps.begin(PARSE, len(picked))
    gate = asyncio.Semaphore(max(options.at_once, 1))
    began = time.perf_counter()

    async def one(it: ModelExchange) -> tuple[FreeReply, ModelExchange]:
        if not it.request.free:
            async with gate:
                it = await _again(engine, replace(it.request, free=True), health)
        steps.step(PARSE)
        return FreeReply(it.request.stage, it.done.text if it.done else "", _unread(it)), it

    found = await asyncio.gather(*(one(it) for it in picked))
    wall = time.perf_counter() - began
    free, done = tuple(f for f, _ in found), [it.done for _, it in found if it.done is not None]
    again = [it.done for it, was in zip((it for _, it in found), picked, strict=True) if it.done is not None and it is not was]
    stages = {stage: [not f.wrong for f in free if f.stage == stage] for stage in sorted(by_stage)}
    count = max(len(done), 1)
    return KindResult(
        PARSE,
        len(free),
        sum(not f.wrong for f in free) / max(len(free), 1),
        {stage: (len(values), sum(values) / len(values)) for stage, values in stages.items()},
        len(free) - len(done),
        sum(it.prompt_tokens for it in done) / count,
        sum(it.cached_tokens for it in done) / count,
        sum(it.reply_tokens for it in done) / count,
        sum(it.reply_tokens for it in again) / wall if again else 0.0,
        wall,
        (),
        free,
    )


def _sample(asked: Sequence[ModelExchange], seed: int) -> Sequence[ModelExchange]:
    return asked if len(asked) <= PARSED_OF_EACH else random.Random(seed).sample(list(asked), PARSED_OF_EACH)


async def _again(engine: Engine, request: Request, health: Health) -> ModelExchange:
    heard = RecordingEngine(engine, health)
    try:
        await heard.complete(request)
    except EngineError as error:
        return ModelExchange(request, None, error.what)
    return heard.exchanges[-1]


def _unread(it: ModelExchange) -> str:
    if it.done is None:
        return it.problem or "no answer"
    if it.done.truncated:
        return "does not end"
    try:
        it.request.reply.parse(it.done.text)
    except ReplyUnreadable as error:
        return error.what
    return ""
