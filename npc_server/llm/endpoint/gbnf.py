"""Writes a reply type as a grammar of llama.cpp (GBNF), which llama-server takes.

The fields' patterns are those that the engine on this machine gets (`Kind.regex`): literals, classes, groups and repetitions.
"""

from __future__ import annotations

import json
import re

from npc_server.llm.reply import ReplyType

_SPACES = r"\t\n\x0B\x0C\r \x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000"
"""What `\\s` means in a class."""
_TOKEN = re.compile(r"\\x\{([0-9A-Fa-f]+)\}|\\x([0-9A-Fa-f]{2})|\\(.)|(.)", re.DOTALL)


def gbnf(reply: ReplyType[object]) -> str:
    """Returns the grammar of a reply. Its first rule is `root`."""
    rules = [f"{'root' if name == 'start' else name} ::= {rule}" for name, rule in reply.shape().rules().items()]
    fields = [f"F{i} ::= {_pattern(kind.regex())}" for i, (_, kind) in enumerate(reply.kinds)]
    return "\n".join([*rules, *fields]) + "\n"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _pattern(regex: str) -> str:
    """Translates a pattern. Raises ValueError for a part that no reply type uses."""
    out: list[str] = []
    at = 0
    while at < len(regex):
        char = regex[at]
        if char == "[":
            end = _class_end(regex, at)
            out.append(_class(regex[at + 1 : end]))
            at = end + 1
        elif char in "()|":
            out.append(char)
            at += 1
        elif char in "*+?":
            out[-1] += char
            at += 1
        elif char == "{":
            end = regex.index("}", at)
            out[-1] += regex[at : end + 1]
            at = end + 1
        else:
            found = _TOKEN.match(regex, at)
            if found is None or char in ".^$":
                raise ValueError(f"{regex!r} holds {char!r}, which has no translation")
            out.append(_literal(_char(found)))
            at = found.end()
    return " ".join(out)


def _class_end(regex: str, start: int) -> int:
    at = start + 1
    while regex[at] != "]":
        at += 2 if regex[at] == "\\" else 1
    return at


def _class(inside: str) -> str:
    negated, inside = inside.startswith("^"), inside.removeprefix("^")
    parts: list[str] = []
    for found in _TOKEN.finditer(inside):
        if found.group(3) == "s":
            parts.append(_SPACES)
        elif found.group(3) == "d":
            parts.append("0-9")
        elif found.group(4) == "-":
            parts.append("-")
        else:
            parts.append(_in_class(_char(found)))
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _char(found: re.Match[str]) -> str:
    long, short, escaped, plain = found.groups()
    if long or short:
        return chr(int(long or short, 16))
    if escaped and escaped.isalnum():
        named = {"n": "\n", "t": "\t", "r": "\r"}.get(escaped)
        if named is None:
            raise ValueError(f"\\{escaped} has no translation")
        return named
    return escaped or plain


def _in_class(char: str) -> str:
    code = ord(char)
    if char.isalnum() and code < 128:
        return char
    return f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
