"""The ways into the socket: TCP, TLS, and WebSocket over each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from npc_server.config import ServerSettings
from npc_server.rpc.server import RunningServer
from tests.rpc.fakes import settings
from tests.rpc.frames import SocketGame

KINDS = ("tcp", "tls", "ws", "wss")


@dataclass(frozen=True)
class Door:
    """One of the ways, with the certificate of the server."""

    kind: str
    cert: Path
    key: Path

    @property
    def is_encrypted(self) -> bool:
        return self.kind in ("tls", "wss")

    def settings(self, **values: object) -> ServerSettings:
        """Settings of a server that lets games in this way."""
        files = {"tls_cert": self.cert, "tls_key": self.key} if self.is_encrypted else {}
        return settings(websocket=self.kind in ("ws", "wss"), **files, **values)

    def address(self, server: RunningServer) -> str:
        return f"{self.kind}://{server.socket.rpartition('://')[2]}"

    async def connect(self, server: RunningServer, token: str | None = None, limit: int = 1 << 16) -> SocketGame:
        return await SocketGame.connect(self.address(server), token, limit, self.cert if self.is_encrypted else None)
