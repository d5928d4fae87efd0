"""A plot of who is close to whom in a town."""

from __future__ import annotations

import math
from pathlib import Path

from npc_eval.plot import new_figure, write
from npc_server.mind import relationships
from npc_server.prompts.load import one_line
from npc_server.session.inspect_save import SavedMinds

CLOSEST = 10
INCHES = 9
SIDE = 0.1
"""Horizontal distance from the middle, from which on a name stands beside its point."""
Point = tuple[float, float]


def ties(minds: SavedMinds) -> dict[tuple[str, str], tuple[int, int]]:
    """For each pair of people the closeness of the first to the second, and of the second to the first; without strangers."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    ids = list(minds.agents)
    for i, one in enumerate(ids):
        for other in ids[i + 1 :]:
            there = relationships.closeness(minds.agents[one].mind, other)
            back = relationships.closeness(minds.agents[other].mind, one)
            if there or back:
                found[one, other] = there, back
    return found


def draw(minds: SavedMinds, file: Path) -> None:
    """People on a circle; the thicker and darker a line, the closer the two. Raises BadInput when the file cannot be written."""
    figure = new_figure(INCHES, INCHES)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-1.5, 1.5)
    axes.set_ylim(-1.5, 1.5)
    at = circle(list(minds.agents))
    for (one, other), both in sorted(ties(minds).items(), key=lambda it: sum(it[1])):
        share = sum(both) / (2 * CLOSEST)
        axes.plot(*zip(at[one], at[other], strict=True), color="tab:blue", linewidth=0.5 + 4 * share, alpha=0.15 + 0.75 * share, zorder=1)
    for npc, (x, y) in at.items():
        axes.plot(x, y, "o", color="black", zorder=2)
        # Names come from files. A dollar sign in one must not begin a formula.
        name = one_line(minds.agents[npc].mind.persona.name).replace("$", r"\$")
        side = "left" if x > SIDE else "right" if x < -SIDE else "center"
        axes.text(1.06 * x, 1.06 * y, name, ha=side, va="center" if side != "center" else "bottom" if y > 0 else "top")
    figure.suptitle(f"Who is close to whom, {minds.town}", fontweight="bold")
    figure.supxlabel("0 stranger (no line), 3 acquaintance, 5 co-worker, 8 close friend, 10 married; the mean of both sides")
    write(figure, file)


def circle(people: list[str]) -> dict[str, Point]:
    """Positions on a circle, the first person at the top, the others clockwise."""
    turns = {npc: math.pi / 2 - 2 * math.pi * i / len(people) for i, npc in enumerate(people)}
    return {npc: (math.cos(turn), math.sin(turn)) for npc, turn in turns.items()}
