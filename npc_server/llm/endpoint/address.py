"""Addresses of endpoints as settings name them: `http://127.0.0.1:8080/v1#qwen3-4b`. Keys come from the environment alone."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, replace

import httpx

from npc_server.errors import ModelRejected

KEY_VARIABLE = "NPC_SERVER_ENDPOINT_KEY"
"""The environment variable with the key for endpoints. Settings files end up in repositories, so they have no field for it."""
_BARE = r"(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-fA-F:]+\])(?::\d{1,5})?(?=[/#?]|$)|[\w-]+(?:\.[\w-]+)+:\d{2,5}(?=[/#?]|$)"
"""An address without `http://`: this machine or a number, or a name with dots and a port. Names of models and files look otherwise."""
_ADDRESS = re.compile(rf"https?://|{_BARE}", re.IGNORECASE)
_ASKED_AT = ("/chat/completions", "/completions", "/models", "/embeddings")
"""What people copy behind the address."""
_EXAMPLE = "Write it like http://127.0.0.1:8080/v1, or http://127.0.0.1:11434/v1#qwen3:4b to choose a model."


@dataclass(frozen=True)
class Address:
    """Where an endpoint is, and which of its models is asked."""

    url: str
    """Without a slash at its end: `http://127.0.0.1:8080/v1`."""
    model: str = ""
    """Empty takes the first model that the endpoint lists."""

    @property
    def is_local(self) -> bool:
        """Whether the host is this machine, so that no packet leaves it."""
        host = httpx.URL(self.url).host
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def __str__(self) -> str:
        return self.url


def is_address(name: str) -> bool:
    """Whether a setting names endpoints, and not a model of this machine."""
    return _ADDRESS.match(name.strip()) is not None


def addresses(text: str) -> tuple[Address, ...]:
    """Reads one or several addresses, separated by spaces or commas. Raises ModelRejected with the one that is wrong."""
    found = tuple(_address(part) for part in re.split(r"[\s,]+", text.strip()) if part)
    twice = next((it for at, it in enumerate(found) if it in found[:at]), None)
    if twice is not None:
        raise ModelRejected(f"The address {twice.url!r} is named twice.", "Name it once; one connection is enough for all requests.")
    return found


def endpoint_key() -> str:
    """The key from the environment, or an empty text."""
    return os.environ.get(KEY_VARIABLE, "").strip()


def tried_addresses(address: Address) -> tuple[Address, ...]:
    """Return the addresses under which an endpoint may answer, the likeliest first. Most are named with or without their `/v1`."""
    url = httpx.URL(address.url)
    root = str(url.copy_with(path="/")).rstrip("/")
    if url.path.rstrip("/").endswith("/v1"):
        return (address,)
    urls = (f"{root}/v1", root) if url.path in ("", "/") else (address.url, f"{address.url}/v1", f"{root}/v1")
    return tuple(replace(address, url=it) for it in dict.fromkeys(urls))


def _address(text: str) -> Address:
    if not re.match(r"[a-z]+://", text, re.IGNORECASE):
        text = f"http://{text}"
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ModelRejected(f"{text!r} is no address: {error}.", _EXAMPLE) from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ModelRejected(f"{text!r} is no address of an endpoint.", _EXAMPLE)
    if url.userinfo:
        raise ModelRejected(f"The address of {url.host!r} holds a name or password.", f"Set the key in the environment: {KEY_VARIABLE}=...")
    if url.query:
        raise ModelRejected(f"The address {text!r} holds a query.", _EXAMPLE)
    plain = str(url.copy_with(fragment=None)).rstrip("/")
    end = next((it for it in _ASKED_AT if plain.endswith(it)), "")
    return Address(plain.removesuffix(end), url.fragment)
