"""Follows which prompts llama.cpp's own server still has in memory."""

from __future__ import annotations

from collections import deque

from npc_server.llm.sequences import Tokens, common_prefix


class RecentPrompts:
    """The prompts that a server was asked last, as many as its memory has room for."""

    def __init__(self, most_tokens: int) -> None:
        self._most, self._tokens = most_tokens, 0
        self._prompts: deque[Tokens] = deque()

    def add(self, tokens: Tokens) -> None:
        """Add the latest prompt. It takes the place of those that it begins with."""
        kept = [it for it in self._prompts if common_prefix(it, tokens) < len(it)]
        self._prompts, self._tokens = deque([*kept, tokens]), sum(map(len, kept)) + len(tokens)
        while self._tokens > self._most and len(self._prompts) > 1:
            self._tokens -= len(self._prompts.popleft())

    def common(self, tokens: Tokens) -> int:
        """Return how many first tokens of a prompt the server has read already."""
        return max((common_prefix(it, tokens) for it in self._prompts), default=0)
