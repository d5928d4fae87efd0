"""A language model as the source of a line: it reads the chat, writes plain words that stream, and is asked again where they are wrong."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from npc_server.english.unknown_words import unknown_words
from npc_server.errors import DeadlinePassed, EngineError
from npc_server.lines import aptness, checks, read_ahead
from npc_server.lines.chat import QUESTION, SPOKEN, unanswered
from npc_server.llm.deadline import Deadline
from npc_server.llm.engine import Completion, OnText, Request
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind import secrets
from npc_server.mind.ask import ATTEMPTS, MENDED, NOTHING, completed, note
from npc_server.mind.chat import Chat, as_heard
from npc_server.mind.mind import Mind
from npc_server.prompts.budget import Prompt
from npc_server.records import CallOutcome, GameTime, Talk, Turn

LINE_TOKENS = 60
"""Tokens of a line: two short sentences."""
AFTER_TOKENS = 160
"""Tokens kept free in the context for the question of what follows from the line."""
TURN_TOKENS = 8
"""Tokens that a chat template puts around a turn, at most."""
REPEAT_PENALTY = 1.12
"""How much less likely what was just said becomes. Measured with Qwen2.5 1.5B: without it a talk goes round in circles."""


@dataclass(frozen=True)
class LineByModel:
    """A line that can be said, and the chat with what the model was given for it."""

    text: str
    chat: Chat


@dataclass(frozen=True)
class LineWanted:
    """What a line is checked against, who hears it, and until when it is waited for."""

    scene: checks.LineSetting
    words: SpokenWords | None
    """Hears whole sentences as soon as nothing is wrong with them."""
    by: Deadline
    """By then a word was heard, or nobody waits for the model any more. All tries at the line have it together."""
    beside: str = ""
    """What memory or the bank would say. Where the model finds that it fits, it writes nothing."""

    @property
    def is_begun(self) -> bool:
        return self.words is not None and bool(self.words.heard)


async def speak(mind: Mind, chat: Chat, talk: Talk, now: GameTime, given: str, wanted: LineWanted) -> tuple[LineByModel | None, Chat]:
    """Return the model's next line, or None if it wrote none that can be used, and the chat as it was shown.

    `given` is the newest turn: notes and what was heard.
    """
    if reason := mind.answerer.why_not_asked(QUESTION, now):
        note(mind, QUESTION, now, NOTHING, CallOutcome.INSTINCT, reason)
        return None, chat
    await read_ahead.stop(mind)
    try:
        chat, turns, tokens = await fitted(mind, chat, talk, given)
    except EngineError as error:
        note(mind, QUESTION, now, NOTHING, CallOutcome.INSTINCT, error.reason)
        return None, chat
    place = len(talk.lines)
    # Memory or the bank may have said the talk's first lines, so the opening stands before the first one that the model is asked for.
    is_opened = any(earlier < place for earlier in chat.heard)
    chat = chat.given(place, given if is_opened else f"{chat.opening}\n{given}")
    request = Request(
        system=chat.system, user=chat.heard[place], reply=SPOKEN, seed=0, npc=mind.npc, stage=QUESTION, max_tokens=LINE_TOKENS,
        priority=mind.budget.priority, at=now, turns=turns, lasting_turns=len(chat.examples),
        free=True, one_line=True, repeat_penalty=REPEAT_PENALTY, first_word_by=wanted.by,
        wrong=lambda text: checks.wrong(checks.tidied(text, wanted.scene, truncated=False), wanted.scene),
    )  # fmt: skip
    prompt = Prompt(chat.system, request.asked, (), tokens)
    if wanted.beside and await aptness.is_apt(
        mind, request, prompt, aptness.HeardAndKnown(newest(talk, mind), wanted.beside), wanted.by, now
    ):
        return None, chat
    text = await _drawn(mind, request, prompt, talk, wanted, now)
    return (LineByModel(text, chat) if text else None), chat


async def _drawn(mind: Mind, request: Request, prompt: Prompt, talk: Talk, wanted: LineWanted, now: GameTime) -> str:
    """The first line with which nothing is wrong; empty if none is. What was heard of one counts, whatever came after it."""
    scene, words = wanted.scene, wanted.words
    hearing = mind.others_in(talk)
    heard_before = [line.text for line in talk.lines if line.speaker != mind.npc]

    shown = " ".join((prompt.system, prompt.user, *mind.people.names.values(), *(mind.people.name_of(other) for other in hearing)))

    def wrong(said: str) -> str:
        unknown = unknown_words(said, shown)
        of_nowhere = f"names {unknown[0]!r}, of which nothing is known" if unknown else ""
        return checks.wrong(said, scene) or of_nowhere or secrets.told(mind, said, hearing, heard_before)

    for attempt in range(ATTEMPTS):
        seed = mind.seed_for(QUESTION, now, len(mind.draft.calls), attempt)
        hear = words.begin(lambda said: not wrong(said)) if words else None
        tried = replace(request, seed=seed)
        done = await _in_time(mind, tried, prompt, hear, wanted, now)
        if done is None:
            return words.kept() if words and words.heard else ""
        text = checks.tidied(done.text, scene, truncated=done.truncated)
        fault = wrong(text)
        if not fault:
            note(mind, QUESTION, now, done, CallOutcome.USED, f"{MENDED}tidied" if text != done.text.strip() else "", asked=tried)
            return text
        if words and words.heard:
            note(mind, QUESTION, now, done, CallOutcome.USED, f"{MENDED}kept what was heard; it {fault}", asked=tried)
            return words.kept()
        last = attempt == ATTEMPTS - 1
        outcome = CallOutcome.INSTINCT if last else CallOutcome.RETRIED
        note(mind, QUESTION, now, done, outcome, f"The line {fault}: {text[:80]!r}", asked=tried)
    return ""


async def _in_time(
    mind: Mind, request: Request, prompt: Prompt, hear: OnText | None, wanted: LineWanted, now: GameTime
) -> Completion | None:
    """What the model wrote; None if it could not, or if a player has waited too long for its first word. What it has read is kept."""
    begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def take(text: str) -> None:
        if hear is not None:
            hear(text)
        if wanted.is_begun and not begun.done():
            begun.set_result(None)

    if wanted.by.is_over():
        note(mind, QUESTION, now, NOTHING, CallOutcome.INSTINCT, DeadlinePassed.reason, asked=request)
        read_ahead.go_on(mind, request)
        return None
    writing = asyncio.ensure_future(completed(mind, request, prompt, take, now))
    both: set[asyncio.Future[Any]] = {writing, begun}
    first = asyncio.ensure_future(asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED))
    try:
        if await wanted.by.wait_for(first) or writing.done() or wanted.is_begun:
            return await writing
        writing.cancel()
        await asyncio.wait({writing})
        read_ahead.go_on(mind, request)
        return None
    finally:
        for task in (first, writing, begun):
            task.cancel()
        await asyncio.gather(first, writing, return_exceptions=True)


async def fitted(mind: Mind, chat: Chat, talk: Talk, given: str) -> tuple[Chat, tuple[Turn, ...], int]:
    """Return the chat as far as it fits the model's context, its turns, and its tokens. The oldest turns go, the persona never."""
    room = mind.tools.engine.status().context_tokens - LINE_TOKENS - AFTER_TOKENS
    while True:
        turns = chat.turns(talk, mind.npc, mind.people.names)
        opening = "" if any(chat.opening in turn.heard for turn in turns) else chat.opening
        texts = [chat.system, opening, given, *(text for turn in turns for text in (turn.heard, turn.said))]
        tokens = sum(await mind.tools.engine.count_tokens(texts)) + TURN_TOKENS * (len(turns) + 1)
        shorter = chat.shortened(talk, mind.npc) if tokens > room else chat
        if shorter is chat or shorter.first == chat.first:
            return chat, turns, tokens
        chat = shorter


def newest(talk: Talk, mind: Mind) -> str:
    """Return the lines that wait for an answer as the newest turn gives them; empty if the speaker begins."""
    waiting = unanswered(talk, mind.npc)
    return as_heard(talk, waiting, mind.people.names) if waiting else ""
