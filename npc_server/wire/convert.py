"""Converts what a game sends to records and back: events, the world, files and slots. `convert_minds` has what minds send.

A function `…_from_wire` raises BadInput that names the field. A function `…_to_wire` never fails on a valid record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from npc_server import clock
from npc_server.errors import BadInput
from npc_server.records import (
    Clock,
    Document,
    GameActionResult,
    GameEvent,
    Need,
    ObjectChange,
    Outcome,
    OutcomeReason,
    OutcomeStatus,
    PathResult,
    Perception,
    PerceptionKind,
    PlayerPresence,
    Reach,
    Rejected,
    Restraint,
    RestraintKind,
    SaveInfo,
    Whereabouts,
)
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields
from npc_server.world.tree import Node, NodeKind, ObjectAction

SAID_OCCUPIED = "occupied"
"""The word for a place without room in the reasons of games that send no reason code."""
MOST_FILLED = 60
"""Points per game hour by which an action can fill a need: from empty to full in ten minutes."""
MOST_NODES_KNOWN = 200_000
"""How many nodes a NodeReader remembers: some 100 MB. Beyond that it forgets all."""

# ---- events


def event_from_wire(event: pb.GameEvent) -> GameEvent:
    """Converts an event, without its sequence number. Raises BadInput."""
    kind = event.WhichOneof("event")
    if kind == "perception":
        return perception_from_wire(event.perception)
    if kind == "path_result":
        return path_result_from_wire(event.path_result)
    if kind == "outcome":
        return outcome_from_wire(event.outcome)
    if kind == "object_change":
        return object_change_from_wire(event.object_change)
    if kind == "whereabouts":
        return whereabouts_from_wire(event.whereabouts)
    if kind == "clock":
        return clock_from_wire(event.clock)
    if kind == "game_action_result":
        return game_action_result_from_wire(event.game_action_result)
    if kind == "restraint":
        return restraint_from_wire(event.restraint)
    raise fields.bad(
        "event",
        "empty",
        "the event says nothing",
        "Set one of perception, path_result, outcome, object_change, whereabouts, clock, game_action_result, restraint.",
    )


def event_to_wire(seq: int, event: GameEvent) -> pb.GameEvent:
    """Converts an event. A rejected event has no message of its own, so it becomes an empty one, which is rejected again."""
    if isinstance(event, Perception):
        return pb.GameEvent(seq=seq, perception=perception_to_wire(event))
    if isinstance(event, PathResult):
        return pb.GameEvent(seq=seq, path_result=path_result_to_wire(event))
    if isinstance(event, Outcome):
        return pb.GameEvent(seq=seq, outcome=outcome_to_wire(event))
    if isinstance(event, ObjectChange):
        return pb.GameEvent(seq=seq, object_change=pb.ObjectChange(address=event.address, state=event.state, by=event.by))
    if isinstance(event, Whereabouts):
        return pb.GameEvent(
            seq=seq, whereabouts=pb.Whereabouts(npc_id=event.npc, address=event.address, player_distance_m=event.player_distance)
        )
    if isinstance(event, GameActionResult):
        return pb.GameEvent(
            seq=seq,
            game_action_result=pb.GameActionResult(npc_id=event.npc, call_id=event.call_id, happened=event.happened, reason=event.reason),
        )
    if isinstance(event, Restraint):
        kind = fields.write_enum(pb.RestraintKind, event.kind)
        return pb.GameEvent(seq=seq, restraint=pb.Restraint(npc_id=event.npc, kind=kind, on=event.on, until_s=event.until))
    if isinstance(event, Rejected):
        return pb.GameEvent(seq=seq)
    return pb.GameEvent(seq=seq, clock=pb.Clock(now_s=event.now, lockstep=event.lockstep, speed=event.speed))


def perception_from_wire(it: pb.Perception) -> Perception:
    kind = fields.read_enum(PerceptionKind, pb.PerceptionKind, it.kind, "perception.kind")
    about_someone = kind in (PerceptionKind.PERSON, PerceptionKind.OBJECT, PerceptionKind.SPEECH)
    words = kind in (PerceptionKind.SPEECH, PerceptionKind.EVENT)
    player = _player_presence(it, kind)
    return Perception(
        npc=fields.npc_id(it.npc_id, "perception.npc_id"),
        kind=kind,
        subject=fields.line(it.subject, "perception.subject", fields.MAX_ADDRESS, required=about_someone or player is not None),
        text=fields.text(it.text, "perception.text", required=words),
        address=fields.address(it.address, "perception.address", required=kind is PerceptionKind.PLACE),
        distance=fields.number(it.distance_m, "perception.distance_m"),
        at=fields.time(it.at_s, "perception.at_s"),
        on_the_way_to=fields.address(it.on_the_way_to, "perception.on_the_way_to", required=False),
        player=player,
    )


def _player_presence(it: pb.Perception, kind: PerceptionKind) -> PlayerPresence | None:
    """Returns None if the subject is not a player. Raises BadInput."""
    if it.player == pb.PLAYER_PRESENCE_UNSPECIFIED:
        return None
    presence = fields.read_enum(PlayerPresence, pb.PlayerPresence, it.player, "perception.player")
    if kind not in (PerceptionKind.PERSON, PerceptionKind.EVENT):
        raise fields.bad("perception.player", presence.value, "only a PERSON or an EVENT can be of a player", "Leave it out.")
    return presence


def game_action_result_from_wire(it: pb.GameActionResult) -> GameActionResult:
    return GameActionResult(
        npc=fields.npc_id(it.npc_id, "game_action_result.npc_id"),
        call_id=fields.line(it.call_id, "game_action_result.call_id", fields.MAX_ID, required=True),
        happened=it.happened,
        reason=fields.text(it.reason, "game_action_result.reason"),
    )


def restraint_from_wire(it: pb.Restraint) -> Restraint:
    return Restraint(
        npc=fields.npc_id(it.npc_id, "restraint.npc_id"),
        kind=fields.read_enum(RestraintKind, pb.RestraintKind, it.kind, "restraint.kind"),
        on=it.on,
        until=fields.time(it.until_s, "restraint.until_s"),
    )


def perception_to_wire(it: Perception) -> pb.Perception:
    return pb.Perception(
        npc_id=it.npc,
        kind=fields.write_enum(pb.PerceptionKind, it.kind),
        subject=it.subject,
        text=it.text,
        address=it.address,
        distance_m=it.distance,
        at_s=it.at,
        on_the_way_to=it.on_the_way_to,
        player=fields.write_enum(pb.PlayerPresence, it.player) if it.player is not None else pb.PLAYER_PRESENCE_UNSPECIFIED,
    )


def path_result_from_wire(it: pb.PathResult) -> PathResult:
    fields.count(it.reaches, "path_result.reaches", fields.MAX_REACHES)
    return PathResult(
        npc=fields.npc_id(it.npc_id, "path_result.npc_id"),
        query_id=fields.line(it.query_id, "path_result.query_id", fields.MAX_ID, required=True),
        reaches=tuple(
            Reach(
                address=fields.address(reach.address, f"path_result.reaches[{i}].address"),
                reachable=reach.reachable,
                travel=fields.number(reach.travel_s, f"path_result.reaches[{i}].travel_s"),
                free=reach.free,
            )
            for i, reach in enumerate(it.reaches)
        ),
    )


def path_result_to_wire(it: PathResult) -> pb.PathResult:
    reaches = [pb.Reach(address=r.address, reachable=r.reachable, travel_s=r.travel, free=r.free) for r in it.reaches]
    return pb.PathResult(query_id=it.query_id, npc_id=it.npc, reaches=reaches)


def outcome_from_wire(it: pb.ActionOutcome) -> Outcome:
    return Outcome(
        npc=fields.npc_id(it.npc_id, "outcome.npc_id"),
        action_id=fields.line(it.action_id, "outcome.action_id", fields.MAX_ID, required=True),
        status=fields.read_enum(OutcomeStatus, pb.OutcomeStatus, it.status, "outcome.status"),
        reason=fields.text(it.reason, "outcome.reason"),
        address=fields.address(it.address, "outcome.address", required=False),
        code=_outcome_reason(it),
    )


def _outcome_reason(it: pb.ActionOutcome) -> OutcomeReason:
    """Returns the reason code. For a game that sends only words it is OCCUPIED or OTHER. No other code reads these words."""
    if it.reason_code != pb.OUTCOME_REASON_UNSPECIFIED:
        return fields.read_enum(OutcomeReason, pb.OutcomeReason, it.reason_code, "outcome.reason_code")
    failed = it.status == pb.OUTCOME_STATUS_FAILED
    return OutcomeReason.OCCUPIED if failed and SAID_OCCUPIED in it.reason else OutcomeReason.OTHER


def outcome_to_wire(it: Outcome) -> pb.ActionOutcome:
    status = fields.write_enum(pb.OutcomeStatus, it.status)
    code = fields.write_enum(pb.OutcomeReason, it.code)
    return pb.ActionOutcome(npc_id=it.npc, action_id=it.action_id, status=status, reason=it.reason, address=it.address, reason_code=code)


def object_change_from_wire(it: pb.ObjectChange) -> ObjectChange:
    return ObjectChange(
        address=fields.address(it.address, "object_change.address"),
        state=fields.line(it.state, "object_change.state"),
        by=fields.line(it.by, "object_change.by"),
    )


def whereabouts_from_wire(it: pb.Whereabouts) -> Whereabouts:
    return Whereabouts(
        npc=fields.npc_id(it.npc_id, "whereabouts.npc_id"),
        address=fields.address(it.address, "whereabouts.address"),
        player_distance=fields.number(it.player_distance_m, "whereabouts.player_distance_m", -fields.MAX_DISTANCE),
    )


def clock_from_wire(it: pb.Clock) -> Clock:
    return Clock(now=fields.time(it.now_s, "clock.now_s"), lockstep=it.lockstep, speed=fields.number(it.speed, "clock.speed"))


# ---- the world


class NodeReader:
    """Reads the nodes of one session. A game sends the same nodes each time it starts, so it remembers them by their bytes."""

    def __init__(self) -> None:
        self._known: dict[bytes, Node] = {}

    def read(self, nodes: Iterable[pb.WorldNode]) -> list[Node]:
        """Returns the nodes in their order. Blocks for about a millisecond for each hundred new ones. Raises BadInput."""
        listed = list(nodes)
        fields.count(listed, "nodes", fields.MAX_NODES)
        if len(self._known) > MOST_NODES_KNOWN:
            self._known.clear()
        found: list[Node] = []
        for i, node in enumerate(listed):
            raw = node.SerializeToString()
            known = self._known.get(raw)
            if known is None:
                known = self._known[raw] = node_from_wire(node, f"nodes[{i}]")
            found.append(known)
        return found


def node_from_wire(it: pb.WorldNode, field: str = "node") -> Node:
    for name, values in (("states", it.states), ("actions", it.actions), ("owners", it.owners)):
        fields.count(values, f"{field}.{name}", fields.MAX_STATES)
    return Node(
        address=fields.address(it.address, f"{field}.address"),
        kind=fields.read_enum(NodeKind, pb.NodeKind, it.kind, f"{field}.kind"),
        name=fields.line(it.name, f"{field}.name", required=True),
        description=fields.text(it.description, f"{field}.description"),
        state=fields.line(it.state, f"{field}.state"),
        states=tuple([fields.line(state, f"{field}.states[{i}]", required=True) for i, state in enumerate(it.states)]),
        actions=tuple([_object_action(action, f"{field}.actions[{i}]") for i, action in enumerate(it.actions)]),
        capacity=fields.whole(it.capacity, f"{field}.capacity", 0, 1_000_000),
        hours=_hours_from_wire(it.hours, f"{field}.hours"),
        owners=tuple([fields.npc_id(owner, f"{field}.owners[{i}]") for i, owner in enumerate(it.owners)]),
        preposition=fields.line(it.preposition, f"{field}.preposition"),
    )


def _object_action(it: pb.ObjectAction, field: str) -> ObjectAction:
    return ObjectAction(
        name=fields.line(it.name, f"{field}.name", required=True),
        needs=fields.line(it.needs, f"{field}.needs"),
        during=fields.line(it.during, f"{field}.during"),
        after=fields.line(it.after, f"{field}.after"),
        first=fields.line(it.first, f"{field}.first"),
        fills=_fills_from_wire(it.fills, f"{field}.fills"),
    )


def _fills_from_wire(values: Mapping[str, float], field: str) -> tuple[tuple[Need, float], ...]:
    """In the order of `Need`: a map of the wire has none."""
    known = ", ".join(need.value for need in Need)
    for name in values:
        if name not in {need.value for need in Need}:
            raise fields.bad(field, name, "it is no need", f"Use one of {known}.")
    return tuple(
        (need, fields.number(values[need.value], f"{field}.{need.value}", 0, MOST_FILLED)) for need in Need if need.value in values
    )


def _hours_from_wire(value: str, field: str) -> tuple[int, int] | None:
    if not value:
        return None
    opens, _, closes = value.partition("-")
    try:
        return clock.parse_hhmm(opens), clock.parse_hhmm(closes)
    except ValueError:
        raise fields.bad(field, value, "it is not opening hours", 'Write them as "HH:MM-HH:MM"; leave it empty for always.') from None


# ---- files and slots


def document_from_wire(it: pb.Document, field: str) -> Document:
    name = fields.line(it.name, f"{field}.name", fields.MAX_ADDRESS, required=True)
    if len(it.text) > fields.MAX_DOCUMENT:
        raise BadInput(
            f"File {name!r} has {len(it.text)} characters, and {fields.MAX_DOCUMENT} are allowed.", "Shorten it.", field=f"{field}.text"
        )
    return Document(name, it.text, fields.line(it.path, f"{field}.path", fields.MAX_PATH))


def document_to_wire(it: Document) -> pb.Document:
    return pb.Document(name=it.name, text=it.text, path=it.path)


def save_to_wire(it: SaveInfo) -> pb.SaveInfo:
    """Converts the facts of a save, without its warnings. Only CreateSaveResponse has those."""
    return pb.SaveInfo(
        slot=it.slot,
        town=it.town,
        game_time_s=it.now,
        saved_at_unix_s=it.saved_at,
        people=it.people,
        size_bytes=it.size,
        memories=it.memories,
        problem=it.problem,
        recoverable=it.recoverable,
        game=it.game,
        town_id=it.town_id,
    )
