"""The state of one NPC's mind, which all stages share: memories, plan, relationships, and knowledge of the world."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from npc_server.config import MindSettings
from npc_server.memory.draft import Draft
from npc_server.memory.places import Known
from npc_server.memory.stream import MemoryStream
from npc_server.mind import importance_sum, mood
from npc_server.mind.answerer import Answerer
from npc_server.mind.instinct import Instinct
from npc_server.mind.parts.copying import copied
from npc_server.mind.parts.feelings import NeedsAndMood
from npc_server.mind.parts.identity import SelfView
from npc_server.mind.parts.lifestyle import Lifestyle
from npc_server.mind.parts.people import People
from npc_server.mind.parts.plan import OwnPlan
from npc_server.mind.parts.reflecting import Reflecting
from npc_server.mind.parts.relationships import Relationships
from npc_server.mind.parts.talks import TalkState
from npc_server.mind.parts.tally import Tally
from npc_server.mind.parts.tools import Tools
from npc_server.mind.places import PlaceVectors
from npc_server.mind.plan_index import PlanIndex
from npc_server.mind.token_budget import TokenBudget
from npc_server.personas import routine
from npc_server.personas.schema import Persona
from npc_server.records import (
    Address,
    GameTime,
    Line,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    NpcId,
    PlanLevel,
    PlanStatus,
    PlanStep,
    Talk,
)
from npc_server.world.knowledge import Knowledge
from npc_server.world.tree import World

LIVED = ("plan", "identity", "feelings", "relationships", "reflecting", "lifestyle", "talks", "tally")
"""The parts that a thought changes, and that a copy of a mind has of its own."""


@dataclass
class Mind:
    """One NPC's mind. Stages read it and write to `draft`; the session stores the draft in one transaction for each thought.

    What is in a part stands in its file in `mind.parts`.
    """

    persona: Persona
    seed: int
    settings: MindSettings
    tools: Tools
    instinct: Instinct
    world: World
    places: PlaceVectors
    people: People
    knowledge: Knowledge
    """Which places it knows, and in which state it saw them."""
    stream: MemoryStream
    plan: OwnPlan = field(default_factory=OwnPlan)
    identity: SelfView = field(default_factory=SelfView)
    feelings: NeedsAndMood = field(default_factory=NeedsAndMood)
    relationships: Relationships = field(default_factory=Relationships)
    reflecting: Reflecting = field(default_factory=Reflecting)
    lifestyle: Lifestyle = field(default_factory=Lifestyle)
    talks: TalkState = field(default_factory=TalkState)
    budget: TokenBudget = field(default_factory=TokenBudget)
    tally: Tally = field(default_factory=Tally)
    draft: Draft = field(default_factory=Draft)

    @property
    def npc(self) -> NpcId:
        return self.persona.id

    def aside(self) -> Mind:
        """A copy of the mind for questions that leave no trace. Nobody stores its draft, and its questions have a player's priority."""
        own = {name: copied(getattr(self, name)) for name in LIVED}
        return replace(self, draft=Draft(), budget=TokenBudget(players=1, is_called=self.budget.is_called), **own)

    @property
    def answerer(self) -> Answerer:
        """Who answers its questions and says its lines now."""
        return Answerer(self.tools.engine, self.settings, self.tools.baseline, self.budget)

    def seed_for(self, *parts: object) -> int:
        """A 32-bit seed. It depends only on the save's seed, the NPC and `parts`."""
        text = "\x1f".join(str(part) for part in (self.seed, self.npc, *parts))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")

    def is_oneself(self, who: str) -> bool:
        """Whether `who`, an NPC id or a name, is this NPC. Another's id never is, whatever both are named."""
        who = who.strip()
        return who == self.npc if who in self.people.names else who.casefold() in (self.npc.casefold(), self.persona.name.casefold())

    def others_in(self, talk: Talk) -> list[str]:
        """The other people of a conversation."""
        return [person for person in talk.people if person != self.npc]

    def dialogue(self, lines: Iterable[Line], *, own: str = "") -> list[str]:
        """Lines as prompts show them: `Ada Brook: Good morning.` With `own`, that stands for this NPC's name, such as `You`."""
        return [f"{own if own and line.speaker == self.npc else self.people.name_of(line.speaker)}: {line.text}" for line in lines]

    def see(self, address: Address, at: GameTime, state: str = "") -> None:
        """Learns that a place or object exists, with the `state` it was seen in; empty: its present one. Raises UnknownName."""
        for seen in self.knowledge.learn(address, state or self.world.node(address).state, at):
            self.draft.seen[seen.address] = Known(seen.address, seen.state, seen.at)

    # ---- plans

    def day_of(self, at: GameTime) -> GameTime:
        """Midnight before the waking day of `at`. The hours before getting up belong to yesterday."""
        return routine.waking_day(self.persona, at)

    def steps_of(self, level: PlanLevel, now: GameTime) -> list[PlanStep]:
        """The steps of one level on the waking day of `now`, ordered by start, without dropped ones."""
        return list(self.planned().of_day.get((level, self.day_of(now)), ()))

    def planned(self) -> PlanIndex:
        """The plan, ordered for what is asked of it."""
        return self.plan.ordered(self.persona)

    def add_steps(self, steps: Sequence[PlanStep]) -> list[PlanStep]:
        """Adds steps to the plan and returns them with their new ids."""
        fresh = self.plan.add(steps)
        self.draft.plan_added += fresh
        return fresh

    def update_step(self, step: PlanStep) -> PlanStep:
        """Replaces the step with the same id, and returns the new one."""
        self.plan.put(step)
        self.draft.update_plan(step)
        return step

    def drop(self, steps: Iterable[PlanStep]) -> None:
        """Drops those steps that are still ahead."""
        for step in steps:
            if step.status is PlanStatus.AHEAD:
                self.update_step(replace(step, status=PlanStatus.DROPPED))

    # ---- memories

    async def remember(
        self,
        texts: Sequence[str],
        *,
        kind: MemoryKind,
        at: GameTime,
        importance: Sequence[int],
        source: MemorySource,
        triples: Sequence[tuple[str, str, str]] | None = None,
        address: Address = "",
        source_person: str = "",
        evidence: tuple[int, ...] = (),
        topics: Sequence[MemoryTopic] = (),
    ) -> list[Memory]:
        """Makes memories with their embeddings and returns them. A persona that opts out of memory makes none.

        `importance`, and `triples` and `topics` if given, have one entry for each text. With the setting `mind.observation` off,
        observations are returned with id 0 and not kept. What is kept also counts in `importance_since` (`mind.importance_sum`).
        """
        if not texts or (self.persona.opt_out_of_memory and kind is not MemoryKind.SEED):
            return []
        kept = kind is not MemoryKind.OBSERVATION or self.settings.observation
        vectors = await self.tools.embedder.embed(list(texts)) if kept else None
        common = Memory(self.npc, 0, kind, "", at, at, 1, source=source, source_person=source_person, address=address, evidence=evidence)
        made: list[Memory] = []
        for i, text in enumerate(texts):
            subject, predicate, obj = triples[i] if triples else ("", "", "")
            memory = replace(
                common,
                id=self.stream.next_id() if kept else 0,
                text=text,
                importance=importance[i],
                subject=subject,
                predicate=predicate,
                object=obj,
                topic=topics[i] if topics else MemoryTopic.OTHER,
            )
            if vectors is not None:
                self.stream.add(memory, vectors[i])
                self.draft.add_memory(memory, vectors[i])
            made.append(memory)
        self.feelings.mood = mood.after_memories(self.feelings.mood, made, at, is_told=self.answerer.asks("talk_relation"))
        if kept:
            importance_sum.add(self, made)
        return made

    def set_importance(self, importance: Mapping[int, int]) -> None:
        """Sets the importance of memories by id, and corrects the sum of importance. Raises UnknownName."""
        for number, value in importance.items():
            importance_sum.correct(self, self.stream.get(number), after=value)
            self.stream.set_importance(number, value)
            self.draft.importance_set[number] = value
