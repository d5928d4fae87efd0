"""Text chunks of PNG files, in which cards travel. The picture is not decoded."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Sequence

from npc_server.personas.cards.card import MOST_JSON, wrong

SIGNATURE = b"\x89PNG\r\n\x1a\n"
V2_KEY, V3_KEY = "chara", "ccv3"
_U32 = struct.Struct(">I")
_WITHOUT_PICTURE = 64
"""Pixels of each side of the portrait that is made where there is none."""


def is_png(raw: bytes) -> bool:
    return raw.startswith(SIGNATURE)


def cards_in(raw: bytes, file: str) -> dict[str, bytes]:
    """The JSON of each card in a PNG, by the keyword of its chunk. Of several with one keyword the first. Raises FileProblem."""
    found: dict[str, bytes] = {}
    for kind, body, is_sound in _chunks(raw, file):
        key = _card_key(kind, body)
        if not key or key in found:
            continue
        if not is_sound:
            raise wrong(file, f"The card in the chunk {key!r} is damaged: its checksum is wrong.", "Get the file again.")
        packed = body[len(key) + 1 :]
        if len(packed) > MOST_JSON * 4 // 3 + 4:
            raise wrong(file, f"The card in the chunk {key!r} has {len(packed):,} bytes.", f"At most {MOST_JSON:,} are allowed.")
        try:
            found[key] = base64.b64decode(packed, validate=True)
        except binascii.Error as error:
            raise wrong(file, f"The card in the chunk {key!r} is not base64: {error}.", "Get the file again.") from error
    return found


def without_cards(raw: bytes, file: str) -> bytes:
    """The PNG without the cards in it. All other chunks stay. Raises FileProblem."""
    return SIGNATURE + b"".join(_chunk(kind, body) for kind, body, _ in _chunks(raw, file) if not _card_key(kind, body))


def with_cards(portrait: bytes, cards: Sequence[tuple[str, bytes]], file: str) -> bytes:
    """The PNG with cards (keyword and JSON) before its end. Raises FileProblem."""
    bare = without_cards(portrait or plain(), file)
    chunks = b"".join(_chunk(b"tEXt", key.encode() + b"\0" + base64.b64encode(raw)) for key, raw in cards)
    end = bare.rindex(_chunk(b"IEND", b""))
    return bare[:end] + chunks + bare[end:]


def plain() -> bytes:
    """A grey square, for a card without a portrait."""
    header = struct.pack(">IIBBBBB", _WITHOUT_PICTURE, _WITHOUT_PICTURE, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\x80" * _WITHOUT_PICTURE) * _WITHOUT_PICTURE
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _card_key(kind: bytes, body: bytes) -> str:
    """The keyword of a chunk that holds a card; empty for other chunks."""
    key = body[: body.find(b"\0")].decode("latin-1").lower() if kind == b"tEXt" else ""
    return key if key in (V2_KEY, V3_KEY) else ""


def _chunks(raw: bytes, file: str) -> Iterator[tuple[bytes, bytes, bool]]:
    """Kind, body, and whether the checksum is right, of each chunk up to the end of the picture."""
    at, kind = len(SIGNATURE), b""
    while kind != b"IEND":
        if at + 12 > len(raw) or at + 12 + (size := _U32.unpack_from(raw, at)[0]) > len(raw):
            raise wrong(file, f"The PNG is cut short after {len(raw):,} bytes.", "Get the file again.")
        kind, body = raw[at + 4 : at + 8], raw[at + 8 : at + 8 + size]
        yield kind, body, _U32.unpack_from(raw, at + 8 + size)[0] == zlib.crc32(raw[at + 4 : at + 8 + size])
        at += 12 + size


def _chunk(kind: bytes, body: bytes) -> bytes:
    return _U32.pack(len(body)) + kind + body + _U32.pack(zlib.crc32(kind + body))
