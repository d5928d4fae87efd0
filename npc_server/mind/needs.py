"""Needs: they empty with game time and are filled by what one does (Humanoid Agents, arXiv 2310.05418).

What fills a need stands in data: an object's action says so in the town file. Talking and sleeping fill needs, too. Unknown activities
fill nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from npc_server.clock import HOUR
from npc_server.config import MindSettings
from npc_server.mind import mood
from npc_server.mind.surroundings import action_named
from npc_server.personas import routine
from npc_server.records import Action, Emotion, Feelings, GameTime, Need, Needs

if TYPE_CHECKING:
    from npc_server.mind.doing import Doing
    from npc_server.mind.mind import Mind

FULL = 10.0
UNKNOWN_S = HOUR
"""Game seconds after the end of an action for which needs empty. A game that skips days must not starve everybody."""
EMPTY_FEELS: Mapping[Need, Emotion] = {
    Need.FOOD: Emotion.ANGRY,
    Need.REST: Emotion.SAD,
    Need.COMPANY: Emotion.SAD,
    Need.FUN: Emotion.SAD,
    Need.HEALTH: Emotion.AFRAID,
}
"""What a need stirs when it becomes empty. The paper leaves this to its model."""
EMPTIED, RELIEVED = 4.0, 3.0
"""Strength of the emotion when a need becomes empty, and of the happiness when one that was low is filled."""
SATISFIED = 7.0
"""How well a need is met when an NPC stops filling it."""
WORDS: Mapping[Need, tuple[str, str]] = {
    Need.FOOD: ("hungry", "very hungry"),
    Need.REST: ("tired", "exhausted"),
    Need.COMPANY: ("lonely", "very lonely"),
    Need.FUN: ("bored", "very bored"),
    Need.HEALTH: ("unwell", "ill"),
}
"""How prompts name a need that is low, and one that is empty."""


def after(needs: Needs, seconds: int, empties: Mapping[Need, float], fills: Mapping[Need, float]) -> Needs:
    """The needs after game seconds of one activity. `empties` and `fills` are points per game hour; what fills does not empty."""
    hours = max(0, seconds) / HOUR
    changed = {need: needs.of(need) + hours * (fills[need] if need in fills else -empties.get(need, 0.0)) for need in Need}
    return Needs(**{need.value: round(min(FULL, max(0.0, value)), 4) for need, value in changed.items()})


def emptying(settings: MindSettings, *, asleep: bool) -> dict[Need, float]:
    """Points per game hour that each need loses."""
    share = settings.asleep_share if asleep else 1.0
    return {need: share * float(getattr(settings, f"{need.value}_per_hour")) for need in Need}


def live(mind: Mind, doing: Doing, now: GameTime) -> None:
    """Brings `mind.needs` up to `now`. `doing` is what the NPC has done since the last time."""
    began, mind.feelings.needs_at = mind.feelings.needs_at or now, now
    if not mind.settings.needs or now <= began:
        return
    asleep = doing.action is not None and not doing.talk and routine.is_asleep_at(mind.persona, began)
    fills = {Need.REST: mind.settings.sleep_fills, Need.HEALTH: mind.settings.sleep_heals} if asleep else filling(mind, doing)
    known = min(now, max(began, doing.action.end)) if doing.action is not None else began
    former = mind.feelings.needs
    mind.feelings.needs = after(former, known - began, emptying(mind.settings, asleep=asleep), fills)
    if now > known:
        mind.feelings.needs = after(mind.feelings.needs, min(now - known, UNKNOWN_S), emptying(mind.settings, asleep=False), {})
    _feel(mind, former, now)


def filling(mind: Mind, doing: Doing) -> dict[Need, float]:
    """Points per game hour that what is being done adds to each need."""
    action = doing.action
    if action is None:
        return {}
    if not doing.step:  # only a talk is no step of a plan
        return {Need.COMPANY: mind.settings.talk_fills}
    return fills_of(mind, action)


def fills_of(mind: Mind, action: Action) -> dict[Need, float]:
    """Points per game hour that the object's action adds, as its town file says."""
    node = mind.world.node(action.address) if action.address in mind.world else None
    found = action_named(node, action.object_action) if node is not None and action.object_action else None
    return dict(found.fills) if found is not None else {}


def is_low(mind: Mind, need: Need) -> bool:
    return mind.feelings.needs.of(need) < mind.settings.need_low


def is_empty(mind: Mind, need: Need) -> bool:
    return mind.feelings.needs.of(need) <= mind.settings.need_empty


def words(mind: Mind) -> list[str]:
    """What the NPC feels of its needs, most urgent first: `["very hungry", "tired"]`. Empty when all is well."""
    if not mind.settings.needs:
        return []
    low = sorted((need for need in Need if is_low(mind, need)), key=mind.feelings.needs.of)
    return [WORDS[need][is_empty(mind, need)] for need in low]


def news(mind: Mind, now: GameTime) -> list[Feelings]:
    """What the game is to be told: the feelings when they differ noticeably from what it was told last."""
    felt = mood.faded(mind.feelings.mood, now)
    shown = (felt.emotion, *(round(mind.feelings.needs.of(need)) for need in Need))
    if shown == mind.feelings.told:
        return []
    mind.feelings.told = shown
    return [Feelings(mind.npc, mind.feelings.needs, felt, now)]


def _feel(mind: Mind, former: Needs, now: GameTime) -> None:
    """Lets the mood follow the needs that became empty, or were filled after they were low."""
    for need in Need:
        before, value = former.of(need), mind.feelings.needs.of(need)
        if before > mind.settings.need_empty >= value:
            mind.feelings.mood = mood.stirred(mind.feelings.mood, EMPTY_FEELS[need], EMPTIED, now)
        elif before < SATISFIED <= value and before < mind.settings.need_low:
            mind.feelings.mood = mood.stirred(mind.feelings.mood, Emotion.HAPPY, RELIEVED, now)
