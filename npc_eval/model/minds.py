"""Making a small mind for each case: persona, memories, places, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from npc_eval.baseline.generative_agents import GenerativeAgents
from npc_eval.model.case_files import BED, TABLE, id_of, persona_of
from npc_eval.model.cases import Case, Partner, Remembered
from npc_eval.prompts import PROMPTS
from npc_eval.topics import topic_of
from npc_server import clock
from npc_server.config import MindSettings
from npc_server.instinct.choose import instinct_of
from npc_server.llm.engine import Embedder, Engine
from npc_server.memory.stream import MemoryStream
from npc_server.mind.mind import Mind
from npc_server.mind.parts.people import People
from npc_server.mind.parts.tools import Tools
from npc_server.mind.places import PlaceVectors
from npc_server.prompts.load import Prompts
from npc_server.records import NEVER, GameTime, Memory, MemoryKind, MemorySource
from npc_server.world.knowledge import Knowledge, Seen
from npc_server.world.tree import Node, NodeKind, World, lineage

TOWN = "town"
IMPORTANCE = 4
"""Importance of every memory: equal, so that relevance decides what is retrieved first."""
HOURS_APART = 3
"""Game hours between memories that do not say how old they are."""
CLOSENESS = {
    "stranger": 0,
    "customer": 2,
    "acquaintance": 3,
    "colleague": 5,
    "neighbour": 5,
    "friend": 6,
    "close friend": 9,
    "best friend": 9,
    "old friend": 8,
    "brother": 9,
    "sister": 9,
}
"""Closeness by relation, for cases that give only the relation; 4 for relations that are not listed."""


class Minds:
    """Makes minds that share an embedder and the server's prompts."""

    def __init__(self, settings: MindSettings, embedder: Embedder, seed: int) -> None:
        # Here the model is evaluated, so it is asked even what rules would decide in play.
        self.settings = settings.model_copy(
            update={"rule_importance": False, "calm_reactions": False, "reflection": True, "planning": True, "wandering": False}
        )
        self.embedder, self.seed = embedder, seed
        self.prompts = Prompts([PROMPTS])

    async def make(
        self,
        engine: Engine,
        number: int,
        who: Case | Partner,
        now: GameTime,
        *,
        others: Mapping[str, str] | None = None,
        nodes: Sequence[Node] = (),
        only_there: bool = False,
        places_offered: int = 7,
    ) -> Mind:
        """`others` are names with their relation to the NPC. `nodes` are places; with `only_there` it knows no others."""
        town = nodes[0].address.split(":")[0] if nodes else TOWN
        others = others or {}
        relations = [
            {"who": id_of(name), "is": being, "closeness": CLOSENESS.get(being.casefold(), 4)} for name, being in others.items() if being
        ]
        person = persona_of(who.npc, who.persona, relations, town)
        world = World(_tree([*nodes, *_home(town)]))
        known = [node.address for node in nodes] if only_there else [node.address for node in world]
        mind = Mind(
            persona=person,
            seed=self.seed * 1_000_003 + number,
            settings=self.settings.model_copy(update={"places_offered": min(max(places_offered, 1), 64)}),
            tools=Tools(engine, self.embedder, self.prompts, GenerativeAgents()),
            instinct=instinct_of(self.settings),
            stream=MemoryStream(person.id),
            knowledge=Knowledge(Seen(address, world.node(address).state, NEVER) for address in known),
            world=world,
            places=PlaceVectors(world, self.embedder),
            people=People({person.id: who.npc, **{id_of(name): name for name in others}}),
        )
        await _remember(mind, who.memories, now)
        return mind


async def _remember(mind: Mind, memories: Sequence[Remembered], now: GameTime) -> None:
    """Adds memories. Their ids count from 1, as in the case."""
    if not memories:
        return
    vectors = await mind.tools.embedder.embed([memory.text for memory in memories])
    for i, memory in enumerate(memories):
        hours = memory.hours_ago if memory.hours_ago is not None else (len(memories) - i) * HOURS_APART
        at = max(now - int(hours * clock.HOUR), 0)
        if memory.told_by:
            mind.people.names.setdefault(id_of(memory.told_by), memory.told_by)
        about = next((name for name in sorted(mind.people.names.values()) if memory.text.startswith(name)), "")
        mind.stream.add(
            Memory(
                npc=mind.npc,
                id=mind.stream.next_id(),
                kind=MemoryKind.CONVERSATION if memory.told_by else MemoryKind.OBSERVATION,
                text=memory.text,
                topic=topic_of(memory.text),
                created=at,
                last_access=at,
                importance=IMPORTANCE,
                subject=about or memory.told_by,
                source=MemorySource.TOLD if memory.told_by else MemorySource.SEEN,
                source_person=id_of(memory.told_by) if memory.told_by else "",
            ),
            vectors[i],
        )


def _home(town: str) -> list[Node]:
    return [
        Node(f"{town}:{BED}", NodeKind.OBJECT, "bed"),
        Node(f"{town}:{TABLE}", NodeKind.OBJECT, "table"),
    ]


def _tree(nodes: Sequence[Node]) -> list[Node]:
    """The nodes and all places above them, the root first. A place that a case does not name is named after its id."""
    given = {node.address: node for node in nodes}
    above = {a for node in nodes for a in lineage(node.address)}
    found: list[Node] = []
    for address in sorted(above, key=lambda a: (a.count(":"), a)):
        depth = address.count(":")
        kind = (NodeKind.WORLD, NodeKind.SECTOR, NodeKind.ARENA)[min(depth, 2)]
        found.append(given.get(address) or Node(address, kind, address.rpartition(":")[2].replace("_", " ")))
    return found
