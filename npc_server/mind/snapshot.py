"""A snapshot of a mind, so that a thought that breaks can be undone completely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from npc_server.memory.draft import Draft
from npc_server.memory.stream import StreamSavepoint
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokensLeft
from npc_server.records import PlanStep, Social
from npc_server.world.knowledge import Knowledge

T = TypeVar("T")

CHANGED = (
    "plan", "plan_since", "next_plan_id", "summary", "currently", "revised", "needs", "needs_at", "mood", "feelings_told",
    "importance_since", "unrated", "talk_wanted", "players", "chat", "social", "summed_up", "plan_again", "living", "deeds",
    "plan_changes", "model_answers", "policy_answers", "instinct_answers", "chosen_answers",
)  # fmt: skip
"""What a thought changes and a snapshot copies. The rest is restored separately or shared by all minds."""


@dataclass(frozen=True)
class MindSnapshot:
    lived: dict[str, object]
    known: Knowledge
    stream: StreamSavepoint
    near: bool
    tokens: TokensLeft | None
    draft: Draft


def snapshot(mind: Mind) -> MindSnapshot:
    """The mind as it is now. Only the latest snapshot of a mind can be restored."""
    lived = {name: _copied(getattr(mind, name)) for name in CHANGED}
    return MindSnapshot(lived, mind.known.copy(), mind.stream.savepoint(), mind.budget.near, mind.budget.left, mind.draft.copy())


def restore(mind: Mind, to: MindSnapshot) -> None:
    """Puts the mind back. Questions asked since stay in its draft, marked as unused."""
    for name, value in to.lived.items():
        setattr(mind, name, _copied(value))
    mind.known = to.known.copy()
    mind.stream.roll_back(to.stream)
    mind.budget.near, mind.budget.left = to.near, to.tokens
    since = replace(mind.draft, calls=mind.draft.calls[len(to.draft.calls) :]).dropped()
    mind.draft = to.draft.copy()
    mind.draft.calls += since.calls
    mind.draft.policies_gone = since.policies_gone


def made_since(mind: Mind, former: MindSnapshot) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ids of the memories and plan steps that were made since."""
    memories = range(former.stream.last_id + 1, mind.stream.next_id())
    return tuple(memories), tuple(range(cast(int, former.lived["next_plan_id"]), mind.next_plan_id))


def take_back(mind: Mind, to: MindSnapshot) -> None:
    """Puts the mind back where some of what came since may be on disk already: the draft deletes it there. What it cost stays.

    Ids of what is taken back are not given again, because the same draft may hold their deletion.
    """
    draft, last_step, last_memory = mind.draft, mind.next_plan_id, mind.stream.next_id()
    near, left = mind.budget.near, mind.budget.left
    memories, steps = made_since(mind, to)
    former_plan, former_social = cast("list[PlanStep]", to.lived["plan"]), cast("dict[str, Social]", to.lived["social"])
    changed = [step for step in former_plan if step not in mind.plan]
    revised = [who for who in {*mind.social, *former_social} if mind.social.get(who) != former_social.get(who)]
    restore(mind, to)
    mind.draft, mind.next_plan_id = draft, last_step
    mind.budget.near, mind.budget.left = near, left
    mind.stream.keep_ids(last_memory)
    draft.forget(memories, steps)
    for step in changed:
        draft.update_plan(step)
    draft.socials.update({who: former_social.get(who) for who in revised})


def _copied(value: T) -> T:
    """A copy of what can change in place."""
    return cast(T, value.copy()) if isinstance(value, (list, dict)) else value
