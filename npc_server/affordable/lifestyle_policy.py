"""Keeps a plan that worked as a Lifestyle Policy with its condition, and repeats it without the model (AGA, section 3.1).

A policy that takes place in public and names no person serves everybody. Any other serves only the NPC that made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.memory.policies import PolicyChange, name_words
from npc_server.mind.asked import free_of_charge
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import action_named, believed, is_open_to
from npc_server.personas import routine
from npc_server.personas.schema import Persona
from npc_server.records import Address, AnsweredBy, GameTime, Policy, PolicyStep, Source
from npc_server.world.tree import NodeKind, lies_in, lineage

PLAN_STEPS = "plan_steps"
"""The question that a policy makes unnecessary."""
NAME = "{name}"
"""Stands for the first name of the NPC that follows the policy."""
LONGER = 2
"""How many times longer or shorter a policy may become. Beyond that it would be another plan."""
REST_MIN = 30
"""Game minutes by which a policy of several hours may miss the end of its activity. Its steps are scaled then."""
_OF_ONE_PERSON = frozenset(("he", "she", "him", "her", "his", "hers", "himself", "herself"))


@dataclass(frozen=True)
class Recalled:
    """A policy whose condition holds, fitted to the time there is and to the NPC that follows it."""

    key: str
    steps: tuple[PolicyStep, ...]


async def remember(
    mind: Mind, activity: str, minutes: int, needs: Iterable[tuple[Address, str]], steps: Sequence[PolicyStep], now: GameTime
) -> None:
    """Keeps a plan that worked. `needs` are the objects it used, each with the state it had before (empty for any state).

    If the same plan is kept already under the same condition, it counts once more. It may then be used again even if it has failed.
    """
    if not mind.settings.uses("policies") or mind.persona.opt_out_of_memory or not steps:
        return
    kept = tuple(_for_anybody(mind, step) for step in steps)
    policy = Policy("", _anybody(mind, activity), minutes, tuple(sorted(needs)), kept)
    if not _suits_everybody(mind, policy):
        policy = replace(policy, owner=mind.npc)
    vector = (await mind.tools.embedder.embed([policy.activity]))[0]
    mind.draft.policies.append(PolicyChange(policy, now, worked=True, vector=vector))


async def recall(
    mind: Mind, activity: str, minutes: int, now: GameTime, within: Address = "", *, commands: bool = False, most: int = 0
) -> Recalled | None:
    """Returns the policy for this activity that the NPC believes it can carry out now; None when there is none.

    The most similar policy wins, then the one that worked most often. With `minutes` 0 it keeps its length. Its places must lie in
    `within`. With `commands` it searches policies of household commands, whose steps have no emoji, and else policies of plan steps.
    If the activity may take up to `most` minutes, longer policies go before those for `minutes`, the longest first.
    """
    known = {key: it for key, it in _usable(mind, now).items() if _is_commands(it) is commands and _lies_within(it, within)}
    alike = await _alike(mind, _anybody(mind, activity), known) if known else {}
    ranked = _ranked(known, alike)
    longer = [(key, it) for key, it in ranked if minutes < it.minutes <= most + REST_MIN] if minutes < most else []
    lengths = {key: most if it.minutes > most - REST_MIN else it.minutes for key, it in longer}
    longer.sort(key=lambda it: -it[1].minutes)
    about = [(key, it) for key, it in ranked if key not in lengths and _is_about(it, minutes)]
    for key, policy in [*longer, *about]:
        length = lengths.get(key, minutes)
        steps = fitted(policy.steps, length, mind.settings.step_minutes_min) if length else policy.steps
        if holds(mind, policy.needs, steps, now):
            return _taken_up(mind, key, policy, steps, now)
    return None


async def recall_step(mind: Mind, activity: str, now: GameTime, within: Address = "", avoid: Iterable[Address] = ()) -> Recalled | None:
    """Returns one step that worked for this activity before, alone or in a longer plan, and that can be done now."""
    known, avoided = {key: it for key, it in _usable(mind, now).items() if not _is_commands(it)}, frozenset(avoid)
    wanted = _anybody(mind, activity)
    single = {key: it for key, it in known.items() if len(it.steps) == 1}
    found = _ranked(single, await _alike(mind, wanted, single))
    found += _ranked(known, {key: 1.0 for key, it in known.items() if any(_same(step.activity, wanted) for step in it.steps)})
    for key, policy in found:
        step = next((it for it in policy.steps if _same(it.activity, wanted)), policy.steps[0])
        needs = [need for need in policy.needs if need[0] == step.address]
        if step.address not in avoided and (not within or lies_in(step.address, within)) and holds(mind, needs, [step], now):
            return _taken_up(mind, key, policy, [step], now)
    return None


def worked(mind: Mind, key: str, now: GameTime) -> None:
    """Notes that a policy worked once more."""
    _note(mind, key, now, worked=True)


def failed(mind: Mind, key: str, now: GameTime) -> None:
    """Notes that a step of a policy could not be done. It is not used again until the same plan has worked."""
    _note(mind, key, now, failed=True)


def holds(mind: Mind, needs: Iterable[tuple[Address, str]], steps: Sequence[PolicyStep], now: GameTime) -> bool:
    """Returns whether the NPC believes that a plan can be carried out from now on.

    Its objects must be there in their states. Its places must be known, open at their times, and free for the NPC to enter.
    """
    for address, state in needs:
        if address not in mind.world or address not in mind.knowledge:
            return False
        if not _parts(state) <= _parts(believed(mind, mind.world.node(address))):
            return False  # The condition `in the dishwasher` also holds for `dirty, in the dishwasher`.
    at = now
    for step in steps:
        address = step.address
        if not is_open_to(mind, address, at):
            return False
        if step.emoji and step.does and action_named(mind.world.node(address), step.does) is None:
            return False  # This checks plan steps only. The rules of the household check commands, which have no emoji.
        at += step.minutes * clock.MINUTE
    return True


def fitted(steps: Sequence[PolicyStep], minutes: int, shortest: int) -> tuple[PolicyStep, ...]:
    """Fits the steps into so many minutes in proportion. The last steps are left out when steps would get shorter than `shortest`."""
    total = sum(step.minutes for step in steps)
    if minutes == total:
        return tuple(steps)
    kept = steps[: max(1, minutes // shortest)] if minutes < total else steps
    whole = sum(step.minutes for step in kept)
    found: list[PolicyStep] = []
    passed = before = 0
    for i, step in enumerate(kept):
        passed += step.minutes
        until = min(max(before + 1, round(passed * minutes / whole)), max(minutes - (len(kept) - 1 - i), before + 1))
        found.append(replace(step, minutes=until - before))
        before = until
    return tuple(found)


# ---- Helpers


def _parts(state: str) -> set[str]:
    return {part.strip() for part in state.split(",")} - {""}


def _usable(mind: Mind, now: GameTime) -> dict[str, Policy]:
    if not mind.settings.uses("policies"):
        return {}
    mind.draft.policies_gone += mind.lifestyle.policies.settle(now)
    return {key: it for key, it in mind.lifestyle.policies.seen_by(mind.npc, mind.draft.policies).items() if it.usable}


def _is_commands(policy: Policy) -> bool:
    return not any(step.emoji for step in policy.steps)


def _is_about(policy: Policy, minutes: int) -> bool:
    return not minutes or policy.minutes <= LONGER * minutes <= LONGER * LONGER * policy.minutes


def _lies_within(policy: Policy, within: Address) -> bool:
    return not within or all(lies_in(step.address, within) for step in policy.steps)


async def _alike(mind: Mind, wanted: str, policies: dict[str, Policy]) -> dict[str, float]:
    """Returns the similar policies, each with the cosine similarity of its activity. Equal words need no embedding."""
    found = {key: 1.0 for key, it in policies.items() if _same(it.activity, wanted)}
    others = [(key, it) for key, it in policies.items() if key not in found]
    if others:
        query = (await mind.tools.embedder.embed([wanted]))[0]
        cosines = mind.lifestyle.policies.vectors_of([it for _, it in others]) @ query
        found |= {key: float(cosine) for (key, _), cosine in zip(others, cosines, strict=True) if cosine > mind.settings.policy_similarity}
    return found


def _ranked(policies: dict[str, Policy], alike: dict[str, float]) -> list[tuple[str, Policy]]:
    return sorted(((key, policies[key]) for key in alike), key=lambda it: (-min(alike[it[0]], 1.0), -it[1].worked, it[1].activity, it[0]))


def _taken_up(mind: Mind, key: str, policy: Policy, steps: Sequence[PolicyStep], now: GameTime) -> Recalled:
    mind.draft.policies.append(PolicyChange(policy, now))
    mind.tally.count(Source.POLICY)
    activities = "\n".join(f"{step.minutes} min: {step.activity}" for step in steps)
    mind.tools.asked.add_line(free_of_charge(mind.npc, PLAN_STEPS, now), AnsweredBy.POLICY, policy.activity, activities)
    return Recalled(key, tuple(_for_this_npc(mind, step) for step in steps))


def _note(mind: Mind, key: str, now: GameTime, *, worked: bool = False, failed: bool = False) -> None:
    policy = mind.lifestyle.policies.seen_by(mind.npc, mind.draft.policies).get(key)
    if policy is not None:
        mind.draft.policies.append(PolicyChange(policy, now, worked, failed))


def _for_this_npc(mind: Mind, step: PolicyStep) -> PolicyStep:
    """Returns the step with the name of this NPC."""
    name = mind.persona.first_name
    activity = step.activity.replace(NAME, name)
    return replace(step, activity=activity, sentence=step.sentence.replace(NAME, name) or mind.instinct.sentence(name, activity))


def _for_anybody(mind: Mind, step: PolicyStep) -> PolicyStep:
    """Returns the step with `{name}` for the name of this NPC. A sentence that follows from the activity is left out."""
    plain = step.sentence == mind.instinct.sentence(mind.persona.first_name, step.activity)
    return replace(step, activity=_anybody(mind, step.activity), sentence="" if plain else _anybody(mind, step.sentence))


def _same(a: str, b: str) -> bool:
    return " ".join(a.casefold().split()) == " ".join(b.casefold().split())


def _anybody(mind: Mind, text: str) -> str:
    """Returns the text with `{name}` for the NPC's own name."""
    return _own_name(mind.persona).sub(NAME, text)


def _own_name(persona: Persona) -> re.Pattern[str]:
    names = sorted({persona.name, persona.first_name}, key=len, reverse=True)
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))


def _suits_everybody(mind: Mind, policy: Policy) -> bool:
    """Returns whether every place of the policy is public, and its words name nobody."""
    addresses = {address for address, _ in policy.needs} | {step.address for step in policy.steps}
    homes = {*mind.lifestyle.policies.homes, routine.home(mind.persona)}
    for address in addresses:
        above = [mind.world.node(it) for it in lineage(address) if it in mind.world]
        if not above or any(it.owners or it.address in homes for it in above if it.kind is not NodeKind.WORLD):
            return False
    words = name_words(" ".join([policy.activity, *(f"{step.activity} {step.sentence}" for step in policy.steps)]).replace(NAME, " "))
    called = mind.lifestyle.policies.names | name_words(" ".join([*mind.people.names.values(), *mind.relationships.social]))
    return not words & (called | _OF_ONE_PERSON)
