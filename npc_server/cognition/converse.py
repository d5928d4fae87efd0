"""Converse: line by line, each conditioned on what the speaker remembers of the others and on the dialogue so far.

Generative Agents, section 4.3.2. What stays of it is in `remember_talk`, and the form of a line in `mind/spoken_line.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.cognition.best_line import KnownLine, LineTask, bank_read_ahead, known_line, own_weight
from npc_server.cognition.chat_line import Gathered, chat_line
from npc_server.cognition.line_context import NOTHING_SHOWN, LineContext, NextLine, context_of, values_of
from npc_server.english.text import each_once
from npc_server.llm.engine import OnText
from npc_server.llm.reply import one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind import relationships
from npc_server.mind.ask import Aloud, Answer, ask
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.mind.replies import LEAVE, LINE_CHARS, SpokenWithDeed, Willing
from npc_server.mind.retrieve import as_lines, for_prompt
from npc_server.mind.spoken_line import LineCheck, LineForm, SpokenReply, agreed, form_of
from npc_server.records import GameTime, Memory, NpcId, Source, Talk, Why

LINE_TOKENS = 150
"""Tokens of what a line agrees to and of the line."""
NOT_ANSWERED = "…"
"""Stands for a line where the model gave none; instinct's is said instead."""


async def listen(mind: Mind, who: str, now: GameTime, *, hurried: bool) -> tuple[bool, Source]:
    """Whether an NPC that is spoken to has time. Without a model, it declines when it is in a hurry, and at times to strangers."""

    def plain() -> Willing:
        return mind.instinct.listen(mind, who, now, hurried=hurried)

    sure = mind.settings.uses("calm_reactions") and (hurried or not _wary(mind, who))
    if sure or mind.as_reference():  # the reference does not ask whoever is spoken to
        return plain() == Willing("yes"), Source.INSTINCT
    with_social = relationships.kept_by(mind)
    found = [] if with_social else await for_prompt(mind, "listen", f"{mind.name_of(who)} and {mind.persona.first_name}", now, 8)
    answer = await ask(
        mind,
        "listen",
        one(Willing),
        plain,
        now,
        max_tokens=8,
        other=mind.name_of(who),
        between=relationships.line(mind, who, named=True) if with_social else "",
        memories=as_lines(mind, found, now),
        hurried=hurried,
        doing=moment(mind, now, hours=0).doing,
    )
    return answer.value.answer == "yes", answer.source


def _wary(mind: Mind, who: str) -> bool:
    """Whether the NPC knows the other and is not close to them. Then no rule is sure what it wants."""
    kept = relationships.of(mind, who)
    return kept.relation != relationships.STRANGER and kept.closeness < relationships.MET


async def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: Told,
    *,
    about: str = "",
    last_words: bool = False,
    present: Sequence[NpcId] | None = None,
    on_text: OnText | None = None,
) -> tuple[Said, Source]:
    """The next line.

    `about` is why the speaker wanted to talk, and `last_words` tells it that it has to go now. `present` are those who stand by; None if
    that is not known. `on_text` hears the line while it is written, and the line begins with what it heard. It hears no last words, which
    are checked as a whole.
    """
    turn, by_rule = NextLine(talk, about, last_words, now), None
    if mind.speaks_in_chats():
        return await _in_chat(mind, turn, told, present or (), on_text)
    if mind.chooses_lines():
        return await _from_memory(mind, turn, told, present or (), on_text)
    if not mind.speaks_for_itself():
        by_rule = await mind.instinct.say(mind, talk, now, told, about, last_words=last_words)
    # A prompt that nobody reads is not made, nor what it would show: that takes longer than the line itself.
    context = await context_of(mind, turn, told, present) if mind.asks("say") else NOTHING_SHOWN
    form = form_of(mind, talk, mind.persona.offers, now)
    check = LineCheck(mind, talk, form, now, last_words=last_words)
    words = _heard_by(mind, on_text, check) if on_text is not None and not last_words else None
    answer = await _asked(mind, turn, context, form, check, by_rule, words)
    if answer.source is Source.INSTINCT:
        return by_rule or await mind.instinct.say(mind, talk, now, told, about, last_words=last_words), Source.INSTINCT
    text = each_once(answer.value.say)
    return _said(mind, turn, answer.value, words.finish(text) if words else text, by_rule, context.news), answer.source


async def _from_memory(mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId], on_text: OnText | None) -> tuple[Said, Source]:
    """What memory and the bank have. Among themselves people tell their news as instinct has it: the bank knows no news."""
    known = await _known(mind, turn, told, present)
    if known is not None:
        return _say_known(mind, known, on_text)
    return _by_instinct(mind, await mind.instinct.say(mind, turn.talk, turn.now, told, turn.about, last_words=turn.last_words), on_text)


async def _in_chat(mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId], on_text: OnText | None) -> tuple[Said, Source]:
    """The model's line, or what memory and the bank have where that is better, or where the model gives none that can be used."""
    known = await _known(mind, turn, told, present)
    if known is not None and known.chance >= own_weight(mind):
        return _say_known(mind, known, on_text)
    words = SpokenWords(on_text, names=(mind.persona.name, mind.persona.first_name), limit=LINE_CHARS) if on_text else None

    async def gather() -> Gathered:
        context = await context_of(mind, turn, told, present)
        return Gathered({**values_of(mind, turn, context), "memories": context.memories}, context.found, context.news)

    line = await chat_line(mind, turn.talk, turn.now, present=present, last_words=turn.last_words, gather=gather, words=words)
    if line is None:
        if known is not None:
            return _say_known(mind, known, on_text)
        return _by_instinct(mind, await mind.instinct.say(mind, turn.talk, turn.now, told, turn.about, last_words=turn.last_words), on_text)
    mind.count_answer(Source.MODEL)
    passed_on = (line.news.id,) if line.news is not None else ()
    why = Why.CALL if line.follows.call is not None else Why.AGREED if line.agreed is not None else Why.TALK
    leaves = turn.last_words or line.follows.leaves
    said = Said(line.text, leaves, None, passed_on, line.follows.call, line.agreed, why=why)
    return (said, Source.MODEL) if words else _heard(said, Source.MODEL, on_text)


async def _known(mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId]) -> KnownLine | None:
    """What memory and the bank would say to a player; None where people talk among themselves."""
    talk, now = turn.talk, turn.now
    if mind.chooser is None or turn.last_words or all(person in mind.names for person in talk.people):
        return None
    task = LineTask(mind, mind.chooser, talk, now, present)
    async with bank_read_ahead(task) as reading:
        await reading.best_known()
        by_rule = await mind.instinct.say(mind, talk, now, told, turn.about, last_words=False)
        # What was asked for is answered: no line that is only good talk may stand in its place.
        if by_rule.why is not Why.TALK:
            return KnownLine(by_rule, Source.CHOSEN if by_rule.is_chosen else Source.INSTINCT, 1.0)
        return await known_line(task, by_rule, await reading.finish())


def _say_known(mind: Mind, known: KnownLine, on_text: OnText | None) -> tuple[Said, Source]:
    mind.count_answer(known.source)
    return _heard(known.said, known.source, on_text)


def _by_instinct(mind: Mind, said: Said, on_text: OnText | None) -> tuple[Said, Source]:
    source = Source.CHOSEN if said.is_chosen else Source.INSTINCT
    mind.count_answer(source)
    return _heard(said, source, on_text)


def _heard(said: Said, source: Source, on_text: OnText | None) -> tuple[Said, Source]:
    """Only a model's words are heard before the line is whole; the others come with it."""
    if on_text is not None and source is Source.MODEL:
        on_text(said.text)
    return said, source


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
    baseline = mind.as_reference()
    plain = by_rule or Said(NOT_ANSWERED)
    filled = form.filled(plain.text, leaves=plain.leaves, call=plain.call)
    return await ask(
        mind,
        "ga_say" if baseline else "say",
        form.reply,
        lambda: filled,
        turn.now,
        # Who stands in for a model would only say it again.
        check=None if baseline or mind.engine.status().stands_in else check.wrong,
        max_tokens=LINE_TOKENS,
        aloud=Aloud(words, check.kept) if words else None,
        **values_of(mind, turn, context),
    )


def _said(mind: Mind, turn: NextLine, spoken: SpokenReply, text: str, by_rule: Said | None, fresh: Memory | None) -> Said:
    """The model's line, with what it passes on, claims, and agrees to."""
    # A model tells news in words of its own, or leaves it: it is offered once for each of the others.
    is_told = fresh is not None and (mind.speaks_for_itself() or mind.instinct.tells(text, fresh))
    passed_on = (fresh.id,) if fresh is not None and is_told else ()
    call = spoken.does if isinstance(spoken, SpokenWithDeed) else None
    comes = by_rule.agreed if by_rule is not None else agreed(mind, turn.talk, spoken, turn.now)
    # What a line of its own claims is not known.
    return Said(text, turn.last_words or spoken.then == LEAVE, None, passed_on, call, comes)


async def repeats(mind: Mind, talk: Talk, text: str, source: Source) -> bool:
    """Whether a line says what somebody said in this conversation already (loop detection by embedding).

    Lines that no model wrote were written by people. Their meanings are not compared: in a day of Alderwick none of 1,321 repeated another.
    """
    said = [line.text for line in talk.lines]
    if text.casefold() in (line.casefold() for line in said):
        return True
    if not said or source is not Source.MODEL:
        return False
    rows = await mind.embedder.embed([text, *said])
    return bool(np.max(rows[1:] @ rows[0]) > mind.settings.repeat_similarity)
