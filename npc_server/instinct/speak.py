"""What an NPC says without a model: the next line of a conversation, and the answer to an interview question."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.instinct import answering, small_talk
from npc_server.instinct.by_embedding import nearest_memory, no_memory
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Talk

DONT_KNOW = "I don't know."


async def line(mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Said:
    """The next line of a conversation."""
    asking = small_talk.last_question(mind, talk)
    meant = await nearest_memory(mind, asking.text, asking.speaker) if asking else no_memory
    invited = small_talk.to_invitation(mind, talk, now)
    return small_talk.say(mind, talk, now, told, about, last_words=last_words, meant=meant, invited=invited)


async def answer(mind: Mind, question: str, asker: str, now: GameTime) -> Callable[[], str]:
    """A function that finds the answer to an interview question: by rules, else the memory that is nearest in meaning."""
    meant = await nearest_memory(mind, question, asker)
    dont_know = mind.persona.voice.dont_know[0] if mind.persona.voice.dont_know else DONT_KNOW

    def found() -> str:
        by_rules = answering.answer(mind, question, asker, now)
        memory = None if by_rules else meant()
        return by_rules or (answering.as_answer(mind, memory, question, asker, now) if memory else dont_know)

    return found
