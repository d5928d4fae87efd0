"""What no file can hold is given up at once, so that everything after it is stored as usual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from npc_server.clock import HOUR
from npc_server.errors import BadInput
from npc_server.llm.engine import Completion, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory import memories
from npc_server.memory.draft import Draft
from npc_server.records import Perception, PerceptionKind
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town

MARA = "mara_voss"
BELL = "The bell rings."


class Absurd(ScriptedEngine):
    """Claims a number of tokens that no column can hold."""

    async def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Completion:
        return Completion("say: Good morning to you.", 2**63, 0, 7, 1.0)


async def played(host: Host) -> Game:
    await host.create_save("one", town(), [it for it in personas() if MARA in it.name], seed=7, start=0)
    return Game(await host.open_save("one"))


async def stored(game: Game) -> int:
    return await game.session._store.do(lambda db: int(db.execute("SELECT count(*) FROM memories").fetchone()[0]))


async def test_a_line_is_answered_and_kept_whatever_number_its_answer_claims(make_host: Callable[..., Host]) -> None:
    game = await played(make_host(Absurd({})))
    await game.tick(game.session.now + 9 * HOUR)
    before = await stored(game)
    for line in ("Good morning!", "Is the rye done?"):
        assert (await game.session.say(MARA, "Ann", line, lambda _: None)).text
    assert await stored(game) >= before + 4


async def test_a_line_that_cannot_be_stored_holds_up_nothing_after_it(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await played(make_host())
    await game.tick(game.session.now + 9 * HOUR)
    agent, insert = game.session.agent(MARA), memories.insert

    def refuse(db: Any, made: Any, vectors: Any) -> None:
        if any("Ann" in memory.text for memory in made):
            raise BadInput("A row of memories cannot be stored: it is too large.", "Use 64-bit integers.")
        insert(db, made, vectors)

    monkeypatch.setattr(memories, "insert", refuse)
    with pytest.raises(BadInput):
        await game.session.say(MARA, "Ann", "Good morning!", lambda _: None)
    assert agent.mind.draft == Draft()
    before = await stored(game)
    assert (await game.session.say(MARA, "Tom", "Good morning!", lambda _: None)).text
    assert await stored(game) == before + 2


async def test_a_thought_that_cannot_be_stored_is_given_up_and_all_others_are_kept(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await played(make_host())
    await game.tick(game.session.now + 6 * HOUR)
    insert = memories.insert

    def refuse(db: Any, made: Any, vectors: Any) -> None:
        if any(BELL in memory.text for memory in made):
            raise BadInput("A row of memories cannot be stored: it is too large.", "Use 64-bit integers.")
        insert(db, made, vectors)

    monkeypatch.setattr(memories, "insert", refuse)
    before, now = await stored(game), game.session.now
    await game.tick(now + 1, Perception(MARA, PerceptionKind.EVENT, "", BELL, "millbrook", 1.0, now))
    for hour in (1, 2, 3):
        await game.tick(now + hour * HOUR)
    assert await stored(game) > before
    assert game.session.agent(MARA).mind.draft == Draft()
