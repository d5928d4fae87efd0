"""Lifestyle Policies: a plan that worked is kept with its condition, and lived again without the model (AGA, section 3.1).

What worked anywhere but at somebody's own place, and names nobody, suits everybody; the rest is kept for the one who did it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.memory.policies import PolicyChange, name_words
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import action_named, believed, is_open_to
from npc_server.personas import routine
from npc_server.personas.schema import Persona
from npc_server.records import Address, GameTime, Policy, PolicyStep, Source
from npc_server.world.tree import NodeKind, lineage

NAME = "{name}"
"""Stands for the first name of whoever lives by a policy."""
LONGER = 2
"""How many times as long, or as short, a plan may become: beyond that it would be another plan."""
_OF_ONE_PERSON = frozenset(("he", "she", "him", "her", "his", "hers", "himself", "herself"))


@dataclass(frozen=True)
class Recalled:
    """A policy whose condition holds, fitted to the time there is and to who lives by it."""

    key: str
    steps: tuple[PolicyStep, ...]


async def remember(
    mind: Mind, activity: str, minutes: int, needs: Iterable[tuple[Address, str]], steps: Sequence[PolicyStep], now: GameTime
) -> None:
    """Keeps a plan that worked. `needs` are the objects it used, each in the state it had before (empty for any).

    The same plan under the same condition counts once more, and may be used again if it had failed meanwhile.
    """
    if not mind.settings.uses("policies") or mind.persona.opt_out_of_memory or not steps:
        return
    kept = tuple(_for_anybody(mind, step) for step in steps)
    policy = Policy("", _anybody(mind, activity), minutes, tuple(sorted(needs)), kept)
    if not _suits_everybody(mind, policy):
        policy = replace(policy, owner=mind.npc)
    vector = (await mind.embedder.embed([policy.activity]))[0]
    mind.draft.policies.append(PolicyChange(policy, now, worked=True, vector=vector))


async def recall(
    mind: Mind, activity: str, minutes: int, now: GameTime, within: Address = "", *, commands: bool = False
) -> Recalled | None:
    """The plan that worked for this activity and can be carried out now, as the NPC knows the world; None when there is none.

    Of several the most alike, then the one that worked most often. `minutes` 0 takes it as long as it was; `within` is where it must be.
    `commands` asks for the commands of an activity in a household, which are steps without an emoji, else for steps of a plan.
    """
    known = {key: it for key, it in _usable(mind, now).items() if _is_commands(it) is commands}
    wanted = _anybody(mind, activity)
    fitting = {key: it for key, it in known.items() if _fits(it, minutes, within)}
    for key, policy in _ranked(fitting, await _alike(mind, wanted, fitting)):
        steps = fitted(policy.steps, minutes, mind.settings.step_minutes_min) if minutes else policy.steps
        if holds(mind, policy.needs, steps, now):
            return _taken_up(mind, key, policy, steps, now)
    return None


async def recall_step(mind: Mind, activity: str, now: GameTime, within: Address = "", avoid: Iterable[Address] = ()) -> Recalled | None:
    """One step that answered for this activity before, alone or in a longer plan, and can be done now."""
    known, avoided = {key: it for key, it in _usable(mind, now).items() if not _is_commands(it)}, frozenset(avoid)
    wanted = _anybody(mind, activity)
    single = {key: it for key, it in known.items() if len(it.steps) == 1}
    found = _ranked(single, await _alike(mind, wanted, single))
    found += _ranked(known, {key: 1.0 for key, it in known.items() if any(_same(step.activity, wanted) for step in it.steps)})
    for key, policy in found:
        step = next((it for it in policy.steps if _same(it.activity, wanted)), policy.steps[0])
        needs = [need for need in policy.needs if need[0] == step.address]
        if step.address not in avoided and _lies_in(step.address, within) and holds(mind, needs, [step], now):
            return _taken_up(mind, key, policy, [step], now)
    return None


def worked(mind: Mind, key: str, now: GameTime) -> None:
    """It was lived through once more."""
    _note(mind, key, now, worked=True)


def failed(mind: Mind, key: str, now: GameTime) -> None:
    """A step of it could not be done: it is not used again until the same plan has worked."""
    _note(mind, key, now, failed=True)


def holds(mind: Mind, needs: Iterable[tuple[Address, str]], steps: Sequence[PolicyStep], now: GameTime) -> bool:
    """Whether a plan can be carried out from now on, as far as the NPC knows: its objects are there and as they must be,
    and its places are known, open when they are due, and its to enter."""
    for address, state in needs:
        if address not in mind.world or address not in mind.known:
            return False
        if not _parts(state) <= _parts(believed(mind, mind.world.node(address))):
            return False  # what a condition leaves out may be as it likes: `in the dishwasher` holds for what is dirty there, too
    at = now
    for step in steps:
        address = step.address
        if not is_open_to(mind, address, at):
            return False
        if step.emoji and step.does and action_named(mind.world.node(address), step.does) is None:
            return False  # whether a command can be done, the household's rules say
        at += step.minutes * clock.MINUTE
    return True


def fitted(steps: Sequence[PolicyStep], minutes: int, shortest: int) -> tuple[PolicyStep, ...]:
    """The steps in so many minutes: all in proportion, without the last ones where they would get shorter than `shortest`."""
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


# ---- parts


def _parts(state: str) -> set[str]:
    return {part.strip() for part in state.split(",")} - {""}


def _usable(mind: Mind, now: GameTime) -> dict[str, Policy]:
    if not mind.settings.uses("policies"):
        return {}
    mind.draft.policies_gone += mind.policies.settle(now)
    return {key: it for key, it in mind.policies.seen_by(mind.npc, mind.draft.policies).items() if it.usable}


def _is_commands(policy: Policy) -> bool:
    return not any(step.emoji for step in policy.steps)


def _fits(policy: Policy, minutes: int, within: Address) -> bool:
    long_enough = not minutes or policy.minutes <= LONGER * minutes <= LONGER * LONGER * policy.minutes
    return long_enough and all(_lies_in(step.address, within) for step in policy.steps)


def _lies_in(address: Address, within: Address) -> bool:
    return not within or address == within or address.startswith(f"{within}:")


async def _alike(mind: Mind, wanted: str, policies: dict[str, Policy]) -> dict[str, float]:
    """How like its activity is, for each policy that is like enough. The same words need no embedding."""
    found = {key: 1.0 for key, it in policies.items() if _same(it.activity, wanted)}
    others = [(key, it) for key, it in policies.items() if key not in found]
    if others:
        query = (await mind.embedder.embed([wanted]))[0]
        cosines = mind.policies.vectors_of([it for _, it in others]) @ query
        found |= {key: float(cosine) for (key, _), cosine in zip(others, cosines, strict=True) if cosine > mind.settings.policy_similarity}
    return found


def _ranked(policies: dict[str, Policy], alike: dict[str, float]) -> list[tuple[str, Policy]]:
    return sorted(((key, policies[key]) for key in alike), key=lambda it: (-min(alike[it[0]], 1.0), -it[1].worked, it[1].activity, it[0]))


def _taken_up(mind: Mind, key: str, policy: Policy, steps: Sequence[PolicyStep], now: GameTime) -> Recalled:
    mind.draft.policies.append(PolicyChange(policy, now))
    mind.count_answer(Source.POLICY)
    return Recalled(key, tuple(_for_this_npc(mind, step) for step in steps))


def _note(mind: Mind, key: str, now: GameTime, *, worked: bool = False, failed: bool = False) -> None:
    policy = mind.policies.seen_by(mind.npc, mind.draft.policies).get(key)
    if policy is not None:
        mind.draft.policies.append(PolicyChange(policy, now, worked, failed))


def _for_this_npc(mind: Mind, step: PolicyStep) -> PolicyStep:
    """The step as this NPC does it."""
    name = mind.persona.first_name
    activity = step.activity.replace(NAME, name)
    return replace(step, activity=activity, sentence=step.sentence.replace(NAME, name) or mind.instinct.sentence(name, activity))


def _for_anybody(mind: Mind, step: PolicyStep) -> PolicyStep:
    """The opposite. A sentence that follows from the activity is left out."""
    plain = step.sentence == mind.instinct.sentence(mind.persona.first_name, step.activity)
    return replace(step, activity=_anybody(mind, step.activity), sentence="" if plain else _anybody(mind, step.sentence))


def _same(a: str, b: str) -> bool:
    return " ".join(a.casefold().split()) == " ".join(b.casefold().split())


def _anybody(mind: Mind, text: str) -> str:
    """The text with `{name}` for the NPC's own name."""
    return _own_name(mind.persona).sub(NAME, text)


def _own_name(persona: Persona) -> re.Pattern[str]:
    names = sorted({persona.name, persona.first_name}, key=len, reverse=True)
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))


def _suits_everybody(mind: Mind, policy: Policy) -> bool:
    """Every place is public, and the words are nobody's own."""
    addresses = {address for address, _ in policy.needs} | {step.address for step in policy.steps}
    homes = {*mind.policies.homes, routine.home(mind.persona)}
    for address in addresses:
        above = [mind.world.node(it) for it in lineage(address) if it in mind.world]
        if not above or any(it.owners or it.address in homes for it in above if it.kind is not NodeKind.WORLD):
            return False
    words = name_words(" ".join([policy.activity, *(f"{step.activity} {step.sentence}" for step in policy.steps)]).replace(NAME, " "))
    called = mind.policies.names | name_words(" ".join([*mind.names.values(), *mind.social]))
    return not words & (called | _OF_ONE_PERSON)
