"""Basic needs, emotions and moods, named as in Humanoid Agents (arXiv 2310.05418), and what a game is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import GameTime, NpcId


class Need(str, Enum):
    """A basic need. The paper calls `food` fullness, `rest` energy and `company` social."""

    FOOD = "food"
    REST = "rest"
    COMPANY = "company"
    FUN = "fun"
    HEALTH = "health"


@dataclass(frozen=True)
class Needs:
    """How well each need is met, from 0 (empty) to 10 (full)."""

    food: float = 8.0
    rest: float = 8.0
    company: float = 8.0
    fun: float = 8.0
    health: float = 8.0

    def of(self, need: Need) -> float:
        value: float = getattr(self, need.value)
        return value

    def lowest(self) -> tuple[Need, float]:
        """The need that is met least, and how well it is met. Of equals, the first in the order of `Need`."""
        return min(((need, self.of(need)) for need in Need), key=lambda it: it[1])


class Emotion(str, Enum):
    """The seven emotions of Humanoid Agents."""

    NEUTRAL = "neutral"
    HAPPY = "happy"
    SAD = "sad"
    ANGRY = "angry"
    AFRAID = "afraid"
    SURPRISED = "surprised"
    DISGUSTED = "disgusted"


@dataclass(frozen=True)
class Mood:
    """One emotion and its strength at a time. It fades from then on (`mind.mood.faded`)."""

    emotion: Emotion = Emotion.NEUTRAL
    strength: float = 0.0
    """From 0 to 10."""
    at: GameTime = 0
    cause: str = ""
    """Why, as a short sentence: `Robin called the bread stale`. Empty if that is not known."""


@dataclass(frozen=True)
class Feelings:
    """Tells the game how an NPC feels. It is sent when the emotion changes, or a need by a whole point."""

    npc: NpcId
    needs: Needs
    mood: Mood
    at: GameTime
