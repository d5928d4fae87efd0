"""Asks once what stays of a talk of several, in place of a question about each of the others (AGA, section 3.2).

The lines of a talk are most of such a question. Whoever talks with three people would read them three times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from npc_server.llm.reply import one
from npc_server.mind import relationships
from npc_server.mind.ask import Answer, ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import InTheRound, TalkRound, in_the_round
from npc_server.mind.retrieve import memory_line
from npc_server.records import GameTime, Memory, Talk

QUESTION = "talk_round"


def in_one_question(mind: Mind, others: Sequence[str]) -> bool:
    """Whether one question asks about all of these people."""
    asks = mind.answerer.asks(QUESTION) and mind.answerer.asks("talk_over")
    return len(others) > 1 and relationships.kept_by(mind) and asks


async def ask_round(
    mind: Mind,
    talk: Talk,
    plain: Mapping[str, InTheRound],
    by_instinct: TalkRound,
    unseen: Sequence[Memory],
    earlier: str,
    now: GameTime,
    wrong: Callable[[TalkRound], str],
) -> Answer[TalkRound]:
    """What stays of the lines of `talk`. `plain` has what instinct says of each of the others, by id; people are answered by first names.

    `earlier` tells what the lines before were about. `wrong` says what is wrong with an answer.
    """
    names = first_names(mind, list(plain))
    known = set(names.values())

    def check(it: TalkRound) -> str:
        missing = known - {person.person for person in it.person}
        return f"has no line for {sorted(missing)[0]}" if missing else wrong(it)

    return await ask(
        mind,
        QUESTION,
        one(TalkRound, person=in_the_round(list(names.values()))),
        lambda: replace(by_instinct, person=tuple(replace(it, person=names[other]) for other, it in plain.items())),
        now,
        max_tokens=140 + 180 * len(names),
        others=list(names.values()),
        between=[relationships.line(mind, other) for other in plain],
        unseen=[memory_line(mind, memory, now) for memory in unseen],
        earlier=earlier,
        dialogue=mind.dialogue(talk.lines),
        check=None if mind.tools.engine.status().stands_in else check,
    )


def first_names(mind: Mind, others: Sequence[str]) -> dict[str, str]:
    """By what name each of the others is answered: the first name, or the whole one where two share it."""
    firsts = [mind.people.first_name_of(other) for other in others]
    return {other: first if firsts.count(first) == 1 else mind.people.name_of(other) for other, first in zip(others, firsts, strict=True)}
