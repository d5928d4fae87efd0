"""Everything the commands print goes through here: names and words out of files and saves can steer no terminal."""

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
"""Characters of a bar."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def say(text: object = "", *, end: str = "\n", err: bool = False) -> None:
    """Prints a text, on standard error where `err` is set."""
    print(visible(str(text)), end=end, file=sys.stderr if err else sys.stdout, flush=end != "\n")


class Console(rich.console.Console):
    """Rich's console, where a text can neither steer the terminal nor bring Rich's own markup."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control is None and STEERING.search(segment.text):
                yield Segment(visible(segment.text), segment.style)
            else:
                yield segment


def log_to(stream: TextIO | None = None, level: int = logging.WARNING) -> None:
    """Sends the log to a stream, stderr where left out: what a command prints is its answer alone."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # What stderr is, is asked at each line: whoever runs a command in a program of its own puts another there, and back.
        logger_factory=lambda *_: structlog.PrintLogger(stream or sys.stderr),
    )


def tell_of_model(problem: str, instead: str = "The people live by instinct.") -> None:
    """Says on stderr why there is no model; nothing where there is no problem."""
    if problem:
        say(f"npc-server: {problem} {instead}", err=True)


def moment(at: GameTime) -> str:
    """`Monday 4 May, 10:30`."""
    return f"{clock.date(at)}, {clock.hhmm(at)}"


def bar(value: float) -> str:
    """`BAR` characters, filled from the left in eighths."""
    eighths = round(min(max(value, 0.0), 1.0) * BAR * 8)
    return (_EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")).ljust(BAR)
