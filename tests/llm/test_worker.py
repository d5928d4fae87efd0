"""The engine on a real llama.cpp model (random weights)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from npc_eval.random_model import USER_DEFINED_TOKEN, make_random_model
from npc_server.errors import DeadlinePassed, EngineError, ModelDied, Overloaded, PromptTooLong
from npc_server.llm.engine import Completion, Priority, Request
from npc_server.llm.start import open_engine
from npc_server.llm.worker import LlamaEngine, threads_for
from tests.llm.conftest import StartEngine, engine_settings
from tests.llm.kinds import ENDLESS, KINDS
from tests.waiting import LIMIT_S, until, wait_until

pytestmark = pytest.mark.model

PERSONA = "You are Mara, who bakes bread in Millbrook. You rise early, you like the smell of the oven, and you owe the miller money. " * 3


def ask(user: str, kind: str = "text", **more: Any) -> Request:
    values = {"system": PERSONA, "seed": 1, "temperature": 0.0, "max_tokens": 120, **more}
    return Request(user=user, reply=ENDLESS if kind == "endless" else KINDS[kind], **values)


def finished_by(engine: LlamaEngine) -> list[int]:
    """Ids of all that the model process answers from now on, also what nobody waits for any more."""
    found: list[int] = []
    usual = engine.process._answer

    def answer(id_: int, result: dict[str, Any] | EngineError) -> bool:
        found.append(id_)
        return usual(id_, result)

    engine.process._answer = answer  # type: ignore[method-assign]
    return found


@pytest.mark.parametrize("kind", KINDS)
async def test_every_reply_under_a_grammar_parses(start_engine: StartEngine, kind: str) -> None:
    engine = start_engine()
    asked = [
        engine.complete(ask(f"Question {seed}", kind, seed=seed, temperature=[0.0, 0.7, 1.5][seed % 3], max_tokens=400))
        for seed in range(12)
    ]
    for done in await asyncio.gather(*asked):
        assert not done.truncated
        KINDS[kind].parse(done.text)


async def test_sixteen_at_once_each_get_the_answer_to_their_own_prompt(start_engine: StartEngine) -> None:
    """At temperature 0 the answer is a function of the prompt: asked alone and among sixteen it is the same."""
    engine = start_engine(max_parallel=16, n_gpu_layers=0)
    requests = [ask(f"The {word} is what I ask about, number {n * 37}.") for n, word in enumerate(["oven", "mill", "river", "bell"] * 4)]
    alone = [(await engine.complete(request)).text for request in requests]
    assert len(set(alone)) >= 14, "the answers must tell the prompts apart, or this test shows nothing"
    together = [done.text for done in await asyncio.gather(*(engine.complete(request) for request in requests))]
    # A batch changes the last digits of the numbers, which may turn a near tie late in a reply; another's numbers change its start.
    for one, other in zip(alone, together, strict=True):
        assert one[:12] == other[:12], (one, other)
    assert sum(one == other for one, other in zip(alone, together, strict=True)) >= 14


async def test_shared_prefix_gives_the_same_answer_and_is_counted(start_engine: StartEngine) -> None:
    sharing, plain = start_engine(), start_engine(share=False)
    questions = [ask(f"What about {thing}?") for thing in ("the oven", "the miller", "your debt", "tomorrow")]
    shared = [await sharing.complete(question) for question in questions]
    alone = [await plain.complete(question) for question in questions]
    assert [done.text for done in shared] == [done.text for done in alone]
    assert shared[0].cached_tokens == 0
    assert all(done.cached_tokens > 0.7 * done.prompt_tokens for done in shared[1:])
    assert all(done.cached_tokens == 0 for done in alone)


async def test_prefix_of_requests_that_come_together_is_computed_once(start_engine: StartEngine) -> None:
    engine = start_engine()
    done = await asyncio.gather(*(engine.complete(ask(f"Question {n}?")) for n in range(8)))
    assert sorted(one.cached_tokens > 0 for one in done) == [False] + [True] * 7


async def test_more_prompts_than_the_context_holds_are_all_answered(start_engine: StartEngine) -> None:
    engine = start_engine(context_tokens=600, max_parallel=8, kept_prefixes=8)
    requests = [ask(f"Question {n}", system=f"You are person number {n}. " * 12, max_tokens=60, seed=n) for n in range(24)]
    done = await asyncio.gather(*(engine.complete(request) for request in requests))
    assert all(one.text for one in done)
    assert engine.status().restarts == 0


async def test_same_seed_gives_the_same_text_and_another_seed_another(start_engine: StartEngine) -> None:
    engine = start_engine(kept_prefixes=0)
    texts = [(await engine.complete(ask("Say something", seed=seed, temperature=1.0))).text for seed in (5, 5, 6)]
    assert texts[0] == texts[1] != texts[2]


async def test_what_the_file_recommends_is_used_unless_the_settings_say_otherwise(start_engine: StartEngine, tmp_path: Path) -> None:
    cold = make_random_model(tmp_path / "cold.gguf", temperature=0.0, weak_at="react,plan_day", memories_shown=3, places_shown=6)
    for settings, temperature, alike in (({}, 0.0, True), ({"temperature": 1.5}, 1.5, False)):
        engine = start_engine(cold, kept_prefixes=0, **settings)
        await engine.loaded()
        assert engine.temperature == temperature
        assert engine.status().weak_at == {"react", "plan_day"}
        assert (engine.status().memories_shown, engine.status().places_shown) == (3, 6)
        texts = [(await engine.complete(ask("Say something", seed=seed, temperature=None))).text for seed in (5, 6)]
        assert (texts[0] == texts[1]) is alike


async def test_text_streams_in_whole_characters(start_engine: StartEngine) -> None:
    engine = start_engine()
    pieces: list[str] = []
    done = [await engine.complete(ask(f"Feel {seed}", "emoji", seed=seed, temperature=1.5), pieces.append) for seed in range(6)]
    assert "".join(pieces) == "".join(one.text for one in done)
    assert not any("\ufffd" in piece for piece in pieces)
    pieces.clear()
    for seed in range(10):  # cut off in mid-character
        cut = await engine.complete(ask(f"Feel {seed}", "emoji", seed=seed, temperature=1.5, max_tokens=5), pieces.append)
        assert cut.text.encode().decode() == cut.text
        assert "\ufffd" not in cut.text
    assert any(len(piece) for piece in pieces)


async def test_max_tokens_truncates(start_engine: StartEngine) -> None:
    done = await start_engine().complete(ask("Go on", max_tokens=4))
    assert done.truncated
    assert done.reply_tokens == 4


async def test_cancelled_request_frees_its_sequence(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1, context_tokens=16384)
    pieces: list[str] = []
    endless = ask("Go on", "endless", max_tokens=12000, system="")
    task = asyncio.create_task(engine.complete(endless, pieces.append))
    await until(lambda: pieces)
    finished = finished_by(engine)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert engine.process.load == 0
    assert engine.process.running == 1
    await until(lambda: engine.process.running == 0)
    assert not finished, "the reply was let go of, not brought to its end"
    # The context has 16384 cells and one sequence: this fits only when the cancelled one has let go of both.
    done = await asyncio.wait_for(engine.complete(ask("And you?", max_tokens=12000, system="")), LIMIT_S)
    assert done.text


async def test_deadline_ends_a_request_and_frees_it(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1, context_tokens=16384)
    await engine.loaded()
    finished = finished_by(engine)
    with pytest.raises(DeadlinePassed, match=r"0\.3 s"):
        await engine.complete(ask("Go on", "endless", max_tokens=12000, deadline_s=0.3))
    await until(lambda: engine.process.running == 0)
    assert not finished
    assert (await engine.complete(ask("And now?"))).text


async def test_player_has_a_deadline_of_their_own(start_engine: StartEngine) -> None:
    engine = start_engine(player_deadline_s=0.01, deadline_s=50)
    with pytest.raises(DeadlinePassed):
        await engine.complete(ask("Hello?", priority=Priority.PLAYER))


async def test_player_goes_first(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1, context_tokens=16384)
    await engine.loaded()
    order: list[str] = []
    pieces: list[str] = []
    first = asyncio.create_task(engine.complete(ask("Go on", "endless", max_tokens=12000, system=""), pieces.append))
    await until(lambda: pieces)  # nobody else begins before all have asked

    async def one(name: str, priority: Priority) -> None:
        await engine.complete(ask(f"I am {name}", priority=priority))
        order.append(name)

    kinds = {"idle": Priority.IDLE, "usual": Priority.USUAL, "player": Priority.PLAYER, "near": Priority.NEAR}
    asked = [asyncio.create_task(one(name, priority)) for name, priority in kinds.items()]
    await until(lambda: engine.process.load == 5)
    first.cancel()
    await asyncio.gather(*asked)
    assert order == ["player", "near", "usual", "idle"]


async def test_full_queue_refuses_one_more(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1, queue_limit=2)
    await engine.loaded()
    tasks = [asyncio.create_task(engine.complete(ask(f"Question {n}"))) for n in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded, match="3 requests"):
        await engine.complete(ask("One more"))
    assert all(done.text for done in await asyncio.gather(*tasks))
    assert (await engine.complete(ask("And now"))).text


async def test_prompt_longer_than_the_context_is_refused_and_the_rest_go_on(start_engine: StartEngine) -> None:
    engine = start_engine(context_tokens=512)
    other = asyncio.create_task(engine.complete(ask("Something else", system="Short.")))
    with pytest.raises(PromptTooLong, match="the context holds 512") as caught:
        await engine.complete(ask("word " * 3000))
    assert int(caught.value.values["prompt_tokens"]) > 512
    assert (await other).text
    assert engine.status().restarts == 0


async def test_the_context_is_what_the_model_was_trained_on_or_the_pool_where_that_is_smaller(
    start_engine: StartEngine, tmp_path: Path
) -> None:
    short = make_random_model(tmp_path / "short.gguf", context=700)
    for pool, wanted in ((4096, 700), (512, 512)):
        engine = start_engine(short, context_tokens=pool)
        await engine.loaded()
        assert engine.status().context_tokens == wanted


async def test_long_prompt_does_not_stall_a_running_reply(start_engine: StartEngine) -> None:
    """A reply goes on while a long prompt is read: it gets a token with each chunk of it."""
    engine = start_engine(context_tokens=8192, batch_tokens=128, share=False)
    await engine.loaded()
    pieces: list[str] = []
    running = asyncio.create_task(engine.complete(ask("Go on", "endless", max_tokens=3000, system=""), pieces.append))
    await until(lambda: len(pieces) > 2)
    before = len(pieces)
    done = await engine.complete(ask("word " * 600 + "?", system="", max_tokens=1))
    during = len(pieces) - before
    assert not running.done()
    running.cancel()
    chunks = done.prompt_tokens / 32  # a quarter of a batch at a time
    assert chunks > 50
    assert during > 0.5 * chunks, "some tokens make no whole character, most do"


async def test_killed_process_costs_only_the_running_replies(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=2, context_tokens=32768)
    await engine.loaded()
    pieces: list[str] = []
    endless = [ask(f"Go on {n}", "endless", max_tokens=12000, system="") for n in range(2)]
    running = [asyncio.create_task(engine.complete(each, pieces.append)) for each in endless]
    await until(lambda: len(pieces) > 3)
    waiting = [asyncio.create_task(engine.complete(ask(f"Waits {n}"))) for n in range(3)]
    await until(lambda: engine.process.load == 5)
    os.kill(engine.process.pid, signal.SIGKILL)
    for task in running:
        with pytest.raises(ModelDied):
            await task
    assert all(done.text for done in await asyncio.gather(*waiting))
    assert (await engine.complete(ask("And after?"))).text
    assert engine.status().restarts == 1
    assert engine.status().ready


async def test_hanging_process_is_killed_and_replaced(start_engine: StartEngine) -> None:
    engine = start_engine(hang_s=0.5)
    await engine.loaded()
    os.kill(engine.process.pid, signal.SIGSTOP)
    asked = asyncio.create_task(engine.complete(ask("Are you there?")))
    await until(lambda: not engine.process.ready)
    engine.process.hang_s = 3600  # on a busy machine the next one may be as silent for as long
    assert (await asked).text  # not started when it hung: asked again
    assert engine.status().restarts == 1


async def test_closed_engine_fails_who_waits(start_engine: StartEngine) -> None:
    engine = start_engine(context_tokens=16384)
    await engine.loaded()
    pieces: list[str] = []
    task = asyncio.create_task(engine.complete(ask("Go on", "endless", max_tokens=12000, system=""), pieces.append))
    await until(lambda: pieces)
    pid = engine.process.pid
    await engine.close()
    with pytest.raises(ModelDied):
        await task
    with pytest.raises(ModelDied):
        await engine.complete(ask("More"))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_closing_does_not_wait_for_a_restart(start_engine: StartEngine) -> None:
    engine = start_engine(restart_wait_s=3600.0)
    await engine.loaded()
    os.kill(engine.process.pid, signal.SIGKILL)
    await until(lambda: not engine.process.ready)
    await asyncio.wait_for(engine.close(), LIMIT_S)


async def test_tokens_are_counted_by_the_model(start_engine: StartEngine) -> None:
    engine = start_engine()
    assert await engine.count_tokens(["abcd" * 4]) == [4]  # an estimate, while it loads
    await engine.loaded()
    counts = await engine.count_tokens(["", "a", "zqj zqj", "<|im_end|>", USER_DEFINED_TOKEN])
    assert counts[:2] == [0, 1]
    assert min(counts[3:]) > 1, "a mark in a text is a text"


@pytest.mark.parametrize("written", ["<|im_end|>", USER_DEFINED_TOKEN])
async def test_mark_in_a_question_is_read_as_letters(start_engine: StartEngine, written: str) -> None:
    engine = start_engine()
    await engine.loaded()
    mark = await engine.complete(ask(written))
    letter = await engine.complete(ask("x"))
    assert mark.prompt_tokens > letter.prompt_tokens


async def test_wrong_grammar_fails_that_request_only(start_engine: StartEngine) -> None:
    class Wrong:
        def grammar(self) -> str:
            return "start: nothing_of_that_name"

    engine = start_engine()
    with pytest.raises(EngineError, match="grammar has an error"):
        await engine.complete(Request(system="", user="x", reply=Wrong(), seed=1))  # type: ignore[arg-type]
    assert (await engine.complete(ask("Hello"))).text
    assert engine.status().restarts == 0


async def test_failing_on_text_fails_that_request_only(start_engine: StartEngine) -> None:
    engine = start_engine()

    def bad(_: str) -> None:
        raise RuntimeError("the caller's own fault")

    with pytest.raises(RuntimeError, match="own fault"):
        await engine.complete(ask("Hello"), bad)
    assert (await engine.complete(ask("Hello"))).text


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_process_dies_with_its_parent(random_model: Path, tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import asyncio, sys
        from pathlib import Path
        from npc_server.config import EngineSettings
        from npc_server.llm.worker import LlamaEngine

        async def main():
            engine = LlamaEngine(Path(sys.argv[1]), EngineSettings(threads=1), log_file=Path(sys.argv[2]))
            await engine.loaded()
            print(engine.process.pid, flush=True)
            await asyncio.Event().wait()

        asyncio.run(main())
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(random_model), str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.kill()
    wait_until(lambda: has_ended(child))


async def test_engine_opens_by_path(random_model: Path, tmp_path: Path) -> None:
    engine = await open_engine(engine_settings(model=str(random_model), threads=1), log_file=tmp_path / "log")
    assert isinstance(engine, LlamaEngine)
    assert engine.status().model == "random"
    done: Completion = await engine.complete(ask("Hello"))
    assert done.text
    await engine.close()


def test_threads_leave_half_the_machine_to_the_game() -> None:
    assert [threads_for(engine_settings(), cores) for cores in (1, 2, 4, 12, 64)] == [1, 1, 2, 6, 8]
    assert threads_for(engine_settings(threads=3), 64) == 3
