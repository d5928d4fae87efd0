"""The town in motion: bodies walk, use objects and see. It plays the part of a game engine.

It uses no network. `lockstep` and `live` carry its events to the minds, and the actions of the minds back.
"""

from __future__ import annotations

from npc_server.errors import UnknownName
from npc_server.records import (
    Action,
    Address,
    GameEvent,
    GameTime,
    NpcId,
    ObjectChange,
    Outcome,
    OutcomeReason,
    OutcomeStatus,
    PathQuery,
    PathResult,
    Perception,
    PerceptionKind,
    Reach,
    Speech,
    Whereabouts,
)
from npc_server.sandbox import access
from npc_server.sandbox.body import Body
from npc_server.sandbox.grid import Grid
from npc_server.sandbox.household import Household
from npc_server.sandbox.incidents import Incidents
from npc_server.sandbox.senses import Senses, look
from npc_server.sandbox.ways import Ways
from npc_server.world.household import WALK, Command
from npc_server.world.town_records import Cell, Town
from npc_server.world.tree import NodeKind, World, lineage, with_article

WALK_M_PER_S = 1.2
"""Speed of a walk without hurry."""
VISION_M = 8.0
"""How far people see. It is the minds' `vision_radius_m`, and the 8 tiles of the paper."""
HEARING_M = 12.0
"""Distance in metres at which a voice is heard in a room."""


class TownWorld:
    """Bodies and states. `advance` moves time on, and `act` takes the minds' actions."""

    def __init__(self, town: Town, now: GameTime, walk_m_per_s: float = WALK_M_PER_S, vision_m: float = VISION_M, seed: int = 0) -> None:
        self.town = town
        self.grid = Grid(town)
        self.world = World(town.nodes())
        self.now = now
        self.bodies: dict[NpcId, Body] = {}
        self._senses: dict[NpcId, Senses] = {}
        self._seconds_per_cell = town.cell_m / walk_m_per_s
        self._vision_m = vision_m
        self._events: list[GameEvent] = []
        self._ways = Ways(self.grid, self.world)
        self._incidents = Incidents(seed)
        self._household = Household(town, self.world)

    # ---- for the runner

    def put(self, npc: NpcId, name: str, address: Address) -> None:
        """Puts a body at an address. Raises UnknownName if nobody can stand there."""
        cells = self.grid.standing_cells(address)
        if not cells:
            raise UnknownName(f"Nobody can stand at {address!r}.", "Name a room or an object of the town.", address=address)
        cell = self._free(cells, npc)
        self.bodies[npc] = Body(npc, name, cell, self.grid.address(cell), at=self._household.spot(address))
        self._senses[npc] = Senses()
        self._events.append(Whereabouts(npc, address))

    def take_events(self) -> list[GameEvent]:
        """Returns the events since the last call, in order."""
        events, self._events = self._events, []
        return events

    @property
    def has_events(self) -> bool:
        return bool(self._events)

    def next_change(self) -> GameTime | None:
        """When a body next takes a step or ends an action. None if nothing is under way."""
        times = [at for body in self.bodies.values() if (at := self._next(body)) is not None]
        return min(times) if times else None

    def advance(self, to: GameTime) -> bool:
        """Moves time on, at most to `to`. Returns True if it stops early: somebody comes into sight, fails, or has done a command."""
        self._look()
        while self.now < to:
            change = self.next_change()
            self.now = to if change is None else min(to, max(change, self.now))
            known = len(self._events)
            for body in self.bodies.values():
                self._move(body)
            ended = any(isinstance(event, Outcome) and event.status is not OutcomeStatus.ARRIVED for event in self._events[known:])
            if self._look() or ended:
                return True
        return False

    def act(self, action: Action) -> None:
        """Lets a body do what its mind decided, in place of what it was doing."""
        body = self.bodies.get(action.npc)
        if body is None or (body.action is not None and body.action.id == action.id):
            return  # The server sends current actions again after a reconnect.
        self._end(body, finished=body.action is not None and body.action.end <= self.now)
        body.action, body.route, body.steps, body.shown = action, (), 0, ""
        body.command = self._household.command_of(action)
        if body.command is not None:
            self._command(body, action, body.command)
            return
        body.target = self._target(body, action.address)
        problem = self._problem(body, action) if body.target else f"there is no place called {action.address}"
        if problem:
            self._fail(body, problem, OutcomeReason.UNSUITABLE if body.target else OutcomeReason.UNREACHABLE)
            return
        self._go(body)

    def _go(self, body: Body) -> None:
        """Starts to walk to the target, or fails the action."""
        route = self._route(body, body.target)
        if route is None:
            reason = access.barred(self.world, body.npc, body.target, self.now)
            why = OutcomeReason.CLOSED if reason else OutcomeReason.UNREACHABLE
            self._fail(body, reason or f"there is no way to {self.world.describe(body.target)}", why)
            return
        reason = access.barred(self.world, body.npc, body.target, self.now + self._travel(len(route)))
        if reason and not self._inside(body, body.target):
            self._fail(body, reason, OutcomeReason.CLOSED)
            return
        if route:
            self._get_up(body)
        body.route, body.left_at = tuple(route), self.now
        if not route:
            self._arrive(body)

    def speak(self, speech: Speech) -> None:
        """Lets people overhear a line who are near, awake, and not spoken to."""
        speaker = self.bodies.get(speech.npc)
        if speaker is None or speech.partial or not speech.text.strip():
            return
        for body in self.bodies.values():
            distance = self.grid.metres(body.cell, speaker.cell)
            if body is speaker or body.npc in speech.to or body.asleep() or body.room != speaker.room or distance > HEARING_M:
                continue
            heard = Perception(body.npc, PerceptionKind.SPEECH, speech.npc, speech.text, speaker.room, distance, self.now)
            self._events.append(heard)

    def change(self, address: Address, state: str) -> None:
        """Sets the state of an object from outside. People notice it when they come by. Raises UnknownName, BadInput."""
        self.world.check_state(address, state)
        self._set_state(address, state, "")

    def answer(self, query: PathQuery) -> PathResult:
        """Answers a path query: how far each place is, and whether it is free."""
        body = self.bodies.get(query.npc)
        if body is None:
            return PathResult(query.npc, query.query_id, tuple(Reach(address, False, 0.0, False) for address in query.addresses))
        return PathResult(query.npc, query.query_id, tuple(self._reach(body, address) for address in query.addresses))

    def location(self, npc: NpcId) -> Address:
        """The object that a person uses, or the room they are in."""
        body = self.bodies[npc]
        return body.target if body.doing else body.room

    # ---- going

    def _next(self, body: Body) -> GameTime | None:
        if body.route:
            return body.next_step_at(self._seconds_per_cell)
        return body.action.end if body.doing and body.action is not None else None

    def _move(self, body: Body) -> None:
        while body.route and body.next_step_at(self._seconds_per_cell) <= self.now:
            cell = body.route[body.steps]
            room = self.grid.address(cell)
            stopped = self._stopped(body, room) if room != body.room else None
            if stopped is not None:
                body.route = ()
                self._fail(body, *stopped)
                return
            body.cell, body.room, body.steps = cell, room, body.steps + 1
            if body.steps == len(body.route):
                body.route = ()
                self._arrive(body)
        if body.doing and body.action is not None and body.action.end <= self.now:
            self._end(body, finished=True)

    def _stopped(self, body: Body, room: Address) -> tuple[str, OutcomeReason] | None:
        """Why a body cannot enter the place it walks to. Places that it only passes through are not checked."""
        if room not in lineage(body.target):
            return None
        if barred := access.barred(self.world, body.npc, room, self.now):
            return barred, OutcomeReason.CLOSED
        full = self._full(body, room)
        return (full, OutcomeReason.OCCUPIED) if full else None

    def _full(self, body: Body, address: Address) -> str:
        """Why there is no room at an address. Empty if there is room, or if the body is there already."""
        node = self.world.node(address)
        if not node.capacity or self._inside(body, address):
            return ""
        there = sum(1 for other in self.bodies.values() if other is not body and self._inside(other, address))
        return f"{access.called(self.world, node)} is occupied" if there >= node.capacity else ""

    def _inside(self, body: Body, address: Address) -> bool:
        if address in self.grid.things:
            return body.doing and body.target == address
        return address in lineage(body.room)

    def _target(self, body: Body, address: Address) -> Address:
        """The room or object that an address means. For a building this is one of its rooms. Empty if there is none."""
        if address not in self.world:
            return ""
        kind = self.world.node(address).kind
        if kind is NodeKind.WORLD:
            return body.room
        if kind is not NodeKind.SECTOR:
            return address
        if self._inside(body, address) and body.room in self.grid.rooms:
            return body.room
        rooms = [room.address for room in self.grid.places[address].rooms]
        return next((room for room in rooms if access.passable(self.world, body.npc, room)), rooms[0])

    def _problem(self, body: Body, action: Action) -> str:
        """What is wrong with an action, wherever the body is."""
        node = self.world.node(body.target)
        body.verb = next((verb for verb in node.actions if verb.name == action.object_action), None)
        if action.object_action and node.kind is NodeKind.OBJECT and (body.verb is None or body.target in self._household):
            return f"one cannot {action.object_action} with {with_article(node.name)}"
        for state in (action.object_state, action.object_state_after):
            if state and state not in node.states:
                return f"{with_article(node.name)} is never {state}"
        return ""

    def _route(self, body: Body, target: Address) -> list[Cell] | None:
        if target == body.room or self._household.beside(body.at, target):
            return []
        return self._ways.path(body, self._goals(body, target))

    def _goals(self, body: Body, target: Address) -> list[Cell]:
        """The cells from which a body can use a target, without those on which others stand."""
        cells = self.grid.standing_cells(target)
        if target not in self.grid.things:
            return [self._free(cells, body.npc)] if cells else []
        taken = self._taken(body.npc)
        return [cell for cell in cells if cell not in taken] or cells

    def _taken(self, npc: NpcId) -> set[Cell]:
        return {other.cell for other in self.bodies.values() if other.npc != npc and not other.route}

    def _free(self, cells: list[Cell], npc: NpcId) -> Cell:
        taken = self._taken(npc)
        return next((cell for cell in cells if cell not in taken), cells[0])

    def _travel(self, steps: int) -> int:
        return int(-(-steps * self._seconds_per_cell // 1))

    def _reach(self, body: Body, address: Address) -> Reach:
        target, away = "", None
        if self.grid.standing_cells(address):
            target = self._target(body, address)
            away = self._ways.steps(body, [body.cell] if target == body.room else self._goals(body, target))
        if away is None:
            return Reach(address, False, 0.0, False)
        travel = self._travel(away)
        if not self._inside(body, target) and access.barred(self.world, body.npc, target, self.now + travel):
            return Reach(address, False, float(travel), False)
        return Reach(address, True, float(travel), not any(self._full(body, above) for above in lineage(target)))

    # ---- doing

    def _arrive(self, body: Body) -> None:
        action = body.action
        assert action is not None
        node = self.world.node(body.target)
        if body.target != body.room:
            body.at = self._household.spot(body.target)
        if body.command is not None:
            self._tell(body, OutcomeStatus.ARRIVED)
            self._tell(body, OutcomeStatus.DONE)
            body.command = None
            return
        if full := self._full(body, body.target):
            self._fail(body, full, OutcomeReason.OCCUPIED)
            return
        if body.verb is not None and body.verb.needs and node.state != body.verb.needs:
            self._fail(body, f"{with_article(node.name)} is {node.state}", OutcomeReason.UNSUITABLE)
            return
        body.doing, body.shown = True, action.seen_as or action.sentence
        body.state_before = node.resting_state()
        state = action.object_state or (body.verb.during if body.verb else "")
        body.changed_state = bool(state)
        self._events.append(Outcome(body.npc, action.id, OutcomeStatus.ARRIVED, address=body.target))
        self._set_state(body.target, state, body.npc)

    def _fail(self, body: Body, reason: str, code: OutcomeReason) -> None:
        body.doing, body.shown = False, ""
        self._tell(body, OutcomeStatus.FAILED, reason, code)

    def _tell(self, body: Body, status: OutcomeStatus, reason: str = "", code: OutcomeReason = OutcomeReason.OTHER) -> None:
        """Reports how the action of a body goes, and where the body is."""
        assert body.action is not None
        self._events.append(Outcome(body.npc, body.action.id, status, reason, self._here(body), code))

    def _end(self, body: Body, finished: bool) -> None:
        """Gives the object the state that the action leaves. If the action was broken off, only a state that it had changed is set back."""
        if not body.doing or body.action is None:
            return
        body.doing = False
        if body.command is not None:
            if finished:
                self._end_command(body, body.command)
            body.command = None
            return
        after = body.action.object_state_after or (body.verb.after if body.verb else "")
        if body.changed_state:
            after = after or body.state_before
        elif not finished:
            after = ""
        others = any(
            other is not body and other.doing and other.target == body.target and other.changed_state for other in self.bodies.values()
        )
        # An object keeps its state while somebody else still uses it.
        if after and not others:
            self._set_state(body.target, after, body.npc)
        thing = self.grid.things.get(body.target)
        wrong = self._incidents.after(thing, body.verb.name) if thing is not None and body.verb is not None else ""
        if wrong and not others:
            # Nobody intended an incident, so the person who caused it has to notice it, too.
            self._set_state(body.target, wrong, "")

    def _set_state(self, address: Address, state: str, by: NpcId) -> None:
        if not state or self.world.node(address).state == state:
            return
        self.world.set_state(address, state)
        self._household.note(address, state)
        self._events.append(ObjectChange(address, state, by))

    # ---- atomic commands, in a household

    def _command(self, body: Body, action: Action, command: Command) -> None:
        """Begins a command, or fails it with a reason."""
        reason = self._household.refusal(body.npc, body.at, command)
        if reason:
            self._fail(body, reason, OutcomeReason.UNSUITABLE)
            return
        body.changed_state = False
        body.verb = next((verb for verb in self.world.node(action.address).actions if verb.name == command.verb), None)
        if command.verb == WALK:
            body.target = self._household.goal(command.what)
            self._go(body)
            return
        body.target, body.doing, body.shown = self._here(body), True, action.seen_as or action.sentence
        self._tell(body, OutcomeStatus.ARRIVED)

    def _end_command(self, body: Body, command: Command) -> None:
        """A command that is finished changes the objects, if that is still possible. One that is broken off does not."""
        reason = self._household.refusal(body.npc, body.at, command)
        if reason:
            self._fail(body, reason, OutcomeReason.UNSUITABLE)
            return
        for address, state in self._household.apply(body.npc, command):
            self._set_state(address, state, body.npc)
        self._tell(body, OutcomeStatus.DONE)

    def _get_up(self, body: Body) -> None:
        """Lets somebody who walks away leave the chair."""
        for address, state in self._household.get_up(body.npc):
            self._set_state(address, state, body.npc)
        body.at = ""

    def _here(self, body: Body) -> Address:
        """The object of a household at which somebody is, or the room."""
        return self._household.address(body.at) if body.at else body.room

    # ---- seeing

    def _look(self) -> bool:
        """Lets everybody look around. True if somebody came into sight."""
        met = False
        in_room: dict[Address, list[Body]] = {}
        for body in self.bodies.values():
            in_room.setdefault(body.room, []).append(body)
        for body in self.bodies.values():
            if body.asleep():
                continue
            senses = self._senses[body.npc]
            before = set(senses.people)
            found = look(body, senses, in_room[body.room], self.grid, self.world, self._vision_m, self.now, self._household)
            met = met or any(p.kind is PerceptionKind.PERSON and p.subject not in before for p in found)
            self._events += found
        return met
