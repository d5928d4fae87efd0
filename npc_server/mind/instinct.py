"""What a mind does without a model: the one door to it. Each method answers a question that a stage asks, by the name of its prompt.

`instinct.rules` is what players meet where no model thinks. `instinct.minimal` knows the routine and "I don't know" alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from npc_server import clock
from npc_server.llm.reply import Kind, Text
from npc_server.mind.offers import Call
from npc_server.mind.replies import CriticVerdict, DayRow, Deed, FocalQuestion, Identity, Insight, StepRow, Summary, Willing
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Memory, MemoryTopic, NpcId, PlanStep, Social, Source, Talk
from npc_server.world.tree import Node, ObjectAction

if TYPE_CHECKING:
    from npc_server.mind.mind import Mind

MOOD_S = 10 * clock.MINUTE
"""Game seconds a mood lasts."""
MUNDANE = 1
"""The importance of what belongs to every day."""
MENDING_MIN = 5
"""Game minutes that putting something right takes."""
Told = frozenset[tuple[str, int]]
"""Pairs of a person and the id of a memory that the person was told."""


@dataclass(frozen=True)
class Weight:
    """How much a memory matters, 1 (mundane) to 10 (life changing)."""

    importance: int
    """Without a model."""
    until_asked: int
    """While a model is still to be asked."""
    is_sure: bool = False
    """Whether everybody would rate it so, and no model need be asked."""


@dataclass(frozen=True)
class Conclusion:
    """A sentence that one concludes."""

    text: str
    evidence: tuple[int, ...]
    """Ids of the memories it rests on."""
    topic: MemoryTopic = MemoryTopic.OTHER


@dataclass(frozen=True)
class Errand:
    """A step that a reaction puts into the plan."""

    minutes: int
    activity: str
    address: Address = ""


@dataclass(frozen=True)
class Reaction:
    """What one does about something that was noticed."""

    kind: str
    source: Source
    to: NpcId = ""
    """TALK: with whom."""
    about: str = ""
    errands: tuple[Errand, ...] = ()
    """WAIT, CHANGE: what is done from now on, before the plan goes on."""
    later: tuple[PlanStep, ...] = ()
    """What has to wait, and is put into the plan for then."""
    is_reasoned: bool = field(default=True, compare=False)
    """Whether there is a reason for it. Else it is a mood."""


@dataclass(frozen=True)
class Said:
    """A line of a conversation."""

    text: str
    leaves: bool = False
    claims: tuple[str, ...] | None = ()
    """What it tells as news; None where that is not known."""
    told: tuple[int, ...] = ()
    """Ids of the memories that were passed on."""
    call: Call | None = None
    """An action of the game's that was chosen."""


def _as_it_is(text: Text) -> Kind:
    return text


def _nothing_wrong(_reply: str, _shown: Iterable[str]) -> str:
    return ""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Suggestion:
    """The suggested answer, worked out when it is first asked for, and how far a small model that is shown it may stray from it."""

    said: Callable[[], Said]
    is_remembered: bool = False
    """Whether it is said from memory."""
    is_all: Callable[[], bool] = _never
    """Whether it is said as it is, and a small model is not asked."""
    form: Callable[[Text], Kind] = _as_it_is
    """The form of the model's reply."""
    wrong: Callable[[str, Iterable[str]], str] = _nothing_wrong
    """What is wrong with a reply, given what its prompt showed besides who it is; or nothing."""


@dataclass(frozen=True)
class Invitation:
    """When and where something is to happen."""

    start: GameTime
    end: GameTime
    address: Address
    """Empty when no place was named that is known."""
    occasion: str = ""
    """In a few words: `the party`."""


class Instinct(Protocol):
    """One method for each question, from a mind to the type of that question's reply."""

    # ---- what the model is asked, too

    def importance(self, mind: Mind, text: str, topic: MemoryTopic) -> Weight: ...

    def react(self, mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction:
        """To a memory of something just noticed; `who` can be talked to."""
        ...

    def plan_day(
        self, mind: Mind, day: GameTime, rows: tuple[int, int], strokes: tuple[int, int], crossing: Sequence[Memory]
    ) -> tuple[DayRow, ...]:
        """So many rows in so many parts, at least and at most. `crossing` are memories that cross the mind."""
        ...

    def plan_steps(
        self, mind: Mind, stretch: Stretch, offered: Sequence[Node], start: GameTime, end: GameTime, count: tuple[int, int], failed: str
    ) -> tuple[StepRow, ...]:
        """The steps of an hour, without what `failed`."""
        ...

    def act(self, mind: Mind, step: PlanStep, offered: Sequence[Node]) -> Deed:
        """Places as prompts name them."""
        ...

    def listen(self, mind: Mind, who: str, now: GameTime, *, hurried: bool) -> Willing: ...

    async def say(self, mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Suggestion: ...

    def farewell(self, mind: Mind, talk: Talk) -> Said: ...

    async def interview(self, mind: Mind, question: str, asker: str, now: GameTime) -> Suggestion: ...

    def talk_summary(self, mind: Mind, talk: Talk) -> Summary: ...

    def talk_claims(self, talk: Talk, speaker: str) -> list[str]: ...

    def talk_relation(self, mind: Mind, former: Social, told: Sequence[str], now: GameTime) -> Social: ...

    def identity(self, mind: Mind, today: Sequence[str], now: GameTime) -> Identity:
        """`today` lists the appointments."""
        ...

    def reflect_questions(self, mind: Mind, latest: Sequence[Memory]) -> tuple[FocalQuestion, ...]: ...

    def reflect_insights(self, mind: Mind, shown: Sequence[Memory], now: GameTime) -> tuple[Insight, ...]:
        """Their numbers count what is shown, from 1."""
        ...

    def critic(self, *, is_done: bool) -> CriticVerdict: ...

    # ---- what only instinct is asked

    def is_idle(self, mind: Mind, text: str, topic: MemoryTopic) -> bool:
        """Whether not even the reference rates it: a plan, or a thing in a state that nobody remarks on."""
        ...

    def conclusions(self, mind: Mind, latest: Sequence[Memory]) -> list[Conclusion]:
        """What is concluded where no model reflects."""
        ...

    def lets_pass(self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, now: GameTime) -> bool:
        """Whether nobody would react, so that the model need not be asked."""
        ...

    def news(self, mind: Mind, others: Sequence[str], now: GameTime, told: Told) -> Memory | None:
        """What is worth passing on."""
        ...

    def tells(self, line: str, memory: Memory) -> bool:
        """Whether a line passes a memory on."""
        ...

    def invitation(self, text: str, now: GameTime, places: Iterable[Node]) -> Invitation | None: ...

    def left_out(self, mind: Mind, talk: Talk, speaker: str, claims: Sequence[str], now: GameTime) -> list[str]:
        """Invitations in a talk that none of the claims tells."""
        ...

    def use(self, node: Node, activity: str, state: str) -> ObjectAction | None:
        """What is done with an object for an activity."""
        ...

    def sentence(self, first_name: str, activity: str) -> str: ...

    def emoji(self, activity: str) -> str: ...
