from __future__ import annotations

import pytest

from npc_server.errors import DeadlinePassed, ModelMissing
from npc_server.llm.engine import Engine, Request
from npc_server.llm.scripted import ScriptedEngine
from tests.llm.kinds import KINDS


def ask(stage: str, user: str = "x") -> Request:
    return Request(system="You are Mara.", user=user, reply=KINDS["text"], seed=1, stage=stage)


async def test_answers_come_in_order_for_each_stage() -> None:
    engine = ScriptedEngine({"plan": ["one", "two"], "say": ["hello there"]})
    assert [(await engine.complete(ask(stage))).text for stage in ("plan", "say", "plan")] == ["one", "hello there", "two"]
    assert [request.stage for request in engine.requests] == ["plan", "say", "plan"]


async def test_stage_without_answers_has_no_model() -> None:
    with pytest.raises(ModelMissing, match="'plan'"):
        await ScriptedEngine({}).complete(ask("plan"))


async def test_function_answers_by_the_request_and_may_raise() -> None:
    def script(request: Request) -> str | Exception:
        return DeadlinePassed("late") if request.user == "slow" else request.user.upper()

    engine = ScriptedEngine(script)
    assert (await engine.complete(ask("say", "hi"))).text == "HI"
    with pytest.raises(DeadlinePassed):
        await engine.complete(ask("say", "slow"))
    assert len(engine.asked) == 2


async def test_text_streams_in_words() -> None:
    pieces: list[str] = []
    engine: Engine = ScriptedEngine({"say": ["Good morning to you"]})
    await engine.complete(ask("say"), pieces.append)
    assert pieces == ["Good", " morning", " to", " you"]
    assert engine.status().ready
    await engine.close()
    assert not engine.status().ready
