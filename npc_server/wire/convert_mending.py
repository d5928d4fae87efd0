"""Converts the calls that add, edit and delete memories. A function `…_from_wire` raises BadInput that names the field."""

from __future__ import annotations

from npc_server.errors import BadInput
from npc_server.records import MemoryChange, MemorySource
from npc_server.session.audience import Audience
from npc_server.session.mend import NewMemory
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields

GAME = "game"
"""Who changed a memory, unless the call says it."""
HEARSAY = (MemorySource.HEARD, MemorySource.TOLD)


def audience_from_wire(it: pb.Audience, field: str = "to") -> Audience:
    for name, values in (("npc_ids", it.npc_ids), ("factions", it.factions), ("places", it.places)):
        fields.count(values, f"{field}.{name}", fields.MAX_PERSONAS)
    return Audience(
        npcs=tuple(fields.npc_id(npc, f"{field}.npc_ids[{i}]") for i, npc in enumerate(it.npc_ids)),
        factions=tuple(fields.line(faction, f"{field}.factions[{i}]", required=True) for i, faction in enumerate(it.factions)),
        places=tuple(fields.address(place, f"{field}.places[{i}]") for i, place in enumerate(it.places)),
        everybody=it.everybody,
    )


def new_memory_from_wire(it: pb.AddMemoryRequest) -> NewMemory:
    teller = fields.line(it.source_person, "source_person")
    return NewMemory(
        text=memory_text(it.text, required=True),
        source=_source(it, teller),
        source_person=teller,
        importance=fields.whole(it.importance, "importance", 0, 10),
        at=fields.time(it.at_s, "at_s"),
        address=fields.address(it.address, "address", required=False),
        subject=fields.line(it.subject, "subject"),
        key=key(it.key),
        by=author(it.by),
    )


def _source(it: pb.AddMemoryRequest, teller: str) -> MemorySource:
    if it.source == pb.MEMORY_SOURCE_UNSPECIFIED:
        return MemorySource.TOLD if teller else MemorySource.KNOWN
    source = fields.read_enum(MemorySource, pb.MemorySource, it.source, "source")
    if source is MemorySource.THOUGHT:
        raise fields.bad("source", source.value, "a thought is the mind's own", "Use Whisper to give an NPC an intention.")
    if source is MemorySource.TOLD and not teller:
        what = "Field source is 'told', and source_person is empty."
        raise BadInput(what, "Say who told it, or use the source KNOWN.", field="source_person")
    if source not in HEARSAY and teller:
        raise fields.bad("source_person", teller, f"the source is {source.value}", "Leave it out, or use the source TOLD or HEARD.")
    return source


def memory_text(value: str, *, required: bool = False) -> str:
    """Returns a memory's sentence on one line. Raises BadInput when it is too long, or empty and required."""
    said = " ".join(fields.text(value, "text", required=required).split())
    return said or (fields.text("", "text", required=True) if value or required else "")


def key(value: str) -> str:
    """Returns the name that a game gives a memory. Raises BadInput for one that the server gives itself."""
    if value.startswith("#"):
        raise fields.bad("key", value, "names that begin with # are given by the server", "Begin it with a letter.")
    return fields.line(value, "key")


def author(value: str) -> str:
    return fields.line(value, "by") or GAME


def change_to_wire(it: MemoryChange) -> pb.MemoryChange:
    return pb.MemoryChange(
        memory_id=it.memory,
        kind=fields.write_enum(pb.MemoryChangeKind, it.kind),
        at_s=it.at,
        by=it.by,
        former_text=it.former_text,
        former_importance=it.former_importance,
    )
