"""The one door for a line: who speaks, what memory and the bank have beside it, and which of them is said."""

from __future__ import annotations

import time
from collections.abc import Sequence

from npc_server.lines.aptness import apt
from npc_server.lines.by_question import line_by_question
from npc_server.lines.chat_line import line_in_chat
from npc_server.lines.context import NextLine
from npc_server.lines.first_word import first_word
from npc_server.lines.known import KnownLine, known_line
from npc_server.llm import own_lines
from npc_server.llm.engine import OnText
from npc_server.mind.answerer import Speaker
from npc_server.mind.asked import free_of_charge
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.records import AnsweredBy, NpcId

SAY = "say"
"""How a line is named among the questions."""


async def answer(mind: Mind, turn: NextLine, told: Told, *, present: Sequence[NpcId] | None = None, on_text: OnText | None = None) -> Said:
    """Return the next line of a talk, with who answered.

    A player hears what memory and the bank have where the model finds that it fits what was heard (`lines.aptness`), and where it gives no
    line that can be used. Beside a model that cannot say so, or is no step up, their line must be likelier to be good than one of its own.
    Among themselves people tell their news as instinct has it: the bank knows no news. What memory and the bank have is ready before the
    model is asked, and all of it has one deadline (`lines.first_word`). `on_text` hears a model's words while they are written; all other
    lines come whole.
    """
    speaker = mind.answerer.speaker
    if speaker is Speaker.BY_QUESTION:
        return await line_by_question(mind, turn, told, present, on_text)
    by, began = first_word(mind), time.perf_counter()
    known = await known_line(mind, turn, told, present or ())
    if speaker is Speaker.IN_CHAT and (known is None or not _is_better(mind, known)):
        beside = known.said.text if known is not None and known.chance >= apt().chance else ""
        of_model = await line_in_chat(mind, turn, told, present or (), on_text, by=by, beside=beside)
        if of_model is not None:
            return of_model
    said = known.said if known else await mind.instinct.say(mind, turn.talk, turn.now, told, turn.about, last_words=turn.last_words)
    mind.tally.count(said.source)
    _keep(mind, turn, said, known, (time.perf_counter() - began) * 1000)
    return said


def _keep(mind: Mind, turn: NextLine, said: Said, known: KnownLine | None, wall_ms: float) -> None:
    """Keeps a line that the model did not say, for whoever looks into the mind."""
    lines = turn.talk.lines
    heard = lines[-1].text if lines and lines[-1].speaker != mind.npc else ""
    by = AnsweredBy(known.maker.value) if known else AnsweredBy.INSTINCT
    mind.tools.asked.add_line(free_of_charge(mind.npc, SAY, turn.now, wall_ms), by, heard, said.text)


def _is_better(mind: Mind, known: KnownLine) -> bool:
    """Whether a line needs no look of the model: what was asked for or seen.

    Beside a model that cannot read it, or whose own lines are worse than those of memory and the bank, the likelier one is said.
    """
    status = mind.tools.engine.status()
    return known.chance >= (1.0 if status.scores and own_lines.is_step_up(status.own_lines) else status.own_lines)
