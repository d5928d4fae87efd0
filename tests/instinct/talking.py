"""Mara in a talk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_eval.topics import topic_of
from npc_server.instinct import small_talk
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.personas.voice import Voice
from npc_server.records import Line, Memory, MemoryKind, MemorySource, Talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
VOICE = Voice(
    greetings=("Morning, love.",), farewells=("Mind yourself.",), smalltalk=("The plums are early.",), dont_know=("That I have not heard.",)
)


def talk(*lines: tuple[str, str], claims: tuple[str, ...] | None = None) -> Talk:
    spoken = [Line(who, text, MORNING) for who, text in lines]
    if claims is not None:
        spoken[-1] = replace(spoken[-1], claims=claims)
    return Talk("t", ("mara_voss", "tobin_hale"), "millbrook:lane:square", MORNING, tuple(spoken))


async def knows(mind: Mind, text: str, importance: int, **more: object) -> Memory:
    given = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, "at": MORNING - 3600, **more}
    return (await mind.remember([text], importance=[importance], topics=[topic_of(text)], **given))[0]  # type: ignore[arg-type]


@pytest.fixture
def mind(make_mind: MakeMind) -> Mind:
    found = make_mind()
    found.persona = replace(found.persona, voice=VOICE)
    return found


def said(mind: Mind, talk: Talk, told: Told = frozenset()) -> Said:
    return small_talk.say(mind, talk, MORNING, told)
