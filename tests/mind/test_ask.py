"""What a question leaves in the ledger, however it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import pytest

from npc_server.clock import HOUR
from npc_server.cognition import interview, reflect, revise_identity
from npc_server.errors import DeadlinePassed, EngineError, ModelDied, ModelMissing, NpcServerError, Overloaded
from npc_server.llm.engine import Completion, OnText, Priority, Request
from npc_server.llm.reply import Integer, many, one
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind.ask import Aloud, Answer, ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import InterviewReply
from npc_server.mind.token_budget import TokenBudget, TokensLeft
from npc_server.records import CallOutcome, MemoryKind, MemorySource, Source
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
ANSWER = one(InterviewReply)


def by_rule() -> InterviewReply:
    return InterviewReply("I do not know.")


@dataclass(frozen=True)
class Rating:
    importance: Annotated[int, Integer(1, 10)]


async def rate(mind: Mind, max_tokens: int = 8) -> Answer[tuple[Rating, ...]]:
    memories = ["The mill is burning."]
    return await ask(mind, "importance", many(Rating, 1, 1), lambda: (Rating(3),), MORNING, max_tokens=max_tokens, memories=memories)


def ended(mind: Mind) -> list[tuple[CallOutcome, bool, str]]:
    """How each question ended, whether it cost anything, and why."""
    return [(call.outcome, call.prompt_tokens > 0, call.reason) for call in mind.draft.calls]


async def test_a_used_answer_is_in_the_ledger_with_its_cost(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"importance": ["9"]}))
    assert (await rate(mind)).source is Source.MODEL
    (call,) = mind.draft.calls
    assert (call.npc, call.stage, call.at, call.outcome, call.reason) == ("mara_voss", "importance", MORNING, CallOutcome.USED, "")
    assert call.prompt_tokens > 100
    assert call.reply_tokens == 1


@pytest.mark.parametrize(
    ("file", "settings", "asked"),
    [((), None, True), (("importance",), None, False), (("react",), None, True), (("importance",), (), True), ((), ("importance",), False)],
)
async def test_what_a_model_is_weak_at_is_left_to_instinct_unless_the_settings_say_otherwise(
    make_mind: MakeMind, file: tuple[str, ...], settings: tuple[str, ...] | None, asked: bool
) -> None:
    engine = ScriptedEngine({"importance": ["9"]}, weak_at=file)
    mind = make_mind(engine, by_instinct=settings)
    assert (await rate(mind)).value == ((Rating(9),) if asked else (Rating(3),))
    assert len(engine.requests) == int(asked)
    if not asked:
        assert ended(mind) == [(CallOutcome.INSTINCT, False, "BY_INSTINCT")]


async def test_words_are_heard_while_they_are_written(make_mind: MakeMind) -> None:
    pieces: list[str] = []
    mind = make_mind(ScriptedEngine({"importance": ["The oven is hot."]}))
    words = SpokenWords(pieces.append)
    answer = await ask(mind, "importance", ANSWER, by_rule, MORNING, aloud=Aloud(words, InterviewReply), memories=["x"])
    assert len(pieces) > 0
    words.finish(answer.value.answer)
    assert "".join(pieces) == "The oven is hot."


@pytest.mark.parametrize("breaks", [False, True], ids=["the check refuses it", "the engine breaks"])
async def test_an_answer_of_which_a_word_was_heard_is_never_taken_back(make_mind: MakeMind, breaks: bool) -> None:
    """Otherwise the player reads a line, and then another in its place."""

    class Breaking(ScriptedEngine):
        async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
            found = await super().complete(request, on_text)
            if breaks:
                raise ModelDied("The model process died.", "Start it again.")
            return found

    pieces: list[str] = []
    engine = Breaking({"importance": ["The oven is hot today.", "I do not know."]})
    words, mind = SpokenWords(pieces.append), make_mind(engine)
    heard = Aloud(words, InterviewReply)
    answer = await ask(mind, "importance", ANSWER, by_rule, MORNING, check=lambda it: "is wrong", aloud=heard, memories=["x"])
    said = words.finish(answer.value.answer)
    assert (said, answer.source, len(engine.requests)) == ("The oven is hot…" if breaks else "The oven is hot today.", Source.MODEL, 1)
    assert "".join(pieces) == said


async def test_every_try_is_in_the_ledger(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"importance": ["many", "9"]}))
    assert (await rate(mind)).value == (Rating(9),)
    assert [outcome for outcome, _, _ in ended(mind)] == [CallOutcome.RETRIED, CallOutcome.USED]
    mind = make_mind(ScriptedEngine({"importance": ["many", "99"]}))
    assert (await rate(mind)).value == (Rating(3),)
    assert [outcome for outcome, _, _ in ended(mind)] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]
    assert all(cost for _, cost, _ in ended(mind))


async def test_the_second_attempt_says_what_was_wrong_with_the_first_answer(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["many", "9"]})
    await rate(make_mind(engine))
    first, second = (request.user for request in engine.requests)
    reason = "Your last answer could not be used, because it has 'importance' that is 'many', not a number from 1 to 10."
    assert second == f"{first}\n\n{reason} Answer again, in the form asked for."
    assert first.count("could not be used") == 0


async def test_what_was_put_right_in_a_reply_is_in_the_ledger(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"importance": ["- **9**"]}))
    assert (await rate(mind)).value == (Rating(9),)
    assert ended(mind) == [(CallOutcome.USED, True, "mended: bullets, form of importance")]


async def test_a_question_that_is_cut_off_is_in_the_ledger_with_its_whole_prompt(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine(lambda request: "9", delay_s=60))
    task = asyncio.create_task(rate(mind))
    while not mind.tools.engine.status().running:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended(mind) == [(CallOutcome.CANCELLED, True, "")]
    assert mind.draft.calls[0].wall_ms > 0


@pytest.mark.parametrize("error", [DeadlinePassed, ModelDied])
async def test_a_question_that_fails_on_its_way_counts_with_its_whole_prompt(make_mind: MakeMind, error: type[EngineError]) -> None:
    mind = make_mind(ScriptedEngine({"importance": [error("It failed.", "Wait.")]}))
    assert (await rate(mind)).source is Source.INSTINCT
    assert ended(mind) == [(CallOutcome.INSTINCT, True, error.reason)]


@pytest.mark.parametrize("error", [ModelMissing, Overloaded])
async def test_a_question_that_is_refused_costs_nothing_and_instinct_answers(make_mind: MakeMind, error: type[NpcServerError]) -> None:
    engine = ScriptedEngine(lambda request: "9")

    async def refuse(request: Request, on_text: object = None) -> Completion:
        raise error("Too many wait.", "Ask less often.")

    engine.complete = refuse  # type: ignore[method-assign]
    mind = make_mind(engine)
    assert (await rate(mind)).value == (Rating(3),)
    assert ended(mind) == [(CallOutcome.INSTINCT, False, error.reason)]


async def test_a_prompt_that_cannot_be_cut_to_its_budget_costs_nothing(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine(lambda request: "9"))
    assert (await rate(mind, max_tokens=8192)).source is Source.INSTINCT
    assert ended(mind) == [(CallOutcome.INSTINCT, False, "PROMPT_TOO_LONG")]


async def test_whose_share_is_spent_is_not_asked_and_the_ledger_says_so(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "9")
    mind = make_mind(engine)
    mind.budget = TokenBudget(share=10)
    await rate(mind)
    await rate(mind)
    assert len(engine.asked) == 1
    assert ended(mind) == [(CallOutcome.USED, True, ""), (CallOutcome.INSTINCT, False, "BUDGET_SPENT")]
    mind.budget.near = True
    await rate(mind)
    assert len(engine.asked) == 2


async def test_what_a_kept_prompt_spares_costs_nothing(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "9")

    async def complete(request: Request, on_text: object = None) -> Completion:
        return Completion("9", 500, 420, 7, 1.0)

    engine.complete = complete  # type: ignore[method-assign]
    mind = make_mind(engine)
    mind.budget = TokenBudget(share=1000)
    await rate(mind)
    assert mind.budget.left == TokensLeft(MORNING // HOUR, 1000 - 500 + 420 - 7)


async def test_an_aside_leaves_ledger_and_budget_alone_and_may_always_ask(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"interview": ["I bake bread."]})
    mind = make_mind(engine)
    mind.budget = TokenBudget(share=10, left=TokensLeft(MORNING // HOUR, 0))
    answer, _ = await interview.interview(mind.aside(), "What do you do?", MORNING)
    assert answer == Answer("I bake bread.", Source.MODEL)
    assert engine.requests[0].priority is Priority.PLAYER
    assert mind.draft.calls == []
    assert mind.budget.left == TokensLeft(MORNING // HOUR, 0)


@pytest.mark.parametrize(("near", "priority"), [(False, Priority.IDLE), (True, Priority.NEAR)])
async def test_a_look_at_oneself_waits_for_others_unless_somebody_looks_on(make_mind: MakeMind, near: bool, priority: Priority) -> None:
    engine = ScriptedEngine({"reflect_questions": ["Who is kind?\nWhat burns?\nWhere is Tobin?"]})
    mind = make_mind(engine)
    mind.budget.near = near
    await mind.remember(["The mill burnt"], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[9], source=MemorySource.SEEN)
    await reflect.reflect(mind, MORNING)
    await mind.remember(["I will rebuild it"], kind=MemoryKind.INTENTION, at=MORNING, importance=[8], source=MemorySource.THOUGHT)
    await revise_identity.revise(mind, MORNING)
    found = {request.stage: request.priority for request in engine.requests}
    assert {stage: found[stage] for stage in ("reflect_questions", "reflect_insights", "identity")} == dict.fromkeys(
        ("reflect_questions", "reflect_insights", "identity"), priority
    )
    await rate(mind)
    assert engine.requests[-1].priority is (Priority.NEAR if near else Priority.USUAL)
