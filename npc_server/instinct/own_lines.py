"""The lines of a persona that fit the place and the hour of a talk."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.mind.mind import Mind
from npc_server.mind.places import room_of
from npc_server.records import GameTime, Talk
from npc_server.world.tree import lies_in


def fitting(mind: Mind, talk: Talk, lines: Sequence[str]) -> list[str]:
    """Those of the persona's own `lines` that fit where the talk is, and its hour. A place that is an object means its room."""
    only, now = mind.persona.voice.only, hour_of(talk)

    def fits(line: str) -> bool:
        named = [it for it in only if it.line == line]
        return not named or any(it.is_at(now) and (not it.where or lies_in(talk.place, room_of(mind.world, it.where))) for it in named)

    return [line for line in lines if fits(line)]


def hour_of(talk: Talk) -> GameTime:
    """When the last line of a talk was said, or when it began."""
    return talk.lines[-1].at if talk.lines else talk.started
