"""gRPC's classes as the type stubs know them; at run time they take no parameters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc

if TYPE_CHECKING:
    Context = grpc.aio.ServicerContext[Any, Any]
    Method = grpc.RpcMethodHandler[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any] | None
    """None: no such call."""
    Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[Handler]]
else:
    Context = grpc.aio.ServicerContext
    Method = grpc.RpcMethodHandler
    Handler = Continuation = object
