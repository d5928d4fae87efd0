"""A snapshot of a mind, so that a thought that breaks can be undone completely."""

from __future__ import annotations

from dataclasses import dataclass, replace

from npc_server.memory.draft import Draft
from npc_server.memory.stream import StreamSavepoint
from npc_server.mind.mind import LIVED, Mind
from npc_server.mind.parts.copying import copied
from npc_server.mind.parts.feelings import NeedsAndMood
from npc_server.mind.parts.identity import SelfView
from npc_server.mind.parts.lifestyle import Lifestyle
from npc_server.mind.parts.plan import OwnPlan
from npc_server.mind.parts.reflecting import Reflecting
from npc_server.mind.parts.relationships import Relationships
from npc_server.mind.parts.talks import TalkState
from npc_server.mind.parts.tally import Tally
from npc_server.mind.token_budget import TokensLeft
from npc_server.world.knowledge import Knowledge


@dataclass(frozen=True)
class MindSnapshot:
    """The parts that a thought changes (`mind.LIVED`), and those that are put back in ways of their own."""

    plan: OwnPlan
    identity: SelfView
    feelings: NeedsAndMood
    relationships: Relationships
    reflecting: Reflecting
    lifestyle: Lifestyle
    talks: TalkState
    tally: Tally
    knowledge: Knowledge
    stream: StreamSavepoint
    near: bool
    tokens: TokensLeft | None
    draft: Draft


def snapshot(mind: Mind) -> MindSnapshot:
    """The mind as it is now. Only the latest snapshot of a mind can be restored."""
    lived = {name: copied(getattr(mind, name)) for name in LIVED}
    return MindSnapshot(
        **lived,
        knowledge=mind.knowledge.copy(),
        stream=mind.stream.savepoint(),
        near=mind.budget.near,
        tokens=mind.budget.left,
        draft=mind.draft.copy(),
    )


def restore(mind: Mind, to: MindSnapshot) -> None:
    """Puts the mind back. Questions asked since stay in its draft, marked as unused."""
    for name in LIVED:
        setattr(mind, name, copied(getattr(to, name)))
    mind.knowledge = to.knowledge.copy()
    mind.stream.roll_back(to.stream)
    mind.budget.near, mind.budget.left = to.near, to.tokens
    since = replace(mind.draft, calls=mind.draft.calls[len(to.draft.calls) :]).dropped()
    mind.draft = to.draft.copy()
    mind.draft.calls += since.calls
    mind.draft.policies_gone = since.policies_gone


def made_since(mind: Mind, former: MindSnapshot) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ids of the memories and plan steps that were made since."""
    memories = range(former.stream.last_id + 1, mind.stream.next_id())
    return tuple(memories), tuple(range(former.plan.next_id, mind.plan.next_id))


def take_back(mind: Mind, to: MindSnapshot) -> None:
    """Puts the mind back where some of what came since may be on disk already: the draft deletes it there. What it cost stays.

    Ids of what is taken back are not given again, because the same draft may hold their deletion.
    """
    draft, last_step, last_memory = mind.draft, mind.plan.next_id, mind.stream.next_id()
    near, left = mind.budget.near, mind.budget.left
    memories, steps = made_since(mind, to)
    former_plan, former_social = to.plan.steps, to.relationships.social
    changed = [step for step in former_plan if step not in mind.plan.steps]
    revised = [who for who in {*mind.relationships.social, *former_social} if mind.relationships.social.get(who) != former_social.get(who)]
    restore(mind, to)
    mind.draft, mind.plan.next_id = draft, last_step
    mind.budget.near, mind.budget.left = near, left
    mind.stream.keep_ids(last_memory)
    draft.forget(memories, steps)
    for step in changed:
        draft.update_plan(step)
    draft.socials.update({who: former_social.get(who) for who in revised})
