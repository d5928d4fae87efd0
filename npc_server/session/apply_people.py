"""Applies changed persona files to minds. Their first memories are renewed; what they experienced is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from npc_server.agent import Agent
from npc_server.llm.engine import Vectors
from npc_server.memory.places import Known
from npc_server.mind.agent_state import AgentState, state_of
from npc_server.personas.schema import Persona
from npc_server.records import GameTime, Memory, MemoryKind, NpcId
from npc_server.session.people import seed_memory, seed_texts, shared_knowledge
from npc_server.world.knowledge import Seen, known_from_start
from npc_server.world.town_records import Town
from npc_server.world.tree import World


@dataclass(frozen=True)
class PersonChange:
    """What changes for one person."""

    persona: Persona
    is_new: bool
    texts: tuple[str, ...]
    """Texts of the new first memories."""
    forgotten: tuple[int, ...] = ()
    """Ids of first memories to delete, because their text is gone from the file."""
    kept: tuple[str, ...] = ()
    """Texts that are gone from the file, but stay because an insight rests on them."""
    seen: tuple[Known, ...] = ()
    """Places that the person newly knows."""
    state: AgentState | None = None
    """The new state of the person. None if the file does not change it."""

    @property
    def npc(self) -> NpcId:
        return self.persona.id


def newcomer(persona: Persona, town: Town | None, world: World) -> PersonChange:
    return PersonChange(persona, True, tuple(_seeds(persona, town)), seen=_known(persona, world, ()))


def person_change(agent: Agent, persona: Persona, before: Town | None, now: Town | None, world: World) -> PersonChange:
    """Finds out what the file of a person changes. `before` and `now` are the towns of the save and of the files."""
    mind = agent.mind
    old, new = _seeds(mind.persona, before), _seeds(persona, now)
    seeds = {memory.text: memory.id for memory in mind.stream.latest(len(mind.stream), (MemoryKind.SEED,))}
    gone = [text for text in old if text not in new and text in seeds]
    concluded = {number for memory in mind.stream.latest(len(mind.stream)) for number in memory.evidence}
    return PersonChange(
        persona,
        False,
        tuple(text for text in new if text not in old and text not in seeds),
        tuple(seeds[text] for text in gone if seeds[text] not in concluded),
        tuple(text for text in gone if seeds[text] in concluded),
        _known(persona, world, mind.knowledge.addresses()),
        _state(agent, persona),
    )


def memories_of(change: PersonChange, agent: Agent | None, at: GameTime, rated: Mapping[str, int]) -> list[Memory]:
    """Makes the new first memories. `agent` is None for a new person. `rated` has the importance of each text."""
    numbers = [agent.mind.stream.next_id() if agent is not None else i for i in range(1, len(change.texts) + 1)]
    return [seed_memory(change.npc, number, text, at, rated[text]) for number, text in zip(numbers, change.texts, strict=True)]


def apply_person(agent: Agent, change: PersonChange, memories: Sequence[Memory], vectors: Vectors, world: World) -> None:
    """Changes the mind to what the save holds now. The plan and the current action stay."""
    mind = agent.mind
    mind.persona = change.persona
    mind.stream.remove(change.forgotten)
    for memory, vector in zip(memories, vectors, strict=True):
        mind.stream.add(memory, vector)
    mind.knowledge.forget([address for address in mind.knowledge.addresses() if address not in world])
    for known in change.seen:
        mind.knowledge.learn(known.address, known.state, known.seen_at)
    if change.state is not None:
        mind.identity.summary, mind.identity.currently = change.state.summary, change.state.currently


def relations_kept(agent: Agent, persona: Persona) -> list[NpcId]:
    """Lists people whose relation changes in the file although it already changed in play. The relation from play is kept."""
    before = agent.mind.persona
    changed = [relation.who for relation in persona.relations if relation != before.relation(relation.who)]
    return [who for who in changed if who in agent.mind.relationships.social]


def _seeds(persona: Persona, town: Town | None) -> list[str]:
    return list(dict.fromkeys(seed_texts(persona, shared_knowledge(town, persona) if town is not None else ())))


def _known(persona: Persona, world: World, already: Sequence[str]) -> tuple[Known, ...]:
    found: list[Seen] = known_from_start(world, persona.id, persona.home, persona.knows)
    had = set(already)
    return tuple(Known(it.address, it.state, it.at) for it in found if it.address not in had)


def _state(agent: Agent, persona: Persona) -> AgentState | None:
    """Returns the new state. The summary is dropped if the identity changed. A new `currently` keeps what was added in play."""
    mind, before = agent.mind, agent.mind.persona
    same_self = (persona.name, persona.age, persona.traits, persona.identity_phrases) == (
        before.name,
        before.age,
        before.traits,
        before.identity_phrases,
    )
    summary = mind.identity.summary if same_self else ""
    currently = mind.identity.currently
    if persona.currently != before.currently:
        since = currently.removeprefix(before.currently) if before.currently and currently.startswith(before.currently) else ""
        currently = f"{persona.currently}{since}" if since.strip() else ""
    if (summary, currently) == (mind.identity.summary, mind.identity.currently):
        return None
    return replace(state_of(mind, agent.doing), summary=summary, currently=currently)
