"""Makes prompts of a wanted length for benchmarks of models."""

from __future__ import annotations

from npc_server.llm.engine import Engine

_WORDS = ("the baker sets out bread before the square wakes and the miller counts his sacks while rain falls on the old bridge").split()  # noqa: SIM905


async def tokens_a_word(engine: Engine) -> float:
    """Average characters of a token in the vocabulary of a model."""
    return (await engine.count_tokens([" ".join(_WORDS)]))[0] / len(_WORDS)


def about(tokens: int, per_word: float, first: str) -> str:
    """Makes a text of about `tokens` tokens that differs from others in the first word."""
    words = max(int(tokens / per_word), 1)
    return " ".join([first, *(_WORDS[n % len(_WORDS)] for n in range(words))])
