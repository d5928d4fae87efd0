"""Who answers a mind's questions, and who says its lines: a language model, memory and the bank, or instinct. Decided here alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from npc_server.config import MindSettings
from npc_server.llm.engine import Engine, Priority
from npc_server.llm.fitting_kinds import kind_left
from npc_server.memory.ledger import BUDGET_SPENT, BY_INSTINCT
from npc_server.mind.baseline import Baseline
from npc_server.mind.token_budget import TokenBudget
from npc_server.records import GameTime


class Speaker(Enum):
    """Who says the lines of a talk."""

    IN_CHAT = "in chat"
    """A language model, to which a talk is a chat. Memory and the bank stand beside it."""
    BY_QUESTION = "by question"
    """Who is asked one question for each line: a person by hand, a recording, a script, the stand-in, and the baseline's model."""
    FROM_MEMORY = "from memory"
    """Nobody is asked. Memory and the bank answer players, and people among themselves talk by instinct."""


@dataclass(frozen=True)
class Answerer:
    """Decides by the settings, the engine's status, and who waits."""

    engine: Engine
    settings: MindSettings
    baseline: Baseline | None
    """None where the settings want fuller calls."""
    budget: TokenBudget
    """Who waits for the mind, and what it may spend."""
    is_for_player: bool = False
    """Whether that is asked of a player who may wait in a moment."""

    def for_player(self) -> Answerer:
        """Return who answers where a player waits."""
        return replace(self, is_for_player=True)

    def leaves_to_instinct(self, question: str) -> bool:
        """Return whether the model is not asked this question: `mind.by_instinct` or the model's file says so, or a player waits.

        That is also so where the model is not asked this kind of question, or only for those near a player or in a talk with one.
        """
        if self.budget.is_called:
            return True
        status, settings = self.engine.status(), self.settings
        left = status.weak_at if settings.by_instinct is None else frozenset(settings.by_instinct)
        return question in left or bool(kind_left(left.union(status.kinds_left), question, self._priority))

    @property
    def _priority(self) -> Priority:
        return Priority.PLAYER if self.is_for_player else self.budget.priority

    def why_not_asked(self, question: str, now: GameTime) -> str:
        """Return the ledger's reason why the model is not asked a question now; empty if it is."""
        if not self.engine.status().ready:
            return "MODEL_MISSING"
        if self.leaves_to_instinct(question):
            return BY_INSTINCT
        return "" if self.budget.may_ask(now) else BUDGET_SPENT

    def asks(self, question: str) -> bool:
        """Return whether a model would be asked this question now."""
        return self.engine.status().ready and not self.leaves_to_instinct(question)

    @property
    def singly(self) -> Baseline | None:
        """The baseline if the settings turn fuller calls off, else None. Stages then ask many small questions through it."""
        return None if self.settings.uses("fuller_calls") else self.baseline

    @property
    def reference(self) -> Baseline | None:
        """The baseline if the profile is `generative-agents`, else None."""
        return self.singly if self.settings.profile == "generative-agents" else None

    @property
    def stands_in(self) -> bool:
        """Whether replies come from the baseline's model or the stand-in, and instinct decides what follows from a line."""
        return self.engine.status().stands_in or self.reference is not None

    @property
    def speaker(self) -> Speaker:
        """Who says the lines of a talk now."""
        if self.stands_in:
            return Speaker.BY_QUESTION
        if not self.asks("say"):
            return Speaker.FROM_MEMORY
        return Speaker.IN_CHAT if self.engine.status().chats else Speaker.BY_QUESTION

    @property
    def speaks_for_itself(self) -> bool:
        """Whether a model says what this mind says, and so decides what it agrees to."""
        return self.asks("say") and not self.stands_in
