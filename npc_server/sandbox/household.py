"""The household in play: where things are, who uses them, and what commands do, by the rules of `world.household_rules`."""

from __future__ import annotations

from npc_server.records import Action, Address, NpcId
from npc_server.world import household_rules as rules
from npc_server.world.household import Command, Home, from_wire, read
from npc_server.world.town_records import Cell, Town
from npc_server.world.tree import World, parent


class Household:
    """The things of a town that have properties. Most towns have none. `note` follows the states of the world."""

    def __init__(self, town: Town, world: World) -> None:
        things = [thing for thing in town.things() if thing.properties]
        self._others = [thing for thing in town.things() if not thing.properties]
        self.home = Home([world.node(thing.address) for thing in things], lambda node: node.state)
        self._fresh = {_id(thing.address): read(thing.state) for thing in things if "plenty" in thing.properties}
        self._cells = {thing.address: thing.cell for thing in things}
        self._seen: dict[Address, list[tuple[Address, Cell]]] | None = None

    def __contains__(self, address: Address) -> bool:
        return address in self._cells

    def note(self, address: Address, state: str) -> None:
        """Takes over a state that the world gave to a thing."""
        if address in self._cells:
            self.home.change(_id(address), read(state))
            self._seen = None

    def command_of(self, action: Action) -> Command | None:
        """Returns the command of an action, or None if the action is no command."""
        return from_wire(_id(action.address), action.object_action) if action.address in self._cells else None

    def refusal(self, npc: NpcId, at: str, command: Command) -> str:
        """Says why a person at the thing `at` cannot do a command now. Empty if they can."""
        found = rules.refusal(self.home, npc, at, command)
        return found.reason if found is not None else ""

    def apply(self, npc: NpcId, command: Command) -> list[tuple[Address, str]]:
        """Returns the states of things after a command. The caller sets them in the world."""
        return [(thing.address, thing.write()) for thing in rules.apply(self.home.copy(), npc, command, self._fresh)]

    def get_up(self, npc: NpcId) -> list[tuple[Address, str]]:
        return [(thing.address, thing.write()) for thing in rules.leave_seat(self.home.copy(), npc)]

    def goal(self, name: str) -> Address:
        """Returns the piece of furniture to walk to for a thing."""
        anchor = self.home.anchor(name)
        assert anchor is not None
        return anchor.address

    def spot(self, address: Address) -> str:
        """Returns the id of the thing at an address, as the rules use it. Empty if there is none."""
        return _id(address) if address in self._cells else ""

    def address(self, name: str) -> Address:
        return self.home.things[name].address

    def beside(self, at: str, address: Address) -> bool:
        """Whether a person at the thing `at` is also at this address."""
        return address in self._cells and bool(at) and self.goal(_id(address)) == self.goal(at)

    def things_in(self, room: Address) -> list[tuple[Address, Cell]]:
        """Returns the visible things of a room and their cells. Held things and things in closed ones are not visible."""
        if self._seen is None:
            self._seen = {}
            for other in self._others:
                self._seen.setdefault(parent(other.address), []).append((other.address, other.cell))
            for thing in self.home.things.values():
                if not self.home.holder(thing.id) and self.home.shut_in(thing.id) is None and not rules.is_gone(thing):
                    goal = self.goal(thing.id)
                    self._seen.setdefault(parent(goal), []).append((thing.address, self._cells[goal]))
        return self._seen.get(room, [])


def _id(address: Address) -> str:
    return address.rpartition(":")[2]
