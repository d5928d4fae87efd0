"""The instinct of the settings' default: rules over the persona's routine, its memories and English. The door of this room."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from npc_server.english.stems import stems_of
from npc_server.instinct import (
    act,
    identity,
    importance,
    invitations,
    line_facts,
    news,
    plan,
    react,
    reflect,
    small_talk,
    speak,
    talk_over,
)
from npc_server.mind import relationships
from npc_server.mind.instinct import Invitation, Reaction, Said, Told, Weight
from npc_server.mind.mind import Mind
from npc_server.mind.replies import NO, YES, CriticVerdict, DayRow, Deed, FocalQuestion, Identity, Insight, StepRow, Summary, Willing
from npc_server.mind.surroundings import meant_action
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Memory, MemoryTopic, NpcId, PlanStep, Social, Talk
from npc_server.world.tree import Node, ObjectAction

DECLINES_ONE_IN = 3
"""An NPC declines to talk to one of so many strangers."""


class Rules:
    """Implements `mind.instinct.Instinct`. Each method calls the file that answers its question."""

    async def importance(self, mind: Mind, texts: Sequence[str], topics: Sequence[MemoryTopic]) -> list[Weight]:
        return await importance.weigh(mind, texts, topics)

    def react(self, mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction:
        return react.react(mind, memory, who, doing, here, now)

    def lets_pass(self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, now: GameTime) -> bool:
        return react.lets_pass(mind, memory, who, plain, now)

    def plan_day(
        self, mind: Mind, day: GameTime, rows: tuple[int, int], strokes: tuple[int, int], crossing: Sequence[Memory]
    ) -> tuple[DayRow, ...]:
        return plan.plan_day(mind, day, rows, strokes, crossing)

    def plan_steps(
        self, mind: Mind, stretch: Stretch, offered: Sequence[Node], start: GameTime, end: GameTime, count: tuple[int, int], failed: str
    ) -> tuple[StepRow, ...]:
        return plan.plan_steps(mind, stretch, offered, start, end, count, failed)

    def act(self, mind: Mind, step: PlanStep, offered: Sequence[Node]) -> Deed:
        return act.act(mind, step, offered)

    def listen(self, mind: Mind, who: str, now: GameTime, *, hurried: bool) -> Willing:
        """Declines in a hurry, and now and then with a stranger."""
        is_stranger = relationships.closeness(mind, who) == 0
        declines = hurried or (is_stranger and mind.seed_for("listen", who, now) % DECLINES_ONE_IN == 0)
        return Willing(NO if declines else YES)

    async def say(self, mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Said:
        return await speak.line(mind, talk, now, told, about, last_words=last_words)

    def dont_know(self, mind: Mind, talk: Talk) -> str:
        return small_talk.dont_know(mind, talk)

    def line_facts(
        self, mind: Mind, place: Address, heard: str, asker: str, now: GameTime, said: Collection[str] = ()
    ) -> Mapping[str, str]:
        return line_facts.facts(mind, place, heard, asker, now, said)

    def with_stand_ins(self, mind: Mind, heard: str) -> str:
        return line_facts.with_stand_ins(mind, heard)

    async def interview(self, mind: Mind, question: str, asker: str, now: GameTime) -> Callable[[], str]:
        return await speak.answer(mind, question, asker, now)

    def talk_summary(self, mind: Mind, talk: Talk) -> Summary:
        return talk_over.talk_summary(mind, talk)

    async def talk_claims(self, mind: Mind, talk: Talk, speaker: str) -> list[str]:
        return await talk_over.talk_claims(mind, talk, speaker)

    def talk_relation(self, mind: Mind, former: Social, told: Sequence[str], now: GameTime) -> Social:
        return talk_over.talk_relation(mind, former, told, now)

    def identity(self, mind: Mind, today: Sequence[str], now: GameTime) -> Identity:
        return identity.identity(mind, today, now)

    def reflect_questions(self, mind: Mind, latest: Sequence[Memory]) -> tuple[FocalQuestion, ...]:
        return reflect.reflect_questions(mind, latest)

    def reflect_insights(self, mind: Mind, shown: Sequence[Memory], now: GameTime) -> tuple[Insight, ...]:
        return reflect.reflect_insights(mind, shown, now)

    def is_idle(self, mind: Mind, text: str, topic: MemoryTopic) -> bool:
        return importance.is_idle(text, topic)

    def critic(self, *, is_done: bool) -> CriticVerdict:
        return CriticVerdict(YES, "everything is done") if is_done else CriticVerdict(NO, "something is still to be done")

    def news(self, mind: Mind, others: Sequence[str], now: GameTime, told: Told) -> Memory | None:
        return news.news(mind, others, now, told)

    def tells(self, line: str, memory: Memory) -> bool:
        wanted = stems_of(memory.text)
        return len(wanted & stems_of(line)) * 2 >= len(wanted)

    def invitation(self, text: str, now: GameTime, places: Iterable[Node]) -> Invitation | None:
        return invitations.find(text, now, places)

    def left_out(self, mind: Mind, talk: Talk, speaker: str, claims: Sequence[str], now: GameTime) -> list[str]:
        return invitations.left_out(mind, talk, speaker, claims, now)

    def use(self, mind: Mind, node: Node, activity: str) -> ObjectAction | None:
        return meant_action(mind, node, activity)

    def sentence(self, first_name: str, activity: str) -> str:
        return act.sentence(first_name, activity)

    def emoji(self, activity: str) -> str:
        return act.emoji(activity)
