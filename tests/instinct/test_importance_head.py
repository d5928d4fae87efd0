"""Importance by meaning: weights on a memory's embedding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from npc_server.config import EngineSettings
from npc_server.instinct import importance_head
from npc_server.instinct.linear_head import LinearHead
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.start import open_embedder
from tests.in_the_box import EMBEDDER, needs_embedder

FIRE, DISHES = "The stove in the kitchen is burning", "Rose Marsh is folding towels"


def test_the_embedding_model_in_the_box_has_weights() -> None:
    assert importance_head._heads()["all-minilm-l6-v2/384"].weights.shape == (384,)


def test_a_rating_is_the_weighted_sum_of_the_vector_between_1_and_10(monkeypatch: pytest.MonkeyPatch) -> None:
    head = LinearHead(np.array([4.0, -4.0], np.float32), 5.0)
    monkeypatch.setattr(importance_head, "_heads", lambda: {"two": head})
    vectors = np.array([[0.5, 0.0], [3.0, 0.0], [0.0, 3.0]], np.float32)
    assert importance_head.ratings("two", ["a", "b", "c"], vectors) == [7, 10, 1]


def test_without_weights_or_a_vector_a_word_that_matters_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert importance_head.ratings("another", [FIRE, DISHES], np.ones((2, 384), np.float32)) == [8, 3]
    monkeypatch.setattr(importance_head, "_heads", lambda: {"two": LinearHead(np.ones(2, np.float32), 1.0)})
    assert importance_head.ratings("two", [FIRE, DISHES], np.zeros((2, 2), np.float32)) == [8, 3]
    assert importance_head.ratings("two", [], np.zeros((0, 2), np.float32)) == []


@pytest.mark.model
@needs_embedder
async def test_memories_are_rated_by_what_they_mean(tmp_path: Path) -> None:
    embedder = await open_embedder(EngineSettings(reranker="none", models_folder=EMBEDDER.parent))
    texts = [
        FIRE,
        "The doctor told Mina how few months are left",
        "Tobin Hale was elected head of the guild",
        "Mara Voss is getting married",
        DISHES,
        "Bo brushed his teeth",
        "Rufus Blackwood is sitting by the fire",
        "Ilse Brandt put the toy gun back into the cupboard",
    ]
    rated = importance_head.ratings(embedder.name, texts, await embedder.embed(texts))
    await embedder.close()
    assert min(rated[:4]) >= 6
    assert max(rated[4:]) <= 4


def test_hashed_words_have_no_weights() -> None:
    assert HashedWordsEmbedder.name not in importance_head._heads()
