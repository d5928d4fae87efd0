"""Turns errors into gRPC statuses. This is the only place where an error gets its status code."""

from __future__ import annotations

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from npc_server import errors
from npc_server.errors import NpcServerError

DOMAIN = "npc-server"

MAX_MESSAGE_BYTES = 1_200
"""A status is sent in HTTP/2 trailers, of which clients accept 8 KiB. They hold the message twice, once percent-encoded."""
MAX_VALUE_BYTES = 200
MAX_VALUES = 8

CODES: tuple[tuple[type[NpcServerError], int], ...] = (
    (errors.UnknownName, code_pb2.NOT_FOUND),
    (errors.BadInput, code_pb2.INVALID_ARGUMENT),
    (errors.SaveNotFound, code_pb2.NOT_FOUND),
    (errors.SaveExists, code_pb2.ALREADY_EXISTS),
    (errors.SaveInUse, code_pb2.FAILED_PRECONDITION),
    (errors.SaveTooNew, code_pb2.FAILED_PRECONDITION),
    (errors.SaveDamaged, code_pb2.DATA_LOSS),
    (errors.SaveFull, code_pb2.RESOURCE_EXHAUSTED),
    (errors.SaveError, code_pb2.FAILED_PRECONDITION),
    (errors.NoSession, code_pb2.FAILED_PRECONDITION),
    (errors.GameLoaded, code_pb2.ABORTED),
    (errors.NotAllowed, code_pb2.UNAUTHENTICATED),
    (errors.Overloaded, code_pb2.RESOURCE_EXHAUSTED),
    (errors.StreamReplaced, code_pb2.ABORTED),
    (errors.Stopping, code_pb2.UNAVAILABLE),
    (errors.ModelMissing, code_pb2.UNAVAILABLE),
    (errors.ModelRejected, code_pb2.FAILED_PRECONDITION),
    (errors.ModelDied, code_pb2.UNAVAILABLE),
    (errors.PromptTooLong, code_pb2.INVALID_ARGUMENT),
    (errors.ReplyUnreadable, code_pb2.INTERNAL),
    (errors.DeadlinePassed, code_pb2.DEADLINE_EXCEEDED),
    (errors.EngineError, code_pb2.UNAVAILABLE),
    (errors.NpcServerError, code_pb2.INTERNAL),
)
"""An error gets the code of the first class here that it is an instance of, so subclasses come before their base classes."""


def code_of(error: NpcServerError) -> int:
    """Returns the google.rpc code of an error."""
    return next(code for kind, code in CODES if isinstance(error, kind))


def to_status(error: NpcServerError) -> status_pb2.Status:
    """Returns a google.rpc.Status with an ErrorInfo that has the error's reason, domain and values."""
    info = error_details_pb2.ErrorInfo(
        reason=error.reason,
        domain=DOMAIN,
        metadata={name: cut(value, MAX_VALUE_BYTES) for name, value in list(error.values.items())[:MAX_VALUES]},
    )
    detail = any_pb2.Any()
    detail.Pack(info)
    return status_pb2.Status(code=code_of(error), message=_message(error), details=[detail])


def to_grpc(error: NpcServerError) -> grpc.Status:
    return rpc_status.to_status(to_status(error))


def _message(error: NpcServerError) -> str:
    """Returns the message, at most `MAX_MESSAGE_BYTES` long. What failed is cut first, so that the advice stays whole."""
    fix = cut(error.fix, MAX_MESSAGE_BYTES // 2)
    what = cut(error.what, MAX_MESSAGE_BYTES - len(fix.encode()) - 1)
    return f"{what} {fix}".strip()


def cut(text: str, most: int) -> str:
    """Cuts a text to at most `most` bytes of UTF-8, and never cuts a character in two."""
    raw = text.encode("utf-8", "replace")
    return raw.decode() if len(raw) <= most else raw[: most - 3].decode("utf-8", "ignore") + "…"
