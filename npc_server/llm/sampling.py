"""Samples the next token in numpy, with a random generator of each request, and under the grammar of its reply.

llama.cpp's own grammar sampler aborts the process on a token that the grammar does not allow, and is slow with large vocabularies. Here a
token is drawn first and then checked. Only if the grammar refuses it, the allowed tokens are computed, and one of them is drawn.
"""

from __future__ import annotations

import numpy as np
from llguidance import LLMatcher, LLTokenizer
from numpy.typing import NDArray

from npc_server.errors import EngineError
from npc_server.llm.sampling_parameters import SamplingParameters

Logits = NDArray[np.float32]


def draw(logits: Logits, parameters: SamplingParameters, rng: np.random.Generator) -> int:
    """Draws one token from logits of shape (vocabulary,).

    First `min_p` removes tokens that are less likely than that share of the likeliest one. Then `top_p` keeps the nucleus.
    """
    best = int(np.argmax(logits))
    if parameters.temperature <= 0:
        return best
    floor = logits[best] + parameters.temperature * np.log(parameters.min_p) if parameters.min_p > 0 else -np.inf
    kept = np.flatnonzero(logits >= floor) if np.isfinite(floor) else np.flatnonzero(np.isfinite(logits))
    if kept.size <= 1:
        return best
    scaled = (logits[kept].astype(np.float64) - float(logits[best])) / parameters.temperature
    weights = np.exp(scaled)
    weights /= weights.sum()
    if parameters.top_p < 1:
        order = np.argsort(-weights, kind="stable")
        nucleus = order[: int(np.searchsorted(np.cumsum(weights[order]), parameters.top_p)) + 1]
        kept, weights = kept[nucleus], weights[nucleus] / weights[nucleus].sum()
    place = int(np.searchsorted(np.cumsum(weights), rng.random(), side="right"))
    return int(kept[min(place, kept.size - 1)])


class GrammarPool:
    """Compiles grammars, and keeps the `size` most recently used, because the same questions come again and again."""

    def __init__(self, tokenizer: LLTokenizer, size: int = 64) -> None:
        self.tokenizer, self.size = tokenizer, size
        self.known: dict[str, LLMatcher] = {}

    def matcher(self, grammar: str) -> LLMatcher:
        """Returns a new matcher for a Lark grammar. Raises EngineError when the grammar has an error."""
        found = self.known.pop(grammar, None)
        if found is None:
            found = LLMatcher(self.tokenizer, grammar, log_level=0)
            if found.is_error():
                raise EngineError(
                    f"The reply's grammar has an error: {found.get_error()[:300]}", "This is a bug in npc-server; please report it."
                )
        self.known[grammar] = found
        if len(self.known) > self.size:
            del self.known[next(iter(self.known))]
        return found.deep_copy()


class Chooser:
    """Chooses the tokens of one reply, with a random generator and a grammar matcher of its own. Without a matcher all are allowed."""

    def __init__(self, matcher: LLMatcher | None, ends: frozenset[int], parameters: SamplingParameters, seed: int) -> None:
        self.matcher, self.ends, self.parameters = matcher, ends, parameters
        self.rng = np.random.default_rng(seed & (2**64 - 1))

    def choose(self, logits: Logits) -> tuple[list[int], bool]:
        """Chooses the next token from logits of shape (vocabulary,). Raises EngineError when the grammar allows none.

        Returns the token, followed by those that the grammar then forces, and whether the reply is over.
        """
        token = draw(logits, self.parameters, self.rng)
        if self.matcher is None:
            return ([], True) if token in self.ends else ([token], False)
        if not self._take(self.matcher, token):
            token = draw(self._masked(self.matcher, logits), self.parameters, self.rng)
            if token in self.ends:
                return [], True
            if not self.matcher.consume_token(token):
                raise EngineError(f"The grammar stopped: {self.matcher.get_error()[:300]}", "The reply was not used.")
        elif token in self.ends:
            return [], True
        tokens = [token]
        while not self.matcher.is_stopped():
            forced = [t for t in self.matcher.compute_ff_tokens() if t not in self.ends]
            if not forced or self.matcher.try_consume_tokens(forced) < len(forced):
                break
            tokens += forced
        if self.matcher.is_error():
            raise EngineError(f"The grammar stopped: {self.matcher.get_error()[:300]}", "The reply was not used.")
        return tokens, bool(self.matcher.is_stopped())

    def _take(self, matcher: LLMatcher, token: int) -> bool:
        if token in self.ends:
            return bool(matcher.is_accepting())
        return bool(matcher.try_consume_tokens([token]) == 1)

    def _masked(self, matcher: LLMatcher, logits: Logits) -> Logits:
        bits = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")[: logits.size]
        allowed = np.full(logits.size, -np.inf, np.float32)
        chosen = np.flatnonzero(bits)
        if chosen.size == 0:
            raise EngineError("No token of the model fits the grammar.", "Use another model.")
        allowed[chosen] = logits[chosen]
        return allowed
