"""A judge reads both answers to a line, in a random order, and says which is better, which make sense and which are wrong."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

from npc_eval.preference.files import PlayedLines, Side, TalksFile, Verdict
from npc_eval.prompts import PROMPTS
from npc_server import clock
from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Engine, Request
from npc_server.llm.reply import Choice, one
from npc_server.personas.schema import Persona
from npc_server.prompts.load import Prompts, Trusted
from npc_server.sandbox.towns import cast_with

PROMPT = "prefer_answer"
REPLY_TOKENS = 64
AT_ONCE = 8
"""Lines that are judged at the same time."""
YES, NO, SAME = "yes", "no", "same"
LETTERS = "AB"


@dataclass(frozen=True)
class JudgedPair:
    """The judge's reply."""

    better: Annotated[str, Choice((*LETTERS, SAME))]
    a_makes_sense: Annotated[str, Choice((YES, NO))]
    b_makes_sense: Annotated[str, Choice((YES, NO))]
    a_is_wrong: Annotated[str, Choice((YES, NO))]
    b_is_wrong: Annotated[str, Choice((YES, NO))]


@dataclass(frozen=True)
class Pair:
    """One line of a talk with its two answers. `swapped` says that the second file's answer is shown as A."""

    talk: int
    line: int
    swapped: bool


def pairs(one_: TalksFile, other: TalksFile, seed: int) -> Iterator[Pair]:
    """All lines on which the answers differ, each with a random order. The two files hold the same lines."""
    for talk, (first, second) in enumerate(zip(one_.talks, other.talks, strict=True)):
        for line, (a, b) in enumerate(zip(first.lines, second.lines, strict=True)):
            if a.answer != b.answer:
                yield Pair(talk, line, random.Random(f"{seed} {talk} {line}").random() < 0.5)


async def judged(
    engine: Engine, one_: TalksFile, other: TalksFile, chosen: list[Pair], done: Callable[[], None]
) -> tuple[list[Verdict], int]:
    """The verdicts, and the number of lines without one. Raises the engine's error where there is not one verdict."""
    gate = asyncio.Semaphore(AT_ONCE)
    failed: list[EngineError] = []
    prompts, reply = Prompts([PROMPTS]), one(JudgedPair)

    async def asked(pair: Pair) -> Verdict | None:
        sides = (one_.talks[pair.talk], other.talks[pair.talk])
        values = {**_values(sides[::-1] if pair.swapped else sides, pair.line), "format": Trusted(reply.format_text())}
        shown = prompts.render(PROMPT, values)
        async with gate:
            try:
                for attempt in (0, 1):
                    request = Request(
                        shown.part("system"), shown.part("user"), reply, attempt, sides[0].to, PROMPT,
                        max_tokens=REPLY_TOKENS, temperature=float(attempt),
                    )  # fmt: skip
                    try:
                        return verdict(pair, reply.parse((await engine.complete(request)).text))
                    except ReplyUnreadable as error:
                        problem: EngineError = error
                failed.append(problem)
            except EngineError as error:
                failed.append(error)
            finally:
                done()
        return None

    found = [it for it in await asyncio.gather(*map(asked, chosen)) if it is not None]
    if not found and failed:
        raise failed[0]
    return found, len(failed)


def verdict(pair: Pair, reply: JudgedPair) -> Verdict:
    """Turns a reply about A and B into a verdict about the first and the second file."""
    sense, wrong = [(a == YES, b == YES) for a, b in ((reply.a_makes_sense, reply.b_makes_sense), (reply.a_is_wrong, reply.b_is_wrong))]
    names: tuple[Side, Side] = ("second", "first") if pair.swapped else ("first", "second")
    better: Side = "same" if reply.better == SAME else names[LETTERS.index(reply.better)]
    if pair.swapped:
        sense, wrong = sense[::-1], wrong[::-1]
    return Verdict(talk=pair.talk, line=pair.line, better=better, makes_sense=sense, contradicts=wrong)


def _values(sides: tuple[PlayedLines, ...], last: int) -> dict[str, object]:
    talk = sides[0]
    cast, npc = cast_with(talk.town, talk.to)
    at = clock.parse_datetime(talk.at)
    shown = [{"letter": letter, "lines": _spoken(side, last)} for letter, side in zip(LETTERS, sides, strict=True)]
    return {
        "description": sheet(next(person for person in cast.people if person.id == npc), at),
        "at": f"{clock.date(at)}, {clock.hhmm(at)}", "name": talk.name, "player": talk.player, "sides": shown,
    }  # fmt: skip


def _spoken(talk: PlayedLines, last: int) -> list[str]:
    return [text for it in talk.lines[: last + 1] for text in (f"{talk.player}: {it.said}", f"{talk.name}: {it.answer}")]


def sheet(persona: Persona, at: int) -> str:
    """What a judge knows of a person: what stands in the persona file, and the routine of the day."""
    routine = "; ".join(
        f"{clock.hhmm(clock.day_start(at) + item.at)} {item.text}" for item in persona.routine_on(clock.to_datetime(at).weekday())
    )
    parts = (
        f"{persona.name}, {persona.age}, is {', '.join(persona.traits)}.", persona.identity, persona.currently, persona.lifestyle,
        f"Usual day: {routine}." if routine else "",
        f"Secrets: {' '.join(persona.secrets)}" if persona.secrets else "",
        f"Manner: {persona.voice.style}" if persona.voice.style else "",
    )  # fmt: skip
    return "\n".join(part for part in parts if part)
