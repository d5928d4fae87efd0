"""Interview: questions that leave no trace (Generative Agents, section 6.2). What an NPC cannot know, it does not know."""

from __future__ import annotations

from functools import cache

from npc_server.english.text import each_once
from npc_server.instinct import suggested_answer
from npc_server.instinct.by_embedding import by_meaning
from npc_server.llm.engine import OnText
from npc_server.llm.reply import one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.memory.ledger import BY_INSTINCT
from npc_server.mind.ask import Answer, ask, by_instinct
from npc_server.mind.mind import Mind
from npc_server.mind.replies import ANSWER, InterviewReply
from npc_server.mind.retrieve import as_lines, retrieve
from npc_server.records import GameTime, ScoredMemory

INTERVIEWER = "an interviewer"


async def interview(mind: Mind, question: str, now: GameTime, on_text: OnText | None = None) -> tuple[Answer[str], list[ScoredMemory]]:
    """The answer and the memories shown for it. `mind` must be an `aside`: nothing of this may reach the save."""
    found = await retrieve(mind, question, now, touch=False)
    meant = await by_meaning(mind, question, INTERVIEWER)
    dont_know = mind.persona.voice.dont_know[0] if mind.persona.voice.dont_know else "I don't know."

    @cache  # looked for where it is shown or needed: that passes over the whole memory
    def draft() -> suggested_answer.Draft:
        return suggested_answer.of_question(mind, question, INTERVIEWER, now, dont_know, meant)

    drafted = mind.engine.status().drafts
    if drafted and mind.asks("interview") and suggested_answer.says_all(mind, draft()):
        return by_instinct(mind, "interview", lambda: draft().text, now, BY_INSTINCT), found
    lines = as_lines(mind, found, now)
    answer = await ask(
        mind,
        "interview",
        one(InterviewReply, answer=suggested_answer.form_of(mind, draft(), ANSWER) if drafted else ANSWER),
        lambda: InterviewReply(draft().text),
        now,
        check=(lambda reply: suggested_answer.wrong(mind, draft(), reply.answer, [question, *lines], now)) if drafted else None,
        max_tokens=140,
        on_text=SpokenWords(on_text).feed if on_text else None,
        question=question,
        memories=lines,
        voice=mind.persona.voice.style,
        draft=draft().text if drafted else "",
    )
    return Answer(each_once(answer.value.answer), answer.source), found
