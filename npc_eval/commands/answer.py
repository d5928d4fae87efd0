"""`npc-server answer`: shows the open questions of a run whose model is `by-hand:FOLDER`, and takes answers to them."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

import typer

from npc_eval.engines import open_questions
from npc_eval.engines.by_hand import AnswerOutcome, is_running
from npc_eval.engines.open_questions import OpenQuestion
from npc_server.cli.options import names_in
from npc_server.cli.output import say
from npc_server.errors import BadInput

WAIT_S = 300.0
"""Wall seconds to wait for a question."""
POLL_S = 0.2
SHOWN = "shown"
"""Folder with what each person who answers has read."""
SHORT = 60
"""Characters that are shown of a line that was read before."""


def answer(
    folder: Annotated[Path, typer.Argument(help="Folder of the run, as in `--model by-hand:FOLDER`.")],
    number: Annotated[int | None, typer.Argument(help="Question to answer with the text of the standard input.")] = None,
    several: Annotated[bool, typer.Option("--several", help="Take several answers, each after a line `=== NUMBER`.")] = False,
    next_: Annotated[bool, typer.Option("--next", help="After answering, show the questions that are open then.")] = False,
    npc: Annotated[str, typer.Option(help="Only questions of these people, such as `tobin,ines`. The default is everybody.")] = "",
    stage: Annotated[str, typer.Option(help="Only questions of these stages, such as `say,react`. The default is all.")] = "",
    me: Annotated[str, typer.Option(help="Your name. Who is asked is then described to you only once.")] = "",
    wait: Annotated[float, typer.Option(min=0, help="Wall seconds to wait for a question.")] = WAIT_S,
) -> None:
    """Answer the questions of a run by hand: show what is asked, or give answers.

    Without a number it waits until a question is open, and prints all open ones. Several people may answer at once.
    """
    open_questions.check_asked(folder)
    if me and not me.isidentifier():
        raise BadInput(f"--me is {me!r}.", "Give one word of letters and digits.")
    if number is not None or several:
        text = sys.stdin.read()
        fine = _give(folder, open_questions.split_answers(text) if number is None else [(number, text)])
        if next_:
            _show(folder, names_in(npc), names_in(stage), me, wait)
        if not fine:
            raise typer.Exit(1)
    elif is_running(folder) or open_questions.find(folder):
        _show(folder, names_in(npc), names_in(stage), me, wait)
    else:
        _tell_of_end(folder)


def _give(folder: Path, answers: Sequence[tuple[int, str]]) -> bool:
    """Gives each answer, and says what became of it. Returns whether all were taken."""
    fine = True
    for number, text in answers:
        try:
            given = open_questions.give(folder, number, text)
        except BadInput as error:
            say(f"{number}: NOT TAKEN. {error.what} {error.fix}")
            fine = False
            continue
        fine = fine and given.outcome is AnswerOutcome.TAKEN
        say(f"{number}: {given.outcome.value}" if given.outcome is not AnswerOutcome.REFUSED else f"{number}: REFUSED. {given.why}")
    return fine


def _show(folder: Path, npcs: Collection[str], stages: Collection[str], me: str, wait: float) -> None:
    """Waits until a question is open, and prints all of them."""
    end = time.monotonic() + wait
    while not (found := open_questions.find(folder, npcs, stages)):
        if not is_running(folder):
            _tell_of_end(folder)
            return
        if time.monotonic() >= end:
            others = Counter(it.npc for it in open_questions.find(folder))
            asked = ", ".join(f"{npc} {count}" for npc, count in others.items())
            say("No question is open for you. Ask again." + (f" Others are asked: {asked}." if asked else ""))
            return
        time.sleep(POLL_S)
    read = _already_read(folder, me)
    for question in found:
        _print(question, read)
    if me:
        (folder / SHOWN).mkdir(exist_ok=True)
        (folder / SHOWN / f"{me}.json").write_text(json.dumps(sorted(set(read))), encoding="utf-8")


def _print(question: OpenQuestion, read: list[str]) -> None:
    say(f"=== {question.number}  {question.stage}  {question.npc}  {question.time}")
    if question.note:
        say(f"NOTE: {question.note}")
    say("[who is asked]")
    for line in question.system.splitlines():
        _print_once(line, read)
    say("[question]")
    say(f"{question.user}\n")


def _print_once(line: str, read: list[str]) -> None:
    """Prints a line, or only its beginning when it was read before."""
    key = hashlib.blake2b(line.encode(), digest_size=8).hexdigest()
    say(f"{line[:SHORT]}… (as before)" if key in read and len(line) > SHORT else line)
    read.append(key)


def _already_read(folder: Path, me: str) -> list[str]:
    """The hashes of the lines that this person has read."""
    path = folder / SHOWN / f"{me}.json"
    found: list[str] = json.loads(path.read_text(encoding="utf-8")) if me and path.is_file() else []
    return found


def _tell_of_end(folder: Path) -> None:
    if open_questions.has_ended(folder):
        say("The run has ended. There is nothing more to answer.")
    else:
        say("The run was broken off. When it is started again, go on; no answer is lost.")
