"""A line and a text as the tokens that npc-answers reads."""

from __future__ import annotations

from pathlib import Path

from npc_server.llm.llama_vocab import Vocabulary

BASE = Path(__file__).parent.parent / "all-minilm-l6-v2.gguf"
LONGEST = (48, 72)
"""Tokens of a line and of a text. What is longer is cut."""


class PairReader:
    """Turns pairs of texts into tokens, with the vocabulary of the embedding model."""

    def __init__(self, base: Path) -> None:
        self._tokenizer = Vocabulary(base, 64 << 20).tokenizer
        (self._first,), (self._last,) = self._tokenizer.ends()
        self._kept: dict[str, list[int]] = {}

    def pair(self, line: str, text: str) -> list[int]:
        return [self._first, *self._read(line)[: LONGEST[0]], self._last, *self._read(text)[: LONGEST[1]], self._last]

    def _read(self, text: str) -> list[int]:
        if text not in self._kept:
            self._kept[text] = list(self._tokenizer.read_words(text))
        return self._kept[text]
