"""For whom a memory is: people by their ids, by faction, by place, or everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from npc_server.agent import Agent
from npc_server.document_errors import did_you_mean
from npc_server.errors import BadInput, FileProblem, UnknownName
from npc_server.memory import meta
from npc_server.memory.store import Store
from npc_server.records import Address, Document, NpcId
from npc_server.session.people import LivingTown
from npc_server.world.town import load_town
from npc_server.world.town_records import Faction
from npc_server.world.tree import lineage


@dataclass(frozen=True)
class Audience:
    """All people of all fields."""

    npcs: tuple[NpcId, ...] = ()
    factions: tuple[str, ...] = ()
    places: tuple[Address, ...] = ()
    everybody: bool = False

    def __bool__(self) -> bool:
        return bool(self.npcs or self.factions or self.places or self.everybody)


async def people_of(to: Audience, town: LivingTown, store: Store) -> list[Agent]:
    """The people of an audience, each once, in the order of the save. Raises UnknownName, and BadInput if it names nobody."""
    if not to:
        raise BadInput(
            "Field to is empty: it names nobody.", "Give npc_ids, factions or places, or set everybody.", field="to", value="empty"
        )
    for npc in to.npcs:
        if npc not in town.agents:
            raise _unknown("NPC", npc, town.agents, "in this save")
    for place in to.places:
        if place not in town.world:
            raise _unknown("place", place, [node.address for node in town.world], "in the world")
    members = await _members(to.factions, town, store) if to.factions else frozenset[NpcId]()
    return [agent for npc, agent in town.agents.items() if to.everybody or npc in to.npcs or npc in members or _belongs(agent, to.places)]


def _belongs(agent: Agent, places: Sequence[Address]) -> bool:
    """Whether somebody lives, works or is in one of the places."""
    persona = agent.mind.persona
    there = {above for address in (persona.home, persona.work, agent.doing.address) for above in lineage(address) if address}
    return any(place in there for place in places)


async def _members(wanted: Sequence[str], town: LivingTown, store: Store) -> frozenset[NpcId]:
    """The ids of the members of factions, as the town file and the persona files have them."""
    files = await store.do(lambda db: meta.documents(db, "town"))
    factions = await asyncio.to_thread(_factions, files)
    own = {npc: agent.mind.persona.factions for npc, agent in town.agents.items()}
    known = {faction.id for faction in factions} | {it for ids in own.values() for it in ids}
    for faction in wanted:
        if faction not in known:
            raise _unknown("faction", faction, sorted(known), "in the town file or a persona file")
    named = {npc for faction in factions if faction.id in wanted for npc in faction.members}
    return frozenset(named | {npc for npc, ids in own.items() if set(ids) & set(wanted)})


def _factions(files: Sequence[Document]) -> tuple[Faction, ...]:
    """The factions of the town file; none if only an older version accepted the file."""
    try:
        return load_town(files[0]).factions if files else ()
    except FileProblem:
        return ()


def _unknown(what: str, name: str, known: Iterable[str], where: str) -> UnknownName:
    names = list(known)
    listed = f"There are: {', '.join(names[:20])}{' …' if len(names) > 20 else ''}." if names else "There are none."
    return UnknownName(f"There is no {what} {name!r} {where}.", did_you_mean(name, names) or listed, name=name)
