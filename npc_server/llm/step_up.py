"""Which model of the catalogue is the best that this machine can run, and about how fast it would answer.

How fast it is follows from a model that was measured here: speed goes with size. The rest of the numbers are in `data/models.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from npc_server.config import EngineSettings
from npc_server.data_files import read_toml
from npc_server.llm import models
from npc_server.llm.models import CatalogueModel
from npc_server.llm.runtime import is_compiled
from npc_server.llm.speed import Speed, fits, takes_s
from npc_server.llm.speed_file import MeasuredModel, Setup, measured
from npc_server.platform.machine import cores, memory_bytes

if TYPE_CHECKING:
    from npc_server.llm.llama_tools import Graphics


@dataclass(frozen=True)
class Machine:
    """What a model needs of a machine. Memory is in millions of bytes."""

    memory_mb: int
    cores: int
    measured: tuple[MeasuredModel, ...] = ()
    """Models whose speed is known here, with the threads of the settings."""
    graphics: str = ""
    """The graphics card with the most memory that llama.cpp can use, if there is one."""
    graphics_mb: int = 0
    first_word_s: float = math.inf
    """The setting `engine.first_word_s`."""


@dataclass(frozen=True)
class Reckoning:
    """The section `[machine]` of the catalogue."""

    memory_share: float
    read_overhead_m: float
    write_overhead_mb: float
    line_tokens: int
    prompt_tokens: int
    reply_tokens: int
    answer_s: float

    def read_tokens(self, entry: CatalogueModel) -> int:
        """Return how many tokens a model reads for a player's line, once a talk has begun."""
        return self.line_tokens if entry.shares else self.prompt_tokens


@dataclass(frozen=True)
class StepUp:
    """A model that fits."""

    entry: CatalogueModel
    answer_s: float | None = 0.0
    """About how many seconds an answer to a player takes. 0 on a graphics card, where it is quick; None where nothing was measured."""


def this_machine(settings: EngineSettings) -> Machine:
    """Looks at the machine. In a container, its limit of memory counts."""
    cards = _graphics(settings.runtime) if settings.n_gpu_layers else ()
    card = max(cards, key=lambda it: it.memory, default=None)
    return Machine(
        memory_bytes() // 1_000_000,
        cores(),
        measured(settings.models_folder, Setup.of(settings)),
        card.name if card else "",
        card.memory // 1_000_000 if card else 0,
        settings.first_word_s,
    )


def _graphics(runtime: str) -> tuple[Graphics, ...]:
    """The cards that the compiled llama.cpp can use. The server of a prebuilt one does not list them."""
    if not is_compiled(runtime):
        return ()
    from npc_server.llm.llama_tools import graphics  # importing llama.cpp takes a second

    return graphics()


def reckoning() -> Reckoning:
    return Reckoning(**read_toml("models.toml")["machine"])


def best(machine: Machine, entries: Iterable[CatalogueModel] | None = None, by: Reckoning | None = None) -> StepUp | None:
    """The largest model of the catalogue that fits in the memory and answers in time, or None."""
    by = by or reckoning()
    found = [it for entry in (models.catalogue() if entries is None else entries) if (it := _fits(entry, machine, by))]
    return max(found, key=lambda it: it.entry.parameters_m, default=None)


def _fits(entry: CatalogueModel, machine: Machine, by: Reckoning) -> StepUp | None:
    if entry.kind != "chat" or not entry.proposed or not entry.parameters_m:
        return None
    if entry.memory_mb <= machine.graphics_mb * by.memory_share:
        return StepUp(entry)
    speed = speed_of(entry, machine.measured, by)
    if speed is None or has_no_room(entry, machine, by) or too_slow(entry, speed, machine.first_word_s, by):
        return None
    return StepUp(entry, line_s(entry, speed, by))


def smallest(machine: Machine, by: Reckoning | None = None) -> StepUp | None:
    """Return the smallest model that is proposed and has room. It shows how fast a machine is of which nothing is known."""
    by = by or reckoning()
    found = [it for it in models.catalogue() if it.kind == "chat" and it.proposed and not has_no_room(it, machine, by)]
    return min((StepUp(it, None) for it in found), key=lambda it: it.entry.parameters_m, default=None)


def too_large(name: str, machine: Machine, by: Reckoning | None = None) -> str:
    """Why the next larger model of the catalogue does not fit, as a sentence. Empty if there is no larger one, or if it fits.

    An empty `name` says that none is used.
    """
    by, now = by or reckoning(), models.find_entry(name)
    least = 0 if not name else math.inf if now is None else now.parameters_m
    larger = [it for it in models.catalogue() if it.kind == "chat" and it.proposed and it.parameters_m > least]
    entry = min(larger, key=lambda it: it.parameters_m, default=None)
    if entry is None or _fits(entry, machine, by) is not None:
        return ""
    if why := has_no_room(entry, machine, by):
        return f"{why}."
    speed = speed_of(entry, machine.measured, by)
    if speed is None:
        return "no model is here to measure how fast this machine is."
    return f"{too_slow(entry, speed, machine.first_word_s, by)}."


def has_no_room(entry: CatalogueModel, machine: Machine, by: Reckoning) -> str:
    """Return why a model has no room in the memory beside a game, or nothing."""
    room = machine.memory_mb * by.memory_share
    return f"{entry.name} needs {entry.memory_mb} MB of memory, and a game leaves it {room:.0f} MB" if entry.memory_mb > room else ""


def too_slow(entry: CatalogueModel, speed: Speed, first_word_s: float, by: Reckoning) -> str:
    """Return why a model answers a player too late at this speed, or nothing."""
    read = by.read_tokens(entry)
    if not fits(speed, read_tokens=read, written_tokens=by.reply_tokens, within_s=by.answer_s):
        seconds = line_s(entry, speed, by)
        return f"an answer of {entry.name} takes about {seconds:.0f} s here, and a player should not wait more than {by.answer_s:.0f} s"
    if not fits(speed, read_tokens=read, written_tokens=1, within_s=first_word_s):
        seconds = takes_s(speed, read_tokens=read, written_tokens=1)
        return f"the first word of {entry.name} takes about {seconds:.0f} s here, and engine.first_word_s is {first_word_s:g}"
    return ""


def line_s(entry: CatalogueModel, speed: Speed, by: Reckoning) -> float:
    """Return about how many seconds an answer to a player takes, from the second line of a talk on."""
    return takes_s(speed, read_tokens=by.read_tokens(entry), written_tokens=by.reply_tokens)


def speed_of(entry: CatalogueModel, known: Iterable[MeasuredModel], by: Reckoning) -> Speed | None:
    """Return how fast a model would be, from the measured one that is nearest to it in size; the newest of equals.

    Reading takes time in proportion to the parameters, and writing to the bytes of the file. To both comes what each token costs at any
    size.
    """
    sound = [one for one in known if one.parameters_m > 0]
    near = min(reversed(sound), key=lambda one: abs(math.log(one.parameters_m / entry.parameters_m)), default=None)
    if near is None:
        return None
    reading = (near.parameters_m + by.read_overhead_m) / (entry.parameters_m + by.read_overhead_m)
    writing = (near.bytes / 1e6 + by.write_overhead_mb) / (entry.size_mb + by.write_overhead_mb)
    return Speed(near.speed.read_per_s * reading, near.speed.written_per_s * writing)


def better_than(name: str, step: StepUp | None) -> bool:
    """Whether a model that fits is larger than the one that is used. One that is not of the catalogue was chosen with care.

    An empty `name` says that none is used, because none is here.
    """
    now = models.find_entry(name)
    return step is not None and (not name or (now is not None and step.entry.parameters_m > now.parameters_m))
