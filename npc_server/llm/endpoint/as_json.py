"""Replies as JSON, for endpoints that can hold a model to a JSON schema and to nothing else.

The prompt asks for lines, so a sentence is added that asks for JSON. What comes is written as lines again, also while it is streamed.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json

from npc_server.llm.reply import Choice, Integer, Kind, ReplyType, Several, Text

RECORDS = "lines"
"""The key of a list's records."""


def schema(reply: ReplyType[object]) -> dict[str, Any]:
    """Returns the JSON schema of a reply, in the part of the language that all known endpoints take."""
    record = _object({name: _field(kind, name) for name, kind in reply.kinds})
    if not reply.lines:
        return record
    low, high = reply.lines
    return _object({RECORDS: {"type": "array", "items": record, "minItems": low, "maxItems": high}})


def instruction(reply: ReplyType[object]) -> str:
    """Returns the sentence that asks for JSON."""
    names = ", ".join(f'"{name}": ...' for name, _ in reply.kinds)
    record = f"{{{names}}}"
    shape = f'{{"{RECORDS}": [{record}, ...]}}' if reply.lines else record
    return f"Write this as JSON, with one key for each part: {shape}"


def lines(reply: ReplyType[object], text: str) -> str:
    """Returns JSON as the lines that `ReplyType.parse` reads, as far as it has come. What is no JSON object is returned as it is."""
    try:
        found = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return text
    if not isinstance(found, dict):
        return text
    if reply.lines:
        records = found.get(RECORDS)
        return "\n".join(" | ".join(_parts(reply, it)) for it in records if isinstance(it, dict)) if isinstance(records, list) else ""
    if len(reply.kinds) == 1:
        return "".join(_parts(reply, found))
    return "\n".join(
        f"{name}: {_plain(kind, value)}"
        for name, kind in reply.kinds
        if name in found
        for value in (found[name] if isinstance(kind, Several) and isinstance(found[name], list) else [found[name]])
    )


def _parts(reply: ReplyType[object], record: dict[str, Any]) -> list[str]:
    return [_plain(kind, record[name]) for name, kind in reply.kinds if name in record]


def _plain(kind: Kind, value: object) -> str:
    """A value on one line. A text is left without the mark that separates fields."""
    if isinstance(value, list):
        return ", ".join(_plain(kind, item) for item in value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join((text.replace("|", "/") if isinstance(kind, Text) else text).split("\n"))


def _field(kind: Kind, name: str) -> dict[str, Any]:
    if isinstance(kind, Several):
        return {"type": "array", "items": _field(kind.kind, name), "minItems": kind.low, "maxItems": kind.high}
    if isinstance(kind, Choice):
        return {"type": "string", "enum": list(kind.options)}
    if isinstance(kind, Integer):
        return {"type": "integer"}
    return {"type": "string", "description": kind.describe(name)}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
