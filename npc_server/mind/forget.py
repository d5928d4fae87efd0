"""Forgetting at night: what `memory.forgetting` finds goes from the stream and, with the thought, from the save."""

from __future__ import annotations

from npc_server.memory.forgetting import to_forget
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import GameTime


def forget_asleep(mind: Mind, now: GameTime) -> list[int]:
    """Forgets a portion of the everyday memories beyond `mind.memories_kept`, while the NPC sleeps. Returns their ids."""
    if len(mind.stream) <= mind.settings.memories_kept or not routine.is_asleep_at(mind.persona, now):
        return []
    people = {spelling for npc, name in mind.people.names.items() for spelling in (npc, name, mind.people.first_name_of(npc))}
    gone = to_forget(mind.stream, mind.settings.memories_kept, people, now)
    mind.stream.remove(gone)
    mind.draft.forget(gone, ())
    return gone
