"""`npc-server serve`: runs the server."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer

from npc_server.cli.options import Config, EmbeddingModel, Model, SaveFolder
from npc_server.config import load_settings
from npc_server.errors import BadInput
from npc_server.rpc.ready_file import start_errors_in
from npc_server.rpc.serve import serve as run_server


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on. Any but loopback needs a token, and TLS or --insecure-network.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="TCP port to listen on; 0 picks a free one.")] = None,
    ready_file: Annotated[
        Path | None, typer.Option(help="File to write addresses, token, pid and version to, as JSON, when the server is ready.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="Token that every call must send. Other users may see it. Default: a new random one.")
    ] = None,
    model: Model = None,
    embedding_model: EmbeddingModel = None,
    save_folder: SaveFolder = None,
    tls_cert: Annotated[Path | None, typer.Option(help="File of the TLS certificate chain, in PEM format.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="File of the TLS private key, in PEM format.")] = None,
    insecure_network: Annotated[bool, typer.Option("--insecure-network", help="Allow an address other than loopback without TLS.")] = False,
    config: Config = None,
    parent_pid: Annotated[int | None, typer.Option(min=1, help="Stop when the process with this id has ended.")] = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Write the log as JSON lines.")] = False,
    log_level: Annotated[str, typer.Option(help="Least level to log: debug, info, warning or error.")] = "info",
) -> None:
    """Run the server until Ctrl-C, SIGTERM, or the end of the process --parent-pid."""
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
    with start_errors_in(ready_file):
        settings = load_settings(config, **{name: section for name, section in given.items() if section})
        asyncio.run(run_server(settings, ready=ready_file, parent_pid=parent_pid))


def configure_log(level: str, *, as_json: bool) -> None:
    """Sends structured log lines to stderr, so that stdout stays free. Raises BadInput for an unknown level."""
    number = logging.getLevelName(level.upper())
    if not isinstance(number, int):
        raise BadInput(f"Option --log-level is {level!r}.", "Use debug, info, warning or error.")
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
