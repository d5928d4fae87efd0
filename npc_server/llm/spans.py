"""Spans: a reply made of stretches of a given text, so that a small model can shorten it and cannot garble it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npc_server.llm.reply import Kind, Text, literal

MOST_SPANS = 2
"""Stretches of one reply."""
_CLOSING = ".,;:!?…\"'’”"
_LEFT_OUT = frozenset("and or but nor am is are was were has have had will would did does do".split())  # noqa: SIM905
_NO_BEGINNING = frozenset("not than as that who which whose".split())  # noqa: SIM905
"""Where a stretch begins within a sentence, words of the first are left out, and it does not begin with those of the second."""
_ENDS = frozenset([".", "!", "?", '."', "…"])


@dataclass(frozen=True)
class Spans(Kind):
    """Stretches of `of`, each a sentence, with an opener before the first if the model likes.

    A stretch is of whole words, begins with one that tells something or with what leads to it (`of the mill`), and ends with one that does.
    """

    text: Text
    of: str
    leading: frozenset[str] = frozenset()
    """Words, small, that tell nothing alone, and with which no stretch ends."""
    inner: bool = True
    """Whether a stretch may begin within a sentence."""
    openers: tuple[str, ...] = ()
    """Such as `Well,`."""

    def describe(self, name: str) -> str:
        return self.text.describe(name)

    def regex(self) -> str:
        chunks = self._chunks()
        first, later = self._stretches(chunks, begins=True), self._stretches(chunks, begins=False)
        opener = f"|({'|'.join(map(literal, self.openers))}) ({later})" if self.openers else ""
        return rf"({first}{opener})(\. ({first})){{0,{MOST_SPANS - 1}}}\."

    def read(self, text: str) -> object:
        return self.text.read(text)

    def _chunks(self) -> list[list[str]]:
        """The words, each that tells something with those that lead to it. What stands behind the last of them is of its chunk."""
        found: list[list[str]] = []
        chunk: list[str] = []
        for word in self.of.split():
            chunk.append(word)
            if _bare(word).casefold() not in self.leading:
                found.append(chunk)
                chunk = []
        return [*found[:-1], found[-1] + chunk] if found else [chunk]

    def _stretches(self, chunks: list[list[str]], begins: bool) -> str:
        """Any stretch, each a beginning of the next: `the mule( of Tobin)?|of Tobin`."""
        found: list[str] = []
        longer = ""
        for i, chunk in reversed(list(enumerate(chunks))):
            closing = _closing(chunks[i - 1][-1]) if i else "."
            start = chunk if closing in _ENDS else _within(chunk) if self.inner else []
            if start:
                found.append(self._written(start, begins) + longer)
            longer = f"({literal(f'{closing} {_joined(chunk)}')}{longer})?"
        return "|".join(reversed(found))

    def _written(self, words: list[str], begins: bool) -> str:
        """Words where a stretch begins: with a capital where a sentence does, without one elsewhere where it can be no name."""
        text = _joined(words)
        if begins:
            return literal(text[:1].upper() + text[1:])
        small = _bare(words[0]).casefold() in self.leading and not re.match(r"I\b", text)
        return literal(text[:1].lower() + text[1:] if small else text)


def _within(chunk: list[str]) -> list[str]:
    """What a stretch begins with that begins here, within a sentence; nothing where none does."""
    left = 1 if chunk[0].casefold() in _LEFT_OUT else 0
    return [] if chunk[left:] and chunk[left].casefold() in _NO_BEGINNING else chunk[left:]


def _joined(words: list[str]) -> str:
    return _bare(" ".join(words))


def _bare(word: str) -> str:
    return word.rstrip(_CLOSING) or word


def _closing(word: str) -> str:
    return word[len(_bare(word)) :]
