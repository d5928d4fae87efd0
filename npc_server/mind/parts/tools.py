"""What minds ask: models, and what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_server.bank.chooser import LineChooser
from npc_server.llm.engine import Embedder, Engine
from npc_server.mind.asked import AskedLately
from npc_server.mind.baseline import Baseline
from npc_server.prompts.load import Prompts


@dataclass
class Tools:
    """The same for all minds of a session."""

    engine: Engine
    embedder: Embedder
    prompts: Prompts
    baseline: Baseline | None
    """None where the settings want fuller calls."""
    chooser: LineChooser | None = None
    """Chooses among what memory and the bank would say. None in tests that have no bank."""
    asked: AskedLately = field(default_factory=AskedLately)
    """The latest questions with their prompts and replies, to be looked at."""
