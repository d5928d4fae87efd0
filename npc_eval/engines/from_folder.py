"""Opens the engines that `engine.model` names as `by-hand:FOLDER` and `recorded:FOLDER`."""

from __future__ import annotations

from pathlib import Path

import structlog

from npc_eval.engines.by_hand import NAME as BY_HAND
from npc_eval.engines.by_hand import README, ByHandEngine
from npc_eval.engines.recorded import RecordedEngine, Recording
from npc_server.errors import BadInput
from npc_server.llm.engine import Engine

log = structlog.get_logger(__name__)


def recorded(folder: str) -> Engine:
    """Return an engine that plays the answers of the folder back. Raises BadInput without any."""
    recording = Recording(Path(folder))
    if not len(recording):
        raise BadInput(f"There are no recorded answers in {str(recording.path)!r}.", f"Record some: --model {BY_HAND}:{folder}")
    return RecordedEngine(recording)


def by_hand(folder: str) -> Engine:
    """Return an engine that waits for answers written by hand, and records them. Raises BadInput where another run asks."""
    recording = Recording(Path(folder))
    engine = RecordedEngine(recording, ByHandEngine(Path(folder)))
    log.warning("answers are written by hand", folder=folder, recorded=len(recording), see=str(Path(folder) / README))
    return engine


def require_complete(engine: Engine) -> None:
    """Raise BadInput where a recording was asked for what it does not hold. Other engines are complete."""
    if isinstance(engine, RecordedEngine):
        engine.require_complete()
