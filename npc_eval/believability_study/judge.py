"""Lets a model rank answers as people do. It ranks them in two orders, which shows whether it prefers the first one."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import fmean

from npc_eval.believability_study.cards import AnswerCard, CardSet, kendall_tau, mean_ranks, ranks_of
from npc_eval.believability_study.files import InterviewedPerson, Interviews, PositionBias, RankFile, Ranking, RememberedLine
from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Engine, Request
from npc_server.llm.reply import Kind, ReplyType, one
from npc_server.prompts.budget import fit
from npc_server.prompts.load import Prompts, Trusted

PROMPT = "rank_answers"
LETTERS = "ABCDEFGH"
REPLY_TOKENS = 32
AT_ONCE = 8
"""Questions that are asked at the same time."""


@dataclass(frozen=True)
class Permutation(Kind):
    """Some letters, each once, in any order: `C, A, B`."""

    letters: tuple[str, ...]

    def describe(self, name: str) -> str:
        return f"the letters {', '.join(self.letters)} in your order, the most believable first, parted by commas"

    def regex(self) -> str:
        return "(" + "|".join(", ".join(order) for order in permutations(self.letters)) + ")"

    def read(self, text: str) -> object:
        found = tuple(part.strip().upper() for part in re.split(r"[,>]", text))
        if sorted(found) != sorted(self.letters):
            raise ValueError(f"is {text!r}, and each of {', '.join(self.letters)} belongs in it once")
        return found

    def write(self, value: object) -> str:
        return ", ".join(value) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class JudgedOrder:
    order: tuple[str, ...]


@dataclass(frozen=True)
class Judge:
    engine: Engine
    name: str
    prompts: Prompts
    seed: int
    prompt_tokens: int
    """Most tokens of one prompt. The least important memories are left out first."""


def reply_for(cards: Sequence[AnswerCard]) -> ReplyType[JudgedOrder]:
    return one(JudgedOrder, order=Permutation(tuple(LETTERS[: len(cards)])))


async def judged(judge: Judge, interviews: Interviews, sets: Sequence[CardSet], done: Callable[[], None]) -> RankFile:
    """Asks each question twice, with its cards in both orders, and ranks by the mean of both places.

    Raises the engine's error where not one question was answered.
    """
    gate = asyncio.Semaphore(AT_ONCE)
    failed: list[EngineError] = []

    async def both(it: CardSet) -> tuple[Sequence[AnswerCard], Sequence[AnswerCard]] | None:
        async with gate:
            try:
                return await _order(judge, interviews, it, it.cards), await _order(judge, interviews, it, it.cards[::-1])
            except EngineError as error:
                failed.append(error)
                return None
            finally:
                done()

    orders = await asyncio.gather(*(both(it) for it in sets))
    answered = [(it, order) for it, order in zip(sets, orders, strict=True) if order is not None]
    if not answered and failed:
        raise failed[0]
    return RankFile(
        answers=interviews.digest(),
        judge=judge.name,
        seed=judge.seed,
        rankings=tuple(
            Ranking(npc=it.npc, category=it.category, question=it.question, ranks=mean_ranks([ranks_of(order) for order in both]))
            for it, both in answered
        ),
        unanswered=len(failed),
        position_bias=_position_bias(answered),
    )


async def _order(judge: Judge, interviews: Interviews, it: CardSet, shown: Sequence[AnswerCard]) -> Sequence[AnswerCard]:
    """Returns the cards, the most believable first. An unreadable reply is asked for once more. Raises EngineError."""
    reply = reply_for(shown)
    person = interviews.person(it.npc)
    rendered = judge.prompts.render(
        PROMPT,
        {
            "name": person.name,
            "description": person.description,
            "memories": [f"({line.at}, {line.kind}) {line.text}" for line in _by_weight(interviews, it, person)],
            "asked_at": interviews.asked_at,
            "question": it.question,
            "cards": [{"letter": letter, "text": card.text} for letter, card in zip(LETTERS, shown, strict=False)],
            "format": Trusted(reply.format_text()),
        },
    )
    budget = min(judge.prompt_tokens, max(judge.engine.status().context_tokens - REPLY_TOKENS, 1))
    prompt = await fit(rendered, budget, judge.engine.count_tokens)
    rng = random.Random(f"{judge.seed} {it.npc} {it.question} {shown is it.cards}")

    async def asked(attempt: int) -> Sequence[AnswerCard]:
        seed, temperature = rng.getrandbits(31), float(attempt)  # At temperature 0 the second reply would be the same.
        request = Request(prompt.system, prompt.user, reply, seed, it.npc, PROMPT, max_tokens=REPLY_TOKENS, temperature=temperature)
        order = reply.parse((await judge.engine.complete(request)).text).order
        return [shown[LETTERS.index(letter)] for letter in order]

    try:
        return await asked(0)
    except ReplyUnreadable:
        return await asked(1)


def _by_weight(interviews: Interviews, it: CardSet, person: InterviewedPerson) -> list[RememberedLine]:
    """Sorts the memories of the person: first those that any condition saw for this question, then by importance."""
    shown = {number for answer in interviews.answers_to(it.npc, it.question) for number in answer.evidence}
    return sorted(person.memories, key=lambda line: (line.id not in shown, -line.importance, -line.id))


def _position_bias(answered: Sequence[tuple[CardSet, tuple[Sequence[AnswerCard], Sequence[AnswerCard]]]]) -> PositionBias | None:
    if not answered:
        return None
    return PositionBias(
        asked_twice=len(answered),
        kendall_tau=fmean(kendall_tau(*both) for _, both in answered),
        same_first=fmean(float(first[0] == second[0]) for _, (first, second) in answered),
        first_shown_first=fmean(
            float(order[0] == shown) for it, both in answered for order, shown in zip(both, (it.cards[0], it.cards[-1]), strict=True)
        ),
    )
