"""The engine that tries the models on this machine, the best first."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm import models, step_up
from npc_server.llm.best_engine import BestEngine
from npc_server.llm.best_here import NONE_FITS, NONE_HERE, ModelHere
from npc_server.llm.engine import EngineStatus, Request
from npc_server.llm.models import find_entry
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import Setup, known_speed
from npc_server.llm.start import missing_model, open_engine
from npc_server.llm.step_up import Machine
from npc_server.llm.worker import LlamaEngine
from tests.llm.conftest import engine_settings
from tests.llm.kinds import KINDS
from tests.waiting import until

QUICK, SLOW = Speed(400.0, 40.0), Speed(9.0, 3.0)
BIG, SMALL = "qwen3-4b-2507", "qwen2.5-coder-1.5b"
SETTINGS = EngineSettings()
REQUEST = Request("You are Mara.", "Good morning.", KINDS["integer"], 1)


def of(name: str, speed: Speed | None = None) -> ModelHere:
    entry = find_entry(name)
    assert entry is not None
    return ModelHere(entry, Path(entry.file), speed)


class Loaded(ScriptedEngine):
    """A model that has this speed once it is loaded, or does not load because of a problem."""

    def __init__(self, speed: Speed, problem: str = "") -> None:
        super().__init__(lambda request: "7")
        self.measured, self.problem, self.is_closed = speed, problem, False
        self.may_load = asyncio.Event()
        self.may_load.set()

    async def loaded(self) -> EngineStatus:
        await self.may_load.wait()
        return self.status()

    def status(self) -> EngineStatus:
        return replace(super().status(), ready=not self.problem, speed=self.measured, problem=self.problem)

    async def close(self) -> None:
        self.is_closed = True


class Starter:
    """Starts these engines by the model's name, and notes which were started."""

    def __init__(self, **engines: Loaded | Exception) -> None:
        self.engines, self.started = engines, list[str]()

    async def __call__(self, it: ModelHere) -> Loaded:
        self.started.append(it.entry.name)
        found = self.engines["big" if it.entry.name == BIG else "small"]
        if isinstance(found, Exception):
            raise found
        return found


async def test_the_first_that_is_quick_enough_once_it_is_measured_answers_and_says_why() -> None:
    big, small = Loaded(SLOW), Loaded(QUICK)
    with capture_logs() as logs:
        engine = BestEngine([of(BIG), of(SMALL)], (), SETTINGS, Starter(big=big, small=small))
        status = await engine.loaded()
    assert status.ready
    assert status.choice == f"{SMALL} is the best model here that this machine carries: it reads 400 and writes 40 tokens a second."
    assert status.told == status.choice
    assert big.is_closed
    assert (await engine.complete(REQUEST)).text == "7"
    (told,) = [line for line in logs if line["event"] == "the best model here was chosen"]
    assert told["choice"] == status.choice
    assert told["passed"] == [f"an answer of {BIG} takes about 27 s here, and a player should not wait more than 10 s"]


async def test_a_model_known_to_be_too_slow_is_not_even_started() -> None:
    starter = Starter(small=Loaded(QUICK))
    await BestEngine([of(BIG, SLOW), of(SMALL, QUICK)], (), SETTINGS, starter).loaded()
    assert starter.started == [SMALL]


@pytest.mark.parametrize("broken", [Loaded(QUICK, "The file is cut short."), ModelRejected("The file is cut short.")])
async def test_a_model_that_cannot_be_loaded_leaves_the_place_to_the_next(broken: Loaded | Exception) -> None:
    engine = BestEngine([of(BIG), of(SMALL)], (), SETTINGS, Starter(big=broken, small=Loaded(QUICK)))
    assert (await engine.loaded()).choice.startswith(SMALL)
    alone = BestEngine([of(BIG)], (), SETTINGS, Starter(big=broken))
    assert (await alone.loaded()).choice.startswith(f"{NONE_FITS}: The file is cut short.")


async def test_while_none_is_chosen_it_is_loading_and_answers_nothing() -> None:
    big = Loaded(QUICK)
    big.may_load.clear()
    engine = BestEngine([of(BIG)], (), SETTINGS, Starter(big=big))
    assert (engine.status().ready, engine.status().model, engine.status().problem) == (False, BIG, "The model is loading.")
    with pytest.raises(ModelMissing):
        await engine.complete(REQUEST)
    big.may_load.set()
    await until(lambda: engine.status().ready)
    await engine.close()
    assert big.is_closed


async def test_without_a_model_it_says_so_and_nobody_calls_that_a_fault() -> None:
    engine = BestEngine([], (), SETTINGS, Starter())
    status = await engine.loaded()
    assert (status.ready, status.model, status.problem, status.told) == (False, "", NONE_HERE, NONE_HERE)
    assert missing_model(SETTINGS, engine) == ""
    await engine.close()


@pytest.mark.model
async def test_the_first_start_takes_measures_and_keeps_a_file_of_the_catalogue(
    random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))
    monkeypatch.setattr(step_up, "this_machine", lambda settings: Machine(16_000, 4))
    (tmp_path / f"{SMALL}.gguf").write_bytes(random_model.read_bytes())
    (tmp_path / f"{BIG}.gguf").write_bytes(random_model.read_bytes()[:1000])
    settings = engine_settings(model="best", models_folder=tmp_path, threads=1)
    engine = await open_engine(settings, log_file=tmp_path / "log")
    try:
        status = engine.status()
        assert status.ready
        assert (status.model, status.choice.split(" ")[0]) == (SMALL, SMALL)
        assert known_speed(tmp_path, tmp_path / f"{SMALL}.gguf", Setup.of(settings)) == status.speed is not None
        assert isinstance(engine, BestEngine)
        assert isinstance(engine._inner, LlamaEngine)
    finally:
        await engine.close()
