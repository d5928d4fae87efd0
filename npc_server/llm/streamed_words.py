"""Streams what an NPC says while the model writes its reply: the words after `say: `, up to the end of that line.

From here they go to the player through `session/dialogue.py` and `rpc/dialogue.py`.
"""

from __future__ import annotations

from npc_server.llm.engine import OnText


class SpokenWords:
    """Takes the spoken words out of a streamed reply. Pass `feed` to the engine as `on_text`; `on_words` then gets only the words.

    `label` is what stands before them, such as `say: `. A reply with only one field has no label.
    """

    def __init__(self, on_words: OnText, label: str = "") -> None:
        self._on_words = on_words
        self._label = label
        self._text = ""
        self._sent = 0

    def feed(self, piece: str) -> None:
        """Takes the next piece of the reply, and passes on the words in it."""
        self._text += piece
        if not self._text.startswith(self._label):
            return
        words = self._text[len(self._label) :].split("\n", 1)[0]
        if len(words) > self._sent:
            self._on_words(words[self._sent :])
            self._sent = len(words)
