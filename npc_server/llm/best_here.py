"""The models of the catalogue that are on this machine, the best first, and why one of them cannot be used here.

Better is whose own lines a judge is likelier to call fine (`own_lines`: measured, else by size); of equals, the larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from npc_server.config import EngineSettings, Settings
from npc_server.llm import own_lines, step_up
from npc_server.llm.models import CatalogueModel, entry_of, local_models
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import Setup, known_speed

NONE_HERE = "No model of the catalogue is on this machine, so memory, the bank of replies and routines answer. Get one: npc-server setup"
NONE_FITS = "No model that is here can be used, so memory, the bank of replies and routines answer"

AGAIN = "If the machine was busy when it was measured, measure again: npc-server setup"


@dataclass(frozen=True)
class ModelHere:
    """A model of the catalogue on this machine."""

    entry: CatalogueModel
    path: Path
    speed: Speed | None
    """As it was measured here; None before its first start."""

    def why_not(self, settings: EngineSettings, speed: Speed | None) -> str:
        """Return why it cannot be used at this speed, or nothing. A speed that is not known stands in nobody's way."""
        return "" if speed is None else step_up.too_slow(self.entry, speed, settings.first_word_s, step_up.reckoning())

    def praised(self, speed: Speed | None) -> str:
        """Return why it was chosen, as a sentence."""
        told = "" if speed is None else f": it reads {speed.read_per_s:.0f} and writes {speed.written_per_s:.0f} tokens a second"
        return f"{self.entry.name} is the best model here that this machine carries{told}."


def models_here(settings: EngineSettings) -> tuple[tuple[ModelHere, ...], tuple[str, ...]]:
    """Return the instruct models that are a step up and have room in the memory, the best first, and why others are left out."""
    entries = ((entry_of(local.path), local.path) for local in local_models(settings.models_folder))
    found = [(entry, path) for entry, path in entries if entry is not None and entry.kind == "chat" and not entry.package]
    if not found:
        return (), ()
    machine, setup, by = step_up.this_machine(settings), Setup.of(settings), step_up.reckoning()
    roomy = replace(machine, memory_mb=max(machine.memory_mb, machine.graphics_mb))
    left_out = {entry.name: why for entry, _ in found if (why := _no_step_up(entry) or step_up.has_no_room(entry, roomy, by))}
    fitting = (it for it in found if it[0].name not in left_out)
    best_first = sorted(fitting, key=lambda it: (own_lines.of_entry(it[0]), it[0].parameters_m), reverse=True)
    here = tuple(ModelHere(entry, path, known_speed(settings.models_folder, path, setup)) for entry, path in best_first)
    return here, tuple(left_out.values())


def _no_step_up(entry: CatalogueModel) -> str:
    fine = own_lines.is_step_up(own_lines.of_entry(entry))
    return "" if fine else f"{entry.name} makes less sense than memory and the bank do without a model"


def choice_of(settings: EngineSettings) -> tuple[ModelHere | None, str]:
    """Return the model that the next start takes, as far as speeds are known, and why it is this one or none, as a sentence."""
    found, passed = models_here(settings)
    slow = [why for it in found if (why := it.why_not(settings, it.speed))]
    chosen = next((it for it in found if not it.why_not(settings, it.speed)), None)
    return chosen, chosen.praised(chosen.speed) if chosen is not None else why_none([*passed, *slow])


def why_none(passed: Sequence[str]) -> str:
    """Return why no model is used, as a sentence. `passed` says why each that is here cannot be."""
    return f"{NONE_FITS}: {'; '.join(passed)}. {AGAIN}" if passed else NONE_HERE


def named(settings: EngineSettings) -> EngineSettings:
    """Return the settings with the name of the model in place of `best`: `none` where no model can be used."""
    if not settings.takes_best:
        return settings
    chosen = choice_of(settings)[0]
    return settings.model_copy(update={"model": chosen.entry.name if chosen else "none"})


def with_named_model(settings: Settings) -> Settings:
    """Return the settings with the name of the model in place of `best`, for whoever reports which model was asked."""
    return settings.model_copy(update={"engine": named(settings.engine)})
