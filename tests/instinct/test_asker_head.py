"""Questions about the asker, and about the one who is asked."""

from __future__ import annotations

import numpy as np
import pytest

from npc_server.config import EngineSettings
from npc_server.instinct import asker_head
from npc_server.instinct.asker_head import may_be_about_asker
from npc_server.instinct.linear_head import LinearHead
from npc_server.llm.start import open_embedder
from tests.in_the_box import EMBEDDER, needs_embedder


def test_the_weights_tell_them_apart_and_another_embedding_model_lets_all_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    heads = {"two/2": LinearHead(np.array([1.0, -1.0], np.float32), 0.5)}
    monkeypatch.setattr(asker_head, "_heads", lambda: heads)
    assert may_be_about_asker("two/2", np.array([1.0, 0.0], np.float32))
    assert not may_be_about_asker("two/2", np.array([0.0, 1.0], np.float32))
    assert may_be_about_asker("other/2", np.array([0.0, 1.0], np.float32))


def test_the_weights_in_the_box_fit_the_embedding_model_in_the_box() -> None:
    (head,) = asker_head._heads().values()
    assert head.weights.shape == (384,)
    assert head.weights.any()


@pytest.mark.model
@needs_embedder
async def test_what_is_asked_of_oneself_and_of_the_other_differs_by_its_meaning() -> None:
    embedder = await open_embedder(EngineSettings(reranker="none", models_folder=EMBEDDER.parent))
    own = ["What is my uncle called?", "Which town am I going to?", "who was looking for the blue key?"]
    yours = ["Do you have an uncle?", "Do you like tea?", "Are you looking forward to winter?"]
    try:
        vectors = await embedder.embed([*own, *yours])
    finally:
        await embedder.close()
    assert [may_be_about_asker(embedder.name, row) for row in vectors] == [True] * 3 + [False] * 3
