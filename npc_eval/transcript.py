"""Tells a played day as text that is a pleasure to read: one line for each deed, spoken line and thought, grouped by hour.

Deeds, thoughts and plans are read from the save, and spoken lines come from the report, because nobody remembers every word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_eval.society.measures import Life, read
from npc_server import clock
from npc_server.english.text import PROMISED
from npc_server.memory import social
from npc_server.memory.actions import ActionRecord
from npc_server.memory.database import reading
from npc_server.mind import appointments
from npc_server.records import (
    Address,
    GameTime,
    Memory,
    MemoryKind,
    NpcId,
    OutcomeStatus,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
    Social,
    Source,
    Speech,
)
from npc_server.world.tree import NodeKind, World, lineage

THOUGHTS = {MemoryKind.REFLECTION: "thinks", MemoryKind.INTENTION: "means to do this"}
"""Kinds of memories that the transcript shows, and what each is called."""


@dataclass(frozen=True)
class _Row:
    """One line of the day."""

    at: GameTime
    text: str


def transcript(save: Path, speeches: Sequence[Speech]) -> str:
    """Returns the day of a finished save as Markdown."""
    town, lives = read(save)
    world = World(town.nodes() if town is not None else ())
    first = {life.persona.id: life.persona.first_name for life in lives}
    names = {life.persona.id: life.persona.name for life in lives}
    by_model = any(record.action.source is Source.MODEL for life in lives for record in life.actions)
    rows = [
        *(row for life in lives for row in _thoughts(life)),
        *(row for life in lives for row in _deeds(life, world, by_model)),
        *(_Row(it.at, f"**{first.get(it.npc, it.npc)}**{_to(it, first)}: “{it.text}”") for it in speeches),
    ]
    parts = [f"# A day in {town.name if town is not None else 'a town'}", *_hours(sorted(rows, key=lambda row: row.at))]
    with reading(save) as db:
        relations = {npc: social.load(db, npc) for npc in first}
    for life in lives:
        parts += _person(life, relations[life.persona.id], names, world)
    return "\n".join(parts) + "\n"


def _hours(rows: Iterable[_Row]) -> Iterator[str]:
    """The lines under a heading for each hour. A line without a time goes on where the one before it was."""
    day = hour = ""
    for row in rows:
        now = clock.hhmm(row.at)
        if clock.date(row.at) != day:
            day, hour = clock.date(row.at), ""
            yield f"\n## {day}"
        if now[:2] != hour:
            hour = now[:2]
            yield f"\n### {hour}:00\n"
        yield f"- {now} {row.text}"


def _deeds(life: Life, world: World, by_model: bool) -> Iterator[_Row]:
    """What was done. What was left for a talk and carried on afterwards is told once."""
    before = ""
    left: tuple[str, Address] | None = None
    for record in sorted(life.actions, key=lambda it: it.action.start):
        action = record.action
        is_left = record.ended is not None and record.outcome is None
        if is_left and record.ended == action.start:
            continue  # left in the moment in which it was begun, such as for a word at the door
        if not action.talks_with:
            what, was_left = (action.sentence, action.address), left
            left = what if is_left else None
            if what == was_left:
                continue  # carried on
        place = _place(world, action.address)
        by_instinct = " *(instinct)*" if by_model and action.source is Source.INSTINCT else ""
        text = f"{action.emoji} {_told(life, action.sentence)}{f' — {place}' if place != before else ''}{by_instinct}{_failure(record)}"
        before = place
        yield _Row(action.start, text)


def _told(life: Life, sentence: str) -> str:
    """The sentence with the name of who does it in bold."""
    first = life.persona.first_name
    return f"**{first}**{sentence[len(first) :]}" if sentence.startswith(first) else f"**{first}**: {sentence}"


def _failure(record: ActionRecord) -> str:
    return f" — could not: {record.reason}" if record.outcome is OutcomeStatus.FAILED else ""


def _thoughts(life: Life) -> Iterator[_Row]:
    for memory in life.memories:
        if memory.kind in THOUGHTS:
            yield _Row(memory.created, f"💭 **{life.persona.first_name}** {THOUGHTS[memory.kind]}: {memory.text}")
        elif _is_promise(memory):
            yield _Row(memory.created, f"🤝 {memory.text}")


def _is_promise(memory: Memory) -> bool:
    return memory.kind is MemoryKind.CONVERSATION and memory.predicate == PROMISED


def _to(speech: Speech, first: dict[NpcId, str]) -> str:
    return f" to {' and '.join(first.get(other, other) for other in speech.to)}" if speech.to else ""


def _place(world: World, address: Address) -> str:
    """The thing and the building, without the room between them: `oven, Kettle Café`."""
    named = [world.node(it) for it in lineage(address) if it in world]
    outer = [node for node in named if node.kind is not NodeKind.WORLD]
    return ", ".join(dict.fromkeys(node.name for node in (*outer[-1:], *outer[:1])))


def _person(life: Life, relations: Sequence[Social], names: dict[NpcId, str], world: World) -> list[str]:
    """What one person had planned, and how it stands with others."""
    parts = [f"\n## {life.persona.name}"]
    hours = sorted((step for step in life.steps if step.level is PlanLevel.HOUR), key=lambda step: step.start)
    if hours:
        parts += ["\nThe plan:\n", *(_step(step, world) for step in hours)]
    if relations:
        parts += ["\nThe others:\n", *(_relation(it, names) for it in sorted(relations, key=lambda it: it.other))]
    return parts


def _step(step: PlanStep, world: World) -> str:
    """An hour of the plan. That it was agreed with somebody, or did not come about, stands behind it."""
    agreed = "agreed" if step.origin is PlanOrigin.AGREED else ""
    place = _place(world, step.address) if agreed and step.address else ""
    failed = step.status.value if step.status in (PlanStatus.DROPPED, PlanStatus.FAILED) else ""
    notes = ", ".join(part for part in (agreed, place, failed) if part)
    return f"- {clock.hhmm(appointments.named_hour(step))} to {clock.hhmm(step.end)} {step.text}{f' ({notes})' if notes else ''}"


def _relation(it: Social, names: dict[NpcId, str]) -> str:
    told = " ".join(part for part in (it.feeling, it.between) if part)
    return f"- {names.get(it.other, it.other)}: {it.relation or 'nobody in particular'}, closeness {it.closeness} of 10. {told}".rstrip()
