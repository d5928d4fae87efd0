"""The people of cases: a persona from a name and what a case says of it, with the keys of a persona file."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from npc_server.document_errors import did_you_mean
from npc_server.errors import FileProblem, Problem
from npc_server.personas.file import PersonaFile
from npc_server.personas.names import first_name
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Document

HOME = "home"
BED = "home:room:bed"
TABLE = "home:room:table"
_USUAL: dict[str, Any] = {
    "age": 36,
    "traits": ["practical", "friendly"],
    "home": BED,
    "wake": "07:00",
    "sleep": "23:00",
    "routine": [
        {"at": "07:00", "do": "wash and get dressed", "where": BED, "for": 30},
        {"at": "07:30", "do": "eat breakfast", "where": TABLE, "for": 30},
        {"at": "08:00", "do": "work", "where": TABLE},
        {"at": "12:30", "do": "eat lunch", "where": TABLE, "for": 30},
        {"at": "13:00", "do": "work", "where": TABLE},
        {"at": "18:00", "do": "eat supper", "where": TABLE, "for": 45},
        {"at": "18:45", "do": "rest", "where": TABLE},
    ],
}
"""Of whom a case says nothing more: nothing that could be the answer to a question."""


def id_of(name: str) -> str:
    """An NPC id for a name: `Mara Voss` is mara_voss."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", f"{plain}").strip("_0123456789")[:64] or "somebody"


def persona_of(name: str, more: Mapping[str, Any], relations: Sequence[Mapping[str, Any]] = (), town: str = "town") -> Persona:
    """Raises FileProblem, with the lines of a file that nobody wrote."""
    known = {field.alias or key for key, field in PersonaFile.model_fields.items()}
    strange = next((key for key in more if key not in known), None)
    if strange is not None:
        fix = did_you_mean(strange, known) or f"Known keys here: {', '.join(sorted(known))}."
        raise FileProblem((Problem("persona", 1, f"Key {strange[:60]!r} is not known.", fix),))
    first = first_name(name)
    given = {
        "id": id_of(name),
        "name": name,
        "first_name": first,
        "identity": f"{first} likes honest work and plain words",
        **_USUAL,
        **more,
    }
    own = given.get("relations", [])
    if isinstance(own, list):
        named = [relation.get("who") for relation in own if isinstance(relation, dict)]
        given["relations"] = [*own, *(relation for relation in relations if relation["who"] not in named)]
    # JSON is YAML, so a persona of a case goes the way of a persona file.
    return load_persona(Document("persona", json.dumps(given, ensure_ascii=True)), town)
