"""What is found out about an endpoint, from endpoints that behave as those of public reports do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from npc_server.errors import ModelDied, ModelRejected
from npc_server.llm.endpoint.endpoint import Endpoint
from npc_server.llm.endpoint.form import Form
from npc_server.llm.endpoint.meeting import Facts
from npc_server.llm.endpoint.quiet import NO_THINK, Quiet
from tests.llm.endpoint.fake import Act, Body, Exchange, FakeEndpoint, serving
from tests.llm.endpoint.test_engine import opened, request

WAYS: dict[Quiet, Callable[[Body], object]] = {
    Quiet.EFFORT: lambda body: body.get("reasoning_effort") == "none",
    Quiet.THINK: lambda body: body.get("think") is False,
    Quiet.ENABLE: lambda body: body.get("enable_thinking") is False,
    Quiet.TYPE: lambda body: body.get("thinking") == {"type": "disabled"},
    Quiet.WORD: lambda body: body["messages"][-1]["content"].endswith(NO_THINK),
}
LINE = "Morning. The rye is just out."


@pytest_asyncio.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as kept:
        yield kept


def facts_of(endpoint: Endpoint) -> Facts:
    assert endpoint.facts is not None
    return endpoint.facts


@pytest.mark.parametrize("where", ["apart", "open"])
@pytest.mark.parametrize("way", Quiet)
async def test_the_way_that_switches_thinking_off_is_found_and_kept(stack: AsyncExitStack, way: Quiet, where: str) -> None:
    fake = FakeEndpoint(frozenset({Form.JSON}), thinks=where, quiet=WAYS[way], says=json.dumps({"text": LINE}))
    engine = await opened(stack, fake)
    facts = facts_of(engine.endpoints[0])
    assert (facts.quiet, facts.thinks, facts.begins_in_thought, facts.form) == (way, False, False, Form.JSON)
    pieces: list[str] = []
    assert (await engine.complete(request(), pieces.append)).text == "".join(pieces) == LINE
    assert WAYS[way](fake.asked[-1])


async def test_what_no_longer_thinks_is_heard_at_once_in_plain_words(stack: AsyncExitStack) -> None:
    engine, pieces = await opened(stack, FakeEndpoint(frozenset(), thinks="open", quiet=WAYS[Quiet.WORD], says=LINE)), list[str]()
    assert facts_of(engine.endpoints[0]) == Facts("some-model", 4096, quiet=Quiet.WORD)
    assert (await engine.complete(request(), pieces.append)).text == "".join(pieces) == LINE
    assert len(pieces) > 2


async def test_a_thought_that_never_ends_is_not_read_to_its_end(stack: AsyncExitStack) -> None:
    async def thinks_on(exchange: Exchange) -> None:
        await exchange.head()
        while True:
            await exchange.event(choices=[{"delta": {"reasoning_content": "hmm " * 1000}}])

    engine = await opened(stack, FakeEndpoint(acts=[thinks_on]))
    with pytest.raises(ModelRejected, match="more than the 256 tokens"):
        await engine.complete(request())


async def test_the_template_alone_switches_thinking_off_where_it_can(stack: AsyncExitStack) -> None:
    fake = FakeEndpoint(thinks="apart", quiet=lambda body: not body.get("chat_template_kwargs", {}).get("enable_thinking", True))
    engine = await opened(stack, fake)
    assert facts_of(engine.endpoints[0]).quiet is None
    await engine.complete(request())
    assert "reasoning_effort" not in fake.asked[-1]


async def test_a_model_that_always_thinks_gets_room_for_it_and_the_log_says_so(stack: AsyncExitStack) -> None:
    with capture_logs() as logs:
        engine = await opened(stack, FakeEndpoint(frozenset(), thinks="apart", says=LINE))
    assert facts_of(engine.endpoints[0]).thinks
    assert any("thinks before it answers" in it["event"] for it in logs)
    assert (await engine.complete(request(max_tokens=20))).text == LINE


@pytest.mark.parametrize("forms", [frozenset[Form](), frozenset({Form.JSON})])
async def test_a_thought_that_only_ends_is_never_heard(stack: AsyncExitStack, forms: frozenset[Form]) -> None:
    says = json.dumps({"text": LINE}) if forms else LINE
    engine, pieces = await opened(stack, FakeEndpoint(forms, thinks="open", says=says)), list[str]()
    assert facts_of(engine.endpoints[0]).begins_in_thought
    assert (await engine.complete(request(), pieces.append)).text == "".join(pieces) == LINE


@pytest.mark.parametrize("where", ["apart", "open"])
async def test_a_thought_without_an_answer_is_said_to_be_one(stack: AsyncExitStack, where: str) -> None:
    async def thinks_on(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.thought(20, apart=where == "apart")

    engine, pieces = await opened(stack, FakeEndpoint(frozenset(), thinks=where, acts=[thinks_on])), list[str]()
    with pytest.raises(ModelDied, match=r"some-model at http\S+ sent a thought without an answer\. Take a model that answers at once"):
        await engine.complete(request(), pieces.append)
    assert pieces == []


@pytest.mark.parametrize("status", [400, 500])
async def test_who_one_is_stands_in_the_question_where_the_system_has_no_role(stack: AsyncExitStack, status: int) -> None:
    fake = FakeEndpoint(refuses_system=status)
    engine = await opened(stack, fake)
    facts = facts_of(engine.endpoints[0])
    assert (facts.system_role, facts.open, facts.form) == (False, True, Form.GRAMMAR)
    assert (await engine.complete(request())).text == "hello"
    assert fake.asked[-1]["messages"] == [{"role": "user", "content": "You are Mara.\n\nWhat do you say?"}]


async def test_a_hosted_endpoint_may_refuse_the_role_and_the_fields(stack: AsyncExitStack) -> None:
    engine = await opened(stack, FakeEndpoint(frozenset({Form.JSON}), strict=True, refuses_system=400))
    facts = facts_of(engine.endpoints[0])
    assert (facts.system_role, facts.open, facts.form) == (False, False, Form.JSON)


async def lm_studio(exchange: Exchange) -> None:
    await exchange.head(200, "application/json")
    known = exchange.path.startswith("/v1/")
    await exchange.send(json.dumps({"data": [{"id": "qwen3:4b"}]} if known else {"error": f"Unexpected endpoint. (GET {exchange.path})"}))


async def ollama(exchange: Exchange) -> None:
    known = exchange.path.startswith("/v1/")
    await exchange.head(200 if known else 404, "application/json" if known else "text/plain")
    await exchange.send(json.dumps({"data": [{"id": "qwen3:4b"}]}) if known else "404 page not found")


@pytest.mark.parametrize("server", [lm_studio, ollama])
@pytest.mark.parametrize("end", ["", "/", "/api", "/v1/", "/v1/chat/completions"])
async def test_an_endpoint_is_found_by_its_address_with_or_without_its_path(stack: AsyncExitStack, server: Act, end: str) -> None:
    fake = FakeEndpoint(listed=server)
    await stack.enter_async_context(serving(fake))
    fake.url = fake.url.removesuffix("/v1") + end
    engine = await opened(stack, fake)
    assert engine.status().model == "qwen3:4b"
    assert (await engine.complete(request())).text == "hello"


async def test_where_no_address_answers_the_advice_names_those_that_were_tried(stack: AsyncExitStack) -> None:
    async def nothing(exchange: Exchange) -> None:
        await exchange.head(404, "text/plain")
        await exchange.send("404 page not found")

    fake = FakeEndpoint(listed=nothing)
    await stack.enter_async_context(serving(fake))
    root = fake.url = fake.url.removesuffix("/v1")
    engine = await opened(stack, fake)
    assert f"answers at {root}/v1 and {root}. " in engine.status().problem
    assert "Most addresses end in /v1" in engine.status().problem


async def test_a_name_from_outside_is_cut_and_steers_nothing(stack: AsyncExitStack) -> None:
    with capture_logs() as logs:
        engine = await opened(stack, FakeEndpoint(model="a\x1b[31m\u202e" + "x" * 5000))
    assert engine.status().ready
    name = engine.status().model
    assert len(name) < 200
    assert all(it not in f"{name} {[str(log.get('model')) for log in logs]}" for it in ("\x1b", "\u202e"))
    fake = FakeEndpoint(model="b\x1b[31m" + "x" * 5000)
    await stack.enter_async_context(serving(fake))
    fake.url += "#other"
    problem = (await opened(stack, fake)).status().problem
    assert len(problem) < 500
    assert "\x1b" not in problem


@pytest.mark.parametrize("claimed", [-5, 10**30, 2**63, "many", None])
async def test_a_context_that_cannot_be_is_not_known(stack: AsyncExitStack, claimed: object) -> None:
    async def lists(exchange: Exchange) -> None:
        await exchange.head(200, "application/json")
        await exchange.send(json.dumps({"data": [{"id": "x", "max_model_len": claimed, "meta": {"n_ctx": claimed}}]}))

    engine = await opened(stack, FakeEndpoint(listed=lists), context_tokens=2048)
    assert engine.status().context_tokens == 2048
