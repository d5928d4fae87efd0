"""The marks of a vocabulary, read from its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.llm.gguf_header import read_header
from npc_server.llm.gguf_tokens import read_marks
from npc_server.llm.llama_vocab import Vocabulary
from tests.in_the_box import EMBEDDER, MODEL
from tests.llm.test_tokenizer import MADE, make

pytestmark = pytest.mark.model


def assert_same_as_llama_cpp(path: Path) -> None:
    assert read_marks(read_header(path)) == Vocabulary(path, 1 << 26).tokenizer.vocab.marks()


def test_marks_are_those_of_llama_cpp(random_model: Path) -> None:
    assert_same_as_llama_cpp(random_model)


@pytest.mark.parametrize("path", [MODEL, EMBEDDER], ids=lambda path: path.name)
def test_marks_of_models_in_the_box_are_those_of_llama_cpp(path: Path) -> None:
    if not path.is_file():
        pytest.skip(f"there is no {path.name}; make setup makes it")
    assert_same_as_llama_cpp(path)


@pytest.mark.parametrize("name", MADE)
def test_marks_of_other_families_are_those_of_llama_cpp(name: str, tmp_path: Path) -> None:
    assert_same_as_llama_cpp(make(name, tmp_path))


@pytest.mark.real_model
def test_end_of_a_reply_that_its_file_does_not_mark_is_a_mark(qwen_05b: Path) -> None:
    assert "</s>" in read_marks(read_header(qwen_05b)).values()
    assert_same_as_llama_cpp(qwen_05b)
