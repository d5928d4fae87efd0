"""Turns texts into tokens. The text of a chat template may hold marks such as `<|im_start|>`, but nobody's words ever become one.

llama.cpp reads marks of the type USER_DEFINED in every text, even when it is told not to (`<|START_OF_TURN_TOKEN|>` of Command R,
`<|User|>` of DeepSeek). So a mark in somebody's words is cut in two before it is tokenized. It keeps its characters as ordinary tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

_UNKNOWN_CHARACTERS = "\ue000 🛎️"
"""Characters that a vocabulary may lack: one of private use, which WordPiece leaves out, and an emoji, which it reads as unknown."""


class ModelVocabulary(Protocol):
    """The tokens of a loaded model, as llama.cpp knows them."""

    def marks(self) -> dict[int, str]:
        """The tokens of the types CONTROL and USER_DEFINED and those that end a reply, as they are written."""
        ...

    def read(self, text: str, *, special: bool, ends: bool) -> list[int]:
        """The tokens of a text. With `special` marks are read as marks; with `ends` it has those that the model puts around a text."""
        ...


class Tokenizer:
    """Reads texts with a vocabulary."""

    def __init__(self, vocab: ModelVocabulary) -> None:
        self.vocab = vocab
        texts = vocab.marks()
        # Some vocabularies list runs of spaces or single letters as marks. Those do not start a turn.
        kept = {token: text for token, text in texts.items() if len(text) > 1 and text.replace("\u2581", " ").strip()}
        # The token for unknown characters may come from any text.
        self.marks = frozenset(kept).difference(self._raw(_UNKNOWN_CHARACTERS))
        self._mark_texts = [kept[token] for token in self.marks]
        self._marks_text = _starts_of(self._mark_texts)
        self._written = _starts_of(())
        # Some vocabularies put a space before each text. There a later piece is read after a line break, whose tokens are then removed.
        self._before = self._raw("\n") if self._raw("a") != self._raw("\na")[-1:] else []

    def read_template(self, text: str) -> list[int]:
        """Returns the tokens of a text from the chat template, in which marks are read as marks."""
        return self._raw(text, special=True)

    def read_words(self, text: str) -> list[int]:
        """Returns the tokens of what a player, an NPC, a mod or a memory says. None of them is a mark."""
        tokens = self._raw(text)
        if self.marks.isdisjoint(tokens) and not self._written.search(text):
            return tokens
        found = {mark.start() + 1 for mark in self._marks_text.finditer(text)}
        # A mark that the template writes in letters may be several tokens, so it is cut between all letters.
        found.update(at for mark in self._written.finditer(text) for at in range(mark.start() + 1, mark.end(1)))
        cuts = sorted(found)
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        return [token for at, piece in enumerate(pieces) for token in self._read_piece(piece, goes_on=at > 0)]

    def break_also(self, *template: str) -> None:
        """From now on also cuts marks that these texts of the template write in letters: `[INST]`, or one that the vocabulary lacks."""
        own = re.compile("|".join(re.escape(text) for text in self._mark_texts) or "(?!)")
        parts = [part for text in template for part in own.sub(" ", text).split()]
        self._written = _starts_of(part for part in parts if len(part) > 1 and not part.isalnum())

    def ends(self) -> tuple[list[int], list[int]]:
        """Returns the tokens that the model puts before and after a text."""
        inner, whole = self._raw("a"), self._raw("a", ends=True)
        first = next(at for at in range(len(whole)) if whole[at : at + len(inner)] == inner)
        return whole[:first], whole[first + len(inner) :]

    def _read_piece(self, text: str, *, goes_on: bool) -> list[int]:
        before = self._before if goes_on else []
        tokens = self._raw("\n" + text) if before else self._raw(text)
        if before and tokens[: len(before)] == before:
            tokens = tokens[len(before) :]
        elif before:
            tokens = self._raw(text)
        if self.marks.isdisjoint(tokens):
            return tokens
        # Ordinary merges made this mark, or a vocabulary that rewrites what it reads.
        return [token for letter in text for token in self._raw(letter) if token not in self.marks]

    def _raw(self, text: str, *, special: bool = False, ends: bool = False) -> list[int]:
        return self.vocab.read(text, special=special, ends=ends)


def _starts_of(marks: Iterable[str]) -> re.Pattern[str]:
    """Returns a pattern that finds each place where one of the marks starts, even inside another. Its group is the longest mark there."""
    found = sorted({re.escape(mark) for mark in marks}, key=len, reverse=True)
    return re.compile(f"(?=({'|'.join(found)}))" if found else "(?!)")
