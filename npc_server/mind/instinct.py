"""The interface to instinct: what a mind does without a model. Methods are named as the prompts whose question they answer.

`instinct.rules` is what players meet without a model. `instinct.minimal` only knows the routine and "I don't know".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from npc_server import clock
from npc_server.mind.offers import Call
from npc_server.mind.replies import CriticVerdict, DayRow, Deed, FocalQuestion, Identity, Insight, StepRow, Summary, Willing
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Line, Memory, MemoryTopic, NpcId, OfferTurn, PlanStep, Social, Source, Talk, Why
from npc_server.world.tree import Node, ObjectAction

if TYPE_CHECKING:
    from npc_server.mind.mind import Mind

MOOD_S = 10 * clock.MINUTE
"""Game seconds that a mood lasts."""
MUNDANE = 1
"""Importance of everyday events."""
WORTH_ASKING = 5
"""Importance from which the model is asked about something in any case."""
MENDING_MIN = 5
"""Game minutes that it takes to put something right."""
INTERVIEWER = "\n"
"""Stands for who asks from outside the world, and is told secrets. No player can have this name: it would be two lines."""
Told = frozenset[tuple[str, int]]
"""Pairs of a person and the id of a memory that the person was told."""


@dataclass(frozen=True)
class Weight:
    """The importance of a memory, 1 (mundane) to 10 (life changing)."""

    importance: int
    is_sure: bool = False
    """Whether every model would agree, so that none need be asked."""


@dataclass(frozen=True)
class Errand:
    """A step that a reaction puts into the plan."""

    minutes: int
    activity: str
    address: Address = ""


@dataclass(frozen=True)
class Reaction:
    """What an NPC does about something it noticed."""

    kind: str
    source: Source
    to: NpcId = ""
    """TALK: whom to talk with."""
    about: str = ""
    errands: tuple[Errand, ...] = ()
    """WAIT, CHANGE: what is done from now on, before the plan goes on."""
    later: tuple[PlanStep, ...] = ()
    """Steps for later, such as a repair that has to wait."""
    is_reasoned: bool = field(default=True, compare=False)
    """Whether there is a reason for it. Otherwise it is a mood."""


@dataclass(frozen=True)
class Invitation:
    """When and where something is to happen."""

    start: GameTime
    end: GameTime
    address: Address
    """Empty if no known place was named."""
    occasion: str = ""
    """What it is, in a few words: `the party`."""


@dataclass(frozen=True)
class PossibleAnswer:
    """A sentence that may answer a line."""

    said: str
    """In the NPC's own words."""
    is_sure: bool
    """Whether it may be told as the answer."""
    read: str = ""
    """The asker's own words, as npc-answers and npc-rerank read them. Empty for all other sentences, which are read as they are said."""
    is_own_fact: bool = False
    """Whether it stands in the persona's file."""
    reranked: float | None = None
    """The log odds of npc-rerank that it answers; None where that has not read it."""


@dataclass(frozen=True)
class Said:
    """A line of a conversation, and what it does."""

    text: str
    leaves: bool = False
    claims: tuple[str, ...] | None = ()
    """The news it tells; None where that is unknown."""
    told: tuple[int, ...] = ()
    """Ids of the memories that it passes on."""
    call: Call | None = None
    """The game's action that was chosen with it."""
    agreed: Invitation | None = None
    """What it agrees to: to come, meet or help then and there."""
    is_remembered: bool = False
    """Whether it answers a question from memory, and is not just something to say."""
    recalled: tuple[PossibleAnswer, ...] = ()
    """What the speaker recalled that may answer, the likeliest first."""
    of_occasion: bool = False
    """Whether its news is that the speaker was at an occasion, or host at one."""
    has_topic: bool = False
    """Whether it says what the speaker came to talk about."""
    source: Source = Source.INSTINCT
    """Who answered."""
    why: Why = Why.TALK
    offer: OfferTurn | None = None
    """The offer that it is about; None for any other line."""
    closes: bool = False
    """Whether the talk ends with it, though its speaker takes no leave and stays where they are."""

    @property
    def also(self) -> tuple[PossibleAnswer, ...]:
        """What else the speaker could tell: what is sure comes first, and is told."""
        return self.recalled[1:] if self.recalled and self.recalled[0].is_sure else self.recalled


def line_of(said: Said, speaker: NpcId, at: GameTime) -> Line:
    """The line of a talk as which it is said."""
    return Line(speaker, said.text, at, said.claims, said.leaves, said.of_occasion, said.has_topic, said.why, said.offer)


class Instinct(Protocol):
    """One method for each question. Each takes a mind and returns the question's reply type."""

    # ---- what the model is asked, too

    async def importance(self, mind: Mind, texts: Sequence[str], topics: Sequence[MemoryTopic]) -> list[Weight]:
        """The importance of each memory. `topics` has one for each text."""
        ...

    def react(self, mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction:
        """The reaction to something just noticed; `who` can be talked to, empty for nobody."""
        ...

    def plan_day(
        self, mind: Mind, day: GameTime, rows: tuple[int, int], strokes: tuple[int, int], crossing: Sequence[Memory]
    ) -> tuple[DayRow, ...]:
        """Rows for a day. `rows` and `strokes` are the fewest and most rows and parts; `crossing` are memories from mind wandering."""
        ...

    def plan_steps(
        self, mind: Mind, stretch: Stretch, offered: Sequence[Node], start: GameTime, end: GameTime, count: tuple[int, int], failed: str
    ) -> tuple[StepRow, ...]:
        """The steps of an hour, without what `failed`."""
        ...

    def act(self, mind: Mind, step: PlanStep, offered: Sequence[Node]) -> Deed:
        """A deed with its place named as in prompts."""
        ...

    def listen(self, mind: Mind, who: str, now: GameTime, *, hurried: bool) -> Willing: ...

    async def say(self, mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Said: ...

    def dont_know(self, mind: Mind, talk: Talk) -> str:
        """That the answer to the last line is not known. It may be empty where that line asks nothing."""
        ...

    def line_facts(
        self, mind: Mind, place: Address, heard: str, asker: str, now: GameTime, said: Collection[str] = ()
    ) -> Mapping[str, str]:
        """What a reply of the bank to `heard` may say of the speaker, by slot (`bank/exchanges.py`). `said` are the lines of the talk."""
        ...

    def with_stand_ins(self, mind: Mind, heard: str) -> str:
        """What was said, with the bank's stand-ins in place of the person and the place that it names."""
        ...

    async def interview(self, mind: Mind, question: str, asker: str, now: GameTime) -> Callable[[], str]:
        """A function that finds the answer. It is called only when needed, since it searches the whole memory."""
        ...

    def talk_summary(self, mind: Mind, talk: Talk) -> Summary: ...

    async def talk_claims(self, mind: Mind, talk: Talk, speaker: str) -> list[str]: ...

    def talk_relation(self, mind: Mind, former: Social, told: Sequence[str], now: GameTime) -> Social: ...

    def identity(self, mind: Mind, today: Sequence[str], now: GameTime) -> Identity:
        """`today` lists the appointments."""
        ...

    def reflect_questions(self, mind: Mind, latest: Sequence[Memory]) -> tuple[FocalQuestion, ...]:
        """Only a stand-in for a model uses these. Without a model nobody reflects."""
        ...

    def reflect_insights(self, mind: Mind, shown: Sequence[Memory], now: GameTime) -> tuple[Insight, ...]:
        """Insights cite memories by their number in `shown`, from 1."""
        ...

    def critic(self, *, is_done: bool) -> CriticVerdict: ...

    # ---- what only instinct is asked

    def is_idle(self, mind: Mind, text: str, topic: MemoryTopic) -> bool:
        """Whether even the reference gives it the lowest rating unasked: a plan, or an object in its usual state."""
        ...

    def lets_pass(self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, now: GameTime) -> bool:
        """Whether nobody would react, so that the model need not be asked."""
        ...

    def news(self, mind: Mind, others: Sequence[str], now: GameTime, told: Told) -> Memory | None:
        """The memory most worth telling the others, if any."""
        ...

    def tells(self, line: str, memory: Memory) -> bool:
        """Whether a line passes on a memory."""
        ...

    def invitation(self, text: str, now: GameTime, places: Iterable[Node]) -> Invitation | None: ...

    def left_out(self, mind: Mind, talk: Talk, speaker: str, claims: Sequence[str], now: GameTime) -> list[str]:
        """Invitations in a talk that `claims` do not contain."""
        ...

    def use(self, mind: Mind, node: Node, activity: str) -> ObjectAction | None:
        """The object's action that an activity means, if any. See `surroundings.meant_action`."""
        ...

    def sentence(self, first_name: str, activity: str) -> str: ...

    def emoji(self, activity: str) -> str: ...
