"""A server in this process, for commands that play a town themselves; the town still talks to it over a real channel."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import structlog

from npc_server.cli.output import say
from npc_server.config import EngineSettings, Settings
from npc_server.errors import BadInput
from npc_server.llm.engine import Engine, EngineStatus
from npc_server.llm.start import open_embedder, open_engine
from npc_server.rpc.server import start_server
from npc_server.sandbox.connection import Connection
from npc_server.session.host import Host

SUFFIX = ".npcsave"


@dataclass(frozen=True)
class Local:
    """A server that runs here, and a connection to it."""

    host: Host
    connection: Connection

    def engine(self) -> EngineStatus:
        return self.host.engine.status()


def apart(settings: Settings, folder: Path, **mind: object) -> Settings:
    """The settings with another folder of saves, and with these of the section `mind`."""
    parts = {"save": settings.save.model_copy(update={"folder": folder}), "mind": settings.mind.model_copy(update=mind)}
    return settings.model_copy(update=parts)


@asynccontextmanager
async def local_server(settings: Settings, log_file: Path | None = None, engine: Engine | None = None) -> AsyncIterator[Local]:
    """Starts engine (the settings' one where none is given), host and server on a free loopback port; stops them in the end."""
    engine = engine or await open_engine(settings.engine, log_file=log_file)
    embedder = await open_embedder(settings.engine, log_file=log_file)
    host = Host(settings, engine, embedder)
    try:
        # Whatever the settings say of a network: this server is for this process alone.
        alone = settings.server.model_copy(update={"host": "127.0.0.1", "port": 0, "token": "", "tls_cert": None, "tls_key": None})
        server = await start_server(host, alone)
        connection = Connection(server.address, server.token)
        try:
            yield Local(host, connection)
        finally:
            await connection.close()
            await server.stop()
    finally:
        await host.close()


def log_to(stream: TextIO | None = None, level: int = logging.WARNING) -> None:
    """Sends the log to a stream, stderr where left out: what a command prints is its answer alone."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # What stderr is, is asked at each line: whoever runs a command in a program of its own puts another there, and back.
        logger_factory=lambda *_: structlog.PrintLogger(stream or sys.stderr),
    )


def tell_of_model(settings: EngineSettings, status: EngineStatus, instead: str = "The people live by instinct.") -> str:
    """Why there is no model though one is wanted, told on stderr, too; empty where there is, or where none is wanted."""
    problem = "" if settings.instinct_only else status.problem
    if problem:
        say(f"npc-server: {problem} {instead}", err=True)
    return problem


def slot_of(save: Path) -> tuple[Path, str]:
    """The folder and slot of a save file. Raises BadInput for a name that cannot be one."""
    if save.suffix not in ("", SUFFIX):
        raise BadInput(f"{save.name!r} is not the name of a save file.", f"Let it end in {SUFFIX}.", save=save)
    return save.absolute().parent, save.stem
