"""The part of the day that was over before play began, lived by the routine.

A save may begin at ten in the morning, and a person may join a game at noon. What they did since they got up becomes own deeds and
memories of own deeds, by the same code as in play. No model is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.agent import Agent
from npc_server.cognition import own_deeds
from npc_server.llm.engine import Vectors
from npc_server.memory.draft import Draft
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream
from npc_server.mind.agent_state import AgentState, state_of
from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.mind.named import others_named
from npc_server.personas import routine
from npc_server.personas.schema import Persona
from npc_server.records import Address, GameTime, Memory
from npc_server.session.people import Common, SavedPerson, mind_of
from npc_server.world.knowledge import Knowledge, known_from_start


async def live_until(mind: Mind, now: GameTime) -> Address:
    """Lets a person whom play has not begun for live the day until `now`. Returns where they are then: at home if they are not up."""
    lived = routine.lived(mind.persona, now, mind.settings.step_minutes_max)
    if not lived or mind.settings.profile == "generative-agents":  # the reference remembers no own deeds
        return mind.persona.home
    for piece in lived:
        own_deeds.begin(mind, mind.instinct.sentence(mind.persona.first_name, piece.text), piece.where, piece.start)
        own_deeds.arrive(mind, piece.start)
        # Nothing was seen of a meal with somebody, but it was no meal without them either.
        mind.lifestyle.deeds = (
            *mind.lifestyle.deeds[:-1],
            replace(mind.lifestyle.deeds[-1], talked_with=tuple(others_named(mind, piece.text))),
        )
        await own_deeds.remember(mind, piece.start)
    if routine.is_asleep_at(mind.persona, now):
        own_deeds.end(mind, lived[-1].end)
        await own_deeds.remember(mind, lived[-1].end)
        return mind.persona.home
    return lived[-1].where if lived[-1].where in mind.world else mind.persona.home


async def join(agent: Agent, store: Store, now: GameTime) -> None:
    """Lets a person who joins a game that is played have lived the day until `now`, and stores that."""
    mind = agent.mind
    agent.doing = replace(agent.doing, address=await live_until(mind, now))
    agent.keep()
    draft, mind.draft = mind.draft, Draft()
    await store.do(lambda db: draft.write(db, mind.npc, epoch=0))


async def day_so_far(persona: Persona, common: Common, seeds: Sequence[Memory], vectors: Vectors, now: GameTime) -> Draft:
    """What a new save holds of a person besides the memories `seeds`, whose `vectors` have a row each. Empty for who is not up."""
    stream = MemoryStream(persona.id)
    for memory, vector in zip(seeds, vectors, strict=True):
        stream.add(memory, vector)
    known = Knowledge(known_from_start(common.world, persona.id, persona.home, persona.knows))
    mind = mind_of(persona, common, SavedPerson(stream, [], 1, AgentState(address=persona.home), known, {}))
    address = await live_until(mind, now)
    if mind.draft or mind.lifestyle.deeds:
        mind.draft.state = state_of(mind, Doing(address=address))
    return mind.draft
