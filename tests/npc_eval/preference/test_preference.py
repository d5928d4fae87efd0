"""Two files of talks are compared blind, and the verdicts go to the right side."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from npc_eval.player_lines import PlayerLines, own_lines, read_lines
from npc_eval.preference import files, report
from npc_eval.preference.files import PlayedLine, PlayedLines, TalksFile, VerdictsFile
from npc_eval.preference.judge import JudgedPair, Pair, judged, pairs, verdict
from npc_eval.preference.played import answers_in, played
from npc_server.errors import BadInput, FileProblem, ReplyUnreadable
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import Document

LINES = ("Are you the joiner?", "What do you make?")


def talks(by: str, *answers: str) -> TalksFile:
    lines = tuple(PlayedLine(said=said, answer=answer) for said, answer in zip(LINES, answers, strict=True))
    talk = PlayedLines(town="millbrook", to="tobin_hale", name="Tobin Hale", at="2026-05-04 10:00", player="Robin", lines=lines)
    return TalksFile(by=by, talks=(talk,))


GOOD, BAD = talks("good", "I am. Tobin Hale.", "Chairs."), talks("bad", "Three years ago.", "The moon is wide.")


def prefers_good(request: Request) -> str:
    """A judge who knows a good answer, wherever it stands."""
    a, b = (part.rpartition("Tobin Hale: ")[2].split("\n")[0] for part in request.user.split("Version B:")[:2])
    good = [text in ("I am. Tobin Hale.", "Chairs.") for text in (a, b)]
    better = "A" if good[0] else "B"
    sense, wrong = (("yes" if it else "no") for it in good), (("no" if it else "yes") for it in good)
    names = ("better", "a_makes_sense", "b_makes_sense", "a_is_wrong", "b_is_wrong")
    return "\n".join(f"{name}: {value}" for name, value in zip(names, (better, *sense, *wrong), strict=True))


@pytest.mark.parametrize("seed", range(6))
async def test_a_verdict_goes_to_the_file_whose_answer_it_is_about_in_whichever_order_they_were_shown(seed: int) -> None:
    found, unanswered = await judged(ScriptedEngine(prefers_good), BAD, GOOD, list(pairs(BAD, GOOD, seed)), lambda: None)
    assert unanswered == 0
    assert [it.better for it in found] == ["second", "second"]
    assert all(it.makes_sense == (False, True) and it.contradicts == (True, False) for it in found)


def test_both_orders_are_drawn() -> None:
    swapped = {pair.swapped for seed in range(8) for pair in pairs(BAD, GOOD, seed)}
    assert swapped == {False, True}


async def test_the_judge_sees_the_person_and_the_talk_before_but_no_name_of_a_side() -> None:
    seen: list[Request] = []

    def script(request: Request) -> str:
        seen.append(request)
        return prefers_good(request)

    await judged(ScriptedEngine(script), BAD, GOOD, list(pairs(BAD, GOOD, 1)), lambda: None)
    last = max(seen, key=lambda it: len(it.user))
    assert "carpenter" in last.system
    assert "Robin: Are you the joiner?" in last.user
    assert not any(word in (last.system + last.user).lower() for word in ("instinct", "model", "first file", "second file"))


async def test_a_line_without_a_readable_verdict_is_counted_and_no_verdict_at_all_is_an_error() -> None:
    def script(request: Request) -> str:
        return "?" if "What do you make?" in request.user else prefers_good(request)

    found, unanswered = await judged(ScriptedEngine(script), BAD, GOOD, list(pairs(BAD, GOOD, 1)), lambda: None)
    assert (len(found), unanswered) == (1, 1)
    with pytest.raises(ReplyUnreadable):
        await judged(ScriptedEngine(lambda _: "?"), BAD, GOOD, list(pairs(BAD, GOOD, 1)), lambda: None)


def test_equal_answers_are_not_judged() -> None:
    assert list(pairs(GOOD, GOOD, 1)) == []


def test_a_reply_about_swapped_answers_is_turned_round() -> None:
    reply = JudgedPair("A", "yes", "no", "no", "yes")
    assert verdict(Pair(0, 0, swapped=True), reply).better == "second"
    assert verdict(Pair(0, 0, swapped=True), reply).makes_sense == (False, True)
    assert verdict(Pair(0, 0, swapped=False), JudgedPair("same", "yes", "yes", "no", "no")).better == "same"


def test_the_report_counts_each_side_and_gives_an_interval() -> None:
    rng = random.Random(1)
    found = [verdict(Pair(0, i, rng.random() < 0.5), JudgedPair("same", "yes", "yes", "no", "no")) for i in range(10)]
    made = report.made_from([VerdictsFile(talks=("x", "y"), by=("old", "new"), judge="j", seed=1, verdicts=tuple(found))])
    assert made.same.value == 1
    assert made.sides[1].makes_sense.value == 1
    assert made.sides[0].preferred.value == 0
    low, high = report.Share(50, 100).interval()
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    assert "| new | 0% (0% to 28%) |" in report.markdown(made)


def test_talks_of_other_lines_are_not_compared() -> None:
    shorter = GOOD.model_copy(update={"talks": (GOOD.talks[0].model_copy(update={"lines": GOOD.talks[0].lines[:1]}),)})
    with pytest.raises(BadInput, match="Talk 1 is not the same in both files"):
        files.check_alike(GOOD, shorter)


def test_what_is_wrong_in_a_file_of_lines_is_told_with_its_line() -> None:
    with pytest.raises(FileProblem, match=r"lines\.yaml:2.*at"):
        read_lines(Document("lines.yaml", "talks:\n- {town: millbrook, to: tobin_hale, at: noon, lines: [Hello]}\n"))


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"format": "x"}', encoding="utf-8")
    with pytest.raises(FileProblem, match="another kind of file"):
        files.read_talks(tmp_path / "x.json")


def test_the_own_lines_are_to_people_of_the_towns() -> None:
    found = read_lines(own_lines())
    assert sum(len(talk.lines) for talk in found) >= 300
    assert len({talk.to for talk in found}) >= 15


def test_what_somebody_says_unasked_is_no_answer() -> None:
    printed = "You: Hello\nMara: Good day.\n(Mara comes up to you.)\nMara: Did you forget?\nYou: What?\nMara: The bread.\n▸ Mara: give\n"
    assert answers_in(printed, "Mara") == [("Good day.", ""), ("The bread.", "")]


def test_a_build_that_says_who_made_its_answers_has_them_counted() -> None:
    printed = "You: Hello\nMara: Good day.\n(by the model)\nYou: What?\nMara: The bread.\n(by instinct)\n(Mara goes on with the day.)\n"
    found = answers_in(printed, "Mara")
    assert found == [("Good day.", "the model"), ("The bread.", "instinct")]
    lines = tuple(files.PlayedLine(said="?", answer=answer, by=by) for answer, by in found)
    talk = files.PlayedLines(town="millbrook", to="mara_voss", name="Mara Voss", at="", player="Robin", lines=lines)
    assert report.by_whom([talk, talk]) == "They were made by the model (2) and instinct (2)."
    assert report.by_whom(GOOD.talks) == ""


PLAYER = PlayerLines(town="millbrook", to="tobin_hale", at="2026-05-04 10:00", player="Robin", lines=LINES)


def fake(tmp_path: Path, code: str) -> list[str]:
    path = tmp_path / "fake.py"
    path.write_text(code, encoding="utf-8")
    return [sys.executable, str(path)]


async def test_any_command_that_talks_can_be_compared(tmp_path: Path) -> None:
    command = fake(tmp_path, "import sys\nfor line in sys.stdin: print('You:', line, end=''); print('Tobin:', line.upper(), end='')")
    (found,) = await played([PLAYER], command, ("--model", "none"), tmp_path, 1, 60, lambda: None)
    assert [it.answer for it in found.lines] == ["ARE YOU THE JOINER?", "WHAT DO YOU MAKE?"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('Tobin: Yes.')", "2 lines and 1 answers"),
        ("import sys; sys.exit('no such town')", "Talk 1 failed: no such town"),
    ],
)
async def test_a_command_that_fails_or_says_too_little_is_told(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        await played([PLAYER], fake(tmp_path, code), (), tmp_path, 1, 60, lambda: None)


async def test_a_command_that_cannot_be_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be run"):
        await played([PLAYER], [str(tmp_path / "missing")], (), tmp_path, 1, 60, lambda: None)
