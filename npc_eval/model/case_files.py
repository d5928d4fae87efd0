"""Case files: JSON lines that anybody can write, with the keys of a persona file for people.

Reports every mistake of a file, with line, value and fix.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from npc_eval.model.cases import KINDS, MODELS, Case, Dialogue
from npc_server.document_errors import Wrong, as_problems, did_you_mean
from npc_server.documents import read_bytes
from npc_server.errors import FileProblem, Problem
from npc_server.personas.file import HINTS, PersonaFile
from npc_server.personas.names import first_name
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Document

FOLDER = "data/eval"
LATER = ("second.jsonl", "third.jsonl")
"""Later sets with cases of several kinds, by authors who had seen neither the code nor the earlier cases."""
MAX_BYTES = 256 * 1024 * 1024
MAX_PROBLEMS = 50
"""Most mistakes reported at once."""
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
"""Persona of somebody whom a case does not describe. It answers no question of a case."""
_HINTS = {key: fix for key, fix in HINTS.items() if key in ("wake", "sleep")}


# ---- cases


def read_cases(path: Path) -> list[Case]:
    """The cases of a file of JSON lines. Raises FileProblem with every mistake, up to 50."""
    return parse_cases(str(path), read_bytes(path, MAX_BYTES))


def default_cases(kinds: Sequence[str] = KINDS) -> list[Case]:
    """The hand-written cases that ship: for each kind those of its file, then those of the later sets."""
    folder = resources.files("npc_eval").joinpath(FOLDER)
    later = [case for name in LATER for case in parse_cases(name, folder.joinpath(name).read_bytes())]
    first = {kind: parse_cases(f"{kind}.jsonl", folder.joinpath(f"{kind}.jsonl").read_bytes()) for kind in kinds}
    return [case for kind in kinds for case in [*first[kind], *(case for case in later if case.kind == kind)]]


def parse_cases(name: str, data: bytes) -> list[Case]:
    """The cases of a file's bytes. Raises FileProblem with every mistake, up to 50."""
    found: list[Case] = []
    problems: list[Problem] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        case = _case(name, number, line)
        if isinstance(case, list):
            problems += case
            if len(problems) >= MAX_PROBLEMS:
                problems.append(Problem(name, number, "There may be more mistakes after this line.", "Mend these first."))
                break
        else:
            found.append(case)
    if problems:
        raise FileProblem(tuple(problems))
    if not found:
        raise FileProblem((Problem(name, 0, "The file has no cases.", 'Write one a line, e.g. {"kind": "importance", …}.'),))
    return found


def _case(name: str, number: int, line: bytes) -> Case | list[Problem]:
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return [Problem(name, number, f"Byte 0x{line[error.start]:02x} is not UTF-8.", "Save the file with encoding UTF-8.")]
    except Wrong as wrong:
        return [Problem(name, number, wrong.what, wrong.fix)]
    except json.JSONDecodeError as error:
        near = error.doc[max(error.pos - 20, 0) : error.pos + 20]
        return [Problem(name, number, f"This is not JSON: {error.msg} at {near!r}.", "Write one object a line, in double quotes.")]
    except (ValueError, RecursionError) as error:
        return [Problem(name, number, f"This is not JSON: {type(error).__name__}.", "Write one flat object a line.")]
    if not isinstance(value, dict):
        return [Problem(name, number, f"The line is {str(value)[:40]!r}, not an object.", 'Write {"kind": …, …}.')]
    kind = value.get("kind")
    model = MODELS.get(kind) if isinstance(kind, str) else None
    if model is None:
        what = "Key 'kind' is missing." if "kind" not in value else f"There is no kind {str(kind)[:40]!r}."
        fix = (did_you_mean(kind, KINDS) if isinstance(kind, str) else "") or f"Kinds: {', '.join(KINDS)}."
        return [Problem(name, number, what, fix)]
    try:
        case: Case = model.model_validate(value)  # type: ignore[assignment]
        if case.persona:
            persona_of(case.npc, case.persona)
        if isinstance(case, Dialogue) and case.partner.persona:
            persona_of(case.partner.npc, case.partner.persona)
    except ValidationError as error:
        return list(as_problems(name, error, model, lambda loc: number, _HINTS))
    except FileProblem as error:
        return [Problem(name, number, f"In 'persona': {problem.what}", problem.fix) for problem in error.problems]
    return case


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if twice is not None:
        raise Wrong(f"Key {twice[:60]!r} stands twice.", "Delete one.")
    return dict(pairs)


def _no_constant(text: str) -> object:
    raise Wrong(f"{text} is not a JSON value.", "Write a number, or null.")


# ---- their people


def id_of(name: str) -> str:
    """An NPC id for a name: `mara_voss` for `Mara Voss`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", f"{plain}").strip("_0123456789")[:64] or "somebody"


def persona_of(name: str, more: Mapping[str, Any], relations: Sequence[Mapping[str, Any]] = (), town: str = "town") -> Persona:
    """The persona of a case, from the keys of a persona file. Raises FileProblem; its line numbers mean nothing."""
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
    # JSON is YAML, so a case's persona is read like a persona file.
    return load_persona(Document("persona", json.dumps(given, ensure_ascii=True)), town)
