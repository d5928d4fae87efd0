"""Nobody says a thought, wherever it begins and ends."""

from __future__ import annotations

import pytest

from npc_server.llm import thoughts
from npc_server.llm.thoughts import MARKS


@pytest.mark.parametrize(("begin", "end"), MARKS)
def test_only_what_follows_a_thought_is_said(begin: str, end: str) -> None:
    assert thoughts.spoken(f"{begin}\nShe greets me.\n{end}\n\nHello.") == "Hello."
    assert thoughts.spoken(f"She greets me.\n{end}\n\nHello.") == "Hello.", "the prompt began it"
    assert thoughts.spoken(f"  {begin}She greets") == ""
    assert thoughts.spoken(begin[:3]) == "", "it may be about to think"
    assert thoughts.spoken(f"Hello. {begin}That was") == "Hello."
    assert thoughts.spoken("Hello.") == "Hello."
    assert not thoughts.ANY.search(thoughts.spoken(f"{begin}a{end}b{end}c"))


def test_an_empty_thought_is_none() -> None:
    assert not thoughts.is_thought("<think>\n\n</think>\n\nHello.")
    assert not thoughts.is_thought("Hello.")
    assert thoughts.is_thought("<think>Hm.</think>Hello.")
    assert thoughts.is_thought("Hm.</think>Hello.")
    assert thoughts.is_thought("<think>Hm.")


@pytest.mark.parametrize(("begin", "end"), MARKS)
def test_a_prompt_that_opens_a_thought_closes_it(begin: str, end: str) -> None:
    prompt = thoughts.closed(f"<|im_start|>assistant\n{begin}\n")
    assert prompt == f"<|im_start|>assistant\n{begin}\n\n{end}\n\n"
    assert thoughts.closed(prompt) == prompt
    assert thoughts.closed("<|im_start|>assistant\n") == "<|im_start|>assistant\n"
