"""The tokens that npc-rerank reads: a talk in the form of its chat template, and a text that may answer the last line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from npc_server.llm.engine import LineInTalk
from npc_server.llm.tokenizer import Tokenizer

Tokens = list[int]
BEGIN, END = "<|im_start|>", "<|im_end|>"
"""Marks around the messages of the model's chat template."""
VERDICTS = (" yes", " no")
"""The words whose logits after a text are compared."""
WHO_TOKENS, LINE_TOKENS, TEXT_TOKENS = 200, 60, 60
"""Most tokens that are read of who answers, of a line and of a text. The model was trained with these."""


@dataclass(frozen=True)
class RerankForm:
    """Writes tokens with the vocabulary of a model."""

    read: Callable[[str], Tokens]
    begin: int
    end: int
    verdicts: tuple[int, int]
    """The tokens for "yes" and "no"."""

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> RerankForm:
        (begin,), (end,) = tokenizer.read_template(BEGIN), tokenizer.read_template(END)
        (yes,), (no,) = (tokenizer.read_words(word) for word in VERDICTS)
        return cls(tokenizer.read_words, begin, end, (yes, no))

    def asked(self, heard: LineInTalk) -> Tokens:
        """The talk up to where the answer begins."""
        tokens = self._message("system", heard.who, WHO_TOKENS) if heard.who else []
        for is_own, text in heard.before:
            tokens += self._message("assistant" if is_own else "user", text, LINE_TOKENS)
        return [*tokens, *self._message("user", heard.text, LINE_TOKENS), self.begin, *self.read("assistant\n")]

    def answer(self, text: str) -> Tokens:
        return [*self.read(text)[:TEXT_TOKENS], self.end]

    def _message(self, role: str, text: str, most: int) -> Tokens:
        return [self.begin, *self.read(f"{role}\n"), *self.read(text)[:most], self.end, *self.read("\n")]
