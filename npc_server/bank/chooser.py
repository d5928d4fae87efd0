"""What several minds share to choose lines: the bank of exchanges and the weights of the features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import load_exchanges
from npc_server.bank.ranking import ChoiceWeights, Ranked, choice_weights
from npc_server.llm.engine import Embedder, LineInTalk


@dataclass(frozen=True)
class LineChoice:
    """One choice: who spoke, what was heard, and the candidates, best first."""

    npc: str
    heard: LineInTalk | None
    """A player's line as npc-rerank reads it; None for other lines, and where nothing reads them again."""
    candidates: tuple[Ranked, ...]


@dataclass
class LineChooser:
    """The bank and the weights. `watch` is told of each choice."""

    bank: ExchangeBank
    weights: ChoiceWeights
    watch: Callable[[LineChoice], None] = lambda choice: None


def open_chooser(embedder: Embedder, folders: Sequence[Path] = (), kept_in: Path | None = None) -> LineChooser:
    """Reads the exchanges of the package and of `folders`. Raises FileProblem.

    `kept_in` is the folder of the file with their vectors. `bank.prepare` computes those, and until then the bank finds nothing.
    """
    settings = bank_settings()
    return LineChooser(ExchangeBank(load_exchanges(settings.described, folders), embedder, settings, kept_in), choice_weights())
