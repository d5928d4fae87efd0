"""`make test` runs each kind of test once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

MAKEFILE = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")


def selections(target: str) -> list[str]:
    """What the target's lines select with `-m`."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe is not None
    return re.findall(r'pytest -m "([^"]+)"', recipe[1])


def runs(target: str, *marks: str) -> int:
    """How often the target runs a test with these marks."""
    return sum(Expression.compile(text).evaluate(lambda name, /, **_: name in marks) for text in selections(target))


@pytest.mark.parametrize("marks", [(), ("model",), ("godot",), ("kill",), ("kill", "model"), ("real_model",), ("real_model", "kill")])
def test_what_is_not_slow_runs_once(marks: tuple[str, ...]) -> None:
    assert runs("test", *marks) == 1
    assert runs("test", "slow", *marks) == 0


def test_the_quick_tests_pull_no_model() -> None:
    assert runs("unit") == 1
    assert runs("unit", "real_model") == 0
