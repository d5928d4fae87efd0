"""The vocabulary of a model that llama-cpp-python has loaded into this process."""

from __future__ import annotations

from typing import Any

import llama_cpp as lib

_MARK = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_USER_DEFINED


class LibraryVocabulary:
    """Implements `tokenizer.ModelVocabulary`."""

    def __init__(self, vocab: Any) -> None:
        self.of_llama = vocab
        """As llama.cpp's own functions take it."""

    def marks(self) -> dict[int, str]:
        return {token: self._text(token) for token in range(lib.llama_vocab_n_tokens(self.of_llama)) if self._is_mark(token)}

    def read(self, text: str, *, special: bool, ends: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        buffer = (lib.llama_token * room)()
        count = lib.llama_tokenize(self.of_llama, raw, len(raw), buffer, room, ends, special)
        if count < 0:
            buffer = (lib.llama_token * -count)()
            count = lib.llama_tokenize(self.of_llama, raw, len(raw), buffer, -count, ends, special)
        return list(buffer[: max(count, 0)])

    def _is_mark(self, token: int) -> bool:
        return bool(lib.llama_vocab_get_attr(self.of_llama, token) & _MARK) or bool(lib.llama_vocab_is_eog(self.of_llama, token))

    def _text(self, token: int) -> str:
        """Returns a mark as it is written."""
        return (lib.llama_vocab_get_text(self.of_llama, token) or b"").decode("utf-8", "replace")
