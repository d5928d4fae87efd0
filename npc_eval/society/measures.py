"""Measures of a society: who heard of what from whom, who knows whom, who came to the party.

They are read from a finished save, and are those of Generative Agents, section 7.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_server.clock import MINUTE
from npc_server.english.text import TALKED_WITH
from npc_server.memory import actions, memories, meta, people, plans
from npc_server.memory.actions import ActionRecord
from npc_server.memory.database import reading
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import (
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    NpcId,
    OutcomeStatus,
    PlanOrigin,
    PlanStatus,
    PlanStep,
)
from npc_server.sandbox.towns import Cast
from npc_server.world.town import load_town
from npc_server.world.town_records import Story, Town
from npc_server.world.tree import lies_in

STAYED_S = 5 * MINUTE
"""Game seconds that a guest must spend at the party. Who only sets out at its end is no guest."""
BY_MOUTH = (MemorySource.TOLD, MemorySource.HEARD)


@dataclass(frozen=True)
class Life:
    """What a save holds of one person."""

    persona: Persona
    memories: tuple[Memory, ...]
    steps: tuple[PlanStep, ...]
    actions: tuple[ActionRecord, ...]


@dataclass(frozen=True)
class FirstHeard:
    """How a story first reached somebody."""

    who: NpcId
    source: NpcId
    """Who told it; empty when it was seen."""
    when: GameTime
    text: str
    how: MemorySource


@dataclass(frozen=True)
class News:
    """How far a story spread."""

    story: Story
    heard: tuple[NpcId, ...]
    """Everybody but the starter."""
    of: int
    tree: tuple[FirstHeard, ...]


@dataclass(frozen=True)
class Party:
    story: Story
    invited: tuple[NpcId, ...]
    came: tuple[NpcId, ...]
    """Invited people who came."""
    by_chance: tuple[NpcId, ...]
    """People who were there and had not heard of it."""


@dataclass(frozen=True)
class PlanChanges:
    reactions: int
    """Steps that a reaction put before the plan."""
    appointments: int
    """Steps that were agreed on in a conversation."""
    dropped: int
    """Planned steps that were dropped for something else."""

    @property
    def total(self) -> int:
        return self.reactions + self.appointments + self.dropped


@dataclass(frozen=True)
class Society:
    people: tuple[NpcId, ...]
    news: tuple[News, ...]
    density: tuple[float, float]
    """At the start and at the end."""
    parties: tuple[Party, ...]
    conversations: int
    reflections: int
    plan_changes: PlanChanges


def read(save: Path) -> tuple[Town | None, list[Life]]:
    """The town and everybody's life, from a save that is not open."""
    with reading(save) as db:
        towns = meta.documents(db, "town")
        town = load_town(towns[0]) if towns else None
        personas = [load_persona(document, town.id if town else "") for document in meta.documents(db, "persona")]
        found = {persona.id: persona for persona in personas}
        done = actions.load(db)
        lives = [
            Life(
                found[person.npc],
                tuple(memories.load(db, person.npc)),
                tuple(plans.load(db, person.npc)),
                tuple(record for record in done if record.action.npc == person.npc),
            )
            for person in people.load(db)
            if person.npc in found
        ]
    return town, lives


def followed_stories(cast: Cast) -> tuple[Story, ...]:
    """The town's stories whose starter plays."""
    return tuple(story for story in cast.town.stories if any(it.id == story.starter for it in cast.people))


def measure(stories: Sequence[Story], lives: Sequence[Life]) -> Society:
    return Society(
        people=tuple(life.persona.id for life in lives),
        news=tuple(news(story, lives) for story in stories),
        density=(density(lives, talks=False), density(lives, talks=True)),
        parties=tuple(party(story, lives) for story in stories if story.kind == "party"),
        conversations=len(set(conversations(lives))),
        reflections=sum(memory.kind is MemoryKind.REFLECTION for life in lives for memory in life.memories),
        plan_changes=plan_changes(lives),
    )


# ---- news


def mentions(text: str, about: Iterable[str]) -> bool:
    """Whether a text names something by one of its words."""
    return any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in about)


def news(story: Story, lives: Sequence[Life]) -> News:
    """Who holds a memory that names the story, and from whom each had it first."""
    tree = [found for life in lives if life.persona.id != story.starter and (found := first_heard(story, life)) is not None]
    tree.sort(key=lambda it: (it.when, it.who))
    return News(story, tuple(it.who for it in tree), len(lives), tuple(tree))


def first_heard(story: Story, life: Life) -> FirstHeard | None:
    """The earliest memory that names the story. At the same time, what was told goes before what was seen."""
    naming = sorted(memories_about(story.about, life), key=lambda m: (m.created, m.source not in BY_MOUTH, m.id))
    if not naming:
        return None
    first = naming[0]
    return FirstHeard(life.persona.id, first.source_person if first.source in BY_MOUTH else "", first.created, first.text, first.source)


def memories_about(words: Collection[str], life: Life) -> list[Memory]:
    """Memories with one of the words, without those from the persona's file and without plans."""
    left_out = (MemoryKind.PLAN, MemoryKind.SEED)
    return [memory for memory in life.memories if memory.kind not in left_out and mentions(memory.text, words)]


# ---- who knows whom


def density(lives: Sequence[Life], *, talks: bool) -> float:
    """Share of pairs who know each other: by their personas, and with `talks` also by a conversation."""
    knows = {(life.persona.id, relation.who) for life in lives for relation in life.persona.relations if relation.closeness >= 1}
    if talks:
        for pair, _ in conversations(lives):
            a, b = sorted(pair)
            knows |= {(a, b), (b, a)}
    ids = [life.persona.id for life in lives]
    pairs = [(a, b) for i, a in enumerate(ids) for b in ids[i + 1 :]]
    return sum((a, b) in knows and (b, a) in knows for a, b in pairs) / len(pairs) if pairs else 0.0


def conversations(lives: Sequence[Life]) -> Iterator[tuple[frozenset[NpcId], GameTime]]:
    """Pairs and times of conversations, once for each person who remembers one."""
    ids = {life.persona.name: life.persona.id for life in lives}
    for life in lives:
        for memory in life.memories:
            other = ids.get(memory.object, "")
            if memory.kind is MemoryKind.CONVERSATION and memory.predicate == TALKED_WITH and other:
                yield frozenset((life.persona.id, other)), memory.created


# ---- the party


def party(story: Story, lives: Sequence[Life]) -> Party:
    """Who had heard of a party before it began, and who was there."""
    guests = [life for life in lives if life.persona.id != story.starter]
    invited = [life.persona.id for life in guests if (found := first_heard(story, life)) is not None and found.when < story.start]
    there = [life.persona.id for life in guests if any(was_there(story, record) for record in life.actions)]
    return Party(
        story,
        tuple(invited),
        tuple(npc for npc in there if npc in invited),
        tuple(npc for npc in there if npc not in invited),
    )


def was_there(story: Story, record: ActionRecord) -> bool:
    """Whether an action took place at the party for at least `STAYED_S`."""
    action = record.action
    at_place = lies_in(action.address, story.where)
    end = action.end if record.ended is None else record.ended
    stayed = min(end, story.end) - max(action.start, story.start)
    return at_place and stayed >= STAYED_S and record.outcome is not OutcomeStatus.FAILED


# ---- plans


def plan_changes(lives: Sequence[Life]) -> PlanChanges:
    steps = [step for life in lives for step in life.steps]
    return PlanChanges(
        reactions=sum(step.origin is PlanOrigin.REACTION for step in steps),
        appointments=sum(step.origin is PlanOrigin.AGREED for step in steps),
        dropped=sum(step.status is PlanStatus.DROPPED for step in steps),
    )
