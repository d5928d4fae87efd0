"""Runs a server in this process, for commands that play a town. The town uses it over a gRPC channel, as a game does."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from npc_server.config import Settings
from npc_server.llm.engine import Engine
from npc_server.llm.start import missing_model, open_embedder, open_engine
from npc_server.llm.worker import without_game
from npc_server.local.play_here import ConnectionHere
from npc_server.rpc.server import start_server
from npc_server.sandbox.connection import Connection
from npc_server.session.host import Host

CALL_S = 7 * 24 * 3600.0
"""Wall seconds that a call may take. A person who writes answers, or a large model on a small machine, is slow."""
PATIENCE_S = 5.0
"""Wall seconds for which somebody who wants to play waits for an endpoint or the bank. What comes later is used from then on."""


@dataclass(frozen=True)
class Local:
    """A server in this process, and a connection to it."""

    host: Host
    connection: Connection
    engine: Engine
    """As it was opened, without what the host adds to it."""
    problem: str
    """Why a wanted model is missing. Empty if none is."""


def with_own_saves(settings: Settings, folder: Path, **mind: object) -> Settings:
    """Returns the settings with another folder of saves, and with changed values of the section `mind`."""
    parts = {"save": settings.save.model_copy(update={"folder": folder}), "mind": settings.mind.model_copy(update=mind)}
    return settings.model_copy(update=parts)


@asynccontextmanager
async def local_server(
    settings: Settings,
    log_file: Path | None = None,
    engine: Engine | None = None,
    *,
    has_player: bool = True,
    patience_s: float = math.inf,
) -> AsyncIterator[Local]:
    """Starts an engine, a host and a server on a free loopback port, and stops them in the end.

    Without a player the server has all cores, the town's stream needs no network, and the vectors of all texts are kept for the
    next play. The default engine is that of the settings. Whatever takes longer than `patience_s` wall seconds goes on in the background:
    an endpoint that is not met yet, and the vectors of the bank.
    """
    if not has_player:
        settings = settings.model_copy(update={"engine": without_game(settings.engine)})
    engine = engine or await open_engine(settings.engine, log_file=log_file, patience_s=patience_s)
    embedder = await open_embedder(settings.engine, log_file=log_file, keeps_all=not has_player)
    host = Host(settings, engine, embedder)
    try:
        # A play does not depend on how long this takes.
        await (host.chooser.bank.prepare() if patience_s == math.inf else host.chooser.bank.ready())
        # Only this process may use this server, so the server settings are ignored.
        alone = settings.server.model_copy(update={"host": "127.0.0.1", "port": 0, "token": "", "tls_cert": None, "tls_key": None})
        server = await start_server(host, alone, call_s=CALL_S)
        connection = Connection(server.address, server.token, CALL_S) if has_player else ConnectionHere(server, CALL_S)
        try:
            yield Local(host, connection, engine, missing_model(settings.engine, engine))
        finally:
            await connection.close()
            await server.stop()
    finally:
        await host.close()
