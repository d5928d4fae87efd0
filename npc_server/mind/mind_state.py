"""What a look into a mind shows."""

from __future__ import annotations

from npc_server.mind import identity, mood
from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import GameTime, MindGlance, MindState, PlanStep


def mind_state(mind: Mind, doing: Doing, now: GameTime) -> MindState:
    """Who the NPC is, what it does, what it knows, and how it feels."""
    return MindState(
        npc=mind.npc,
        name=mind.persona.name,
        identity=identity.paragraph(mind),
        action=doing.action,
        address=doing.address,
        asleep=doing.action is not None and routine.is_asleep_at(mind.persona, now),
        now=now,
        memories=tuple(mind.stream.count_by_kind().items()),
        model_answers=mind.tally.model,
        instinct_answers=mind.tally.instinct,
        policy_answers=mind.tally.policy,
        chosen_answers=mind.tally.chosen,
        known=tuple(mind.knowledge.addresses()),
        needs=mind.feelings.needs,
        mood=mood.faded(mind.feelings.mood, now),
    )


def glance(mind: Mind, doing: Doing, now: GameTime) -> MindGlance:
    """What the NPC does and why, in short."""
    step, latest = _step_of(mind, doing.step), mind.stream.latest(1)
    return MindGlance(
        npc=mind.npc,
        name=mind.persona.name,
        action=doing.action,
        address=doing.address,
        asleep=doing.action is not None and routine.is_asleep_at(mind.persona, now),
        needs=mind.feelings.needs,
        mood=mood.faded(mind.feelings.mood, now),
        memories=len(mind.stream),
        latest_memory=latest[0].id if latest else 0,
        latest_question=mind.tools.asked.newest(mind.npc),
        why=_why(mind, step),
        origin=step.origin if step is not None else None,
    )


def _step_of(mind: Mind, number: int) -> PlanStep | None:
    return next((step for step in mind.plan.steps if step.id == number), None) if number else None


def _why(mind: Mind, step: PlanStep | None) -> tuple[str, ...]:
    """The step, and what it is part of. A parent that says the same is left out, and so is one that was met before."""
    found: dict[int, str] = {}
    while step is not None and step.id not in found:
        found[step.id] = step.text
        step = _step_of(mind, step.parent)
    return tuple(dict.fromkeys(found.values()))
