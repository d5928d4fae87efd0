"""Revises the identity each morning as the reference's `revise_identity` does.

It asks what to remember for today's plan, how things feel and what is current. The reference's fourth question, what today requires, is
asked when the day is planned. Nothing is asked on the first day, and nothing after a reflection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_eval.baseline import day
from npc_server.english.text import clipped
from npc_server.llm.reply import Text, one
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import as_lines, for_prompt
from npc_server.records import GameTime, PlanLevel

STATEMENTS = 30
"""How many memories are retrieved for each of the two focal points."""


@dataclass(frozen=True)
class Note:
    note: Annotated[str, Text(300)]


async def revise(mind: Mind, plain: str, now: GameTime) -> None:
    """Renews `mind.currently`. `plain` is instinct's answer."""
    mind.identity.currently = mind.identity.currently or plain
    if day.is_first(mind) or mind.steps_of(PlanLevel.DAY, now):
        return
    first = mind.persona.first_name
    found = [
        *await for_prompt(mind, "ga_plan_note", f"{first}'s plan for today", now, STATEMENTS),
        *await for_prompt(mind, "ga_plan_note", f"Important recent events in {first}'s life", now, STATEMENTS),
    ]
    statements = list(dict.fromkeys(as_lines(mind, found, now)))
    plan = await _note(mind, "ga_plan_note", plain, now, memories=statements)
    thought = await _note(mind, "ga_thought_note", f"{first} takes things as they come.", now, memories=statements)
    mind.identity.currently = await _note(mind, "ga_currently", plain, now, notes=[plan, thought], before=mind.identity.currently)


async def _note(mind: Mind, question: str, plain: str, now: GameTime, **values: object) -> str:
    answer = await ask(
        mind,
        question,
        one(Note),
        lambda: Note(clipped(plain, 300, "Nothing special.")),
        now,
        check=None,
        tidy=None,
        max_tokens=110,
        aloud=None,
        may_wait=False,
        **values,
    )
    return answer.value.note
