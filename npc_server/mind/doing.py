"""What an agent is doing: its action, the plan step, its talk, its deeds, and what it told whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from npc_server.records import Action, Address, GameTime, NpcId, Restraint, Social, Source, Talk

TALKED_KEPT = 50
TOLD_KEPT = 300
EXCHANGES_KEPT = 20
CALLED_KEPT = 50
"""How many entries `talked`, `told`, `exchanges` and `called` keep. The oldest are dropped."""


@dataclass(frozen=True)
class Exchange:
    """What was stored because of one line that was said to the NPC and its answer. It is needed to undo them."""

    speaker: str
    memories: tuple[int, ...]
    steps: tuple[int, ...] = ()
    told: tuple[int, ...] = ()
    """Ids of older memories that this answer told the speaker for the first time."""
    summaries: tuple[Social, ...] = ()
    """Social Memory as it was before it included these memories."""


def with_summaries(exchange: Exchange, taken_in: Sequence[tuple[Social, tuple[int, ...]]]) -> Exchange:
    """The exchange with the Social Memory as it was before it included memories of the exchange."""
    for former, grounds in taken_in:
        if set(grounds) & set(exchange.memories) and all(kept.other != former.other for kept in exchange.summaries):
            exchange = replace(exchange, summaries=(*exchange.summaries, former))
    return exchange


@dataclass(frozen=True)
class Opened:
    """A talk that the NPC has begun with a player who has not answered yet."""

    talk: Talk
    about: str
    """Why it came; empty for a mere greeting."""
    source: Source
    """What decided the words of its line."""

    @property
    def player(self) -> str:
        return self.talk.people[-1]


@dataclass(frozen=True)
class OwnDeed:
    """One thing that the NPC does, did, or set out to do."""

    text: str
    """What, in the words of its plan: `kneading the dough`."""
    address: Address
    start: GameTime
    """When it got there. Before that, when it set out."""
    end: GameTime = 0
    """When it was over. 0 while it goes on."""
    arrived: bool = False
    """Whether it got to the place."""
    failure: str = ""
    """Why it could not be done, in words. Empty if it could."""
    talked_with: tuple[NpcId, ...] = ()
    """The other people, if it was a talk."""
    meets: tuple[str, ...] = ()
    """With whom it was to be done: those of the appointment."""


@dataclass(frozen=True)
class Doing:
    """What the next thought needs to know, besides the mind."""

    address: Address = ""
    action: Action | None = None
    step: int = 0
    """Id of the plan step behind the action; 0 for none."""
    actions: int = 0
    """How many actions it has begun. The ids of actions are counted by it."""
    attempt: int = 0
    avoid: tuple[Address, ...] = ()
    """Addresses that failed for this step."""
    talk: str = ""
    """Id of the talk the NPC is in; empty for none."""
    talked: tuple[tuple[str, GameTime], ...] = ()
    """With whom it talked and when, newest last."""
    told: tuple[tuple[str, int], ...] = ()
    """Pairs of a person and a memory that the person was told, newest last."""
    exchanges: tuple[Exchange, ...] = ()
    """Lines that players said to it, newest last."""
    called: tuple[tuple[str, ...], ...] = ()
    """The game's actions that it chose in dialogue, newest last: id, name, for whom, and the values as words. The game answers by id.

    Those of older saves have an id and a name."""
    opened: Opened | None = None
    restraints: tuple[Restraint, ...] = ()
    """What a scripted scene keeps it from; one of each kind at most. Those whose time is over count no longer."""
