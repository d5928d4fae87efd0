"""What a step of the plan belongs to, and in which words it is told."""

from __future__ import annotations

from dataclasses import replace

from npc_server.mind.mind import Mind
from npc_server.records import Action, PlanStatus, PlanStep


def hour_of(mind: Mind, step: PlanStep) -> PlanStep | None:
    """The hour, or in a household the activity, that a step belongs to."""
    return next((it for it in mind.plan.steps if it.id == step.parent), None)


def people_of(mind: Mind, step: PlanStep) -> tuple[str, ...]:
    """With whom it is done: those of its own appointment, or of its hour's."""
    hour = hour_of(mind, step)
    return step.people or (hour.people if hour is not None else ())


def decided(step: PlanStep, action: Action) -> PlanStep:
    """The step as it is being done. Broken off, it is carried on in the same way, and nothing is asked again."""
    begun = replace(step, status=PlanStatus.ACTIVE, address=action.address)
    if step.command is not None:
        return begun
    return replace(begun, does=action.object_action, sentence=action.sentence, emoji=action.emoji)


def deed_of(mind: Mind, step: PlanStep, action: Action) -> str:
    """What is done, in words. A household command is told by its activity, every other action by its own sentence."""
    activity = hour_of(mind, step) if step.command is not None else None
    return activity.text if activity is not None else action.sentence


def thought_of(mind: Mind, step: PlanStep) -> str:
    """What the NPC thinks of: the step, and the hour that the step belongs to."""
    hour = hour_of(mind, step)
    if hour is None or step.text.startswith(hour.text):
        return step.text
    return f"{hour.text}: {step.text}"
