"""Features of a candidate for a line: numbers that tell good lines from bad ones. `data/line_choice.toml` weighs them.

Each is a function with the name that it has in that file. None means that it cannot be known, such as `reread` without npc-rerank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from npc_server.bank.candidates import CandidateLine, Maker
from npc_server.english.text import words_in

USUAL_WORDS = 12
"""Words of a usual line: the mean of the 8,000 replies in `models/talks`."""


@dataclass(frozen=True)
class Measured:
    """A candidate with all that its features are made of."""

    candidate: CandidateLine
    fits: float | None = None
    """The log odds that it answers, as npc-answers reads both together."""
    reranked: float | None = None
    """The same as npc-rerank says, which sees the talk."""


def by_memory(it: Measured) -> float:
    """Whether instinct found it in the speaker's memory."""
    return float(it.candidate.maker is Maker.MEMORY)


def own_fact(it: Measured) -> float:
    """Whether it surely answers and stands in the persona's file."""
    return float(it.candidate.is_own_fact)


def by_bank(it: Measured) -> float:
    """Whether it is from the bank of exchanges."""
    return float(it.candidate.maker is Maker.BANK)


def by_instinct(it: Measured) -> float:
    """Whether instinct says it without a memory."""
    return float(it.candidate.maker is Maker.INSTINCT)


def general(it: Measured) -> float:
    """Whether it is a reply of the bank that suits many lines."""
    return float(it.candidate.is_general)


def tells(it: Measured) -> float:
    """How many of the speaker's facts a reply of the bank tells."""
    return float(it.candidate.slots)


def nearness(it: Measured) -> float:
    """How near the bank's line is to what was said; 0 for what is not from the bank."""
    return it.candidate.nearness


def temper_fit(it: Measured) -> float:
    """How well the reply's temper suits the speaker; 0 for what is not from the bank."""
    return it.candidate.temper_fit


def fits(it: Measured) -> float | None:
    """How well npc-answers says that it answers: log odds."""
    return it.fits


def reread(it: Measured) -> float | None:
    """How well npc-rerank says that it answers: log odds. Only of the best candidates."""
    return it.reranked


def repeats_itself(it: Measured) -> float:
    """The share of its words that it had before."""
    said = words_in(it.candidate.text)
    return 1 - len(set(said)) / len(said) if said else 0.0


def words(it: Measured) -> float:
    """How many words it has."""
    return float(len(words_in(it.candidate.text)))


def off_length(it: Measured) -> float:
    """By how many words it is shorter or longer than a usual line."""
    return abs(words(it) - USUAL_WORDS)


FEATURES: Mapping[str, Callable[[Measured], float | None]] = {
    function.__name__: function
    for function in (
        by_memory, by_instinct, own_fact, by_bank, general, tells, nearness, temper_fit, fits, reread, repeats_itself, words, off_length,
    )
}  # fmt: skip


def features(it: Measured) -> dict[str, float | None]:
    """All features by name."""
    return {name: function(it) for name, function in FEATURES.items()}
