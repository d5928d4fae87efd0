"""The body of a person: where it stands, where it walks, and what it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

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
    """The room it is in. On a threshold this is the building, on open ground the town."""
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
    """What others see it do, or what it did last."""
    verb: ObjectAction | None = None
    state_before: str = ""
    changed_state: bool = False
    command: Command | None = None
    """In a household: the command that the action stands for."""
    at: str = ""
    """In a household: the id of the object at which it stands, sits or lies."""

    def next_step_at(self, seconds_per_cell: float) -> GameTime:
        """Returns the game time at which it enters the next cell of its route."""
        return self.left_at + math.ceil((self.steps + 1) * seconds_per_cell)

    def asleep(self) -> bool:
        """Whether it sleeps. Then it sees and hears nothing."""
        return self.doing and self.verb is not None and self.verb.name == "sleep"

    def activity(self) -> str:
        """What others see it do, without its name; empty for nothing. While it walks they do not see what it is going to do."""
        if self.route:
            return "is walking by"
        return without_name(self.shown, self.name)

    def on_the_way_to(self) -> Address:
        """The address to which others see it walk. Empty if it does not walk."""
        return self.target if self.route else ""


@lru_cache(maxsize=1024)
def without_name(sentence: str, name: str) -> str:
    """Removes a name from the start of a sentence: `Mara is kneading dough` becomes `is kneading dough`."""
    text = sentence.strip().rstrip(".")
    for form in (name, name.split(" ")[0]):
        if form and text.startswith(form + " "):
            return text[len(form) + 1 :]
    return text
