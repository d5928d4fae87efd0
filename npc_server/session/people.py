"""Loads the minds of a save, and makes the first memories of new people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sqlite_utils import Database

from npc_server import clock
from npc_server.agent import Agent
from npc_server.bank.chooser import LineChooser
from npc_server.config import MindSettings
from npc_server.errors import EngineError, UnknownName
from npc_server.instinct.choose import instinct_of
from npc_server.instinct.importance_head import ratings
from npc_server.llm.engine import Embedder, Engine, Vectors
from npc_server.memory import inbox, lazy_memories, memories, meta, people, places, plans, policies, social
from npc_server.memory.policies import PolicyBook
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream
from npc_server.mind.agent_state import AgentState, doing_of
from npc_server.mind.instinct import Instinct
from npc_server.mind.mind import Mind
from npc_server.mind.overheard import SaidLately
from npc_server.mind.parts.feelings import NeedsAndMood
from npc_server.mind.parts.identity import SelfView
from npc_server.mind.parts.lifestyle import Lifestyle
from npc_server.mind.parts.people import People
from npc_server.mind.parts.plan import OwnPlan
from npc_server.mind.parts.reflecting import Reflecting
from npc_server.mind.parts.relationships import Relationships
from npc_server.mind.parts.talks import TalkState
from npc_server.mind.parts.tools import Tools
from npc_server.mind.places import PlaceVectors
from npc_server.mind.token_budget import budget_for
from npc_server.personas import routine
from npc_server.personas.in_world import check_against_world, missing_addresses
from npc_server.personas.names import names_apart
from npc_server.personas.schema import Persona
from npc_server.personas.together import called_apart
from npc_server.prompts.load import Prompts
from npc_server.records import (
    NEVER,
    Address,
    Document,
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
    Restraint,
    Social,
    Whereabouts,
)
from npc_server.session.baseline import baseline_of
from npc_server.session.persona_files import persona_of
from npc_server.session.vectors import embed_all
from npc_server.world.knowledge import Knowledge, Seen
from npc_server.world.town_records import Town as TownFile
from npc_server.world.tree import Node, World

SEED_IMPORTANCE = 5
"""Least importance of a first memory. Who a person is matters more than what a person sees."""


@dataclass(frozen=True)
class Common:
    """What all minds of a session share."""

    world: World
    places: PlaceVectors
    people: People
    tools: Tools
    settings: MindSettings
    instinct: Instinct
    policies: PolicyBook
    said_lately: SaidLately
    seed: int
    ask_game: Callable[[PathQuery], Awaitable[tuple[Reach, ...]]]


@dataclass(frozen=True)
class LivingTown:
    """The minds of a session, and what they share."""

    agents: dict[NpcId, Agent]
    common: Common

    @property
    def world(self) -> World:
        return self.common.world

    def agent(self, npc: NpcId) -> Agent:
        """Returns the agent of an NPC. Raises UnknownName."""
        if npc not in self.agents:
            raise UnknownName(f"There is no NPC {npc!r} in this save.", f"There are: {', '.join(self.agents)}.", npc=npc)
        return self.agents[npc]

    async def warnings(self) -> list[str]:
        """Lists the places that personas name and the world does not have."""
        people = [agent.mind.persona for agent in self.agents.values()]
        if not any(missing_addresses(persona, self.world) for persona in people):
            return []
        known = frozenset(node.address for node in self.world)
        return await asyncio.to_thread(lambda: [str(problem) for persona in people for problem in check_against_world(persona, known)])


async def seed_memories(persona: Persona, shared: Sequence[str], at: GameTime, embedder: Embedder) -> tuple[list[Memory], Vectors]:
    """Makes the first memories of a person: the phrases of the persona (Generative Agents, section 3) and the `shared` facts."""
    texts = seed_texts(persona, shared)
    vectors = await embedder.embed(texts)
    rated = ratings(embedder.name, texts, vectors)
    return [seed_memory(persona.id, i, text, at, value) for i, (text, value) in enumerate(zip(texts, rated, strict=True), 1)], vectors


def seed_texts(persona: Persona, shared: Sequence[str]) -> list[str]:
    """Returns the texts of the first memories of a person."""
    texts = [persona.as_memory(phrase) for phrase in persona.identity_phrases]
    return [*texts, *([persona.currently] if persona.currently else []), *shared]


def seed_memory(npc: NpcId, number: int, text: str, at: GameTime, rating: int) -> Memory:
    """Makes a first memory. It counts at least `SEED_IMPORTANCE`, since the persona's file names it."""
    return Memory(
        npc=npc,
        id=number,
        kind=MemoryKind.SEED,
        text=text,
        created=at,
        last_access=at,
        importance=max(SEED_IMPORTANCE, rating),
        source=MemorySource.KNOWN,
    )


def shared_knowledge(place: TownFile, persona: Persona) -> list[str]:
    """Returns the facts that everybody in town knows, and those of the factions of the persona."""
    facts = list(place.knowledge)
    for faction in place.factions:
        if persona.id in faction.members or faction.id in persona.factions:
            facts += [f"{persona.name} belongs to {faction.name}", *faction.knowledge]
    return facts


async def open_town(
    store: Store,
    engine: Engine,
    embedder: Embedder,
    prompts: Prompts,
    settings: MindSettings,
    ask_game: Callable[[PathQuery], Awaitable[tuple[Reach, ...]]],
    chooser: LineChooser | None = None,
) -> LivingTown:
    """Loads the agents of a save with memories, plans and knowledge. Events that no thought has handled yet are in their mailboxes."""
    save, documents, nodes = await store.do(lambda db: (meta.read(db), meta.documents(db, "persona"), places.load_nodes(db, Node)))
    world, personas = await asyncio.to_thread(_world_and_personas, nodes, documents)
    renewed = save.embedder != embedder.name
    if renewed:
        await _renew_vectors(store, embedder, [persona.id for persona in personas])
    common = Common(
        world,
        PlaceVectors(world, embedder),
        people_of(personas),
        Tools(engine, embedder, prompts, baseline_of(settings), chooser),
        settings,
        instinct_of(settings),
        await policy_book(store, settings, personas),
        SaidLately(),
        save.seed,
        ask_game,
    )
    agents = {persona.id: await agent_of(store, persona, common, save.now) for persona in personas}
    if not renewed:
        await _give_vectors(store, embedder, [agent.mind.stream for agent in agents.values()])
    for key, event in await store.do(lambda db: inbox.pending(db, save.epoch)):
        if isinstance(event, Perception | Outcome | Whereabouts | GameActionResult | Restraint) and event.npc in agents:
            agents[event.npc].mailbox.append((key, event))
    return LivingTown(agents, common)


async def agent_of(store: Store, persona: Persona, common: Common, now: GameTime) -> Agent:
    """Loads one agent from the save."""
    save = await store.do(lambda db: _saved(db, persona, now))
    kept = save.kept
    return Agent(mind_of(persona, common, save), doing_of(kept), common.ask_game, next_wake=kept.action.end if kept.action else NEVER)


def mind_of(persona: Persona, common: Common, save: SavedPerson) -> Mind:
    """The mind of a person, with what the save holds about them."""
    kept = save.kept
    return Mind(
        persona=persona,
        seed=common.seed,
        settings=common.settings,
        tools=replace(common.tools),
        instinct=common.instinct,
        world=common.world,
        places=common.places,
        people=common.people,
        knowledge=save.known,
        stream=save.stream,
        plan=OwnPlan(save.steps, save.next_plan_id),
        identity=SelfView(kept.summary, kept.currently, kept.revised, kept.grounds),
        feelings=NeedsAndMood(kept.needs, kept.needs_at, kept.mood),
        relationships=Relationships(save.social, talk_wanted={wish.to: wish for wish in kept.talk_wanted}),
        reflecting=Reflecting(kept.importance_since, outdated=kept.outdated),
        lifestyle=Lifestyle(common.policies, {it.plan: it for it in kept.living}, kept.deeds),
        talks=TalkState(said_lately=common.said_lately),
        budget=budget_for(common.settings, len(common.people.names), kept.tokens_left),
    )


def people_of(personas: Sequence[Persona]) -> People:
    """Returns what everybody is called."""
    return People(names_apart(personas), {persona.id: persona.first_name for persona in personas})


async def policy_book(store: Store, settings: MindSettings, personas: Sequence[Persona]) -> PolicyBook:
    """Loads the Lifestyle Policies of the save, and the names and homes that no shared policy may contain."""
    found = await store.do(policies.load_with_vectors)
    homes, names = kept_private(personas)
    return PolicyBook(found, most=settings.policies_kept, homes=homes, names=names)


def kept_private(personas: Sequence[Persona]) -> tuple[tuple[Address, ...], frozenset[str]]:
    """Returns what no shared policy may contain: the homes of the people, and the words of their names."""
    names = policies.name_words(" ".join(f"{persona.name} {persona.first_name}" for persona in personas))
    return tuple(sorted({routine.home(persona) for persona in personas})), names


async def _renew_vectors(store: Store, embedder: Embedder, npcs: Sequence[NpcId]) -> None:
    """Embeds all texts of the save again. Vectors of the embedding model that it was made with cannot be compared with new ones."""
    for npc in npcs:
        found = await store.do(lambda db, npc=npc: memories.load(db, npc))  # type: ignore[misc]
        if found:
            ids, vectors = [memory.id for memory in found], await embed_all(embedder, [memory.text for memory in found])
            await store.do(lambda db, npc=npc, ids=ids, vectors=vectors: memories.replace_vectors(db, npc, ids, vectors))  # type: ignore[misc]
    activities = sorted({policy.activity for policy in await store.do(policies.load)})
    fresh = dict(zip(activities, await embed_all(embedder, activities), strict=True))
    await store.do(lambda db: policies.replace_vectors(db, fresh))
    await store.do(lambda db: meta.write(db, embedder=embedder.name))


async def _give_vectors(store: Store, embedder: Embedder, streams: Sequence[MemoryStream]) -> None:
    """Embeds the memories whose vector is damaged, or that were stored while no embedding model answered."""
    for stream in streams:
        missing = stream.without_vector()
        if not missing:
            continue
        try:
            vectors = await embed_all(embedder, [stream.get(number).text for number in missing])
        except EngineError:
            return  # Until the next opening, retrieval does not find these memories by relevance.
        await store.do(lambda db, stream=stream, ids=missing, vectors=vectors: memories.put_vectors(db, stream.npc, ids, vectors))  # type: ignore[misc]
        stream.give_vectors(missing, vectors)


def _world_and_personas(nodes: Sequence[Node], documents: Sequence[Document]) -> tuple[World, list[Persona]]:
    world = World(nodes)
    return world, list(called_apart([persona_of(document, world.root()) for document in documents]))


@dataclass(frozen=True)
class SavedPerson:
    """What a save holds about one person."""

    stream: MemoryStream
    steps: list[PlanStep]
    """The steps from yesterday on, and those agreed for coming days."""
    next_plan_id: int
    kept: AgentState
    known: Knowledge
    social: dict[str, Social]


def _saved(db: Database, persona: Persona, now: GameTime) -> SavedPerson:
    npc = persona.id
    return SavedPerson(
        stream=MemoryStream(npc, lazy_memories.load(db, npc), *memories.load_vectors(db, npc)),
        steps=plans.load_since(db, npc, clock.day_start(now) - clock.DAY),
        next_plan_id=plans.next_id(db, npc),
        kept=people.state(db, npc, AgentState) or AgentState(address=persona.home),
        known=Knowledge(Seen(it.address, it.state, it.seen_at) for it in places.known(db, npc)),
        social={it.other: it for it in social.load(db, npc)},
    )
