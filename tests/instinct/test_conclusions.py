"""Insights by plain rules: small lives in several genres, with what should and should not be concluded from them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.instinct import conclusions
from npc_server.records import Memory, MemoryKind
from tests.counting import steps
from tests.instinct.lives import LIVES, Life


def memories_of(life: Life) -> list[Memory]:
    return [
        Memory("me", number, MemoryKind.OBSERVATION, line.strip(), number * 3600, number * 3600, 4)
        for number, line in enumerate(life.lines.split("\n"), start=1)
    ]


def concluded(life: Life, known: list[str] | None = None, seed: int = 1) -> list[tuple[str, tuple[int, ...]]]:
    return conclusions.conclude(memories_of(life), life.me, (life.me,), known or [], lambda key: seed + len(str(key)))


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_what_came_up_again_is_concluded_with_its_evidence(life: Life) -> None:
    found = concluded(life)
    for words, numbers in life.wanted:
        about = [set(cited) for text, cited in found if any(word.casefold() in text.casefold() for word in words.split("/"))]
        assert about, f"nothing about {words} in {found}"
        assert any(len(cited & numbers) * 2 > len(cited) for cited in about), found
    if not life.wanted:
        assert not found


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_nothing_is_concluded_from_every_day_or_from_what_happened_once(life: Life) -> None:
    supported = set().union(*(numbers for _, numbers in life.wanted)) if life.wanted else set()
    for text, cited in concluded(life):
        assert not [word for word in life.unwanted if word.casefold() in text.casefold()], text
        assert len(set(cited) & supported) * 2 > len(cited), (text, cited)
        assert len(cited) >= conclusions.PAIR


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_an_insight_is_one_sentence_and_is_not_drawn_again_in_other_words(life: Life) -> None:
    found = concluded(life)
    assert len(found) <= conclusions.INSIGHTS
    assert all(len(text) <= conclusions.LONGEST and "\n" not in text and text.endswith(".") and text[0].isupper() for text, _ in found)
    assert concluded(life, [text for text, _ in found], seed=2) == []


def test_of_sights_and_of_words_alone_no_theme_is_made() -> None:
    lines = """The farm stall in the market was bare
    The stove of the farm stall is burning
    Silas said: "Listen: Agnes says: \\"The farm stall is dry, out of spite.\\""
    Priya talked with Silas: Agnes says: "I kiss the farm stall goodbye."
    Rufus is sitting by the farm stall"""
    life = Life("a stall", "Mara Voss", lines.replace("\\\\", ""))
    assert conclusions.conclude([replace(it, importance=6) for it in memories_of(life)], life.me, (), [], lambda _: 0) == []


def test_the_seed_chooses_among_wordings() -> None:
    assert len({concluded(LIVES[1], seed=seed)[0][0] for seed in range(12)}) > 1


def test_the_work_grows_with_the_memories_and_not_with_their_pairs() -> None:
    lines = [line for life in LIVES for line in life.lines.split("\n")][:100]
    many = [replace(memories_of(LIVES[0])[0], id=i, text=line.strip()) for i, line in enumerate(lines, start=1)]

    def work(count: int) -> int:
        def conclude() -> object:
            return conclusions.conclude(many[:count], "Mara Voss", ("Mara Voss",), [], lambda _: 0)

        conclude()  # what is read but once
        return steps(conclude)

    assert work(100) < 10 * work(25)  # pairs would be sixteen times as long
