"""The files of a recording: one line for each answer, and beside them the texts of the prompts, packed.

While a run is recorded, each line of `recorded.jsonl` holds the whole prompt. `pack` moves the prompts into `prompts.jsonl.xz`, because
most of their text repeats; lines then name their prompt by its digest. A packed day of three people takes a few hundred kilobytes.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from npc_server.errors import FileProblem, Problem
from npc_server.llm.engine import Request
from npc_server.records import GameTime

FILE, PROMPTS = "recorded.jsonl", "prompts.jsonl.xz"


@dataclass(frozen=True)
class RecordedAnswer:
    """A whole prompt, and its answer."""

    stage: str
    npc: str
    system: str
    user: str
    answer: str
    at: GameTime | None = None
    """The game time of the question. Older recordings do not know it."""


def digest(asked: Request | RecordedAnswer) -> str:
    """Returns a hash that identifies a prompt: its stage, the NPC, and its texts. The seed does not count."""
    user = asked.asked if isinstance(asked, Request) else asked.user
    text = json.dumps([asked.stage, asked.npc, asked.system, user])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def read_answers(folder: Path) -> Iterator[RecordedAnswer]:
    """Yields the answers in the order in which they were given. Raises FileProblem when a line is no recorded answer."""
    path, prompts = folder / FILE, _read_prompts(folder / PROMPTS)
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            return  # a run ended while it wrote this line; `append` removes it
        try:
            yield _answer(json.loads(line), prompts)
        except (ValueError, TypeError, KeyError) as error:
            raise FileProblem(
                (Problem(str(path), number, "This line is no recorded answer.", "Delete it; its prompt will be asked again."),)
            ) from error


def append(path: Path, made: RecordedAnswer) -> None:
    """Adds an answer to the file. It is on disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        _drop_half_line(file)
        file.write((json.dumps(asdict(made), ensure_ascii=False) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())


def pack(folder: Path, answers: Iterable[RecordedAnswer]) -> None:
    """Writes a recording anew in its small form. The old one stays whole until both files are there."""
    folder.mkdir(parents=True, exist_ok=True)
    prompts: dict[str, dict[str, str]] = {}
    lines = []
    for it in answers:
        key = digest(it)
        prompts[key] = {"digest": key, "system": it.system, "user": it.user}
        lines.append({"stage": it.stage, "npc": it.npc, "at": it.at, "prompt": key, "answer": it.answer})
    new_prompts, new_lines = (folder / f"{name}.new" for name in (PROMPTS, FILE))
    new_prompts.write_bytes(lzma.compress(_as_lines(prompts.values()).encode(), preset=9 | lzma.PRESET_EXTREME))
    new_lines.write_text(_as_lines(lines), encoding="utf-8")
    new_prompts.replace(folder / PROMPTS)
    new_lines.replace(folder / FILE)


def _answer(found: Any, prompts: dict[str, dict[str, str]]) -> RecordedAnswer:
    """Raises TypeError and KeyError when it is none."""
    if isinstance(found, dict) and "prompt" in found:
        prompt = prompts[found.pop("prompt")]
        found = {**found, "system": prompt["system"], "user": prompt["user"]}
    made = RecordedAnswer(**found)
    if not all(isinstance(part, str) for name, part in asdict(made).items() if name != "at") or not isinstance(made.at, int | None):
        raise TypeError
    return made


def _read_prompts(path: Path) -> dict[str, dict[str, str]]:
    if not path.is_file():
        return {}
    try:
        found = [json.loads(line) for line in lzma.decompress(path.read_bytes()).decode().splitlines()]
        return {line["digest"]: line for line in found}
    except (lzma.LZMAError, ValueError, KeyError) as error:
        raise FileProblem(
            (Problem(str(path), 0, "The file holds no prompts of a recording.", "Bring back the one that was kept."),)
        ) from error


def _as_lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _drop_half_line(file: BinaryIO) -> None:
    """Removes the last line when it has no end, because a run ended while it wrote it."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return
    file.seek(size - 1)
    if file.read(1) != b"\n":
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
