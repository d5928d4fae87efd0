"""The few lines that touch llama.cpp: the guard against AMX, and misuse that is refused before it aborts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import pytest

from npc_eval.random_model import USER_DEFINED_TOKEN
from npc_server.errors import ModelRejected
from npc_server.llm.llama import LlamaContext, LlamaModel, Row, Rows, Shape, needs_plain_buffers

WITH_AMX = "CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 1 | AMX_INT8 = 1 | LLAMAFILE = 1 | REPACK = 1 | "
WITHOUT = "CPU : SSE3 = 1 | AVX2 = 1 | AMX_INT8 = 0 | REPACK = 1 | "

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("info", "plain"), [(WITH_AMX, True), (WITHOUT, False), ("CPU : AMX_INT8 = 1", True), ("", False), ("CPU : AVX = 1 |", False)]
)
def test_amx_is_recognised(info: str, plain: bool) -> None:
    assert needs_plain_buffers(info) is plain


def test_with_amx_the_model_is_loaded_without_repacked_weights(random_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[bool] = []
    load = llama_cpp.llama_model_load_from_file

    def note(path: bytes, params: Any) -> Any:
        loads.append(bool(params.use_extra_bufts))
        return load(path, params)

    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", note)
    for info in (WITH_AMX, WITHOUT):
        LlamaModel(random_model, 0, info).close()
    assert loads == [False, True]


@pytest.fixture
def model(random_model: Path) -> LlamaModel:
    return LlamaModel(random_model, 0)


def test_misuse_is_refused_before_llama_cpp_sees_it(model: LlamaModel) -> None:
    context = LlamaContext(model, Shape(256, 32, 2, 1))
    with pytest.raises(ValueError, match="batch has 33 tokens"):
        context.decode(Rows.of([Row(1, n, 0, False) for n in range(33)]))
    with pytest.raises(ValueError, match="batch has 0 tokens"):
        context.decode(Rows.of([]))
    with pytest.raises(ValueError, match="sequence 2"):
        context.decode(Rows.of([Row(1, 0, 2, True)]))
    assert context.decode(Rows.of([Row(1, 0, 0, True)]))
    assert np.isfinite(context.logits()).all()
    context.close()


def test_full_context_is_told_not_died_of(model: LlamaModel) -> None:
    context = LlamaContext(model, Shape(256, 128, 2, 1))
    assert context.decode(Rows.of([Row(1, n, 0, False) for n in range(128)]))
    assert context.decode(Rows.of([Row(1, n, 1, False) for n in range(128)]))
    assert not context.decode(Rows.of([Row(1, 128, 0, True)]))
    context.cut(1)
    assert context.decode(Rows.of([Row(1, 128, 0, True)]))
    context.close()


def test_copied_prefix_gives_the_same_numbers(model: LlamaModel) -> None:
    context = LlamaContext(model, Shape(256, 64, 2, 1))
    context.decode(Rows.of([Row(n * 7 % 900, n, 0, n == 19) for n in range(20)]))
    first = context.logits()[0].copy()
    context.copy(0, 1, 19)
    context.decode(Rows.of([Row(19 * 7 % 900, 19, 1, True)]))
    assert np.allclose(context.logits()[0], first, atol=1e-2)
    context.close()


def test_texts_are_texts_and_marks_are_marks(model: LlamaModel) -> None:
    read_template, read_words = model.tokenizer.read_template, model.tokenizer.read_words
    for mark in ("<|im_end|>", USER_DEFINED_TOKEN):
        assert len(read_template(mark)) == 1
        assert len(read_words(mark)) > 1
        assert b"".join(model.piece(token) for token in read_words(mark)).decode() == mark
    assert model.end_tokens() == [*read_template("<|endoftext|>"), *read_template("<|im_end|>")]
    for text in ("hello there", "Grüße, 你好 ☕", "", "\x00 \n"):
        assert b"".join(model.piece(token) for token in read_words(text)).decode() == text


def test_file_that_is_no_model_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelRejected, match="cannot load"):
        LlamaModel(tmp_path / "x.gguf", 0)
