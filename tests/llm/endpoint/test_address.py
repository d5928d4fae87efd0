from __future__ import annotations

import pytest

from npc_server.errors import ModelRejected
from npc_server.llm.endpoint.address import Address, addresses, is_address


def test_address_may_name_a_model_and_others_may_follow() -> None:
    found = addresses("http://127.0.0.1:8080/v1/, https://ai.example.com/v1#org/qwen3:4b")
    assert found == (Address("http://127.0.0.1:8080/v1"), Address("https://ai.example.com/v1", "org/qwen3:4b"))


@pytest.mark.parametrize(
    "name",
    [
        "qwen3-1.7b",
        "/models/http.gguf",
        "none",
        "by-hand:http",
        "",
        "qwen3:4b",
        "C:\\models\\a.gguf",
        "recorded:2026",
        "a.b:4b",
        "./a.gguf",
    ],
)
def test_names_of_models_are_no_addresses(name: str) -> None:
    assert not is_address(name)
    assert is_address("  HTTP://somewhere/v1")


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("localhost:11434", "http://localhost:11434"),
        ("127.0.0.1:8080/v1#qwen3:4b", "http://127.0.0.1:8080/v1"),
        ("[::1]:1234/v1/models", "http://[::1]:1234/v1"),
        ("ai.example.com:8000/v1/chat/completions", "http://ai.example.com:8000/v1"),
    ],
)
def test_address_may_be_named_without_its_scheme_and_with_what_is_asked_there(name: str, url: str) -> None:
    assert is_address(name)
    assert addresses(name)[0].url == url


@pytest.mark.parametrize(
    ("url", "local"),
    [("http://127.0.0.1:1/v1", True), ("http://localhost/v1", True), ("http://[::1]:1/v1", True), ("http://192.168.0.2/v1", False)],
)
def test_address_knows_whether_packets_leave_the_machine(url: str, local: bool) -> None:
    assert addresses(url)[0].is_local is local


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("http://me:secret@host/v1", "name or password"),
        ("http://host/v1?key=secret", "query"),
        ("http:///v1", "is no address"),
        ("http://host:port/v1", "is no address"),
        ("http://host/v1 http://host/v1", "twice"),
    ],
)
def test_wrong_address_is_refused_without_telling_its_password(text: str, says: str) -> None:
    with pytest.raises(ModelRejected, match=says) as caught:
        addresses(text)
    assert "me:secret" not in str(caught.value)
