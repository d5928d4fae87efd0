"""Pulling from a real HTTP server on this machine: interrupted, resumed, wrong, gone."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.models import CatalogueModel, HubFile, find_entry
from npc_server.llm.pull import pull
from npc_server.llm.pull_notes import Record

MOST = 100_000_000


@dataclass
class Hub:
    """A hub with one file, which can break off, lie, change its file, or ignore what it is asked."""

    data: bytes
    url: str = ""
    break_after: int = 0
    ranges: bool = True
    etag: str = '"v1"'
    heeds_if_range: bool = True
    length: bool = True
    content_range: str = ""
    named_hash: str = ""
    status: int = 200
    sends_on: str = ""
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
                self.send_header("Location", state.sends_on or "/cdn" + self.path)
                if state.named_hash:
                    self.send_header("X-Linked-Etag", f'"{state.named_hash}"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            same = not state.heeds_if_range or self.headers.get("If-Range", state.etag) == state.etag
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges and same else 0
            if start >= len(state.data):
                self.send_error(416)
                return
            rest = state.data[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", state.content_range or f"bytes {start}-{len(state.data) - 1}/{len(state.data)}")
            if state.etag:
                self.send_header("ETag", state.etag)
            if state.length:
                self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # one who has had enough hangs up
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


def entry(sha256: str = "", size_bytes: int = 0) -> CatalogueModel:
    hub = HubFile("somebody/tiny-GGUF")
    return CatalogueModel("tiny", "chat", "tiny.gguf", 1, 1, "MIT", "", (hub,), sha256=sha256, size_bytes=size_bytes)


def sha_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def changed(data: bytes) -> bytes:
    """Another model of the same length, whose header is sound, and whose weights are others from the start."""
    return data[:60_000] + b"\xaa" * (len(data) - 60_000)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def break_off(hub: Hub, folder: Path, after: int = 100_000) -> None:
    hub.break_after = after
    with pytest.raises(ModelMissing, match=f"stopped after {after} bytes"):
        pull(entry(), folder, hub.url, MOST)
    hub.break_after = 0


def test_pulled_file_is_whole_and_shows_its_progress(hub: Hub, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    exact = entry(sha_of(hub.data), len(hub.data))
    pulled = pull(exact, tmp_path / "new" / "folder", hub.url, MOST, lambda here, whole: seen.append((here, whole)))
    assert pulled.path.read_bytes() == hub.data
    assert (pulled.known, pulled.sha256) == ("catalogue", sha_of(hub.data))
    assert seen[0] == (0, len(hub.data))
    assert seen[-1] == (len(hub.data), len(hub.data))
    assert hub.asked[0] == ("/somebody/tiny-GGUF/resolve/main/tiny.gguf", "")
    assert names(pulled.path.parent) == ["tiny.gguf"]


def test_second_pull_asks_nobody(hub: Hub, tmp_path: Path) -> None:
    pull(entry(), tmp_path, hub.url, MOST)
    asked = len(hub.asked)
    assert pull(entry(), tmp_path, "http://127.0.0.1:9", MOST).known == "was here"
    assert len(hub.asked) == asked


def test_interrupted_pull_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.break_after = 100_000
    with pytest.raises(ModelMissing, match="stopped after 100000 bytes") as caught:
        pull(entry(), tmp_path, hub.url, MOST)
    assert "goes on" in caught.value.fix
    assert not (tmp_path / "tiny.gguf").exists()
    hub.break_after = 0
    assert pull(entry(), tmp_path, hub.url, MOST).path.read_bytes() == hub.data
    assert hub.asked[-1][1] == "bytes=100000-"
    assert names(tmp_path) == ["tiny.gguf", "tiny.gguf.lock"]


def test_file_that_changed_since_the_interruption_is_never_mixed(hub: Hub, tmp_path: Path) -> None:
    break_off(hub, tmp_path)
    hub.data, hub.etag = changed(hub.data), '"v2"'
    assert pull(entry(), tmp_path, hub.url, MOST).path.read_bytes() == hub.data


@pytest.mark.parametrize("lie", ["goes on with another version", "names no version", "sends another range", "has no ranges"])
def test_server_that_does_not_go_on_as_asked_is_asked_from_the_start(hub: Hub, tmp_path: Path, lie: str) -> None:
    break_off(hub, tmp_path)
    hub.data = changed(hub.data)
    hub.heeds_if_range = False
    if lie == "goes on with another version":
        hub.etag = '"v2"'
    elif lie == "names no version":
        hub.etag = ""
    elif lie == "sends another range":
        hub.content_range = f"bytes 99999-{len(hub.data) - 1}/{len(hub.data)}"
    else:
        hub.ranges = False
    assert pull(entry(), tmp_path, hub.url, MOST).path.read_bytes() == hub.data


@pytest.mark.parametrize("etag", ["", 'W/"v1"', "v1", '"v"1"'])
def test_part_of_a_version_without_a_strong_name_is_not_kept(hub: Hub, tmp_path: Path, etag: str) -> None:
    hub.etag, hub.break_after = etag, 100_000
    with pytest.raises(ModelMissing, match="stopped after 100000 bytes") as caught:
        pull(entry(), tmp_path, hub.url, MOST)
    assert "starts over" in caught.value.fix
    assert names(tmp_path) == []


def test_part_from_another_mirror_is_not_gone_on_with(hub: Hub, tmp_path: Path) -> None:
    break_off(hub, tmp_path)
    hub.data, here = changed(hub.data), hub.url
    assert pull(entry(), tmp_path, here.replace("127.0.0.1", "localhost"), MOST).path.read_bytes() == hub.data
    assert hub.asked[-1][1] == ""


@pytest.mark.parametrize("note", [None, "{", "[1]", '{"url": 1}', '{"url": "x", "etag": "\\"v1\\"", "bytes": 9}'])
def test_part_of_unknown_origin_is_thrown_away(hub: Hub, tmp_path: Path, note: str | None) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(changed(hub.data)[:5000])
    if note is not None:
        (tmp_path / "tiny.gguf.part.json").write_text(note)
    assert pull(entry(), tmp_path, hub.url, MOST).path.read_bytes() == hub.data
    assert names(tmp_path) == ["tiny.gguf", "tiny.gguf.lock"]


def test_part_that_is_whole_already_is_only_checked(hub: Hub, tmp_path: Path) -> None:
    break_off(hub, tmp_path)
    asked = len(hub.asked)
    (tmp_path / "tiny.gguf.part").write_bytes(hub.data)
    assert pull(entry(sha_of(hub.data)), tmp_path, hub.url, MOST).path.read_bytes() == hub.data
    assert len(hub.asked) == asked


def test_first_pull_without_a_known_hash_is_recorded_and_later_ones_must_bring_the_same(hub: Hub, tmp_path: Path) -> None:
    first = pull(entry(), tmp_path, hub.url, MOST)
    assert (first.known, first.sha256) == ("first", sha_of(hub.data))
    url = f"{hub.url}/somebody/tiny-GGUF/resolve/main/tiny.gguf"
    assert Record.of(first.path) == Record(url, '"v1"', len(hub.data), sha_of(hub.data))
    first.path.unlink()
    assert pull(entry(), tmp_path, hub.url, MOST).known == "record"
    first.path.unlink()
    hub.data = changed(hub.data)
    with pytest.raises(ModelRejected, match="came when it was first pulled") as caught:
        pull(entry(), tmp_path, hub.url, MOST)
    assert "delete tiny.gguf.lock" in caught.value.fix
    assert names(tmp_path) == ["tiny.gguf.lock"]


def test_record_that_cannot_be_read_is_no_reason_to_trust_what_comes(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.lock").write_text('{"sha256": ')
    with pytest.raises(ModelRejected, match="cannot be read"):
        pull(entry(), tmp_path, hub.url, MOST)
    assert hub.asked == []


def test_hash_that_a_mirror_names_proves_nothing(hub: Hub, tmp_path: Path) -> None:
    good = sha_of(hub.data)
    hub.data = changed(hub.data)
    hub.named_hash = sha_of(hub.data)
    with pytest.raises(ModelRejected, match=f"and {good} is right"):
        pull(entry(good), tmp_path, hub.url, MOST)
    assert names(tmp_path) == []
    assert pull(entry(), tmp_path, hub.url, MOST).known == "first", "it is trusted as what came first, not as what the mirror vouched for"


def test_hash_that_a_server_names_shows_damage_on_the_way(hub: Hub, tmp_path: Path) -> None:
    hub.named_hash = "0" * 64
    with pytest.raises(ModelRejected, match="what the server itself says"):
        pull(entry(), tmp_path, hub.url, MOST)
    assert names(tmp_path) == []


@pytest.mark.parametrize("by", ["hash", "size"])
def test_what_is_not_the_catalogues_file_is_refused_and_deleted(hub: Hub, tmp_path: Path, by: str) -> None:
    wrong = entry("0" * 64) if by == "hash" else entry(size_bytes=len(hub.data) + 1)
    with pytest.raises(ModelRejected, match="SHA-256" if by == "hash" else "are right"):
        pull(wrong, tmp_path, hub.url, MOST)
    assert names(tmp_path) == []


@pytest.mark.parametrize("says", [True, False], ids=["says so", "says no length"])
def test_more_than_belongs_to_it_is_not_taken(hub: Hub, tmp_path: Path, says: bool) -> None:
    hub.data += bytes(30_000_000)
    hub.length = says
    seen = [0]
    with pytest.raises(ModelRejected, match="too large"):
        pull(entry(), tmp_path, hub.url, MOST, lambda here, whole: seen.append(here))
    assert max(seen) <= 1_500_000
    assert names(tmp_path) == []


def test_one_byte_more_than_the_catalogues_size_is_not_taken(hub: Hub, tmp_path: Path) -> None:
    hub.length = False
    exact = entry(sha_of(hub.data), len(hub.data))
    hub.data += b"x"
    with pytest.raises(ModelRejected, match="too large: more came"):
        pull(exact, tmp_path, hub.url, MOST)
    assert names(tmp_path) == []


def test_model_beyond_the_setting_is_not_asked_for(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelRejected, match="at most 999999 are pulled") as caught:
        pull(entry(), tmp_path, hub.url, 999_999)
    assert "engine.max_pull_bytes" in caught.value.fix
    assert hub.asked == []


def test_pull_that_was_cut_without_a_length_is_noticed(hub: Hub, tmp_path: Path) -> None:
    hub.length, hub.break_after = False, 700_000
    with pytest.raises(ModelRejected, match="short"):
        pull(entry(), tmp_path, hub.url, MOST)
    assert names(tmp_path) == []


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/x", "/again", "http://[::1"])
def test_being_sent_to_a_bad_place_is_told(hub: Hub, tmp_path: Path, to: str) -> None:
    hub.sends_on = to
    with pytest.raises(ModelMissing, match="stopped after 0 bytes"):
        pull(entry(), tmp_path, hub.url, MOST)
    assert names(tmp_path) == []


def test_encrypted_address_may_not_send_one_on_to_a_bare_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.scheme == "https":
            return httpx.Response(302, headers={"Location": "http://elsewhere.example/tiny.gguf"})
        return httpx.Response(200, content=b"GGUF")

    client = httpx.Client
    monkeypatch.setattr(httpx, "Client", lambda **given: client(transport=httpx.MockTransport(answer), **given))
    with pytest.raises(ModelRejected, match="without encryption"):
        pull(entry(), tmp_path, "https://hub.example", MOST)


def test_file_of_the_catalogue_is_a_plain_name(hub: Hub, tmp_path: Path) -> None:
    outside = CatalogueModel("x", "chat", "../escaped.gguf", 1, 1, "", "", (HubFile("a/b"),))
    with pytest.raises(ModelRejected, match="plain name"):
        pull(outside, tmp_path / "models", hub.url, MOST)


def test_what_is_no_model_is_refused_and_deleted(hub: Hub, tmp_path: Path) -> None:
    hub.data = b"<html>Please log in</html>" * 10
    with pytest.raises(ModelRejected, match="does not start with GGUF"):
        pull(entry(), tmp_path, hub.url, MOST)
    assert names(tmp_path) == []


def test_model_that_is_gone_says_so(hub: Hub, tmp_path: Path) -> None:
    hub.status = 404
    with pytest.raises(ModelMissing, match="answered 404") as caught:
        pull(entry(), tmp_path, hub.url, MOST)
    assert "model add" in caught.value.fix


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="stopped after 0 bytes"):
        pull(entry(), tmp_path, "http://127.0.0.1:9", MOST)


@pytest.mark.parametrize(("name", "fix"), [("all-minilm-l6-v2", "make-embedder")])
def test_what_is_not_on_the_hub_is_not_pulled_and_says_how_it_comes(tmp_path: Path, name: str, fix: str) -> None:
    found = find_entry(name)
    assert found is not None
    with pytest.raises(ModelMissing, match=fix):
        pull(found, tmp_path, "http://127.0.0.1:9", MOST)
