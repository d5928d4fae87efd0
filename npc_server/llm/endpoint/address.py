"""Addresses of endpoints as settings name them: `http://127.0.0.1:8080/v1#qwen3-4b`. Keys come from the environment alone."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass

import httpx

from npc_server.errors import ModelRejected

KEY_VARIABLE = "NPC_SERVER_ENDPOINT_KEY"
"""The environment variable with the key for endpoints. Settings files end up in repositories, so they have no field for it."""
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
    return re.match(r"\s*https?://", name, re.IGNORECASE) is not None


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


def _address(text: str) -> Address:
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
    return Address(str(url.copy_with(fragment=None)).rstrip("/"), url.fragment)
