"""LoRA adapters: found, checked before the model starts, and put on it by a real llama.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from npc_eval.random_model import make_random_model
from npc_server.config import load_settings
from npc_server.errors import BadInput, ModelMissing, ModelRejected
from npc_server.llm import models
from npc_server.llm.adapters import Adapter, check_fits, find_adapter
from npc_server.llm.engine import Request
from npc_server.llm.gguf_header import read_header
from npc_server.llm.llama import LlamaContext, LlamaModel, Logits, Rows, Shape
from npc_server.llm.start import open_engine
from tests.llm.adapter_files import MATRICES, make_adapter
from tests.llm.conftest import engine_settings
from tests.llm.kinds import KINDS


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    return make_adapter(tmp_path / "voice.lora.gguf")


def logits(model_path: Path, adapters: Sequence[Adapter] = ()) -> Logits:
    model = LlamaModel(model_path, 0, adapters=adapters)
    context = LlamaContext(model, Shape(256, 32, 2, 1))
    context.decode(Rows.of((n * 7 % 900, n, 0, n == 9) for n in range(10)))
    found: Logits = context.logits()[0].copy()
    context.close()
    model.close()
    return found


@pytest.mark.model
def test_an_adapter_changes_the_logits_and_with_scale_0_it_does_not(random_model: Path, adapter: Path) -> None:
    plain = logits(random_model)
    assert np.array_equal(logits(random_model, [Adapter(adapter, 0.0)]), plain)
    half, whole = (np.abs(logits(random_model, [Adapter(adapter, scale)]) - plain).max() for scale in (0.5, 1.0))
    assert whole > 0.1
    assert 0 < half < whole


@pytest.mark.model
def test_two_adapters_add_up(random_model: Path, adapter: Path) -> None:
    both = logits(random_model, [Adapter(adapter, 0.5), Adapter(adapter, 0.5)])
    assert np.allclose(both, logits(random_model, [Adapter(adapter)]), atol=1e-2)


@pytest.mark.model
def test_what_llama_cpp_refuses_is_told_and_not_died_of(random_model: Path, tmp_path: Path) -> None:
    other = make_adapter(tmp_path / "other.gguf", {"blk.0.attn_q": (32, 64)})
    with pytest.raises(ModelRejected, match="cannot load the adapter"):
        LlamaModel(random_model, 0, adapters=[Adapter(other)])


@pytest.mark.model
async def test_the_settings_adapter_changes_what_is_said_and_stands_in_the_models_name(
    random_model: Path, adapter: Path, tmp_path: Path
) -> None:
    said: dict[str, str] = {}
    for adapters in ((), ({"file": str(adapter), "scale": 4.0},), ({"file": str(adapter), "scale": 0.0},)):
        settings = engine_settings(model=str(random_model), adapters=adapters, threads=1, deadline_s=3600)
        engine = await open_engine(settings, log_file=tmp_path / "log")
        done = await engine.complete(Request(system="You are Mara.", user="Hello", reply=KINDS["text"], seed=1, temperature=0.0))
        said[engine.status().model] = done.text
        assert settings.model_name == f"{random_model}{engine.status().model.removeprefix('random')}"
        await engine.close()
    assert list(said) == ["random", "random + voice x 4", "random + voice x 0"]
    assert said["random"] == said["random + voice x 0"] != said["random + voice x 4"]


async def test_an_adapter_that_is_missing_is_told_at_the_start(random_model: Path, tmp_path: Path) -> None:
    settings = engine_settings(model=str(random_model), adapters=[{"file": "nowhere.gguf"}])
    engine = await open_engine(settings, log_file=tmp_path / "log")
    assert "There is no adapter 'nowhere.gguf'" in engine.status().problem


async def test_an_adapter_is_no_model(adapter: Path, tmp_path: Path) -> None:
    engine = await open_engine(engine_settings(model=str(adapter)), log_file=tmp_path / "log")
    assert "is an adapter and no model" in engine.status().problem


def test_it_is_found_by_path_and_by_name_in_the_folders_of_models(adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))
    monkeypatch.chdir(tmp_path.parent)
    for name in (str(adapter), f"{tmp_path.name}/voice.lora.gguf", "voice", "voice.lora", "voice.lora.gguf"):
        assert find_adapter(name, tmp_path).samefile(adapter), name
    with pytest.raises(ModelMissing, match="no adapter"):
        find_adapter("voices/voice", tmp_path)


def test_one_for_another_model_is_refused_before_the_start(random_model: Path, tmp_path: Path) -> None:
    model = read_header(random_model)
    check_fits(read_header(make_adapter(tmp_path / "fits.gguf")), model)
    check_fits(read_header(make_adapter(tmp_path / "lists.gguf", {"token_embd": (64, 1024)})), model)
    wrong = {
        "architecture 'qwen2'": make_adapter(tmp_path / "a.gguf", architecture="qwen2"),
        "which 'random' does not have": make_adapter(tmp_path / "b.gguf", {"blk.2.attn_q": (64, 64)}),
        "do not fit it": make_adapter(tmp_path / "c.gguf", {**MATRICES, "blk.0.attn_k": (32, 64)}),
        "no pair of matrices for 'blk.0.attn_q.weight.lora_a'": make_adapter(tmp_path / "d.gguf", without="blk.0.attn_q.weight.lora_a"),
        "changes nothing": make_adapter(tmp_path / "e.gguf", {}),
        "is no LoRA adapter": make_adapter(tmp_path / "f.gguf", kind="other"),
        "random.gguf' is no LoRA adapter": random_model,
    }
    for said, path in wrong.items():
        with pytest.raises(ModelRejected, match=said):
            check_fits(read_header(path), model)


def test_one_that_waits_for_certain_words_is_refused(random_model: Path, tmp_path: Path) -> None:
    header = read_header(make_adapter(tmp_path / "waits.gguf"))
    header.arrays["adapter.alora.invocation_tokens"] = 3
    with pytest.raises(ModelRejected, match="only after certain words"):
        check_fits(header, read_header(random_model))


@pytest.mark.parametrize("scale", ["nan", "inf", "11", "-10.5", '"much"'])
def test_a_scale_that_means_nothing_is_refused(scale: str, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'[engine]\nadapters = [{{ file = "voice.gguf", scale = {scale} }}]\n', encoding="utf-8")
    with pytest.raises(BadInput, match=r"engine\.adapters\.0\.scale"):
        load_settings(file)


def test_adapters_are_read_from_the_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        '[engine]\nmodel = "a"\nadapters = [{ file = "x/voice.lora.gguf", scale = 0.5 }, { file = "b.gguf" }]\n', encoding="utf-8"
    )
    engine = load_settings(file, engine={"model": "a"}).engine
    assert [(it.file, it.scale) for it in engine.adapters] == [("x/voice.lora.gguf", 0.5), ("b.gguf", 1.0)]
    assert engine.model_name == "a + voice x 0.5 + b"


def test_a_model_with_other_matrices_makes_the_same_adapter_unfit(tmp_path: Path) -> None:
    wide = read_header(make_random_model(tmp_path / "wide.gguf", width=128))
    with pytest.raises(ModelRejected, match="do not fit"):
        check_fits(read_header(make_adapter(tmp_path / "voice.gguf")), wide)
