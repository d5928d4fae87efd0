"""What the Godot demo costs the main thread in each frame, by part: a real Godot, a real server without a model."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_server.errors import NpcServerError
from npc_server.evaluation.bridge import alone

TOWNS = ("millbrook", "alderwick")
FRAMES = 600
HOUR = 9
"""Game hour at which it is measured: people walk to their work."""
TIMEOUT_S = 300


@dataclass(frozen=True)
class FrameRow:
    """One part of the demo in one town. `all` is the sum of the parts, frame by frame."""

    town: str
    part: str
    median_ms: float
    mean_ms: float
    p99_ms: float
    redraws: float
    """Items drawn in a frame, on average."""


@dataclass(frozen=True)
class FrameBench:
    godot: str
    frames: int
    rows: tuple[FrameRow, ...]


def bench_frames(godot: Path, project: Path, towns: Sequence[str] = TOWNS, frames: int = FRAMES) -> FrameBench:
    """`project` is the Godot project with its bridge built, imported. About 30 s a town. Raises NpcServerError.

    Counted are GDScript's `_physics_process`, `_process` and the building of draw commands (godot_project/tests/frame_probe.gd),
    at 60 frames a second without a display. The renderer's own work is not in it.
    """
    found = [_play(godot, project, town, frames) for town in towns]
    rows = [row for town, result in zip(towns, found, strict=True) for row in rows_of(town, result)]
    return FrameBench(str(found[0]["godot"]) if found else "", frames, tuple(rows))


def _play(godot: Path, project: Path, town: str, frames: int) -> dict[str, object]:
    command = [str(godot), "--headless", "--path", str(project), "res://tests/run.tscn", "--", "frames"]
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run(
            [*command, f"--town={town}", f"hour={HOUR}", f"frames={frames}"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
            env={**os.environ, **alone(Path(name))},
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode != 0 or not lines:
        raise NpcServerError(
            f"The frames of {town} could not be measured in {str(godot)!r}: {(done.stdout + done.stderr)[-500:]}",
            "Build the bridge and import the project first (docs/godot.md).",
        )
    result: dict[str, object] = json.loads(lines[-1].removeprefix("RESULT "))
    return result


def rows_of(town: str, result: dict[str, object]) -> list[FrameRow]:
    """A row for each part, the dearest first, and one for all of them."""
    costs, redraws = result["costs"], result["redraws"]
    assert isinstance(costs, dict)
    assert isinstance(redraws, dict)
    frames = max(map(len, costs.values()), default=0)
    # A part that did nothing in the last frame of all has one figure less.
    sums = [sum(part[i] for part in costs.values() if i < len(part)) for i in range(frames)]
    parts = sorted(costs, key=lambda part: -sum(costs[part]))
    rows = [_row(town, "all", sums, sum(redraws.values()) / max(frames, 1))]
    return rows + [_row(town, part, costs[part], redraws.get(part, 0) / max(frames, 1)) for part in parts]


def _row(town: str, part: str, costs: Sequence[float], redraws: float) -> FrameRow:
    """`costs` are microseconds of each frame."""
    ordered = sorted(costs)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return FrameRow(town, part, ordered[len(ordered) // 2] / 1000, sum(ordered) / len(ordered) / 1000, p99 / 1000, redraws)
