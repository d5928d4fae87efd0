"""Makes Lifestyle Policies of hours that go as planned, and notes whether a recalled policy works (AGA, section 3.1).

A plan has worked when each of its steps was done at its planned time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.affordable import lifestyle_policy
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import believed
from npc_server.personas import routine
from npc_server.records import Action, Address, GameTime, Living, PlanLevel, PlanOrigin, PlanStatus, PlanStep, PolicyStep, Source
from npc_server.world.tree import NodeKind


async def by_policy(mind: Mind, hour: PlanStep, now: GameTime, end: GameTime, latest: GameTime) -> list[PlanStep]:
    """Puts the steps of a policy for this activity into the plan, ready to be done. Returns no steps when no policy fits.

    A long activity is planned an hour at a time, up to `end`. A policy of all its hours, up to `latest`, goes before one of its first
    hour. That one serves only the first: nobody sets out the same loaves twice.
    """
    if any(step.parent == hour.id and step.status is PlanStatus.DONE for step in mind.plan.steps):
        return []
    minutes, most = (max(1, (at - now) // clock.MINUTE) for at in (end, latest))
    found = await lifestyle_policy.recall(mind, hour.text, minutes, now, hour.address, most=most)
    if found is None:
        return []
    made: list[PlanStep] = []
    at = now
    for i, step in enumerate(found.steps):
        until = at + step.minutes * clock.MINUTE
        if i == len(found.steps) - 1:
            until = next((it for it in (end, latest) if abs(until - it) < clock.MINUTE), until)
        made.append(_ready(PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, at, until, step.activity), step))
        at = until
    return follow(mind, hour, mind.add_steps(made), found.key)


def follow(mind: Mind, hour: PlanStep, steps: Sequence[PlanStep], key: str = "") -> list[PlanStep]:
    """Notes that the NPC lives this hour by these steps, which the model or a policy made.

    The next hour of the same activity is learned together with those before it. Nothing is learned of the rest of an hour whose beginning
    was not learned, such as one in which a step failed: what was planned for its rest is no plan for the activity.
    """
    before = mind.lifestyle.living.get(hour.id)
    if before is None or not before.learned:
        before = Living(hour.id, hour.text, ())
    begun = {step.id for step in mind.plan.steps if step.parent == hour.id and step.status in (PlanStatus.DONE, PlanStatus.FAILED)}
    if mind.settings.uses("policies") and (key or begun <= set(before.steps)):
        all_steps = (*before.steps, *(step.id for step in steps))
        mind.lifestyle.living[hour.id] = replace(before, steps=all_steps, policy=key, learned=False)
    return list(steps)


async def ready(mind: Mind, step: PlanStep, now: GameTime, avoid: Collection[Address] = ()) -> PlanStep:
    """Makes the step ready by a policy when the model would be asked about it. Returns the step as it is when no policy fits."""
    if step.emoji or step.text == routine.ASLEEP or (step.source is Source.INSTINCT and (step.address or not mind.answerer.asks("act"))):
        return step
    found = await lifestyle_policy.recall_step(mind, step.text, now, step.address, avoid)
    if found is None:
        return step
    mind.lifestyle.living[step.id] = Living(step.id, step.text, (step.id,), found.key, whole=False)
    return _ready(step, found.steps[0])


def step_begun(mind: Mind, step: PlanStep, action: Action) -> None:
    """Notes the action that was chosen for a step, and the state that the NPC believes the object to have before it."""
    if not mind.settings.uses("policies"):
        return
    if action.source is Source.INSTINCT:
        _give_up(mind, step.id)
        return
    if step.origin is PlanOrigin.REACTION and not _with(mind, step.id):
        mind.lifestyle.living[step.id] = Living(step.id, step.text, (step.id,))  # An errand is a plan of one step.
    minutes = max(1, (step.end - step.start) // clock.MINUTE)
    done = PolicyStep(minutes, step.text, action.address, action.object_action, action.sentence, action.emoji)
    for living in _with(mind, step.id):
        mind.lifestyle.living[living.plan] = replace(
            living,
            begun=(*(it for it in living.begun if it[0] != step.id), (step.id, done)),
            needs=_needs(mind, living, done),
            own_way=living.own_way or action.source is not Source.POLICY,
        )


def activity_begun(mind: Mind, step: PlanStep, action: Action) -> None:
    """Does the same for an activity at home whose commands are done. For its hour it counts as one action."""
    step_begun(mind, step, replace(action, address=step.address or action.address, object_action=""))


def step_failed(mind: Mind, step: PlanStep, action: Action | None, now: GameTime) -> None:
    """Notes that a step failed. Its plan becomes no policy, and a policy behind it is not used again until the same plan has worked."""
    for living in _with(mind, step.id):
        if living.policy and (action is None or action.source is Source.POLICY):
            lifestyle_policy.failed(mind, living.policy, now)
    _give_up(mind, step.id)


async def learn(mind: Mind, now: GameTime) -> None:
    """Keeps the plans that worked as policies, and stops following those that did not.

    A plan whose activity goes on waits for its next hour.
    """
    steps = {step.id: step for step in mind.plan.steps}
    for living in list(mind.lifestyle.living.values()):
        found = [steps.get(number) for number in living.steps]
        is_done = all(step is not None and step.status is PlanStatus.DONE for step in found)
        if not is_done and not any(step is None or _is_over(step, now) for step in found):
            continue
        del mind.lifestyle.living[living.plan]
        if is_done and not living.learned:
            await _worked(mind, living, now)
        hour = steps.get(living.plan)
        if is_done and hour is not None and hour.level is PlanLevel.HOUR and now < hour.end:
            mind.lifestyle.living[living.plan] = replace(living, learned=True)


# ---- Helpers


async def _worked(mind: Mind, living: Living, now: GameTime) -> None:
    if living.policy and living.whole and not living.own_way:
        lifestyle_policy.worked(mind, living.policy, now)
        return
    done = [step for _, step in sorted(living.begun, key=lambda it: living.steps.index(it[0]))]
    borrowed = not living.whole and any(living.steps[0] in other.steps for other in mind.lifestyle.living.values())
    if len(done) == len(living.steps) and not borrowed:
        await lifestyle_policy.remember(mind, living.activity, sum(step.minutes for step in done), living.needs, done, now)


def _is_over(step: PlanStep, now: GameTime) -> bool:
    """Returns whether the step can no longer be done as planned."""
    return step.status in (PlanStatus.FAILED, PlanStatus.DROPPED) or (step.status is PlanStatus.AHEAD and step.end <= now)


def _ready(step: PlanStep, by: PolicyStep) -> PlanStep:
    return replace(step, address=by.address, source=Source.POLICY, does=by.does, sentence=by.sentence, emoji=by.emoji)


def _with(mind: Mind, step: int) -> list[Living]:
    return [living for living in mind.lifestyle.living.values() if step in living.steps]


def _give_up(mind: Mind, step: int) -> None:
    for living in _with(mind, step):
        del mind.lifestyle.living[living.plan]


def _needs(mind: Mind, living: Living, done: PolicyStep) -> tuple[tuple[Address, str], ...]:
    """Returns the needs with the object of this action added. Any state will do when nothing is done with the object.

    A state that was noted earlier in the plan stays.
    """
    node = mind.world.node(done.address)
    if node.kind is not NodeKind.OBJECT or dict(living.needs).get(node.address):
        return living.needs
    return tuple(sorted({**dict(living.needs), node.address: believed(mind, node) if done.does else ""}.items()))
