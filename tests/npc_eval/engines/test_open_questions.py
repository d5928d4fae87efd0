"""Several people answer one run by hand. Each is told what became of an answer, and no answer reaches another question."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from npc_eval.engines import open_questions
from npc_eval.engines.by_hand import RUN, AnswerOutcome, ByHandEngine, is_running
from npc_eval.engines.open_questions import GivenAnswer
from npc_server.errors import BadInput
from npc_server.llm.engine import Completion, Request
from tests.llm.kinds import KINDS
from tests.waiting import until

NOON = 12 * 3600


def ask(user: str = "How many?", kind: str = "integer", npc: str = "mara_voss", stage: str = "say") -> Request:
    return Request(system="You are Mara.", user=user, reply=KINDS[kind], seed=1, npc=npc, stage=stage, at=NOON)


async def asking(folder: Path, *requests: Request) -> list[asyncio.Task[Completion]]:
    engine = ByHandEngine(folder, poll_s=0)
    tasks = [asyncio.create_task(engine.complete(request)) for request in requests]
    await until(lambda: len(open_questions.find(folder)) == len(requests))
    return tasks


async def give(folder: Path, number: int, text: str) -> GivenAnswer:
    return await asyncio.to_thread(open_questions.give, folder, number, text)


async def test_open_questions_are_those_of_the_people_and_stages_that_are_wanted(tmp_path: Path) -> None:
    tasks = await asking(tmp_path, ask(), ask(npc="tobin_hale"), ask(stage="react"))
    numbers = [[it.number for it in open_questions.find(tmp_path, *wanted)] for wanted in ((), (["mara"],), (["mara"], ["react"]))]
    assert numbers == [[1, 2, 3], [1, 3], [3]]
    assert open_questions.find(tmp_path)[0].time == "Thursday 1 January, 12:00"
    for task in tasks:
        task.cancel()


async def test_who_answers_is_told_that_the_answer_was_taken(tmp_path: Path) -> None:
    (task,) = await asking(tmp_path, ask())
    assert await give(tmp_path, 1, "7\n") == GivenAnswer(1, AnswerOutcome.TAKEN)
    assert (await task).text == "7"


async def test_who_answers_is_told_why_the_form_was_refused(tmp_path: Path) -> None:
    (task,) = await asking(tmp_path, ask())
    refused = await give(tmp_path, 1, "seven")
    assert refused.outcome is AnswerOutcome.REFUSED
    assert "has 'importance' that" in refused.why
    assert open_questions.find(tmp_path)[0].note == refused.why
    assert (await give(tmp_path, 1, "7")).outcome is AnswerOutcome.TAKEN
    assert (await task).text == "7"


async def test_who_answers_is_told_at_once_what_is_wrong_with_the_sense(tmp_path: Path) -> None:
    wrong = replace(ask(), wrong=lambda text: "It is too much." if text == "9" else "")
    (task,) = await asking(tmp_path, wrong)
    assert (await give(tmp_path, 1, "9")).why.startswith("It is too much.")
    assert (await give(tmp_path, 1, "8")).outcome is AnswerOutcome.TAKEN
    assert (await task).text == "8"


async def test_only_one_of_two_answers_to_a_question_is_taken_and_the_other_is_told(tmp_path: Path) -> None:
    (task,) = await asking(tmp_path, ask())
    given = await asyncio.gather(give(tmp_path, 1, "3"), give(tmp_path, 1, "4"), return_exceptions=True)
    (taken,) = (it for it in given if isinstance(it, GivenAnswer))
    (refused,) = (it for it in given if isinstance(it, BadInput))
    assert taken.outcome is AnswerOutcome.TAKEN
    assert "question 1" in str(refused).lower()
    assert (await task).text in ("3", "4")
    with pytest.raises(BadInput, match=r"Question 1 was answered already: '[34]'"):
        await give(tmp_path, 1, "5")
    assert not list((tmp_path / "answers").iterdir())


async def test_an_answer_to_nothing_says_so(tmp_path: Path) -> None:
    (task,) = await asking(tmp_path, ask())
    for number, text, said in ((9, "7", "There is no question 9"), (1, "  ", "answer to question 1 is empty")):
        with pytest.raises(BadInput, match=said):
            await give(tmp_path, number, text)
    task.cancel()
    await asyncio.wait([task])
    with pytest.raises(BadInput, match="Question 1 is no longer asked"):
        await give(tmp_path, 1, "7")


async def test_numbers_go_on_in_the_next_run_so_that_a_late_answer_reaches_no_other_question(tmp_path: Path) -> None:
    (task,) = await asking(tmp_path, ask())
    await give(tmp_path, 1, "7")
    await task
    (task,) = await asking(tmp_path, ask("Another?"))
    assert [it.number for it in open_questions.find(tmp_path)] == [2]
    task.cancel()


async def test_a_run_is_going_on_has_ended_or_was_broken_off(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No run asks in"):
        open_questions.check_asked(tmp_path)
    engine = ByHandEngine(tmp_path)
    assert is_running(tmp_path)
    await engine.close()
    assert not is_running(tmp_path)
    assert open_questions.has_ended(tmp_path)
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    (tmp_path / RUN).write_text(json.dumps({"state": "running", "process": gone.pid}), encoding="utf-8")
    assert not is_running(tmp_path)
    assert not open_questions.has_ended(tmp_path)


def test_two_runs_do_not_ask_in_one_folder(tmp_path: Path) -> None:
    (tmp_path / RUN).write_text(json.dumps({"state": "running", "process": os.getppid()}), encoding="utf-8")
    with pytest.raises(BadInput, match="Another run asks its questions"):
        ByHandEngine(tmp_path)


def test_several_answers_are_split_at_their_numbers() -> None:
    assert open_questions.split_answers("\n=== 12\nsay: yes\nthen: go on\n\n=== #7\n5\n") == [(12, "say: yes\nthen: go on"), (7, "5")]


@pytest.mark.parametrize(("text", "said"), [("", "There is no answer"), ("say: yes\n=== 12", "'say: yes' stands before")])
def test_answers_without_a_number_are_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        open_questions.split_answers(text)
