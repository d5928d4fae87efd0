"""How an endpoint is asked not to think before it answers, and how a model without a system role is told who it is."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

Messages = Sequence[dict[str, str]]
NO_THINK = "/no_think"


class Quiet(str, Enum):
    """A way to switch thinking off, in the order in which they are tried.

    llama-server, vLLM and SGLang take none of these: they switch it off in the template (`endpoint.open_fields`).
    """

    EFFORT = "reasoning_effort"
    """Ollama since 0.12, LM Studio and most hosted endpoints. Ollama ignores all others at this address."""
    THINK = "think"
    """Proxies of Ollama's own API."""
    ENABLE = "enable_thinking"
    """Alibaba and SiliconFlow."""
    TYPE = "thinking"
    """DeepSeek, Zhipu and Moonshot."""
    WORD = NO_THINK
    """Qwen and SmolLM read it in the question, where a server knows no field for it."""


_FIELDS: dict[Quiet, dict[str, Any]] = {
    Quiet.EFFORT: {"reasoning_effort": "none"},
    Quiet.THINK: {"think": False},
    Quiet.ENABLE: {"enable_thinking": False},
    Quiet.TYPE: {"thinking": {"type": "disabled"}},
    Quiet.WORD: {},
}


def quiet_fields(way: Quiet | None) -> dict[str, Any]:
    """Return the fields of a request that switch thinking off."""
    return _FIELDS[way] if way is not None else {}


def quiet_messages(messages: Messages, way: Quiet | None) -> Messages:
    """Return the messages with the word that switches thinking off at the end of the last one."""
    if way is not Quiet.WORD or not messages:
        return messages
    *before, last = messages
    return [*before, {**last, "content": f"{last['content']} {NO_THINK}"}]


def without_system_role(messages: Messages) -> Messages:
    """Return the messages with what the system says at the beginning of the first turn of the user."""
    told = "\n\n".join(it["content"] for it in messages if it["role"] == "system")
    turns = [it for it in messages if it["role"] != "system"]
    if not told:
        return turns
    if not turns or turns[0]["role"] != "user":
        return [{"role": "user", "content": told}, *turns]
    return [{**turns[0], "content": f"{told}\n\n{turns[0]['content']}"}, *turns[1:]]
