"""Plays lines of players with `npc-server talk`. Any build that has this command can be compared, older ones, too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from npc_eval.player_lines import PlayerLines
from npc_eval.preference.files import PlayedLine, PlayedLines
from npc_server.errors import BadInput
from npc_server.personas.names import first_name
from npc_server.platform.processes import end_tree
from npc_server.sandbox.towns import cast_with

COMES_UP = " comes up to you.)"
"""Ends the line before what a person says on their own."""
BY = "(by "
"""Begins the line after an answer that says who made it."""


async def played(
    talks: Sequence[PlayerLines], command: Sequence[str], more: Sequence[str], folder: Path, at_once: int, timeout_s: float,
    done: Callable[[], None],
) -> list[PlayedLines]:  # fmt: skip
    """Plays all talks, `at_once` at the same time, each with its own process of `command` with the options `more`, which runs in `folder`.

    `done` is called after each. Raises BadInput if a process fails, is silent for `timeout_s` wall seconds, or says less than was asked.
    """
    gate = asyncio.Semaphore(at_once)

    async def one(number: int, talk: PlayerLines) -> PlayedLines:
        async with gate:
            found = await _played(number, talk, command, more, folder, timeout_s)
            done()
            return found

    tasks = [asyncio.create_task(one(number, talk)) for number, talk in enumerate(talks, 1)]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _played(
    number: int, talk: PlayerLines, command: Sequence[str], more: Sequence[str], folder: Path, timeout_s: float
) -> PlayedLines:
    cast, npc = cast_with(talk.town, talk.to)
    name = next(person.name for person in cast.people if person.id == npc)
    given = ["talk", npc, "--town", talk.town, "--at", talk.at, "--name", talk.player, *more]
    try:
        process = await asyncio.create_subprocess_exec(
            *command, *given, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            cwd=folder,
        )  # fmt: skip
    except OSError as error:
        raise BadInput(f"{command[0]!r} cannot be run: {error.strerror}.", "Name an npc-server with --command.") from error
    try:
        out, errors = await asyncio.wait_for(process.communicate("".join(f"{line}\n" for line in talk.lines).encode()), timeout_s)
    except TimeoutError as error:
        raise BadInput(f"Talk {number} was not over after {timeout_s:.0f} s.", "Give more time with --timeout.") from error
    finally:
        if process.returncode is None:
            end_tree(process.pid)
            await process.wait()
    if process.returncode != 0:
        last = errors.decode(errors="replace").strip().splitlines()[-3:]
        raise BadInput(f"Talk {number} failed: {' '.join(last)}", "Run the command yourself to see more.")
    answers = answers_in(out.decode(errors="replace"), first_name(name))
    if len(answers) != len(talk.lines):
        raise BadInput(f"Talk {number} has {len(talk.lines)} lines and {len(answers)} answers.", "Run `npc-server talk` to see why.")
    lines = tuple(PlayedLine(said=said, answer=answer, by=by) for said, (answer, by) in zip(talk.lines, answers, strict=True))
    return PlayedLines(town=talk.town, to=npc, name=name, at=talk.at, player=talk.player, lines=lines)


def answers_in(printed: str, name: str) -> list[tuple[str, str]]:
    """Return the answers in what `npc-server talk --sources` printed, one for each line of the player, with who made them.

    What the person says unasked is left out. Nobody is named where an older build printed.
    """
    found: list[tuple[str, str]] = []
    before = ""
    for line in printed.splitlines():
        if line.startswith(f"{name}:") and not before.endswith(COMES_UP):
            found.append((line.removeprefix(f"{name}:").strip(), ""))
        elif found and before.startswith(f"{name}:") and line.startswith(BY) and line.endswith(")"):
            found[-1] = (found[-1][0], line.removeprefix(BY).removesuffix(")"))
        before = line
    return found
