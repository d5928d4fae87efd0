"""Prompts of a wanted length, for what is measured with a model."""

from __future__ import annotations

from npc_server.llm.engine import Engine

_WORDS = ("the baker sets out bread before the square wakes and the miller counts his sacks while rain falls on the old bridge").split()  # noqa: SIM905


async def tokens_a_word(engine: Engine) -> float:
    """In the model's vocabulary, on the average."""
    return (await engine.count_tokens([" ".join(_WORDS)]))[0] / len(_WORDS)


def about(tokens: int, per_word: float, first: str) -> str:
    """A text of about `tokens` tokens, different from the first word on."""
    words = max(int(tokens / per_word), 1)
    return " ".join([first, *(_WORDS[n % len(_WORDS)] for n in range(words))])
