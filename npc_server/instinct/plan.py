"""Planning without a model: the persona's routine as rows of a day, and as steps of an hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.english.text import ABOUT_THIS, clipped
from npc_server.instinct import act
from npc_server.mind.mind import Mind
from npc_server.mind.places import short
from npc_server.mind.replies import ACTIVITY_CHARS, PART_CHARS, DayRow, StepRow
from npc_server.mind.surroundings import NOTHING, meant_action
from npc_server.personas import routine
from npc_server.records import GameTime, Memory
from npc_server.world.tree import Node, NodeKind

_AT_LEISURE = frozenset().union(
    *map(stems_of, ("rest", "relax", "leisure", "stroll", "wander", "walk", "spend", "free", "idle", "sit", "read"))
)


def plan_day(mind: Mind, day: GameTime, rows: tuple[int, int], strokes: tuple[int, int], crossing: Sequence[Memory]) -> tuple[DayRow, ...]:
    """The reply to the prompt `plan_day`, from the routine. Long stretches are split when there are too few rows or parts.

    `rows` and `strokes` are the least and the most of each. Memories that cross the mind fill free stretches.
    """
    low, high = rows
    wishes = [clipped(_activity(mind, memory), ACTIVITY_CHARS) for memory in crossing]
    found = routine.strokes(mind.persona, day, high)
    while len(found) < low:
        found = _split_longest(found)
    broad = routine.strokes(mind.persona, day, strokes[1])
    while len(broad) < strokes[0]:
        broad = _split_longest(broad)
    names = _different([stroke.text for stroke in broad])
    free = [i for i, stretch in enumerate(found) if _is_free(stretch.text)]
    for i, wish in zip(free, wishes, strict=False):
        found[i] = replace(found[i], text=wish)
    made: list[DayRow] = []
    for stretch in found:
        part = max(i for i, stroke in enumerate(broad) if stroke.start <= stretch.start)
        made.append(DayRow(stretch.start % clock.DAY, names[part], clipped(stretch.text, ACTIVITY_CHARS, "resting")))
    return tuple(made)


def plan_steps(
    mind: Mind, stretch: routine.Stretch, offered: Sequence[Node], start: GameTime, end: GameTime, count: tuple[int, int], failed: str
) -> tuple[StepRow, ...]:
    """The reply to the prompts `plan_steps` and `replan`, from the routine. `count` is the least and the most of rows."""
    longest, shortest = mind.settings.step_minutes_max, mind.settings.step_minutes_min
    rows: list[StepRow] = []
    for piece in routine.steps(stretch, start, end, longest):
        text = "taking a short rest" if failed and piece.text == failed else piece.text
        node = act.choose_place(offered, piece.where) if offered else None
        action = meant_action(mind, node, text) if node else None
        place = short(mind.world, node.address) if node else ""
        row = StepRow(longest, clipped(text, ACTIVITY_CHARS, "resting"), place, action.name if action else NOTHING, act.emoji(text))
        minutes = max(1, (piece.end - piece.start) // clock.MINUTE)
        rows += [replace(row, minutes=part) for part in _portions(minutes, shortest, longest)]
    low, high = count
    while len(rows) > high:
        i = min(range(len(rows) - 1), key=lambda k: rows[k].minutes + rows[k + 1].minutes)
        rows[i : i + 2] = [replace(rows[i], minutes=min(longest, rows[i].minutes + rows[i + 1].minutes))]
    return tuple(rows + [rows[-1]] * (low - len(rows)))


# ---- parts


def _is_free(text: str) -> bool:
    """Whether an activity leaves room for another."""
    return bool(stems_of(text) & _AT_LEISURE)


def _activity(mind: Mind, memory: Memory) -> str:
    if memory.subject in mind.world and mind.world.node(memory.subject).kind is NodeKind.OBJECT:
        node = mind.world.node(memory.subject)
        does = next((action.name for action in node.actions if not action.needs), f"look at the {node.name}")
        return f"{does} at {mind.world.describe(node.address)}"
    if memory.subject in mind.people.names.values() and memory.subject != mind.persona.name:
        topic = memory.object.strip(" .") if memory.object else ""
        return f"look for {memory.subject}" + (f" and talk about {topic}" if topic else "")
    return f"sit and think{ABOUT_THIS}{memory.text.rstrip('.')}"


def _portions(minutes: int, shortest: int, longest: int) -> list[int]:
    """Minutes in portions of at most `longest`, none under `shortest`."""
    count = max(1, -(-minutes // longest))
    return [max(shortest, minutes // count + (1 if i < minutes % count else 0)) for i in range(count)]


def _split_longest(found: list[routine.Stretch]) -> list[routine.Stretch]:
    i = max(range(len(found)), key=lambda k: (found[k].end - found[k].start, -k))
    whole = found[i]
    middle = whole.start + (whole.end - whole.start) // 2 // clock.MINUTE * clock.MINUTE
    return [*found[:i], replace(whole, end=middle), replace(whole, start=middle), *found[i + 1 :]]


def _different(names: Sequence[str]) -> list[str]:
    """Names of parts of a day, none the same as the one before it."""
    found: list[str] = []
    for name in names:
        fresh = clipped(name, PART_CHARS - 8, "resting")
        found.append(f"more {fresh}" if found and found[-1].casefold() == fresh.casefold() else fresh)
    return found
