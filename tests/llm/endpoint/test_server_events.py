from __future__ import annotations

import pytest

from npc_server.llm.endpoint import server_events
from npc_server.llm.endpoint.server_events import ServerEvents

STREAM = ': hello\nevent: message\ndata: {"a": "é"}\n\ndata:b\ndata: c\n\n\ndata: [DONE]\n\n'
EVENTS = ['{"a": "é"}', "b\nc", "[DONE]"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_the_same_wherever_the_stream_is_cut(end: str) -> None:
    data = STREAM.replace("\n", end).encode() + b":"  # Whether a CR ends the line shows in what follows it.
    for cut in range(len(data)):
        events = ServerEvents()
        assert events.take(data[:cut]) + events.take(data[cut:]) == EVENTS


def test_event_that_has_not_ended_is_kept_for_later() -> None:
    events = ServerEvents()
    assert events.take(b"data: one\n") == []
    assert events.take(b"\ndata: tw") == ["one"]
    assert events.take(b"o\n\n") == ["two"]


def test_event_without_data_is_left_out() -> None:
    assert ServerEvents().take(b"event: ping\n\n: still here\n\nid: 3\n\n") == []


def test_bytes_that_are_no_unicode_are_replaced() -> None:
    assert ServerEvents().take(b"data: \xff\n\n") == ["\ufffd"]


def test_line_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_events, "MOST_BYTES", 8)
    events = ServerEvents()
    events.take(b"data: ab")
    with pytest.raises(ValueError, match="more than 8 bytes"):
        events.take(b"c")
