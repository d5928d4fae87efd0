"""A player talks with somebody whose model is behind a bad endpoint: every line is answered, and what is wrong is said."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from npc_server.config import load_settings
from npc_server.llm.deadline import Deadline
from npc_server.llm.start import missing_model
from npc_server.local.server import Local, local_server
from npc_server.mind.mind import Mind
from npc_server.records import MindEvent, Notice
from npc_server.sandbox.talk import PlayerTalk, _Heard, talking
from npc_server.sandbox.towns import find_cast
from npc_server.v1 import npc_pb2 as pb
from tests.llm.endpoint.fake import Exchange, FakeEndpoint, serving
from tests.waiting import LIMIT_S

WHO = "mara_voss"
LINES = ("Have you heard of the storm at sea?", "What do you think of my new hat?", "Do you like riddles?")
ASSISTANT = "As an AI language model, I do not have opinions. How can I assist you today?"


@dataclass
class Played:
    """A talk, and what came besides its lines."""

    local: Local
    talk: PlayerTalk
    notices: list[Notice] = field(default_factory=list)

    async def say(self, line: str) -> tuple[str, pb.DecisionSource.ValueType]:
        pieces = [piece async for piece in self.talk.say(line)]
        return "".join(piece.delta for piece in pieces), pieces[-1].source

    async def opened_says(self) -> pb.OpenSaveResponse:
        """What the game is told that opens a save now."""
        connection, cast = self.local.connection, find_cast("millbrook", [WHO])
        await connection.create_save("two", cast.town_file, cast.persona_files, 7, cast.town.start)
        return await connection._saves.OpenSave(pb.OpenSaveRequest(slot="two"), metadata=connection._metadata)

    async def hear_notice(self) -> None:
        """Lets game time pass until the game is told something."""
        while not self.notices:
            await self.talk.pass_time(1)

    def problem(self) -> str:
        """What `npc-server talk` says of the model."""
        return missing_model(self.local.host.settings.engine, self.local.host.engine)


Begin = Callable[..., Awaitable[Played]]


@pytest.fixture
async def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Begin]:
    async with AsyncExitStack() as stack:

        async def begun(fake: FakeEndpoint, **engine: object) -> Played:
            return await stack.enter_async_context(playing_with(fake, tmp_path, monkeypatch, engine))

        yield begun


@asynccontextmanager
async def playing_with(fake: FakeEndpoint, folder: Path, patch: pytest.MonkeyPatch, engine: dict[str, object]) -> AsyncIterator[Played]:
    cast = find_cast("millbrook", [WHO])
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(serving(fake))
        waits = {"first_word_s": 3600, "player_deadline_s": 3600, "deadline_s": 3600, "restart_wait_s": 0.01, **engine}
        settings = load_settings(
            save={"folder": folder},
            engine={"model": fake.url, "embedding_model": "none", "models_folder": folder, **waits},
            mind={"asked": "players"},
        )
        local = await stack.enter_async_context(local_server(settings))
        talk = await stack.enter_async_context(talking(local.connection, cast, WHO, "Robin", cast.town.start + 4 * 3600, 7))
        played, heard = Played(local, talk), _Heard.on_event

        def on_event(self: _Heard, event: MindEvent) -> None:
            if isinstance(event, Notice):
                played.notices.append(event)
            heard(self, event)

        patch.setattr(_Heard, "on_event", on_event)
        talk._lockstep._on_event = talk._heard.on_event
        yield played


@pytest.fixture
def too_late(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call what this returns when the first word of the line that was heard last is waited for no more. Nothing is read for the next."""
    heard: list[Deadline] = []

    def first_word(mind: Mind) -> Deadline:
        heard.append(Deadline())
        heard[-1].end_at(time.monotonic() + LIMIT_S)
        return heard[-1]

    monkeypatch.setattr("npc_server.lines.answer.first_word", first_word)
    monkeypatch.setattr("npc_server.lines.read_ahead.go_on", lambda mind, request: None)
    return lambda: heard[-1].end_at(time.monotonic())


async def answered_by_the_small_profile(played: Played) -> None:
    for line in LINES:
        text, source = await played.say(line)
        assert text.strip(), line
        assert source != pb.DECISION_SOURCE_MODEL, text
        assert "AI" not in text
        assert "think" not in text


async def is_told(played: Played, says: str) -> None:
    """The game hears it once, and so does who opens a save, and who talks in the terminal."""
    assert says in played.problem()
    await asyncio.wait_for(played.hear_notice(), LIMIT_S)
    assert [(it.reason, says in it.message) for it in played.notices] == [("MODEL_UNUSABLE", True)]
    opened = await played.opened_says()
    assert opened.model == "some-model"
    assert says in opened.model_problem


async def test_one_that_hangs(begin: Begin, too_late: Callable[[], None]) -> None:
    async def hangs(exchange: Exchange) -> None:
        await exchange.head()
        too_late()
        await exchange.gone()

    played = await begin(FakeEndpoint(acts=[hangs] * 40), first_word_s=0.001)
    with capture_logs() as logs:
        await answered_by_the_small_profile(played)
    assert [it["event"] for it in logs].count("answers of a model cannot be used") == 1
    await is_told(played, "within 0.001 s")


@pytest.mark.parametrize("apart", [True, False])
async def test_one_that_thinks_and_never_comes_to_an_answer(begin: Begin, apart: bool) -> None:
    async def thinks_on(exchange: Exchange) -> None:
        await exchange.head()
        if not apart:
            await exchange.event(choices=[{"delta": {"content": "<think>"}}])
        await exchange.thought(20, apart=apart)

    played = await begin(FakeEndpoint(acts=[thinks_on] * 40, thinks="apart" if apart else "", forms=frozenset()))
    await answered_by_the_small_profile(played)
    await is_told(played, "sent a thought without an answer")


@pytest.mark.parametrize("where", ["apart", "open"])
async def test_one_that_thinks_first_is_heard_without_its_thought_and_the_game_is_told(begin: Begin, where: str) -> None:
    played = await begin(FakeEndpoint(thinks=where, says="Never met a riddle I liked.", forms=frozenset()))
    text, source = await played.say(LINES[2])
    assert (text, source) == ("Never met a riddle I liked.", pb.DECISION_SOURCE_MODEL)
    assert played.problem() == ""
    opened = await played.opened_says()
    assert opened.model_note.startswith("some-model thinks before it answers, and nothing switches that off. Take a model")


async def test_one_that_thinks_for_too_long(begin: Begin, too_late: Callable[[], None]) -> None:
    async def thinks_for_ever(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.thought(20, apart=True)
        too_late()
        await exchange.gone()

    played = await begin(FakeEndpoint(acts=[thinks_for_ever] * 40, thinks="apart"), first_word_s=0.001)
    await answered_by_the_small_profile(played)
    await is_told(played, "within 0.001 s")


async def test_one_without_a_system_role_is_told_who_it_is_in_the_first_turn(begin: Begin) -> None:
    fake = FakeEndpoint(refuses_system=400, says="Never met a riddle I liked.")
    played = await begin(fake)
    for line, says in zip(LINES[:2], ("The gulls told me.", "It suits you well."), strict=True):
        fake.says = says
        assert await played.say(line) == (says, pb.DECISION_SOURCE_MODEL)
    assert played.problem() == ""
    lines = [body["messages"] for body in fake.asked if body["messages"][-1]["content"].endswith(LINES)]
    assert len(lines) == 2
    for messages in lines:
        assert "Mara Voss" in messages[0]["content"]
        assert [it["role"] for it in messages] == (["user", "assistant"] * len(messages))[: len(messages)]


async def test_one_that_talks_like_an_assistant(begin: Begin) -> None:
    played = await begin(FakeEndpoint(says=ASSISTANT))
    await answered_by_the_small_profile(played)
    await is_told(played, "talks as an assistant")
