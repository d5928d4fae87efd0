"""What goes wrong in the town, and that people do the sensible thing about it without a model, through the real session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from npc_server.clock import HOUR, parse_datetime
from npc_server.config import load_settings
from npc_server.local.server import local_server
from npc_server.records import Action, Address, Document, MindEvent, NpcId, Perception, PerceptionKind, Speech
from npc_server.sandbox.client import PlayClient
from npc_server.sandbox.incidents import Incidents
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.populate import populated_town
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, find_cast
from npc_server.world.town import load_town
from npc_server.world.town_records import Incident, TownThing
from tests.sandbox.test_town_world import START, TOWN, run
from tests.world.towns import document

STOVE = TownThing("t:house:room:stove", "stove", "stove", "", (2, 2), "off", ("off", "burning"), (), 0, (Incident("cook", "burning", 0.3),))
FRIDGE = replace(STOVE, address="t:house:room:fridge", incidents=(Incident("take food", "empty", every=3),))


def test_what_goes_wrong_by_chance_is_the_same_for_the_same_seed_and_as_often_as_it_says() -> None:
    first, again, other = Incidents(7), Incidents(7), Incidents(8)
    burned = [first.after(STOVE, "cook") for _ in range(1000)]
    assert burned == [again.after(STOVE, "cook") for _ in range(1000)]
    assert burned != [other.after(STOVE, "cook") for _ in range(1000)]
    assert 250 < burned.count("burning") < 350
    assert Incidents(7).after(STOVE, "make tea") == ""


def test_what_is_used_up_runs_out_every_so_many_times() -> None:
    used = Incidents(7)
    assert [used.after(FRIDGE, "take food") for _ in range(6)] == ["", "", "empty", "", "", "empty"]


def test_cook_who_leaves_sees_the_fire_that_follows() -> None:
    cast = burning_kitchens(find_cast("millbrook"))
    world = populated_town(cast, parse_datetime("2026-05-04 10:00"), {"ines_calder": "millbrook:ines_house:kitchen:stove"})
    world.advance(world.now)
    world.take_events()
    stove = "millbrook:ines_house:kitchen:stove"
    world.act(Action("i/1", "ines_calder", "Ines cooks", stove, "", world.now, world.now + 600, "cook"))
    events = run(world, world.now + 700)
    assert world.world.node(stove).state == "burning"
    assert ("ines_calder", stove, "is burning") in [
        (getattr(e, "npc", ""), getattr(e, "subject", ""), getattr(e, "text", "")) for e in events
    ]


@pytest.mark.parametrize(("cell_m", "heard"), [(1.0, True), (2.0, False)])
def test_a_voice_carries_twelve_metres_farther_than_one_sees(cell_m: float, heard: bool) -> None:
    world = TownWorld(load_town(document(TOWN.replace("size:", f"cell_m: {cell_m}\nsize:"))), START)
    for npc, cell in (("ann", (21, 1)), ("bob", (28, 7))):
        world.put(npc, npc.capitalize(), "t:green:lawn")
        world.bodies[npc].cell = cell
    world.speak(Speech("ann", "The well is dry.", START))
    assert [e.npc for e in world.take_events() if isinstance(e, Perception) and e.kind is PerceptionKind.SPEECH] == ["bob"] * heard


# ---- through the real session


def burning_kitchens(cast: Cast) -> Cast:
    """The same town, where whatever is cooked burns."""
    text = cast.town_file.text.replace("becomes: burning, chance: 0.04", "becomes: burning, chance: 1")
    assert text != cast.town_file.text
    document = Document(cast.town_file.name, text)
    return replace(cast, town_file=document, town=load_town(document))


class Played:
    def __init__(self) -> None:
        self.actions: list[Action] = []

    def of(self, npc: NpcId, verb: str) -> list[Action]:
        return [it for it in self.actions if it.npc == npc and it.object_action == verb]


def play(
    folder: Path,
    cast: Cast,
    start: str,
    hours: float,
    at: dict[NpcId, Address],
    prepare: Callable[[TownWorld], None] = lambda world: None,
    watch: Callable[[TownWorld], None] = lambda world: None,
) -> Played:
    """The people of a town by instinct, in lockstep over a real channel. `prepare` changes the town before anybody looks."""
    played = Played()
    now = parse_datetime(start)

    async def go() -> None:
        settings = load_settings(save={"folder": folder}, engine={"model": "none", "embedding_model": "none"})
        async with local_server(settings) as local:
            await local.connection.create_save("s", cast.town_file, cast.persona_files, 3, now)
            client = PlayClient(local.connection, await local.connection.open_save("s"))
            client.start()
            world = populated_town(cast, now, at, seed=3)
            prepare(world)

            def hear(event: MindEvent) -> None:
                if isinstance(event, Action):
                    played.actions.append(event)

            lockstep = Lockstep(client, world, hear)
            while world.now < now + hours * HOUR:
                await lockstep.turn(now + round(hours * HOUR))
                watch(world)
            await client.close()

    asyncio.run(go())
    return played


def change(address: Address, state: str) -> Callable[[TownWorld], None]:
    return lambda world: world.change(address, state)


def test_fire_on_the_stove_is_put_out_and_the_stove_is_off_again(tmp_path: Path) -> None:
    stove = "millbrook:ines_house:kitchen:stove"
    seen: list[str] = []
    played = play(
        tmp_path,
        find_cast("millbrook", ["ines_calder"]),
        "2026-05-04 20:00",
        0.5,
        {"ines_calder": "millbrook:ines_house:kitchen"},
        change(stove, "burning"),
        lambda world: seen.append(world.world.node(stove).state),
    )
    put_out = played.of("ines_calder", "put out the fire")
    assert [it.address for it in put_out] == [stove]
    assert seen[0] == "burning"
    assert seen[-1] != "burning"


def test_empty_refrigerator_is_filled_after_food_was_bought(tmp_path: Path) -> None:
    fridge = "millbrook:tobin_house:kitchen:refrigerator"
    states: list[str] = []
    played = play(
        tmp_path,
        find_cast("millbrook", ["tobin_hale"]),
        "2026-05-04 14:00",
        1.5,
        {"tobin_hale": "millbrook:tobin_house:kitchen"},
        change(fridge, "empty"),
        lambda world: states.append(world.world.node(fridge).state),
    )
    bought, filled = played.of("tobin_hale", "buy something"), played.of("tobin_hale", "fill")
    assert bought, [it.sentence for it in played.actions]
    assert filled
    assert bought[0].start < filled[0].start
    assert states[-1] == "stocked"


def test_who_finds_the_bathroom_occupied_does_something_else_and_goes_later(tmp_path: Path) -> None:
    """Two people want to wash at the same minute in a bathroom for one."""
    cast = find_cast("alderwick", ["biddy_corrigan", "lorcan_corrigan"])
    together: list[int] = []

    def watch(world: TownWorld) -> None:
        together.append(sum(body.room == "alderwick:tavern:bathroom" for body in world.bodies.values()))

    played = play(tmp_path, cast, "2026-05-04 07:30", 2, {}, watch=watch)
    assert max(together) == 1
    for npc in ("biddy_corrigan", "lorcan_corrigan"):
        assert [it for it in played.actions if it.npc == npc and "bathroom" in it.address]
        assert [it for it in played.actions if it.npc == npc and "bathroom" not in it.address]


def test_who_wants_to_buy_after_five_does_something_else_and_goes_when_the_shop_is_open_again(tmp_path: Path) -> None:
    fridge = "millbrook:tobin_house:kitchen:refrigerator"
    start = parse_datetime("2026-05-04 19:00")
    played = play(
        tmp_path,
        find_cast("millbrook", ["tobin_hale"]),
        "2026-05-04 19:00",
        15,
        {"tobin_hale": "millbrook:tobin_house:kitchen"},
        change(fridge, "empty"),
    )
    evening = [it for it in played.actions if it.start < start + 5 * HOUR]
    assert len({it.address for it in evening}) > 1
    assert not [it for it in evening if it.object_action in ("buy something", "fill")]
    bought, filled = played.of("tobin_hale", "buy something"), played.of("tobin_hale", "fill")
    assert bought
    assert filled
    assert start + 5 * HOUR < bought[0].start < filled[0].start
