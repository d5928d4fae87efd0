"""A server on another machine: the same journey over each way, and a clear word for each way that is closed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from npc_eval.benchmarks.cutting import cutting
from npc_server.wire.calls import WAITING_LIMIT
from tests.godot.conftest import RunCase, read_ready
from tests.godot.fake_server import TOKEN
from tests.rpc.certificates import certificate

pytestmark = [pytest.mark.godot, pytest.mark.parametrize("transport", ["socket"], indirect=True)]
KINDS = ("tcp", "tls", "ws", "wss")
Children = list[subprocess.Popen[str]]


@dataclass(frozen=True)
class Remote:
    """A stand-in server that lets games in one way, and what it has stored."""

    place: str
    store: Path

    def events(self) -> list[str]:
        return [json.dumps(json.loads(line)["event"], sort_keys=True) for line in self.store.read_text().splitlines()]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("tls"))


def started(kind: str, files: tuple[Path, Path], command: str, folder: Path, children: Children) -> Remote:
    folder.mkdir()
    ready, store = folder / "ready.json", folder / "events.jsonl"
    words = [*command.split(), "serve", "--ready-file", str(ready), "--save-folder", str(folder), "--store", str(store)]
    words += ["--tls-cert", str(files[0]), "--tls-key", str(files[1])] if kind in ("tls", "wss") else []
    words += ["--websocket"] if kind in ("ws", "wss") else []
    children.append(subprocess.Popen(words, text=True))
    return Remote(read_ready(ready)["socket"], store)


def names(kind: str, place: str, cert: Path) -> list[str]:
    return [f"address={kind}://{place}", f"token={TOKEN}", f"npc/server/certificate={cert if kind in ('tls', 'wss') else ''}"]


@pytest.mark.journey
def test_each_way_carries_the_same_session(
    run_case: RunCase, fake_command: str, files: tuple[Path, Path], tmp_path: Path, children: Children
) -> None:
    heard, stored = {}, {}
    for kind in KINDS:
        remote = started(kind, files, fake_command, tmp_path / kind, children)
        ran = run_case("play", *names(kind, remote.place, files[0]))
        assert ran.code == 0, ran.output
        heard[kind] = ran.result
        heard[kind].pop("stored_before_save")
        stored[kind] = sorted(remote.events())
    assert all(heard[kind] == heard["tcp"] and stored[kind] == stored["tcp"] for kind in KINDS)
    assert heard["tcp"]["answers"] == [["Good day, Zoë.", True]]


@pytest.mark.parametrize("kind", ["tls", "wss"])
def test_cut_connections_lose_and_double_nothing(
    run_case: RunCase, fake_command: str, files: tuple[Path, Path], tmp_path: Path, children: Children, kind: str
) -> None:
    remote = started(kind, files, fake_command, tmp_path / kind, children)
    with cutting(remote.place, 12) as proxy:
        ran = run_case("cut", *names(kind, proxy.address, files[0]), "cuts=12")
    assert ran.code == 0, ran.output
    texts = [json.loads(event)["perception"]["text"] for event in remote.events()]
    assert texts == [f"Event number {i} happens" for i in range(ran.result["told"])]


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_is_lost_where_more_is_said_than_goes_through(
    run_case: RunCase, fake_command: str, files: tuple[Path, Path], tmp_path: Path, children: Children, kind: str
) -> None:
    remote = started(kind, files, fake_command, tmp_path / kind, children)
    trusted = files[0] if kind in ("tls", "wss") else ""
    with cutting(remote.place, 0, slow_s=0.0005) as proxy:
        ran = run_case("bulk", *names(kind, proxy.address, files[0]), f"certificate={trusted}")
    assert ran.code == 0, ran.output
    assert ran.result["wrong"] == []
    assert WAITING_LIMIT < 400 * 8000 * 3, "it would all go through at once"


def test_a_way_that_is_closed_is_told_with_what_to_do(
    run_case: RunCase, fake_command: str, files: tuple[Path, Path], tmp_path: Path, children: Children
) -> None:
    other = certificate(tmp_path / "other")[0]
    plain = started("ws", files, fake_command, tmp_path / "plain", children).place
    tls = started("wss", files, fake_command, tmp_path / "tls", children).place
    late = started("wss", certificate(tmp_path / "late", expired=True), fake_command, tmp_path / "expired", children).place
    port = tls.rpartition(":")[2]
    cert, expired = files[0], tmp_path / "late" / "cert.pem"
    cases = [
        (f"tls://{tls}", "wrong", cert, "BAD_TOKEN", "not this server's"),
        (f"wss://{tls}", "wrong", cert, "BAD_TOKEN", "not this server's"),
        (f"wss://{tls}", "", cert, "BAD_TOKEN", "carries no token"),
        (f"tls://localhost:{port}", TOKEN, cert, "", ""),
        (f"tls://{tls}", TOKEN, other, "NO_SERVER", f"signed by {other}"),
        (f"wss://{tls}", TOKEN, other, "NO_SERVER", f"signed by {other}"),
        (f"tls://{tls}", TOKEN, "", "NO_SERVER", "an authority that this system trusts"),
        (f"tls://{late}", TOKEN, expired, "NO_SERVER", "not expired"),
        (f"wss://{late}", TOKEN, expired, "NO_SERVER", "not expired"),
        (f"tls://{plain}", TOKEN, cert, "NO_SERVER", "has no TLS"),
        (f"tcp://{tls}", TOKEN, "", "NO_SERVER", "tls://"),
        ("tcp://192.0.2.1:50552", TOKEN, "", "BRIDGE_INPUT", "tls://192.0.2.1:50552"),
        ("192.0.2.1:50552", TOKEN, "", "BRIDGE_INPUT", "tls://192.0.2.1:50552"),
        ("ws://npc.example.org", TOKEN, "", "BRIDGE_INPUT", "wss://npc.example.org:80"),
        ("http://127.0.0.1:5", TOKEN, "", "BRIDGE_INPUT", "Use tls:// or wss://"),
        ("tls://:5", TOKEN, "", "BRIDGE_INPUT", "Give host:port"),
        ("ws://127.0.0.1:1", TOKEN, "", "NO_SERVER", "server.websocket"),
        (f"tls://{tls}", TOKEN, tmp_path / "tls" / "ready.json", "BRIDGE_INPUT", "PEM"),
    ]
    ran = run_case("refusals", *(f"try={address}|{token}|{trusted}" for address, token, trusted, _, _ in cases))
    assert ran.code == 0, ran.output
    for (address, _, _, reason, words), (event, told, message) in zip(cases, ran.result["said"], strict=True):
        assert (event, told) == ("failed" if reason else "connected", reason), (address, message)
        assert words in message, address


def test_the_export_says_whether_anybody_thinks_where_no_server_runs(run_case: RunCase) -> None:
    ran = run_case("export_words")
    assert ran.code == 0, ran.output
    said = ran.result["said"]
    for system, name in (("web", "the web"), ("android", "Android")):
        minds, words = said[f"{system} 127.0.0.1:50551"]
        assert not minds
        assert name in words
        assert "routine" in words
        assert said[f"{system} wss://npc.example.org"][0]
        assert "wss://npc.example.org" in said[f"{system} wss://npc.example.org"][1]
    assert not said["web tls://npc.example.org:443"][0]
    assert "wss://" in said["web tls://npc.example.org:443"][1]
    assert said["android tls://npc.example.org:443"][0]
    assert said["web by its tag"][0]
    assert "wss://web.example.org" in said["web by its tag"][1]
    assert (ran.result["linux"], ran.result["value"]) == ("", "127.0.0.1:50551")
