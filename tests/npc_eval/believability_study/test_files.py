from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Interviews, RankFile, Ranking, read_interviews, read_ranks, write_json
from npc_server.errors import BadInput, FileProblem


def ranks(**places: float) -> RankFile:
    ranking = Ranking(npc="mara_voss", category="memory", question="Who?", ranks={Condition(name): it for name, it in places.items()})
    return RankFile(answers="x", judge="Ada", seed=7, rankings=(ranking,))


def test_files_are_read_as_they_were_written(tmp_path: Path, interviews: Interviews) -> None:
    write_json(tmp_path / "a.json", interviews)
    assert read_interviews(tmp_path / "a.json") == interviews
    write_json(tmp_path / "r.json", ranks(full=1, none=2.5, human=2.5))
    assert read_ranks(tmp_path / "r.json") == ranks(full=1, none=2.5, human=2.5)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.json", "r.json"]


def test_answers_that_differ_have_another_digest(interviews: Interviews) -> None:
    changed = interviews.model_copy(update={"answers": interviews.answers[1:]})
    assert changed.digest() != interviews.digest()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "npc-server believability ranks"}, "This is another kind of file: its format is not"),
        ({"version": 2}, "version: Input should be 1"),
        ({"answers": []}, "answers: Tuple should have at least 1 item"),
        ({"people": [], "more": 1}, "more: Extra inputs are not permitted"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, interviews: Interviews, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**interviews.model_dump(mode="json"), **change}), encoding="utf-8")
    with pytest.raises(FileProblem) as caught:
        read_interviews(path)
    assert f"{path}: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", "[" * 100_000])
def test_what_is_no_such_file_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem):
        read_interviews(tmp_path / "a.json")
    with pytest.raises(FileProblem, match="cannot be read"):
        read_ranks(tmp_path / "none.json")


def test_an_answer_belongs_to_somebody_and_stands_once(tmp_path: Path, interviews: Interviews) -> None:
    first = interviews.answers[0]
    write_json(tmp_path / "a.json", interviews.model_copy(update={"answers": (first, first)}))
    with pytest.raises(FileProblem, match="has two answers to"):
        read_interviews(tmp_path / "a.json")
    write_json(tmp_path / "a.json", interviews.model_copy(update={"answers": (first.model_copy(update={"npc": "nobody"}),)}))
    with pytest.raises(FileProblem, match="'nobody', who is not among the people"):
        read_interviews(tmp_path / "a.json")


@pytest.mark.parametrize("places", [{"full": 1, "none": 1}, {"full": 0, "none": 3}, {"full": 1, "none": 3}])
def test_ranks_are_places(tmp_path: Path, places: dict[str, float]) -> None:
    write_json(tmp_path / "r.json", ranks(**places))
    with pytest.raises(FileProblem, match="are not the places 1 to 2"):
        read_ranks(tmp_path / "r.json")


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        write_json(tmp_path / "nowhere" / "r.json", ranks(full=1, none=2))
