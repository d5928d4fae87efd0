"""A question and its answer as llama.cpp's own server writes them (`/completion`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from npc_server.errors import EngineError
from npc_server.llm.protocol import Frame
from npc_server.llm.sampling_parameters import SamplingParameters
from npc_server.llm.sequences import Tokens


@dataclass(frozen=True)
class Completed:
    """A whole answer, with the fields of the frame that tells it."""

    text: str
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    truncated: bool


def body_of(item: Frame, tokens: Tokens, usual: SamplingParameters, penalty_tokens: int) -> dict[str, Any]:
    """Return the question of a frame. `usual` is what is sampled with where the settings say nothing."""
    chosen = {name: usual_one if item[name] is None else item[name] for name, usual_one in vars(usual).items()}
    penalty = float(item["repeat_penalty"])
    return {
        "prompt": tokens.tolist(),
        "n_predict": int(item["max_tokens"]),
        **chosen,
        "seed": int(item["seed"]) % 2**31,
        "stream": True,
        "cache_prompt": True,
        # A long prompt is read for many seconds, in which nothing else shows that the server works.
        "return_progress": True,
        **({"grammar": item["grammar"]} if item["grammar"] else {}),
        **({"stop": ["\n"]} if item["one_line"] else {}),
        **({"repeat_penalty": penalty, "repeat_last_n": penalty_tokens} if penalty != 1 else {}),
    }


def read_event(data: str, text: str) -> tuple[str, Completed | None, int]:
    """Return what an event adds to the `text` so far, and the whole answer if that ends with it. Raises EngineError.

    The third is the slot of the server that gave the answer; -1 as long as it is not told.
    """
    try:
        event = json.loads(data)
        if "error" in event:
            raise EngineError(f"llama.cpp's server broke off with an error: {str(event['error'])[:200]}.", "See the model log.")
        new = str(event.get("content", ""))
        if not event.get("stop"):
            return new, None, -1
        cached = int(event.get("timings", {}).get("cache_n", 0))
        read, written = int(event["tokens_evaluated"]), int(event["tokens_predicted"])
        done = Completed(text + new, read, cached, written, event.get("stop_type") == "limit")
        return new, done, int(event.get("id_slot", -1))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EngineError(f"llama.cpp's server sent what is no answer: {data[:200]!r}.", "Use another version of it.") from error
