"""The protocol between the server and the model process: frames, each one JSON object on a line. Unlike pickle, JSON cannot run code.

The server first sends an `init` frame, and then `do` frames. The items of a `do` frame are handled together, so that requests sent at
once are batched the same way in every run.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npc_server import errors
from npc_server.errors import EngineError

MAX_FRAME_BYTES = 64 * 1024 * 1024
Frame = dict[str, Any]
Send = Callable[[Frame], None]
"""Sends a frame to the server."""


class BrokenFrame(Exception):
    """The other side sent something that is not a frame."""


def pack(frame: Frame) -> bytes:
    """Writes a frame as a line. Raises ValueError for infinite numbers and NaN."""
    return json.dumps(frame, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode() + b"\n"


def unpack(line: bytes) -> Frame:
    """Reads a frame from a line. Raises BrokenFrame."""
    try:
        frame = json.loads(line)
    except ValueError as error:
        raise BrokenFrame(f"not a frame: {line[:100]!r}") from error
    if not isinstance(frame, dict):
        raise BrokenFrame(f"not a frame: {line[:100]!r}")
    return frame


def pack_vectors(rows: NDArray[np.float32]) -> Frame:
    """Writes vectors of shape (texts, dimensions)."""
    return {"shape": list(rows.shape), "data": base64.b64encode(np.ascontiguousarray(rows, "<f4").tobytes()).decode("ascii")}


def unpack_vectors(frame: Frame) -> NDArray[np.float32]:
    """Reads what `pack_vectors` wrote. Raises BrokenFrame."""
    try:
        rows, columns = (int(n) for n in frame["shape"])
        return np.frombuffer(base64.b64decode(frame["data"]), "<f4").reshape(rows, columns).astype(np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenFrame(f"not vectors: {error}") from error


def pack_error(error: EngineError) -> Frame:
    return {"class": type(error).__name__, "what": error.what, "fix": error.fix, "values": error.values}


def unpack_error(frame: Frame) -> EngineError:
    """Reads what `pack_error` wrote. An unknown class becomes EngineError."""
    found = getattr(errors, str(frame.get("class", "")), EngineError)
    kind = found if isinstance(found, type) and issubclass(found, EngineError) else EngineError
    values = frame.get("values")
    error = kind(str(frame.get("what", "")), str(frame.get("fix", "")))
    error.values = {str(k): str(v) for k, v in values.items()} if isinstance(values, dict) else {}
    return error
