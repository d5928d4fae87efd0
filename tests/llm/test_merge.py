"""Adapters in the weights of a model: the same words as with the adapter put on, and a file that says what it is."""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import numpy as np
import pytest

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.adapters import Adapter
from npc_server.llm.gguf_header import read_header
from npc_server.llm.llama_tools import Form, quantize
from npc_server.llm.merge import merge, write_as_q8
from tests.llm.adapter_files import MATRICES, RANK, make_adapter
from tests.llm.test_adapters import logits


def weights(path: Path) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    return {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in gguf.GGUFReader(path).tensors}


def test_each_matrix_gets_scale_times_alpha_over_rank_times_b_a(random_model: Path, tmp_path: Path) -> None:
    adapter = make_adapter(tmp_path / "voice.gguf", alpha=6.0)
    merge(random_model, [Adapter(adapter, 0.5)], tmp_path / "merged.gguf")
    before, after, parts = weights(random_model), weights(tmp_path / "merged.gguf"), weights(adapter)
    assert before.keys() == after.keys()
    for name in before:
        if name.removesuffix(".weight") in MATRICES:
            added = 0.5 * 6.0 / RANK * parts[f"{name}.lora_b"] @ parts[f"{name}.lora_a"]
            assert np.abs(added).max() > 0.01
            assert np.allclose(after[name], before[name] + added, atol=2e-3), name
        else:
            assert np.array_equal(after[name], before[name]), name


def test_without_alpha_the_scale_alone_counts(random_model: Path, tmp_path: Path) -> None:
    made = [make_adapter(tmp_path / f"{alpha}.gguf", alpha=alpha) for alpha in (None, float(RANK))]
    for adapter in made:
        merge(random_model, [Adapter(adapter)], adapter.with_suffix(".merged"))
    one, other = (weights(adapter.with_suffix(".merged")) for adapter in made)
    assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.model
def test_merged_it_says_what_it_says_with_the_adapter_put_on(random_model: Path, tmp_path: Path) -> None:
    adapter = make_adapter(tmp_path / "voice.gguf")
    merge(random_model, [Adapter(adapter)], tmp_path / "merged.gguf")
    put_on, merged, plain = logits(random_model, [Adapter(adapter)]), logits(tmp_path / "merged.gguf"), logits(random_model)
    assert np.abs(merged - put_on).max() < 0.05 * np.abs(plain - put_on).max()


@pytest.mark.model
@pytest.mark.parametrize("form", ["IQ4_NL", "Q4_0", "Q8_0"])
def test_quantized_it_is_smaller_and_keeps_the_matrices_that_choose_words_fine(form: Form, random_model: Path, tmp_path: Path) -> None:
    target = tmp_path / "small.gguf"
    quantize(random_model, target, form)
    types = {tensor.name: tensor.tensor_type.name for tensor in gguf.GGUFReader(target).tensors}
    assert types["token_embd.weight"] == types["output.weight"] == "Q8_0"
    assert types["blk.0.attn_q.weight"] == types["blk.1.ffn_down.weight"] == form
    assert types["blk.0.attn_norm.weight"] == "F32"
    assert np.corrcoef(logits(target), logits(random_model))[0, 1] > 0.97
    with pytest.raises(ModelRejected, match="cannot turn"):
        quantize(random_model, tmp_path / "no folder" / "x.gguf", form)


def test_the_header_stays_and_takes_hints_of_the_adapter_and_what_is_given(random_model: Path, tmp_path: Path) -> None:
    adapter = make_adapter(tmp_path / "voice.gguf", weak_at="react")
    merge(random_model, [Adapter(adapter)], tmp_path / "merged.gguf", {"general.name": "npc-voice", "npc_server.memories_shown": 4})
    before, after = read_header(random_model), read_header(tmp_path / "merged.gguf")
    assert (after.name, after.weak_at, after.memories_shown) == ("npc-voice", frozenset({"react"}), 4)
    assert before.arrays == after.arrays
    assert {key: value for key, value in after.values.items() if before.values.get(key) != value} == {
        "general.name": "npc-voice", "npc_server.weak_at": "react", "npc_server.memories_shown": 4
    }  # fmt: skip


def test_what_cannot_be_merged_is_refused(random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "merged.gguf"
    with pytest.raises(ModelRejected, match="not merged"):
        merge(random_model, [Adapter(make_adapter(tmp_path / "a.gguf", {"token_embd": (64, 1024)}))], target)
    with pytest.raises(ModelRejected, match="does not have"):
        merge(random_model, [Adapter(make_adapter(tmp_path / "b.gguf", {"blk.7.attn_q": (64, 64)}))], target)
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(ModelMissing, match="needs the package gguf"):
        merge(random_model, [], target)
    assert not target.exists()


@pytest.mark.model
def test_q8_without_llama_cpp_is_that_of_llama_cpp(random_model: Path, tmp_path: Path) -> None:
    merge(random_model, [Adapter(make_adapter(tmp_path / "voice.gguf"))], tmp_path / "merged.gguf", {"general.name": "merged"})
    write_as_q8(tmp_path / "merged.gguf", tmp_path / "ours.gguf")
    quantize(tmp_path / "merged.gguf", tmp_path / "theirs.gguf", "Q8_0")
    ours, theirs = weights(tmp_path / "ours.gguf"), weights(tmp_path / "theirs.gguf")
    assert ours.keys() == theirs.keys()
    assert all(np.allclose(ours[name], theirs[name], atol=2e-3) for name in ours)
    assert read_header(tmp_path / "ours.gguf").name == "merged"
