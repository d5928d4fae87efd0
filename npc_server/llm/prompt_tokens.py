"""Makes the tokens of prompts: the parts of a chat template around what people say, which never becomes a mark of the template."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from npc_server.errors import PromptTooLong
from npc_server.llm.gguf_header import Header
from npc_server.llm.protocol import Frame
from npc_server.llm.sequences import Tokens
from npc_server.llm.template import Frame as TemplateFrame
from npc_server.llm.tokenizer import Tokenizer


class PromptTokens:
    """Writes the prompts of one model. What was read once is kept, so that a long chat costs only its new line."""

    def __init__(self, tokenizer: Tokenizer, frame: TemplateFrame, bos: int) -> None:
        """`bos` is the token that each prompt begins with; -1 for none."""
        self.read_words = tokenizer.read_words
        tokenizer.break_also(frame.before, frame.between, frame.after, frame.following)
        before = tokenizer.read_template(frame.before)
        self.before = before if bos < 0 or before[:1] == [bos] else [bos, *before]
        parts = (frame.between, frame.after, frame.following)
        self.between, self.after, self.following = map(tokenizer.read_template, parts)
        self._system_of = lru_cache(maxsize=256)(self._system)
        self._turn_of = lru_cache(maxsize=1024)(self._turn)
        self._prompt_of = lru_cache(maxsize=16)(self._prompt)

    def of_item(self, item: Frame) -> tuple[Tokens, int]:
        """Returns the tokens of a question, shape (tokens,), and how many of them are the system text."""
        return self._prompt_of(item["system"], item["user"], *((heard, said) for heard, said in item["turns"]))

    def lasting(self, item: Frame) -> int:
        """Returns how many first tokens of a question every talk of the NPC begins with; 0 for none."""
        turns = item["turns"][: max(int(item["lasting"]), 0)]
        return 0 if int(item["lasting"]) < 0 else len(self._system_of(item["system"])) + sum(len(self._turn_of(*turn)) for turn in turns)

    def _system(self, text: str) -> tuple[int, ...]:
        """Returns the tokens of a system text. They do not depend on what follows it, so that prompts can share them."""
        return (*self.before, *self.read_words(text.strip()), *self.between)

    def _prompt(self, system: str, user: str, *turns: tuple[str, str]) -> tuple[Tokens, int]:
        head = self._system_of(system)
        chat = [token for turn in turns for token in self._turn_of(*turn)]
        return np.array([*head, *chat, *self.read_words(user.strip()), *self.after], np.int32), len(head)

    def _turn(self, heard: str, said: str) -> tuple[int, ...]:
        """Returns the tokens of a turn. They do not depend on those around it, so that prompts share them."""
        words = self.read_words
        return (*words(heard.strip()), *self.after, *words(said.strip()), *self.following)


def refuse_long(tokens: int, context_tokens: int) -> None:
    """Raises PromptTooLong for a prompt that is longer than the model's context. 0 says that it is not known."""
    if tokens > context_tokens > 0:
        raise PromptTooLong(
            f"The prompt has {tokens} tokens; the model takes {context_tokens}.",
            "Shorten the prompt, or take a model with a longer context.",
            prompt_tokens=tokens,
            context_tokens=context_tokens,
        )


def recommended_asking(header: Header) -> Frame:
    """What the model's file says of how it should be asked."""
    return {
        "weak_at": None if header.weak_at is None else sorted(header.weak_at),
        "memories_shown": header.memories_shown,
        "places_shown": header.places_shown,
    }
