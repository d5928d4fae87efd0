"""The error of a call: a code, a stable reason, and a message that says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

DETAILS_KEY = "grpc-status-details-bin"


class CallError(Exception):
    """Why a call failed. The game gets it as a `failed` event, the same over each transport."""

    def __init__(self, message: str, *, code: str = "INVALID_ARGUMENT", reason: str = "BRIDGE_INPUT", **details: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details

    def event(self) -> dict[str, object]:
        return {"event": "failed", "code": self.code, "reason": self.reason, "message": self.message, "details": dict(self.details)}


class _Code(Protocol):
    @property
    def name(self) -> str: ...


def from_status(code: _Code, message: str, trailing: Iterable[tuple[str, str | bytes]] | None) -> CallError:
    """A gRPC status as a CallError; the reason comes from google.rpc.ErrorInfo when the server sent one."""
    name, reason, details = code.name, "", {}
    for key, value in trailing or ():
        if key != DETAILS_KEY or not isinstance(value, bytes):
            continue
        try:
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    reason, details = info.reason or reason, dict(info.metadata)
        except DecodeError:  # the code and the message are still good
            continue
    if name == "INTERNAL" and not reason:
        # Each INTERNAL of the server carries a reason; this one is gRPC's own, for a connection that broke in the middle of a message.
        name = "UNAVAILABLE"
    return CallError(message or f"The call ended with {code.name}.", code=name, reason=reason or name, **details)
