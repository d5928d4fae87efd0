"""Offers without a model: which of a persona's offers somebody asks for, and the game call that follows.

Matches the words of the offer and of `data/offers.toml`. So a shop opens without a model, or with one too small to choose. An open
choice is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from npc_server.english.text import is_question
from npc_server.instinct import offers_words as words
from npc_server.instinct.offers_numbers import numbers_said
from npc_server.instinct.offers_words import HeardLine
from npc_server.mind.offers import Call, as_words
from npc_server.personas.schema import Offer, Parameter
from npc_server.records import NpcId, Talk

NAMED, OWN, USUAL, DESCRIBED = 4.0, 3.0, 2.0, 1.0
"""Scores of a line for an option, a word of the offer's name or own list, a usual word, and a word of its description."""


@dataclass(frozen=True)
class OfferReply:
    """The reply to a request. Without a call, its line asks back or refuses."""

    line: str
    """Name of a list of lines in `[lines]` of `offers.toml`."""
    offer: Offer
    call: Call | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    """Values for the braces of the line."""


def offer_reply(offers: Sequence[Offer], talk: Talk, me: NpcId) -> OfferReply | None:
    """The reply to the last line of a talk; None when it asks for none of these offers, or the NPC itself spoke it.

    Lines of instinct, which carry claims, ask for nothing: their "Lamp oil?" is a greeting.
    """
    last = talk.lines[-1] if talk.lines else None
    if not offers or last is None or last.speaker == me or last.claims is not None:
        return None
    before = talk.lines[-2] if len(talk.lines) > 1 else None
    own = before.text if before and before.speaker == me else ""
    # "Nothing bad, I hope?" asks for no order, and a short answer to it is none.
    heard = words.read_line(last.text, answers=is_question(own) and any(_speaks_of(offer, own) for offer in offers))
    asked = _open_choice(offers, own)
    if asked is not None and heard.plain:
        offer, parameter = asked
        option = _option(parameter, heard)
        if option and (heard.cues or not is_question(heard.plain)):
            earlier = next((line.text for line in reversed(talk.lines[:-1]) if line.speaker != me), "")
            return _filled(offer, heard, own, {parameter.name: option}, words.read_line(earlier))
    found = _asked_for(offers, heard)
    return _filled(found, heard, own) if found else None


def _asked_for(offers: Sequence[Offer], heard: HeardLine) -> Offer | None:
    """The offer that a line asks for with the highest score."""
    best, most = None, 0.0
    for offer in offers:
        score = _request_score(offer, [other for other in offers if other is not offer], heard)
        if score > most:
            best, most = offer, score
    return best


def _request_score(offer: Offer, others: Sequence[Offer], heard: HeardLine) -> float:
    """How clearly a line asks for an offer; 0 when it does not."""
    known = words.words_for(offer)
    each = [_choice_score(p, others, heard) for p in offer.parameters if p.type == "choice"]
    named = max(each, default=0.0)
    feels = USUAL * ("feels" in heard.cues and heard.has(known.feels))
    thing = DESCRIBED * (known.things and "thing" in heard.cues)
    if "asks" in heard.cues or heard.commands & frozenset().union(*known.all):
        usual = USUAL * (heard.has(known.usual) or heard.has(known.feels))
        return named + OWN * heard.has(known.own) + usual + DESCRIBED * len(known.described & heard.words) + thing
    if named and (_is_bare(offer, heard) or "perhaps" in heard.cues or sum(map(bool, each)) > 1):
        return named
    return max(feels, thing)


def _speaks_of(offer: Offer, own: str) -> bool:
    """Whether the NPC's own line has words of an offer or of its options."""
    known, said = words.words_for(offer), words.stems_in(own)
    options = (words.telling_stems_in(option) for parameter in offer.parameters for option in parameter.options)
    return any(entry <= said for entry in (*known.own, *known.usual)) or bool(said & known.described.union(*options))


def _is_bare(offer: Offer, heard: HeardLine) -> bool:
    """Whether a line says little more than an option: `Two horseshoes.`"""
    options = frozenset().union(*(words.stems_in(option) for p in offer.parameters for option in p.options))
    return heard.short and len(heard.words - options - words.filler_stems()) <= 1


def _choice_score(parameter: Parameter, others: Sequence[Offer], heard: HeardLine) -> float:
    """How clearly a line names one of the options.

    Words that other offers have count less: "two eggs" asks for eggs, and not for the task of collecting them.
    """
    option = _chosen(parameter, heard)
    if not option:
        return 0.0
    telling = words.telling_stems_in(option)
    said = telling & heard.words
    elsewhere = frozenset().union(*(entry for other in others for entry in words.words_for(other).all))
    return (NAMED if said - elsewhere else USUAL) * (1 + len(said) / len(telling)) / 2


def _open_choice(offers: Sequence[Offer], own: str) -> tuple[Offer, Parameter] | None:
    """The offer and parameter whose options the NPC's own last line asked about."""
    asked = [
        (o, p)
        for o in offers
        for p in o.parameters
        if p.type == "choice" and all(option.casefold() in own.casefold() for option in p.options)
    ]
    return asked[0] if asked and is_question(own) else None


def _filled(
    offer: Offer, heard: HeardLine, own: str, given: Mapping[str, str] | None = None, before: HeardLine | None = None
) -> OfferReply:
    """The reply with its call, or with a question for an open choice, or a refusal of a number out of bounds.

    `given` are values just answered. `before` is the line before the NPC asked back.
    """
    values: dict[str, object] = dict(given or {})
    for parameter in offer.parameters:
        if parameter.type == "choice" and parameter.name not in values:
            option = _option(parameter, heard) or (_chosen(parameter, before) if before else "")
            if not option:
                return OfferReply("which", offer, None, {"options": as_list(parameter.options)})
            values[parameter.name] = option
        elif parameter.type == "text":
            values[parameter.name] = as_words(before.text if before else heard.text)
        elif parameter.type == "integer":
            values[parameter.name] = min(max(parameter.low, 1), parameter.high)
    counted = [parameter for parameter in offer.parameters if parameter.type == "integer"]
    for parameter, number in numbers_said(counted, [heard.plain, before.plain if before else ""], own).items():
        if not parameter.low <= number <= parameter.high:
            bank = "too_many" if number > parameter.high else "too_few"
            return OfferReply(bank, offer, None, {"low": str(parameter.low), "high": str(parameter.high)})
        values[parameter.name] = number
    ordered = {parameter.name: values[parameter.name] for parameter in offer.parameters}
    return OfferReply("done", offer, Call(offer.name, json.dumps(ordered, ensure_ascii=False)))


def _option(parameter: Parameter, heard: HeardLine) -> str:
    """The option that is named; else the first, when it is the only one or the choice is left to the NPC."""
    left = len(parameter.options) == 1 or heard.leaves_it
    return _chosen(parameter, heard) or (parameter.options[0] if left else "")


def _chosen(parameter: Parameter, heard: HeardLine) -> str:
    """The option that a line names by words that no other option has; empty when it names none, or several equally."""
    best, most, tied = "", 0, False
    for option in parameter.options:
        others = frozenset().union(*(words.stems_in(other) for other in parameter.options if other != option))
        count = len((words.telling_stems_in(option) - others) & heard.words)
        if count > most:
            best, most, tied = option, count, False
        elif count and count == most:
            tied = True
    return "" if tied else best


def as_list(options: Sequence[str]) -> str:
    """`the goats, the fox or the beans`."""
    return f"{', '.join(options[:-1])} or {options[-1]}" if len(options) > 1 else "".join(options)
