"""Lives that were answered by hand or by a model, and are kept: how they are played, packed, played again, and fitted to changed prompts.

A folder below this one is a life. `life.json` says which town was played, from when and how long. `recorded.jsonl` and
`prompts.jsonl.xz` hold the answers and their prompts. `day.md` tells what followed from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from npc_eval.engines.from_folder import require_complete
from npc_eval.engines.near_match import Unanswered
from npc_eval.engines.recording_file import RecordedAnswer
from npc_eval.simulation.run import Simulation, simulate
from npc_eval.transcript import transcript
from npc_server import clock
from npc_server.config import Settings, load_settings
from npc_server.llm.engine import Engine
from npc_server.local.server import local_server
from npc_server.memory.suffix import SUFFIX
from npc_server.records import GameTime
from npc_server.sandbox.towns import find_cast

HERE = Path(__file__).parent
ABOUT, DAY = "life.json", "day.md"
SLOT = "life"
PATIENT_S = 7 * 24 * 3600.0
"""Wall seconds for each answer: people who write by hand are slow."""
REKEY = "If the prompts were changed on purpose: python -m tests.recorded rekey {name}"


@dataclass(frozen=True)
class PlayedLife:
    """What `life.json` says: the town and people, the time, and the seed."""

    town: str
    people: tuple[str, ...]
    start: GameTime
    days: float
    seed: int
    asked_as: Mapping[str, object] = field(default_factory=dict)
    """How the model was asked whose answers were recorded. Empty for a person who wrote them."""


def names() -> list[str]:
    """The names of all lives that are kept."""
    return sorted(path.parent.name for path in HERE.glob(f"*/{DAY}"))


def read_life(folder: Path) -> PlayedLife:
    found = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    start = clock.parse_datetime(found["start"])
    return PlayedLife(found["town"], tuple(found["people"]), start, found["hours"] / 24, found["seed"], found.get("model", {}))


def note_model(folder: Path, asked_as: Mapping[str, object]) -> None:
    """Writes into `life.json` how the model is asked that lives it."""
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    (folder / ABOUT).write_text(json.dumps({**about, "model": asked_as}) + "\n", encoding="utf-8")


def patient_settings(saves: Path) -> Settings:
    """Settings that depend neither on the machine nor on its clock. Embeddings would: their last digits differ between machines."""
    engine = {"model": "none", "embedding_model": "none", "deadline_s": PATIENT_S, "player_deadline_s": PATIENT_S, "hang_s": PATIENT_S}
    return load_settings(save={"folder": saves}, engine=engine)


async def live(life: PlayedLife, engine: Engine, saves: Path) -> str:
    """Plays a life, and tells it. Raises BadInput when a recording has no answer to a prompt."""
    cast = find_cast(life.town, life.people)
    saves.mkdir(parents=True, exist_ok=True)
    async with local_server(patient_settings(saves), engine=engine) as local:
        report = await simulate(local.connection, cast, Simulation(SLOT, life.seed, life.days, life.start))
        require_complete(local.engine)
    return transcript(saves / f"{SLOT}{SUFFIX}", report.speeches)


def as_list(unanswered: Sequence[Unanswered], unused: Sequence[RecordedAnswer]) -> str:
    """Names the prompts that need a new answer, and the old answers that nobody asked for."""
    lines = [f"  {_when(it.request.at)} {it.request.stage} of {it.request.npc}: {it.why}" for it in unanswered]
    left = [f"  {_when(it.at)} {it.stage} of {it.npc}: {' / '.join(it.answer.splitlines())[:80]}" for it in unused]
    parts = (["Prompts that need a new answer:", *lines] if lines else []) + (
        ["Old answers that were not asked for:", *left] if left else []
    )
    return "\n".join(parts)


def _when(at: GameTime | None) -> str:
    return "" if at is None else f"{clock.date(at)}, {clock.hhmm(at)}"
