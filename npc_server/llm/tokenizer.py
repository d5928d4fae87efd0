"""Texts to tokens. What a template wrote may hold marks such as `<|im_start|>`; anybody else's words never become one.

llama.cpp reads marks of the type USER_DEFINED in every text, whether it is asked to or not (`<|START_OF_TURN_TOKEN|>` of Command R,
`<|User|>` of DeepSeek). So a mark in somebody's words is cut in two before it is read: the same characters, as ordinary tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import llama_cpp as lib

_MARK = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_USER_DEFINED
_UNKNOWN_CHARACTER = "\ue000"
"""A character of private use, which no vocabulary has."""


class Tokenizer:
    """The vocabulary of a loaded model."""

    def __init__(self, vocab: Any) -> None:
        self.vocab = vocab
        texts = {token: self._text(token) for token in range(lib.llama_vocab_n_tokens(vocab)) if self._is_mark(token)}
        # A run of spaces, or a letter, that a vocabulary names for itself starts no turn.
        kept = {token: text for token, text in texts.items() if len(text) > 1 and text.replace("\u2581", " ").strip()}
        # What stands for an unknown character may come out of any text.
        self.marks = frozenset(kept).difference(self._raw(_UNKNOWN_CHARACTER))
        self._marks_text = _starts_of(kept[token] for token in self.marks)
        self._written = _starts_of(())
        # Some vocabularies put a space before each text: one that goes on is read behind a line break, which is taken off again.
        self._before = self._raw("\n") if self._raw("a") != self._raw("\na")[-1:] else []

    def read_template(self, text: str) -> list[int]:
        """Tokens of what the chat template wrote: marks are read as such."""
        return self._raw(text, special=True)

    def read_words(self, text: str) -> list[int]:
        """Tokens of what a player, an NPC, a mod or a memory says: never a mark."""
        tokens = self._raw(text)
        if self.marks.isdisjoint(tokens) and not self._written.search(text):
            return tokens
        found = {mark.start() + 1 for mark in self._marks_text.finditer(text)}
        # What is written in letters may be several tokens: cut between all of them.
        found.update(at for mark in self._written.finditer(text) for at in range(mark.start() + 1, mark.end(1)))
        cuts = sorted(found)
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        return [token for at, piece in enumerate(pieces) for token in self._read_piece(piece, goes_on=at > 0)]

    def break_also(self, *template: str) -> None:
        """From now on breaks, too, what these texts of the template write in letters: `[INST]`, or a mark that the vocabulary lacks."""
        own = re.compile("|".join(re.escape(self._text(token)) for token in self.marks) or "(?!)")
        parts = [part for text in template for part in own.sub(" ", text).split()]
        self._written = _starts_of(part for part in parts if len(part) > 1 and not part.isalnum())

    def ends(self) -> tuple[list[int], list[int]]:
        """The model's own first and last tokens, which stand around a text."""
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
        # Made by ordinary joining of letters, or by a vocabulary that rewrites what it reads.
        return [token for letter in text for token in self._raw(letter) if token not in self.marks]

    def _raw(self, text: str, *, special: bool = False, ends: bool = False) -> list[int]:
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        buffer = (lib.llama_token * room)()
        count = lib.llama_tokenize(self.vocab, raw, len(raw), buffer, room, ends, special)
        if count < 0:
            buffer = (lib.llama_token * -count)()
            count = lib.llama_tokenize(self.vocab, raw, len(raw), buffer, -count, ends, special)
        return list(buffer[: max(count, 0)])

    def _is_mark(self, token: int) -> bool:
        return bool(lib.llama_vocab_get_attr(self.vocab, token) & _MARK) or bool(lib.llama_vocab_is_eog(self.vocab, token))

    def _text(self, token: int) -> str:
        """A mark as it is written."""
        return (lib.llama_vocab_get_text(self.vocab, token) or b"").decode("utf-8", "replace")


def _starts_of(marks: Iterable[str]) -> re.Pattern[str]:
    """Finds each place where one of these starts, those that overlap too; its group is the longest there."""
    found = sorted({re.escape(mark) for mark in marks}, key=len, reverse=True)
    return re.compile(f"(?=({'|'.join(found)}))" if found else "(?!)")
