"""`npc-server serve`: the server as a process, for the game that starts it or for a developer who lets it run."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer

from npc_server import __version__
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput, NpcServerError
from npc_server.llm.start import open_embedder, open_engine
from npc_server.rpc.server import RunningServer, start_server
from npc_server.session import Host

SWITCH_S = 0.001
"""How long a thread may keep Python's lock while another waits for it, in seconds. Python's own default is 0.005."""
PARENT_POLL_S = 0.5
"""Where the system cannot tell of a process's end by itself."""


def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind; anything but loopback needs TLS or --insecure-network.")] = None,
    port: Annotated[int | None, typer.Option(help="TCP port; 0 picks a free one.")] = None,
    ready_file: Annotated[
        Path | None,
        typer.Option(help="File that gets address, token, pid and version as JSON once the server listens; removed at the end."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(help="Token that calls must carry; a fresh one where left out. Others on this machine can see a command's flags."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="A model's name or GGUF file, or `none` for instinct.")] = None,
    embedding_model: Annotated[str | None, typer.Option(help="Likewise for embeddings; `none` uses hashed words.")] = None,
    save_folder: Annotated[Path | None, typer.Option(help="Folder of the saves.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="PEM certificate chain.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM private key.")] = None,
    insecure_network: Annotated[bool, typer.Option("--insecure-network", help="Allow a non-loopback address without TLS.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
    parent_pid: Annotated[int | None, typer.Option(min=1, help="Stop once the process of this id is gone.")] = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON lines.")] = False,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Serves a game's minds until it is told to stop (Ctrl-C, SIGTERM, or the end of --parent-pid)."""
    configure_log(log_level, as_json=log_json)
    server: dict[str, Any] = {"host": host, "port": port, "token": token, "tls_cert": tls_cert, "tls_key": tls_key}
    if insecure_network:
        server["insecure_network"] = True
    flags: dict[str, dict[str, Any]] = {
        "server": server,
        "engine": {"model": model, "embedding_model": embedding_model},
        "save": {"folder": save_folder},
    }
    given = {name: {key: value for key, value in section.items() if value is not None} for name, section in flags.items()}
    with telling(ready_file):
        settings = load_settings(config, **{name: section for name, section in given.items() if section})
        asyncio.run(run(settings, ready_file=ready_file, parent_pid=parent_pid))


async def run(settings: Settings, *, ready_file: Path | None = None, parent_pid: int | None = None) -> None:
    """Serves until a signal or the parent's end; then ends streams, cancels thoughts and checkpoints the saves."""
    # A thread that reads a large save lets the streams wait for Python's lock no longer than this; by default it is five times as long.
    sys.setswitchinterval(SWITCH_S)
    stop = asyncio.Event()
    with signals(stop):
        async with serving(settings) as running, watching(parent_pid, stop):
            # What the program itself consists of is never garbage; looking through it would hold the streams up for a tenth of a second.
            gc.collect()
            gc.freeze()
            if ready_file is not None:
                write_ready(ready_file, running)
            try:
                await stop.wait()
            finally:
                remove_ready(ready_file)


@asynccontextmanager
async def serving(settings: Settings, make_host: Callable[..., Host] = Host) -> AsyncIterator[RunningServer]:
    """The server with engine, embedder and host. It listens while the model still loads; health says so."""
    engine = await open_engine(settings.engine, wait=False)
    embedder = await open_embedder(settings.engine)
    host = make_host(settings, engine, embedder)
    try:
        running = await start_server(host, settings.server)
        try:
            yield running
        finally:
            await running.stop()
    finally:
        await host.close()


@contextlib.contextmanager
def telling(ready_file: Path | None) -> Iterator[None]:
    """Writes what keeps the server from starting into the ready file, too: a game cannot see the server's stderr."""
    try:
        yield
    except NpcServerError as error:
        if ready_file is not None:
            with contextlib.suppress(BadInput):  # the error itself matters more than a ready file that cannot be written
                _write_ready(ready_file, {"error": str(error)})
        raise


def write_ready(path: Path, running: RunningServer) -> None:
    """Tells a waiting game where the server is. Raises BadInput."""
    _write_ready(path, {"address": running.address, "token": running.token, "pid": os.getpid(), "version": __version__})


def _write_ready(path: Path, told: Mapping[str, object]) -> None:
    """All at once, so that a game that waits for it never reads half; for this user alone, since it holds the token.

    Raises BadInput.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(told, file)
        draft.replace(path)
    except OSError as error:
        raise BadInput(
            f"Cannot write the ready file {str(path)!r}: {error.strerror}.", "Name a file in a folder that can be written."
        ) from error


def remove_ready(path: Path | None) -> None:
    if path is not None:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def signals(stop: asyncio.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set `stop`; a second one ends the process as usual."""
    loop = asyncio.get_running_loop()
    taken = (signal.SIGINT, signal.SIGTERM)

    def first() -> None:
        stop.set()
        for kind in taken:
            loop.remove_signal_handler(kind)

    for kind in taken:
        loop.add_signal_handler(kind, first)
    try:
        yield
    finally:
        for kind in taken:
            loop.remove_signal_handler(kind)


@asynccontextmanager
async def watching(pid: int | None, stop: asyncio.Event) -> AsyncIterator[None]:
    """Sets `stop` once the process `pid` is gone; at once when it is gone already."""
    if pid is None:
        yield
        return
    watch = asyncio.get_running_loop().create_task(_then_set(gone(pid), stop))
    try:
        yield
    finally:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch


async def _then_set(wait: Awaitable[None], stop: asyncio.Event) -> None:
    await wait
    structlog.get_logger("npc_server").info("the process that started this server is gone")
    stop.set()


async def gone(pid: int) -> None:
    """Returns when the process has ended, even if nobody has waited for it yet."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # not Linux, an old one, or not allowed
        while _runs(pid):  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(PARENT_POLL_S)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def configure_log(level: str, *, as_json: bool) -> None:
    """Structured lines on stderr, so that stdout stays free. Raises BadInput."""
    number = logging.getLevelName(level.upper())
    if not isinstance(number, int):
        raise BadInput(f"Flag --log-level is {level!r}.", "Use debug, info, warning or error.")
    ending: list[Any] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    if not as_json:
        ending = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            *ending,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
