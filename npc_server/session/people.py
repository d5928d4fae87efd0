"""The people of a save: born from their persona files, and brought to life from what the save holds of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sqlite_utils import Database

from npc_server import clock
from npc_server.agent import Agent
from npc_server.cognition import instinct, poignancy
from npc_server.cognition.attention import attention_for
from npc_server.cognition.doing import Doing
from npc_server.cognition.mind import Mind
from npc_server.cognition.overheard import SaidLately
from npc_server.cognition.places import PlaceVectors
from npc_server.config import MindSettings
from npc_server.llm.engine import Embedder, Engine, Vectors
from npc_server.memory import inbox, memories, meta, people, places, plans, policies, social
from npc_server.memory.policies import PolicyBook
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream
from npc_server.personas.schema import Persona, check_against_world, load_persona
from npc_server.prompts.load import Prompts
from npc_server.records import (
    Address,
    GameActionResult,
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    NpcId,
    Outcome,
    PathQuery,
    Perception,
    PlanStep,
    Reach,
    Whereabouts,
)
from npc_server.session.vectors import embed_all
from npc_server.world.knowledge import Knowledge, Seen
from npc_server.world.town_records import Town as TownFile
from npc_server.world.tree import Node, NodeKind, World

SEED_IMPORTANCE = 5
"""Importance of an identity's phrase when instinct finds nothing special in it: who one is matters more than what one sees."""


@dataclass(frozen=True)
class Town:
    """Everybody and everything of a session."""

    world: World
    agents: dict[NpcId, Agent]

    def warnings(self) -> list[str]:
        """What the personas name and the world does not have."""
        known = {node.address for node in self.world}
        return [str(problem) for agent in self.agents.values() for problem in check_against_world(agent.mind.persona, known)]


async def seed_memories(persona: Persona, shared: Sequence[str], at: GameTime, embedder: Embedder) -> tuple[list[Memory], Vectors]:
    """The identity's phrases as memories (Generative Agents, section 3), and what the town and its factions know together."""
    texts = [_as_memory(persona, phrase) for phrase in persona.identity_phrases]
    texts += [persona.currently] if persona.currently else []
    texts += shared
    made = [
        Memory(
            npc=persona.id,
            id=i + 1,
            kind=MemoryKind.SEED,
            text=text,
            created=at,
            last_access=at,
            importance=max(SEED_IMPORTANCE, poignancy.importance(text)),
            source=MemorySource.KNOWN,
        )
        for i, text in enumerate(texts)
    ]
    return made, await embedder.embed(texts)


def shared_knowledge(place: TownFile, persona: Persona) -> list[str]:
    """What everybody in town knows, and what the members of the persona's factions know."""
    facts = list(place.knowledge)
    for faction in place.factions:
        if persona.id in faction.members or faction.id in persona.factions:
            facts += [f"{persona.name} belongs to {faction.name}", *faction.knowledge]
    return facts


def _as_memory(persona: Persona, phrase: str) -> str:
    return phrase if persona.first_name in phrase else f"{persona.first_name}: {phrase}"


async def bring_to_life(
    store: Store,
    engine: Engine,
    embedder: Embedder,
    prompts: Prompts,
    settings: MindSettings,
    ask_paths: Callable[[PathQuery], Awaitable[tuple[Reach, ...]]],
) -> Town:
    """The agents of a save, each with its memories, plan and knowledge, and with the events no thought has taken in yet."""
    save = await store.do(meta.read)
    documents = await store.do(lambda db: meta.documents(db, "persona"))
    world = World(await store.do(lambda db: places.load_nodes(db, Node)))
    town_id = next((node.address for node in world if node.kind is NodeKind.WORLD), "")
    personas = [load_persona(document, town_id) for document in documents]
    names = {persona.id: persona.name for persona in personas}
    place_vectors = PlaceVectors(world, embedder)
    await _renew_vectors(store, embedder, [persona.id for persona in personas])
    book = await policy_book(store, settings, personas)
    agents: dict[NpcId, Agent] = {}
    said_lately = SaidLately()
    for persona in personas:
        npc = persona.id
        stream = await store.do(lambda db, npc=npc: MemoryStream(npc, memories.load(db, npc), *memories.load_vectors(db, npc)))  # type: ignore[misc]
        steps, next_id, doing, known = await store.do(lambda db, npc=npc: _plan_and_state(db, npc, save.now))  # type: ignore[misc]
        mind = Mind(
            persona=persona,
            seed=save.seed,
            stream=stream,
            plan=steps,
            known=Knowledge(Seen(k.address, k.state, k.seen_at) for k in known),
            world=world,
            places=place_vectors,
            names=names,
            engine=engine,
            embedder=embedder,
            prompts=prompts,
            settings=settings,
            next_plan_id=next_id,
            policies=book,
            said_lately=said_lately,
            living={it.plan: it for it in doing.living} if doing else {},
            attention=attention_for(settings, len(personas), doing.purse if doing else None),
            social={kept.other: kept for kept in await store.do(lambda db, npc=npc: social.load(db, npc))},  # type: ignore[misc]
        )
        # A conversation that a crash broke off is over.
        doing = replace(doing, talk="") if doing else Doing(address=persona.home)
        mind.summary, mind.currently, mind.revised = doing.summary, doing.currently, doing.revised
        mind.importance_since = doing.importance_since
        agents[npc] = Agent(mind, doing, _asker(ask_paths, npc))
        agents[npc].next_wake = doing.action.end if doing.action else 0
    for key, event in await store.do(lambda db: inbox.pending(db, save.epoch)):
        if isinstance(event, Perception | Outcome | Whereabouts | GameActionResult) and event.npc in agents:
            agents[event.npc].mailbox.append((key, event))
    return Town(world, agents)


async def policy_book(store: Store, settings: MindSettings, personas: Sequence[Persona]) -> PolicyBook:
    """The save's Lifestyle Policies, with what must not be shared: the people's names and homes."""
    names = policies.name_words(" ".join(f"{persona.name} {persona.first_name}" for persona in personas))
    found = await store.do(policies.load_with_vectors)
    return PolicyBook(found, most=settings.policies_kept, homes={instinct.home(persona) for persona in personas}, names=names)


async def _renew_vectors(store: Store, embedder: Embedder, npcs: Sequence[NpcId]) -> None:
    """Embeds everything again when the save was made with another embedding model: vectors of two models must not be compared."""
    if (await store.do(meta.read)).embedder == embedder.name:
        return
    for npc in npcs:
        found = await store.do(lambda db, npc=npc: memories.load(db, npc))  # type: ignore[misc]
        if found:
            ids, vectors = [memory.id for memory in found], await embed_all(embedder, [memory.text for memory in found])
            await store.do(lambda db, npc=npc, ids=ids, vectors=vectors: memories.replace_vectors(db, npc, ids, vectors))  # type: ignore[misc]
    activities = sorted({policy.activity for policy in await store.do(policies.load)})
    fresh = dict(zip(activities, await embed_all(embedder, activities), strict=True))
    await store.do(lambda db: policies.replace_vectors(db, fresh))
    await store.do(lambda db: meta.write(db, embedder=embedder.name))


def _asker(
    ask: Callable[[PathQuery], Awaitable[tuple[Reach, ...]]], npc: NpcId
) -> Callable[[str, Sequence[Address]], Awaitable[Sequence[Reach]]]:
    return lambda query, addresses: ask(PathQuery(npc, query, tuple(addresses)))


def _plan_and_state(db: Database, npc: NpcId, now: GameTime) -> tuple[list[PlanStep], int, Doing | None, list[places.Known]]:
    """The steps from yesterday on, those agreed on for days to come too, the next id, what it was doing, and the places it knows."""
    steps = plans.load_since(db, npc, clock.day_start(now) - clock.DAY)
    return steps, plans.next_id(db, npc), people.state(db, npc, Doing), places.known(db, npc)
