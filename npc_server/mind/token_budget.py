"""The budget of tokens: who gets the model first, and what those far from any player may spend of it in a game hour.

Each NPC has an equal share of `mind.tokens_per_game_hour`, and its own spending alone decides about it: what others do changes nothing,
so a run in lockstep can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from npc_server.clock import HOUR
from npc_server.config import MindSettings
from npc_server.llm.engine import Priority
from npc_server.records import GameTime


@dataclass(frozen=True)
class TokensLeft:
    """The tokens that one NPC may still spend, as they stand in the save."""

    hour: int
    """The game hour it was last filled in, counted from 1970."""
    tokens: int
    """Below zero when the last question took more than was left: the next hours pay for it."""


@dataclass
class TokenBudget:
    """One NPC's. The agent and the session set who is near and who talks; `mind.ask` spends."""

    share: int = 0
    """Tokens for each game hour; 0 for no limit."""
    kept_hours: int = 0
    """Unspent hours that are kept beside the one that runs."""
    near: bool = False
    """Whether its body is near a player."""
    talking: bool = False
    """Whether it is in a conversation with other NPCs."""
    players: int = 0
    """Players who wait for its words."""
    left: TokensLeft | None = None
    """None as long as there was no limit."""

    @property
    def priority(self) -> Priority:
        if self.players:
            return Priority.PLAYER
        return Priority.NEAR if self.near or self.talking else Priority.USUAL

    @property
    def far(self) -> bool:
        """Nobody looks on: what it asks is held to its share."""
        return not (self.near or self.players)

    def may_ask(self, now: GameTime) -> bool:
        return not self.share or not self.far or self._filled(now).tokens > 0

    def share_among(self, settings: MindSettings, people: int) -> None:
        """There are so many people now. What is left stays."""
        self.share = _share(settings, people)

    def spend(self, tokens: int, now: GameTime) -> None:
        """Who is near a player spends its share too, but leaves no debt: it must not be dull for hours because somebody talked to it."""
        if not self.share:
            return
        before = self._filled(now)
        tokens = before.tokens - tokens
        self.left = TokensLeft(before.hour, tokens if self.far else max(tokens, min(before.tokens, 0)))

    @contextmanager
    def of_player(self) -> Iterator[None]:
        """While inside, a player waits for this NPC."""
        self.players += 1
        try:
            yield
        finally:
            self.players -= 1

    def _filled(self, now: GameTime) -> TokensLeft:
        """What is left with what the hours since brought. It is full at first, so that a first morning can be planned like the others."""
        hour, most = now // HOUR, self.share * (1 + self.kept_hours)
        if self.left is None:
            return TokensLeft(hour, most)
        hours = max(0, hour - self.left.hour)
        return TokensLeft(max(hour, self.left.hour), min(self.left.tokens + hours * self.share, most))


def budget_for(settings: MindSettings, people: int, left: TokensLeft | None = None) -> TokenBudget:
    """Of one of so many people; at least a token each, so that a small budget is not taken for none."""
    share = _share(settings, people)
    return TokenBudget(share, settings.tokens_kept_hours, left=left if share else None)


def _share(settings: MindSettings, people: int) -> int:
    tokens = settings.tokens_per_game_hour
    return max(1, tokens // max(people, 1)) if tokens else 0
