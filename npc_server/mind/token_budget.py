"""The token budget: which NPC gets the model first, and what those far from players may spend in a game hour.

Each NPC has an equal share of `mind.tokens_per_game_hour`. Only its own spending counts, so runs in lockstep are repeatable.
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
    """The tokens that one NPC may still spend, as the save holds them."""

    hour: int
    """The game hour in which it was last filled, counted from 1970."""
    tokens: int
    """Negative when the last question cost more than was left. The next hours pay for it."""


@dataclass
class TokenBudget:
    """One NPC's budget. The agent and the session set `near` and `talking`; `mind.ask` spends."""

    share: int = 0
    """Tokens for each game hour; 0 for no limit."""
    kept_hours: int = 0
    """How many unspent hours are kept, besides the current one."""
    near: bool = False
    """Whether its body is near a player."""
    talking: bool = False
    """Whether it talks with other NPCs."""
    is_called: bool = False
    """Whether a player waits for it while it does. Until that talk is over, instinct answers all questions."""
    players: int = 0
    """How many players wait for its words."""
    left: TokensLeft | None = None
    """None where there was no limit so far."""

    @property
    def priority(self) -> Priority:
        if self.players:
            return Priority.PLAYER
        return Priority.NEAR if self.near or self.talking else Priority.USUAL

    @property
    def far(self) -> bool:
        """Whether no player is near or waits. Only then the budget limits it."""
        return not (self.near or self.players)

    def may_ask(self, now: GameTime) -> bool:
        return not self.share or not self.far or self._filled(now).tokens > 0

    def share_among(self, settings: MindSettings, people: int) -> None:
        """Shares the tokens among `people` NPCs. What is left stays."""
        self.share = _share(settings, people)

    def spend(self, tokens: int, now: GameTime) -> None:
        """Spends tokens. Near a player they count too, but leave no debt: being talked to must not make an NPC dull for hours."""
        if not self.share:
            return
        before = self._filled(now)
        tokens = before.tokens - tokens
        self.left = TokensLeft(before.hour, tokens if self.far else max(tokens, min(before.tokens, 0)))

    @contextmanager
    def of_player(self) -> Iterator[None]:
        """A context in which a player waits for this NPC."""
        self.players += 1
        try:
            yield
        finally:
            self.players -= 1

    def _filled(self, now: GameTime) -> TokensLeft:
        """What is left, with the shares of the hours since. It starts full, so that the first morning can be planned."""
        hour, most = now // HOUR, self.share * (1 + self.kept_hours)
        if self.left is None:
            return TokensLeft(hour, most)
        hours = max(0, hour - self.left.hour)
        return TokensLeft(max(hour, self.left.hour), min(self.left.tokens + hours * self.share, most))


def budget_for(settings: MindSettings, people: int, left: TokensLeft | None = None) -> TokenBudget:
    """The budget of one among `people` NPCs. A share is at least one token, because 0 means no limit."""
    share = _share(settings, people)
    return TokenBudget(share, settings.tokens_kept_hours, left=left if share else None)


def _share(settings: MindSettings, people: int) -> int:
    tokens = settings.tokens_per_game_hour
    return max(1, tokens // max(people, 1)) if tokens else 0
