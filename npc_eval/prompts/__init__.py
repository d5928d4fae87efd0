"""The prompts of the baseline and of judges: `ga_*.prompt`, which asks as the reference code does, and those of comparisons."""

from __future__ import annotations

from pathlib import Path

PROMPTS = Path(__file__).parent
"""To be laid over the prompts of npc-server."""
