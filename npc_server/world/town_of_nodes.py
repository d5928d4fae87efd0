"""Writes the places and objects of a game's scene into a town file: a new one, or one that is there already.

A file that is there keeps its comments and all that no node stands for: knowledge, factions, paths, doors, descriptions. Where the nodes
say nothing new, its text stays as it is.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from npc_server.documents import load_yaml
from npc_server.errors import BadInput, FileProblem
from npc_server.records import Address, Document
from npc_server.world.doors import with_doors
from npc_server.world.node_kinds import put_kind
from npc_server.world.town import as_town
from npc_server.world.town_schema import Id, TownFile

ONLY_ROOM = "inside"
"""The room of a place whose scene has none: everybody in a place is in a room."""
NEAR = 0.02
"""How far from a whole cell a node may be, in cells, without being told of."""
START = "2026-05-04 08:00"


class _FromScene(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Node(_FromScene):
    address: Address
    name: str = ""


class PlaceNode(_Node):
    """An NpcPlace. Its rectangle is in cells from the top left of the town, and need not be whole."""

    rect: tuple[float, float, float, float]
    open: bool = False
    capacity: int = 0
    hours: str = ""
    owners: tuple[str, ...] = ()


class ObjectNode(_Node):
    """An NpcObject. `at` is in cells, as the rectangle of a place."""

    at: tuple[float, float]
    states: tuple[str, ...] = ()
    state: str = ""
    capacity: int = 0
    actions: dict[str, dict[str, str]] = {}


class SceneNodes(_FromScene):
    """The places and objects of a scene."""

    places: tuple[PlaceNode, ...] = ()
    objects: tuple[ObjectNode, ...] = ()


@dataclass
class WrittenTown:
    """The text of a town file, and what the nodes say that it cannot hold, in sentences."""

    text: str = ""
    notes: list[str] = field(default_factory=list)


def read_nodes(text: str) -> SceneNodes:
    """Read the nodes that Godot wrote as JSON. Raises BadInput."""
    try:
        return SceneNodes.model_validate_json(text)
    except ValidationError as error:
        raise BadInput(f"The nodes cannot be read: {error.errors()[0]['msg']}.", "Write them with the addon of this version.") from error


def town_of_nodes(nodes: SceneNodes, document: Document | None = None) -> WrittenTown:
    """Return the town file of some nodes. With a document, it is that file with what the nodes say. Raises BadInput or FileProblem."""
    yaml = _yaml()
    written = WrittenTown()
    if document is not None:
        load_yaml(document)  # tells the mistakes of the file, and holds it to the limits
        town = yaml.load(document.text)
        before = _plain(town)
    else:
        town, before = _new_town(nodes), None
    places = _known(nodes.places, town["id"], written)
    for place in sorted(places, key=lambda node: node.address.count(":")):
        _put_place(town, place, written)
    for thing in _known(nodes.objects, town["id"], written):
        _put_object(town, thing, written)
    _give_rooms(town, written)
    _grow(town)
    _give_doors(town, written)
    if before is not None and _plain(town) == before and document is not None:
        written.text = document.text
        return written
    out = io.StringIO()
    yaml.dump(town, out)
    written.text = out.getvalue()
    return written


def _yaml() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 140
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _new_town(nodes: SceneNodes) -> CommentedMap:
    every: tuple[_Node, ...] = (*nodes.places, *nodes.objects)
    roots = [node.address.split(":")[0] for node in every if node.address]
    if not roots:
        raise BadInput("The scene has no place or object with an address.", "Give an NpcPlace an address, such as town:cafe.")
    root = max(roots, key=roots.count)
    town = CommentedMap(id=root, name=root.replace("_", " ").capitalize(), start=START, size=_flow([1, 1]))
    town["object_kinds"], town["places"] = CommentedMap(), CommentedSeq()
    return town


def _known(nodes: Iterable[Any], root: str, written: WrittenTown) -> list[Any]:
    """The nodes whose address can stand in the file."""
    is_id = TypeAdapter(Id)
    found = []
    for node in nodes:
        parts = node.address.split(":")
        wanted = (4,) if isinstance(node, ObjectNode) else (1, 2, 3)
        if parts[0] != root:
            written.notes.append(f"'{node.address}' is not in the town '{root}', so it is left out. Correct the address.")
        elif len(parts) not in wanted:
            what = "An object has an address town:place:room:object" if wanted == (4,) else "A place has an address town:place:room"
            written.notes.append(f"'{node.address}' is left out. {what}.")
        elif bad := next((part for part in parts if not _is_valid(is_id, part)), None):
            fix = "Use lower-case letters, digits and '_', and start with a letter."
            written.notes.append(f"'{node.address}' is left out, because of '{bad}'. {fix}")
        else:
            found.append(node)
    return found


def _is_valid(adapter: TypeAdapter[str], text: str) -> bool:
    try:
        adapter.validate_python(text)
    except ValidationError:
        return False
    return True


def _put_place(town: CommentedMap, node: PlaceNode, written: WrittenTown) -> None:
    rect = _whole(node, written)
    parts = node.address.split(":")
    if len(parts) == 1:
        _set(town, "name", node.name or town["name"], None)
        _set(town, "size", _flow([rect[0] + rect[2], rect[1] + rect[3]]), None)
        return
    entry = _entry(town, parts[1:])
    _set(entry, "rect", _flow(rect), None)
    _set(entry, "name", node.name or entry.get("name", ""), parts[-1].replace("_", " "))
    if len(parts) == 2:
        _set(entry, "open", node.open, False)
    _set(entry, "capacity", node.capacity, 0)
    _set(entry, "hours", node.hours, "")
    _set(entry, "owners", _flow(node.owners), [])
    rooms = entry.pop("rooms", None)  # they stand last, where people look for them
    if rooms is not None:
        entry["rooms"] = rooms
    things = entry.pop("objects", None)
    if things is not None:
        entry["objects"] = things


def _put_object(town: CommentedMap, node: ObjectNode, written: WrittenTown) -> None:
    parts = node.address.split(":")
    room = _entry(town, parts[1:3])
    if "rect" not in room:
        x, y = int(node.at[0]), int(node.at[1])
        written.notes.append(f"'{':'.join(parts[1:3])}' has no node, so its size is a guess.")
        room["rect"] = _flow([max(x - 1, 0), max(y - 1, 0), 3, 3])
    entry = _entry(town, parts[1:])
    put_kind(town, entry, node.name, node.states, node.state, node.capacity, node.actions)
    _set(entry, "name", node.name or entry.get("name", ""), entry["kind"])
    if not (entry.get("on") or entry.get("inside")):
        cell = _free_cell(room, entry, node, written)
        _set(entry, "at", _flow(cell), None)


def _entry(town: CommentedMap, ids: list[str]) -> CommentedMap:
    """The entry of a place, a room or an object, which is added where it is missing."""
    entry = town
    for key, name in zip(("places", "rooms", "objects"), ids, strict=False):
        if not isinstance(entry.get(key), list):
            entry[key] = CommentedSeq()
        found = next((it for it in entry[key] if it.get("id") == name), None)
        if found is None:
            found = CommentedMap(id=name)
            if key == "objects":
                found.fa.set_flow_style()
            entry[key].append(found)
        entry = found
    return entry


def _whole(node: PlaceNode, written: WrittenTown) -> list[int]:
    x, y, width, height = node.rect
    left, top, right, bottom = (round(it) for it in (x, y, x + width, y + height))
    if max(abs(left - x), abs(top - y), abs(right - x - width), abs(bottom - y - height)) > NEAR:
        written.notes.append(f"'{node.address}' does not end at whole cells. The file says {[left, top, right - left, bottom - top]}.")
    return [left, top, max(right - left, 1), max(bottom - top, 1)]


def _free_cell(room: CommentedMap, entry: CommentedMap, node: ObjectNode, written: WrittenTown) -> list[int]:
    """The cell of an object: where it stands, or the nearest in its room that no other object has."""
    x, y, width, height = room["rect"]
    taken = [list(it["at"]) for it in room.get("objects", ()) if it is not entry and "at" in it]
    cells = [[column, row] for row in range(y, y + height) for column in range(x, x + width) if [column, row] not in taken]
    here = [int(node.at[0] // 1), int(node.at[1] // 1)]
    if here in cells or not cells:
        return here
    best = min(cells, key=lambda cell: (cell[0] + 0.5 - node.at[0]) ** 2 + (cell[1] + 0.5 - node.at[1]) ** 2)
    why = "another object stands there" if here in taken else "it is outside of its room"
    written.notes.append(f"'{node.address}' moves from cell {here} to {best}: {why}.")
    return best


def _give_rooms(town: CommentedMap, written: WrittenTown) -> None:
    """Gives a rectangle to each place without a node, and a room to each that has none."""
    for place in town["places"]:
        rooms = place.get("rooms") or []
        if "rect" not in place:
            edges = [(it["rect"][0], it["rect"][1], it["rect"][0] + it["rect"][2], it["rect"][1] + it["rect"][3]) for it in rooms]
            left, top = min(it[0] for it in edges), min(it[1] for it in edges)
            right, bottom = max(it[2] for it in edges), max(it[3] for it in edges)
            place.insert(1, "rect", _flow([left, top, right - left, bottom - top]))
            place.insert(2, "open", True)
            address = f"{town['id']}:{place['id']}"
            written.notes.append(f"'{address}' has no node. The file makes it an open place around its rooms.")
        if not rooms:
            x, y, width, height = place["rect"]
            wall = 0 if place.get("open") or min(width, height) < 3 else 1
            room = CommentedMap(id=ONLY_ROOM, rect=_flow([x + wall, y + wall, width - 2 * wall, height - 2 * wall]))
            place["rooms"] = CommentedSeq([room])
            written.notes.append(f"'{place['id']}' has no room. The file gives it one, '{ONLY_ROOM}'.")


def _grow(town: CommentedMap) -> None:
    """Makes the town large enough for its places, with a way around them where it is new."""
    rects = [place["rect"] for place in town["places"]]
    size = [max([town["size"][axis], *(it[axis] + it[axis + 2] for it in rects)]) for axis in (0, 1)]
    if list(town["size"]) == [1, 1]:
        size = [size[0] + 1, size[1] + 1]
    _set(town, "size", _flow(size), None)


def _give_doors(town: CommentedMap, written: WrittenTown) -> None:
    """A file with other mistakes gets no doors: whoever reads it is told of the mistakes first."""
    try:
        town_file = TownFile.model_validate(_plain(town))
        open_town = as_town(town_file)
    except (ValidationError, FileProblem):
        return
    for entry, before, after in zip(town["places"], open_town.places, with_doors(open_town).places, strict=True):
        if before.doors != after.doors:
            rooms = entry.pop("rooms")
            entry["doors"] = _flow([_flow(door) for door in after.doors])
            entry["rooms"] = rooms
            written.notes.append(f"'{entry['id']}' gets a door, so that people can walk in: the scene does not say where it is.")


def _set(entry: CommentedMap, key: str, value: Any, default: Any) -> None:
    """Sets a value that the file does not say already. The default is not written."""
    if key in entry and _plain(entry[key]) == _plain(value):
        return
    if key not in entry and _plain(value) == default:
        return
    if _plain(value) == default:
        del entry[key]
    else:
        entry[key] = value


def _flow(values: Iterable[Any]) -> CommentedSeq:
    """A list on one line."""
    found = CommentedSeq(list(values))
    found.fa.set_flow_style()
    return found


def _plain(value: Any) -> Any:
    """The values without comments and styles."""
    if isinstance(value, dict):
        return {str(key): _plain(it) for key, it in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(it) for it in value]
    return str(value) if isinstance(value, str) else value
