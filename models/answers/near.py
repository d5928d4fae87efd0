"""Finds texts that share words: tempting wrong answers are drawn from these."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

from npc_server.english.text import words_in

COMMON = 0.1
"""Words in a larger share of texts than this find nothing."""


class Near:
    """Texts by their words. Rare words count more (inverse document frequency)."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(texts)
        self._words = [frozenset(words_in(text)) for text in texts]
        self._with: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self._words):
            for word in words:
                self._with[word].append(place)

    def nearest(self, place: int, count: int) -> list[int]:
        """The places of other texts, nearest first. The same text elsewhere is left out."""
        shared: Counter[int] = Counter()
        for word in self._words[place]:
            having = self._with[word]
            if len(having) < COMMON * len(self.texts):
                weight = log(len(self.texts) / len(having))
                for it in having:
                    shared[it] += weight  # type: ignore[assignment]
        same = self._words[place]
        return [it for it, _ in shared.most_common(count + 8) if self._words[it] != same][:count]
