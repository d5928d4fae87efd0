"""What commands say about the best model that fits."""

from __future__ import annotations

from npc_server.cli.output import say
from npc_server.config import EngineSettings
from npc_server.llm.step_up import StepUp, best, better_than, this_machine


def told(step: StepUp) -> str:
    """Name, size, licence and merits of a model, and about how fast it is."""
    entry = step.entry
    speed = f"An answer takes about {step.answer_s:.0f} s." if step.answer_s else "It runs on the graphics card."
    return f"{entry.name} ({entry.size_mb} MB, {entry.licence}). {entry.note} {speed}"


def tell_of_step_up(engine: EngineSettings) -> None:
    """Tells in a line on stderr that this machine could run a larger model than that of the settings. Otherwise says nothing."""
    step = best(this_machine(engine))
    if step is not None and better_than(engine.model, step):
        say(f"{engine.model_name} thinks here. This machine can also run {told(step)} Get it: npc-server setup", err=True)
