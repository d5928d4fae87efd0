"""A persona file as a form: its values, the text with other values, and what is wrong, each with the row of the form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from npc_server import clock
from npc_server.documents import Parsed, load_yaml
from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.personas.file import TIME_PATTERN, PersonaFile, seconds
from npc_server.personas.overlay import ROW, overlaid
from npc_server.personas.schema import persona_id
from npc_server.records import Document
from npc_server.session.checked_files import check_personas, read_personas
from npc_server.world.town_records import Town

Row = dict[str, Any]
TEXTS = ("name", "identity", "currently", "home", "work", "wake", "sleep")
DEFAULTS = {"wake": PersonaFile.model_fields["wake"].default, "sleep": PersonaFile.model_fields["sleep"].default}


class FilledForm(BaseModel):
    """What a form holds. `values` are keys of a persona file; an item of a list names with `_row` the one of the file that it changes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str | None = None
    """The text of a new file, over which the values are laid."""
    values: dict[str, Any] = {}


def read_form(text: str) -> FilledForm:
    """Read a form that Godot wrote as JSON. Raises BadInput."""
    try:
        return FilledForm.model_validate_json(text)
    except ValidationError as error:
        raise BadInput(f"The form cannot be read: {error.errors()[0]['msg']}.", "Use the addon of this version.") from error


def values_of(document: Document) -> Row:
    """Return the values of a persona file that the form shows. Wrong ones are shown as they stand there. Raises FileProblem."""
    parsed = load_yaml(document)
    given = parsed.value if isinstance(parsed.value, dict) else {}
    voice = given.get("voice")
    told: Row = {key: _told(given.get(key, DEFAULTS.get(key))) for key in TEXTS}
    return {
        **told,
        "id": persona_id(document),
        "age": given.get("age") if isinstance(given.get("age"), int) else None,
        "traits": _texts(given.get("traits")),
        "style": _told(voice.get("style")) if isinstance(voice, dict) else "",
        "routine": [{ROW: number, **_routine_row(it)} for number, it in enumerate(_items(document, given, "routine"))],
        "offers": [{ROW: number, **_offer_row(document, it)} for number, it in enumerate(_items(document, given, "offers"))],
    }


def filled(document: Document, form: FilledForm) -> tuple[str, list[int]]:
    """Return the text of a file with what the form holds, and for each item of its routine the row of the form. Raises FileProblem."""
    base, values = document if form.text is None else replace(document, text=form.text), dict(form.values)
    rows = values.get("routine", [])
    order = _order([str(row.get("at", "")) for row in rows], str(values.get("wake") or values_of(base)["wake"]))
    if rows:
        values["routine"] = [rows[number] for number in order]
    return overlaid(base, values), order


def problems_of(document: Document, order: Sequence[int], town: Town | None, folder: Path | None) -> list[Row]:
    """Return what is wrong with a file beside the others of its folder, each with the key, and the row of the form."""
    others = [it for it in read_personas([folder] if folder else [])[0] if Path(it.name) != Path(document.name)]
    found = check_personas([*others, document], town)
    try:
        parsed = load_yaml(document)
    except FileProblem:
        parsed = Parsed({}, {})
    rows: list[Row] = []
    for problems, is_warning in ((found.mistakes, False), (found.warnings, True)):
        for problem in problems:
            if problem.file == document.name:
                rows.append({**_placed(problem, parsed, order), "what": problem.what, "fix": problem.fix, "is_warning": is_warning})
    return rows


def _placed(problem: Problem, parsed: Parsed, order: Sequence[int]) -> Row:
    """The key of a problem, and the row; -1 for none."""
    above = [loc for loc, line in parsed.lines.items() if loc and line <= problem.line]
    loc = max(above, key=lambda loc: parsed.lines[loc], default=("",))
    row = loc[1] if len(loc) > 1 and isinstance(loc[1], int) else -1
    return {"line": problem.line, "key": loc[0], "row": order[row] if loc[0] == "routine" and 0 <= row < len(order) else row}


def _order(times: Sequence[str], wake: str) -> list[int]:
    """The rows of a routine in order of time from waking on. Those without a time come last."""
    begin = seconds(wake) if re.fullmatch(TIME_PATTERN, wake) else 0
    since = [(seconds(time) - begin) % clock.DAY if re.fullmatch(TIME_PATTERN, time) else clock.DAY for time in times]
    return sorted(range(len(times)), key=since.__getitem__)


def _told(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""


def _texts(value: object) -> list[str]:
    return [_told(it) for it in value] if isinstance(value, list) else [_told(value)] if value else []


def _items(document: Document, given: Mapping[str, object], key: str) -> list[Row]:
    """The items of a list. Raises BadInput where the form could not give them back."""
    items = given.get(key) or []
    if not isinstance(items, list) or not all(isinstance(it, dict) for it in items):
        raise BadInput(f"The form cannot show '{key}' of {document.name}: it is no list of keys and values.", "Correct it in the file.")
    return items


def _routine_row(item: Row) -> Row:
    days, minutes, steps = item.get("days"), item.get("for"), item.get("steps")
    told = [", ".join(_texts(days))] if days else []
    told += [f"{minutes} minutes"] if minutes else []
    told += [f"{len(steps)} step{'s' if len(steps) > 1 else ''}"] if isinstance(steps, list) and steps else []
    return {**{key: _told(item.get(key)) for key in ("at", "do", "where")}, "more": "; ".join(told)}


def _offer_row(document: Document, item: Row) -> Row:
    parameters = [
        {
            ROW: number,
            "name": _told(it.get("name")),
            "type": _told(it.get("type")),
            "options": _texts(it.get("options")),
            **{key: it[key] for key in ("low", "high", "default") if isinstance(it.get(key), int)},
        }
        for number, it in enumerate(_items(document, item, "parameters"))
    ]
    told = {key: _told(item.get(key)) for key in ("name", "description")}
    return {**told, **{key: _texts(item.get(key)) for key in ("words", "says", "asks")}, "parameters": parameters}
