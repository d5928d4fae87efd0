"""What an event's epoch says about it. How the `Play` stream acts on it is in tests/rpc/test_play.py."""

from __future__ import annotations

import pytest

from npc_server.session.epoch import EventEpoch, compare_epoch


@pytest.mark.parametrize(("epoch", "compared"), [(2, EventEpoch.OLD), (3, EventEpoch.CURRENT), (4, EventEpoch.UNKNOWN)])
def test_event_epoch_is_compared_with_the_session_s(epoch: int, compared: EventEpoch) -> None:
    assert compare_epoch(epoch, 3) is compared
