"""Interrupts a decode from another thread, so that a player's request need not wait for a long batch of other requests.

llama.cpp calls an abort callback after each operation on a processor, and the decode then stops. It must not be used with a graphics card:
see `LlamaContext.decode`.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import llama_cpp as lib


class Interrupt:
    """After `ask`, from any thread, the decode that runs stops early if it may be interrupted. So do the next ones, until `clear`."""

    def __init__(self) -> None:
        # A C string that is empty until `ask` is called. C's own strlen is the callback, and its result is the answer. A callback in
        # Python would have to take the interpreter lock after each of the thousand operations of a decode.
        self._asked = ctypes.create_string_buffer(2)
        library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        self._is_asked: Any = ctypes.cast(library.strlen, lib.ggml_abort_callback)
        self._never: Any = lib.ggml_abort_callback()

    def ask(self) -> None:
        self._asked[0] = b"\x01"

    def clear(self) -> None:
        self._asked[0] = b"\x00"

    def listen(self, context: Any, may_interrupt: bool) -> None:
        """Sets whether the next decodes of a context may be interrupted."""
        function = self._is_asked if may_interrupt else self._never
        lib.llama_set_abort_callback(context, function, ctypes.cast(self._asked, ctypes.c_void_p))
