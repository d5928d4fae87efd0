"""What a look into a mind shows."""

from __future__ import annotations

from npc_server.mind import identity, mood
from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import GameTime, MindState


def mind_state(mind: Mind, doing: Doing, now: GameTime) -> MindState:
    """Who the NPC is, what it does, what it knows, and how it feels."""
    return MindState(
        npc=mind.npc,
        name=mind.persona.name,
        identity=identity.paragraph(mind),
        action=doing.action,
        address=doing.address,
        asleep=doing.action is not None and routine.is_asleep_at(mind.persona, now),
        now=now,
        memories=tuple(mind.stream.count_by_kind().items()),
        model_answers=mind.tally.model,
        instinct_answers=mind.tally.instinct,
        policy_answers=mind.tally.policy,
        chosen_answers=mind.tally.chosen,
        known=tuple(mind.knowledge.addresses()),
        needs=mind.feelings.needs,
        mood=mood.faded(mind.feelings.mood, now),
    )
