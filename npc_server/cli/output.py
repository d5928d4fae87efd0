"""Everything the commands print goes through here: names and words out of files and saves can steer no terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from npc_server.visible import STEERING, visible


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
