"""What commands say about the best model that fits."""

from __future__ import annotations

from npc_server.cli.output import say
from npc_server.config import EngineSettings
from npc_server.llm.best_here import choice_of
from npc_server.llm.step_up import StepUp, best, better_than, this_machine


def told(step: StepUp) -> str:
    """Name, size, licence and merits of a model, and about how fast it is."""
    entry = step.entry
    where = "How fast it is shows once it is here." if step.answer_s is None else "It runs on the graphics card."
    speed = f"An answer takes about {step.answer_s:.0f} s." if step.answer_s else where
    return f"{entry.name} ({entry.size_mb} MB, {entry.licence}). {entry.note} {speed}"


def tell_of_step_up(engine: EngineSettings) -> None:
    """Tells in a line on stderr that this machine could run a larger model than the one that is used. Otherwise says nothing."""
    step = best(this_machine(engine))
    chosen = choice_of(engine)[0] if engine.takes_best else None
    name = (chosen.entry.name if chosen else "") if engine.takes_best else engine.model
    if step is not None and better_than(name, step):
        now = f"{engine.with_adapters(name)} thinks here." if name else "No model thinks here."
        say(f"{now} This machine can also run {told(step)} Get it: npc-server setup", err=True)
