"""A line as the answer to one question, which holds all that the speaker knows.

So are asked who answers by hand, a recording, a script, the stand-in that measures costs, and the baseline's model. A language model is
asked in a chat (`chat_line`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.english.text import each_once
from npc_server.lines.context import NOTHING_SHOWN, LineContext, NextLine, context_of, values_of
from npc_server.lines.question_form import LineCheck, LineForm, SpokenReply, agreed, form_of
from npc_server.llm.engine import OnText
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind.ask import Aloud, Answer, ask
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.mind.replies import LEAVE, SpokenWithDeed
from npc_server.records import LINE_CHARS, Memory, NpcId, Source

LINE_TOKENS = 150
"""Tokens of what a line agrees to and of the line."""
NOT_ANSWERED = "…"
"""Stands for a line where the model gave none; instinct's is said instead."""


async def line_by_question(mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId] | None, on_text: OnText | None) -> Said:
    """Return the next line, or instinct's where none can be used. `on_text` hears no last words, which are checked as a whole."""

    async def plain() -> Said:
        return await mind.instinct.say(mind, turn.talk, turn.now, told, turn.about, last_words=turn.last_words)

    by_rule = await plain() if not mind.answerer.speaks_for_itself else None
    # A prompt that nobody reads is not made, nor what it would show: that takes longer than the line itself.
    context = await context_of(mind, turn, told, present) if mind.answerer.asks("say") else NOTHING_SHOWN
    form = form_of(mind, turn.talk, mind.persona.offers, turn.now)
    check = LineCheck(mind, turn.talk, form, turn.now, last_words=turn.last_words)
    words = _heard_by(mind, on_text, check) if on_text is not None and not turn.last_words else None
    answer = await _asked(mind, turn, context, form, check, by_rule, words)
    if answer.source is Source.INSTINCT:
        return replace(by_rule or await plain(), source=Source.INSTINCT)
    text = each_once(answer.value.say)
    said = _said(mind, turn, answer.value, words.finish(text) if words else text, by_rule, context.news)
    return replace(said, source=answer.source)


def _heard_by(mind: Mind, on_text: OnText, check: LineCheck) -> SpokenWords:
    names = (mind.persona.name, mind.persona.first_name)
    has_head = check.has_head
    return SpokenWords(on_text, "say: ", may_begin=check.may_begin if has_head else None, names=names, holds=check.holds, limit=LINE_CHARS)


async def _asked(
    mind: Mind,
    turn: NextLine,
    context: LineContext,
    form: LineForm,
    check: LineCheck,
    by_rule: Said | None,
    words: SpokenWords | None,
) -> Answer[SpokenReply]:
    """The model's line. `by_rule` is None for a model that speaks for itself."""
    baseline = mind.answerer.reference
    plain = by_rule or Said(NOT_ANSWERED)
    filled = form.filled(plain.text, leaves=plain.leaves, call=plain.call)
    return await ask(
        mind,
        "ga_say" if baseline else "say",
        form.reply,
        lambda: filled,
        turn.now,
        # Who stands in for a model would only say it again.
        check=None if baseline or mind.tools.engine.status().stands_in else check.wrong,
        max_tokens=LINE_TOKENS,
        aloud=Aloud(words, check.kept) if words else None,
        **values_of(mind, turn, context),
    )


def _said(mind: Mind, turn: NextLine, spoken: SpokenReply, text: str, by_rule: Said | None, fresh: Memory | None) -> Said:
    """The model's line, with what it passes on, claims, and agrees to."""
    # A model tells news in words of its own, or leaves it: it is offered once for each of the others.
    is_told = fresh is not None and (mind.answerer.speaks_for_itself or mind.instinct.tells(text, fresh))
    passed_on = (fresh.id,) if fresh is not None and is_told else ()
    call = spoken.does if isinstance(spoken, SpokenWithDeed) else None
    comes = by_rule.agreed if by_rule is not None else agreed(mind, turn.talk, spoken, turn.now)
    # What a line of its own claims is not known.
    return Said(text, turn.last_words or spoken.then == LEAVE, None, passed_on, call, comes)
