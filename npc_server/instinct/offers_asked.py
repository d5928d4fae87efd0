"""Offers without a model: which of a persona's offers somebody asks for, and the game call that follows.

Matches the words of the offer and of `data/offers.toml`. So a shop opens without a model, or with one too small to choose. What is not
sure, and each value that is missing, is asked for: nothing is done, and no value is given, that nobody named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from npc_server.english.text import is_question
from npc_server.instinct import offers_words as words
from npc_server.instinct.offers_numbers import numbers_said
from npc_server.instinct.offers_words import HeardLine
from npc_server.mind.offers import NOTHING, Call, as_words
from npc_server.personas.schema import Offer, Parameter
from npc_server.records import Line, NpcId, OfferTurn, Talk, Why

NAMED, OWN, USUAL, DESCRIBED = 4.0, 3.0, 2.0, 1.0
"""Scores of a line for an option, a word of the offer's name or own list, a usual word, and a word of its description."""
SURE = 3.0
"""Score from which on a line asks for an offer without doubt."""

Values = Mapping[str, str | int]
"""Values of an offer's parameters by name, as far as they are known."""


@dataclass(frozen=True)
class OfferReply:
    """The reply to a request: it goes with a call, asks back, or refuses."""

    why: Why
    lines: str
    """Name of a list of lines in `[lines]` of `offers.toml`."""
    offer: Offer
    turn: OfferTurn
    call: Call | None = None
    shown: Mapping[str, str] = field(default_factory=dict)
    """Values for the braces of the line."""


def offer_reply(offers: Sequence[Offer], talk: Talk, me: NpcId, *, agrees: bool = False) -> OfferReply | None:
    """The reply to the last line of a talk; None when it asks for none of these offers, or the NPC itself spoke it.

    `agrees` says whether that line says yes to what the NPC asked. Lines of instinct, which carry claims, ask for nothing: their "Lamp
    oil?" is a greeting.
    """
    last = talk.lines[-1] if talk.lines else None
    if not offers or last is None or last.speaker == me or last.claims is not None:
        return None
    before = talk.lines[-2] if len(talk.lines) > 1 and talk.lines[-2].speaker == me else None
    own = before.text if before else ""
    # "Nothing bad, I hope?" asks for no order, and a short answer to it is none.
    heard = words.read_line(last.text, answers=is_question(own) and any(_speaks_of(offer, own) for offer in offers))
    answered = _answered(offers, before, heard, agrees=agrees) or _to_open_choice(offers, talk, heard, own, me)
    if answered is not None:
        return answered
    found, score = _asked_for(offers, heard)
    if found is None:
        return None
    known = _values_in(found, heard, own)
    if score < SURE and not _was_asked_back(talk, found, me):
        turn = OfferTurn(found.name, "", tuple(known.items()))
        return OfferReply(Why.ASK_BACK, "sure", found, turn, shown={"offer": found.name.replace("_", " ")})
    return _reply(found, known)


def _answered(offers: Sequence[Offer], before: Line | None, heard: HeardLine, *, agrees: bool) -> OfferReply | None:
    """The reply to an answer to what the NPC asked in the line `before`; None if it asked nothing, or the answer says something else."""
    turn = before.offer if before is not None and before.why in (Why.ASK_BACK, Why.REFUSAL) else None
    offer = next((it for it in offers if turn is not None and it.name == turn.offer), None)
    if turn is None or offer is None:
        return None
    parameter = next((it for it in offer.parameters if it.name == turn.parameter), None)
    said = _values_in(offer, heard)
    if parameter is not None:
        agrees = parameter.name in said and not (is_question(heard.plain) and not heard.cues)
    return _reply(offer, {**said, **dict(turn.given)}) if agrees else None


def _to_open_choice(offers: Sequence[Offer], talk: Talk, heard: HeardLine, own: str, me: NpcId) -> OfferReply | None:
    """The reply to an answer to a model's own line that asked which of the options of an offer it is to be."""
    asked = _open_choice(offers, own)
    if asked is None or not heard.plain or (is_question(heard.plain) and not heard.cues):
        return None
    offer, parameter = asked
    option = _option(parameter, heard)
    earlier = next((line.text for line in reversed(talk.lines[:-1]) if line.speaker != me), "")
    first = _values_in(offer, words.read_line(earlier))
    return _reply(offer, {**_values_in(offer, heard, own), **first, parameter.name: option}) if option else None


def _was_asked_back(talk: Talk, offer: Offer, me: NpcId) -> bool:
    """Whether the NPC asked in this talk whether the offer is wanted, and nothing came of it yet. Who asks again wants it."""
    about = [i for i, line in enumerate(talk.lines) if line.speaker == me and line.offer is not None and line.offer.offer == offer.name]
    if not about or talk.lines[about[-1]].why is not Why.ASK_BACK:
        return False
    return not any(words.declines(line.text) for line in talk.lines[about[-1] + 1 :] if line.speaker != me)


def _asked_for(offers: Sequence[Offer], heard: HeardLine) -> tuple[Offer | None, float]:
    """The offer that a line asks for with the highest score, and that score."""
    best, most = None, 0.0
    for offer in offers:
        score = _request_score(offer, [other for other in offers if other is not offer], heard)
        if score > most:
            best, most = offer, score
    return best, most


def _request_score(offer: Offer, others: Sequence[Offer], heard: HeardLine) -> float:
    """How clearly a line asks for an offer; 0 when it does not."""
    known = words.words_for(offer)
    each = [_choice_score(p, others, heard) for p in offer.parameters if p.type == "choice"]
    named = max(each, default=0.0)
    feels = USUAL * ("feels" in heard.cues and heard.has(known.feels))
    thing = DESCRIBED * (known.things and "thing" in heard.cues)
    if "asks" in heard.cues or heard.commands & frozenset().union(*known.all):
        # A word of an option is no other sign of the offer.
        besides = heard.words - frozenset().union(*(_said_of(p, heard) for p in offer.parameters if p.type == "choice"))
        usual = USUAL * any(entry <= heard.words and entry & besides for entry in (*known.usual, *known.feels))
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
    telling, said = words.telling_stems_in(option), _said_of(parameter, heard)
    elsewhere = frozenset().union(*(entry for other in others for entry in words.words_for(other).all))
    return (NAMED if said - elsewhere else USUAL) * (1 + len(said) / len(telling)) / 2


def _said_of(parameter: Parameter, heard: HeardLine) -> frozenset[str]:
    """The telling stems of the option that a line names."""
    return words.telling_stems_in(_chosen(parameter, heard)) & heard.words


def _open_choice(offers: Sequence[Offer], own: str) -> tuple[Offer, Parameter] | None:
    """The offer and parameter whose options the NPC's own last line asked about."""
    asked = [
        (o, p)
        for o in offers
        for p in o.parameters
        if p.type == "choice" and all(option.casefold() in own.casefold() for option in p.options)
    ]
    return asked[0] if asked and is_question(own) else None


def _values_in(offer: Offer, heard: HeardLine, own: str = "") -> dict[str, str | int]:
    """The values that a line names. Of the NPC's `own` line before it only numbers with a name count."""
    chosen = {p.name: option for p in offer.parameters if p.type == "choice" and (option := _option(p, heard))}
    texts = {p.name: as_words(heard.text) for p in offer.parameters if p.type == "text"}
    things = words.stems_in(" ".join(chosen.values()))
    counted = numbers_said([p for p in offer.parameters if p.type == "integer"], heard.plain, own, things)
    return {**chosen, **texts, **{parameter.name: number for parameter, number in counted.items()}}


def _reply(offer: Offer, known: Values) -> OfferReply:
    """The reply with its call, or with a refusal of a number out of bounds, or with a question for the first value that is missing."""
    values = {**{p.name: p.default for p in offer.parameters if p.default is not None}, **known}
    for parameter in offer.parameters:
        value = values.get(parameter.name)
        if parameter.type == "integer" and isinstance(value, int) and not parameter.low <= value <= parameter.high:
            return _back(Why.REFUSAL, "too_many" if value > parameter.high else "too_few", offer, parameter, known)
    for parameter in offer.parameters:
        if parameter.name not in values and parameter.type == "choice":
            return _back(Why.ASK_BACK, "which", offer, parameter, known)
        if parameter.name not in values and parameter.type == "integer":
            # "How many nights?", but no "How many count?"
            return _back(Why.ASK_BACK, "how_many_of" if parameter.name.endswith("s") else "how_many", offer, parameter, known)
    ordered = {parameter.name: values.get(parameter.name, NOTHING) for parameter in offer.parameters}
    call = Call(offer.name, json.dumps(ordered, ensure_ascii=False))
    return OfferReply(Why.CALL, "done", offer, OfferTurn(offer.name, "", tuple(ordered.items())), call)


def _back(why: Why, lines: str, offer: Offer, parameter: Parameter, known: Values) -> OfferReply:
    """A reply that leaves the value of a parameter to the other."""
    given = tuple((name, value) for name, value in known.items() if name != parameter.name)
    shown = {"options": as_list(parameter.options), "name": parameter.name.replace("_", " ")}
    shown |= {"low": str(parameter.low), "high": str(parameter.high)}
    return OfferReply(why, lines, offer, OfferTurn(offer.name, parameter.name, given), shown=shown)


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
