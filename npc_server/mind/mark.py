"""A mind as it was at a moment, so that a thought that breaks leaves nothing of itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from npc_server.memory.draft import Draft
from npc_server.memory.stream import StreamMark
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokensLeft
from npc_server.world.knowledge import Knowledge

T = TypeVar("T")

LIVED = (
    "plan", "next_plan_id", "summary", "currently", "revised", "importance_since", "unrated", "talk_wanted", "social", "living",
    "plan_changes", "model_answers", "policy_answers", "instinct_answers",
)  # fmt: skip
"""What a thought changes, and what is copied as it stands. The rest of a mind is put back in a way of its own, or all minds share it."""


@dataclass(frozen=True)
class Mark:
    lived: dict[str, object]
    known: Knowledge
    stream: StreamMark
    near: bool
    tokens: TokensLeft | None
    draft: Draft


def mark(mind: Mind) -> Mark:
    """The mind as it is now. Of marks of one mind only the last one holds."""
    lived = {name: _copied(getattr(mind, name)) for name in LIVED}
    return Mark(lived, mind.known.copy(), mind.stream.mark(), mind.budget.near, mind.budget.left, mind.draft.copy())


def put_back(mind: Mind, to: Mark) -> None:
    """The mind is as it was. What was asked of models since stays in its draft, as answers that nobody used."""
    for name, value in to.lived.items():
        setattr(mind, name, _copied(value))
    mind.known = to.known.copy()
    mind.stream.back_to(to.stream)
    mind.budget.near, mind.budget.left = to.near, to.tokens
    since = replace(mind.draft, calls=mind.draft.calls[len(to.draft.calls) :]).dropped()
    mind.draft = to.draft.copy()
    mind.draft.calls += since.calls
    mind.draft.policies_gone = since.policies_gone


def _copied(value: T) -> T:
    """Of its own, where it can be changed in place."""
    return cast(T, value.copy()) if isinstance(value, (list, dict)) else value
