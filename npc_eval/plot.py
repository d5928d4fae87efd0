"""Helpers for plots that commands draw, with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from npc_server.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".png", ".svg", ".pdf")
DPI = 120


def check(file: Path) -> None:
    """Checks that a plot can be written, before any work is done. Raises BadInput."""
    if file.suffix.lower() not in KINDS:
        raise BadInput(f"A plot cannot be written to {str(file)!r}.", f"Give a name that ends in {', '.join(KINDS)}.", plot=file)
    if not file.absolute().parent.is_dir():
        raise BadInput(f"There is no folder {str(file.absolute().parent)!r}.", "Create it first, or choose another place.", plot=file)


def new_figure(width: float, height: float) -> Figure:
    """Makes an empty figure. Width and height are in inches."""
    # pyplot is not used, because it looks for a display and keeps every figure.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write(figure: Figure, file: Path) -> None:
    """Writes the figure to a file. Raises BadInput if that fails."""
    try:
        figure.savefig(file, dpi=DPI)
    except OSError as error:
        raise BadInput(f"The plot cannot be written to {str(file)!r}: {error.strerror}.", "Choose another place.", plot=file) from error
