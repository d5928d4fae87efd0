"""Opens the save of a town, and places its people where the save has them: who is not up yet, beside their beds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from npc_server.personas.schema import Persona
from npc_server.records import Address, Document, GameTime, NpcId
from npc_server.sandbox.connection import Connection, OpenedSave
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, beds
from npc_server.world.town_records import Town


async def open_or_create(
    connection: Connection, cast: Cast, slot: str, seed: int, start: GameTime = 0, policies: Sequence[Document] = (), game: str = ""
) -> OpenedSave:
    """Opens a save, and creates it first if it does not exist. `start` 0 takes the time of the town file."""
    if slot not in await connection.slots():
        await connection.create_save(slot, cast.town_file, cast.persona_files, seed, start, policies, game)
    return await connection.open_save(slot, game=game)


def populated_town(cast: Cast, now: GameTime, at: Mapping[NpcId, Address] | None = None, seed: int = 0) -> TownWorld:
    """Makes a town with each person at the address in `at`, or else beside their bed. `seed` decides which incidents happen."""
    world = TownWorld(cast.town, now, seed=seed)
    for persona in cast.people:
        wanted = (at or {}).get(persona.id, "")
        world.put(persona.id, persona.name, wanted if world.grid.standing_cells(wanted) else bed_of(cast.town, persona))
    return world


async def town_of_save(connection: Connection, save: OpenedSave, cast: Cast, least: GameTime, seed: int = 0) -> TownWorld:
    """Makes the town of an opened save with its people, their places and its game time, which is at least `least`."""
    minds = await connection.minds(save.session_id, save.npc_ids)
    present = replace(cast, people=tuple(person for person in cast.people if person.id in save.npc_ids))
    homes = {persona.id: persona.home for persona in present.people}
    at = {mind.npc_id: mind.address for mind in minds if mind.address != homes.get(mind.npc_id)}
    return populated_town(present, max([least, *(mind.now_s for mind in minds)]), at, seed)


def bed_of(town: Town, persona: Persona) -> Address:
    """Returns where a person is who is not up: the bed at home, or the home."""
    return next((bed.address for bed in beds(town) if bed.address.startswith(f"{persona.home}:")), persona.home)
