"""A persona file as a card. Of one that was made of a card, only what was changed since replaces what the card says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from npc_server.documents import load_yaml
from npc_server.english.text import facts
from npc_server.personas.cards.beside import Kept
from npc_server.personas.cards.card import V2, Card, as_version, checked
from npc_server.personas.cards.to_persona import imported
from npc_server.personas.schema import load_persona
from npc_server.records import Document


def card_of(document: Document, kept: Kept | None, portrait: bytes = b"") -> Card:
    """The card of a persona file, and of the card that it was made of, if there is one. Secrets are not in it. Raises FileProblem."""
    load_persona(document, "")  # its mistakes are told as for any persona
    values = load_yaml(document).value
    now = _fields(values if isinstance(values, dict) else {})
    if kept is None:
        root = as_version(Card({"spec": "", "data": now}), V2)
        return checked(root, document.name, portrait)
    before = _fields(imported(kept.card, kept.given).values)
    changed = {name: value for name, value in now.items() if value != before.get(name)}
    if not changed:
        return kept.card
    if {"description", "personality"} & changed.keys():  # the identity holds both
        changed |= {"description": now["description"], "personality": now["personality"]}
    root = dict(kept.card.root)
    if "spec" in root:
        root["data"] = {**kept.card.data, **changed}
    else:
        root.update(changed)
    return replace(kept.card, root=root)


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a card that a persona file fills."""
    voice = values.get("voice")
    voice = voice if isinstance(voice, dict) else {}
    told = [line.get("say", "") if isinstance(line, dict) else str(line) for line in voice.get("greetings") or ()]
    pairs = [pair for pair in voice.get("exchanges") or () if isinstance(pair, dict)]
    example = "".join(f"<START>\n{{{{user}}}}: {pair.get('heard', '')}\n{{{{char}}}}: {pair.get('said', '')}\n" for pair in pairs)
    return {
        "name": str(values.get("name", "")),
        "description": "".join(f"{fact}.\n" for fact in facts(str(values.get("identity", "")))),
        "personality": ", ".join(map(str, values.get("traits") or ())),
        "scenario": " ".join(str(values.get("currently", "")).split()),
        "first_mes": told[0] if told else "",
        "alternate_greetings": told[1:],
        "mes_example": example,
    }
