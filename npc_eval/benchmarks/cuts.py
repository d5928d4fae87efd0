"""Lets a hundred people play over the socket while a proxy cuts the connection again and again, and counts what is lost or doubled.

A real Godot plays with a real server that has no model. What the server stored is compared with what the game told, and each line to a
character must be answered, however often its connection was cut.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from npc_eval.benchmarks.cutting import CuttingProxy, cutting
from npc_eval.benchmarks.frames import write_personas
from npc_eval.godot_scene import figures_in
from npc_server.errors import NpcServerError
from npc_server.memory.database import reading

PEOPLE = 100
CUTS = 200
FPS = 30
EVERY_S = 10.0
"""Seconds between two events of one person."""
LINE_EVERY_S = 10.0
"""Seconds between two lines of the player."""
PLACE = "millbrook:mara_house:bedroom"
WARM_S = 300.0
"""Wall seconds after which memory is measured first. A shorter run takes half its time."""
REST_S = 900.0
"""Most wall seconds for what is left when the minutes are over."""
CUTTING_SHARE = 0.9
"""Share of the time in which connections are cut. What is left is for making them anew."""
NUMBER = re.compile(r"Event number (\d+) happens")


@dataclass(frozen=True)
class CutsFigure:
    """What was seen over the whole run."""

    minutes: float
    people: int
    cuts: int
    """Connections that the proxy ended."""
    events: int
    """What the game told."""
    lost: int
    doubled: int
    out_of_order: int
    """Stored events that come after one that was told later."""
    lines: int
    answered: int
    slowest_frame_ms: float
    """The most that `NpcServer` took of one frame."""
    server_first_mb: float
    """Resident memory of the server when it was warm, and at the end."""
    server_end_mb: float
    game_first_mb: float
    game_end_mb: float
    cpu_share: float
    """Processor time of game and server, in cores."""


def bench_cuts(godot: Path, project: Path, minutes: float, cuts: int = CUTS, people: int = PEOPLE) -> CutsFigure:
    """`project` is the imported Godot project. Blocks for that long. Raises NpcServerError."""
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as name:
        folder = Path(name)
        write_personas(folder / "people", people)
        with _serving(folder) as (server, told), cutting(told["socket"], cuts, lives_s=CUTTING_SHARE * 60 * minutes / cuts) as proxy:
            game = _start_game(godot, project, folder, told["token"], proxy, minutes)
            try:
                first, end, cpu_s = _watch(game, server, minutes)
            finally:
                game.kill()
            found = figures_in(game.returncode, (folder / "said.txt").read_text(encoding="utf-8"), "The soak")
            made = proxy.made
            server.kill()  # so that the working copy stays as it is
            server.wait()
        numbers = stored(folder)
    return CutsFigure(
        minutes=minutes,
        people=people,
        cuts=min(made - 1, cuts),
        events=int(found["told"]),
        **compared(numbers, int(found["told"])),
        lines=int(found["said"]),
        answered=int(found["answered"]),
        slowest_frame_ms=found["slowest_us"] / 1000,
        server_first_mb=first[1],
        server_end_mb=end[1],
        game_first_mb=first[0],
        game_end_mb=end[0],
        cpu_share=cpu_s / (60 * minutes),
    )


def compared(numbers: Sequence[int], told: int) -> dict[str, int]:
    """What is wrong with the stored events, of which the game told the numbers from 0 on."""
    counts = Counter(numbers)
    return {
        "lost": sum(number not in counts for number in range(told)),
        "doubled": sum(count - 1 for count in counts.values()),
        "out_of_order": sum(later < earlier for earlier, later in pairwise(numbers)),
    }


def stored(folder: Path) -> list[int]:
    """The numbers of the events in the working copy of the only save in `folder`, in the order of their sequence numbers."""
    (file,) = folder.rglob("*.play.sqlite")
    with reading(file) as db:
        bodies = db.execute("SELECT body FROM inbox ORDER BY epoch, seq").fetchall()
    return [int(found[1]) for (body,) in bodies if (found := NUMBER.search(body))]


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """A server without a model, and what it told of itself when it was ready."""
    ready = folder / "ready.json"
    own = {"NPC_SERVER_ENGINE__MODEL": "none", "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none", "XDG_DATA_HOME": str(folder / "data")}
    words = ["serve", "--port", "0", "--ready-file", str(ready), "--save-folder", str(folder / "saves"), "--log-level", "error"]
    server = subprocess.Popen([str(Path(sys.executable).with_name("npc-server")), *words], env={**os.environ, **own})
    try:
        while not ready.exists():
            if server.poll() is not None:
                raise NpcServerError("The server of the soak does not start.", "See its log above.")
            time.sleep(0.1)
        yield server, json.loads(ready.read_text(encoding="utf-8"))
    finally:
        server.kill()
        server.wait()


def _start_game(godot: Path, project: Path, folder: Path, token: str, proxy: CuttingProxy, minutes: float) -> subprocess.Popen[bytes]:
    scene = ["cut", f"address={proxy.address}", f"token={token}", f"npc/server/socket_port={proxy.address.rpartition(':')[2]}"]
    scene += [f"npc/save/personas={folder / 'people'}", f"place={PLACE}", f"fps={FPS}", f"every={int(EVERY_S * FPS)}"]
    scene += [f"line_every={int(LINE_EVERY_S * FPS)}", f"minutes={minutes}", f"limit_s={60 * minutes + REST_S}"]
    command = [str(godot), "--headless", "--path", str(project), "res://tests/run.tscn", "--", *scene]
    own = {"NPC_SERVER_TRANSPORT": "socket", "XDG_DATA_HOME": str(folder / "game")}
    with (folder / "said.txt").open("w", encoding="utf-8") as said:
        return subprocess.Popen(command, env={**os.environ, **own}, stdout=said, stderr=subprocess.STDOUT)


Memory = tuple[float, float]
"""Resident megabytes of the game and of the server."""


def _watch(game: subprocess.Popen[bytes], server: subprocess.Popen[bytes], minutes: float) -> tuple[Memory, Memory, float]:
    """Waits until the game ends. Returns their memory when they were warm and at the end, and the processor seconds of both."""
    first, end, cpu_s, looks = None, (0.0, 0.0), 0.0, 0
    warm_s = min(WARM_S, 30 * minutes)
    while True:
        try:
            game.wait(1.0)
            return first or end, end, cpu_s
        except subprocess.TimeoutExpired:
            looks += 1
        if looks > 60 * minutes + REST_S:
            raise NpcServerError("The game of the soak does not end.", "Try fewer minutes.")
        processes = [psutil.Process(it.pid) for it in (game, server)]
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
            end = (processes[0].memory_info().rss / 1e6, processes[1].memory_info().rss / 1e6)
            cpu_s = sum(sum(process.cpu_times()[:2]) for process in processes)
        first = end if first is None and looks >= warm_s else first
