"""Lifestyle Policies in a session: stored with thoughts, rolled back with loads, shipped with new saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.config import Settings
from npc_server.errors import FileProblem
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Request, Vectors
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory import policies
from npc_server.memory.database import reading
from npc_server.records import Document, Policy, Source
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town

MakeHost = Callable[..., Host]
PARTS = ("morning", "noon", "afternoon", "evening", "late evening")
HABITS = """
policies:
  - activity: tend the garden
    needs: [{object: green:lawn:flower_bed, is: dry}]
    steps: [{do: watering the flowers, where: green:lawn:flower_bed, action: water the flowers, minutes: 60}]
"""


def planning(request: Request) -> str:
    """Everybody does the same each day, on the square."""
    if request.stage == "plan_day":
        return "\n".join(f"{hour:02}:00 | {PARTS[max(0, hour - 6) // 4]} | pastime number {hour}" for hour in range(6, 21))
    if request.stage == "plan_steps":
        return "\n".join(f"15 | wander about, part {part} | lane:square | nothing special | 🚶" for part in "abcd")
    return "3"


@pytest.fixture
def roomy(settings: Settings) -> Settings:
    """Every place is offered, so that a script may name any."""
    return settings.model_copy(update={"mind": settings.mind.model_copy(update={"places_offered": 64, "plan_strokes_min": 4})})


def kept(host: Host, slot: str) -> list[Policy]:
    path = host.settings.save.folder / f"{slot}.npcsave"
    with reading(path) as db:
        return policies.load(db)


async def play(game: Game, start: int, end: int) -> list[str]:
    sources = []
    for at in range(start, end, 15 * MINUTE):
        sources += [action.source.value for action in await game.tick(at)]
    return sources


async def begin(host: Host, slot: str = "one", people: int = 3) -> Game:
    await host.create_save(slot, town(), personas()[:people], seed=7, start=0)
    return Game(await host.open_save(slot))


async def test_a_second_day_like_the_first_asks_nobody_for_steps(roomy: Settings) -> None:
    engine = ScriptedEngine(planning)
    host = Host(roomy, engine, HashedWordsEmbedder())
    game = await begin(host, people=1)
    start = game.session.now
    await play(game, start, start + 8 * HOUR)
    first = [request.stage for request in engine.requests].count("plan_steps")
    assert first >= 8
    engine.asked.clear()
    sources = await play(game, start + DAY, start + DAY + 7 * HOUR)
    assert [request.stage for request in engine.requests].count("plan_steps") == 0
    assert sources.count("policy") > 20
    assert game.session.mind("mara_voss").policy_answers > 5
    await host.close()


async def test_the_same_game_gives_the_same_policies(roomy: Settings) -> None:
    found = []
    for slot in ("one", "two"):
        # Answers come at other times, so that somebody else is first.
        engine = ScriptedEngine(planning, delay_s=0.0 if slot == "one" else 0.001)
        host = Host(roomy, engine, HashedWordsEmbedder())
        game = await begin(host, slot)
        await play(game, game.session.now, game.session.now + 6 * HOUR)
        await game.session.save_game()
        found.append(kept(host, slot))
        await host.close()
    assert found[0]
    assert found[0] == found[1]
    assert any(not policy.owner and policy.worked > 1 for policy in found[0])


async def test_loading_an_older_save_brings_its_policies_back(roomy: Settings) -> None:
    host = Host(roomy, ScriptedEngine(planning), HashedWordsEmbedder())
    game = await begin(host)
    session, start = game.session, game.session.now
    await play(game, start, start + 3 * HOUR)
    await session.save_game("before")
    before = kept(host, "before")
    assert before
    await play(game, start + 3 * HOUR, start + 6 * HOUR)
    await session.save_game("later")
    assert len(kept(host, "later")) > len(before)
    await session.load_game("before")
    book = session.agent("mara_voss").mind.lifestyle.policies
    assert len(book) == len(before)
    await session.save_game("again")
    assert kept(host, "again") == before
    await host.close()


async def test_an_hour_that_a_restart_broke_is_lived_on_and_learned(roomy: Settings) -> None:
    host = Host(roomy, ScriptedEngine(planning), HashedWordsEmbedder())
    game = await begin(host)
    start, epoch = game.session.now, game.session.epoch
    await play(game, start, start + 2 * HOUR + 30 * MINUTE)
    living = {npc: game.session.agent(npc).mind.lifestyle.living for npc in game.session.npc_ids}
    assert any(living.values())
    before = len(game.session.agent("mara_voss").mind.lifestyle.policies)
    await game.session.suspend()
    again = await host.open_save("one", resume_epoch=epoch)
    assert {npc: again.agent(npc).mind.lifestyle.living for npc in again.npc_ids} == living
    await play(Game(again), start + 2 * HOUR + 30 * MINUTE, start + 4 * HOUR)
    await again.save_game()
    assert len(kept(host, "one")) > before
    await host.close()


async def test_a_game_ships_policies_and_what_does_not_fit_is_left_out_with_a_warning(make_host: MakeHost) -> None:
    host = make_host()
    more = HABITS.replace("policies:\n", "").replace("lawn:flower_bed", "lawn:flower_pot").replace("tend", "mind")
    info = await host.create_save("one", town(), personas(), 7, 0, [Document("habits.yaml", HABITS + more.lstrip("\n"))])
    assert [policy.activity for policy in kept(host, "one")] == ["tend the garden"]
    (warning,) = [text for text in info.warnings if "left out" in text]
    assert warning.startswith("habits.yaml:6: The policy for 'mind the garden' is left out: there is no 'millbrook:green:lawn:flower_pot'.")


async def test_policies_of_another_town_are_left_out(make_host: MakeHost) -> None:
    host = make_host()
    info = await host.create_save("one", town(), personas(), 7, 0, [Document("habits.yaml", "town: alderwick\n" + HABITS)])
    assert not kept(host, "one")
    assert any("for the town 'alderwick'" in text for text in info.warnings)


async def test_a_mistake_in_a_file_of_policies_refuses_the_save(make_host: MakeHost) -> None:
    host = make_host()
    with pytest.raises(FileProblem) as wrong:
        await host.create_save("one", town(), personas(), 7, 0, [Document("habits.yaml", HABITS.replace("minutes: 60", "minutes: long"))])
    assert "habits.yaml:5" in str(wrong.value)
    assert not await host.list_saves()


async def test_a_first_play_lives_by_what_was_shipped(roomy: Settings) -> None:
    engine = ScriptedEngine(lambda request: planning(request).replace("pastime number 8", "tend the garden"))
    host = Host(roomy, engine, HashedWordsEmbedder())
    await host.create_save("one", town(), personas(), 7, 0, [Document("habits.yaml", HABITS)])
    game = Game(await host.open_save("one"))
    start = game.session.now
    actions = [action for at in range(start, start + 4 * HOUR, 15 * MINUTE) for action in await game.tick(at)]
    watering = {action.npc: action for action in actions if action.object_action == "water the flowers"}
    assert "mara_voss" in watering
    assert watering["mara_voss"].sentence == "Mara is watering the flowers"
    assert {action.source for action in watering.values()} == {Source.POLICY}
    await host.close()


class Other(HashedWordsEmbedder):
    """Another embedding model."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "other"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(np.roll(await super().embed(texts), 1, axis=1), np.float32)


async def test_policies_get_new_embeddings_with_a_new_embedding_model(make_host: MakeHost, settings: Settings) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), 7, 0, [Document("habits.yaml", HABITS)])
    other = Host(settings, host.engine, Other())
    session = await other.open_save("one")
    book = session.agent("mara_voss").mind.lifestyle.policies
    (policy,) = book.seen_by("mara_voss").values()
    wanted = (await Other().embed(["tend the garden"]))[0]
    assert book.vectors_of([policy])[0].tolist() == wanted.tolist()
    await other.close()
