"""How an endpoint is made to keep to the form of a reply: by a grammar, by a pattern, by a JSON schema, or by words alone."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

from npc_server.llm.endpoint import as_json
from npc_server.llm.endpoint.gbnf import gbnf
from npc_server.llm.reply import ReplyType, literal

PROBE = re.compile(r"qz[0-9]{3}")
"""What an endpoint is asked for to see whether it obeys. No model writes this by itself."""
_PROBE_KEY = "qz"


class Form(str, Enum):
    """From the strictest to the loosest. The first that an endpoint obeys is used."""

    GRAMMAR = "grammar"
    """llama.cpp's grammars: llama-server."""
    PATTERN = "pattern"
    """Regular expressions: vLLM and SGLang."""
    JSON = "json schema"
    """Ollama, LM Studio, llama-cpp-python's server and most hosted endpoints."""
    WORDS = "words"
    """Nothing is forced. The prompt says the form, and what comes is mended."""


def constraint(form: Form, reply: ReplyType[Any]) -> dict[str, Any]:
    """Returns the part of a request that holds the model to the reply's form."""
    if form is Form.GRAMMAR:
        return {"grammar": gbnf(reply)}
    if form is Form.PATTERN:
        return _pattern(pattern(reply))
    if form is Form.JSON:
        return _schema(reply.name, as_json.schema(reply))
    return {}


def probe(form: Form) -> dict[str, Any]:
    """Returns the part of a request that asks for what `obeyed` looks for."""
    if form is Form.GRAMMAR:
        return {"grammar": 'root ::= "qz" [0-9]{3}\n'}
    if form is Form.PATTERN:
        return _pattern(PROBE.pattern)
    key = {"type": "object", "properties": {_PROBE_KEY: {"type": "string"}}, "required": [_PROBE_KEY], "additionalProperties": False}
    return _schema("probe", key) if form is Form.JSON else {}


def obeyed(form: Form, text: str) -> bool:
    """Whether an answer to `probe` shows that the endpoint holds its model to the form."""
    if form is Form.JSON:
        return re.match(rf'\s*\{{\s*"{_PROBE_KEY}"\s*:', text) is not None
    return form is Form.WORDS or PROBE.fullmatch(text.strip()) is not None


def pattern(reply: ReplyType[Any]) -> str:
    """Returns the whole reply as one regular expression."""
    return reply.shape().pattern([kind.regex() for _, kind in reply.kinds], literal)


def asked(form: Form, reply: ReplyType[Any], user: str) -> str:
    """Returns the question, with what the form adds to it."""
    return f"{user}\n{as_json.instruction(reply)}" if form is Form.JSON else user


def read(form: Form, reply: ReplyType[Any], text: str) -> str:
    """Returns what a model wrote as the lines of the reply, as far as it has come."""
    return as_json.lines(reply, text) if form is Form.JSON else text


def _pattern(regex: str) -> dict[str, Any]:
    # vLLM today, vLLM before 0.11, and SGLang. Each ignores the others' fields.
    python = re.sub(r"\\x\{([0-9A-Fa-f]{1,4})\}", lambda found: rf"\u{int(found.group(1), 16):04x}", regex)
    return {"structured_outputs": {"regex": python}, "guided_regex": python, "regex": python}


def _schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}}
