"""Copies a part of a mind, so that what changes in the copy leaves the part alone."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

Part = TypeVar("Part", bound=Any)


def copied(part: Part) -> Part:
    """Return a copy of a part with its own lists and dicts. What they hold is frozen, and what minds share stays shared."""
    found = {it.name: getattr(part, it.name) for it in fields(part)}
    return replace(part, **{name: value.copy() for name, value in found.items() if isinstance(value, (list, dict))})
