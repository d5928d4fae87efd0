"""Lays values over the text of a persona or town file. All else stays as it is: comments, unknown keys, quotes and empty lines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from npc_server.documents import load_yaml
from npc_server.errors import BadInput
from npc_server.personas.file import PersonaFile
from npc_server.personas.layers import layer_of, written
from npc_server.records import Document
from npc_server.yaml_events import without_tabs
from npc_server.yaml_values import yaml_of

ROW = "_row"
"""In an item that is laid over one of the file: the number of that one in its list. Items without it are new."""
WIDE = 100
"""Where a long text is wrapped."""
ORDER = [it.alias or name for name, it in PersonaFile.model_fields.items()]


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


def overlaid(document: Document, new: Mapping[str, Any]) -> str:
    """Return the text of a file with the values of `new`. A list whose items name rows of the file's list has these items alone.

    An empty value is not written where the file has none. Raises FileProblem, or BadInput where the file is too odd.
    """
    text = without_tabs(document.text.removeprefix("\ufeff")).replace("\r\n", "\n")
    if not text.strip():
        return text + written(layer_of(_pruned(new)))[0]
    old: Any = load_yaml(Document(document.name, text)).value
    root = YAML(typ="safe", pure=True).compose(text)
    wanted = _merged(old, new)
    is_plain = isinstance(old, dict) and isinstance(root, MappingNode) and not root.flow_style and not _has_alias(root, set())
    found = _apply(text, 0, len(text), _mapping(text, root, old, new)) if is_plain else ""
    if not is_plain or _spoken(load_yaml(Document(document.name, found)).value) != _spoken(wanted):
        raise BadInput(f"The form cannot change {document.name}: it is written in an unusual way.", "Open the file and edit it.")
    return found.replace("\n", "\r\n") if "\r\n" in document.text else found


def _merged(old: Any, new: Any) -> Any:
    """The values of `old` with those of `new`."""
    if isinstance(new, Mapping):
        before = old if isinstance(old, dict) else {}
        given = {key: _merged(before.get(key), it) for key, it in new.items() if key != ROW and (key in before or not _is_empty(it))}
        return {**before, **given}
    if not _is_rows(new):
        return list(new) if isinstance(new, (list, tuple)) else new
    return [_merged(old[it[ROW]] if ROW in it else {}, it) for it in new]


def _pruned(new: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = _merged({}, new)
    return found


def _is_empty(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_empty(it) for it in value.values())
    return value is None or value in ("", [], ())


def _is_rows(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(it, Mapping) for it in value)


def _spoken(value: Any) -> Any:
    """Values without what only looks different: breaks of lines in a text."""
    if isinstance(value, Mapping):
        return {key: _spoken(it) for key, it in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spoken(it) for it in value]
    return " ".join(value.split()) if isinstance(value, str) else value


def _has_alias(node: Node, seen: set[int]) -> bool:
    """Whether a value stands in two places of the file."""
    if id(node) in seen:
        return True
    seen.add(id(node))
    pairs = node.value if isinstance(node, (MappingNode, SequenceNode)) else []
    return any(_has_alias(it, seen) for pair in pairs for it in (pair if isinstance(pair, tuple) else (pair,)))


def _apply(text: str, start: int, end: int, edits: Sequence[_Edit]) -> str:
    parts, at = list[str](), start
    for edit in sorted(edits, key=lambda it: it.start):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:end]])


def _end(text: str, node: Node) -> int:
    """Where a value ends, without the comments and empty lines below it."""
    if isinstance(node, (MappingNode, SequenceNode)) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return len(text[: node.end_mark.index].rstrip())
    return int(node.end_mark.index)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _mapping(text: str, node: MappingNode, old: dict[str, Any], new: Mapping[str, Any]) -> list[_Edit]:
    edits, nodes = list[_Edit](), {str(key.value): (key, value) for key, value in node.value}
    added: dict[str, dict[str, Any]] = {}
    for key, value in new.items():
        if key == ROW or (key not in old and _is_empty(value)):
            continue
        if key in old:
            edits += _entry(text, *nodes[key], old[key], value, in_flow=bool(node.flow_style))
        else:
            added.setdefault(_above(key, [*nodes], in_order=not node.flow_style), {})[key] = _merged(None, value)
    for key, values in added.items():
        if node.flow_style:
            more = ", ".join(f"{yaml_of(name)}: {_in_flow(it)}" for name, it in values.items())
            at = _end(text, nodes[key][1]) if key else node.start_mark.index + 1
            edits.append(_Edit(at, at, f", {more}" if key else more))
        else:
            at = _line_end(text, _end(text, nodes[key][1]))
            edits.append(_Edit(at, at, "\n" + _indented(values, nodes[key][0].start_mark.column).rstrip("\n")))
    return edits


def _above(key: str, there: Sequence[str], *, in_order: bool) -> str:
    """The key after which a new one comes: the last that stands before it in the docs, or the last."""
    before = [it for it in ORDER[: ORDER.index(key)] if it in there] if in_order and key in ORDER else []
    return before[-1] if before else there[-1] if there else ""


def _entry(text: str, key: Node, node: Node, old: Any, new: Any, *, in_flow: bool) -> list[_Edit]:
    """Changes the value of a key."""
    wanted = _merged(old, new)
    if _spoken(wanted) == _spoken(old):
        return []
    if isinstance(node, MappingNode) and isinstance(new, Mapping) and node.value:
        return _mapping(text, node, old, new)
    start, end, after = node.start_mark.index, _end(text, node), text.index(":", key.end_mark.index) + 1
    if isinstance(node, SequenceNode) and not node.flow_style:
        column, below = node.start_mark.column, _line_end(text, after) + 1
        if not wanted:
            comments = _rows(text, below, node, old, []) if _is_rows(old) else ""
            return [_Edit(after, _line_end(text, end), " []" + (f"\n{comments}" if comments else ""))]
        if _is_rows(new):
            return [_Edit(below, _line_end(text, end), _rows(text, below, node, old, new))]
        return [_Edit(start, end, f"\n{' ' * column}".join(f"- {_in_flow(it)}" for it in wanted))]
    if not in_flow and (isinstance(wanted, dict) or _is_rows(wanted)):
        return [_Edit(after, end, "\n" + _indented(wanted, key.start_mark.column + 2).rstrip("\n"))]
    told = _in_flow(wanted)
    if isinstance(node, ScalarNode) and node.style in ("|", ">") and isinstance(wanted, str) and wanted.strip():
        rows = textwrap.wrap(" ".join(wanted.split()), WIDE, break_long_words=False, break_on_hyphens=False)
        told = ">" + "".join(f"\n{' ' * (key.start_mark.column + 2)}{row}" for row in rows)
    return [_Edit(start, end, told if text[start - 1].isspace() else f" {told}")]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _rows(text: str, at: int, node: SequenceNode, old: list[Any], new: Sequence[Mapping[str, Any]]) -> str:
    """The items of a list from `at` on, each with the comments above it. Those of an item that goes stay above the next one."""
    column = node.start_mark.column
    above, kept = dict[int, str](), {it[ROW]: it for it in new if ROW in it}
    bodies, orphans = dict[int, str](), ""
    for number, item in enumerate(node.value):
        dash = _dash(text, int(item.start_mark.index), column)
        end = min(_line_end(text, _end(text, item)) + 1, len(text))
        orphans += text[at:dash]
        if number in kept:
            above[number], orphans = orphans, ""
            edits = _mapping(text, item, old[number], kept[number])
            bodies[number] = _apply(text, dash, end, edits).rstrip("\n") + "\n"
        at = end
    parts = [above[it[ROW]] + bodies[it[ROW]] if ROW in it else _indented([_pruned(it)], column) for it in new]
    return ("".join(parts) + orphans).rstrip("\n")


def _dash(text: str, at: int, column: int) -> int:
    """Where the line of an item's dash begins."""
    start = _line_start(text, at)
    while start > 0 and text[start : start + column + 1] != " " * column + "-":
        start = _line_start(text, start - 1)
    return start


def _indented(value: Any, column: int) -> str:
    return "".join(f"{' ' * column}{row}\n" for row in written(layer_of(value))[0].splitlines())


def _in_flow(value: Any) -> str:
    """A value on one line, also valid inside of brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_of(key)}: {_in_flow(it)}" for key, it in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_in_flow(it) for it in value) + "]"
    return yaml_of(value) if isinstance(value, str) else json.dumps(value)
