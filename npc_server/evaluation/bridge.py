"""What the bridge costs a game's main thread in each frame: a real Godot, a real server without a model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from npc_server.errors import NpcServerError

AGENTS = 25
FRAMES = 600
TIMEOUT_S = 300


@dataclass(frozen=True)
class BridgeRow:
    """One way to play: what NpcServer's own work took on the main thread, over all frames."""

    name: str
    """`idle`: nothing to tell. `as_played`: each agent tells something twice a second. `all_at_once`: each in every frame."""
    frames: int
    median_us: float
    p99_us: float
    worst_us: float


@dataclass(frozen=True)
class BridgeBench:
    agents: int
    events: int
    """Told in all rows together, each acknowledged or on its way."""
    godot: str
    rows: tuple[BridgeRow, ...]


def bench_bridge(godot: Path, project: Path, agents: int = AGENTS, frames: int = FRAMES) -> BridgeBench:
    """`project` is the Godot project with its bridge built. Takes about 25 s at 60 frames a second. Raises NpcServerError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people(folder / "people", agents)
        command = [str(godot), "--headless", "--path", str(project), "res://tests/run.tscn", "--", "bridge_bench"]
        settings = [f"npc/save/personas={folder / 'people'}", f"agents={agents}", f"frames={frames}"]
        done = subprocess.run(
            [*command, *settings], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env={**os.environ, **alone(folder)}
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode != 0 or not lines:
        raise NpcServerError(
            f"The bridge could not be measured in {str(godot)!r}: {(done.stdout + done.stderr)[-500:]}",
            "Build the bridge and import the project first (docs/godot.md).",
        )
    found = json.loads(lines[-1].removeprefix("RESULT "))
    rows = tuple(_row(name, found[name]) for name in ("idle", "as_played", "all_at_once"))
    return BridgeBench(agents=agents, events=int(found["events"]), godot=str(found["godot"]), rows=rows)


def people(folder: Path, count: int) -> None:
    """`count` persona files, all like Mara's."""
    folder.mkdir(parents=True)
    town = resources.files("npc_server") / "data" / "towns" / "millbrook"
    text = (town / "personas" / "mara_voss.yaml").read_text(encoding="utf-8")
    for i in range(count):
        one = re.sub(r"^id: .*$", f"id: person_{i:02}", text, flags=re.MULTILINE)
        (folder / f"person_{i:02}.yaml").write_text(one, encoding="utf-8")


def _row(name: str, costs: list[float]) -> BridgeRow:
    """`costs` are microseconds, sorted."""
    return BridgeRow(name, len(costs), costs[len(costs) // 2], costs[min(len(costs) - 1, len(costs) * 99 // 100)], costs[-1])


def alone(folder: Path) -> dict[str, str]:
    """A server without a model, and folders of its own, so that the player's saves are left alone."""
    return {
        "NPC_SERVER_COMMAND": str(Path(sys.executable).with_name("npc-server")),
        "NPC_SERVER_ENGINE__MODEL": "none",
        "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none",
        "NPC_SERVER_SAVE__FOLDER": str(folder / "saves"),
        "XDG_DATA_HOME": str(folder / "data"),
    }
