"""Writes the YAML of a persona file that a person can read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from npc_server.visible import STEERING

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*(:[a-z0-9_]+)*")


def document(values: Mapping[str, object], comments: Sequence[str] = (), notes: Mapping[str, str] = MappingProxyType({})) -> str:
    """A YAML document. Values are texts, numbers, lists of texts or mappings, and mappings; empty ones are left out.

    `notes` are comments that come before a key.
    """
    lines = [f"# {comment}" for comment in comments]
    for key, value in values.items():
        if value not in ("", (), [], {}, None):
            lines += [f"# {notes[key]}"] if key in notes else []
            lines += _entry(key, value, "")
    return "\n".join(lines) + "\n"


def paragraph(phrases: Sequence[str]) -> str:
    """Phrases as one paragraph, each on a line: what `document` writes as a block."""
    return ";\n".join(phrases)


def _entry(key: str, value: object, indent: str) -> list[str]:
    if isinstance(value, str) and "\n" in value:
        return [f"{indent}{key}: >", *(f"{indent}  {line}" for line in value.split("\n"))]
    if isinstance(value, Mapping):
        return [f"{indent}{key}:", *(line for name, item in value.items() if item for line in _entry(name, item, f"{indent}  "))]
    if isinstance(value, (list, tuple)):
        return [f"{indent}{key}:", *(f"{indent}  - {_flow(item)}" for item in value)]
    return [f"{indent}{key}: {_flow(value)}"]


def _flow(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str) and not _PLAIN.fullmatch(value):
        return json.dumps(STEERING.sub("", value), ensure_ascii=False)
    return str(value)
