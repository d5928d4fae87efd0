"""Pulling from a real HTTP server on this machine: interrupted, resumed, wrong, gone."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.models import CatalogueModel, find_entry
from npc_server.llm.pull import pull


@dataclass
class Hub:
    """A hub with one file, which can break off, lie about its hash, or ignore ranges."""

    data: bytes
    url: str = ""
    break_after: int = 0
    ranges: bool = True
    named_hash: str = ""
    status: int = 200
    asked: list[tuple[str, str]] = field(default_factory=list)


@pytest.fixture
def hub(model_bytes: bytes) -> Iterator[Hub]:
    state = Hub(model_bytes)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            state.asked.append((self.path, wanted))
            if state.status != 200:
                self.send_error(state.status)
                return
            if not self.path.startswith("/cdn"):  # the hub names the hash and sends one on
                self.send_response(302)
                self.send_header("Location", "/cdn" + self.path)
                if state.named_hash:
                    self.send_header("X-Linked-Etag", f'"{state.named_hash}"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
            if start >= len(state.data):
                self.send_error(416)
                return
            rest = state.data[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: state.break_after or len(rest)])

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield state
        server.shutdown()
        thread.join()


def entry(sha256: str = "") -> CatalogueModel:
    return CatalogueModel("tiny", "chat", "somebody/tiny-GGUF", "tiny.gguf", 1, 1, "MIT", "", sha256)


def test_pulled_file_is_whole_and_shows_its_progress(hub: Hub, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    sha = hashlib.sha256(hub.data).hexdigest()
    path = pull(entry(sha), tmp_path / "new" / "folder", hub.url, lambda here, whole: seen.append((here, whole)))
    assert path.read_bytes() == hub.data
    assert seen[0] == (0, len(hub.data))
    assert seen[-1] == (len(hub.data), len(hub.data))
    assert hub.asked[0] == ("/somebody/tiny-GGUF/resolve/main/tiny.gguf", "")
    assert [one.name for one in path.parent.iterdir()] == ["tiny.gguf"]


def test_second_pull_asks_nobody(hub: Hub, tmp_path: Path) -> None:
    pull(entry(), tmp_path, hub.url)
    asked = len(hub.asked)
    pull(entry(), tmp_path, "http://127.0.0.1:9")
    assert len(hub.asked) == asked


def test_interrupted_pull_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.break_after = 100_000
    with pytest.raises(ModelMissing, match="stopped after 100000 bytes") as caught:
        pull(entry(), tmp_path, hub.url)
    assert "goes on" in caught.value.fix
    assert not (tmp_path / "tiny.gguf").exists()
    hub.break_after = 0
    assert pull(entry(), tmp_path, hub.url).read_bytes() == hub.data
    assert hub.asked[-1][1] == "bytes=100000-"


def test_server_without_ranges_starts_over(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(b"x" * 5000)
    hub.ranges = False
    assert pull(entry(), tmp_path, hub.url).read_bytes() == hub.data


def test_part_that_is_whole_already_is_only_checked(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(hub.data)
    assert pull(entry(hashlib.sha256(hub.data).hexdigest()), tmp_path, hub.url).read_bytes() == hub.data


@pytest.mark.parametrize("by", ["catalogue", "hub"])
def test_wrong_hash_is_refused_and_deleted(hub: Hub, tmp_path: Path, by: str) -> None:
    hub.named_hash = "0" * 64 if by == "hub" else ""
    with pytest.raises(ModelRejected, match="SHA-256"):
        pull(entry("0" * 64 if by == "catalogue" else ""), tmp_path, hub.url)
    assert list(tmp_path.iterdir()) == []
    hub.named_hash = hashlib.sha256(hub.data).hexdigest()
    assert pull(entry(), tmp_path, hub.url).exists()


def test_what_is_no_model_is_refused_and_deleted(hub: Hub, tmp_path: Path) -> None:
    hub.data = b"<html>Please log in</html>" * 10
    with pytest.raises(ModelRejected, match="does not start with GGUF"):
        pull(entry(), tmp_path, hub.url)
    assert list(tmp_path.iterdir()) == []


def test_model_that_is_gone_says_so(hub: Hub, tmp_path: Path) -> None:
    hub.status = 404
    with pytest.raises(ModelMissing, match="answered 404") as caught:
        pull(entry(), tmp_path, hub.url)
    assert "model add" in caught.value.fix


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="stopped after 0 bytes"):
        pull(entry(), tmp_path, "http://127.0.0.1:9")


@pytest.mark.parametrize(("name", "fix"), [("all-minilm-l6-v2", "make-embedder"), ("npc-nano", "install that again")])
def test_what_is_not_on_the_hub_is_not_pulled_and_says_how_it_comes(tmp_path: Path, name: str, fix: str) -> None:
    found = find_entry(name)
    assert found is not None
    with pytest.raises(ModelMissing, match=fix):
        pull(found, tmp_path, "http://127.0.0.1:9")
