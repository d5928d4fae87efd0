"""The server: gRPC with its address, TLS, token and health, and the socket beside it."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from npc_server.config import ServerSettings
from npc_server.errors import BadInput, Stopping
from npc_server.llm.engine import EngineStatus
from npc_server.records import Notice, NoticeLevel
from npc_server.rpc import tls
from npc_server.rpc.contract import HostView
from npc_server.rpc.dialogue import DialogueServicer
from npc_server.rpc.handlers import Handlers
from npc_server.rpc.interceptors import UNARY_LIMIT_S, ErrorInterceptor, TokenInterceptor
from npc_server.rpc.minds import MindServicer
from npc_server.rpc.saves import SaveServicer
from npc_server.rpc.socket_front import SocketFront, listen_near
from npc_server.rpc.world import WorldServicer
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc

ALWAYS_SERVED = ("npc_server.v1.SaveService", "npc_server.v1.WorldService", "npc_server.v1.MindService")
"""The services that need no model. Their health is SERVING from the start."""
MODEL_SERVED = ("", "npc_server.v1.DialogueService")
"""The services whose health is SERVING once the model is loaded. The empty name is the server as a whole."""

LEAST_TOKEN = 16
"""The fewest characters of the token where others on the network can reach the server."""
HEALTH_POLL_S = 0.2
"""Wall seconds between two looks at the engine's status."""
MAX_CALLS = 256
"""Calls at once. Further ones are refused with RESOURCE_EXHAUSTED. A game needs a stream and a few calls."""
STORE_LIMIT_S = 10.0
"""Seconds that a stopping server waits for a commit after the grace period."""
KEEPALIVE_MS = 30_000
"""Milliseconds after which the server notices that a game on another machine is gone. On loopback the system says so at once."""

_log = structlog.get_logger("npc_server.rpc")


class RunningServer:
    """A server that listens. `address` is `host:port` for gRPC, and `socket` for games without it; empty if there is no socket.

    `token` must be in the metadata of calls, and in the first frame on the socket.
    """

    def __init__(
        self,
        server: grpc.aio.Server,
        front: SocketFront,
        token: str,
        host: HostView,
        saves: SaveServicer,
        world: WorldServicer,
        grace_s: float,
    ) -> None:
        self.address = ""
        self.socket = ""
        self.token = token
        self._server = server
        self._front = front
        self._host = host
        self._saves = saves
        self.world = world
        self._grace_s = grace_s
        self._health = health.aio.HealthServicer()
        self._watch: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begins to accept calls, and to report health."""
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        for service in ALWAYS_SERVED:
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        await self._tell_health()
        await self._server.start()
        self._watch = asyncio.get_running_loop().create_task(self._watch_model())

    async def stop(self, grace: float | None = None) -> None:
        """Ends streams once their events are stored, gives running calls `grace` seconds, and frees the port. The host stays open."""
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
            self._watch = None
        seconds = self._grace_s if grace is None else grace
        await self._health.enter_graceful_shutdown()
        going = Stopping(
            "The server is stopping; what was acknowledged is on disk.", "Start it again and resend from the last acknowledgement."
        )
        ending = asyncio.get_running_loop().create_task(self._settle(going))
        await asyncio.wait({ending}, timeout=seconds)
        await asyncio.gather(self._server.stop(seconds), self._front.stop(seconds))
        done, _ = await asyncio.wait({ending}, timeout=STORE_LIMIT_S)
        if not done:
            _log.warning("the last events were not stored in time, and what was not acknowledged may be lost", seconds=STORE_LIMIT_S)
            ending.cancel()

    async def _settle(self, going: Stopping) -> None:
        await self.world.end_streams(going)
        await self._saves.settled()

    async def _watch_model(self) -> None:
        """Keeps the health up to date with the model. When it is given up, or no answer can be used, it sends every game one notice."""
        told = _news_of(self._host.engine.status())
        while True:
            await asyncio.sleep(HEALTH_POLL_S)
            await self._tell_health()
            news = _news_of(self._host.engine.status())
            if news is not None and news != told:
                self.world.tell(news)
            told = news

    async def _tell_health(self) -> None:
        serving = not is_loading(self._host.engine.status())
        for service in MODEL_SERVED:
            await self._health.set(
                service, health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
            )


def _news_of(status: EngineStatus) -> Notice | None:
    """What a game should know of its model; None while there is nothing."""
    if status.problem and status.problem == status.choice:
        return Notice(NoticeLevel.WARNING, "NO_MODEL", status.problem)
    if status.problem and not status.model:
        return Notice(NoticeLevel.ERROR, "MODEL_GIVEN_UP", status.problem)
    if status.problem and status.ready:
        return Notice(NoticeLevel.WARNING, "MODEL_UNUSABLE", status.problem)
    return None


def is_loading(status: EngineStatus) -> bool:
    """Returns whether a model is still loading. Without a model NPCs act by instinct, and the server is SERVING."""
    return bool(status.model) and not status.ready and not status.problem


async def start_server(
    host: HostView, settings: ServerSettings, *, port: int | None = None, token: str | None = None, call_s: float = UNARY_LIMIT_S
) -> RunningServer:
    """Starts a server for `host`. `port` and `token` override the settings.

    Port 0 picks a free port, and an empty token makes a new one. `call_s` is how many wall seconds a unary call may take. Raises BadInput
    for an address that cannot be bound, or that others could reach without encryption.
    """
    bind = _checked_host(settings)
    _check_token(bind, token or settings.token)
    certificate = tls.context(settings)
    secret = token or settings.token or secrets.token_urlsafe(32)
    if not (secret.isascii() and secret.isprintable() and not any(char.isspace() for char in secret)):
        raise BadInput("The token holds characters that a call's metadata cannot carry.", "Use letters, digits, '-' and '_'.")
    wanted = settings.port if port is None else port
    server = grpc.aio.server(
        interceptors=[ErrorInterceptor(call_s), TokenInterceptor(secret)],
        options=_options(settings, bind),
        maximum_concurrent_rpcs=MAX_CALLS,
    )
    saves, world, handlers = SaveServicer(host, is_loopback(bind)), WorldServicer(host), Handlers(call_s)
    each: Any
    for each in (server, handlers):
        npc_pb2_grpc.add_SaveServiceServicer_to_server(saves, each)
        npc_pb2_grpc.add_WorldServiceServicer_to_server(world, each)
        npc_pb2_grpc.add_DialogueServiceServicer_to_server(DialogueServicer(host), each)
        npc_pb2_grpc.add_MindServiceServicer_to_server(MindServicer(host), each)
    names = [service.full_name for service in pb.DESCRIPTOR.services_by_name.values()]
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    bound = _bind(server, bind, wanted, settings)
    front = SocketFront(handlers, secret, settings.max_message_bytes, certificate, settings.websocket)
    running = RunningServer(server, front, secret, host, saves, world, settings.stop_grace_s)
    running.address = f"{_bracketed(bind)}:{bound}"
    if is_loopback(bind) or settings.tls_cert is not None:  # never where others can read what is said
        try:
            running.socket = await _open_socket(front, bind, wanted, settings)
        except BadInput:
            await server.stop(0)
            raise
    await running.start()
    _log.info("listening", address=running.address, tls=settings.tls_cert is not None, socket=running.socket)
    return running


def _checked_host(settings: ServerSettings) -> str:
    """Returns the host to listen on. Raises BadInput when others on the network could read the token and what players say."""
    host = settings.host.strip().strip("[]")
    if (settings.tls_cert is None) != (settings.tls_key is None):
        have, lack = ("tls_cert", "tls_key") if settings.tls_cert else ("tls_key", "tls_cert")
        raise BadInput(f"Setting server.{have} is given without server.{lack}.", "Give both PEM files, or neither.")
    if is_loopback(host) or settings.tls_cert is not None or settings.insecure_network:
        return host
    raise BadInput(
        f"Setting server.host is {host!r}, which others on the network can reach, and there is no TLS.",
        "Use 127.0.0.1, or give server.tls_cert and server.tls_key, or set server.insecure_network if the network is yours alone.",
        host=host,
    )


def _check_token(host: str, token: str) -> None:
    """Raises BadInput when others on the network can reach the server and its token is none that they need long to find.

    One of our own making would not do: the games are on other machines, and each start makes another.
    """
    if not is_loopback(host) and len(token) < LEAST_TOKEN:
        held = f"has {len(token)} characters" if token else "is empty"
        raise BadInput(
            f"Others on the network can reach server.host {host!r}, and server.token {held}.",
            f"Set server.token to a random text of at least {LEAST_TOKEN} characters, such as `openssl rand -hex 32` prints, "
            "and give the game the same as npc/server/token.",
        )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _bind(server: grpc.aio.Server, host: str, port: int, settings: ServerSettings) -> int:
    place = f"{_bracketed(host)}:{port}"
    cause: RuntimeError | None = None
    bound = 0
    try:
        if settings.tls_cert is not None and settings.tls_key is not None:
            bound = server.add_secure_port(place, tls.credentials(settings))
        else:
            bound = server.add_insecure_port(place)
    except RuntimeError as error:
        cause = error
    if not bound:
        files = " or the TLS files hold no valid certificate and key" if settings.tls_cert else ""
        raise BadInput(
            f"Cannot listen on {place}: it is in use, not an address of this machine, or not allowed{files}.",
            "Stop the other server, or choose another port (0 picks a free one).",
            address=place,
        ) from cause
    return int(bound)


async def _open_socket(front: SocketFront, host: str, port: int, settings: ServerSettings) -> str:
    """Listens for games without gRPC, on a port of the settings or near `port`. Returns the address. Raises BadInput."""
    own = settings.socket_port
    only = "127.0.0.1" if host == "localhost" else host  # a name may stand for two addresses, with a free port of its own on each
    try:
        found = await (listen_near(front, only, port) if own is None else front.listen(only, own))
    except OSError as error:
        place = f"{_bracketed(only)}:{own or 0}"
        raise BadInput(
            f"Cannot listen on {place}: {error.strerror or error}.",
            "Set server.socket_port to another port (0 picks a free one).",
            address=place,
        ) from error
    scheme = "tls://" if settings.tls_cert is not None else ""
    return f"{scheme}{_bracketed(only)}:{found}"


def _options(settings: ServerSettings, host: str) -> list[tuple[str, Any]]:
    options: list[tuple[str, Any]] = [
        ("grpc.so_reuseport", 0),  # otherwise two servers could share a port, and a game would reach either of them
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", settings.max_message_bytes),
    ]
    if not is_loopback(host):
        options += [("grpc.keepalive_time_ms", KEEPALIVE_MS), ("grpc.keepalive_timeout_ms", KEEPALIVE_MS // 3)]
    return options
