"""The body of a person: where it stands, where it walks, and what it does."""

from __future__ import annotations

import math
from dataclasses import dataclass

from npc_server.records import Action, Address, GameTime, NpcId
from npc_server.world.household import Command
from npc_server.world.town_records import Cell
from npc_server.world.tree import ObjectAction


@dataclass
class Body:
    """Owned by `TownWorld`, which moves it. It walks while `route` has cells, and acts while `doing`."""

    npc: NpcId
    name: str
    cell: Cell
    room: Address
    """The room it is in. On a threshold this is the building, and on open ground the town."""
    action: Action | None = None
    target: Address = ""
    """Where the action takes place: an object or a room."""
    route: tuple[Cell, ...] = ()
    left_at: GameTime = 0
    """When it started to walk the route."""
    steps: int = 0
    """Cells of the route already walked."""
    doing: bool = False
    shown: str = ""
    """The sentence about its current or last action."""
    verb: ObjectAction | None = None
    state_before: str = ""
    changed_state: bool = False
    command: Command | None = None
    """The command of the action, in a household."""
    at: str = ""
    """Id of the thing it stands, sits or lies at, in a household."""

    def next_step_at(self, seconds_per_cell: float) -> GameTime:
        """Returns the game time at which it enters the next cell of its route."""
        return self.left_at + math.ceil((self.steps + 1) * seconds_per_cell)

    def asleep(self) -> bool:
        """Whether it sleeps. A sleeping person sees and hears nothing."""
        return self.doing and self.verb is not None and self.verb.name == "sleep"

    def activity(self) -> str:
        """Describes what others see it do, without its name."""
        if self.route:
            return "is walking by"
        return without_name(self.shown, self.name) or "is standing around"


def without_name(sentence: str, name: str) -> str:
    """Removes a name from the start of a sentence: `Mara is kneading dough` becomes `is kneading dough`."""
    text = sentence.strip().rstrip(".")
    for form in (name, name.split(" ")[0]):
        if form and text.startswith(form + " "):
            return text[len(form) + 1 :]
    return text
