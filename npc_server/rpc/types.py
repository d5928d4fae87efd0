"""Names for gRPC's classes with their type parameters, which exist only in the type stubs and not at run time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc

if TYPE_CHECKING:
    Context = grpc.aio.ServicerContext[Any, Any]
    Method = grpc.RpcMethodHandler[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any] | None
    """None when the server has no such call."""
    Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[Handler]]
else:
    Context = grpc.aio.ServicerContext
    Method = grpc.RpcMethodHandler
    Handler = Continuation = object
