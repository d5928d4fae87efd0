"""Counts a text's tokens with the vocabulary of a GGUF file and without its weights, to find out what prompts would cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import llama_cpp as lib

from npc_server.errors import ModelRejected
from npc_server.llm.gguf_header import read_header
from npc_server.llm.library_vocab import LibraryVocabulary
from npc_server.llm.llama import send_log
from npc_server.llm.tokenizer import Tokenizer

KEPT_COUNTS = 200_000
"""Texts whose count is kept. The parts of prompts that describe a person come again and again."""


class Vocabulary:
    """Counts tokens. It opens the file in this process, after a check of its header."""

    def __init__(self, path: Path, max_header_bytes: int) -> None:
        """Opens the vocabulary. Raises ModelMissing or ModelRejected."""
        self.name = path.name
        header = read_header(path, max_header_bytes)
        send_log(lambda _: None)
        lib.llama_backend_init()
        params = lib.llama_model_default_params()
        params.vocab_only = True
        self._model = lib.llama_model_load_from_file(str(header.path).encode(), params)
        if not self._model:
            raise ModelRejected(f"llama.cpp cannot read the vocabulary of {str(path)!r}.", "Name another GGUF file.", file=path)
        self.tokenizer = Tokenizer(LibraryVocabulary(lib.llama_model_get_vocab(self._model)))
        self._one = lru_cache(KEPT_COUNTS)(self._count)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Counts the tokens of each text, without those that open and close a sequence."""
        return [self._one(text) for text in texts]

    def _count(self, text: str) -> int:
        return len(self.tokenizer.read_words(text))
