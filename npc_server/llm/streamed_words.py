"""The words out of a reply that is still being written: what follows `say: `, up to the end of its line."""

from __future__ import annotations

from npc_server.llm.engine import OnText


class SpokenWords:
    """Give its `feed` to the engine as `on_text`; `on_words` gets the words alone. A reply of one field has no label."""

    def __init__(self, on_words: OnText, label: str = "") -> None:
        self._on_words = on_words
        self._label = label
        self._text = ""
        self._sent = 0

    def feed(self, piece: str) -> None:
        self._text += piece
        if not self._text.startswith(self._label):
            return
        words = self._text[len(self._label) :].split("\n", 1)[0]
        if len(words) > self._sent:
            self._on_words(words[self._sent :])
            self._sent = len(words)
