"""Streams what an NPC says while the model writes its reply: the words after `say: `, up to the end of that line.

From here they go to the player through `session/dialogue.py` and `rpc/dialogue.py`. What was heard is never taken back: words are held
back while something may yet change them, and the line that is used begins with what was heard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from npc_server.llm import thoughts
from npc_server.llm.engine import OnText

_MARKED = re.compile(rf"[*|\x00-\x1F\x7F-\x9F\u200b-\u200f\u2028-\u202e\u2066-\u2069]|__|{thoughts.ANY.pattern}")
"""From here on `mend_text` may take something out of a line, or a thought begins or ends."""
_QUOTED = tuple("\"“”„«»'‘`")
"""Marks that may stand around a whole line."""
_ENDED = (".", "!", "?", "…", '"', "”")
_SENTENCE_END = re.compile(r"[.!?…]+[\"”’]*(?=\s|$)")
CUT_OFF = "…"


class SpokenWords:
    """Takes the spoken words out of a streamed reply. `begin` gives what to pass to the engine; `on_words` then gets only the words.

    `label` is what stands before them, such as `say: `. A reply with only one field has no label. Where a form has lines before the label,
    `may_begin` is told them, and nothing is heard unless it says yes. `names` are the speaker's; one may stand before its words. `holds`
    says whether words are held back for now. A line has at most `limit` characters; 0 for any number.
    """

    def __init__(
        self,
        on_words: OnText,
        label: str = "",
        *,
        may_begin: Callable[[str], bool] | None = None,
        names: Collection[str] = (),
        holds: Callable[[str], bool] = lambda words: False,
        limit: int = 0,
    ) -> None:
        self._on_words, self._label, self._may_begin, self._holds, self._limit = on_words, label, may_begin, holds, limit
        self._names = tuple(f"{name.casefold()}:" for name in names)
        self.begin()

    def begin(self, passes: Callable[[str], bool] | None = None) -> OnText:
        """Forgets the last attempt, of which nothing was heard, and returns what takes the pieces of the next.

        With `passes`, words are heard one whole sentence at a time, as long as it says yes to all sentences so far.
        """
        self._text, self.heard, self._passes = "", "", passes
        self._begins: bool | None = None
        return self.feed

    def feed(self, piece: str) -> None:
        """Takes the next piece of the reply, and passes on the whole words in it."""
        self._text += piece
        line = self._line()
        if line is None:
            return
        words, is_over = line
        safe = self._safe(words if is_over else words.rpartition(" ")[0].rstrip())
        if safe.startswith(self.heard):
            self._hear(safe)

    def finish(self, line: str) -> str:
        """The line as it is used: `line`, or what was heard if that is no beginning of it. What was not heard of it is now."""
        if not self.heard:
            return line
        used = line if line.startswith(self.heard) else self.kept()
        self._hear(used)
        return used

    def kept(self) -> str:
        """What was heard, as a line of its own."""
        return self.heard if self.heard.endswith(_ENDED) else f"{self.heard}{CUT_OFF}"

    def _hear(self, words: str) -> None:
        if len(words) > len(self.heard):
            self._on_words(words[len(self.heard) :])
            self.heard = words

    def _line(self) -> tuple[str, bool] | None:
        """The words so far, and whether the line is over; None before it may be heard."""
        if self._may_begin is None:
            head, rest = "", self._text.removeprefix(self._label) if self._text.startswith(self._label) else None
        else:
            head, found, after = self._text.partition(f"\n{self._label}")
            rest = after if found else None
        if rest is None:
            return None
        if self._begins is None:
            self._begins = self._may_begin is None or self._may_begin(head)
        if not self._begins:
            return None
        words, end, _ = rest.partition("\n")
        return words.strip(), bool(end)

    def _safe(self, words: str) -> str:
        """The beginning of the words that nothing can change any more."""
        folded = words.casefold()
        if (
            words.startswith(_QUOTED)
            or any(name.startswith(folded) or folded.startswith(name) for name in self._names)
            or self._holds(words)
        ):
            return ""
        found = _MARKED.search(words)
        safe = words[: found.start()].rstrip() if found else words
        safe = safe if not self._limit or len(words) < self._limit else safe[: self._limit].rpartition(" ")[0]
        return safe if self._passes is None else self._whole_sentences(safe, self._passes)

    def _whole_sentences(self, words: str, passes: Callable[[str], bool]) -> str:
        found = self.heard
        for end in (match.end() for match in _SENTENCE_END.finditer(words) if match.end() > len(self.heard)):
            if not passes(words[:end]):
                break
            found = words[:end]
        return found
