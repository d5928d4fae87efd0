"""The docs are true: commands, links, signals and settings that they name are there, and those that are there are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from npc_server.cli.reference import reference

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "models" / "README.md"]


def test_the_page_of_commands_is_up_to_date() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python -m npc_server.cli.reference > docs/commands.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_shows_exists(page: Path) -> None:
    known = {name.split()[1] for name in re.findall(r"^## `(npc-server [^`]*)`", reference(), re.MULTILINE)}
    code = re.findall(r"```.*?```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL)
    shown = {word for block in code for word in re.findall(r"(?:^|[\s`/])npc-server ([a-z]+)", block)}
    assert shown <= known, shown - known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_page_is_reachable_from_the_first() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f"docs/{page.name}" in readme, page.name


def test_every_signal_export_and_method_of_the_addon_has_its_help() -> None:
    """`##` before each, so that the editor shows it (F1)."""
    for script in sorted((ROOT / "godot_project" / "addons" / "npc").glob("*.gd")):
        lines = script.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if re.match(r"(signal|@export|func [a-z])", line):
                above = number - 1
                while above >= 0 and lines[above].startswith("@"):
                    above -= 1
                assert lines[above].startswith("##") or "##" in line, f"{script.name}:{number + 1}: {line}"
