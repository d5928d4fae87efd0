from __future__ import annotations

import gc
from pathlib import Path

import pytest

from npc_eval.random_model import USER_DEFINED_TOKEN
from npc_server.errors import ModelRejected
from npc_server.llm.llama_vocab import Vocabulary

pytestmark = pytest.mark.model


def test_it_counts_as_the_model_does(random_model: Path) -> None:
    from npc_server.llm.llama import LlamaModel

    model = LlamaModel(random_model, 0)
    texts = ["", "Mara bakes bread.", "Grüße 🍞 aus der Mühle\nund mehr", f"{USER_DEFINED_TOKEN} so"]
    assert Vocabulary(random_model, 1 << 26).count(texts) == [len(model.tokenizer.read_words(text)) for text in texts]


def test_a_model_is_loaded_after_a_vocabulary_is_gone(random_model: Path) -> None:
    from npc_server.llm.llama import LlamaModel

    Vocabulary(random_model, 1 << 26)
    gc.collect()
    LlamaModel(random_model, 0).close()  # llama.cpp says a word or two meanwhile


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.gguf"
    path.write_text("no model")
    with pytest.raises(ModelRejected):
        Vocabulary(path, 1 << 26)
