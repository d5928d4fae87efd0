"""Cutting a prompt to its budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import PromptTooLong
from npc_server.prompts.budget import Prompt, Rendered, Section, fit


class Counter:
    """Counts words, one extra for each text as a model's start token does, and remembers its calls."""

    def __init__(self, extra: int = 0) -> None:
        self.calls: list[int] = []
        self.extra = extra

    async def __call__(self, texts: Sequence[str]) -> list[int]:
        self.calls.append(len(texts))
        return [len(text.split()) + self.extra for text in texts]


def rendered() -> Rendered:
    memories = "Memories:\n" + "\n".join(f"- number {i} is here" for i in range(10))
    return Rendered(
        "ask",
        (
            Section("system", None, "identity", "You are Mara Voss of Millbrook"),
            Section("system", 6, "relations", "People:\n- Tobin\n- Ines"),
            Section("user", 3, "memories", memories),
            Section("user", 1, "news", "News of the day"),
            Section("user", None, "question", "What now?"),
        ),
    )


async def cut(budget: int, extra: int = 0) -> tuple[Prompt, Counter]:
    count = Counter(extra)
    return await fit(rendered(), budget, count), count


async def test_what_fits_is_whole_and_counted_once() -> None:
    prompt, count = await cut(1000)
    assert prompt.system == "You are Mara Voss of Millbrook\n\nPeople:\n- Tobin\n- Ines"
    assert prompt.user.startswith("Memories:\n- number 0")
    assert prompt.user.endswith("here\n\nNews of the day\n\nWhat now?")
    assert prompt.dropped == ()
    assert prompt.tokens == 68
    assert count.calls == [2]


async def test_the_least_important_section_goes_first() -> None:
    prompt, _ = await cut(67)
    assert prompt.dropped == ("news",)
    assert "number 9" in prompt.user


async def test_a_list_gives_up_its_last_lines_one_by_one() -> None:
    prompt, count = await cut(52)
    assert prompt.dropped == ("memories (3 of 10 lines)", "news")
    assert "number 6" in prompt.user
    assert "number 7" not in prompt.user
    assert prompt.tokens <= 52
    assert len(count.calls) == 3


async def test_a_list_without_lines_loses_its_heading_too() -> None:
    prompt, _ = await cut(13)
    assert prompt.user == "What now?"
    assert prompt.dropped == ("memories", "news")
    assert prompt.system.endswith("- Ines")


async def test_the_persona_is_never_dropped() -> None:
    prompt, _ = await cut(8)
    assert (prompt.system, prompt.user) == ("You are Mara Voss of Millbrook", "What now?")
    with pytest.raises(PromptTooLong, match=r"'ask' has 8 tokens .* 7 fit\. .*identity 6, question 2"):
        await cut(7)


async def test_a_counter_that_adds_a_token_to_each_text_costs_no_memories() -> None:
    prompt, _ = await cut(54, extra=1)
    assert prompt.dropped == ("memories (3 of 10 lines)", "news")


async def test_of_equal_priorities_the_later_goes_first() -> None:
    sections = (Section("user", 2, "first", "one two"), Section("user", 2, "second", "three four"))
    prompt = await fit(Rendered("ask", sections), 2, Counter())
    assert (prompt.user, prompt.dropped) == ("one two", ("second",))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["system", "user"]),
            st.one_of(st.none(), st.integers(0, 5)),
            st.lists(st.sampled_from(["- a b", "c d e", "- f"]), min_size=1, max_size=8),
        ),
        max_size=6,
    ),
    st.integers(0, 60),
    st.integers(0, 2),
)
async def test_a_prompt_fits_its_budget_or_only_kept_sections_are_left(
    parts: list[tuple[str, int | None, list[str]]], budget: int, extra: int
) -> None:
    whole = Rendered("ask", tuple(Section(part, priority, f"s{i}", "\n".join(lines)) for i, (part, priority, lines) in enumerate(parts)))
    kept = [section for section in whole.sections if section.priority is None]
    count = Counter(extra)
    try:
        prompt = await fit(whole, budget, count)
    except PromptTooLong:
        only = Rendered("ask", tuple(kept))
        assert sum(await count([only.part("system"), only.part("user")])) > budget
        return
    assert prompt.tokens <= budget
    assert all(section.text in (prompt.system if section.part == "system" else prompt.user) for section in kept)
    left = [
        section
        for section in whole.sections
        if section.name not in prompt.dropped and not any(d.startswith(f"{section.name} ") for d in prompt.dropped)
    ]
    assert all(section.text in (prompt.system if section.part == "system" else prompt.user) for section in left)
