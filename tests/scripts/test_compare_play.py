"""`scripts/compare_play.py`: what two files of plays have in common, and that the same code plays the same twice."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "compare_play.py"
SIX = 1777874400
"""Monday 4 May 2026, 06:00."""
Lines = list[dict[str, Any]]

# One process of pytest-xdist, so that the fixture of the module is made once.
pytestmark = pytest.mark.xdist_group("compare play")


def line(kind: str, at: int | None, npc: str | None, row: Mapping[str, Any], seed: int = 1) -> dict[str, Any]:
    return {"town": "smallville", "seed": seed, "kind": kind, "at": at, "npc": npc, "row": dict(row)}


def played(seed: int = 1) -> Lines:
    """Ann does four things, and sees Bo once, for the last time at seven."""
    about = {"days": 1.0, "people": ["ann", "bo"], "embedder": "none", "found": ["action", "memory"]}
    did = [("ann", SIX + 600 * number, what) for number, what in enumerate(["sleeping", "washing", "eating", "walking"])]
    actions = [
        line("action", at, npc, {"npc": npc, "sentence": what, "start": at, "ended": at + 600, "outcome": "done"}, seed)
        for npc, at, what in did
    ]
    seen = line("memory", SIX, "bo", {"npc": "bo", "text": "Ann is sleeping", "created": SIX, "last_access": SIX + 3600}, seed)
    return [line("play", None, None, about, seed), *actions, seen]


def compared(folder: Path, before: Lines, after: Lines, *options: str) -> subprocess.CompletedProcess[str]:
    files = [folder / "before.jsonl", folder / "after.jsonl"]
    for file, lines in zip(files, (before, after), strict=True):
        file.write_text("".join(json.dumps(it) + "\n" for it in lines), encoding="utf-8")
    return run("compare", *map(str, files), *options)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False)


def counts(done: subprocess.CompletedProcess[str], kind: str) -> list[list[int]]:
    """Same, different, only before, only after: of each play."""
    rows = [it.split() for it in done.stdout.splitlines()]
    return [[int(number) for number in row[-4:]] for row in rows if len(row) == 8 and row[3] == kind]


def test_the_same_play_has_no_difference(tmp_path: Path) -> None:
    done = compared(tmp_path, played(), played())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "smallville, seed 1: no difference" in done.stdout
    assert counts(done, "action") == [[4, 0, 0, 0]]
    assert counts(done, "memory") == [[1, 0, 0, 0]]


def test_an_action_that_changed_is_told_with_its_game_time(tmp_path: Path) -> None:
    after = played()
    after[3]["row"]["sentence"] = "drinking"
    done = compared(tmp_path, played(), after)
    assert done.returncode == 1
    assert counts(done, "action") == [[3, 1, 0, 0]]
    assert "smallville, seed 1: the first difference at 2026-05-04 06:20:00" in done.stdout
    assert '    sentence: "eating" -> "drinking"' in done.stdout


def test_one_action_more_is_one_difference_and_those_after_it_are_the_same(tmp_path: Path) -> None:
    before = played()
    del before[2]
    done = compared(tmp_path, before, played())
    assert done.returncode == 1
    assert counts(done, "action") == [[3, 0, 0, 1]]
    assert "only after: washing" in done.stdout


def test_a_column_that_one_side_lacks_is_named_and_left_out(tmp_path: Path) -> None:
    after = played()
    for it in after:
        it["row"].pop("outcome", None)
    done = compared(tmp_path, played(), after)
    assert done.returncode == 0, done.stdout
    assert "action.outcome" in done.stdout
    assert counts(done, "action") == [[4, 0, 0, 0]]


def test_people_are_still_compared_when_their_column_has_another_name(tmp_path: Path) -> None:
    after = played()
    for it in after:
        if it["kind"] == "action":
            it["row"]["person"] = it["row"].pop("npc")
            it["npc"] = None
    done = compared(tmp_path, played(), after)
    assert done.returncode == 0, done.stdout
    assert counts(done, "action") == [[4, 0, 0, 0]]


def test_a_kind_that_one_side_could_not_read_is_a_difference(tmp_path: Path) -> None:
    after = played()[:-1]
    after[0]["row"]["found"] = ["action"]
    done = compared(tmp_path, played(), after)
    assert done.returncode == 1
    assert "AFTER has no memory" in done.stdout
    assert counts(done, "memory") == []


def test_a_seed_that_one_side_did_not_play_is_a_difference(tmp_path: Path) -> None:
    done = compared(tmp_path, played() + played(2), played(2))
    assert done.returncode == 1
    assert "AFTER has no smallville, seed 1" in done.stdout
    assert "smallville, seed 2: no difference" in done.stdout


def test_each_seed_has_its_own_first_difference(tmp_path: Path) -> None:
    after = played() + played(2)
    after[-2]["row"]["sentence"] = "running"
    done = compared(tmp_path, played() + played(2), after)
    assert "smallville, seed 1: no difference" in done.stdout
    assert "smallville, seed 2: the first difference at 2026-05-04 06:30:00" in done.stdout
    assert counts(done, "action") == [[4, 0, 0, 0], [3, 1, 0, 0]]


def test_a_last_time_that_differs_says_only_that_the_plays_had_run_apart_by_the_later_one(tmp_path: Path) -> None:
    after = played()
    after[-1]["row"]["last_access"] = SIX + 7200
    done = compared(tmp_path, played(), after)
    assert "the first difference at 2026-05-04 08:00:00" in done.stdout


def test_how_things_stand_at_the_end_says_no_more_than_the_later_of_two_times(tmp_path: Path) -> None:
    """Seen last at seven in one play and at nine in the other: until nine both may have been alike."""
    before, after = ([line("known", at, "bo", {"npc": "bo", "address": "pond", "seen_at": at})] for at in (SIX + 3600, SIX + 10800))
    about = played()[:1]
    about[0]["row"]["found"] = ["known"]
    done = compared(tmp_path, about + before, about + after)
    assert "the first difference at 2026-05-04 09:00:00" in done.stdout


def test_only_as_many_differences_are_shown_as_asked_for(tmp_path: Path) -> None:
    after = played()
    for it in after[1:5]:
        it["row"]["sentence"] += " slowly"
    done = compared(tmp_path, played(), after, "--show", "2")
    assert "the first 2 of 4 differences" in done.stdout
    assert done.stdout.count(" slowly") == 2


@pytest.mark.parametrize("text", ["no JSON", "7", '{"town": "smallville"}'])
def test_a_file_that_no_play_wrote_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.jsonl").write_text(text + "\n", encoding="utf-8")
    done = run("compare", str(tmp_path / "a.jsonl"), str(tmp_path / "a.jsonl"))
    assert done.returncode == 2
    assert "line 1 is not a line of a play" in done.stderr


def test_a_play_that_the_command_refuses_is_told_with_what_it_said(tmp_path: Path) -> None:
    done = run("play", "--checkout", str(ROOT), "--out", str(tmp_path / "out.jsonl"), "--towns", "nowhere", "--seeds", "1")
    assert done.returncode == 2
    assert "simulate --town nowhere" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_a_checkout_that_is_not_set_up_is_refused_with_the_fix(tmp_path: Path) -> None:
    done = run("play", "--checkout", str(tmp_path), "--out", str(tmp_path / "out.jsonl"))
    assert done.returncode == 2
    assert "make setup" in done.stderr


@pytest.fixture(scope="module")
def first_hour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first hour and twelve minutes of the household: a seed twice, and another."""
    folder = tmp_path_factory.mktemp("played")
    words = ["--checkout", str(ROOT), "--towns", "household", "--days", "0.05", "--embedder", "none"]
    for name, seeds in (("once", "1"), ("again", "1"), ("other", "2")):
        done = run("play", *words, "--seeds", seeds, "--out", str(folder / f"{name}.jsonl"))
        assert done.returncode == 0, done.stderr
    return folder


def test_the_same_code_plays_the_same_twice(first_hour: Path) -> None:
    once = (first_hour / "once.jsonl").read_bytes()
    assert once == (first_hour / "again.jsonl").read_bytes()
    kinds = {json.loads(it)["kind"] for it in once.splitlines()}
    assert {"play", "action", "plan", "memory", "call", "relation", "known", "thing", "speech"} <= kinds


def test_another_seed_plays_otherwise_and_is_found_out(first_hour: Path) -> None:
    lines = [json.loads(it) for it in (first_hour / "other.jsonl").read_text(encoding="utf-8").splitlines()]
    (first_hour / "as_first.jsonl").write_text("".join(json.dumps({**it, "seed": 1}) + "\n" for it in lines), encoding="utf-8")
    done = run("compare", str(first_hour / "once.jsonl"), str(first_hour / "as_first.jsonl"))
    assert done.returncode == 1
    assert "household, seed 1: the first difference at 2026-05-04" in done.stdout


def test_no_line_holds_a_path_of_this_machine(first_hour: Path) -> None:
    text = (first_hour / "once.jsonl").read_text(encoding="utf-8")
    assert str(ROOT) not in text
    assert "wall_ms" not in text
    assert "/tmp" not in text


def test_a_save_whose_tables_look_otherwise_is_read_for_what_it_still_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from play_rows import rows_of  # type: ignore[import-not-found, unused-ignore]

    save = tmp_path / "other.npc"
    with closing(sqlite3.connect(save)) as db:
        db.execute("CREATE TABLE actions (npc, id, sentence, begins, vector)")
        db.execute("INSERT INTO actions VALUES ('ann', 'ann/1', 'sleeping', 5, x'00')")
        db.commit()
    rows = list(rows_of(save, {"days": 1, "speeches": [{"at": "2026-05-04 06:01", "npc": "ann", "to": [], "text": "Hello"}]}))
    assert rows[0]["row"]["found"] == ["action", "speech"]
    assert rows[1] == {"kind": "action", "at": None, "npc": "ann", "row": {"npc": "ann", "sentence": "sleeping", "begins": 5}}
    assert (rows[2]["kind"], rows[2]["at"]) == ("speech", SIX + 60)


def test_a_reference_is_read_as_the_text_that_it_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that one row more, which moves all numbers, changes nothing else."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from play_rows import rows_of  # type: ignore[import-not-found, unused-ignore]

    save = tmp_path / "plans.npc"
    with closing(sqlite3.connect(save)) as db:
        db.execute("CREATE TABLE plan_steps (npc, id, parent, start, text)")
        db.executemany("INSERT INTO plan_steps VALUES ('ann', ?, ?, 5, ?)", [(7, 0, "bake bread"), (8, 7, "knead")])
        db.commit()
    parents = [it["row"]["parent"] for it in rows_of(save, {}) if it["kind"] == "plan"]
    assert parents == [None, "bake bread"]
