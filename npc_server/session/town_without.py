"""A town file without one of its places, rooms or objects, and what else names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from npc_server.documents import load_yaml
from npc_server.errors import BadInput, FileProblem
from npc_server.personas.in_world import mentions
from npc_server.personas.overlay import ROW, overlaid
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Address, Document
from npc_server.world.town import load_town

LISTS = ("places", "rooms", "objects")


def without(document: Document, address: Address) -> tuple[str, list[dict[str, Any]]]:
    """Return the text of a town file without what an address names, and what is wrong with it then. Raises FileProblem or BadInput."""
    value: Any = load_yaml(document).value
    ids = address.split(":")
    ids = ids[1:] if ids[0] == value.get("id") else ids
    text = overlaid(document, _left(value, ids, address))
    try:
        load_town(replace(document, text=text))
    except FileProblem as error:
        return text, [{"line": it.line, "what": it.what, "fix": it.fix} for it in error.problems]
    return text, []


def _left(entry: Any, ids: Sequence[str], address: Address, depth: int = 0) -> dict[str, Any]:
    """What is left of an entry, as rows of its list."""
    key = LISTS[min(depth, 2)]
    items: list[Any] = (entry.get(key) if isinstance(entry, dict) else None) or []
    found = [number for number, it in enumerate(items) if isinstance(it, dict) and it.get("id") == ids[0]] if ids else []
    if not found or depth > 2:
        raise BadInput(f"The town file has no {address!r}.", "Name one of its places, rooms or objects.")
    kept: list[dict[str, Any]] = [{ROW: number} for number in range(len(items)) if number != found[0] or len(ids) > 1]
    if len(ids) > 1:
        kept[found[0]] |= _left(items[found[0]], ids[1:], address, depth + 1)
    return {key: kept}


def named_in(documents: Sequence[Document], town: Document, address: Address) -> list[str]:
    """Return where persona files and the stories of the town name an address or something in it, each as a phrase."""
    value: Any = load_yaml(town).value
    root = str(value.get("id"))
    full = address if address == root or address.startswith(f"{root}:") else f"{root}:{address}"
    found: list[str] = []
    for document in documents:
        try:
            persona = load_persona(document, root)
        except FileProblem:
            continue
        keys = [str(loc[0]) for loc, place in mentions(persona) if _is_in(place, full)]
        found += [_phrase(persona, key, keys.count(key)) for key in dict.fromkeys(keys)]
    stories = [it for it in value.get("stories") or [] if isinstance(it, dict)]
    return found + [f"the story '{it.get('id')}' of the town" for it in stories if _is_in(f"{root}:{it.get('where', '')}", full)]


def _phrase(persona: Persona, key: str, times: int) -> str:
    return f"{persona.name}: {key}" + (f" ({times} times)" if times > 1 else "")


def _is_in(place: Address, around: Address) -> bool:
    return place == around or place.startswith(f"{around}:")
