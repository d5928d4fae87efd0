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
from npc_server.llm.engine import Completion, Priority, Request
from npc_server.llm.reply import Integer, many
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.ask import Answer, ask
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokenBudget, TokensLeft
from npc_server.records import CallOutcome, MemoryKind, MemorySource, Source
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


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


@pytest.mark.parametrize("drafts", [False, True])
async def test_only_the_first_reply_is_shown_while_it_is_written_and_none_that_is_held_against_what_is_remembered(
    make_mind: MakeMind, drafts: bool
) -> None:
    pieces: list[str] = []
    mind = make_mind(ScriptedEngine({"importance": ["many", "9"]}, drafts=drafts))
    reply = many(Rating, 1, 1)
    await ask(mind, "importance", reply, lambda: (Rating(3),), MORNING, on_text=pieces.append, memories=["The mill is burning."])
    assert "".join(pieces) == ("" if drafts else "many")


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
    while not mind.engine.status().running:
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
    await revise_identity.revise(mind, MORNING)
    found = {request.stage: request.priority for request in engine.requests}
    assert {stage: found[stage] for stage in ("reflect_questions", "reflect_insights", "identity")} == dict.fromkeys(
        ("reflect_questions", "reflect_insights", "identity"), priority
    )
    await rate(mind)
    assert engine.requests[-1].priority is (Priority.NEAR if near else Priority.USUAL)
