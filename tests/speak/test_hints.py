"""What npc-speak's file says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.speak import hints, worlds
from models.speak.render import messages
from npc_server.llm.from_package import adapter_of
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import find_entry
from npc_server.llm.sampling_parameters import recommended
from npc_server.mind.ask import AGAIN
from npc_server.prompts.load import Prompts
from tests.llm.adapter_files import make_adapter

NOT_OF_MINDS = {AGAIN, "prefer_answer", "rank_answers"}
"""What is added to a prompt, and what judges are asked."""


def test_a_prompt_is_either_trained_or_left_to_instinct() -> None:
    asked = {name for name in Prompts().names() if not name.startswith(("ga_", "chat"))} - NOT_OF_MINDS
    assert {*hints.TRAINED, *hints.NOT_TRAINED} == asked
    assert not {*hints.TRAINED} & {*hints.NOT_TRAINED}


def test_what_counts_as_trained_is_what_the_examples_become() -> None:
    castle = worlds.load("castle")
    first = dict(reversed(list(castle.all())))
    assert {message.question for written in first.values() for message in messages(castle, written)} == {*hints.TRAINED}


def test_hints_are_put_into_an_adapter_without_training_and_its_matrices_stay(tmp_path: Path) -> None:
    path = make_adapter(tmp_path / "voice.gguf", weak_at="say")
    before = read_header(path)
    for _ in range(2):
        hints.put_into(path)
    after = read_header(path)
    assert after.weak_at == {*hints.NOT_TRAINED, *hints.TOO_HARD}
    assert after.check_replies
    assert vars(recommended(after.values)) == pytest.approx({"temperature": 0.7, "top_p": 0.9, "min_p": 0.05})
    assert (after.shapes, after.values["adapter.lora.alpha"]) == (before.shapes, before.values["adapter.lora.alpha"])
    assert list(tmp_path.iterdir()) == [path]


def test_the_adapter_in_the_box_has_them() -> None:
    entry = find_entry("npc-speak")
    assert entry is not None
    values = read_header(adapter_of(entry)).values
    assert {key: values.get(key) for key in hints.HINTS if isinstance(hints.HINTS[key], (str, bool))} == {
        key: value for key, value in hints.HINTS.items() if isinstance(value, (str, bool))
    }
