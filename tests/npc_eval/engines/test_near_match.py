"""An old recording is fitted to prompts whose wording has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from npc_eval.engines.near_match import NearMatchEngine
from npc_eval.engines.recorded import Recording
from npc_server.errors import ModelMissing
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from tests.llm.kinds import KINDS

ONE = "It is noon. Tobin stands at the counter and says good day. What do you say next?"
TWO = "It is noon. Tobin stands at the counter and asks for a loaf of rye. What do you say next?"


def ask(user: str = ONE, *, at: int = 1200, npc: str = "mara_voss", kind: str = "text") -> Request:
    return Request(system="You are Mara.", user=user, reply=KINDS[kind], seed=1, npc=npc, stage="say", at=at)


def recording(folder: Path, *answered: tuple[Request, str]) -> Recording:
    made = Recording(folder)
    for request, answer in answered:
        made.add(request, answer)
    return Recording(folder)


async def test_a_prompt_with_a_changed_word_gets_the_answer_of_the_most_similar_one(tmp_path: Path) -> None:
    engine = NearMatchEngine(recording(tmp_path, (ask(ONE), "Good day!"), (ask(TWO), "Rye, of course.")))
    changed = [ask(text.replace("What do you say next?", "What is your next line?")) for text in (TWO, ONE)]
    assert [(await engine.complete(request)).text for request in changed] == ["Rye, of course.", "Good day!"]
    assert (engine.exact, engine.near, engine.unused) == (0, 2, [])


async def test_an_exact_match_goes_before_a_similar_one_and_each_answer_is_used_once(tmp_path: Path) -> None:
    engine = NearMatchEngine(recording(tmp_path, (ask(ONE), "first"), (ask(ONE), "second")))
    assert [(await engine.complete(ask(ONE))).text for _ in range(2)] == ["first", "second"]
    assert (engine.exact, engine.near) == (2, 0)
    with pytest.raises(ModelMissing):
        await engine.complete(ask(ONE))


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (ask(at=1300), "Nothing was asked then."),
        (ask(npc="tobin_hale"), "Nothing was asked then."),
        (ask("An altogether different question, about wood."), "What was asked then is too different."),
        (ask(ONE + " Now.", kind="integer"), "The old answer no longer fits: The reply to"),
        (replace(ask(ONE + " Now."), wrong=lambda text: "It names a stranger."), "The old answer no longer fits: It names a stranger."),
    ],
)
async def test_a_prompt_that_no_old_answer_fits_is_listed_with_the_reason(tmp_path: Path, new: Request, why: str) -> None:
    engine = NearMatchEngine(recording(tmp_path, (ask(), "Good day!")))
    with pytest.raises(ModelMissing):
        await engine.complete(new)
    assert engine.unanswered[0].why.startswith(why)
    assert [it.answer for it in engine.unused] == ["Good day!"]


async def test_what_is_missing_goes_to_the_other_engine(tmp_path: Path) -> None:
    engine = NearMatchEngine(recording(tmp_path, (ask(), "Good day!")), ScriptedEngine({"say": ["new"]}))
    assert (await engine.complete(ask(at=1300))).text == "new"
    assert len(engine.unanswered) == 1
