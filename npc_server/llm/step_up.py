"""Which model of the catalogue is the best that this machine can run, and about how fast it would answer.

The numbers are in `data/models.toml`. They are for one thread of one machine, so the result is a guess that helps to choose.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from npc_server.config import EngineSettings
from npc_server.data_files import read_toml
from npc_server.llm import models
from npc_server.llm.models import CatalogueModel
from npc_server.llm.worker import threads_for

_CGROUP = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True)
class Machine:
    """What a model needs of a machine. Memory is in millions of bytes."""

    memory_mb: int
    cores: int
    threads: int
    """Of the cores, those that the model gets."""
    graphics: str = ""
    """The graphics card with the most memory that llama.cpp can use, if there is one."""
    graphics_mb: int = 0


@dataclass(frozen=True)
class Reckoning:
    """The section `[machine]` of the catalogue."""

    memory_share: float
    read_per_thread: float
    write_per_thread: float
    prompt_tokens: int
    reply_tokens: int
    answer_s: float


@dataclass(frozen=True)
class StepUp:
    """A model that fits. `answer_s` is about how many seconds an answer to a player takes; 0 on a graphics card, where it is quick."""

    entry: CatalogueModel
    answer_s: float = 0.0


def this_machine(settings: EngineSettings) -> Machine:
    """Looks at the machine. In a container, its limit of memory counts."""
    from npc_server.llm.llama_tools import graphics  # importing llama.cpp takes a second

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cards = graphics() if settings.n_gpu_layers else ()
    card = max(cards, key=lambda it: it.memory, default=None)
    return Machine(
        _memory() // 1_000_000, cores, threads_for(settings, cores), card.name if card else "", card.memory // 1_000_000 if card else 0
    )


def reckoning() -> Reckoning:
    return Reckoning(**read_toml("models.toml")["machine"])


def best(machine: Machine, entries: Iterable[CatalogueModel] | None = None, by: Reckoning | None = None) -> StepUp | None:
    """The largest model of the catalogue that fits in the memory and answers in time, or None."""
    by = by or reckoning()
    found = [it for entry in (models.catalogue() if entries is None else entries) if (it := _fits(entry, machine, by))]
    return max(found, key=lambda it: it.entry.parameters_m, default=None)


def _fits(entry: CatalogueModel, machine: Machine, by: Reckoning) -> StepUp | None:
    if entry.kind != "chat" or not entry.parameters_m:
        return None
    if entry.memory_mb <= machine.graphics_mb * by.memory_share:
        return StepUp(entry)
    seconds = answer_s(entry, machine, by)
    fits = entry.memory_mb <= machine.memory_mb * by.memory_share and seconds <= by.answer_s
    return StepUp(entry, seconds) if fits else None


def too_large(name: str, machine: Machine, by: Reckoning | None = None) -> str:
    """Why the next larger model of the catalogue does not fit, as a sentence. Empty if there is no larger one, or if it fits."""
    by, now = by or reckoning(), models.find_entry(name)
    larger = [it for it in models.catalogue() if it.kind == "chat" and now is not None and it.parameters_m > now.parameters_m]
    entry = min(larger, key=lambda it: it.parameters_m, default=None)
    if entry is None or _fits(entry, machine, by) is not None:
        return ""
    room = machine.memory_mb * by.memory_share
    if entry.memory_mb > room:
        return f"{entry.name} needs {entry.memory_mb} MB of memory, and a game leaves it {room:.0f} MB."
    seconds = answer_s(entry, machine, by)
    return f"an answer of {entry.name} would take about {seconds:.0f} s here, and a player should not wait more than {by.answer_s:.0f} s."


def answer_s(entry: CatalogueModel, machine: Machine, by: Reckoning) -> float:
    """About how many seconds an answer to a player takes without a graphics card: reading the prompt, then writing the reply."""
    reading = by.prompt_tokens * entry.parameters_m / 1000 / by.read_per_thread
    writing = by.reply_tokens * entry.size_mb / 1000 / by.write_per_thread
    return (reading + writing) / machine.threads


def better_than(name: str, step: StepUp | None) -> bool:
    """Whether a model that fits is larger than the one of the settings. One that is not of the catalogue was chosen with care."""
    now = models.find_entry(name)
    return step is not None and now is not None and step.entry.parameters_m > now.parameters_m


def _memory() -> int:
    """Bytes of the machine's memory, or of what its container may use."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = _CGROUP.read_text(encoding="ascii").strip()
    except OSError:
        return whole
    return min(whole, int(limit)) if limit.isdecimal() else whole
