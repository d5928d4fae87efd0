"""Everything that commands print goes through here. Control characters in names and texts of files and saves never reach the terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import rich.console
import structlog
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from npc_server import clock
from npc_server.records import GameTime
from npc_server.visible import STEERING, visible

BAR = 5
"""Width of a bar, in characters."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def say(text: object = "", *, end: str = "\n", err: bool = False) -> None:
    """Prints a text to stdout, or to stderr if `err` is set."""
    print(visible(str(text)), end=end, file=sys.stderr if err else sys.stdout, flush=end != "\n")


class Console(rich.console.Console):
    """Rich's console without markup. It spells out control characters, so that no text can control the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control is None and STEERING.search(segment.text):
                yield Segment(visible(segment.text), segment.style)
            else:
                yield segment


def log_to(stream: TextIO | None = None, level: int = logging.WARNING) -> None:
    """Sends the log to a stream (the default is stderr), so that stdout holds only the answer of the command."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Each line looks up `sys.stderr` anew, because a program that runs a command inside itself may replace it for a while.
        logger_factory=lambda *_: structlog.PrintLogger(stream or sys.stderr),
    )


def tell_of_model(problem: str, instead: str = "The people live by instinct.") -> None:
    """Prints to stderr why there is no model. Prints nothing if `problem` is empty."""
    if problem:
        say(f"npc-server: {problem} {instead}", err=True)


def tell_of_choice(told: str) -> None:
    """Prints to stderr which model was chosen and what it is asked (`EngineStatus.told`). Prints nothing if that is empty."""
    if told:
        say(f"npc-server: {told}", err=True)


def moment(at: GameTime) -> str:
    """Formats a game time like `Monday 4 May, 10:30`."""
    return f"{clock.date(at)}, {clock.hhmm(at)}"


def bar(value: float) -> str:
    """Draws a value from 0 to 1 as a bar of `BAR` characters."""
    eighths = round(min(max(value, 0.0), 1.0) * BAR * 8)
    return (_EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")).ljust(BAR)
