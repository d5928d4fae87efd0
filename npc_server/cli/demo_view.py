"""Draws the town in the terminal: a map, the people beside it, and what happened below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.layout import Layout
from rich.live import Live as Screen
from rich.panel import Panel
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from npc_server.clock import date, hhmm
from npc_server.records import NpcId
from npc_server.sandbox.scene import Scene, ScenePerson, line_text
from npc_server.world.floor import Surface
from npc_server.world.town_records import Cell

DRAW_S = 0.1
"""Least wall seconds between two drawings of the screen."""
COLOURS = ("#ff7a6b", "#6ab4ff", "#ffd75f", "#d79bff", "#5fe0d0", "#a5e65a", "#f0f0f0")
_GROUND = {
    Surface.GROUND: "#2f4a2c",
    Surface.PATH: "#8a7a5c",
    Surface.OPEN: "#3c6136",
    Surface.WALL: "#4a4550",
    Surface.ROOM: "#b9ab94",
    Surface.DOOR: "#d08b3e",
    Surface.THING: "#7d6248",
}
_SOLID = (Surface.WALL, Surface.THING)


class TownMap:
    """Draws the map for Rich. A line of text shows two rows of cells. Without colours only walls and things are drawn."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._grid = scene.world.grid
        places = scene.world.town.places
        self.left = max(min(place.rect[0] for place in places) - 1, 0)
        self.right = min(max(place.rect[0] + place.rect[2] for place in places) + 1, scene.world.town.width)
        top = max(min(place.rect[1] for place in places) - 1, 0)
        self.top = top - top % 2
        self.bottom = min(max(place.rect[1] + place.rect[3] for place in places) + 1, scene.world.town.height)
        self.width = self.right - self.left
        self.height = (self.bottom - self.top + 1) // 2
        self._labels = self._names()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        plain = console.color_system is None
        people = self._initials()
        for line in range(self.height):
            y = self.top + 2 * line
            for x in range(self.left, self.right):
                upper, lower = self._grid.floor[(x, y)], self._grid.floor[(x, y + 1)]
                yield self._cell(x - self.left, line, upper, lower, people, plain)
            yield Segment.line()

    def _cell(
        self, column: int, line: int, upper: Surface, lower: Surface, people: dict[tuple[int, int], tuple[str, str]], plain: bool
    ) -> Segment:
        if (column, line) in people:
            letter, colour = people[(column, line)]
            return Segment(letter, Style(color="black", bgcolor=colour, bold=True))
        if (column, line) in self._labels:
            return Segment(self._labels[(column, line)], Style(color="#ece4d4", bgcolor=_GROUND[Surface.WALL], bold=True))
        if plain:
            return Segment({(True, True): "█", (True, False): "▀", (False, True): "▄"}.get((upper in _SOLID, lower in _SOLID), " "))
        return Segment("▀", Style(color=_GROUND[upper], bgcolor=_GROUND[lower]))

    def _initials(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Finds a spot for the first letter of each person. If two share a cell, the second letter goes beside the first."""
        found: dict[tuple[int, int], tuple[str, str]] = {}
        for npc, body in self._scene.world.bodies.items():
            spot = self._spot(body.cell)
            while spot in found and spot[0] < self.width - 1:
                spot = (spot[0] + 1, spot[1])
            found[spot] = (body.name[:1].upper(), colour_of(self._scene, npc))
        return found

    def _spot(self, cell: Cell) -> tuple[int, int]:
        return cell[0] - self.left, (cell[1] - self.top) // 2

    def _names(self) -> dict[tuple[int, int], str]:
        """Places the names of buildings into their upper walls. A name that is too long is left out."""
        found: dict[tuple[int, int], str] = {}
        for place in self._scene.world.town.places:
            name, room = place.name.removeprefix("the "), place.rect[2]
            while " " in name and len(name) > room:
                name = name.rpartition(" ")[0]
            if place.open or cell_len(name) != len(name) or len(name) > room:
                continue
            start = place.rect[0] - self.left + (room - len(name)) // 2
            line = (place.rect[1] - self.top) // 2
            found.update({(start + i, line): letter for i, letter in enumerate(name)})
        return found


def colour_of(scene: Scene, npc: NpcId) -> str:
    names = list(scene.people)
    return COLOURS[names.index(npc) % len(COLOURS)] if npc in names else "white"


def render(scene: Scene, width: int, height: int) -> Layout:
    """Draws the whole screen for a terminal of this size, in characters."""
    picture = TownMap(scene)
    fits = picture.width + 26 <= width and picture.height + 6 <= height
    body_height = picture.height if fits else max(height - 8, 3)
    layout = Layout()
    layout.split_column(
        Layout(_header(scene, width), size=1),
        Layout(name="body", size=body_height),
        Layout(_log(scene, height - body_height - 4), name="log"),
        Layout(_footer(scene), size=1),
    )
    people = _people(scene, width - (picture.width + 2 if fits else 0), body_height)
    if fits:
        layout["body"].split_row(Layout(picture, size=picture.width), Layout(Text(" "), size=2), Layout(people))
    else:
        layout["body"].update(people)
    return layout


def _header(scene: Scene, width: int) -> Text:
    now = scene.world.now
    bar = Text(f" {scene.world.town.name}  {date(now)}, {hhmm(now)}  ", style="bold")
    bar.append(_who_thinks(scene).rjust(width - bar.cell_len), style="not bold dim")
    bar.truncate(width, overflow="ellipsis")
    return bar


def _who_thinks(scene: Scene) -> str:
    """Which share of all questions was answered by whom: `qwen3-1.7b 40 %, chosen 10 %, policies 5 %, instinct 45 % `."""
    model = scene.model or "no model"
    counts = {
        model: scene.model_answers,
        "chosen": scene.chosen_answers,
        "policies": scene.policy_answers,
        "instinct": scene.instinct_answers,
    }
    every = max(1, sum(counts.values()))
    return ", ".join(f"{name} {count / every:.0%}".replace("%", " %") for name, count in counts.items()) + " "


def _people(scene: Scene, width: int, height: int) -> Group:
    each = max(height // max(len(scene.people), 1), 1)
    parts: list[Text] = []
    for person in list(scene.people.values())[: max(height // each, 1)]:
        parts += _person(scene, person, width, each)
    return Group(*parts)


def _person(scene: Scene, person: ScenePerson, width: int, height: int) -> list[Text]:
    """Draws a person in at most `height` lines: name, action, place, and words or thought."""
    colour = colour_of(scene, person.npc)
    emoji = plain(person.action.emoji) if person.action is not None else ""
    head = Text(f" {person.name[:1]} ", style=f"bold black on {colour}")
    head.append(f" {person.name} {emoji}", style=f"bold {colour} on default")
    if height == 1:
        head.append(f" {scene.doing(person)}", style="default on default")
    head.truncate(width, overflow="ellipsis")
    lines = [head]
    room = height - 1
    blocks = [(scene.doing(person), "default", 2), (_place_line(scene, person), "dim", 1)]
    if said := scene.saying(person):
        blocks.insert(1, (f"“{said}”", f"italic {colour}", 2))
    elif person.thought:
        blocks.append((f"thinks: {person.thought}", "dim italic", 2))
    for text, style, most in blocks:
        wrapped = _wrap(plain(text), width - 4, min(most, room))
        lines += [Text(f"    {line}", style=style) for line in wrapped]
        room -= len(wrapped)
    if room > 0:
        lines.append(Text(""))
    return lines


def _place_line(scene: Scene, person: ScenePerson) -> str:
    """`Mara's house, kitchen · happy, food 4`."""
    where, feels = scene.where(scene.world.location(person.npc)), scene.feeling(person)
    return f"{where} · {feels}" if feels else where


def plain(text: str) -> str:
    """Removes marks that make an emoji wider in some terminals than in others."""
    return text.replace("\ufe0f", "").replace("\u200d", "")


def _wrap(text: str, width: int, lines: int) -> list[str]:
    """Wraps the text into at most `lines` lines. A text that is too long ends with an ellipsis."""
    found: list[str] = []
    for word in " ".join(text.split()).split(" "):
        if found and cell_len(found[-1]) + 1 + cell_len(word) <= width:
            found[-1] += f" {word}"
        else:
            found.append(word)
    if len(found) > lines > 0:
        found = found[:lines]
        found[-1] = found[-1][: max(width - 1, 0)] + "…"
    return found[: max(lines, 0)]


def _log(scene: Scene, lines: int) -> Panel:
    shown = list(scene.lines)[-max(lines, 1) :]
    text = Text(no_wrap=True, overflow="ellipsis")
    for at, npc, line in shown:
        text.append(f"{hhmm(at)} ", style="dim")
        text.append(f"{plain(line)}\n", style=colour_of(scene, npc) if npc else "bold red")
    return Panel(text, border_style="dim", padding=(0, 1))


def _footer(scene: Scene) -> Text:
    return Text(f" {scene.speed:.0f} game seconds per second    Ctrl-C saves and ends", style="dim")


# ---- as it goes on


@contextmanager
def view(scene: Scene, console: Console) -> Iterator[Callable[[], None]]:
    """Shows a live view on a terminal, and plain lines elsewhere. Yields a function to call whenever the scene may have changed."""
    if not console.is_terminal:
        yield PlainLines(scene, console)
        return
    with Screen(console=console, screen=True, auto_refresh=False) as screen:
        last = 0.0

        def draw() -> None:
            nonlocal last
            now = console.get_time()
            if now - last >= DRAW_S:
                last = now
                screen.update(render(scene, console.width, console.height), refresh=True)

        yield draw


class PlainLines:
    """Prints each line of the scene once."""

    def __init__(self, scene: Scene, console: Console) -> None:
        self._scene = scene
        self._console = console
        self._printed = 0
        self._day = ""

    def __call__(self) -> None:
        fresh = min(self._scene.lines_added - self._printed, len(self._scene.lines))
        for at, _, text in list(self._scene.lines)[len(self._scene.lines) - fresh :]:
            if self._day != date(at):
                self._day = date(at)
                self._console.print(self._day, markup=False, highlight=False)
            self._console.print(line_text(at, text), markup=False, highlight=False, soft_wrap=True)
        self._printed = self._scene.lines_added
