"""The docs are true: commands, links, signals and settings that they name are there, and those that are there are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from npc_eval.commands.reference import PAGES as PAGE_OF_COMMAND
from npc_eval.commands.reference import commands, reference

ROOT = Path(__file__).parents[1]
AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in AT_THE_ROOT), *sorted((ROOT / "docs").glob("*.md")), ROOT / "models" / "README.md"]
GLOSSARY = ROOT / "docs" / "glossary.md"
SOURCES = ("npc_server", "godot_project/addons", "protos")


def test_the_page_of_commands_is_up_to_date() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python -m npc_eval.commands.reference > docs/commands.md"


def test_every_command_has_a_page_that_shows_its_use() -> None:
    assert {name.split()[1] for name in commands()} - set(PAGE_OF_COMMAND) == {"version"}
    texts = {name: (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for name, page in PAGE_OF_COMMAND.items()}
    assert [name for name, text in texts.items() if f"npc-server {name}" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_shows_exists(page: Path) -> None:
    known = {name.split()[1] for name in commands()}
    code = re.findall(r"```.*?```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL)
    shown = {word for block in code for word in re.findall(r"(?:^|[\s`/])npc-server ([a-z]+)", block)}
    assert shown <= known, shown - known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_page_has_one_line_in_the_index_and_the_readme_links_to_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [page for page in ("docs/README.md", *AT_THE_ROOT[1:]) if f"({page})" not in readme] == []
    listed = re.findall(r"^- \[[^\]]+\]\(([a-z0-9]+\.md)\): .+\.$", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md")


def test_every_heading_that_a_page_links_to_is_there() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^):#]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
            assert anchor in anchors(page.parent / target if target else page), f"{page.name}: {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def glossary() -> list[tuple[str, str, str]]:
    """Term, meaning and source of each entry; every line that begins as one must be one."""
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    found = [re.fullmatch(r"- \*\*([^*]+)\*\*: (.+) \*\(([^()]+)\)\*", line) for line in lines]
    assert all(found), [line for line, entry in zip(lines, found, strict=True) if not entry]
    return [(entry[1], entry[2], entry[3]) for entry in found if entry]


def test_every_reason_that_the_addon_fails_with_is_explained() -> None:
    addon = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "godot_project" / "addons" / "npc").glob("*.gd")))
    given = set(re.findall(r'(?:NpcError\.make|_fail|notice_received\.emit)\(\s*[\w\[\]".]+,\s*"([A-Z_]+)"', addon))
    given |= set(re.findall(r'^const (?:LOST|STOPPED) := "([A-Z_]+)"', addon, re.MULTILINE))
    assert len(given) > 15, "the addon makes its errors in another way"
    pages = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("addon.md", "protocol.md"))
    assert [reason for reason in sorted(given) if f"`{reason}`" not in pages] == []


def test_the_glossary_is_alphabetical() -> None:
    terms = [term.casefold() for term, _, _ in glossary()]
    assert terms == sorted(set(terms))


def test_every_term_of_the_glossary_has_a_source_that_can_be_looked_up() -> None:
    sources = re.compile(
        r"Humanoid Agents|Lyfe Agents|"
        r"(Affordable )?Generative Agents(, (section \d(\.\d)*|appendix A|reference code))?|llama\.cpp|Godot|gRPC|NLP|npc-server"
    )
    assert [(term, source) for term, _, source in glossary() if not sources.fullmatch(source)] == []


def test_every_term_of_the_glossary_is_used_in_the_docs_settings_or_code() -> None:
    files = [page for page in PAGES if page != GLOSSARY]
    files += [path for kind in ("*.py", "*.gd", "*.prompt", "*.proto") for folder in SOURCES for path in (ROOT / folder).rglob(kind)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files).casefold()
    assert [term for term, _, _ in glossary() if not re.search(rf"\b{re.escape(term.casefold())}", text)] == []
