"""Spans: a kind of reply whose grammar admits only stretches of a given text, so that a small model can shorten it but not garble it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npc_server.llm.reply import Kind, Text, literal

MOST_SPANS = 2
"""The most stretches of one reply."""
_CLOSING = ".,;:!?…\"'’”"
_LEFT_OUT = frozenset("and or but nor am is are was were has have had will would did does do".split())  # noqa: SIM905
_NO_BEGINNING = frozenset("not than as that who which whose".split())  # noqa: SIM905
"""For a stretch that begins within a sentence: it drops a first word of `_LEFT_OUT`, and never begins with one of `_NO_BEGINNING`."""
_ENDS = frozenset([".", "!", "?", '."', "…"])


@dataclass(frozen=True)
class Spans(Kind):
    """Stretches of the text `of`, each written as a sentence. The model may put an opener before the first.

    A stretch consists of whole words. It begins with a word that tells something, or with what leads to one (`of the mill`). It ends with
    a word that tells something.
    """

    text: Text
    of: str
    leading: frozenset[str] = frozenset()
    """Words in lower case that tell nothing alone. No stretch ends with one."""
    inner: bool = True
    """Whether a stretch may begin within a sentence."""
    openers: tuple[str, ...] = ()
    """What the model may say before the first stretch, such as `Well,`."""

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
        """Splits the words into chunks: a word that tells something, and those that lead to it. Words after the last one join its chunk."""
        found: list[list[str]] = []
        chunk: list[str] = []
        for word in self.of.split():
            chunk.append(word)
            if _bare(word).casefold() not in self.leading:
                found.append(chunk)
                chunk = []
        return [*found[:-1], found[-1] + chunk] if found else [chunk]

    def _stretches(self, chunks: list[list[str]], begins: bool) -> str:
        """Returns a regular expression for all stretches, such as `the mule( of Tobin)?|of Tobin`."""
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
        """Returns the first words of a stretch, with a capital at the start of a sentence. Elsewhere words of `leading` lose theirs."""
        text = _joined(words)
        if begins:
            return literal(text[:1].upper() + text[1:])
        small = _bare(words[0]).casefold() in self.leading and not re.match(r"I\b", text)
        return literal(text[:1].lower() + text[1:] if small else text)


def _within(chunk: list[str]) -> list[str]:
    """Returns the first words of a stretch that begins with this chunk within a sentence, or nothing when none may begin here."""
    left = 1 if chunk[0].casefold() in _LEFT_OUT else 0
    return [] if chunk[left:] and chunk[left].casefold() in _NO_BEGINNING else chunk[left:]


def _joined(words: list[str]) -> str:
    return _bare(" ".join(words))


def _bare(word: str) -> str:
    return word.rstrip(_CLOSING) or word


def _closing(word: str) -> str:
    return word[len(_bare(word)) :]
