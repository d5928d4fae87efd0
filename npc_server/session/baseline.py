"""Finds the baseline, which npc-eval brings, for settings that ask as the reference code does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from npc_server import plugins
from npc_server.config import MindSettings
from npc_server.mind.baseline import Baseline
from npc_server.prompts.load import Prompts


def baseline_of(settings: MindSettings) -> Baseline | None:
    """Return the baseline where the settings turn fuller calls off, else None. Raises BadInput if npc-eval is not installed."""
    if settings.uses("fuller_calls"):
        return None
    made: Baseline = plugins.find(plugins.BASELINES, "generative-agents")()
    return made


def prompts_of(settings: MindSettings, folders: Sequence[Path] = ()) -> Prompts:
    """Return the prompts of npc-server and of the baseline that the settings want, with those of the game's folders over them."""
    baseline = baseline_of(settings)
    return Prompts([*([baseline.prompts] if baseline is not None else []), *folders])
