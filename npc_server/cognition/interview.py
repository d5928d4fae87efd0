"""Interview: questions that leave no trace (Generative Agents, section 6.2). What an NPC cannot know, it does not know."""

from __future__ import annotations

from npc_server.english.text import each_once
from npc_server.llm.engine import OnText
from npc_server.llm.reply import one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind.ask import Aloud, Answer, ask
from npc_server.mind.instinct import INTERVIEWER
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.mind.replies import ANSWER_CHARS, InterviewReply
from npc_server.mind.retrieve import as_lines, is_in_identity, retrieve
from npc_server.records import GameTime, ScoredMemory


async def interview(mind: Mind, question: str, now: GameTime, on_text: OnText | None = None) -> tuple[Answer[str], list[ScoredMemory]]:
    """The answer and the memories shown for it. `mind` must be an `aside`: nothing of this may reach the save."""
    found = await retrieve(mind, question, now, touch=False)
    by_instinct = await mind.instinct.interview(mind, question, INTERVIEWER, now)
    # The identity says what seed memories do, and which of it is secret.
    lines = as_lines(mind, [it for it in found if not is_in_identity(mind, it.memory)], now)
    names = (mind.persona.name, mind.persona.first_name, "answer")
    words = SpokenWords(on_text, names=names, limit=ANSWER_CHARS) if on_text else None
    answer = await ask(
        mind,
        "interview",
        one(InterviewReply),
        lambda: InterviewReply(by_instinct()),
        now,
        max_tokens=140,
        aloud=Aloud(words, InterviewReply) if words else None,
        question=question,
        memories=lines,
        voice=mind.persona.voice.style,
        examples=list(mind.persona.voice.examples[:4]),
        **moment(mind, now).values(),
    )
    text = each_once(answer.value.answer)
    return Answer(words.finish(text) if words else text, answer.source), found
