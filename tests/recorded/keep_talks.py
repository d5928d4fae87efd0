"""What the commands of `python -m tests.recorded` do with the talks of players."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from npc_eval.engines.by_hand import ByHandEngine
from npc_eval.engines.near_match import NearMatchEngine
from npc_eval.engines.recorded import RecordedEngine, Recording
from npc_eval.engines.recording_file import pack
from npc_server.llm.engine import Engine
from tests.recorded.keep_life import compared, say, tell_of_fit
from tests.recorded.player_talks import LINES, TALKS, PlannedTalk, PlayedTalk, as_text, play_talks, read_talks


async def record(folder: Path, answers: Path) -> int:
    """Plays the talks with answers by hand, all at once. Broken off, they go on when they are started again."""
    hand = ByHandEngine(answers)
    await played(folder, lambda talk: RecordedEngine(Recording(answers / talk.slot), hand))
    await hand.close()
    return await keep(folder, answers)


async def keep(folder: Path, answers: Path) -> int:
    """Packs the answers of each talk, and writes what was said and what followed."""
    for talk in read_talks(folder / LINES):
        pack(folder / talk.slot, Recording(answers / talk.slot))
    (folder / TALKS).write_text(as_text(await played_again(folder)), encoding="utf-8")
    say(f"Kept the answers, and {folder / TALKS}.")
    return 0


async def played(folder: Path, engine: Callable[[PlannedTalk], Engine]) -> list[PlayedTalk]:
    with tempfile.TemporaryDirectory() as saves:
        return await play_talks(read_talks(folder / LINES), engine, Path(saves))


async def played_again(folder: Path) -> list[PlayedTalk]:
    """The talks as their recordings play them. Raises BadInput when a prompt has no recorded answer."""
    engines: list[RecordedEngine] = []

    def of(talk: PlannedTalk) -> Engine:
        engines.append(RecordedEngine(Recording(folder / talk.slot)))
        return engines[-1]

    found = await played(folder, of)
    for engine in engines:
        engine.require_complete()
    return found


async def replay(folder: Path, _: Path | None = None) -> int:
    differences = compared(folder / TALKS, as_text(await played_again(folder)))
    say(differences or "The talks are the same.")
    return 1 if differences else 0


async def rekey(folder: Path, answers: Path | None = None) -> int:
    """Fits the recordings to the prompts of today. What needs a new answer is listed, or asked for in the folder `answers`."""
    hand = ByHandEngine(answers) if answers is not None else None
    near: dict[int, NearMatchEngine] = {}
    with tempfile.TemporaryDirectory() as place:
        made: dict[int, Recording] = {}

        def of(talk: PlannedTalk) -> Engine:
            otherwise = RecordedEngine(Recording(answers / talk.slot), hand) if answers is not None else None
            near[talk.number] = NearMatchEngine(Recording(folder / talk.slot), otherwise)
            made[talk.number] = Recording(Path(place) / talk.slot)
            return RecordedEngine(made[talk.number], near[talk.number])

        told = as_text(await played(folder, of))
        if hand is not None:
            await hand.close()
        if not tell_of_fit(list(near.values()), folder, answers):
            return 1
        for talk in read_talks(folder / LINES):
            pack(folder / talk.slot, made[talk.number])
    differences = compared(folder / TALKS, told)
    (folder / TALKS).write_text(told, encoding="utf-8")
    say(f"The recordings and {TALKS} are written anew.\n{differences or 'The talks are the same.'}")
    return 0
