from __future__ import annotations

from npc_server.llm.deadline_clock import DeadlineClock


def test_it_stands_still_while_any_player_is_answered() -> None:
    wall = [100.0]
    clock = DeadlineClock(lambda: wall[0])
    began = clock.now()
    wall[0] = 103.0
    with clock.stopped():
        wall[0] = 110.0
        assert clock.now() - began == 3.0
        with clock.stopped():
            wall[0] = 120.0
        wall[0] = 121.0
        assert clock.now() - began == 3.0
    wall[0] = 123.0
    assert clock.now() - began == 5.0
