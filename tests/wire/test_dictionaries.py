"""What games send and get: bytes and dictionaries of any kind, without Godot."""

from __future__ import annotations

import contextlib
import math
import struct
from typing import Any

import grpc
import pytest
from google.rpc import code_pb2, error_details_pb2, status_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.v1 import npc_pb2
from npc_server.wire import variants
from npc_server.wire.call_error import CallError, from_status
from npc_server.wire.calls import find_method
from npc_server.wire.dictionaries import from_message, to_message

scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
keys = st.text() | st.integers(-(2**63), 2**63 - 1)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5), max_leaves=20)
KINDS = st.sampled_from(sorted(npc_pb2.DESCRIPTOR.message_types_by_name))


def attempt(name: str, fields: Any) -> tuple[Any, CallError | None]:
    """The message, or why not; any other exception is a failure."""
    try:
        return to_message(npc_pb2.DESCRIPTOR.message_types_by_name[name], fields), None
    except CallError as error:
        return None, error


@given(values)
@settings(max_examples=100, deadline=None)
def test_what_is_encoded_is_decoded_again(value: Any) -> None:
    assert variants.decode(variants.encode(value)) == value


@given(st.binary(max_size=200) | values.map(variants.encode).flatmap(lambda b: st.binary(max_size=4).map(lambda tail: b[:-2] + tail)))
@settings(max_examples=100, deadline=None)
def test_broken_bytes_are_refused_or_decoded_and_never_crash(data: bytes) -> None:
    with contextlib.suppress(CallError):
        variants.decode(data)
    assert isinstance(variants.call_id(data), int)


@given(KINDS, st.dictionaries(keys, values, max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_dictionary_becomes_a_message_or_an_error_that_says_what_to_do(name: str, given_values: dict[Any, Any]) -> None:
    kind = npc_pb2.DESCRIPTOR.message_types_by_name[name]
    message, error = attempt(name, given_values)
    if error is not None:
        assert error.code == "INVALID_ARGUMENT"
        assert name in error.message
    else:
        assert to_message(kind, from_message(message)) == message


@given(KINDS, st.data())
@settings(max_examples=100, deadline=None)
def test_any_value_in_a_known_field_is_taken_or_explained(name: str, data: st.DataObject) -> None:
    kind = npc_pb2.DESCRIPTOR.message_types_by_name[name]
    if not kind.fields:
        return
    field = data.draw(st.sampled_from(list(kind.fields))).name
    value = data.draw(values)
    _, error = attempt(name, {field: value})
    assert error is None or f"{name}.{field}" in error.message


def test_typed_arrays_and_dictionaries_of_godot_are_read() -> None:
    typed = struct.pack("<II", variants.ARRAY | 1 << 16, variants.INT) + struct.pack("<III", 1, variants.INT, 7)
    assert variants.decode(typed) == [7]
    pair = struct.pack("<III", variants.DICTIONARY | 1 << 16 | 1 << 18, variants.STRING, variants.INT)
    assert variants.decode(pair + struct.pack("<I", 1) + variants.encode("a") + variants.encode(2)) == {"a": 2}


def test_vector_is_refused_by_name() -> None:
    with pytest.raises(CallError, match="A Vector2 cannot go into a message"):
        variants.decode(struct.pack("<Iff", 5, 1.0, 2.0))


def test_unsigned_numbers_keep_their_bits_in_godots_signed_int() -> None:
    assert variants.decode(variants.encode(2**64 - 1)) == -1


def test_infinity_fits_a_float_field_and_a_too_large_number_does_not() -> None:
    kind = npc_pb2.Reach.DESCRIPTOR
    assert from_message(to_message(kind, {"travel_s": math.inf}))["travel_s"] == math.inf
    with pytest.raises(CallError, match=r"Reach\.travel_s is 1e\+39"):
        to_message(kind, {"travel_s": 1e39})


def test_method_is_found_with_and_without_its_package() -> None:
    assert find_method("WorldService/Play") is find_method("npc_server.v1.WorldService/Play")
    for wrong in ("", "Play", "WorldService/Plai", "Nothing/At"):
        with pytest.raises(CallError, match="There is no method"):
            find_method(wrong)


def test_error_without_details_keeps_its_code_as_reason() -> None:
    error = from_status(grpc.StatusCode.UNAVAILABLE, "gone", [("grpc-status-details-bin", b"\xff\xff"), ("x", "y")])
    assert (error.code, error.reason, error.message) == ("UNAVAILABLE", "UNAVAILABLE", "gone")


def test_a_connection_that_broke_in_the_middle_of_a_message_passes_and_a_mistake_of_the_server_does_not() -> None:
    broken = from_status(grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2", [])
    assert (broken.code, broken.reason) == ("UNAVAILABLE", "UNAVAILABLE")
    status = status_pb2.Status(code=code_pb2.INTERNAL)
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason="INTERNAL"))
    mistake = from_status(grpc.StatusCode.INTERNAL, "See the log.", [("grpc-status-details-bin", status.SerializeToString())])
    assert (mistake.code, mistake.reason) == ("INTERNAL", "INTERNAL")
