"""Suggested answers: what instinct would say, shown to a small model whose file asks for it, and checks of its reply.

A small model repeats well, and finds badly. It may keep the suggested answer or say it in its own voice. A reply that strays from what
is remembered is asked for once more. Then the suggested answer itself is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from npc_server.english.answer_match import name_words
from npc_server.english.normalize import listed, prepositions, terms_of
from npc_server.english.text import TITLES, sentences, without_possessive, words_in
from npc_server.instinct import answering, groundedness, phrases, small_talk
from npc_server.instinct.by_embedding import NearestMemory, nearest_memory, no_memory
from npc_server.llm.reply import Kind, Text
from npc_server.llm.spans import Spans
from npc_server.mind import identity
from npc_server.mind.instinct import Said, Suggestion, Told
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Line, Talk

MOST_WORDS = 80
"""Most words of an answer that is said in spans. The grammar of all spans grows with the square of its words."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_OWN, _OTHERS = frozenset({"i", "me", "my", "mine"}), frozenset({"he", "she", "him", "her", "his", "hers"})
SHARED = 0.6
"""Share of a sentence's terms that must come from the remembered answer."""


@dataclass(frozen=True)
class RememberedAnswer:
    text: str
    remembered: bool
    """Whether it comes from memory, and is not just something to say."""
    question: answering.Question | None = None
    """The question, if there was one."""


async def of_interview(mind: Mind, question: str, asker: str, now: GameTime) -> Suggestion:
    """The suggested answer to an interview question."""
    meant = await nearest_memory(mind, question, asker)
    dont_know = mind.persona.voice.dont_know[0] if mind.persona.voice.dont_know else "I don't know."

    @cache  # found only when needed, since it searches the whole memory
    def recalled() -> RememberedAnswer:
        return of_question(mind, question, asker, now, dont_know, meant)

    if not mind.engine.status().drafts:
        return Suggestion(lambda: Said(recalled().text))
    return Suggestion(
        lambda: Said(recalled().text),
        is_all=lambda: is_said_unchanged(mind, recalled()),
        form=lambda text: form_of(mind, recalled(), text),
        wrong=lambda reply, shown: wrong(mind, recalled(), reply, [question, *shown], now),
    )


async def of_talk(mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Suggestion:
    """The suggested next line of a conversation. A request for an offer, or to come, is no question to a small model's memory."""
    invited = small_talk.to_invitation(mind, talk, now)
    by_rule = mind.is_small() and (small_talk.offer_line(mind, talk) or invited)
    asking = None if by_rule else small_talk.last_question(mind, talk)
    meant = await nearest_memory(mind, asking.text, asking.speaker) if asking else no_memory
    remembered = of_line(mind, asking, now, meant)

    @cache
    def plain() -> Said:
        return small_talk.say(mind, talk, now, told, about, last_words=last_words, meant=meant, invited=invited)

    return Suggestion(
        plain,
        remembered.remembered,
        is_all=lambda: is_said_unchanged(mind, remembered),
        form=lambda text: form_of(mind, remembered, text),
        wrong=lambda reply, shown: wrong(mind, remembered, reply, [*shown, plain().text], now),
    )


def is_said_unchanged(mind: Mind, recalled: RememberedAnswer) -> bool:
    """Whether the suggested answer is said as it is, and a small model is not asked.

    That is so when nothing is remembered, or the answer cannot be said in spans. Where rules and vectors find nothing, a small model
    mostly makes something up.
    """
    return mind.is_small() and not (recalled.remembered and _can_be_spans(recalled))


def _can_be_spans(recalled: RememberedAnswer) -> bool:
    return '"' not in recalled.text and 0 < len(recalled.text.split()) <= MOST_WORDS


def of_question(mind: Mind, question: str, asker: str, now: GameTime, otherwise: str, meant: NearestMemory = no_memory) -> RememberedAnswer:
    """The remembered answer to a question: by rules, else the nearest memory (`meant`), else `otherwise`."""
    found = answering.answer(mind, question, asker, now)
    memory = None if found else meant()
    if memory:
        found = answering.as_answer(mind, memory, question, asker, now)
    return RememberedAnswer(found or otherwise, bool(found), answering.parse(mind, question, asker))


def of_line(mind: Mind, asking: Line | None, now: GameTime, meant: NearestMemory = no_memory) -> RememberedAnswer:
    """The remembered answer to the last question; empty without a question, or for a model that is shown no suggested answers."""
    if asking is None or not mind.engine.status().drafts or phrases.needs_no_memory(asking.text):
        return RememberedAnswer("", False)
    return of_question(mind, asking.text, asking.speaker, now, "", no_memory if phrases.answer_to(asking.text) else meant)


def wrong(mind: Mind, recalled: RememberedAnswer, reply: str, shown: Iterable[str], now: GameTime) -> str:
    """What is wrong with a reply of a model that is shown suggested answers; empty when nothing is.

    `shown` is what the prompt told beside the identity. Other models are not checked.
    """
    if not mind.engine.status().drafts:
        return ""
    known = [str(value) for value in identity.values_of(mind, now).values()] + [recalled.text, *shown]
    if not recalled.remembered:
        return unknown_names(reply, known)
    return (
        strays_from_memory(recalled, reply)
        or _wrong_person(mind, recalled, reply)
        or unknown_names(reply, known)
        or _garbles(reply, known)
        or _leaves_out(recalled, reply)
    )


def form_of(mind: Mind, recalled: RememberedAnswer, text: Text) -> Kind:
    """The form of a reply with a remembered answer: spans of it, for a model that is shown suggested answers.

    Such a model finds the right words, but misspells them: Millbrook becomes Midbrook.
    """
    if not (recalled.remembered and mind.engine.status().drafts and _can_be_spans(recalled)):
        return text
    inner = recalled.question is not None and groundedness.may_be_shortened(recalled.question)
    return Spans(text, recalled.text, _leading_words(), inner, phrases.lines("openers"))


@cache
def _leading_words() -> frozenset[str]:
    """Words that say nothing without the next one."""
    return listed("determiners") | listed("empty") | prepositions() | frozenset(["i", "than", *(title.casefold() for title in TITLES)])


def unknown_names(reply: str, known: Iterable[str]) -> str:
    """What is wrong with a reply that has a name or number which nothing known has; empty when nothing is.

    Capitalized words count as names, except at the start of a sentence.
    """
    words = {word for text in known for word in words_in(text)}
    for sentence in sentences(reply):
        for number, word in enumerate(_WORD.findall(sentence)):
            strange = word[0].isdigit() or (number > 0 and word[0].isupper() and without_possessive(word) != "I")
            if strange and without_possessive(word).casefold() not in words:
                return f"names {word!r}, of which nothing is known"
    return ""


def _wrong_person(mind: Mind, recalled: RememberedAnswer, reply: str) -> str:
    """What is wrong with a reply in the third person when the remembered answer says `I`; empty when nothing is."""
    said = set(words_in(recalled.text))
    if not said & _OWN:
        return ""
    strange = (name_words(mind.persona.name) | _OTHERS) & set(words_in(reply)) - said
    return f"speaks in the third person: {', '.join(sorted(strange))}" if strange else ""


def _garbles(reply: str, known: Iterable[str]) -> str:
    """What is wrong with a sentence that adds a word or two to what is remembered; empty when nothing is.

    A small model sometimes copies `marathon` as `candmaron`.
    """
    told = frozenset().union(*map(terms_of, known))
    for sentence in sentences(reply):
        words = groundedness.stated_terms(sentence)
        new = words - told
        if new and 2 * len(new) < len(words):
            return f"adds words to the remembered answer: {', '.join(sorted(new))}"
    return ""


def _leaves_out(recalled: RememberedAnswer, reply: str) -> str:
    """What is wrong with an answer that leaves out what was asked for; empty when nothing is."""
    short = recalled.question is not None and groundedness.leaves_out(recalled.question, recalled.text, reply)
    return "leaves out what was asked for" if short else ""


def strays_from_memory(recalled: RememberedAnswer, reply: str) -> str:
    """What is wrong with a reply that has little to do with the remembered answer; empty when nothing is.

    `I don't know` is wrong, too: a small model overlooks an answer more often than instinct finds a false one.
    """
    if not recalled.remembered:
        return ""
    known = terms_of(recalled.text)
    for sentence in sentences(reply):
        words = groundedness.stated_terms(sentence)
        if words and len(words & known) >= SHARED * len(words):
            return ""
    return f"strays from the remembered answer: {recalled.text!r}"
