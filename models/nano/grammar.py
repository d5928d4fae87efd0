"""Passages made by a small grammar: who did what to which object, where, when and why, with questions about it.

They are drawn from banks of verbs and nouns, not of sentences, so that a model learns the question words and not the sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.nano.draw import Draw, capital, content, style

Asks = tuple[tuple[str, str, tuple[str, ...], str], ...]


@dataclass(frozen=True)
class Passage:
    """A sentence with questions, as in reading comprehension."""

    text: str
    told: str
    asks: Asks
    """Each with its key, question, forms of the answer, and the words that show that an answer is right."""
    people: tuple[str, ...]
    about: str
    """The verb and its object, by which passages are compared."""
    unanswerable: tuple[str, ...] = ()
    """Questions that the sentence does not answer."""
    own: bool = False
    """Whether it is in the first person."""


def make_passage(draw: Draw, a: str, b: str) -> Passage:
    base, past, participle, does = draw.line("verbs").split()
    thing = _thing(draw, b)
    spot, moment = draw.bank("spot"), draw.bank("moment")
    maker = draw.one((_done, _done, _done, _does, _will, _by, _is, _why, _colour))
    return maker(draw, a, b, (base, past, participle, does), thing, spot, moment)


def _thing(draw: Draw, b: str) -> str:
    noun = draw.word(2, 2).lower() if draw.chance(0.12) else draw.line("noun")
    if draw.chance(0.15):
        return f"{b}'s {noun}"
    article = draw.one(("the", "the", "a"))
    whole = f"{article} {draw.line('size')} {noun}" if draw.chance(0.6) else f"{article} {noun}"
    return draw.fill(whole)


VerbForms = tuple[str, str, str, str]
CERTAINTY = ("", "", "", ", I think", ", as far as I know", ", if I remember right")


def with_certainty(draw: Draw, *forms: str) -> tuple[str, ...]:
    return tuple(f"{capital(form)}{draw.one(CERTAINTY)}." for form in forms)


def _asked(draw: Draw, way: str, **values: str) -> str:
    """A question in one of its wordings, capitalized."""
    return capital(draw.said(style()["grammar"][way], **values))


def _asking(draw: Draw, a: str, verb: VerbForms, thing: str, spot: str = "", moment: str = "") -> Callable[[str], str]:
    base, past, participle, does = verb
    return lambda way: _asked(draw, way, a=a, base=base, past=past, participle=participle, does=does, thing=thing, spot=spot, moment=moment)


def _done(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    base, past, _, _ = verb
    ask = _asking(draw, a, verb, thing, spot, moment)
    with_spot, with_moment = draw.chance(0.6), draw.chance(0.5)
    tail = f"{f' {spot}' if with_spot else ''}{f' {moment}' if with_moment else ''}"
    lead = (
        f"{capital(moment)} {a} {past} {thing}{f' {spot}' if with_spot else ''}"
        if with_moment and draw.chance(0.25)
        else f"{a} {past} {thing}{tail}"
    )
    asks = [
        ("who", ask("who_did"), with_certainty(draw, a, f"{a} {past} {thing}"), a),
        ("what", ask("what_did"), with_certainty(draw, thing, f"{a} {past} {thing}"), thing),
    ]
    if with_spot:
        asks.append(
            (
                "where",
                ask("where_did"),
                with_certainty(draw, spot, f"{a} {past} {thing} {spot}"),
                spot,
            )
        )
    if with_moment:
        asks.append(
            (
                "when",
                ask("when_did"),
                with_certainty(draw, moment, f"{a} {past} {thing} {moment}"),
                moment,
            )
        )
    unsaid = [*((ask("where_did"),) if not with_spot else ()), *((ask("when_did"),) if not with_moment else ()), ask("why_did")]
    return Passage(f"{lead}.", f"{a} {past} {thing}{tail}.", tuple(asks), (a,), f"{base} {thing}", tuple(unsaid))


def _does(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    base, _, _, does = verb
    ask = _asking(draw, a, verb, thing, spot, moment)
    asks = (
        ("who", ask("who_does"), with_certainty(draw, a, f"{a} {does} {thing}"), a),
        ("what", ask("what_does"), with_certainty(draw, thing, f"{a} {does} {thing}"), thing),
        ("where", ask("where_does"), with_certainty(draw, spot, f"{a} {does} {thing} {spot}"), spot),
    )
    text = f"{a} {does} {thing} {spot}."
    return Passage(text, text, asks, (a,), f"{base} {thing}", _ask_colour(draw, thing))


def _will(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    base, _, participle, _ = verb
    day = draw.fill(
        draw.one(
            (
                "on {weekday}",
                "at {time}",
                "tomorrow",
                "next {weekday}",
                "in the {season}",
                "on {weekday} at {time}",
                "tonight",
                "in {number} days",
            )
        )
    )
    ask = _asking(draw, a, verb, thing, spot, day)
    asks: Asks
    if draw.chance(0.5):
        text = f"{capital(thing)} will be {participle} {day}."
        asks = (
            ("when", ask("when_will_be"), with_certainty(draw, day), day),
            ("what", ask("what_will_be"), with_certainty(draw, thing), thing),
        )
        return Passage(text, text, asks, (), f"{base} {thing}", _ask_colour(draw, thing))
    text = f"{a} {draw.one(('will', 'wants to', 'is going to', 'has promised to'))} {base} {thing} {day}."
    asks = (
        ("who", ask("who_will"), with_certainty(draw, a), a),
        ("when", ask("when_will"), with_certainty(draw, day), day),
        ("what", ask("what_will"), with_certainty(draw, thing), thing),
    )
    return Passage(text, text, asks, (a,), f"{base} {thing}", _ask_colour(draw, thing))


def _by(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    base, past, participle, _ = verb
    ask = _asking(draw, a, verb, thing, spot, moment)
    text = f"{capital(thing)} was {participle} by {a} {moment}."
    asks = (
        ("who", ask("who_did"), with_certainty(draw, a, f"it was {a}"), a),
        ("when", ask("when_did"), with_certainty(draw, moment), moment),
    )
    return Passage(text, f"{a} {past} {thing} {moment}.", asks, (a,), f"{base} {thing}", (ask("where_did"), ask("why_did")))


def _is(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    noun = draw.line("noun")
    whose = draw.one((f"{a}'s {noun}", f"the {draw.line('size')} {noun}", f"the {noun}"))
    text = f"{capital(whose)} {draw.one(('is', 'stands', 'lies'))} {spot}."
    asks = (
        (
            "where",
            _asked(draw, "where_is", thing=whose),
            with_certainty(draw, spot, f"{whose} is {spot}"),
            spot,
        ),
        ("what", _asked(draw, "what_is", spot=spot), with_certainty(draw, whose), whose),
    )
    return Passage(text, text, asks, (a,) if whose.startswith(a) else (), f"be {whose}", _ask_colour(draw, whose))


def _why(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    base, past, _, _ = verb
    ask = _asking(draw, a, verb, thing, spot, moment)
    reason = draw.fill(draw.line("reason"), b=b)
    because = reason if reason.startswith("of ") else f" {reason}"
    text = f"{a} {past} {thing} because {because.strip()}."
    asks = (
        (
            "why",
            ask("why_did"),
            with_certainty(draw, f"because {because.strip()}", f"{a} {past} {thing} because {because.strip()}"),
            reason,
        ),
        ("who", ask("who_did"), with_certainty(draw, a), a),
    )
    return Passage(text, text, asks, (a,), f"{base} {thing}", (ask("where_did"), ask("when_did")))


def _ask_colour(draw: Draw, thing: str) -> tuple[str, ...]:
    """The question for a thing's colour, if the passage names none."""
    if {word.lower() for word in content()["colour"]} & set(thing.lower().split()):
        return ()
    return (_asked(draw, "what_colour", thing=thing),)


def _colour(draw: Draw, a: str, b: str, verb: VerbForms, thing: str, spot: str, moment: str) -> Passage:
    asks: Asks
    noun, colour = draw.line("noun"), draw.line("colour")
    if draw.chance(0.5):
        text = draw.one((f"{a}'s {noun} is {colour}.", f"{a} has a {colour} {noun}."))
        asks = (
            (
                "colour",
                _asked(draw, "what_colour", thing=f"{a}'s {noun}"),
                with_certainty(draw, colour, f"it is {colour}"),
                colour,
            ),
            ("who", _asked(draw, "who_has", thing=f"a {colour} {noun}"), with_certainty(draw, a), a),
        )
        return Passage(draw.fill(text), draw.fill(text), asks, (a,), f"colour {a} {noun}")
    count = str(draw.number(2, 90))
    noun = f"{noun}s"
    text = draw.one((f"{a} has {count} {noun}.", f"There are {count} {noun} {spot}.", f"{a} paid {count} coins for the {noun}."))
    if "There are" in text:
        asks = (
            ("number", _asked(draw, "how_many_are", thing=noun, spot=spot), with_certainty(draw, count, f"{count} {noun}"), count),
            ("where", _asked(draw, "where_are", thing=f"{count} {noun}"), with_certainty(draw, spot), spot),
        )
    elif "paid" in text:
        asks = (
            ("number", _asked(draw, "how_much", a=a, thing=f"the {noun}"), with_certainty(draw, f"{count} coins", count), count),
            ("who", _asked(draw, "who_paid", count=count, thing=f"the {noun}"), with_certainty(draw, a), a),
        )
    else:
        asks = (
            ("number", _asked(draw, "how_many_has", a=a, thing=noun), with_certainty(draw, count, f"{count} {noun}"), count),
            ("who", _asked(draw, "who_has", thing=f"{count} {noun}"), with_certainty(draw, a), a),
        )
    return Passage(text, text, asks, (a,), f"count {a} {noun}")
