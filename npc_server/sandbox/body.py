"""One person's body: where it stands, which way it walks, what it does."""

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
    """The room it is in; the building on a threshold, the town on open ground."""
    action: Action | None = None
    target: Address = ""
    """Where the action takes place: an object or a room."""
    route: tuple[Cell, ...] = ()
    left_at: GameTime = 0
    """When it set out on the route."""
    steps: int = 0
    """Cells of the route already walked."""
    doing: bool = False
    shown: str = ""
    """The sentence of what it does, or did last."""
    verb: ObjectAction | None = None
    state_before: str = ""
    changed_state: bool = False
    command: Command | None = None
    """The atomic command that the action is, in a household."""
    at: str = ""
    """Id of the thing it stands, sits or lies at, in a household."""

    def next_step_at(self, seconds_per_cell: float) -> GameTime:
        """When it enters the next cell of its route, in whole seconds."""
        return self.left_at + math.ceil((self.steps + 1) * seconds_per_cell)

    def asleep(self) -> bool:
        """Who sleeps sees and hears nothing."""
        return self.doing and self.verb is not None and self.verb.name == "sleep"

    def activity(self) -> str:
        """What others see it do, without its name."""
        if self.route:
            return "is walking by"
        return without_name(self.shown, self.name) or "is standing around"


def without_name(sentence: str, name: str) -> str:
    """`Mara is kneading dough` → `is kneading dough`. A sentence that does not start with the name stays as it is."""
    text = sentence.strip().rstrip(".")
    for form in (name, name.split(" ")[0]):
        if form and text.startswith(form + " "):
            return text[len(form) + 1 :]
    return text
