"""What the commands of `python -m tests.recorded` do with a recorded life."""

from __future__ import annotations

import difflib
import tempfile
from pathlib import Path

from npc_eval.benchmarks.loaded import loaded_engine
from npc_eval.engines.by_hand import ByHandEngine
from npc_eval.engines.near_match import NearMatchEngine
from npc_eval.engines.recorded import RecordedEngine, Recording, asked_as
from npc_eval.engines.recording_file import pack
from tests.recorded.lives import DAY, PATIENT_S, as_list, live, note_model, patient_settings, read_life


async def record(folder: Path, answers: Path) -> int:
    """Plays the life with answers by hand. Broken off, it goes on when it is started again."""
    with tempfile.TemporaryDirectory() as saves:
        await live(read_life(folder), RecordedEngine(Recording(answers), ByHandEngine(answers)), Path(saves))
    return await keep(folder, answers)


async def record_model(folder: Path, answers: Path, model: Path) -> int:
    """Plays the life with answers of a model, without deadlines. Broken off, it goes on when it is started again."""
    patient = patient_settings(answers).engine
    async with loaded_engine(model, patient, first_word_s=PATIENT_S) as engine:
        note_model(folder, asked_as(engine.status()))
        with tempfile.TemporaryDirectory() as saves:
            await live(read_life(folder), RecordedEngine(Recording(answers), engine), Path(saves))
    return await keep(folder, answers)


async def keep(folder: Path, answers: Path) -> int:
    """Packs the answers of a folder, and writes the day that follows from them."""
    pack(folder, Recording(answers))
    (folder / DAY).write_text(await played_again(folder), encoding="utf-8")
    say(f"Kept {len(Recording(folder))} answers and {folder / DAY}.")
    return 0


async def played_again(folder: Path) -> str:
    """Tells the life as its recording plays it. Raises BadInput when a prompt has no recorded answer."""
    with tempfile.TemporaryDirectory() as saves:
        return await live(read_life(folder), RecordedEngine(Recording(folder), asked_as=read_life(folder).asked_as), Path(saves))


async def replay(folder: Path, _: Path | None = None) -> int:
    differences = compared(folder / DAY, await played_again(folder))
    say(differences or "The day is the same.")
    return 1 if differences else 0


def compared(kept: Path, told: str) -> str:
    """The lines in which a text differs from the kept one; empty if none."""
    before = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    return "\n".join(difflib.unified_diff(before, told.splitlines(), "kept", "played again", lineterm="", n=1))


async def rekey(folder: Path, answers: Path | None = None) -> int:
    """Fits the recording to the prompts of today. What needs a new answer is listed, or asked for in the folder `answers`."""
    otherwise = RecordedEngine(Recording(answers), ByHandEngine(answers)) if answers is not None else None
    near = NearMatchEngine(Recording(folder), otherwise, read_life(folder).asked_as)
    with tempfile.TemporaryDirectory() as place:
        made = Recording(Path(place) / "recording")
        told = await live(read_life(folder), RecordedEngine(made, near), Path(place) / "saves")
        if not tell_of_fit([near], folder, answers):
            return 1
        differences = compared(folder / DAY, told)
        pack(folder, made)
    (folder / DAY).write_text(told, encoding="utf-8")
    say(f"The recording and {DAY} are written anew.\n{differences or 'The day is the same.'}")
    return 0


def tell_of_fit(engines: list[NearMatchEngine], folder: Path, answers: Path | None) -> bool:
    """Says how many answers fit. Returns whether there is one for each prompt."""
    new = [it for engine in engines for it in engine.unanswered]
    exact, near = sum(it.exact for it in engines), sum(it.near for it in engines)
    say(f"{exact} answers fit exactly, {near} nearly, {len(new)} prompts were new.")
    say(as_list(new, [it for engine in engines for it in engine.unused]))
    if new and answers is None:
        say(f"Nothing was changed. To answer the new prompts: python -m tests.recorded rekey {folder.name} --by-hand FOLDER")
    return not new or answers is not None


def say(text: str) -> None:
    if text:
        print(text, flush=True)
