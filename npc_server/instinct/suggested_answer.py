"""Suggested answers: what instinct would say, shown to a model whose file asks for it, and how far such a model may stray from it.

A small model says well what stands before it, and garbles what it has to find. It may keep the suggested answer or say it in its own
voice. A reply that has little to do with what is remembered is asked for once more. Then the suggested answer itself is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from npc_server.english.answer_match import name_words
from npc_server.english.normalize import all_prepositions, levels, listed
from npc_server.english.text import TITLES, bare, sentences, words_in
from npc_server.instinct import answering, groundedness, phrases, small_talk
from npc_server.instinct.by_embedding import Meant, by_meaning, nothing
from npc_server.llm.reply import Kind, Text
from npc_server.llm.spans import Spans
from npc_server.mind import identity
from npc_server.mind.instinct import Said, Suggestion, Told
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Line, Talk

MOST_WORDS = 80
"""Of an answer that is said in stretches: a grammar of all its stretches grows with their square."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_OWN, _OTHERS = frozenset({"i", "me", "my", "mine"}), frozenset({"he", "she", "him", "her", "his", "hers"})
SHARED = 0.6
"""Share of the telling words of a sentence that must be of what is known, for the sentence to say that."""


@dataclass(frozen=True)
class RememberedAnswer:
    text: str
    remembered: bool
    """Whether it comes from memory; else it is said to say something."""
    question: answering.Question | None = None
    """What was asked, if anything was."""


async def of_interview(mind: Mind, question: str, asker: str, now: GameTime) -> Suggestion:
    """The suggested answer to a question that leaves no trace."""
    meant = await by_meaning(mind, question, asker)
    dont_know = mind.persona.voice.dont_know[0] if mind.persona.voice.dont_know else "I don't know."

    @cache  # looked for where it is shown or needed: that passes over the whole memory
    def recalled() -> RememberedAnswer:
        return of_question(mind, question, asker, now, dont_know, meant)

    if not mind.engine.status().drafts:
        return Suggestion(lambda: Said(recalled().text))
    return Suggestion(
        lambda: Said(recalled().text),
        is_all=lambda: says_all(mind, recalled()),
        form=lambda text: form_of(mind, recalled(), text),
        wrong=lambda reply, shown: wrong(mind, recalled(), reply, [question, *shown], now),
    )


async def of_talk(mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Suggestion:
    """The suggested next line of a conversation.

    Who asks a person with a small model for what it offers asks for nothing that is remembered.
    """
    asking = None if mind.is_small() and small_talk.on_offer(mind, talk) else small_talk.put(mind, talk)
    meant = await by_meaning(mind, asking.text, asking.speaker) if asking else nothing
    remembered = of_line(mind, asking, now, meant)

    @cache
    def plain() -> Said:
        return small_talk.say(mind, talk, now, told, about, last_words=last_words, meant=meant)

    return Suggestion(
        plain,
        remembered.remembered,
        is_all=lambda: says_all(mind, remembered),
        form=lambda text: form_of(mind, remembered, text),
        wrong=lambda reply, shown: wrong(mind, remembered, reply, [*shown, plain().text], now),
    )


def says_all(mind: Mind, recalled: RememberedAnswer) -> bool:
    """Whether the suggested answer is said as it is, and a small model is not asked.

    That is so where nothing is remembered, or where the answer cannot be said in stretches.

    What such a model finds in memories where rules and vectors find nothing is mostly made up, its small talk is that of its training
    text, and what it writes freely it garbles.
    """
    return mind.is_small() and not (recalled.remembered and _in_stretches(recalled))


def _in_stretches(recalled: RememberedAnswer) -> bool:
    return '"' not in recalled.text and 0 < len(recalled.text.split()) <= MOST_WORDS


def of_question(mind: Mind, question: str, asker: str, now: GameTime, otherwise: str, meant: Meant = nothing) -> RememberedAnswer:
    """What is remembered about a question; where rules find nothing, what may be `meant`, or `otherwise`."""
    found = answering.answer(mind, question, asker, now)
    memory = None if found else meant()
    if memory:
        found = answering.as_answer(mind, memory, question, asker, now)
    return RememberedAnswer(found or otherwise, bool(found), answering.taken_apart(mind, question, asker))


def of_line(mind: Mind, asking: Line | None, now: GameTime, meant: Meant = nothing) -> RememberedAnswer:
    """What is remembered about the question that was just put, if one was and the model is shown suggested answers."""
    if asking is None or not mind.engine.status().drafts or phrases.needs_no_memory(asking.text):
        return RememberedAnswer("", False)
    return of_question(mind, asking.text, asking.speaker, now, "", nothing if phrases.answer_to(asking.text) else meant)


def wrong(mind: Mind, recalled: RememberedAnswer, reply: str, shown: Iterable[str], now: GameTime) -> str:
    """What is wrong with a reply of a model that is shown suggested answers, or nothing. Other models may say what they like.

    `shown` is what its prompt told besides who it is.
    """
    if not mind.engine.status().drafts:
        return ""
    known = [str(value) for value in identity.values_of(mind, now).values()] + [recalled.text, *shown]
    if not recalled.remembered:
        return names_unknown(reply, known)
    return (
        strays(recalled, reply)
        or _of_somebody(mind, recalled, reply)
        or names_unknown(reply, known)
        or _garbles(reply, known)
        or _leaves_out(recalled, reply)
    )


def form_of(mind: Mind, recalled: RememberedAnswer, text: Text) -> Kind:
    """The form of a reply that is to say what is remembered: from a model that is shown suggested answers, stretches of that.

    Such a model finds what matters in the answer, and garbles how it is written: Millbrook becomes Midbrook.
    """
    if not (recalled.remembered and mind.engine.status().drafts and _in_stretches(recalled)):
        return text
    inner = recalled.question is not None and groundedness.wants_a_part(recalled.question)
    return Spans(text, recalled.text, _leading(), inner, phrases.lines("openers"))


@cache
def _leading() -> frozenset[str]:
    """Words that tell nothing without the next one."""
    return listed("determiners") | listed("empty") | all_prepositions() | frozenset(["i", "than", *(title.casefold() for title in TITLES)])


def names_unknown(reply: str, known: Iterable[str]) -> str:
    """What is wrong with a reply that names somebody, or a number, that nothing of what is known names; or nothing.

    A capital at the beginning of a sentence says nothing; elsewhere only names and `I` have one.
    """
    words = {word for text in known for word in words_in(text)}
    for sentence in sentences(reply):
        for number, word in enumerate(_WORD.findall(sentence)):
            strange = word[0].isdigit() or (number > 0 and word[0].isupper() and bare(word) != "I")
            if strange and bare(word).casefold() not in words:
                return f"names {word!r}, of which nothing is known"
    return ""


def _of_somebody(mind: Mind, recalled: RememberedAnswer, reply: str) -> str:
    """What is wrong with a reply that speaks of oneself by name, or as of somebody else, where what is remembered says `I`; or nothing."""
    said = set(words_in(recalled.text))
    if not said & _OWN:
        return ""
    strange = (name_words(mind.persona.name) | _OTHERS) & set(words_in(reply)) - said
    return f"speaks of oneself as of somebody else: {', '.join(sorted(strange))}" if strange else ""


def _garbles(reply: str, known: Iterable[str]) -> str:
    """What is wrong with a sentence that says what is remembered, but for a word or two that nothing told it; or nothing.

    A small model copies `marathon` as `candmaron` now and then.
    """
    told = frozenset().union(*map(levels, known))
    for sentence in sentences(reply):
        words = groundedness.told_by(sentence)
        new = words - told
        if new and 2 * len(new) < len(words):
            return f"puts words into what is remembered: {', '.join(sorted(new))}"
    return ""


def _leaves_out(recalled: RememberedAnswer, reply: str) -> str:
    """What is wrong with an answer that leaves out what was asked for; or nothing."""
    short = recalled.question is not None and groundedness.leaves_out(recalled.question, recalled.text, reply)
    return "leaves out what was asked for" if short else ""


def strays(recalled: RememberedAnswer, reply: str) -> str:
    """What is wrong with a reply to somebody's question that has little to do with what is remembered; or nothing.

    Nor may it say that it does not know: what instinct remembers holds what was asked for, which a small model overlooks more often.
    """
    if not recalled.remembered:
        return ""
    known = levels(recalled.text)
    for sentence in sentences(reply):
        words = groundedness.told_by(sentence)
        if words and len(words & known) >= SHARED * len(words):
            return ""
    return f"strays from what is remembered: {recalled.text!r}"
