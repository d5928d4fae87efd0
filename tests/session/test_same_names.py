"""People who share a name are still different people: they are known by their ids."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.clock import HOUR
from npc_server.instinct.self_knowledge import as_told
from npc_server.mind.named import others_named
from npc_server.records import Document, Perception, PerceptionKind
from npc_server.session.host import Host
from tests.session.conftest import Game, town

MakeHost = Callable[..., Host]
GUARDS = ("guard_1", "guard_2", "guard_3")
POND = "millbrook:green:pond_side"
GUARD = """
name: Town Guard
age: 31
identity: Town Guard watches the green at night; Town Guard has a bad knee
home: green:pond_side
routine:
  - {at: "08:00", do: watch the road, where: green:pond_side}
"""


@pytest.fixture
async def game(make_host: MakeHost) -> Game:
    host = make_host()
    info = await host.create_save("one", town(), [Document(f"personas/{npc}.yaml", GUARD) for npc in GUARDS], seed=7, start=0)
    (same,) = [warning for warning in info.warnings if "are named" in warning]
    assert "3 people are named 'Town Guard': guard_1, guard_2, guard_3." in same
    return Game(await host.open_save("one"))


def seen(npc: str, who: str, now: int) -> Perception:
    return Perception(npc, PerceptionKind.PERSON, who, "is mending a lantern", POND, 2.0, now)


async def test_each_remembers_what_each_of_the_others_did_and_takes_nobody_for_itself(game: Game) -> None:
    now = game.session.now + 10 * HOUR
    await game.tick(now, *[seen(npc, who, now) for npc in GUARDS for who in GUARDS])
    for npc in GUARDS:
        memories = [memory for memory in game.session.memories(npc, (), 0, 100) if "mending a lantern" in memory.text]
        assert {memory.subject for memory in memories} == {f"Town Guard {who}" for who in GUARDS if who != npc}
        mind = game.session.agent(npc).mind
        for memory in memories:
            assert as_told(mind, memory.text, "Ann") == "Town Guard is mending a lantern."
            assert others_named(mind, memory.text) == [memory.subject.removeprefix("Town Guard ")]


async def test_who_shares_a_name_is_called_by_all_of_it_and_speaks_of_itself_as_i(game: Game) -> None:
    mind = game.session.agent("guard_1").mind
    assert {mind.people.first_name_of(npc) for npc in GUARDS} == {"Town Guard"}
    assert as_told(mind, "Town Guard has a bad knee", "Ann") == "I have a bad knee."
    assert not others_named(mind, "Town Guard is watching the road")
    assert (await game.session.say("guard_1", "guard_2", "Is the road quiet?", lambda piece: None)).text, "another guard is no self"


async def test_the_name_that_others_use_comes_from_the_persona(make_host: MakeHost) -> None:
    host = make_host()
    files = [
        Document("personas/ada.yaml", "name: Ada Brook\nfirst_name: Addie\nage: 30\nidentity: Addie fishes\nhome: green:pond_side\n"),
        Document("personas/guard.yaml", GUARD),
    ]
    await host.create_save("one", town(), files, seed=7, start=0)
    mind = (await host.open_save("one")).agent("guard").mind
    assert mind.people.first_name_of("ada") == "Addie"
    assert others_named(mind, "Addie has gone fishing") == ["ada"]
