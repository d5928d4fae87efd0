"""What commands print, on consoles and in files that do not write UTF-8 by themselves."""

from __future__ import annotations

import io
import sys


def print_utf8() -> None:
    """Let stdout and stderr write UTF-8. A pipe on Windows has an old code page, in which `…` and most names cannot be written."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(encoding="utf-8", errors="replace")
