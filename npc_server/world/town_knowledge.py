"""Adds facts to `knowledge` in a town file, and leaves all other text of the file as it is, comments too."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from npc_server.errors import BadInput
from npc_server.records import Document
from npc_server.visible import STEERING
from npc_server.world.town import load_town

_KEY = re.compile(r"^knowledge:[ \t]*(\[[ \t]*\][ \t]*)?(#.*)?$")
_ITEM = re.compile(r"^([ \t]*)-[ \t]")


def with_knowledge(town: Document, facts: Sequence[str]) -> tuple[str, int]:
    """The text of the town file with these facts, and how many are new to it. Raises FileProblem if the file has mistakes before or after.

    Raises BadInput if its list cannot be found: it must be a list of lines that begin with `-`.
    """
    before = load_town(town).knowledge
    fresh = [fact for fact in dict.fromkeys(facts) if fact not in before]
    if not fresh:
        return town.text, 0
    end_of_line = "\r\n" if "\r\n" in town.text else "\n"
    lines = town.text.rstrip().replace("\r\n", "\n").split("\n")
    key = next((number for number, line in enumerate(lines) if _KEY.match(line)), None)
    if key is None:
        lines += ["knowledge:"]
        key = len(lines) - 1
    elif "[" in lines[key].partition("#")[0]:
        lines[key] = "knowledge:"
    end = _end_of_list(lines, key)
    first = next((found[1] for line in lines[key + 1 : end] if (found := _ITEM.match(line))), "  ")
    lines[end:end] = [f"{first}- {json.dumps(STEERING.sub('', fact), ensure_ascii=False)}" for fact in fresh]
    text = end_of_line.join([*lines, ""])
    after = load_town(Document(town.name, text)).knowledge
    if tuple(after) != (*before, *(STEERING.sub("", fact) for fact in fresh)):
        raise BadInput(f"The list `knowledge` of {town.name!r} cannot be added to.", "Write it as a list of lines that begin with '- '.")
    return text, len(fresh)


def _end_of_list(lines: Sequence[str], key: int) -> int:
    """The line after the last one that belongs to the list under `key`."""
    end = key + 1
    for number in range(key + 1, len(lines)):
        line = lines[number]
        if line.strip() and not line.startswith((" ", "\t", "-", "#")):
            break
        if line.strip() and not line.lstrip().startswith("#"):
            end = number + 1
    return end
