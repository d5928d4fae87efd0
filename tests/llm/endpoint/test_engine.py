"""The engine against an endpoint that hangs, lies, breaks off, is busy, and comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from npc_server.errors import DeadlinePassed, EngineError, ModelDied, ModelMissing, ModelRejected
from npc_server.llm import start
from npc_server.llm.deadline import Deadline, under_deadline
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.endpoint.address import addresses
from npc_server.llm.endpoint.client import TryAgain
from npc_server.llm.endpoint.endpoint import Endpoint
from npc_server.llm.endpoint.engine import EndpointEngine
from npc_server.llm.endpoint.form import Form
from npc_server.llm.engine import Priority, Request
from npc_server.llm.failure_log import EVERY_S, FailureLog
from npc_server.llm.reply import ReplyType, Text, one
from npc_server.llm.start import open_embedder, open_engine
from tests.llm.conftest import engine_settings
from tests.llm.endpoint.fake import EVENTS, Exchange, FakeEndpoint, serving
from tests.llm.kinds import KINDS, Act, Say
from tests.waiting import until

Open = Callable[..., EndpointEngine]
SAY: ReplyType[Say] = one(Say, text=Text(200))


@pytest_asyncio.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as kept:
        yield kept


async def opened(stack: AsyncExitStack, *fakes: FakeEndpoint, key: str = "", **settings: object) -> EndpointEngine:
    for fake in fakes:
        if not fake.url:
            await stack.enter_async_context(serving(fake))
    values = {"restart_wait_s": 0.01, "deadline_s": 3600, "player_deadline_s": 3600, "hang_s": 3600, **settings}
    engine = EndpointEngine(addresses(" ".join(fake.url for fake in fakes)), engine_settings(**values), key)
    stack.push_async_callback(engine.close)
    await engine.loaded()
    await until(lambda: all(it.facts is not None or it.problem is not None for it in engine.endpoints))
    return engine


def request(reply: ReplyType[Any] = SAY, **values: Any) -> Request:
    return Request("You are Mara.", "What do you say?", reply, 7, **values)


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("strict", [False, True])
async def test_strictest_form_that_an_endpoint_obeys_is_found(stack: AsyncExitStack, form: Form, strict: bool) -> None:
    fake = FakeEndpoint(forms=frozenset(list(Form)[list(Form).index(form) :]), strict=strict)
    engine = await opened(stack, fake)
    facts = engine.endpoints[0].facts
    assert facts is not None
    assert (facts.form, facts.open, facts.model, facts.context_tokens) == (form, not strict, "some-model", 4096)


async def test_reply_is_streamed_and_its_cost_is_the_endpoint_s(stack: AsyncExitStack) -> None:
    engine, pieces = await opened(stack, FakeEndpoint(says="Good morning to you.")), list[str]()
    done = await engine.complete(request(), pieces.append)
    assert done.text == "".join(pieces) == "Good morning to you."
    assert len(pieces) > 2
    assert (done.prompt_tokens, done.cached_tokens, done.reply_tokens, done.truncated) == (40, 30, 7, False)


async def test_words_come_out_of_json_while_it_is_streamed(stack: AsyncExitStack) -> None:
    says = '{"place": "home|bed", "text": "sleep", "face": "💤", "minutes": 10}'
    engine, pieces = await opened(stack, FakeEndpoint(forms=frozenset({Form.JSON}), says=says)), list[str]()
    done = await engine.complete(request(KINDS["record"]), pieces.append)
    assert KINDS["record"].parse(done.text) == Act("home|bed", "sleep", "💤", 10)
    assert "".join(pieces) == done.text


async def test_thoughts_before_the_reply_are_left_out(stack: AsyncExitStack) -> None:
    engine, pieces = await opened(stack, FakeEndpoint(says="<think>He greets me.</think>\n\nHello.")), list[str]()
    assert (await engine.complete(request(), pieces.append)).text == "Hello."
    assert "".join(pieces) == "Hello."


async def test_key_goes_with_each_request_and_nowhere_else(stack: AsyncExitStack) -> None:
    fake = FakeEndpoint()
    engine = await opened(stack, fake, key="k-123")
    await engine.complete(request())
    assert fake.keys == {"bearer k-123"}
    assert "k-123" not in repr(engine.status())


@pytest.mark.parametrize("status", [429, 503])
async def test_busy_endpoint_is_asked_again_after_its_pause(stack: AsyncExitStack, status: int) -> None:
    async def busy(exchange: Exchange) -> None:
        await exchange.head(status, "application/json", Retry_After="0")

    fake = FakeEndpoint(acts=[busy, busy])
    engine = await opened(stack, fake)
    assert (await engine.complete(request())).text == "hello"
    assert len(fake.asked) == 3


async def test_an_endpoint_that_is_gone_keeps_no_question_waiting_and_is_used_when_it_is_back(stack: AsyncExitStack) -> None:
    fake = FakeEndpoint()
    async with serving(fake):
        engine = await opened(stack, fake, deaths_max=3)
        assert (await engine.complete(request())).text == "hello"
    found = await asyncio.gather(*(engine.complete(request()) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(it, EngineError) and "cannot be reached" in str(it) for it in found)
    assert engine.endpoints[0].is_given_up
    port = int(fake.url.rsplit(":", 1)[1].split("/")[0])
    await stack.enter_async_context(serving(fake, port))
    await until(lambda: engine.status().ready)
    assert (await engine.complete(request())).text == "hello"
    assert not engine.endpoints[0].is_given_up


async def test_an_endpoint_that_says_when_to_ask_again_is_never_given_up(stack: AsyncExitStack) -> None:
    async def busy(exchange: Exchange) -> None:
        await exchange.head(429, "application/json", Retry_After="0")

    engine = await opened(stack, FakeEndpoint(acts=[busy] * 6), deaths_max=3)
    assert (await engine.complete(request())).text == "hello"


async def test_requests_that_fail_together_are_one_failure_of_the_endpoint() -> None:
    endpoint = Endpoint(addresses("http://127.0.0.1:9/v1")[0], "", 1.0, 60.0, 3)
    for _ in range(8):
        endpoint.failed(TryAgain(ModelDied("It broke off.", "See its log.")))
    assert not endpoint.is_given_up
    assert endpoint.away_s <= 60.0
    await endpoint.client.close()


async def test_an_endpoint_that_fails_and_answers_in_turn_is_logged_once_a_minute_with_its_number() -> None:
    endpoint, now = Endpoint(addresses("http://127.0.0.1:9/v1")[0], "", 1.0, 0.0, 3), 0.0
    endpoint._log = FailureLog("an endpoint does not answer", lambda: now)
    with capture_logs() as logs:
        for number in range(7):
            endpoint.failed(TryAgain(ModelDied(f"It answered {500 + number}.", "See its log.")))
            endpoint.answered()
        now = EVERY_S
        endpoint.failed(TryAgain(ModelDied("It broke off.", "See its log.")))
    assert [(it["event"], it["times"]) for it in logs] == [("an endpoint does not answer", 1), ("an endpoint does not answer", 7)]
    await endpoint.client.close()


async def test_half_a_line_that_nobody_saw_is_asked_of_the_next_endpoint(stack: AsyncExitStack) -> None:
    async def half(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.event(choices=[{"delta": {"content": "Good mor"}}])

    first, second = FakeEndpoint(acts=[half], says="from the first"), FakeEndpoint(acts=[half], says="from the second")
    engine = await opened(stack, first, second, restart_wait_s=30)
    with pytest.raises(ModelDied, match="middle of an answer"):
        await engine.complete(request(), lambda _: None)  # the player has read it: no other line may follow
    assert len(first.asked) + len(second.asked) == 1
    other = second if first.asked else first
    other.acts.clear()
    assert (await engine.complete(request())).text == other.says


async def test_endpoint_that_hangs_costs_no_more_than_the_deadline_and_is_left(stack: AsyncExitStack) -> None:
    begun, left = asyncio.Event(), asyncio.Event()

    async def hang(exchange: Exchange) -> None:
        await exchange.head()
        begun.set()
        await exchange.gone()
        left.set()

    engine = await opened(stack, FakeEndpoint(acts=[hang]))
    with under_deadline(Deadline()) as deadline:
        asking = asyncio.create_task(engine.complete(request()))
    await begun.wait()  # a deadline that ends before the question is sent would leave nothing to close
    deadline.end_at(time.monotonic())
    with pytest.raises(DeadlinePassed):
        await asking
    await asyncio.wait_for(left.wait(), 60)
    assert engine.status().running == 0
    assert (await engine.complete(request())).text == "hello"


async def test_cancelled_request_closes_its_connection(stack: AsyncExitStack) -> None:
    begun, left = asyncio.Event(), asyncio.Event()

    async def hang(exchange: Exchange) -> None:
        await exchange.head()
        begun.set()
        await exchange.gone()
        left.set()

    engine = await opened(stack, FakeEndpoint(acts=[hang]))
    asking = asyncio.create_task(engine.complete(request()))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.wait_for(left.wait(), 60)


@pytest.mark.parametrize(
    ("sends", "says"),
    [
        ("data: {nonsense\n\n", "no answer of an OpenAI-compatible endpoint"),
        ('data: {"choices": "many"}\n\n', "no answer of an OpenAI-compatible endpoint"),
        ("data: [1, 2]\n\n", "no answer of an OpenAI-compatible endpoint"),
        ('data: {"choices": [{"delta": {"content": "' + "x" * 20_000 + '"}}]}\n\n', "more than the 16 tokens"),
    ],
)
async def test_lies_are_refused_in_words(stack: AsyncExitStack, sends: str, says: str) -> None:
    async def lie(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.send(sends)

    engine = await opened(stack, FakeEndpoint(acts=[lie]))
    with pytest.raises(EngineError, match=says):
        await engine.complete(request(max_tokens=16))
    assert (await engine.complete(request())).text == "hello"


async def test_answer_that_is_not_streamed_is_taken_too(stack: AsyncExitStack) -> None:
    async def whole(exchange: Exchange) -> None:
        await exchange.head(200, "application/json")
        await exchange.send('{"choices": [{"message": {"content": "All at once."}, "finish_reason": "stop"}]}')

    engine = await opened(stack, FakeEndpoint(acts=[whole]))
    done = await engine.complete(request())
    assert done.text == "All at once."
    assert done.prompt_tokens > 0
    assert done.reply_tokens > 0


async def test_request_that_is_refused_for_good_is_not_repeated(stack: AsyncExitStack) -> None:
    async def refuse(exchange: Exchange) -> None:
        await exchange.head(400, "application/json")
        await exchange.send('{"error": {"message": "the context is too long"}}')

    fake = FakeEndpoint(acts=[refuse])
    engine = await opened(stack, fake)
    with pytest.raises(ModelRejected, match="the context is too long"):
        await engine.complete(request())
    assert len(fake.asked) == 1


async def test_missing_endpoint_is_said_and_met_when_it_comes(stack: AsyncExitStack) -> None:
    away = FakeEndpoint()
    async with serving(away):
        pass
    engine = await opened(stack, away)
    assert not engine.status().ready
    assert "cannot be reached" in engine.status().problem
    with pytest.raises(ModelMissing, match="cannot be reached"):
        await engine.complete(request())
    port = int(away.url.rsplit(":", 1)[1].split("/")[0])
    await stack.enter_async_context(serving(away, port))
    await until(lambda: engine.status().ready)
    assert (await engine.complete(request())).text == "hello"


async def test_unknown_model_is_said_with_those_that_are_there(stack: AsyncExitStack) -> None:
    fake = FakeEndpoint(model="qwen3:4b")
    await stack.enter_async_context(serving(fake))
    fake.url += "#llama"
    engine = await opened(stack, fake)
    assert "has no model 'llama'" in engine.status().problem
    assert "qwen3:4b" in engine.status().problem


async def test_person_returns_to_the_endpoint_that_knows_its_prefix(stack: AsyncExitStack) -> None:
    fakes = [FakeEndpoint(says="0"), FakeEndpoint(says="1"), FakeEndpoint(says="2")]
    engine = await opened(stack, *fakes)
    first = {npc: (await engine.complete(request(npc=npc))).text for npc in ("mara", "tobin", "ines")}
    for _ in range(3):
        assert {npc: (await engine.complete(request(npc=npc))).text for npc in first} == first


async def test_requests_at_once_are_spread_over_endpoints(stack: AsyncExitStack) -> None:
    fakes = [FakeEndpoint(), FakeEndpoint()]
    engine = await opened(stack, *fakes)
    await asyncio.gather(*(engine.complete(request(npc=f"{n}")) for n in range(20)))
    assert [len(fake.asked) for fake in fakes] == [10, 10]


async def test_one_place_is_kept_for_players_and_they_come_first(stack: AsyncExitStack) -> None:
    free = asyncio.Event()

    async def slow(exchange: Exchange) -> None:
        await free.wait()
        await exchange.head()
        await exchange.words("late")

    fake = FakeEndpoint(acts=[slow])
    engine = await opened(stack, fake, max_parallel=2)
    thinking = [asyncio.create_task(engine.complete(request())) for _ in range(3)]
    await until(lambda: len(fake.asked) == 1)
    assert (await engine.complete(request(priority=Priority.PLAYER))).text == "hello"
    assert (engine.status().running, engine.status().waiting) == (1, 2)
    free.set()
    assert {(await it).text for it in thinking} == {"late", "hello"}


async def test_tokens_are_estimated_from_what_endpoints_counted(stack: AsyncExitStack) -> None:
    engine = await opened(stack, FakeEndpoint())
    before = await engine.count_tokens(["x" * 400, ""])
    for _ in range(50):
        await engine.complete(request())  # 29 characters are 40 tokens
    assert before == [100, 0]
    assert (await engine.count_tokens(["x" * 400]))[0] > 300


@pytest.mark.parametrize("claimed", [2**63, 10**30, -1, "many", None, [7]])
async def test_a_number_that_cannot_be_is_estimated(stack: AsyncExitStack, claimed: object) -> None:
    async def lies(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.event(choices=[{"delta": {"content": "Hi."}, "finish_reason": "stop"}])
        usage = {"prompt_tokens": claimed, "completion_tokens": claimed, "prompt_tokens_details": {"cached_tokens": claimed}}
        await exchange.event(choices=[], usage=usage)
        await exchange.send("data: [DONE]\n\n")

    engine = await opened(stack, FakeEndpoint(acts=[lies]))
    done = await engine.complete(request())
    assert (done.text, done.cached_tokens) == ("Hi.", 0)
    assert 0 < done.prompt_tokens < 100
    assert 0 < done.reply_tokens < 100


@pytest.mark.parametrize("kind", ["application/json", EVENTS])
async def test_an_answer_that_never_ends_is_not_read_to_its_end(stack: AsyncExitStack, kind: str) -> None:
    left = asyncio.Event()

    async def pours(exchange: Exchange) -> None:
        await exchange.head(200, kind)
        try:
            while True:
                await exchange.send("data: " + "y" * 100_000 + ("\n" if kind == EVENTS else ""))
        except OSError:
            left.set()
            raise

    engine = await opened(stack, FakeEndpoint(acts=[pours]))
    with pytest.raises(ModelRejected, match="more than 4194304 bytes"):
        await engine.complete(request())
    await asyncio.wait_for(left.wait(), 60)


async def test_a_list_of_models_that_never_ends_is_not_read_to_its_end(stack: AsyncExitStack) -> None:
    async def pours(exchange: Exchange) -> None:
        await exchange.head(200, "application/json")
        while True:
            await exchange.send('{"data":[{"id":"' + "x" * 100_000)

    engine = await opened(stack, FakeEndpoint(listed=pours))
    assert "more than 4194304 bytes" in engine.status().problem


async def test_an_endpoint_that_never_answers_is_waited_for_seconds_and_asked_once_it_does(stack: AsyncExitStack) -> None:
    free = asyncio.Event()

    async def hangs(exchange: Exchange) -> None:
        await free.wait()
        await exchange.head(200, "application/json")
        await exchange.send('{"data": [{"id": "late"}]}')

    fake = FakeEndpoint(listed=hangs)
    await stack.enter_async_context(serving(fake))
    engine = await open_engine(engine_settings(model=fake.url, hang_s=3600), patience_s=0.01)
    stack.push_async_callback(engine.close)
    assert not engine.status().ready
    assert "has not answered yet" in engine.status().problem
    free.set()
    await until(lambda: engine.status().ready)
    assert (await engine.complete(request())).text == "hello"


async def test_an_embedding_endpoint_that_never_answers_is_done_without(stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(exchange: Exchange) -> None:
        await exchange.gone()

    fake = FakeEndpoint(listed=hangs)
    await stack.enter_async_context(serving(fake))
    monkeypatch.setattr(start, "MOST_WAIT_S", 0.01)
    assert isinstance(await open_embedder(engine_settings(embedding_model=fake.url, hang_s=3600)), HashedWordsEmbedder)
