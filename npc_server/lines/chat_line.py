"""The next line of a talk as a turn of a chat with the model, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.errors import EngineError
from npc_server.lines import checks, follow, model
from npc_server.lines.chat import QUESTION, begun, notes, tellable
from npc_server.lines.context import NextLine, context_of, values_of
from npc_server.lines.follow import Follows
from npc_server.llm.deadline import Deadline
from npc_server.llm.engine import OnText
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind import appointments
from npc_server.mind.ask import NOTHING, note
from npc_server.mind.chat import Chat
from npc_server.mind.instinct import Invitation, Said, Told
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import on_topic
from npc_server.records import LINE_CHARS, CallOutcome, GameTime, NpcId, ScoredMemory, Source, Talk, Why

CALLED_UP = 2
"""Memories that a note before a line shows."""
CLOSE_TO_LINE = 0.35
"""Cosine of a memory and a line from which on the line calls it up."""


async def line_in_chat(
    mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId], on_text: OnText | None, *, by: Deadline, beside: str = ""
) -> Said | None:
    """Return the model's line and what follows from it; None where none can be used `by` then, or where it finds that `beside` fits."""
    talk, now = turn.talk, turn.now
    hearing, news = [*mind.others_in(talk), *present], None
    chat = mind.talks.chat
    if chat is None or chat.talk != talk.id:
        context = await context_of(mind, turn, told, present)
        news = context.news
        try:
            chat = await begun(mind, talk, now, {**values_of(mind, turn, context), "memories": context.memories})
        except EngineError as error:
            note(mind, QUESTION, now, NOTHING, CallOutcome.INSTINCT, error.reason)
            return None
        chat = replace(chat, memories=frozenset(it.memory.id for it in context.found))
        called_up: list[ScoredMemory] = []
    else:
        called_up = await _called_up(mind, chat, talk, now, hearing)
        chat = replace(chat, memories=chat.memories | {it.memory.id for it in called_up})
    given = _given(mind, chat, turn, called_up)
    words = SpokenWords(on_text, names=(mind.persona.name, mind.persona.first_name), limit=LINE_CHARS) if on_text else None
    line, mind.talks.chat = await model.speak(mind, chat, talk, now, given, model.LineWanted(scene_of(mind, chat, talk), words, by, beside))
    if line is None:
        return None
    text = words.finish(line.text) if words else line.text
    followed = await follow.follows(mind, talk, text, now) if not turn.last_words else Follows(leaves=True)
    agreed, obstacle = agreed_to(mind, talk, followed, now)
    if obstacle:
        first = mind.persona.first_name
        mind.talks.chat = replace(mind.talks.chat, correction=f"{first} {obstacle}. That cannot be, and {first} says so now.")
    mind.tally.count(Source.MODEL)
    why = Why.CALL if followed.call is not None else Why.AGREED if agreed is not None else Why.TALK
    passed_on = (news.id,) if news is not None else ()
    return Said(text, followed.leaves, None, passed_on, followed.call, agreed, source=Source.MODEL, why=why)


def _given(mind: Mind, chat: Chat, turn: NextLine, called_up: list[ScoredMemory]) -> str:
    """The newest turn: notes, and what was heard."""
    said = notes(mind, chat, turn.talk, turn.now, called_up)
    if turn.last_words:
        said.append(f"The talk ends now. {mind.persona.first_name} says goodbye, without a question.")
    heard = model.newest(turn.talk, mind)
    values = {"note": said, "heard": heard.split("\n") if heard else [], "first_name": mind.persona.first_name}
    return mind.tools.prompts.render("chat_line", values).part("user")


async def _called_up(mind: Mind, chat: Chat, talk: Talk, now: GameTime, hearing: list[str]) -> list[ScoredMemory]:
    """What the newest line calls to mind, and no note has shown."""
    heard = model.newest(talk, mind)
    if not heard:
        return []
    found = await on_topic(mind, QUESTION, heard, now, CALLED_UP, without=chat.memories, few_lines=True)
    fresh = tellable(mind, [it for it in found if it.memory.created < talk.started], hearing)
    if not fresh:
        return []
    close = mind.stream.vectors([it.memory.id for it in fresh]) @ (await mind.tools.embedder.embed([heard]))[0]
    return [it for it, cosine in zip(fresh, close, strict=True) if cosine >= CLOSE_TO_LINE]


def agreed_to(mind: Mind, talk: Talk, followed: Follows, now: GameTime) -> tuple[Invitation | None, str]:
    """Return when and where the line agrees to come, or why that cannot be."""
    if not followed.agrees.comes:
        return None, ""
    found = appointments.meant(mind, followed.agrees, talk.place, now)
    obstacle = appointments.obstacle(mind, found, now) or ("" if found.address else appointments.unknown_place(mind, followed.agrees.place))
    return (None, obstacle) if obstacle else (found, "")


def scene_of(mind: Mind, chat: Chat, talk: Talk) -> checks.LineSetting:
    """Return what a line of this talk is checked against."""
    persona, others = mind.persona, [mind.people.name_of(other) for other in mind.others_in(talk)]
    rules = chat.system.rpartition("\n\n")[2]
    about = " ".join((persona.identity, persona.currently, persona.lifestyle, persona.voice.style, *persona.voice.examples))
    said = (*(line.text for line in talk.lines), *(turn.said for turn in chat.examples))
    return checks.LineSetting((persona.name, persona.first_name), tuple(others), said, rules, about, f"{chat.system}\n{chat.opening}")
