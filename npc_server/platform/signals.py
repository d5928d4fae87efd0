"""Ctrl-C and the request to end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator

from npc_server.platform.system import is_portable


@contextlib.contextmanager
def stop_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM (Ctrl-Break on Windows) set `stop`. A second one ends the process at once. Call it in the event loop."""
    loop = asyncio.get_running_loop()
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGBREAK] if hasattr(signal, "SIGBREAK") else [])]
    with contextlib.ExitStack() as undo:

        def on_first() -> None:
            stop.set()
            undo.close()

        for number in numbers:
            with contextlib.suppress(RuntimeError, ValueError):  # not the main thread
                if is_portable():  # the event loop of Windows takes no signal handlers
                    before = signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(on_first))
                    undo.callback(_restore, number, before)
                else:
                    loop.add_signal_handler(number, on_first)
                    undo.callback(loop.remove_signal_handler, number)
        yield


def _restore(number: signal.Signals, before: object) -> None:
    signal.signal(number, before if callable(before) or isinstance(before, signal.Handlers) else signal.SIG_DFL)
