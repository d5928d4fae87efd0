"""Converts a game's files from messages to records, and what changed in them to messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.records import Document
from npc_server.session.game_files import FileChange, GameFiles
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields
from npc_server.wire.convert import document_from_wire


def files_from_wire(it: pb.OpenSaveRequest | pb.ApplyFilesRequest, local: bool) -> GameFiles:
    """Reads the files of a request. Raises BadInput.

    If the game is not `local`, their paths are removed, so that no file of this machine is read for another.
    """
    fields.count(it.personas, "personas", fields.MAX_PERSONAS)
    game = game_from_wire(it) if isinstance(it, pb.OpenSaveRequest) else ""
    files = GameFiles(game, town_from_wire(it), personas_from_wire(it.personas), mods_from_wire(it.mods))
    return files if local else without_paths(files)


def without_paths(files: GameFiles) -> GameFiles:
    def bare(documents: Sequence[Document]) -> tuple[Document, ...]:
        return tuple(replace(document, path="") for document in documents)

    town = replace(files.town, path="") if files.town is not None else None
    return replace(files, town=town, personas=bare(files.personas), mods=bare(files.mods))


def game_from_wire(it: pb.CreateSaveRequest | pb.OpenSaveRequest) -> str:
    return fields.line(it.game, "game").strip()


def town_from_wire(it: pb.CreateSaveRequest | pb.OpenSaveRequest | pb.ApplyFilesRequest) -> Document | None:
    """Returns the town file, or None when the request has none or an empty one. Raises BadInput."""
    return document_from_wire(it.town, "town") if it.HasField("town") and it.town.text else None


def personas_from_wire(personas: Sequence[pb.Document]) -> tuple[Document, ...]:
    return tuple(document_from_wire(document, f"personas[{i}]") for i, document in enumerate(personas))


def mods_from_wire(mods: Sequence[pb.Document]) -> tuple[Document, ...]:
    """Raises BadInput."""
    fields.count(mods, "mods", fields.MAX_MOD_FILES)
    return tuple(document_from_wire(document, f"mods[{i}]") for i, document in enumerate(mods))


def change_to_wire(it: FileChange) -> pb.FileChange:
    return pb.FileChange(file=it.file, npc_id=it.npc, kind=fields.write_enum(pb.ChangeKind, it.kind), summary=it.summary)
