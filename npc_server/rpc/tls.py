"""The certificate of the server, for gRPC and for the socket. Both read the same two files."""

from __future__ import annotations

import ssl

import grpc

from npc_server.config import ServerSettings
from npc_server.errors import BadInput


def credentials(settings: ServerSettings) -> grpc.ServerCredentials:
    """Return the certificate as gRPC takes it. Raises BadInput."""
    return grpc.ssl_server_credentials([(_read(settings, "tls_key"), _read(settings, "tls_cert"))])


def context(settings: ServerSettings) -> ssl.SSLContext | None:
    """Return the certificate as the socket takes it; None without one. Raises BadInput."""
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    for name in ("tls_cert", "tls_key"):
        _read(settings, name)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        made.load_cert_chain(settings.tls_cert, settings.tls_key, password=_refuse_password)
    except (ssl.SSLError, ValueError) as error:
        raise BadInput(
            f"The TLS files {str(settings.tls_cert)!r} and {str(settings.tls_key)!r} cannot be used: {error}.",
            "Give the certificate chain and its own private key, without a password, in PEM format.",
        ) from error
    return made


def _refuse_password() -> str:
    """A server asks nobody: it may have no terminal."""
    raise ValueError("the key has a password")


def _read(settings: ServerSettings, name: str) -> bytes:
    path = settings.tls_cert if name == "tls_cert" else settings.tls_key
    assert path is not None
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"Setting server.{name} is {str(path)!r}, which cannot be read: {error.strerror}.", "Name a PEM file.") from error
    if b"-----BEGIN" not in data:
        raise BadInput(f"Setting server.{name} is {str(path)!r}, which is not a PEM file.", "Name a file with '-----BEGIN …' lines.")
    return data
