"""YAML with line numbers and bounds."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from npc_server import documents
from npc_server.document_errors import did_you_mean
from npc_server.documents import (
    MAX_BYTES,
    MAX_DEPTH,
    Parsed,
    check_yaml,
    first_value,
    load_yaml,
    parse_yaml,
    read_document,
)
from npc_server.errors import FileProblem, Problem
from npc_server.records import Document


class Part(BaseModel):
    model_config = ConfigDict(extra="allow")
    word: str = Field(examples=["hello"])
    size: int = Field(1, ge=1, le=9)


class Whole(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str = Field(examples=["Mara"])
    kind: Literal["cat", "dog"] = "cat"
    parts: tuple[Part, ...] = ()
    near: Part | None = None


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


def doc(text: str) -> Document:
    return Document("f.yaml", text)


def told(text: str, model: type[BaseModel] = Whole) -> list[str]:
    with pytest.raises(FileProblem) as caught:
        parse_yaml(doc(text), model)
    return [str(problem) for problem in caught.value.problems]


def test_values_follow_yaml_1_2_and_never_become_times_dates_or_booleans() -> None:
    text = "a: 06:30\nb: on\nc: no\nd: 2026-05-04\ne: 0o17\nf: 1_000\ng: '1'\nh: 1.5\ni: true\nj: ~\nk: -3\nl: 1e3\n"
    assert load_yaml(doc(text)).value == {
        "a": "06:30", "b": "on", "c": "no", "d": "2026-05-04", "e": "0o17", "f": "1_000",
        "g": "1", "h": 1.5, "i": True, "j": None, "k": -3, "l": 1000.0,
    }  # fmt: skip


def test_every_value_has_its_line() -> None:
    parsed = load_yaml(doc("a: 1\nb:\n  - x\n  - c: 2\n\n    d: 3\n"))
    assert [parsed.line(loc) for loc in [("a",), ("b", 0), ("b", 1, "c"), ("b", 1, "d"), ("b", 1, "missing"), ("z",)]] == [1, 3, 4, 6, 4, 1]


def test_mistakes_come_all_at_once_in_the_order_of_the_file() -> None:
    assert told("name: true\nkind: cow\nparts:\n- word: a\n  size: 12\n- wort: b\n- x\n") == [
        "f.yaml:1: 'name' is true where text belongs. Put it in quotes: \"true\".",
        "f.yaml:2: 'kind' is 'cow'. Use one of: 'cat' or 'dog'.",
        "f.yaml:5: 'size' in item 1 of 'parts' is 12; it should be less than or equal to 9. Mend it.",
        "f.yaml:6: Key 'word' in item 2 of 'parts' is missing. Add it, e.g. `word: hello`.",
        "f.yaml:6: Key 'wort' in item 2 of 'parts' is not known. Did you mean 'word'?",
        "f.yaml:7: Item 3 of 'parts' is 'x' where keys and values belong. Write 'key: value' lines, indented below it.",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("id: mara\nid2: b\n", "mara"),
        ("\ufeffparts: [id, {id: no}, [id]]\nnear: {id: no}\nid: 'yes'\n", "yes"),
        ("name: id\nold: &a ann\nother: *a\nid: right\n", "right"),
        ("id: first\nbroken: [\n", "first"),
        ("broken: ]\nid: late\n", ""),
        ("id: [a]\n", ""),
        ("id:\n", ""),
        ("- id\n- no\n", ""),
        ("name: id\n", ""),
        ("", ""),
    ],
)
def test_a_single_value_is_found_without_the_rest_of_the_file(text: str, value: str) -> None:
    assert first_value(doc(text), "id") == value


def test_unknown_keys_are_warnings_with_a_line_and_are_kept() -> None:
    checked = check_yaml(doc("name: a\nnear:\n  word: b\n  wrd: c\nextra: [1]\n"), Whole)
    assert checked.value.model_extra == {"extra": [1]}
    assert checked.value.near is not None
    assert checked.value.near.model_extra == {"wrd": "c"}
    assert checked.warnings == (
        Problem("f.yaml", 4, "Key 'wrd' in 'near' is not known.", "Did you mean 'word'?"),
        Problem("f.yaml", 5, "Key 'extra' is not known.", "Known keys here: kind, name, near, parts."),
    )


def test_a_model_that_forbids_unknown_keys_refuses_them_once() -> None:
    assert told("name: a\nnmae: b\n", Strict) == ["f.yaml:2: Key 'nmae' is not known. Did you mean 'name'?"]


def test_a_hint_replaces_the_fix_of_a_wrong_value() -> None:
    with pytest.raises(FileProblem, match=r"f\.yaml:1: 'name' is 3 where text belongs\. Write a name\."):
        parse_yaml(doc("name: 3\n"), Whole, {"name": "Write a name."})


def test_tabs_indent_as_two_spaces_since_godots_editor_writes_them() -> None:
    tabs = "name: a\nvoice:\n\tstyle: short\n\tsaid:\n\t\t- one\n    - two\n"
    assert load_yaml(doc(tabs)).value == {"name": "a", "voice": {"style": "short", "said": ["one", "two"]}}


def test_checked_values_keep_their_lines_for_later_checks() -> None:
    checked = check_yaml(doc("\nname: a\n"), Whole)
    assert (checked.name, checked.parsed.line(("name",))) == ("f.yaml", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.yaml: The file is empty."),
        ("# only a comment\n", "f.yaml: The file is empty."),
        ("- a\n", "f.yaml:1: The file is a list where keys and values belong."),
        ("just text\n", "f.yaml:1: The file is 'just text' where keys and values belong."),
        ("name: a\nname: b\n", "f.yaml:2: Key 'name' stands twice here; first on line 1."),
        ('name: "a\nkind: b\nword: "c"\n', "f.yaml:1: A quote is not closed, at 'name: \"a'."),
        ("name: a: b\n", "f.yaml:1: A second ': ' stands in 'name: a: b'."),
        ("name: [a, b\n", "f.yaml:1: A bracket is not closed, at 'name: [a, b'."),
        ("name: 'a\n", 'f.yaml:1: A quote is not closed, or an escape is wrong, at "name: \'a".'),
        ('name: "\\q"\n', "f.yaml:1: A quote is not closed, or an escape is wrong"),
        ("name: @a\n", "f.yaml:1: A value cannot start like this: 'name: @a'."),
        ("name: a\n  kind: b\n c: d\n", "f.yaml:2: A second ': ' stands in 'kind: b'."),
        ("near:\n  word: b\n size: 2\n", "f.yaml:3: The indentation does not fit, or a ':' is missing, at 'size: 2'."),
        ("name: - a\n", "f.yaml:1: A '- ' stands where no list can be, at 'name: - a'."),
        ("'name': 'a' b\n", "f.yaml:1: The indentation does not fit, or a ':' is missing, at \"'name': 'a' b\"."),
        ("'name' b\n", "f.yaml:1: This line does not fit what is above it: \"'name' b\"."),
        ("name: {{ a }}\n", "f.yaml:1: A list or mapping stands where a key belongs."),
        ("name: !!python/object a\n", "f.yaml:1: Tag "),
        ("name: *a\n", "f.yaml:1: Alias '*a' names nothing above it."),
        ("near: &a\n  word: *a\n", "f.yaml:2: Alias '*a' names nothing above it."),
        ("name: a\n---\nname: b\n", "f.yaml:2: A second YAML document begins here."),
        ("name: a\x00b\n", "f.yaml:1: Character U+0000 is not allowed."),
        ("a: b\nname: \ud800\n", "f.yaml:2: Character U+D800 is not allowed."),
        ('name: "\\UFFFFFFFF"\n', "f.yaml:1: This is not YAML"),
        ("%YAML 9.9\n---\nname: a\n", "f.yaml:1: This is not YAML"),
        ('a: b\nname: "x\\e[31m"\n', "f.yaml:2: A text holds U+001B, which steers terminals or the direction of reading."),
        ('name: "x\\L"\n', "f.yaml:1: A text holds U+2028"),
        ("a: b\nname: Mara \u202eVoss\n", "f.yaml:2: A text holds U+202E"),
        ("\u2066a: b\n", "f.yaml:1: A text holds U+2066"),
    ],
)
def test_what_is_not_good_yaml_is_told_in_a_sentence_with_a_fix(text: str, message: str) -> None:
    with pytest.raises(FileProblem) as caught:
        parse_yaml(doc(text), Whole)
    (problem,) = caught.value.problems
    assert str(problem).startswith(message)
    assert problem.fix


def test_a_byte_order_mark_is_no_character_of_the_file() -> None:
    assert parse_yaml(doc("\ufeffname: a\n"), Whole).name == "a"


def test_aliases_repeat_values_but_cannot_make_a_file_explode() -> None:
    assert load_yaml(doc("a: &x {b: 1}\nc: *x\n")).value == {"a": {"b": 1}, "c": {"b": 1}}
    bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    assert told(bomb)[0].startswith("f.yaml:5: The file holds more than 20000 values.")


def test_depth_is_bounded_without_recursion() -> None:
    assert isinstance(load_yaml(doc("[" * MAX_DEPTH + "]" * MAX_DEPTH)).value, list)
    assert told("[" * (MAX_DEPTH + 1)) == [f"f.yaml:1: Values are nested deeper than {MAX_DEPTH} levels. Flatten the file."]
    assert "nested deeper" in told("[" * 100_000)[0]
    assert "nested deeper" in told("".join(" " * i + "a:\n" for i in range(200)))[0]


@pytest.mark.parametrize(
    "text",
    [
        "a: !{} 1",
        "a: !<{}> 1",
        "a: !x{} [1]",
        "%TAG !a! {}\n---\na: !a!b 1",
        "a: &{} 1",
        "a: *{}",
    ],
)
def test_an_endless_tag_or_anchor_is_refused_before_it_is_read(text: str) -> None:
    """Ruamel's time for one grows with the square of its length: 16 s for a million letters, two minutes for ten."""
    long = "b" * (MAX_BYTES - 100)
    count = 0

    def count_letters(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_name == "uri_decoded_suffix"

    sys.setprofile(count_letters)
    try:
        found = told("x: 1\n" + text.format(long) if not text.startswith("%") else text.format(long))
    finally:
        sys.setprofile(None)
    line = 1 if text.startswith("%") else 2
    assert found == [f"f.yaml:{line}: A tag or an anchor has more than 200 characters. Delete it; put the value in quotes when it is text."]
    assert count == 0, "none was decoded"


def test_tags_up_to_the_limit_are_told_as_what_they_are() -> None:
    assert told("name: !" + "b" * 199 + " a")[0].startswith("f.yaml:1: Tag '!bbb")


def test_a_hundred_mistakes_are_told_and_no_more() -> None:
    found = told("a: !b 1\n" * 5000)
    assert len(found) == 101
    assert found[-1].endswith("More mistakes follow. Correct those above, then check again.")


def test_joiners_and_right_to_left_letters_are_welcome() -> None:
    text = "a: 👩\u200d🚀 שלום\u200f می\u200cخواهم\nשם: ב\n"
    assert load_yaml(doc(text)).value == {"a": "👩\u200d🚀 שלום\u200f می\u200cخواهم", "שם": "ב"}


def test_a_large_file_is_refused_unread() -> None:
    assert "larger than" in told("a: " + "x" * MAX_BYTES)[0]
    assert "larger than" in told("a: " + "é" * (MAX_BYTES // 2))[0]


def test_a_number_of_a_thousand_digits_stays_text() -> None:
    assert load_yaml(doc("a: " + "9" * 5000)).value == {"a": "9" * 5000}


def test_files_are_read_from_disk_with_their_name(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("\ufeffname: Ö\n".encode())
    assert read_document(path) == Document(str(path), "name: Ö\n")


@pytest.mark.parametrize(
    ("data", "what"),
    [(b"a: 1\nb: \xff\n", ":2: Byte 0xff is not UTF-8."), (b"x" * (MAX_BYTES + 1), ": The file is larger than")],
)
def test_a_file_that_is_no_text_is_told(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    with pytest.raises(FileProblem) as caught:
        read_document(path)
    assert str(caught.value).startswith(str(path) + what)


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(FileProblem, match="cannot be read"):
            read_document(path)


def test_did_you_mean_names_the_nearest_word_or_nothing() -> None:
    assert did_you_mean("routin", ["routine", "relations"]) == "Did you mean 'routine'?"
    assert did_you_mean("xyz", ["routine"]) == ""


YAML_BITS = st.sampled_from(
    [*"abc:-?*&!%@`'\"[]{}#|><,\\ \n\t~=0", "\n  ", ": ", "- ", "---\n", "<<", "\\U", "\u2028", "é", "\x85", "%TAG "]
)


def load_or_problems(text: str) -> Parsed | tuple[Problem, ...]:
    try:
        return load_yaml(doc(text))
    except FileProblem as error:
        return error.problems


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(YAML_BITS, max_size=40).map("".join)))
def test_any_text_is_values_or_problems_with_lines_of_the_file(text: str) -> None:
    found = load_or_problems(text)
    if isinstance(found, Parsed):
        assert all(1 <= line <= len(text.splitlines()) + 1 for line in found.lines.values())
    else:
        assert found
        assert all(problem.what and problem.fix and 0 <= problem.line <= len(text.splitlines()) + 2 for problem in found)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_a_problem(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    try:
        document = read_document(path)
    except FileProblem:
        with pytest.raises(UnicodeDecodeError):
            data.decode("utf-8")
    else:
        load_or_problems(document.text)


def test_limits_are_what_the_docs_say() -> None:
    assert (documents.MAX_BYTES, documents.MAX_DEPTH, documents.MAX_VALUES) == (1024 * 1024, 32, 20_000)


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u00a0 "])
def test_an_odd_space_after_a_key_is_named_with_its_line(space: str) -> None:
    with pytest.raises(FileProblem) as caught:
        load_yaml(doc(f"name: Ada\nage:{space}40\nhome: a\n"))
    (problem,) = caught.value.problems
    assert (problem.line, problem.fix) == (2, "Delete it, and type a space with the space bar.")
    assert f"U+{ord(space[0]):04X}" in problem.what
    with pytest.raises(FileProblem, match="odd space"):
        load_yaml(doc(f"name:{space}Ada\nage:{space}40\n"))


def test_curly_quotes_around_a_value_are_a_warning_with_line_and_fix() -> None:
    text = 'a: plain\nb: “Ada Finch”\nc: "“meant”"\nd: She said “no” to “him”\n'
    (warning,) = load_yaml(doc(text)).warnings
    assert warning.line == 2
    assert warning.fix == 'Write "Ada Finch", or no quotes.'
