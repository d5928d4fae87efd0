"""What the server still has in memory."""

from __future__ import annotations

import numpy as np

from npc_server.llm.sequences import Tokens
from npc_server.llm.served.recent import RecentPrompts


def prompt(*tokens: int) -> Tokens:
    return np.array(tokens, np.int32)


def test_prompts_are_forgotten_as_the_server_forgets_them() -> None:
    recent = RecentPrompts(6)
    assert recent.common(prompt(1, 2)) == 0
    recent.add(prompt(1, 2))
    recent.add(prompt(1, 2, 3))
    recent.add(prompt(5, 6, 7))
    assert recent.common(prompt(1, 2, 3, 4)) == 3
    recent.add(prompt(8))
    assert recent.common(prompt(1, 2, 3, 4)) == 0
    assert recent.common(prompt(5, 6)) == 2
    recent.add(prompt(*range(10, 20)))
    assert recent.common(prompt(10, 11)) == 2, "the latest is there, however long it is"
