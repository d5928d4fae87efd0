"""The pictures of the docs: each is shown, can be read, is small enough for a repository, and is taken by a step of the tour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"
TOUR = DOCS / "tour.md"
CASE = ROOT / "godot_project" / "tests" / "cases" / "tour.gd"
ANIMATION = IMAGES / "tour.webp"
OF_THE_EDITOR = {"minds", "debugger_tab"}
"""Taken by the drivers of Godot's editor."""
MOST_BYTES, MOST_OF_ONE, MOST_OF_ANIMATION = 3_300_000, 200_000, 2_500_000
STILLS = sorted(path for path in IMAGES.glob("*.webp") if path != ANIMATION)


def shown() -> dict[Path, list[str]]:
    """The files that the pages show, each with its alternative texts."""
    found: dict[Path, list[str]] = {}
    for page in (ROOT / "README.md", *DOCS.glob("*.md")):
        for text, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                found.setdefault((page.parent / target).resolve(), []).append(text)
    return found


def taken() -> set[str]:
    """What the steps of the tour take."""
    return set(re.findall(r'(?:picture|camera\.take)\("(\w+)"\)', CASE.read_text(encoding="utf-8")))


def test_every_picture_that_a_page_shows_is_there_and_none_lies_unused() -> None:
    unused = {path.name for path in IMAGES.iterdir()} - {path.name for path in shown()} - {"icon.svg"}
    assert [str(path) for path in shown() if not path.is_file()] == []
    assert unused == set(), "Show it in a page, or delete it."


def test_every_picture_says_in_words_what_it_shows() -> None:
    assert [path.name for path, texts in shown().items() for text in texts if len(text.split()) < 4] == []


@pytest.mark.parametrize("path", STILLS, ids=lambda path: path.stem)
def test_a_picture_can_be_read_and_is_small(path: Path) -> None:
    with Image.open(path) as image:
        assert 800 <= image.width <= 1600, "the words in it would be too small, or it would be scaled down"
        assert image.height >= 420
        assert len(image.convert("RGB").resize((160, 90)).getcolors(160 * 90) or []) > 50, "it is nearly empty"
    assert path.stat().st_size <= MOST_OF_ONE


def test_the_animation_is_short_and_small() -> None:
    with Image.open(ANIMATION) as image:
        assert image.width == 800
        lasts = 0
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            lasts += image.info["duration"]
        assert image.n_frames > 100
        assert image.info["loop"] == 0
    assert 15_000 <= lasts <= 70_000
    assert ANIMATION.stat().st_size <= MOST_OF_ANIMATION
    assert f"({ANIMATION.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]


def test_all_pictures_together_are_small() -> None:
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) <= MOST_BYTES


def test_every_picture_is_taken_by_a_step_of_the_tour_and_every_step_is_there() -> None:
    assert {path.stem for path in STILLS} == taken() | OF_THE_EDITOR
    case = CASE.read_text(encoding="utf-8")
    steps = re.findall(r"\tawait (_\w+)\(\)", case.split("func run()")[1].split("\n\n\n")[0])
    assert len(steps) >= 10
    assert [step for step in steps if f"func {step}() -> void:" not in case] == []


def test_the_page_of_the_tour_has_a_dozen_pictures_with_words_and_says_who_answers() -> None:
    page = TOUR.read_text(encoding="utf-8")
    blocks = [block for block in page.split("\n\n") if not block.startswith("#")]
    of_pictures = [at for at, block in enumerate(blocks) if block.startswith("![")]
    assert 8 <= len(of_pictures) <= 12
    assert [blocks[at] for at in of_pictures if at + 1 == len(blocks) or blocks[at + 1].startswith("![")] == []
    assert re.search(r"<!-- who answers -->\n.*language model.*\n<!-- end -->", page)
