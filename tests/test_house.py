"""The house stays one of small rooms: no file is past 400 lines, no function past 45, in Python, GDScript and C."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES, FUNCTION_LINES = 400, 45
GENERATED = ("npc_server/v1/",)
PACKAGES = ("npc_server/", "npc_eval/")
LONG_FILES: dict[str, int] = {}
"""Longer than they may be, and by how much: these lists only get shorter."""
LONG_FUNCTIONS: dict[str, int] = {}


def files(*endings: str) -> list[str]:
    """As git knows them, those not yet committed, too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *(f"*{ending}" for ending in endings)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in found if not name.startswith(GENERATED) and (ROOT / name).is_file()]


def wrong(found: dict[str, int], limit: int, known: dict[str, int]) -> list[str]:
    """What is longer than it may be, and what is listed as long without need."""
    too_long = [f"{name}: {length} lines" for name, length in found.items() if length > known.get(name, limit)]
    return too_long + [f"{name}: take it off the list" for name in known if found.get(name, 0) <= limit]


def python_functions(name: str) -> dict[str, int]:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return {f"{name}::{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1 for node in found}


def gdscript_functions(name: str) -> dict[str, int]:
    """Each ends before the next line that is not indented further; comments and blank lines after it belong to what follows."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found: dict[str, int] = {}
    for start, line in enumerate(lines):
        if head := re.match(r"(\t*)(?:static )?func (\w+)", line):
            last = start
            for number in range(start + 1, len(lines)):
                text = lines[number].strip()
                if not text or text.startswith("#"):
                    continue
                if len(lines[number]) - len(lines[number].lstrip("\t")) <= len(head[1]) and not text.startswith(")"):
                    break
                last = number
            key = f"{name}::{head[2]}"
            found[key] = max(found.get(key, 0), last - start + 1)
    return found


def c_functions(name: str) -> dict[str, int]:
    found, start, head = {}, 0, ""
    for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines()):
        if re.match(r"\w.*[^;]$", line):
            start, head = number, line
        elif line == "}":
            found[f"{name}::{head.partition('(')[0].split()[-1]}"] = number - start + 1
    return found


READERS = {".py": python_functions, ".gd": gdscript_functions, ".c": c_functions, ".h": c_functions}


def test_no_file_is_longer_than_one_reads_at_once() -> None:
    lengths = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in files(".py", ".gd", ".c", ".h")}
    assert wrong(lengths, LINES, LONG_FILES) == [], "Look for the second thing in it."


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = {name: length for ending, read in READERS.items() for file in files(ending) for name, length in read(file).items()}
    assert wrong(lengths, FUNCTION_LINES, LONG_FUNCTIONS) == [], "Give a part of it a name."


def test_no_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = {}
    for name in files(".py"):
        if name.startswith(PACKAGES):
            for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places.setdefault(node.name, []).append(name)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice == {}, "Give each a name of its own."


def test_no_room_passes_on_what_belongs_to_another() -> None:
    """`from a import b as b` makes b look like one's own."""
    passed_on = [
        f"{name}: {alias.name}"
        for name in files(".py")
        if name.startswith(PACKAGES)
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]
    assert passed_on == []


OF_ONE_SYSTEM = re.compile(
    r"\b(?:fcntl|msvcrt|prctl|setitimer|SIGKILL|SIGPROF|killpg|pidfd_open|sched_getaffinity|getrusage|os\.kill)\b|/proc/|/sys/fs"
)
MAY_HAVE_IT = ("npc_server/platform/", "npc_server/llm/interrupt.py", "npc_server/bundle/check.py")
"""A decode is interrupted by a function of the C library, which has another name on Windows. The check of bundles names its libraries."""


def test_what_only_one_system_has_stands_in_one_room() -> None:
    found = [
        f"{name}:{number}"
        for name in files(".py")
        if name.startswith("npc_server/") and not name.startswith(MAY_HAVE_IT)
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if OF_ONE_SYSTEM.search(line)
    ]
    assert found == [], "Put it into npc_server/platform/, with a branch that works everywhere."
