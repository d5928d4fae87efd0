"""Samples the next token in numpy, with a random generator of each request, and under the grammar of its reply.

llama.cpp's own grammar sampler aborts the process on a token that the grammar does not allow, and is slow with large vocabularies. Here a
token is drawn first and then checked. Only if the grammar refuses it, the allowed tokens are computed, and one of them is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llguidance import LLMatcher, LLTokenizer
from numpy.typing import NDArray

from npc_server.errors import EngineError
from npc_server.llm.sampling_parameters import PENALTY_TOKENS, Penalty, SamplingParameters

Logits = NDArray[np.float32]
Indices = NDArray[np.intp]
Weights = NDArray[np.float64]
LOWEST = float(np.finfo(np.float32).min)
"""Even without `min_p` no token is drawn that is minus infinity, as is what a model rules out."""
NO_TOKEN = np.array([-1], np.intp)
"""Stands for the tokens of a row that holds no numbers."""
LIKELIEST = SamplingParameters(temperature=1.0, top_p=0.0, min_p=1.0)
"""What a temperature of 0 means: the likeliest token, and of equal ones the first."""
Choice = tuple[list[int], bool]
"""The next token, followed by those that the grammar then forces, and whether the reply is over."""


def draw_rows(logits: Logits, parameters: Sequence[SamplingParameters], rngs: Sequence[np.random.Generator]) -> list[int]:
    """Draws one token from each row of logits of shape (rows, vocabulary).

    First `min_p` removes tokens that are less likely than that share of the likeliest one. Then `top_p` keeps the nucleus. A row without
    a finite maximum gives -1.
    """
    asked = [one if one.temperature > 0 else LIKELIEST for one in parameters]
    heat, top_p, min_p = np.array([(one.temperature, one.top_p, one.min_p) for one in asked]).T
    row, token, weight = _likely(logits, heat, min_p)
    order = np.lexsort((-weight, row))
    row, token, weight = row[order], token[order], weight[order]
    start = np.searchsorted(row, np.arange(len(logits)))
    weight /= np.add.reduceat(weight, start)[row]
    until = np.cumsum(weight)
    until -= (until[start] - weight[start])[row]  # the sum within the row, this token included
    kept = np.where(until - weight < top_p[row], weight, 0.0)
    kept[start] = weight[start]
    several = np.add.reduceat((kept > 0).astype(np.intp), start) > 1
    point = np.array([rng.random() if many else 0.0 for rng, many in zip(rngs, several, strict=True)]) * np.add.reduceat(kept, start)
    passed = np.add.reduceat(((kept > 0) & (until <= point[row])).astype(np.intp), start)
    last = np.add.reduceat((kept > 0).astype(np.intp), start) - 1
    return [int(found) for found in token[start + np.minimum(passed, last)]]


def _likely(logits: Logits, heat: Weights, min_p: Weights) -> tuple[Indices, Indices, Weights]:
    """The tokens of each row that `min_p` leaves: their rows, their numbers, and how likely they are beside the likeliest of the row."""
    with np.errstate(divide="ignore"):
        below = heat * np.log(min_p)
    highest, tokens = np.zeros(len(logits)), list[Indices]()
    for n, row in enumerate(logits):  # a row is still in the processor's cache when it is looked through again
        top = highest[n] = row.max()
        tokens.append((row >= np.float32(max(top + below[n], LOWEST))).nonzero()[0] if np.isfinite(top) else NO_TOKEN)
    rows, token = np.repeat(np.arange(len(logits)), [len(it) for it in tokens]), np.concatenate(tokens)
    with np.errstate(invalid="ignore"):
        weight = np.exp((logits[rows, token] - highest[rows]) / heat[rows])
    return rows, token, np.where(token < 0, 1.0, weight)


def draw(logits: Logits, parameters: SamplingParameters, rng: np.random.Generator) -> int:
    """Draws one token from logits of shape (vocabulary,), as `draw_rows` does."""
    return draw_rows(logits[None], [parameters], [rng])[0]


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

    def __init__(
        self, matcher: LLMatcher | None, ends: frozenset[int], parameters: SamplingParameters, seed: int, penalty: Penalty | None = None
    ) -> None:
        self.matcher, self.ends, self.parameters = matcher, ends, parameters
        self.rng = np.random.default_rng(seed & (2**64 - 1))
        self._penalty = penalty.by if penalty else 1.0
        self._recent = [token for token in penalty.read.tolist() if token not in ends] if penalty else []

    def choose(self, logits: Logits) -> Choice:
        """Chooses the next token from logits of shape (vocabulary,). Raises EngineError when the grammar allows none."""
        logits = self.penalised(logits)
        return self.accept(draw(logits, self.parameters, self.rng), logits)

    def penalised(self, logits: Logits) -> Logits:
        """Returns logits of shape (vocabulary,) with the weight of recent tokens lowered. The end of a reply is never made less likely."""
        if self._penalty == 1 or not self._recent:
            return logits
        recent, changed = np.array(self._recent[-PENALTY_TOKENS:], np.intp), logits.copy()
        before = logits[recent]
        changed[recent] = np.where(before > 0, before / self._penalty, before * self._penalty)
        return np.asarray(changed, np.float32)

    def accept(self, token: int, logits: Logits) -> Choice:
        """Takes a token that was drawn from `logits`, or draws another one where the grammar refuses it. Raises EngineError."""
        tokens, over = self._accepted(token, logits)
        self._recent += tokens
        return tokens, over

    def _accepted(self, token: int, logits: Logits) -> Choice:
        _refuse_broken(token)
        if self.matcher is None:
            return ([], True) if token in self.ends else ([token], False)
        if not self._take(self.matcher, token):
            token = self._draw_allowed(self.matcher, logits)
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

    def _draw_allowed(self, matcher: LLMatcher, logits: Logits) -> int:
        """Draws among the tokens that the grammar allows."""
        allowed = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), count=logits.size, bitorder="little").view(bool)
        tokens = np.flatnonzero(allowed)
        if not tokens.size:
            raise EngineError("No token of the model fits the grammar.", "Use another model.")
        place = draw(logits[tokens], self.parameters, self.rng)
        _refuse_broken(place)
        return int(tokens[place])


def _refuse_broken(token: int) -> None:
    if token < 0:
        raise EngineError("The model's probabilities are not numbers.", "The file may be damaged.")


def choose_all(choosers: Sequence[Chooser], logits: Logits) -> list[Choice | EngineError]:
    """Chooses the next tokens of several replies, from logits of shape (replies, vocabulary). A reply that fails has its error instead."""
    chosen: list[Choice | EngineError] = []
    rows = [one.penalised(row) for one, row in zip(choosers, logits, strict=True)]
    if any(changed is not row for changed, row in zip(rows, logits, strict=True)):
        logits = np.stack(rows)
    drawn = draw_rows(logits, [one.parameters for one in choosers], [one.rng for one in choosers]) if choosers else []
    for one, token, row in zip(choosers, drawn, logits, strict=True):
        try:
            chosen.append(one.accept(token, row))
        except EngineError as error:
            chosen.append(error)
    return chosen
