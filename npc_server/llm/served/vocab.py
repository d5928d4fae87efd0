"""The vocabulary of a model that llama.cpp's server runs. Its marks are read from the file, because the server does not list them."""

from __future__ import annotations

from npc_server.llm.gguf_header import Header
from npc_server.llm.gguf_tokens import read_marks
from npc_server.llm.served.server import LlamaCppServer


class ServedVocabulary:
    """Implements `tokenizer.ModelVocabulary`."""

    def __init__(self, server: LlamaCppServer, header: Header) -> None:
        self._server, self._marks = server, read_marks(header)

    def marks(self) -> dict[int, str]:
        return self._marks

    def read(self, text: str, *, special: bool, ends: bool) -> list[int]:
        # A lone surrogate has no bytes; the server's JSON would refuse it.
        plain = text.encode("utf-8", "replace").decode()
        found = self._server.post("/tokenize", {"content": plain, "add_special": ends, "parse_special": special})["tokens"]
        return [int(token) for token in found]
