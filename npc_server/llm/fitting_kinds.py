"""Which kinds of question this machine has the time for: in the order of `data/questions.toml`, as long as they fit in a game hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from npc_server.clock import HOUR
from npc_server.data_files import read_toml
from npc_server.llm.engine import Priority
from npc_server.llm.speed import Speed, takes_s

FILE = "questions.toml"
_UP_TO = {"player": Priority.PLAYER, "near": Priority.NEAR, "anybody": Priority.IDLE}


@dataclass(frozen=True)
class Cost:
    """What is asked of a kind in a game hour."""

    per_hour: float
    """Questions for each of those who ask."""
    read: int
    """Tokens of a prompt that are not in the KV cache."""
    written: int


@dataclass(frozen=True)
class QuestionKind:
    """A kind of question."""

    name: str
    up_to: Priority
    """The least urgent questions that belong to it."""
    questions: frozenset[str]
    """Names of prompts."""
    costs: tuple[Cost, ...]


@dataclass(frozen=True)
class QuestionKinds:
    """The file `data/questions.toml`. `kinds` are in the order in which they are asked."""

    share: float
    near_people: int
    kinds: tuple[QuestionKind, ...]

    def askers(self, kind: QuestionKind, people: int) -> int:
        """Return how many ask questions of a kind in a save of `people`."""
        return {Priority.PLAYER: 1, Priority.NEAR: min(people, self.near_people)}.get(kind.up_to, people)


@cache
def all_kinds() -> QuestionKinds:
    """Return the kinds of the file."""
    found = read_toml(FILE)
    kinds = tuple(_kind(**it) for it in found["kind"])
    return QuestionKinds(float(found["share"]), int(found["near_people"]), kinds)


def _kind(name: str, up_to: str, questions: Sequence[str], costs: Sequence[dict[str, float]]) -> QuestionKind:
    counted = (Cost(float(it["per_hour"]), int(it["read"]), int(it["written"])) for it in costs)
    return QuestionKind(name, _UP_TO[up_to], frozenset(questions), tuple(counted))


@lru_cache(maxsize=512)
def kind_left(kinds_left: frozenset[str], question: str, priority: Priority) -> str:
    """Return the kind of a question that is not asked with this priority; empty where it is, or no kind has it.

    `kinds_left` are the names of the kinds that are not asked, among other names. What a player waits for always is.
    """
    if priority == Priority.PLAYER:
        return ""
    kinds = [kind for kind in all_kinds().kinds if question in kind.questions and priority <= kind.up_to]
    return kinds[0].name if kinds and all(kind.name in kinds_left for kind in kinds) else ""


def takes_in_an_hour_s(kind: QuestionKind, speed: Speed, people: int, by: QuestionKinds) -> float:
    """Return for how many wall seconds a model answers the questions that a game hour has of a kind."""
    each = sum(it.per_hour * takes_s(speed, read_tokens=it.read, written_tokens=it.written) for it in kind.costs)
    return by.askers(kind, people) * each


@lru_cache(maxsize=64)
def fitting(speed: Speed | None, people: int, game_speed: float) -> tuple[QuestionKind, ...]:
    """Return the kinds that are asked in a save of `people` whose game plays `game_speed` game seconds per second.

    The first always is: what is late there costs nothing, since memory and the bank have a line. Where the speed is not known, all are.
    """
    by = all_kinds()
    if speed is None or not people:
        return by.kinds
    left_s = by.share * HOUR / game_speed
    asked = list[QuestionKind]()
    for kind in by.kinds:
        left_s -= takes_in_an_hour_s(kind, speed, people, by)
        if left_s < 0 and asked:
            break
        asked.append(kind)
    return tuple(asked)
