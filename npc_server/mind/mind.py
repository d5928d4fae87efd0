"""What the stages work on: one NPC's memory, plan and knowledge, and the parts it thinks with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from npc_server.clock import DAY, day_start
from npc_server.config import MindSettings
from npc_server.llm.engine import Embedder, Engine
from npc_server.memory.draft import Draft
from npc_server.memory.places import Known
from npc_server.memory.policies import PolicyBook
from npc_server.memory.stream import MemoryStream
from npc_server.mind.baseline import Baseline
from npc_server.mind.instinct import Instinct
from npc_server.mind.overheard import SaidLately
from npc_server.mind.places import PlaceVectors
from npc_server.mind.token_budget import TokenBudget
from npc_server.personas import routine
from npc_server.personas.names import first_name
from npc_server.personas.schema import Persona
from npc_server.prompts.load import Prompts
from npc_server.records import (
    Address,
    GameTime,
    Line,
    Living,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    NpcId,
    PlanLevel,
    PlanStatus,
    PlanStep,
    Social,
    Source,
    Talk,
)
from npc_server.world.knowledge import Knowledge
from npc_server.world.tree import World


@dataclass
class Mind:
    """One NPC's mind. Stages read it and write to `draft`; the agent commits the draft, one transaction a thought."""

    persona: Persona
    seed: int
    stream: MemoryStream
    plan: list[PlanStep]
    """Every step of today and yesterday, in order of id."""
    known: Knowledge
    world: World
    places: PlaceVectors
    names: dict[NpcId, str]
    """Display names of everybody in the save: what people call each other."""
    engine: Engine
    embedder: Embedder
    prompts: Prompts
    settings: MindSettings
    instinct: Instinct
    baseline: Baseline
    next_plan_id: int = 1
    budget: TokenBudget = field(default_factory=TokenBudget)
    summary: str = ""
    """Its nature, work and feelings as it sees them itself, renewed each morning and after reflecting."""
    currently: str = ""
    """What is on its mind, renewed with it."""
    revised: GameTime = 0
    """When these were last thought about."""
    importance_since: int = 0
    """Sum of the importance of what came in since the last reflection."""
    unrated: list[str] = field(default_factory=list)
    """What was overheard and is still to be rated by the model; until then it counts as rules say (`cognition.importance`)."""
    talk_wanted: dict[NpcId, tuple[int, str]] = field(default_factory=dict)
    """With whom it wanted to talk, in which stretch of time, and about what: if it did not come to it, that holds (`cognition.react`)."""
    social: dict[str, Social] = field(default_factory=dict)
    """Social Memory by the other, an NPC id or a player's name; `mind.relationships` reads and writes it."""
    policies: PolicyBook = field(default_factory=PolicyBook)
    """The Lifestyle Policies of the save, shared by all minds of a session; `affordable.lifestyle_policy` reads and writes it."""
    said_lately: SaidLately = field(default_factory=SaidLately)
    """What was said lately in the session, shared by its minds."""
    living: dict[int, Living] = field(default_factory=dict)
    """The plans that are being lived through, by the id of the hour or step; `affordable.policy_learning` follows them."""
    draft: Draft = field(default_factory=Draft)
    plan_changes: int = 0
    model_answers: int = 0
    policy_answers: int = 0
    """Questions that a policy answered, so that nothing was asked."""
    instinct_answers: int = 0

    @property
    def npc(self) -> NpcId:
        return self.persona.id

    def aside(self) -> Mind:
        """The same mind with a draft of its own that nobody writes: for questions that leave no trace, and that somebody waits for."""
        return replace(self, draft=Draft(), budget=TokenBudget(players=1))

    def leaves_to_instinct(self, question: str) -> bool:
        """Whether the model is never asked this: by the settings, or by its own file's word where they say nothing."""
        left = self.engine.status().weak_at if self.settings.by_instinct is None else self.settings.by_instinct
        return question in left

    def asks(self, question: str) -> bool:
        """Whether there is a model that would be asked this now."""
        return self.engine.status().ready and not self.leaves_to_instinct(question)

    def asks_singly(self) -> Baseline | None:
        """The baseline, where its many small questions are asked in place of fuller ones."""
        return None if self.settings.uses("fuller_calls") else self.baseline

    def as_reference(self) -> Baseline | None:
        """The baseline, where this mind does all as the reference does."""
        return self.asks_singly() if self.settings.profile == "generative-agents" else None

    def is_small(self) -> bool:
        """Whether the model is one that is shown suggested answers. `mind.by_instinct = []` asks it everything."""
        return self.engine.status().drafts and self.settings.by_instinct != ()

    def seed_for(self, *parts: object) -> int:
        """A seed that is the same in every run with the same save seed, and different for every question."""
        text = "\x1f".join(str(part) for part in (self.seed, self.npc, *parts))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")

    def name_of(self, who: str) -> str:
        """How `who` (an NPC id, or a player's name) is called."""
        return self.names.get(who, who)

    def first_name_of(self, who: str) -> str:
        """How `who` is called in speech."""
        return first_name(self.name_of(who))

    def is_oneself(self, who: str) -> bool:
        """Whether `who` (an NPC id, or a name) is this very NPC."""
        return who.strip().casefold() in (self.npc.casefold(), self.persona.name.casefold())

    def others_in(self, talk: Talk) -> list[str]:
        """Who else takes part in a conversation."""
        return [person for person in talk.people if person != self.npc]

    def dialogue(self, lines: Iterable[Line]) -> list[str]:
        """What was said, as prompts show it: `Ada Brook: Good morning.`"""
        return [f"{self.name_of(line.speaker)}: {line.text}" for line in lines]

    def see(self, address: Address, at: GameTime) -> None:
        """Takes in that a place or thing is there, with the state it is in."""
        for seen in self.known.learn(address, self.world.node(address).state, at):
            self.draft.seen[seen.address] = Known(seen.address, seen.state, seen.at)

    # ---- plans

    def day_of(self, at: GameTime) -> GameTime:
        """Midnight before the waking day that `at` belongs to: the hours before getting up are yesterday's."""
        return routine.waking_day(self.persona, at)

    def steps_of(self, level: PlanLevel, now: GameTime) -> list[PlanStep]:
        """Steps of a level on the waking day of `now`, in order of start, without those given up."""
        today = self.day_of(now)
        found = [s for s in self.plan if s.level is level and self.day_of(s.start) == today and s.status is not PlanStatus.DROPPED]
        return sorted(found, key=lambda s: (s.start, s.id))

    def add_steps(self, steps: Sequence[PlanStep]) -> list[PlanStep]:
        """Numbers the steps and puts them into the plan. Their ids are ignored."""
        fresh: list[PlanStep] = []
        for step in steps:
            fresh.append(replace(step, id=self.next_plan_id))
            self.next_plan_id += 1
        self.plan += fresh
        self.draft.plan_added += fresh
        return fresh

    def update_step(self, step: PlanStep) -> PlanStep:
        """Replaces the step of the same id."""
        self.plan = [step if s.id == step.id else s for s in self.plan]
        self.draft.update_plan(step)
        return step

    def drop(self, steps: Iterable[PlanStep]) -> None:
        """Gives up those of the steps that are still ahead."""
        for step in steps:
            if step.status is PlanStatus.AHEAD:
                self.update_step(replace(step, status=PlanStatus.DROPPED))

    def forget_old_plans(self, now: GameTime) -> None:
        """Keeps today's and yesterday's steps in reach; the save keeps them all."""
        self.plan = [s for s in self.plan if s.start >= day_start(now) - DAY]

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
        """Makes memories, with their embeddings, and returns them. Empty when the persona opts out of memory making.

        `triples` and `topics` are for each text, where there are any. Where `mind.observation` is off, observations are returned with
        id 0, to be reacted to, and not kept.
        """
        if not texts or (self.persona.opt_out_of_memory and kind is not MemoryKind.SEED):
            return []
        kept = kind is not MemoryKind.OBSERVATION or self.settings.observation
        vectors = await self.embedder.embed(list(texts)) if kept else None
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
        if kept and kind in (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION, MemoryKind.INTENTION):
            self.importance_since += sum(importance)
        return made

    def reweigh(self, importance: Mapping[int, int]) -> None:
        """Sets how much memories matter, by their ids."""
        for number, value in importance.items():
            self.importance_since = max(0, self.importance_since + value - self.stream.get(number).importance)
            self.stream.weigh(number, value)
            self.draft.weighed[number] = value

    def count_answer(self, source: Source) -> None:
        if source is Source.INSTINCT:
            self.instinct_answers += 1
        elif source is Source.POLICY:
            self.policy_answers += 1
        else:
            self.model_answers += 1
