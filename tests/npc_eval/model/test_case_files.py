"""Case files: the ones that ship are sound and large enough, and every mistake of another is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_eval.model.case_files import default_cases, parse_cases, read_cases
from npc_eval.model.cases import KINDS, Importance, React, Recall
from npc_server.errors import FileProblem


def problem(line: str) -> str:
    with pytest.raises(FileProblem) as found:
        parse_cases("mine.jsonl", line.encode())
    return str(found.value)


def test_the_cases_that_ship_are_as_many_as_promised() -> None:
    found = default_cases()
    count = {kind: sum(case.kind == kind for case in found) for kind in KINDS}
    least = {
        "importance": 200,
        "recall": 60,
        "place": 40,
        "react": 40,
        "say": 40,
        "invitation": 20,
        "insights": 20,
        "dialogue": 10,
        "offer": 200,
    }
    assert all(count[kind] >= least[kind] for kind in KINDS), count
    recall = [case for case in found if isinstance(case, Recall)]
    assert sum(case.expect is None for case in recall) >= 20
    assert all(3 <= len(case.memories) <= 12 for case in recall)
    assert {case.expect for case in found if isinstance(case, Importance)} == set(range(1, 11))
    assert {case.expect for case in found if isinstance(case, React)} == {"continue", "wait", "change", "talk"}


def test_no_case_stands_twice() -> None:
    texts = [case.model_dump_json() for case in default_cases()]
    assert len(set(texts)) == len(texts)


def test_what_recall_expects_stands_in_the_memories_and_what_it_forbids_does_not_answer() -> None:
    for case in default_cases(["recall"]):
        assert isinstance(case, Recall)
        text = " ".join(memory.text for memory in case.memories).casefold()
        if case.expect is not None:
            assert any(words.casefold() in text for words in case.expect), case.question
            assert not {words.casefold() for words in case.expect} & {words.casefold() for words in case.never}, case.question


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"kind": "recal", "question": "x", "expect": null}', "mine.jsonl:1: There is no kind 'recal'. Did you mean 'recall'?"),
        ('{"question": "x"}', "mine.jsonl:1: Key 'kind' is missing. Kinds: recall,"),
        ('{"kind": ["recall"]}', "There is no kind"),
        ('{"kind": "recall", "question": "x"}', "Key 'expect' is missing. Add it"),
        ('{"kind": "recall", "question": "x", "expect": []}', "'expect' has 0 items; at least 1 belong there."),
        ('{"kind": "importance", "memory": "x", "expect": 11}', "'expect' is 11; it should be less than or equal to 10."),
        ('{"kind": "importance", "memory": "x", "expect": 1, "memorys": []}', "Key 'memorys' is not known. Did you mean 'memory'?"),
        ('{"kind": "importance", "memory": "  ", "expect": 1}', "A text is empty."),
        ('{"kind": "importance", "memory": "x", "expect": NaN}', "NaN is not a JSON value."),
        ('{"kind": "importance", "memory": "x", "memory": "y", "expect": 1}', "Key 'memory' stands twice."),
        ('{"kind": "react", "doing": "x", "observation": "A cat sat", "expect": "run"}', "'expect' is 'run'. Use one of"),
        ('{"kind": "react", "doing": "x", "observation": "A cat sat", "expect": "talk"}', "names nobody to talk to"),
        ('{"kind": "place", "activity": "x", "offered": ["t:a", "t:b"], "expect": ["t:c"]}', "'expect' has 't:c', which is not offered."),
        ('{"kind": "place", "activity": "x", "offered": ["t:a", "t:a"], "expect": ["t:a"]}', "'t:a' is offered twice."),
        ('{"kind": "place", "activity": "x", "offered": ["t:a", "u:b"], "expect": ["t:a"]}', "different towns"),
        ('{"kind": "place", "activity": "x", "offered": ["t:a", "Big Bed"], "expect": ["t:a"]}', "Address 'Big Bed' names no place"),
        (
            '{"kind": "invitation", "from": "A", "heard": ["x"], "places": [{"address": "t:a", "name": "a"}], "at": "2020-01-01 10:00", '
            '"place": "t:a"}',
            "Let it lie after 'now'.",
        ),
        ('{"kind": "insights", "memories": ["a"], "supports": [{"words": ["a"], "memories": [1]}]}', "Give three at least."),
        (
            '{"kind": "insights", "memories": ["a", "b", "c"], "supports": [{"words": ["a"], "memories": [4]}]}',
            "names memory 4, and there are 3",
        ),
        (
            '{"kind": "recall", "question": "x", "expect": null, "persona": {"agee": 3}}',
            "In 'persona': Key 'agee' is not known. Did you mean 'age'?",
        ),
        ('{"kind": "recall", "question": "x", "expect": null, "persona": {"age": "old"}}', "In 'persona': 'age' is 'old'"),
        ('{"kind": "recall", "question": "x", "expect": null, "now": "monday"}', "'monday' is not a date and time."),
        ("[1]", "not an object"),
        ("{", "This is not JSON"),
        ("[" * 100_000, "This is not JSON"),
        ("", "The file has no cases."),
        ("\n \n", "The file has no cases."),
    ],
)
def test_a_mistake_is_told_with_its_place_and_fix(line: str, said: str) -> None:
    assert said in problem(line)


def test_all_mistakes_of_a_file_are_told_with_their_lines() -> None:
    good = '{"kind": "importance", "memory": "x", "expect": 3}'
    told = problem("\n".join([good, "{", good, '{"kind": "x"}']))
    assert "mine.jsonl:2:" in told
    assert "mine.jsonl:4:" in told


def test_a_file_of_nothing_but_mistakes_does_not_fill_the_screen() -> None:
    assert len(problem("{\n" * 5000).splitlines()) < 60


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "bytes.jsonl").write_bytes(b'{"kind": "\xff"}')
    with pytest.raises(FileProblem, match="0xff is not UTF-8"):
        read_cases(tmp_path / "bytes.jsonl")


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)
_keys = st.sampled_from(["npc", "memories", "question", "expect", "memory", "offered", "activity", "with", "persona", "heard", "at", "x"])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([*KINDS, "other"]), st.dictionaries(_keys, _json, max_size=6))
def test_any_object_is_a_case_or_is_refused_in_words(kind: str, more: dict[str, object]) -> None:
    try:
        parse_cases("x", json.dumps({**more, "kind": kind}).encode())
    except FileProblem as error:
        assert all(problem.what and problem.line == 1 for problem in error.problems)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_cases_or_are_refused_in_words(data: bytes) -> None:
    with pytest.raises(FileProblem):
        parse_cases("x", data)
