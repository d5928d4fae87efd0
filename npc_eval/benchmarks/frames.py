"""Measures the time of each frame that the addon and the demo use on Godot's main thread, with a real server and no model.

`bench_bridge` measures what messages cost on either transport, `bench_frames` the demo by part.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from npc_eval.godot_scene import scene_figures
from npc_server.cli.godot_project import has_native_bridge

AGENTS = 25
PEOPLE = (1, 25, 100)
TRANSPORTS = ("socket", "native")
TOWNS = ("millbrook", "alderwick", "alderwick, played")
PLAYED = ", played"
"""Marks the game, whose player walks about. Without it the town is watched."""
FRAMES = 600
HOUR = 9
"""Game hour of the measurement, when people walk to work."""


@dataclass(frozen=True)
class BridgeRow:
    """Time of NpcServer's work on the main thread in each frame, in one way of playing."""

    name: str
    """`idle`: no events. `as_played`: two events a second from each agent. `all_at_once`: one in every frame from each."""
    frames: int
    median_us: float
    p99_us: float
    worst_us: float


@dataclass(frozen=True)
class BridgeBench:
    transport: str
    agents: int
    events: int
    """Events sent in all rows together."""
    godot: str
    rows: tuple[BridgeRow, ...]


@dataclass(frozen=True)
class FrameRow:
    """One part of the demo in one town. `all` is the sum of the parts, frame by frame."""

    town: str
    part: str
    median_ms: float
    mean_ms: float
    p99_ms: float
    worst_ms: float
    """The most that a single frame took."""
    redraws: float
    """Mean number of items drawn in a frame."""


@dataclass(frozen=True)
class FrameBench:
    godot: str
    frames: int
    rows: tuple[FrameRow, ...]


# ---- the bridge


def bench_transports(godot: Path, project: Path, people: Sequence[int] = PEOPLE, frames: int = FRAMES) -> list[BridgeBench]:
    """Measures each number of people on each transport that the project has, one right after the other. Raises NpcServerError."""
    kinds = [kind for kind in TRANSPORTS if kind != "native" or has_native_bridge(project)]
    return [bench_bridge(godot, project, agents, frames, kind) for agents in people for kind in kinds]


def bench_bridge(godot: Path, project: Path, agents: int = AGENTS, frames: int = FRAMES, transport: str = "socket") -> BridgeBench:
    """`project` is the imported Godot project. Takes about 25 s at 60 frames a second. Raises NpcServerError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_personas(folder / "people", agents)
        scene = ["bridge_bench", f"npc/save/personas={folder / 'people'}", f"agents={agents}", f"frames={frames}"]
        found = scene_figures(godot, project, scene, folder, "The bridge", transport)
    rows = tuple(_bridge_row(name, found[name]) for name in ("idle", "as_played", "all_at_once"))
    return BridgeBench(transport=transport, agents=agents, events=int(found["events"]), godot=str(found["godot"]), rows=rows)


def write_personas(folder: Path, count: int) -> None:
    """`count` persona files, all like Mara's."""
    folder.mkdir(parents=True)
    town = resources.files("npc_server") / "data" / "towns" / "millbrook"
    text = (town / "personas" / "mara_voss.yaml").read_text(encoding="utf-8")
    for i in range(count):
        one = re.sub(r"^id: .*$", f"id: person_{i:02}", text, flags=re.MULTILINE)
        (folder / f"person_{i:02}.yaml").write_text(one, encoding="utf-8")


def _bridge_row(name: str, costs: list[float]) -> BridgeRow:
    """`costs` are sorted microseconds."""
    return BridgeRow(name, len(costs), costs[len(costs) // 2], _p99(costs), costs[-1])


# ---- the demo


def bench_frames(godot: Path, project: Path, towns: Sequence[str] = TOWNS, frames: int = FRAMES) -> FrameBench:
    """`project` is the imported Godot project. Takes about 30 s a town. Raises NpcServerError.

    Counts GDScript's `_physics_process`, `_process` and draw commands (godot_project/tests/frame_probe.gd) at 60 frames a second
    without a display. The renderer's own work is not counted.
    """
    found = [_play(godot, project, town, frames) for town in towns]
    rows = [row for town, result in zip(towns, found, strict=True) for row in rows_of(town, result)]
    return FrameBench(str(found[0]["godot"]) if found else "", frames, tuple(rows))


def _play(godot: Path, project: Path, town: str, frames: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as name:
        scene = ["frames", f"--town={town.removesuffix(PLAYED)}", f"hour={HOUR}", f"frames={frames}"]
        scene += ["played"] if town.endswith(PLAYED) else []
        return scene_figures(godot, project, scene, Path(name), f"The frames of {town}")


def rows_of(town: str, result: dict[str, object]) -> list[FrameRow]:
    """One row for all parts together, then a row for each, the most expensive first."""
    costs, redraws = result["costs"], result["redraws"]
    assert isinstance(costs, dict)
    assert isinstance(redraws, dict)
    frames = max(map(len, costs.values()), default=0)
    # A part that did nothing in the very last frame has one figure less.
    sums = [sum(part[i] for part in costs.values() if i < len(part)) for i in range(frames)]
    parts = sorted(costs, key=lambda part: -sum(costs[part]))
    rows = [_frame_row(town, "all", sums, sum(redraws.values()) / max(frames, 1))]
    return rows + [_frame_row(town, part, costs[part], redraws.get(part, 0) / max(frames, 1)) for part in parts]


def _frame_row(town: str, part: str, costs: Sequence[float], redraws: float) -> FrameRow:
    """`costs` are microseconds of each frame."""
    ordered = sorted(costs)
    mean = sum(ordered) / len(ordered)
    return FrameRow(
        town=town,
        part=part,
        median_ms=ordered[len(ordered) // 2] / 1000,
        mean_ms=mean / 1000,
        p99_ms=_p99(ordered) / 1000,
        worst_ms=ordered[-1] / 1000,
        redraws=redraws,
    )


def _p99(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
