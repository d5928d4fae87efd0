"""Converse: line by line, each conditioned on what the speaker remembers of the others and on the dialogue so far.

Generative Agents, section 4.3.2. How a line is answered is in `lines`, and what stays of a talk in `remember_talk`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.lines.answer import answer
from npc_server.lines.context import NextLine
from npc_server.llm.engine import OnText
from npc_server.llm.reply import one
from npc_server.mind import relationships
from npc_server.mind.ask import ask
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.mind.replies import Willing
from npc_server.mind.retrieve import as_lines, for_prompt
from npc_server.records import GameTime, NpcId, Source, Talk


async def listen(mind: Mind, who: str, now: GameTime, *, hurried: bool) -> tuple[bool, Source]:
    """Whether an NPC that is spoken to has time. Without a model, it declines when it is in a hurry, and at times to strangers."""

    def plain() -> Willing:
        return mind.instinct.listen(mind, who, now, hurried=hurried)

    sure = mind.settings.uses("calm_reactions") and (hurried or not _wary(mind, who))
    if sure or mind.answerer.reference:  # the reference does not ask whoever is spoken to
        return plain() == Willing("yes"), Source.INSTINCT
    with_social = relationships.kept_by(mind)
    found = [] if with_social else await for_prompt(mind, "listen", f"{mind.people.name_of(who)} and {mind.persona.first_name}", now, 8)
    asked = await ask(
        mind,
        "listen",
        one(Willing),
        plain,
        now,
        max_tokens=8,
        other=mind.people.name_of(who),
        between=relationships.line(mind, who, named=True) if with_social else "",
        memories=as_lines(mind, found, now),
        hurried=hurried,
        doing=moment(mind, now, hours=0).doing,
    )
    return asked.value.answer == "yes", asked.source


def _wary(mind: Mind, who: str) -> bool:
    """Whether the NPC knows the other and is not close to them. Then no rule is sure what it wants."""
    kept = relationships.of(mind, who)
    return kept.relation != relationships.STRANGER and kept.closeness < relationships.MET


async def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: Told,
    *,
    about: str = "",
    last_words: bool = False,
    present: Sequence[NpcId] | None = None,
    on_text: OnText | None = None,
) -> Said:
    """The next line.

    `about` is why the speaker wanted to talk, and `last_words` tells it that it has to go now. `present` are those who stand by; None if
    that is not known. `on_text` hears the line while it is written, and the line begins with what it heard.
    """
    return await answer(mind, NextLine(talk, about, last_words, now), told, present=present, on_text=on_text)


async def repeats(mind: Mind, talk: Talk, text: str, source: Source) -> bool:
    """Whether a line says what somebody said in this conversation already (loop detection by embedding).

    Lines that no model wrote were written by people. Their meanings are not compared: in a day of Alderwick none of 1,321 repeated another.
    """
    said = [line.text for line in talk.lines]
    if text.casefold() in (line.casefold() for line in said):
        return True
    if not said or source is not Source.MODEL:
        return False
    rows = await mind.tools.embedder.embed([text, *said])
    return bool(np.max(rows[1:] @ rows[0]) > mind.settings.repeat_similarity)
