"""What endpoints send, as far as it is used. Servers differ in the rest, so unknown fields are ignored and most may be missing."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from npc_server.visible import visible

SHOWN_CHARS = 100
MOST_TOKENS = 100_000_000
"""No prompt, reply or context has more tokens. A larger number is a lie, and a save could not store it."""


def _counted(value: object) -> int:
    """A number of tokens, or 0 for what is none."""
    return int(value) if isinstance(value, (int, float)) and 0 <= value <= MOST_TOKENS else 0


_Count = Annotated[int, BeforeValidator(_counted)]
"""A number that an endpoint claims. 0 says that it is not known."""


class Details(BaseModel):
    cached_tokens: _Count = 0


class Usage(BaseModel):
    """What a request cost."""

    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    prompt_tokens_details: Details | None = None


class Message(BaseModel):
    """A piece of a reply, or all of it."""

    content: str | None = None
    reasoning: Any = None
    """What a model thinks to itself: Ollama, vLLM, LM Studio."""
    reasoning_content: Any = None
    """The same: llama-server, SGLang, DeepSeek."""

    @property
    def thought(self) -> str:
        return "".join(it for it in (self.reasoning, self.reasoning_content) if isinstance(it, str))


class Option(BaseModel):
    delta: Message | None = None
    message: Message | None = None
    finish_reason: str | None = None


class Chunk(BaseModel):
    """A piece of a streamed answer, or a whole one."""

    choices: list[Option] = []
    usage: Usage | None = None
    error: Any = None


def shown(name: str) -> str:
    """A model's name on one line and cut, without characters that steer a terminal."""
    return visible(name[:SHOWN_CHARS])


class ModelEntry(BaseModel):
    """A model that an endpoint lists."""

    id: str
    max_model_len: _Count = 0
    """vLLM and SGLang: the context in tokens."""
    meta: dict[str, Any] | None = None
    """llama-server: facts about the model."""

    @property
    def shown(self) -> str:
        """The name as people see it. It comes from outside, so that it may be long, and may steer a terminal."""
        return shown(self.id)

    @property
    def context_tokens(self) -> int:
        """The most tokens of a prompt with its reply, or 0 when the endpoint does not say."""
        return self.max_model_len or _counted((self.meta or {}).get("n_ctx"))


class ModelEntries(BaseModel):
    data: list[ModelEntry] | None = None


class Embedding(BaseModel):
    index: int
    embedding: list[float]


class Embeddings(BaseModel):
    data: list[Embedding] = []
