"""Whether a question may be about the one who asks it, by its meaning: one weight for each number of its embedding.

"When is my birthday?" may be answered with what the asker told, and "When is your birthday?" may not. The weights stand in
`data/asker_head.json`, fitted by `models/asker`. They are for the embedding model in the box. With another one every question may be.
"""

from __future__ import annotations

from collections.abc import Mapping

from npc_server.instinct.linear_head import LinearHead, linear_heads
from npc_server.llm.engine import Vectors


def _heads() -> Mapping[str, LinearHead]:
    return linear_heads("asker_head.json")


def may_be_about_asker(embedder: str, question: Vectors) -> bool:
    """`question` is its vector, shape (dimensions,)."""
    head = _heads().get(embedder)
    return head is None or bool(head.of(question[None])[0] >= 0)
