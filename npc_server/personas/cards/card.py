"""A character card: the JSON of the published specifications, with its portrait and its other files.

Version 2: `chara_card_v2`. Version 3: `chara_card_v3`, with assets and a nickname. Version 1 has the first six fields at the root. What
is not known here is kept as it came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from npc_server.errors import FileProblem, Problem

MOST_BYTES = 64 << 20
"""Bytes of a card file: a portrait of 4,096 pixels squared and a big book fit."""
MOST_JSON = 8 << 20
"""Bytes of the JSON in it. The largest books have a tenth of it."""
MOST_DEEP = 100
"""Levels of lists and objects in each other."""
V2, V3 = "chara_card_v2", "chara_card_v3"
_FIRST_FIELDS = ("name", "description", "personality", "scenario", "first_mes", "mes_example")


@dataclass(frozen=True)
class Card:
    """A card as it came. `root` is the whole JSON."""

    root: Mapping[str, Any]
    portrait: bytes = b""
    """A PNG without the card in it; empty if there is none."""
    assets: Mapping[str, bytes] = field(default_factory=dict)
    """The other files of a `.charx`, by their paths in it."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The fields of the character, in all versions."""
        inner = self.root.get("data")
        return inner if isinstance(inner, dict) and "spec" in self.root else self.root

    def text(self, name: str) -> str:
        """A field that is to be a text; empty where it is missing or something else."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> list[str]:
        """The texts of a field that is to be a list of them."""
        value = self.data.get(name)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def entries(self) -> list[Mapping[str, Any]]:
        """The enabled entries of its book (lorebook), in the order of the book."""
        book = self.data.get("character_book")
        found = book.get("entries") if isinstance(book, dict) else None
        listed = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []
        return [entry for entry in listed if isinstance(entry, dict) and entry.get("enabled") is not False]


def wrong(file: str, what: str, fix: str) -> FileProblem:
    """The error for a card that cannot be used."""
    return FileProblem((Problem(file, 0, what, fix),))


def read_json(raw: bytes, file: str) -> Any:
    """The value of UTF-8 JSON. Raises FileProblem, also for numbers that are not finite, and for what is too long or too deep."""
    if len(raw) > MOST_JSON:
        raise wrong(file, f"The JSON of the card has {len(raw):,} bytes, and {MOST_JSON:,} are allowed.", "Shorten its book.")
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_constant=_not_finite)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise wrong(file, f"The card is not JSON in UTF-8: {str(error)[:200]}.", "Export it again where it was made.") from error
    level, depth = [value], 0
    while level := [inner for it in level if isinstance(it, (dict, list)) for inner in (it.values() if isinstance(it, dict) else it)]:
        depth += 1
        if depth > MOST_DEEP:
            raise wrong(file, f"The card is nested more than {MOST_DEEP} deep.", "Export it again where it was made.")
    return value


def checked(root: Any, file: str, portrait: bytes = b"", assets: Mapping[str, bytes] | None = None) -> Card:
    """The card, if it is one. Raises FileProblem."""
    if not isinstance(root, dict):
        raise wrong(file, "The card is not a JSON object.", "Export it again as a character card of version 2 or 3.")
    spec = root.get("spec")
    if spec is not None and (spec not in (V2, V3) or not isinstance(root.get("data"), dict)):
        raise wrong(file, f"Its 'spec' is {str(spec)[:60]!r}, or it has no 'data'.", f"Use a card of {V2!r} or {V3!r}.")
    card = Card(root, portrait, assets or {})
    if spec is None and not all(isinstance(root.get(name), str) for name in _FIRST_FIELDS[:2]):
        raise wrong(file, "It has no 'spec', and no 'name' and 'description'.", "Is it a character card? Export it as version 2 or 3.")
    if not card.text("name").strip():
        raise wrong(file, "The card has no name.", "Give it one where it was made.")
    return card


def as_version(card: Card, spec: str) -> dict[str, Any]:
    """The JSON of the card in a version. What that version must have and the card lacks is empty; all else stays."""
    if card.root.get("spec") == spec:
        return dict(card.root)
    data = {**_empty(spec), **card.data}
    if spec == V3 and isinstance(book := data.get("character_book"), dict) and isinstance(entries := book.get("entries"), list):
        data["character_book"] = {**book, "entries": [{"use_regex": False, **it} if isinstance(it, dict) else it for it in entries]}
    outside = (
        {name: value for name, value in card.root.items() if name not in ("spec", "spec_version", "data")} if "spec" in card.root else {}
    )
    return {"spec": spec, "spec_version": "2.0" if spec == V2 else "3.0", "data": data, **outside}


def _empty(spec: str) -> dict[str, Any]:
    texts = (*_FIRST_FIELDS, "creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")
    fields: dict[str, Any] = {**dict.fromkeys(texts, ""), "alternate_greetings": [], "tags": [], "extensions": {}}
    return fields if spec == V2 else {**fields, "group_only_greetings": []}


def _not_finite(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")
