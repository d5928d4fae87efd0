"""libyaml and the reader in Python read alike."""

from __future__ import annotations

import random
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server import documents, yaml_libyaml
from npc_server.documents import MAX_VALUES, Parsed, load_yaml
from npc_server.errors import FileProblem
from npc_server.records import Document
from npc_server.yaml_events import without_tabs

FILES = sorted(Path(str(resources.files("npc_server"))).glob("data/towns/**/*.yaml"))
PIECES = [
    *"ab: -\n\n  ,[]{}'\"#&*!|>?%@`~0.1\t\\\r\x85\u2028\ufeffé",
    *("- ", "a: ", "\n  ", "--- ", "...\n", "? ", "|\n", "> \n", "&x ", "*x ", "!!str ", "{a: b}", "[a, b]", "|-\n", "|2\n"),
    *(">+\n", "%YAML 1.1\n---\n", "# c\n", '"\\u263a"', "k: >#c\n"),
]


def in_python(text: str) -> Parsed | list[str]:
    try:
        return documents._read(Document("f.yaml", text), without_tabs(text.removeprefix("\ufeff")), MAX_VALUES)
    except FileProblem as error:
        return [str(problem) for problem in error.problems]


def read(text: str) -> Parsed | list[str]:
    try:
        return load_yaml(Document("f.yaml", text))
    except FileProblem as error:
        return [str(problem) for problem in error.problems]


def same(one: Parsed | list[str], other: Parsed | list[str]) -> bool:
    """Values of other types that compare as equal, such as 1 and True, are not the same."""
    return one == other and repr(one) == repr(other)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_libyaml_reads_every_shipped_file_with_the_same_values_and_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    quick = documents._read_quickly("f.yaml", text, MAX_VALUES)
    assert quick is not None
    assert same(quick, in_python(text))


def test_a_shipped_file_with_any_mistake_is_told_of_with_the_same_words_and_lines() -> None:
    chance = random.Random(5)
    texts = [path.read_text(encoding="utf-8").split("\n") for path in FILES]
    refused = 0
    for _ in range(400):
        rows = chance.choice(texts)
        first = chance.randrange(len(rows))
        text = "\n".join(rows[first : first + chance.randint(2, 12)])
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(PIECES) + text[at + chance.randint(0, 2) :]
        told = in_python(text)
        refused += isinstance(told, list)
        assert same(read(text), told), text
    assert 50 < refused < 350


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_text_reads_as_it_does_in_python(text: str) -> None:
    for wrapped in (text, f"a:\n  b: {text}", f"- {text}"):
        assert same(read(wrapped), in_python(wrapped)), wrapped


@pytest.mark.parametrize(
    "text", ["a: &x 1\nb: *x\n", "a: 'b\tc'\n", "a: \x85b\n", "%YAML 1.1\n---\na: b\n", "a: >#b\n", "a: !!str b\n", "- a\n"]
)
def test_what_the_two_may_read_otherwise_is_left_to_the_reader_in_python(text: str) -> None:
    assert documents._read_quickly("f.yaml", text, MAX_VALUES) is None


def test_files_are_read_without_libyaml_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_libyaml, "CParser", None)
    assert documents._read_quickly("f.yaml", "a: 06:30\n", MAX_VALUES) is None
    assert load_yaml(Document("f.yaml", "a: 06:30\n")).value == {"a": "06:30"}
