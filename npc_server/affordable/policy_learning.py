"""What is being lived through: an hour that goes as planned becomes a Lifestyle Policy, and one that was recalled shows whether it works.

A plan counts as lived through when each of its steps was done, at the time it was planned for.
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


async def by_policy(mind: Mind, hour: PlanStep, now: GameTime, end: GameTime) -> list[PlanStep]:
    """The steps of an hour from a policy, put into the plan, ready to be done; nothing when no policy fits."""
    minutes = max(1, (end - now) // clock.MINUTE)
    found = await lifestyle_policy.recall(mind, hour.text, minutes, now, hour.address)
    if found is None:
        return []
    made: list[PlanStep] = []
    at = now
    for i, step in enumerate(found.steps):
        until = end if i == len(found.steps) - 1 else at + step.minutes * clock.MINUTE
        made.append(_ready(PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, at, until, step.activity), step))
        at = until
    return follow(mind, hour, mind.add_steps(made), found.key)


def follow(mind: Mind, hour: PlanStep, steps: Sequence[PlanStep], key: str = "") -> list[PlanStep]:
    """Remembers that an hour is lived by these steps, which the model or a policy made."""
    if mind.settings.uses("policies"):
        mind.living[hour.id] = Living(hour.id, hour.text, tuple(step.id for step in steps), key)
    return list(steps)


async def ready(mind: Mind, step: PlanStep, now: GameTime, avoid: Collection[Address] = ()) -> PlanStep:
    """The step, made ready by a policy when the model would be asked what to do for it."""
    if step.emoji or step.text == routine.ASLEEP or (step.source is Source.INSTINCT and (step.address or not mind.asks("act"))):
        return step
    found = await lifestyle_policy.recall_step(mind, step.text, now, step.address, avoid)
    if found is None:
        return step
    mind.living[step.id] = Living(step.id, step.text, (step.id,), found.key, whole=False)
    return _ready(step, found.steps[0])


def step_begun(mind: Mind, step: PlanStep, action: Action) -> None:
    """An action has been chosen for a step: what is done, and how the NPC believes the object to be before."""
    if not mind.settings.uses("policies"):
        return
    if action.source is Source.INSTINCT:
        _give_up(mind, step.id)
        return
    if step.origin is PlanOrigin.REACTION and not _with(mind, step.id):
        mind.living[step.id] = Living(step.id, step.text, (step.id,))  # an errand is a plan of one step
    minutes = max(1, (step.end - step.start) // clock.MINUTE)
    done = PolicyStep(minutes, step.text, action.address, action.object_action, action.sentence, action.emoji)
    for living in _with(mind, step.id):
        mind.living[living.plan] = replace(
            living,
            begun=(*(it for it in living.begun if it[0] != step.id), (step.id, done)),
            needs=_needs(mind, living, done),
            own_way=living.own_way or action.source is not Source.POLICY,
        )


def activity_begun(mind: Mind, step: PlanStep, action: Action) -> None:
    """The same, for an activity at home when its commands are done: for its hour it counts as a whole, whatever they were."""
    step_begun(mind, step, replace(action, address=step.address or action.address, object_action=""))


def step_failed(mind: Mind, step: PlanStep, action: Action | None, now: GameTime) -> None:
    """A step failed: nothing is learned of its plan, and the policy that wanted it so is not used again until it has worked."""
    for living in _with(mind, step.id):
        if living.policy and (action is None or action.source is Source.POLICY):
            lifestyle_policy.failed(mind, living.policy, now)
    _give_up(mind, step.id)


async def learn(mind: Mind, now: GameTime) -> None:
    """Keeps the plans that were lived through, and forgets those that came to nothing."""
    steps = {step.id: step for step in mind.plan}
    for living in list(mind.living.values()):
        found = [steps.get(number) for number in living.steps]
        if all(step is not None and step.status is PlanStatus.DONE for step in found):
            del mind.living[living.plan]
            await _worked(mind, living, now)
        elif any(step is None or _is_over(step, now) for step in found):
            del mind.living[living.plan]


# ---- parts


async def _worked(mind: Mind, living: Living, now: GameTime) -> None:
    if living.policy and living.whole and not living.own_way:
        lifestyle_policy.worked(mind, living.policy, now)
        return
    done = [step for _, step in sorted(living.begun, key=lambda it: living.steps.index(it[0]))]
    borrowed = not living.whole and any(living.steps[0] in other.steps for other in mind.living.values())
    if len(done) == len(living.steps) and not borrowed:
        await lifestyle_policy.remember(mind, living.activity, sum(step.minutes for step in done), living.needs, done, now)


def _is_over(step: PlanStep, now: GameTime) -> bool:
    """Whether it can no longer be done as planned."""
    return step.status in (PlanStatus.FAILED, PlanStatus.DROPPED) or (step.status is PlanStatus.AHEAD and step.end <= now)


def _ready(step: PlanStep, by: PolicyStep) -> PlanStep:
    return replace(step, address=by.address, source=Source.POLICY, does=by.does, sentence=by.sentence, emoji=by.emoji)


def _with(mind: Mind, step: int) -> list[Living]:
    return [living for living in mind.living.values() if step in living.steps]


def _give_up(mind: Mind, step: int) -> None:
    for living in _with(mind, step):
        del mind.living[living.plan]


def _needs(mind: Mind, living: Living, done: PolicyStep) -> tuple[tuple[Address, str], ...]:
    """With the object that is used now. Where nothing is done with it, any state will do; a state seen earlier in the plan stays."""
    node = mind.world.node(done.address)
    if node.kind is not NodeKind.OBJECT or dict(living.needs).get(node.address):
        return living.needs
    return tuple(sorted({**dict(living.needs), node.address: believed(mind, node) if done.does else ""}.items()))
