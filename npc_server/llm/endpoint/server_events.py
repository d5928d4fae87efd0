"""Reads a stream of server-sent events, in which endpoints send a reply while it is written."""

from __future__ import annotations

MOST_BYTES = 1 << 22
"""A line or an event that is longer is no piece of a reply, and its stream is not read any further."""


class ServerEvents:
    """Takes the bytes of one stream as they come."""

    def __init__(self) -> None:
        self._rest = b""
        """A line that has not ended yet."""
        self._data: list[str] = []
        self._size = 0
        """Bytes of `_data`."""

    def take(self, piece: bytes) -> list[str]:
        """Returns the data of each event that is whole now. Comments and other fields are left out. Raises ValueError for a long one."""
        text = self._rest + piece
        # Lines end with LF, CR or both. A CR at the end may be the first half of both.
        end = max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1
        self._rest = text[end:]
        if len(self._rest) > MOST_BYTES:
            raise ValueError(f"a line has more than {MOST_BYTES} bytes")
        found: list[str] = []
        for line in text[:end].splitlines():
            if line.startswith(b"data:"):
                self._size += len(line)
                if self._size > MOST_BYTES:
                    raise ValueError(f"an event has more than {MOST_BYTES} bytes")
                self._data.append(line[5:].removeprefix(b" ").decode("utf-8", "replace"))
            elif not line and self._data:
                found.append("\n".join(self._data))
                self._data.clear()
                self._size = 0
        return found
