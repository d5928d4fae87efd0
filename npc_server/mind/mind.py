"""The state of one NPC's mind, which all stages share: memories, plan, relationships, and knowledge of the world."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from npc_server.bank.chooser import LineChooser
from npc_server.clock import DAY, day_start
from npc_server.config import MindSettings
from npc_server.llm.engine import Embedder, Engine
from npc_server.memory.draft import Draft
from npc_server.memory.places import Known
from npc_server.memory.policies import PolicyBook
from npc_server.memory.stream import MemoryStream
from npc_server.mind import importance_sum, mood
from npc_server.mind.answerer import Answerer
from npc_server.mind.baseline import Baseline
from npc_server.mind.chat import Chat
from npc_server.mind.doing import OwnDeed
from npc_server.mind.instinct import Instinct
from npc_server.mind.overheard import SaidLately
from npc_server.mind.places import PlaceVectors
from npc_server.mind.plan_index import LatestIndex, PlanIndex
from npc_server.mind.token_budget import TokenBudget
from npc_server.personas import routine
from npc_server.personas.names import first_name
from npc_server.personas.schema import Persona
from npc_server.prompts.load import Prompts
from npc_server.records import (
    NEVER,
    Address,
    GameTime,
    Line,
    Living,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    Mood,
    Needs,
    NpcId,
    PlanLevel,
    PlanStatus,
    PlanStep,
    Social,
    Source,
    Talk,
    TalkPart,
    TalkWish,
)
from npc_server.world.knowledge import Knowledge
from npc_server.world.tree import World


@dataclass
class Mind:
    """One NPC's mind. Stages read it and write to `draft`; the session stores the draft in one transaction for each thought."""

    persona: Persona
    seed: int
    stream: MemoryStream
    plan: list[PlanStep]
    """Every step of yesterday, today and later days, ordered by id."""
    known: Knowledge
    world: World
    places: PlaceVectors
    names: dict[NpcId, str]
    """The name of everybody in the save, by NPC id. No two are the same: where people share one, it has the id behind it."""
    engine: Engine
    embedder: Embedder
    prompts: Prompts
    settings: MindSettings
    instinct: Instinct
    baseline: Baseline | None
    short_names: dict[NpcId, str] = field(default_factory=dict)
    """What everybody is called in speech, by NPC id."""
    chooser: LineChooser | None = None
    """Chooses among what memory and the bank would say. None in tests that have no bank."""
    next_plan_id: int = 1
    plan_since: GameTime = 0
    """Midnight before which the plan has no steps any more; 0 if none were removed yet."""
    plan_index: LatestIndex = field(default_factory=LatestIndex)
    """`planned` reads it."""
    budget: TokenBudget = field(default_factory=TokenBudget)
    summary: str = ""
    """Its nature, work and feelings in its own view, renewed each morning and after reflection."""
    currently: str = ""
    """What is on its mind now, renewed together with `summary`."""
    revised: GameTime = NEVER
    """When `summary` and `currently` were last renewed."""
    needs: Needs = field(default_factory=Needs)
    """As they were at `needs_at`. `mind.needs` keeps them."""
    needs_at: GameTime = 0
    """Until when `needs` is up to date; 0 before the first thought."""
    mood: Mood = field(default_factory=Mood)
    feelings_told: tuple[object, ...] = ()
    """The feelings that the game was told last."""
    importance_since: int = 0
    """Sum of the importance (poignancy) of new memories since the last reflection. `mind.importance_sum` adds to it and resets it."""
    plan_again: str = ""
    """Why the rest of the day is to be planned anew in the next thought (`cognition.replan_day`). Empty if it is not. A save does not hold
    it: who loads one keeps the plan, with the appointment in it."""
    unrated: list[str] = field(default_factory=list)
    """Texts heard or told that the model has yet to rate (`cognition.importance`). Until then, the rating by rule counts."""
    talk_wanted: dict[NpcId, TalkWish] = field(default_factory=dict)
    """With whom it wanted to talk, and about what. `cognition.react` keeps the wish until they talk."""
    players: dict[str, frozenset[int]] = field(default_factory=dict)
    """Players who are near and free to talk, each with the plan steps of promises that have come to mind. See `mind.players`."""
    social: dict[str, Social] = field(default_factory=dict)
    """Social Memory by NPC id or player's name. `mind.relationships` reads and writes it."""
    chat: Chat | None = None
    """What the model was shown of the talk that goes on, or of the last one. `lines.chat` grows it. A save does not hold it."""
    reading: asyncio.Task[None] | None = None
    """Reads what a talk begins with while a player comes near (`lines.read_ahead`)."""
    summed_up: dict[str, TalkPart] = field(default_factory=dict)
    """What it has summed up of talks that go on, by the other person. `affordable.social_memory` reads and writes it."""
    policies: PolicyBook = field(default_factory=PolicyBook)
    """Lifestyle Policies of the save, shared by all minds of a session. `affordable.lifestyle_policy` reads and writes them."""
    said_lately: SaidLately = field(default_factory=SaidLately)
    """Recent lines of the session, shared by all its minds."""
    living: dict[int, Living] = field(default_factory=dict)
    """Plans in progress, by the id of their hour or step. `affordable.policy_learning` follows them."""
    deeds: tuple[OwnDeed, ...] = ()
    """What it did in this game hour, oldest first, and last what it is doing now. `cognition.own_deeds` writes it."""
    draft: Draft = field(default_factory=Draft)
    is_called: bool = False
    """Whether a player waits for it while it is in a talk with others."""
    plan_changes: int = 0
    model_answers: int = 0
    policy_answers: int = 0
    """Questions that a policy made unnecessary."""
    instinct_answers: int = 0
    chosen_answers: int = 0
    """Lines to players that a model which reads has chosen."""

    @property
    def npc(self) -> NpcId:
        return self.persona.id

    def aside(self) -> Mind:
        """A copy of the mind for questions that leave no trace. Nobody stores its draft, and its questions have a player's priority."""
        return replace(self, draft=Draft(), budget=TokenBudget(players=1))

    @property
    def answerer(self) -> Answerer:
        """Who answers its questions and says its lines now."""
        return Answerer(self.engine, self.settings, self.baseline, self.is_called, self.budget.priority)

    def seed_for(self, *parts: object) -> int:
        """A 32-bit seed. It depends only on the save's seed, the NPC and `parts`."""
        text = "\x1f".join(str(part) for part in (self.seed, self.npc, *parts))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")

    def name_of(self, who: str) -> str:
        """The name for an NPC id, as in `names`. A player's name is returned unchanged."""
        return self.names.get(who, who)

    def first_name_of(self, who: str) -> str:
        """What people call somebody in speech. Titles stay, as in `Captain Ysme`."""
        return self.short_names.get(who) or first_name(self.name_of(who))

    def is_oneself(self, who: str) -> bool:
        """Whether `who`, an NPC id or a name, is this NPC. Another's id never is, whatever both are named."""
        who = who.strip()
        return who == self.npc if who in self.names else who.casefold() in (self.npc.casefold(), self.persona.name.casefold())

    def others_in(self, talk: Talk) -> list[str]:
        """The other people of a conversation."""
        return [person for person in talk.people if person != self.npc]

    def dialogue(self, lines: Iterable[Line], *, own: str = "") -> list[str]:
        """Lines as prompts show them: `Ada Brook: Good morning.` With `own`, that stands for this NPC's name, such as `You`."""
        return [f"{own if own and line.speaker == self.npc else self.name_of(line.speaker)}: {line.text}" for line in lines]

    def see(self, address: Address, at: GameTime, state: str = "") -> None:
        """Learns that a place or object exists, with the `state` it was seen in; empty: its present one. Raises UnknownName."""
        for seen in self.known.learn(address, state or self.world.node(address).state, at):
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
        return self.plan_index.of(self.plan, self.persona)

    def add_steps(self, steps: Sequence[PlanStep]) -> list[PlanStep]:
        """Adds steps to the plan and returns them with their new ids."""
        fresh: list[PlanStep] = []
        for step in steps:
            fresh.append(replace(step, id=self.next_plan_id))
            self.next_plan_id += 1
        self.plan += fresh
        self.draft.plan_added += fresh
        return fresh

    def update_step(self, step: PlanStep) -> PlanStep:
        """Replaces the step with the same id, and returns the new one."""
        self.plan = [step if s.id == step.id else s for s in self.plan]
        self.draft.update_plan(step)
        return step

    def drop(self, steps: Iterable[PlanStep]) -> None:
        """Drops those steps that are still ahead."""
        for step in steps:
            if step.status is PlanStatus.AHEAD:
                self.update_step(replace(step, status=PlanStatus.DROPPED))

    def forget_old_plans(self, now: GameTime) -> None:
        """Removes the steps of days before yesterday from memory. The save keeps them."""
        yesterday = day_start(now) - DAY
        if yesterday != self.plan_since:
            self.plan, self.plan_since = [step for step in self.plan if step.start >= yesterday], yesterday

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
        self.mood = mood.after_memories(self.mood, made, at, is_told=self.answerer.asks("talk_relation"))
        if kept:
            importance_sum.add(self, made)
        return made

    def set_importance(self, importance: Mapping[int, int]) -> None:
        """Sets the importance of memories by id, and corrects the sum of importance. Raises UnknownName."""
        for number, value in importance.items():
            importance_sum.correct(self, self.stream.get(number), after=value)
            self.stream.set_importance(number, value)
            self.draft.importance_set[number] = value

    def count_answer(self, source: Source) -> None:
        """Counts an answer by where it came from."""
        if source is Source.INSTINCT:
            self.instinct_answers += 1
        elif source is Source.CHOSEN:
            self.chosen_answers += 1
        elif source is Source.POLICY:
            self.policy_answers += 1
        else:
            self.model_answers += 1
