"""Makes the cards to rank: the different answers to a question in random order, so that judges do not know their conditions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Interviews


@dataclass(frozen=True)
class AnswerCard:
    """One answer, and the conditions that gave it. Equal answers share a card and their places."""

    text: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class CardSet:
    """A question with its cards in the order in which they are shown."""

    npc: str
    category: str
    question: str
    cards: tuple[AnswerCard, ...]


def card_sets(interviews: Interviews, seed: int, people: Sequence[str] = (), each: int = 0) -> list[CardSet]:
    """Makes cards of the questions that have at least two different answers, for everybody or the ids `people`.

    `each`: most questions of a category for a person, drawn by the seed; 0 for all. The paper's evaluators saw one.
    """
    found = [made for npc, category, question in interviews.asked() if (made := _made(interviews, npc, category, question, seed))]
    found = [it for it in found if not people or it.npc in people]
    if not each:
        return found
    by_category: dict[tuple[str, str], list[CardSet]] = {}
    for it in found:
        by_category.setdefault((it.npc, it.category), []).append(it)
    drawn = {id(it) for key, group in by_category.items() for it in _drawn(group, each, f"{seed} {key}")}
    return [it for it in found if id(it) in drawn]


def _drawn(group: list[CardSet], each: int, seed: str) -> list[CardSet]:
    return random.Random(seed).sample(group, min(each, len(group)))


def _made(interviews: Interviews, npc: str, category: str, question: str, seed: int) -> CardSet | None:
    texts: dict[str, list[Condition]] = {}
    for it in interviews.answers_to(npc, question):
        texts.setdefault(it.answer, []).append(it.condition)
    cards = [AnswerCard(text, tuple(conditions)) for text, conditions in texts.items()]
    random.Random(f"{seed} {npc} {question}").shuffle(cards)
    return CardSet(npc, category, question, tuple(cards)) if len(cards) > 1 else None


def ranks_of(order: Sequence[AnswerCard]) -> dict[Condition, float]:
    """Returns the place of each condition; 1 is the most believable. Conditions on one card share the mean of their places."""
    found: dict[Condition, float] = {}
    before = 0
    for card in order:
        size = len(card.conditions)
        found.update(dict.fromkeys(card.conditions, before + (size + 1) / 2))
        before += size
    return found


def mean_ranks(rankings: Sequence[dict[Condition, float]]) -> dict[Condition, float]:
    """Merges several rankings by their mean places. Equal conditions share the mean of their places."""
    means = {condition: sum(ranks[condition] for ranks in rankings) / len(rankings) for condition in rankings[0]}
    values = sorted(means.values())
    return {condition: values.index(mean) + (values.count(mean) + 1) / 2 for condition, mean in means.items()}


def kendall_tau(one: Sequence[AnswerCard], other: Sequence[AnswerCard]) -> float:
    """Returns how far two orders of the same cards agree, from -1 (reversed) to 1 (equal)."""
    agreements = list(_agreements(one, other))
    return sum(agreements) / len(agreements)


def _agreements(one: Sequence[AnswerCard], other: Sequence[AnswerCard]) -> Iterator[int]:
    place = {card: number for number, card in enumerate(other)}
    for first, second in combinations(one, 2):
        yield 1 if place[first] < place[second] else -1
