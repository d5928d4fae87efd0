"""Gathering: the steps of an appointment that lasts. Who comes to a party does what the place offers, and is seen doing it.

Nobody would notice anybody at a party where all do one thing for two hours. Guests should enjoy it together, as those of the Valentine's
Day party do (Generative Agents, section 3.4.3).
"""

from __future__ import annotations

from npc_server import clock
from npc_server.mind.appointments import GOING_TO
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import is_open_to, possible_actions
from npc_server.records import GameTime, Need, PlanLevel, PlanStep

ATTENDING = "attending "
LEISURE = frozenset({Need.FOOD, Need.COMPANY, Need.FUN})
"""What somebody at a gathering does fills one of these."""


def steps(mind: Mind, hour: PlanStep, now: GameTime, end: GameTime) -> list[PlanStep]:
    """The steps of an appointment from `now` to `end`: in turn the occasion itself, and what can be done at its place.

    None takes longer than `mind.step_minutes_max`. The first one is the way there, and where the place offers nothing it is the only one.
    The others are ready to be done, so they cost no question. So it is with occasions that one goes to. What people agreed to do
    together is done as agreed.
    """
    longest = mind.settings.step_minutes_max * clock.MINUTE
    offered = _offered(mind, hour, now)
    if not offered or end - now <= 2 * longest or not hour.text.startswith(GOING_TO):
        return [PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, now, end, hour.text, hour.address)]
    occasion = hour.text.replace(GOING_TO, ATTENDING, 1)
    begin = mind.seed_for("gathering", hour.id) % len(offered)
    found = [PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, now, now + longest, hour.text, hour.address)]
    for i, start in enumerate(range(now + longest, end, longest)):
        text = occasion if i % 2 else offered[(begin + i // 2) % len(offered)]
        sentence, emoji = mind.instinct.sentence(mind.persona.first_name, text), mind.instinct.emoji(text)
        until = min(start + longest, end)
        found.append(PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, start, until, text, hour.address, sentence=sentence, emoji=emoji))
    return found


def _offered(mind: Mind, hour: PlanStep, now: GameTime) -> list[str]:
    """The names of what can be done for pleasure at the place of an appointment."""
    if hour.address not in mind.world:
        return []
    nodes = [node for node in mind.world.below(hour.address) if is_open_to(mind, node.address, now)]
    actions = [action for node in nodes for action in possible_actions(mind, node)]
    return sorted({action.name for action in actions if LEISURE & {need for need, points in action.fills if points > 0}})
