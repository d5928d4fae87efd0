"""How likely llama.cpp's own server finds a given text. It tells no probabilities of a prompt, so it is made to write the text.

For each token it is asked to go on with the tokens before it. A bias makes it write that one, and it tells the probability without
the bias. Its cache holds the tokens before, so each is computed once, and a text takes as long as a line of the model's own. The
compiled llama-cpp-python reads it, several tokens at once.

A grammar of tokens would need a single question, and 15 ms more for each token. Of tokens that are a part of a character (of emoji, or of
scripts that the model hardly knows) the server tells no probability, so a text with one cannot be scored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from npc_server.errors import EngineError
from npc_server.llm.served.server import LlamaCppServer
from npc_server.llm.speed import Speed
from npc_server.llm.tokenizer import Tokenizer

ABOVE_ALL = 1000.0
"""Added to the logit of a token, so that it is written whatever the model thinks of it."""
LEAST = -100.0
"""The logarithm of a probability that was too small to be told."""
SURE = -1e-3
"""No token of the trial is likelier than this. A server that told its probability with the bias would say 0."""
WRITTEN_PER_S = 12.0
"""The slowest that a model may write to be asked. It then takes two seconds for 12 tokens, after what was heard and after nothing."""


def body_of_score(before: Sequence[int], token: int) -> dict[str, Any]:
    """Return the question how likely `token` is after the tokens `before`."""
    return {
        "prompt": list(before),
        "n_predict": 1,
        "logit_bias": [[token, ABOVE_ALL]],
        "samplers": [],
        "n_probs": 1,
        "cache_prompt": True,
    }


def read_score(answer: Any, token: int) -> tuple[float, int]:
    """Return the log probability of `token`, and how many tokens were computed for it. Raises EngineError."""
    try:
        if "completion_probabilities" not in answer:
            raise _not_told("there is none for a token that is a part of a character")
        (written,) = answer["completion_probabilities"]
        found, logprob = int(written["id"]), float(written["logprob"])
        computed = int(answer["tokens_evaluated"]) - int(answer.get("timings", {}).get("cache_n", 0))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _not_told(f"{type(error).__name__}: {error}") from error
    if found != token or math.isnan(logprob):
        raise _not_told(f"it wrote token {found} in place of {token}")
    return max(logprob, LEAST), computed


def can_score(server: LlamaCppServer, tokenizer: Tokenizer) -> bool:
    """Return whether a server tells how likely given tokens are. Those of before 2025 do not."""
    before, (token, *_) = tokenizer.read_words("Good morning"), tokenizer.read_words(" to you")
    try:
        logprob, _ = read_score(server.post("/completion", body_of_score(before, token)), token)
    except EngineError:
        return False
    return logprob < SURE


def is_fast_enough(speed: Speed | None) -> bool:
    """Return whether a player can wait for a score. So it is where nobody measured the speed."""
    return speed is None or speed.written_per_s >= WRITTEN_PER_S


def _not_told(why: str) -> EngineError:
    return EngineError(f"llama.cpp's server did not tell how likely a text is: {why}.", "The compiled llama-cpp-python tells it.")
