from __future__ import annotations

import pytest

from tests.ablation import PARTS, leave_out


@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_instinct_can_be_left_out(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out(part, monkeypatch.setattr)
    assert all(getattr(module, name) is instead for module, name, instead in PARTS[part])
