"""Measures how fast a model reads and writes in llama.cpp's own server, which tells the times of each answer itself."""

from __future__ import annotations

from typing import Any

from npc_server.llm.served.server import LlamaCppServer
from npc_server.llm.speed import Speed

READ_TOKENS = 96
MOST_WRITTEN = 32


def measure(server: LlamaCppServer, vocabulary: int, most_s: float) -> Speed:
    """Return the speed of a model that does nothing else. It takes about `most_s` seconds at most.

    The first answer reads the file from the disk and does not count.
    """
    warm = _ask(server, [1 % vocabulary], 2)
    written_s = max(float(warm["predicted_per_token_ms"]), 1.0) / 1000
    # Reading takes a tenth of writing or less, for each token.
    read = _ask(server, [token % vocabulary for token in range(READ_TOKENS)], 1)
    written = _ask(server, [2 % vocabulary], max(2, min(MOST_WRITTEN, int(most_s / 2 / written_s))))
    return Speed(max(float(read["prompt_per_second"]), 1e-3), max(float(written["predicted_per_second"]), 1e-3))


def _ask(server: LlamaCppServer, prompt: list[int], written: int) -> dict[str, Any]:
    body = {"prompt": prompt, "n_predict": written, "temperature": 0, "ignore_eos": True, "cache_prompt": False}
    found: dict[str, Any] = server.post("/completion", body)["timings"]
    return found
