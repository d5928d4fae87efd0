"""Reads from a GGUF file which of its tokens are marks: llama.cpp's own server does not tell."""

from __future__ import annotations

import mmap
import struct

from npc_server.llm.gguf_header import Header, HeaderReader

_TOKENS, _TYPES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
_ENDS = tuple(f"tokenizer.ggml.{name}_token_id" for name in ("eos", "eot", "eom"))
_ENDS_BY_NAME = frozenset(
    """
    </s> <|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> <|eom_id|> <EOT> _<EOT> [EOT]
    [EOS] <|end_of_text|> <end_of_utterance> <｜end▁of▁sentence｜> <eos>
    """.split()  # noqa: SIM905
)
"""Tokens that llama.cpp takes as the end of a reply, whatever the file says of them."""
_MARKS = frozenset({3, 4})
"""llama.cpp's numbers for the types CONTROL and USER_DEFINED."""
_ARRAY_HEAD = struct.calcsize("<IQ")
"""Bytes of an array before its elements: their type and how many there are."""


def read_marks(header: Header) -> dict[int, str]:
    """Return the tokens that are marks or end a reply, as they are written. The file's header has been checked."""
    with header.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        reader = _ArraysReader(header, data)
        reader.header()
        starts, count = reader.starts, header.arrays.get(_TOKENS, 0)
        if _TOKENS not in starts:
            return {}
        ends = {int(header.values[key]) for key in _ENDS if key in header.values}
        typed = _TYPES in starts and header.arrays[_TYPES] == count
        types = struct.unpack_from(f"<{count}i", data, starts[_TYPES]) if typed else (0,) * count
        found: dict[int, str] = {}
        at = starts[_TOKENS]
        for token, kind in enumerate(types):
            (length,) = struct.unpack_from("<Q", data, at)
            text = data[at + 8 : at + 8 + length].decode("utf-8", "replace")
            if kind in _MARKS or token in ends or text in _ENDS_BY_NAME:
                found[token] = text
            at += 8 + length
        return found


class _ArraysReader(HeaderReader):
    """Notes where the elements of each array begin."""

    def __init__(self, header: Header, data: mmap.mmap) -> None:
        super().__init__(header.path, data, header.size, header.size)
        self.starts: dict[str, int] = {}

    def array(self, key: str) -> int:
        self.starts[key] = self.at + _ARRAY_HEAD
        return super().array(key)
