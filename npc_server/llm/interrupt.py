"""Ends a decode from another thread, in the middle of its work: a player's line does not wait for a long batch of others' thoughts.

llama.cpp asks a function after each operation whether it should stop; processors do, most graphics cards compute on to the end.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import llama_cpp as lib


class Interrupt:
    """`ask` from any thread. The decode that runs then ends unfinished, if it may be interrupted; so do the next ones until `clear`."""

    def __init__(self) -> None:
        # An empty C string as long as nobody asks. C's own strlen reads it: a function of Python's would have to take the interpreter
        # after each of a decode's thousand operations.
        self._asked = ctypes.create_string_buffer(2)
        library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        self._is_asked: Any = ctypes.cast(library.strlen, lib.ggml_abort_callback)
        self._nobody: Any = lib.ggml_abort_callback()

    def ask(self) -> None:
        self._asked[0] = b"\x01"

    def clear(self) -> None:
        self._asked[0] = b"\x00"

    def listen(self, context: Any, may_interrupt: bool) -> None:
        """Whether the next decodes of a context may be interrupted."""
        function = self._is_asked if may_interrupt else self._nobody
        lib.llama_set_abort_callback(context, function, ctypes.cast(self._asked, ctypes.c_void_p))
