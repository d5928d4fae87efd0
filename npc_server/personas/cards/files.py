"""Cards as files: JSON, PNG and `.charx`, told apart by their first bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from npc_server.documents import read_bytes
from npc_server.personas.cards import charx, png
from npc_server.personas.cards.card import MOST_BYTES, V2, V3, Card, as_version, checked, read_json, wrong

Form = Literal["v2", "v3", "png", "charx"]
FORMS: tuple[Form, ...] = get_args(Form)
SUFFIXES: Mapping[Form, str] = {"v2": ".json", "v3": ".json", "png": ".png", "charx": ".charx"}


def read_card(path: Path) -> Card:
    """Reads a card file of any form. Raises FileProblem."""
    return card_of(read_bytes(path, MOST_BYTES), path.name)


def card_of(raw: bytes, file: str) -> Card:
    """The card in the bytes of a file. Raises FileProblem."""
    if png.is_png(raw):
        found = png.cards_in(raw, file)
        text = found.get(png.V3_KEY) or found.get(png.V2_KEY)
        if text is None:
            raise wrong(
                file, "There is no character card in this picture.", "Use the file as it was downloaded: image tools remove the card."
            )
        return checked(read_json(text, file), file, png.without_cards(raw, file))
    if charx.is_charx(raw):
        text, assets = charx.unpacked(raw, file)
        root = read_json(text, file)
        return checked(root, file, _icon(root, assets), assets)
    return checked(read_json(raw, file), file)


def bytes_of(card: Card, form: Form) -> bytes:
    """The file of a card. A PNG holds it in both versions, so that every reader finds its own. Raises FileProblem for a broken portrait."""
    if form == "png":
        cards = [(png.V2_KEY, _json(as_version(card, V2))), (png.V3_KEY, _json(as_version(card, V3)))]
        if card.root.get("spec") == V2:
            cards = cards[:1]  # read back, it is the same card
        return png.with_cards(card.portrait, cards, f"{card.text('name')}.png")
    if form == "charx":
        return charx.packed(_json(as_version(card, V3)), card.assets)
    return _json(as_version(card, V2 if form == "v2" else V3))


def _json(root: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(root, ensure_ascii=False, indent=1).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can only escape
        return json.dumps(root, indent=1).encode()


def _icon(root: Any, assets: Mapping[str, bytes]) -> bytes:
    """The main picture among the files of a `.charx`, if it is a PNG."""
    data = root.get("data") if isinstance(root, dict) else None
    listed = data.get("assets") if isinstance(data, dict) else None
    icons = [it for it in listed or () if isinstance(it, dict) and it.get("type") == "icon"] if isinstance(listed, list) else []
    for icon in sorted(icons, key=lambda it: it.get("name") != "main"):
        body = assets.get(str(icon.get("uri", "")).removeprefix("embeded://"), b"")
        if png.is_png(body):
            return body
    return b""
