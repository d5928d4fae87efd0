"""Facts of a plain grammar: somebody did something to something, somewhere, at some time, for some reason.

They have no bank of sentences behind them but verbs and nouns, so that who, what, where, when and why are learned as such.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.nano.draw import Draw, capital

Asks = tuple[tuple[str, str, tuple[str, ...], str], ...]


@dataclass(frozen=True)
class Deed:
    """A sentence with what can be asked of it: key, question and answer forms, and the words that show the answer."""

    text: str
    told: str
    asks: Asks
    people: tuple[str, ...]
    about: str
    """The verb and its object, by which two deeds are told apart."""


def deed(draw: Draw, a: str, b: str) -> Deed:
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


Forms = tuple[str, str, str, str]
SURE = ("", "", "", ", I think", ", as far as I know", ", if I remember right")


def _say(draw: Draw, *forms: str) -> tuple[str, ...]:
    return tuple(f"{capital(form)}{draw.one(SURE)}." for form in forms)


def _done(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
    base, past, _, _ = verb
    with_spot, with_moment = draw.chance(0.6), draw.chance(0.5)
    tail = f"{f' {spot}' if with_spot else ''}{f' {moment}' if with_moment else ''}"
    lead = (
        f"{capital(moment)} {a} {past} {thing}{f' {spot}' if with_spot else ''}"
        if with_moment and draw.chance(0.25)
        else f"{a} {past} {thing}{tail}"
    )
    asks = [
        ("who", draw.one((f"Who {past} {thing}?", f"Who was it that {past} {thing}?")), _say(draw, a, f"{a} {past} {thing}"), a),
        ("what", draw.one((f"What did {a} {base}?", f"What was it that {a} {past}?")), _say(draw, thing, f"{a} {past} {thing}"), thing),
    ]
    if with_spot:
        asks.append(
            (
                "where",
                draw.one((f"Where did {a} {base} {thing}?", f"In what place did {a} {base} {thing}?")),
                _say(draw, spot, f"{a} {past} {thing} {spot}"),
                spot,
            )
        )
    if with_moment:
        asks.append(
            (
                "when",
                draw.one((f"When did {a} {base} {thing}?", f"When was it that {a} {past} {thing}?")),
                _say(draw, moment, f"{a} {past} {thing} {moment}"),
                moment,
            )
        )
    return Deed(f"{lead}.", f"{a} {past} {thing}{tail}.", tuple(asks), (a,), f"{base} {thing}")


def _does(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
    base, _, _, does = verb
    asks = (
        ("who", f"Who {does} {thing}?", _say(draw, a, f"{a} {does} {thing}"), a),
        ("what", draw.one((f"What does {a} {base}?", f"What does {a} {base} {spot}?")), _say(draw, thing, f"{a} {does} {thing}"), thing),
        ("where", f"Where does {a} {base} {thing}?", _say(draw, spot, f"{a} {does} {thing} {spot}"), spot),
    )
    text = f"{a} {does} {thing} {spot}."
    return Deed(text, text, asks, (a,), f"{base} {thing}")


def _will(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
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
    asks: Asks
    if draw.chance(0.5):
        text = f"{capital(thing)} will be {participle} {day}."
        asks = (
            ("when", draw.one((f"When will {thing} be {participle}?", f"When is {thing} going to be {participle}?")), _say(draw, day), day),
            ("what", f"What will be {participle} {day}?", _say(draw, thing), thing),
        )
        return Deed(text, text, asks, (), f"{base} {thing}")
    text = f"{a} {draw.one(('will', 'wants to', 'is going to', 'has promised to'))} {base} {thing} {day}."
    asks = (
        ("who", f"Who will {base} {thing}?", _say(draw, a), a),
        ("when", f"When will {a} {base} {thing}?", _say(draw, day), day),
        ("what", f"What will {a} {base}?", _say(draw, thing), thing),
    )
    return Deed(text, text, asks, (a,), f"{base} {thing}")


def _by(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
    base, past, participle, _ = verb
    text = f"{capital(thing)} was {participle} by {a} {moment}."
    asks = (
        ("who", draw.one((f"Who {past} {thing}?", f"By whom was {thing} {participle}?")), _say(draw, a, f"it was {a}"), a),
        ("when", f"When was {thing} {participle}?", _say(draw, moment), moment),
    )
    return Deed(text, f"{a} {past} {thing} {moment}.", asks, (a,), f"{base} {thing}")


def _is(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
    noun = draw.line("noun")
    whose = draw.one((f"{a}'s {noun}", f"the {draw.line('size')} {noun}", f"the {noun}"))
    text = f"{capital(whose)} {draw.one(('is', 'stands', 'lies'))} {spot}."
    asks = (
        (
            "where",
            draw.one((f"Where is {whose}?", f"Where can I find {whose}?", f"Do you know where {whose} is?")),
            _say(draw, spot, f"{whose} is {spot}"),
            spot,
        ),
        ("what", f"What is {spot}?", _say(draw, whose), whose),
    )
    return Deed(text, text, asks, (a,) if whose.startswith(a) else (), f"be {whose}")


def _why(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
    base, past, _, _ = verb
    reason = draw.fill(draw.line("reason"), b=b)
    because = reason if reason.startswith("of ") else f" {reason}"
    text = f"{a} {past} {thing} because {because.strip()}."
    asks = (
        (
            "why",
            draw.one((f"Why did {a} {base} {thing}?", f"For what reason did {a} {base} {thing}?")),
            _say(draw, f"because {because.strip()}", f"{a} {past} {thing} because {because.strip()}"),
            reason,
        ),
        ("who", f"Who {past} {thing}?", _say(draw, a), a),
    )
    return Deed(text, text, asks, (a,), f"{base} {thing}")


def _colour(draw: Draw, a: str, b: str, verb: Forms, thing: str, spot: str, moment: str) -> Deed:
    asks: Asks
    noun, colour = draw.line("noun"), draw.line("colour")
    if draw.chance(0.5):
        text = draw.one((f"{a}'s {noun} is {colour}.", f"{a} has a {colour} {noun}."))
        asks = (
            (
                "colour",
                draw.one((f"What colour is {a}'s {noun}?", f"Of what colour is {a}'s {noun}?")),
                _say(draw, colour, f"it is {colour}"),
                colour,
            ),
            ("who", f"Who has a {colour} {noun}?", _say(draw, a), a),
        )
        return Deed(draw.fill(text), draw.fill(text), asks, (a,), f"colour {a} {noun}")
    count = str(draw.number(2, 90))
    noun = f"{noun}s"
    text = draw.one((f"{a} has {count} {noun}.", f"There are {count} {noun} {spot}.", f"{a} paid {count} coins for the {noun}."))
    if "There are" in text:
        asks = (
            ("number", f"How many {noun} are {spot}?", _say(draw, count, f"{count} {noun}"), count),
            ("where", f"Where are the {count} {noun}?", _say(draw, spot), spot),
        )
    elif "paid" in text:
        asks = (
            ("number", f"How much did {a} pay for the {noun}?", _say(draw, f"{count} coins", count), count),
            ("who", f"Who paid {count} coins for the {noun}?", _say(draw, a), a),
        )
    else:
        asks = (
            ("number", f"How many {noun} does {a} have?", _say(draw, count, f"{count} {noun}"), count),
            ("who", f"Who has {count} {noun}?", _say(draw, a), a),
        )
    return Deed(text, text, asks, (a,), f"count {a} {noun}")
