"""What of a persona's offers somebody asks for, without a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.instinct import offers_asked, offers_words, small_talk
from npc_server.instinct.offers_numbers import numbers_said
from npc_server.mind.mind import Mind
from npc_server.personas.schema import Offer, Parameter
from npc_server.records import Line, Talk, Why
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
SHOP = Offer("open_shop", "let a customer see the goods")
ORDER = Offer(
    "take_order",
    "take an order for bread",
    (
        Parameter("item", "choice", ("rye bread", "seed cake", "meat pie")),
        Parameter("count", "integer", (), 1, 12),
        Parameter("note", "text"),
    ),
)
ROOM = Offer("rent_room", "let the spare room to somebody", (Parameter("nights", "integer", (), 1, 14),))
WORK = Offer(
    "accept_quest", "give somebody work, once they want to help", (Parameter("task", "choice", ("milk the goats", "find the fox")),)
)
ALL = (SHOP, ORDER, ROOM, WORK)


def talk(*lines: tuple[str, str]) -> Talk:
    return Talk("t", ("mara_voss", "Robin"), "", MORNING, tuple(Line(who, text, MORNING) for who, text in lines))


def wanted(*said: str, offers: tuple[Offer, ...] = ALL, agrees: bool = False) -> offers_asked.OfferReply | None:
    """The player spoke last, and before that they took turns."""
    lines = [("Robin" if (len(said) - i) % 2 else "mara_voss", text) for i, text in enumerate(said)]
    return offers_asked.offer_reply(offers, talk(*lines), "mara_voss", agrees=agrees)


def answered(*said: str, offers: tuple[Offer, ...] = ALL, agrees: bool = False) -> offers_asked.OfferReply | None:
    """The reply to the last of a player's lines, each of which was answered by instinct."""
    lines: list[Line] = []
    found = None
    for i, text in enumerate(said):
        lines.append(Line("Robin", text, MORNING))
        asked = Talk("t", ("mara_voss", "Robin"), "", MORNING, tuple(lines))
        found = offers_asked.offer_reply(offers, asked, "mara_voss", agrees=agrees and i == len(said) - 1)
        why, turn = (found.why, found.turn) if found else (Why.TALK, None)
        lines.append(Line("mara_voss", "…", MORNING, (), why=why, offer=turn))
    return found


def given(found: offers_asked.OfferReply | None) -> dict[str, object]:
    """The values of the call of a reply."""
    assert found is not None
    assert found.call is not None, found
    return dict(json.loads(found.call.arguments))


@pytest.mark.parametrize(
    ("heard", "name", "arguments"),
    [
        ("Show me your goods, please.", "open_shop", {}),
        ("A seed cake, please.", "take_order", {"item": "seed cake", "count": 1}),
        ("I'd like three rye breads.", "take_order", {"item": "rye bread", "count": 3}),
        ("Half a dozen pies!", "take_order", {"item": "meat pie", "count": 6}),
        ("Could we have your spare room for 3 nights?", "rent_room", {"nights": 3}),
        ("Not the pie. Give me two cakes.", "take_order", {"item": "seed cake", "count": 2}),
        ("Got any work for me? I could find that fox.", "accept_quest", {"task": "find the fox"}),
    ],
)
def test_what_is_asked_for_is_called_with_its_values(heard: str, name: str, arguments: dict[str, object]) -> None:
    found = wanted(heard)
    assert found is not None
    assert found.call is not None
    assert (found.why, found.call.name) == (Why.CALL, name)
    assert arguments.items() <= json.loads(found.call.arguments).items()


@pytest.mark.parametrize(
    "heard",
    [
        "Who bakes the rye bread?",
        "When do you open the shop?",
        "How much is the room?",
        "Did Tobin sell the goods?",
        "No thanks, I don't want a room.",
        "I had a seed cake yesterday.",
        "Please don't sell the goods.",
        "Your cakes taste wonderful.",
        "I've heard you let a room.",
        "Can you tell me where the goats are?",
        "Good morning.",
        "...",
    ],
)
def test_what_only_speaks_of_it_calls_nothing(heard: str) -> None:
    assert wanted(heard) is None


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("What's for sale?", "open_shop"),
        ("I need a rope and a lantern.", "open_shop"),
        ("I want to sell you my sword.", "open_shop"),
        ("Could you give me a roof?", "rent_room"),
    ],
)
def test_what_may_be_a_request_is_asked_back_and_done_after_a_yes_or_a_second_request(heard: str, name: str) -> None:
    found = answered(heard)
    assert found is not None
    assert (found.why, found.offer.name, found.turn.parameter, found.call) == (Why.ASK_BACK, name, "", None)
    confirmed = answered(heard, "Yes.", agrees=True)
    assert confirmed is not None
    assert confirmed.why is Why.CALL or confirmed.turn.parameter == "nights"
    assert answered(heard, "Nice weather.") is None
    again = answered(heard, "Nice weather.", heard)
    assert again is not None
    assert (again.why, again.turn.parameter) == (confirmed.why, confirmed.turn.parameter)
    refused = answered(heard, "No.", heard)
    assert refused is not None
    assert (refused.why, refused.turn.parameter) == (Why.ASK_BACK, "")


def test_what_was_done_is_not_done_again_for_a_line_that_may_be_no_request() -> None:
    found = answered("What's for sale?", "Yes.", agrees=True)
    assert found is not None
    assert found.why is Why.CALL
    again = answered("Show me your goods.", "I need a rope and a lantern.")
    assert again is not None
    assert (again.why, again.call) == (Why.ASK_BACK, None)


def test_a_value_that_is_missing_is_asked_for_and_what_was_named_before_is_kept() -> None:
    found = answered("Could you let me have your spare room?")
    assert found is not None
    assert (found.why, found.turn.parameter, found.call) == (Why.ASK_BACK, "nights", None)
    assert given(answered("Could you let me have your spare room?", "Three.")) == {"nights": 3}
    refused = answered("Could you let me have your spare room?", "For 30 nights.")
    assert refused is not None
    assert refused.why is Why.REFUSAL
    assert given(answered("Could you let me have your spare room?", "For 30 nights.", "Twelve, then.")) == {"nights": 12}
    assert answered("Could you let me have your spare room?", "How big is it?") is None
    asked = "I'd like to order four of something."
    assert given(answered(asked, "Rye bread.")) == {"item": "rye bread", "count": 4, "note": asked}
    assert given(answered(asked, "Rye bread for 30 people, please.")) == {"item": "rye bread", "count": 4, "note": asked}


def test_no_value_is_guessed_but_that_which_the_author_set() -> None:
    (item, count, note) = ORDER.parameters
    found = answered("I'd like some rye bread.")
    assert found is not None
    assert (found.why, found.turn.parameter) == (Why.ASK_BACK, "count")
    usual = replace(ORDER, parameters=(item, replace(count, default=2), note))
    assert given(answered("I'd like some rye bread.", offers=(usual,)))["count"] == 2
    assert given(answered("I'd like a rye bread.", offers=(usual,)))["count"] == 1


def test_a_choice_that_was_left_open_is_asked_for_and_the_answer_is_understood() -> None:
    found = wanted("Can I help you?")
    assert found is not None
    assert (found.call, found.why, found.shown["options"]) == (None, Why.ASK_BACK, "milk the goats or find the fox")
    for bank in offers_words.lines("which"):
        back = bank.format_map(found.shown)
        for answer, task in (("The fox, then.", "find the fox"), ("goats", "milk the goats"), ("You choose.", "milk the goats")):
            chosen = wanted("Can I help you?", back, answer)
            assert chosen is not None
            assert chosen.call is not None
            assert json.loads(chosen.call.arguments) == {"task": task}
        for answer in ("Never mind.", "No.", "What fox?", "Not the fox."):
            again = wanted("Can I help you?", back, answer)
            assert again is None or again.call is None, answer


def test_what_was_said_before_one_asked_which_still_counts() -> None:
    found = wanted("I'd like to order four of something.", "What shall it be: rye bread, seed cake or meat pie?", "Rye bread.")
    assert found is not None
    assert found.call is not None
    assert json.loads(found.call.arguments) == {"item": "rye bread", "count": 4, "note": "I'd like to order four of something."}


@pytest.mark.parametrize(("heard", "line", "bound"), [("Forty pies, please.", "too_many", "12"), ("I'd like 0 pies.", "too_few", "1")])
def test_a_number_out_of_bounds_is_told_and_calls_nothing(heard: str, line: str, bound: str) -> None:
    found = wanted(heard)
    assert found is not None
    assert (found.call, found.why, found.lines) == (None, Why.REFUSAL, line)
    assert bound in offers_words.lines(line)[0].format_map(found.shown)


def test_words_of_the_offer_itself_ask_for_it() -> None:
    plain = Offer("x1", "y")
    assert wanted("Could you do my hair?", offers=(plain,)) is None
    found = wanted("Could you do my hair?", offers=(replace(plain, words=("do hair",)),))
    assert found is not None
    assert found.call is not None


def test_what_instinct_says_and_what_one_says_oneself_asks_for_nothing() -> None:
    line = Line("Robin", "A seed cake, please.", MORNING, claims=())
    said = Talk("t", ("mara_voss", "Robin"), "", MORNING, (line,))
    assert offers_asked.offer_reply(ALL, said, "mara_voss") is None
    assert offers_asked.offer_reply(ALL, replace(said, lines=(replace(line, claims=None),)), "Robin") is None
    assert offers_asked.offer_reply(ALL, replace(said, lines=(replace(line, claims=None),)), "mara_voss") is not None


def test_a_text_parameter_holds_what_was_said_without_what_parts_parameters() -> None:
    found = wanted("A seed cake (with nuts), please | " + "very " * 40)
    assert found is not None
    assert found.call is not None
    note = json.loads(found.call.arguments)["note"]
    assert note.startswith("A seed cake with nuts please very")
    assert len(note) <= 80


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("two weeks and 3 nights", {"weeks": 2, "nights": 3}),
        ("a week", {"nights": 7}),
        ("two hundred", {"nights": 200}),
        ("five of us for a fortnight", {"nights": 14, "people": 5}),
        ("me and my brother", {"people": 2}),
        ("a horse", {}),
        ("I waited four hours", {}),
    ],
)
def test_a_number_goes_to_the_value_it_stands_before(said: str, expected: dict[str, int]) -> None:
    parameters = [Parameter(name, "integer") for name in expected or ("count",)]
    assert {p.name: n for p, n in numbers_said(parameters, said).items()} == expected


def test_one_says_that_one_does_it_in_ones_own_words_where_the_persona_has_some(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, offers=(SHOP,))
    said = small_talk.say(mind, talk(("Robin", "Show me your goods.")), MORNING, frozenset())
    assert said.call is not None
    assert said.text in offers_words.lines("done")
    mind.persona = replace(mind.persona, offers=(replace(SHOP, says=("Have a look round.",)),))
    last = small_talk.say(mind, talk(("Robin", "Show me your goods.")), MORNING, frozenset(), last_words=True)
    assert last.text.startswith("Have a look round. ")
    assert last.leaves
    assert last.call is not None


@pytest.mark.parametrize("own", ["Nothing bad, I hope?", "And what brings you here?", "Did something happen?"])
def test_a_short_line_after_a_question_about_something_else_asks_for_nothing(own: str) -> None:
    assert wanted("Hello.", own, "My uncle kept goats.", offers=(WORK,)) is None
    answered = wanted("Hello.", "Will you milk them?", "The goats, then.", offers=(WORK,))
    assert answered is not None


def test_a_ferryman_who_asks_how_one_is_hears_no_order_in_an_answer() -> None:
    ferry = Offer("ferry_across", "row somebody over the river for two crowns", (Parameter("passengers", "integer", (), 1, 3),))
    assert wanted("Hello.", "Nothing bad, I hope?", "My grandfather drowned in this river.", offers=(ferry,)) is None
    assert wanted("Hello.", "Shall I row you?", "Yes, over the river.", offers=(ferry,)) is not None
