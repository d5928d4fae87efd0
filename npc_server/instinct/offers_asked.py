"""What of a persona's offers somebody asks for, by rules: by the words of the offer and of `data/offers.toml`.

A shop opens, then, and a task is given, where there is no model, or one too small to choose. A choice that was left open is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from npc_server.english.text import is_question
from npc_server.instinct import offers_words as words
from npc_server.instinct.offers_numbers import numbers
from npc_server.instinct.offers_words import Heard
from npc_server.mind.offers import Call, as_words
from npc_server.personas.schema import Offer, Parameter
from npc_server.records import NpcId, Talk

NAMED, OWN, USUAL, DESCRIBED = 4.0, 3.0, 2.0, 1.0
"""How much it says that a line names an option, has a word of the offer's name or own list, a usual one, or one of its description."""


@dataclass(frozen=True)
class Wanted:
    """What is done about it; without a call something is asked or refused with the line."""

    line: str
    """A bank of `[lines]`."""
    offer: Offer
    call: Call | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    """What stands in the line's braces."""


def wanted(offers: Sequence[Offer], talk: Talk, me: NpcId) -> Wanted | None:
    """What the last line of a talk asks for of these offers; None where it asks for nothing of them, or nobody else spoke it.

    What instinct says asks for nothing: it says what it tells, and its "Lamp oil?" is a greeting.
    """
    last = talk.lines[-1] if talk.lines else None
    if not offers or last is None or last.speaker == me or last.claims is not None:
        return None
    before = talk.lines[-2] if len(talk.lines) > 1 else None
    own = before.text if before and before.speaker == me else ""
    heard = words.heard(last.text, answers=is_question(own))
    asked = _left_open(offers, own)
    if asked is not None and heard.plain:
        offer, parameter = asked
        option = _option(parameter, heard)
        if option and (heard.cues or not is_question(heard.plain)):
            earlier = next((line.text for line in reversed(talk.lines[:-1]) if line.speaker != me), "")
            return _filled(offer, heard, own, {parameter.name: option}, words.heard(earlier))
    found = _asked_for(offers, heard)
    return _filled(found, heard, own) if found else None


def _asked_for(offers: Sequence[Offer], heard: Heard) -> Offer | None:
    """The offer that a line asks for most plainly."""
    best, most = None, 0.0
    for offer in offers:
        score = _plainly(offer, [other for other in offers if other is not offer], heard)
        if score > most:
            best, most = offer, score
    return best


def _plainly(offer: Offer, others: Sequence[Offer], heard: Heard) -> float:
    """How plainly a line asks for an offer; 0 where it does not."""
    known = words.known(offer)
    each = [_names(p, others, heard) for p in offer.parameters if p.type == "choice"]
    named = max(each, default=0.0)
    feels = USUAL * ("feels" in heard.cues and heard.has(known.feels))
    thing = DESCRIBED * (known.things and "thing" in heard.cues)
    if "asks" in heard.cues or heard.commands & frozenset().union(*known.all):
        usual = USUAL * (heard.has(known.usual) or heard.has(known.feels))
        return named + OWN * heard.has(known.own) + usual + DESCRIBED * len(known.described & heard.words) + thing
    if named and (_is_bare(offer, heard) or "perhaps" in heard.cues or sum(map(bool, each)) > 1):
        return named
    return max(feels, thing)


def _is_bare(offer: Offer, heard: Heard) -> bool:
    """Whether a line says little more than one of the options: `Two horseshoes.`"""
    options = frozenset().union(*(words.every(option) for p in offer.parameters for option in p.options))
    return heard.short and len(heard.words - options - words.filling()) <= 1


def _names(parameter: Parameter, others: Sequence[Offer], heard: Heard) -> float:
    """How plainly a line names one of the options: "two eggs" are rather an egg than to collect eggs, and less where another offer is
    asked for in the same words."""
    option = _chosen(parameter, heard)
    if not option:
        return 0.0
    telling = words.telling(option)
    said = telling & heard.words
    elsewhere = frozenset().union(*(entry for other in others for entry in words.known(other).all))
    return (NAMED if said - elsewhere else USUAL) * (1 + len(said) / len(telling)) / 2


def _left_open(offers: Sequence[Offer], own: str) -> tuple[Offer, Parameter] | None:
    """What one asked with one's last line: which of the options."""
    asked = [
        (o, p)
        for o in offers
        for p in o.parameters
        if p.type == "choice" and all(option.casefold() in own.casefold() for option in p.options)
    ]
    return asked[0] if asked and is_question(own) else None


def _filled(offer: Offer, heard: Heard, own: str, given: Mapping[str, str] | None = None, before: Heard | None = None) -> Wanted:
    """The call with its values; what is to be asked where one is open, or refused where a number is out of its bounds.

    `given` was answered now, and `before` is what was said before one asked.
    """
    values: dict[str, object] = dict(given or {})
    for parameter in offer.parameters:
        if parameter.type == "choice" and parameter.name not in values:
            option = _option(parameter, heard) or (_chosen(parameter, before) if before else "")
            if not option:
                return Wanted("which", offer, None, {"options": as_list(parameter.options)})
            values[parameter.name] = option
        elif parameter.type == "text":
            values[parameter.name] = as_words(before.text if before else heard.text)
        elif parameter.type == "integer":
            values[parameter.name] = min(max(parameter.low, 1), parameter.high)
    counted = [parameter for parameter in offer.parameters if parameter.type == "integer"]
    for parameter, number in numbers(counted, [heard.plain, before.plain if before else ""], own).items():
        if not parameter.low <= number <= parameter.high:
            bank = "too_many" if number > parameter.high else "too_few"
            return Wanted(bank, offer, None, {"low": str(parameter.low), "high": str(parameter.high)})
        values[parameter.name] = number
    ordered = {parameter.name: values[parameter.name] for parameter in offer.parameters}
    return Wanted("done", offer, Call(offer.name, json.dumps(ordered, ensure_ascii=False)))


def _option(parameter: Parameter, heard: Heard) -> str:
    """The option that is named, or the first where it is the only one or the choice is left to oneself."""
    left = len(parameter.options) == 1 or heard.leaves_it
    return _chosen(parameter, heard) or (parameter.options[0] if left else "")


def _chosen(parameter: Parameter, heard: Heard) -> str:
    """The option that a line names: by words that none of the others has. Empty where it names none, or several as well."""
    best, most, tied = "", 0, False
    for option in parameter.options:
        others = frozenset().union(*(words.every(other) for other in parameter.options if other != option))
        count = len((words.telling(option) - others) & heard.words)
        if count > most:
            best, most, tied = option, count, False
        elif count and count == most:
            tied = True
    return "" if tied else best


def as_list(options: Sequence[str]) -> str:
    """`the goats, the fox or the beans`."""
    return f"{', '.join(options[:-1])} or {options[-1]}" if len(options) > 1 else "".join(options)
