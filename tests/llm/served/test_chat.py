"""A model in llama.cpp's own server, with a stand-in for it."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from npc_server.errors import EngineError, ModelDied, ModelRejected
from npc_server.llm.engine import Priority, Request
from npc_server.records import Turn
from tests.llm.kinds import KINDS
from tests.llm.served.conftest import Log, Start
from tests.waiting import until


def said(text: str, **values: Any) -> Request:
    return Request("You are Mara.", text, KINDS["text"], 7, free=True, **values)


async def test_reply_streams_and_tells_what_it_cost(start: Start, log: Log) -> None:
    engine, pieces = start(), list[str]()
    done = await engine.complete(said("Hello!"), pieces.append)
    assert pieces == ["Good ", "morning", "!"]
    assert (done.text, done.cached_tokens, done.reply_tokens, done.truncated) == ("Good morning!", 2, 3, False)
    assert done.prompt_tokens == len(log.asked()[0])


async def test_chat_grammar_and_sampling_reach_the_server(start: Start, log: Log) -> None:
    engine = start(top_p=0.9)
    turns = (Turn("Hello!", "Hi."),)
    await engine.complete(said("And you?", turns=turns, one_line=True, repeat_penalty=1.1, temperature=0.2, max_tokens=9))
    await engine.complete(Request("You are Mara.", "How many?", KINDS["integer"], 7))
    chat, form = log.of("asked")
    at = [chat["prompt"].index(text) for text in ("You are Mara.", "Hello!", "Hi.", "And you?")]
    assert at == sorted(at)
    wanted = {"stop": ["\n"], "repeat_penalty": 1.1, "temperature": 0.2, "top_p": 0.9, "n_predict": 9, "seed": 7, "cache_prompt": True}
    assert wanted.items() <= chat["body"].items()
    assert "grammar" not in chat["body"]
    assert form["body"]["grammar"].startswith("root ::=")


async def test_status_says_what_is_missing_and_what_the_file_says(start: Start) -> None:
    engine = start(context_tokens=1024, kv_cache="pool")
    status = await engine.loaded()
    assert status.ready
    assert status.scores
    assert 0 < status.context_tokens <= 1024
    assert await engine.count_tokens(["abc", ""]) == [3, 0]


async def test_given_text_is_written_token_by_token_and_its_probabilities_add_up(start: Start, log: Log) -> None:
    engine = start()
    plain, rare, nothing = await engine.score(said("Hello!"), "", ["Hi.", "?", ""])
    assert (plain.logprob, plain.tokens) == (-1.5, 3)
    assert rare.logprob == -100
    assert (nothing.logprob, nothing.tokens) == (0.0, 0)
    asked = [it for it in log.of("scored") if "Hello!" in it["prompt"]]
    assert [chr(token) for it in asked for token, _ in it["body"]["logit_bias"]] == ["H", "i", ".", "?"]
    first, second, third, other = (it["prompt"] for it in asked)
    assert (second, third, other) == (first + "H", first + "Hi", first), "another text began between"
    assert all(it["body"]["n_predict"] == 1 for it in asked)


async def test_text_that_goes_on_what_is_given_is_scored_after_it(start: Start, log: Log) -> None:
    (found,) = await start().score(said("Hello!"), "Well, ", ["hi."])
    assert found.tokens == len(" hi.")
    assert log.of("scored")[-1]["prompt"].endswith("Well, hi")


async def test_server_that_wrote_something_else_is_not_believed(start: Start) -> None:
    with pytest.raises(EngineError, match="did not tell how likely"):
        await start().score(said("be rude"), "", ["Hi."])


async def test_older_server_scores_nothing(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_IS_OLD", "1")
    engine = start()
    assert not (await engine.loaded()).scores
    with pytest.raises(EngineError, match="cannot say how likely"):
        await engine.score(said("Hello!"), "", ["Hi."])


async def test_model_that_writes_slowly_is_not_asked_what_a_player_would_wait_for(start: Start) -> None:
    engine = start(measure=lambda _: None)  # five tokens a second
    assert not (await engine.loaded()).scores


async def test_speed_is_measured_and_kept(start: Start) -> None:
    kept: list[Any] = []
    await start(measure=kept.append).loaded()
    assert [(it.read_per_s, it.written_per_s) for it in kept] == [(50.0, 5.0)]


async def test_request_that_nobody_wants_ends_at_the_server(start: Start, log: Log) -> None:
    engine = start()
    asking = asyncio.create_task(engine.complete(said("hang")))
    await until(lambda: log.of("hangs"))
    asking.cancel()
    await until(lambda: log.of("left"))


async def test_player_goes_before_others_whose_answers_come_afterwards(start: Start, log: Log) -> None:
    engine = start()
    other = asyncio.create_task(engine.complete(said("hang", priority=Priority.IDLE)))
    await until(lambda: log.of("hangs"))
    assert (await engine.complete(said("Hello!", priority=Priority.PLAYER))).text == "Good morning!"
    assert (await other).text == "Good morning!"
    mine, theirs = "Hello!", "hang"
    assert [mine if mine in it else theirs for it in log.asked()] == [theirs, mine, theirs]


async def test_line_that_somebody_reads_already_is_not_asked_again(start: Start, log: Log) -> None:
    engine, pieces = start(), list[str]()
    other = asyncio.create_task(engine.complete(said("hang"), pieces.append))
    await until(lambda: pieces)
    await engine.complete(said("Hello!", priority=Priority.PLAYER))
    assert not other.done()
    assert not log.of("left")
    other.cancel()


async def test_server_that_dies_is_started_again_and_asked_what_waited(start: Start, log: Log) -> None:
    engine = start(deaths_max=9)
    with pytest.raises(ModelDied):
        await engine.complete(said("die"))
    assert (await engine.complete(said("Hello!"))).text == "Good morning!"
    assert len(log.of("started")) > 1
    assert engine.status().restarts > 0


async def test_killed_program_is_noticed(start: Start, log: Log) -> None:
    engine = start()
    asking = asyncio.create_task(engine.complete(said("hang")))
    await until(lambda: log.of("hangs"))
    os.kill(log.of("started")[0]["pid"], signal.SIGKILL)
    with pytest.raises(ModelDied):
        await asking
    assert (await engine.complete(said("Hello!"))).text == "Good morning!"


async def test_program_ends_with_the_engine(start: Start, log: Log) -> None:
    engine = start()
    await engine.loaded()
    pid = log.of("started")[0]["pid"]
    await engine.close()
    await until(lambda: not Path(f"/proc/{pid}").exists() or "State:\tZ" in Path(f"/proc/{pid}/status").read_text())


async def test_key_is_not_among_the_arguments_and_the_address_is_this_machine(start: Start, log: Log) -> None:
    await start().loaded()
    arguments = log.of("started")[0]["arguments"]
    assert arguments[arguments.index("--host") + 1] == "127.0.0.1"
    assert not any("key" in it for it in arguments)


async def test_model_that_the_server_refuses_is_said_to_be(start: Start, random_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "refuses.gguf"
    path.write_bytes(random_model.read_bytes())
    engine = start(path)
    await engine.loaded()
    assert isinstance(engine.process.problem, ModelRejected)
    assert "refuses.gguf" in engine.status().problem
