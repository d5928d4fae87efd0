from __future__ import annotations

import threading

from npc_server.llm.engine import Priority
from npc_server.llm.inbox import Inbox
from npc_server.llm.protocol import Frame


class Asked:
    """Stands in for `Interrupt`."""

    now = False

    def ask(self) -> None:
        self.now = True

    def clear(self) -> None:
        self.now = False


def asking(number: int, priority: Priority) -> Frame:
    return {"do": [{"op": "cancel", "id": 7}, {"op": "ask", "id": number, "priority": int(priority)}]}


def test_a_players_request_interrupts_and_another_does_not() -> None:
    asked = Asked()
    inbox = Inbox(asked)  # type: ignore[arg-type]
    inbox.put(asking(1, Priority.NEAR))
    assert not asked.now
    inbox.put(asking(2, Priority.PLAYER))
    assert asked.now
    assert [frame["do"][1]["id"] for frame in inbox.take(wait=False)] == [1, 2]  # type: ignore[unreachable]
    assert not asked.now, "what was taken interrupts nobody"
    assert inbox.take(wait=False) == []


def test_who_is_interrupted_finds_the_request_whenever_it_came() -> None:
    """A request that is put is either taken, or it interrupts: never neither."""
    asked = Asked()
    inbox = Inbox(asked)  # type: ignore[arg-type]
    count = 3000

    def put_all() -> None:
        for number in range(count):
            inbox.put(asking(number, Priority.PLAYER))

    reader = threading.Thread(target=put_all)
    reader.start()
    taken = 0
    while taken < count:
        frames = inbox.take(wait=True)
        assert frames
        taken += len(frames)
        if taken == count:
            assert not asked.now
    reader.join()


def cancelling(number: int) -> Frame:
    return {"do": [{"op": "cancel", "id": number}]}


def test_a_decode_for_nobody_stops_and_one_for_others_goes_on() -> None:
    asked = Asked()
    inbox = Inbox(asked)  # type: ignore[arg-type]
    inbox.decoding(frozenset({1, 2}))
    inbox.put(cancelling(1))
    assert not asked.now, "somebody still wants the second"
    inbox.put(cancelling(2))
    assert asked.now


def test_a_cancellation_that_comes_just_before_its_decode_stops_it() -> None:
    asked = Asked()
    inbox = Inbox(asked)  # type: ignore[arg-type]
    inbox.put(cancelling(1))
    assert not asked.now
    inbox.decoding(frozenset({1}))
    assert asked.now
    inbox.take(wait=False)  # type: ignore[unreachable]
    inbox.decoding(frozenset({1}))
    assert not asked.now, "what was taken is forgotten"
