"""Small talk: what one came for, and what was written in answer to a neighbour's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.bank.chooser import LineChooser
from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import BankEntry
from npc_server.bank.ranking import choice_weights
from npc_server.instinct import news, phrases, small_talk, speak
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.mind.instinct import PossibleAnswer, Said
from npc_server.mind.mind import Mind
from npc_server.personas.voice import Voice
from npc_server.records import Line, MemoryKind, MemorySource, Talk
from tests.instinct.talking import knows, mind, said, talk
from tests.minds import MORNING

__all__ = ["mind"]

LONG_GREETING = "Ah, a visitor. Do not step on that, it is somebody's supper."
FOX = "A fox took two of Mara's hens last night"
ABOUT = "the fox that takes the hens"


def test_who_came_for_something_says_so(mind: Mind) -> None:
    line = small_talk.say(mind, talk(), MORNING, frozenset(), ABOUT)
    assert line.text.startswith("Morning, love.")
    assert ABOUT in line.text
    assert (line.claims, line.leaves, line.has_topic) == ((), False, True)
    assert not small_talk.say(mind, talk(), MORNING, frozenset()).has_topic


@pytest.mark.parametrize("about", ["Tobin Hale is mending the fence", "Ines Calder is drawing", 'Tobin Hale said: "You are late."'])
async def test_what_somebody_was_seen_doing_or_heard_saying_is_not_brought_up(mind: Mind, about: str) -> None:
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    await knows(mind, about, 3)
    assert small_talk.say(mind, talk(), MORNING, frozenset(), about).text == "Morning, love."


async def test_what_was_seen_to_be_wrong_is_told_as_it_is(mind: Mind) -> None:
    await knows(mind, "The stove in the kitchen is burning", 8)
    assert small_talk.say(mind, talk(), MORNING, frozenset(), "The stove in the kitchen is burning").text.endswith("kitchen is burning.")


@pytest.fixture
def answering(mind: Mind) -> Mind:
    """Mara, whose bank of exchanges answers two lines of her neighbour Tobin word for word."""
    entries = [
        BankEntry("greeting", (LONG_GREETING,), (("dry", "I only came to look at the wall."),), is_exact=True),
        BankEntry("remark", ("The bell rope is fraying.",), (("curt", "Then buy one."), ("warm", "Don't ring it, then.")), is_exact=True),
    ]
    bank = ExchangeBank(entries, HashedWordsEmbedder(), bank_settings())
    mind.tools.chooser, mind.people.names = LineChooser(bank, choice_weights()), {**mind.people.names, "tobin_hale": "Tobin Hale"}
    return mind


async def answered(mind: Mind, heard: Talk) -> Said:
    return await speak.line(mind, heard, MORNING, frozenset(), "", last_words=False)


async def test_a_greeting_or_remark_of_a_neighbour_is_answered_by_what_was_written_for_it(answering: Mind) -> None:
    greeted = talk(("tobin_hale", LONG_GREETING), claims=())
    assert (await answered(answering, greeted)).text == "I only came to look at the wall."
    remarked = talk(("mara_voss", "Morning, love."), ("tobin_hale", "The bell rope is fraying."), claims=())
    assert (await answered(answering, remarked)).text in ("Then buy one.", "Don't ring it, then.")
    await knows(answering, FOX, 8)
    assert (await answered(answering, remarked)).claims == (FOX,)


async def test_a_player_gets_no_reply_that_was_written_for_neighbours(answering: Mind) -> None:
    asked = talk(("mara_voss", "Morning, love."), ("robin", "The bell rope is fraying."))
    asked = replace(asked, people=("mara_voss", "robin"))
    assert (await answered(answering, asked)).text not in ("Then buy one.", "Don't ring it, then.")


async def test_a_long_greeting_is_no_topic_to_which_one_says_well_well(mind: Mind) -> None:
    greeted = talk(("tobin_hale", LONG_GREETING), ("mara_voss", "I only came to look at the wall."), ("tobin_hale", "Hm."), claims=())
    first = replace(greeted.lines[0], claims=())
    assert said(mind, replace(greeted, lines=(first, *greeted.lines[1:]))).text == "The plums are early."
    first = replace(first, has_topic=True)
    assert said(mind, replace(greeted, lines=(first, *greeted.lines[1:]))).text in phrases.lines("well")
    # A model says by itself what it came for, and nobody knows whether it did.
    assert said(mind, greeted).text in phrases.lines("well")


async def test_nobody_opens_a_talk_with_a_phrase_of_their_own_persona(mind: Mind) -> None:
    phrase = "Mara worries about Tobin's cough, which she hears at night"
    assert small_talk.say(mind, talk(), MORNING, frozenset(), phrase).text.startswith("Morning, love. I worry")
    mind.persona = replace(mind.persona, identity_phrases=(phrase,))
    assert small_talk.say(mind, talk(), MORNING, frozenset(), phrase).text == "Morning, love."


async def test_a_neighbour_who_begins_with_a_topic_is_listened_to_and_a_player_is_greeted(mind: Mind) -> None:
    comet = ("tobin_hale", "Good morning, Mara. The comet was green over the ridge.")
    began = talk(comet, claims=())
    told = replace(began, lines=(replace(began.lines[0], has_topic=True),))
    assert any(said(mind, told).text.endswith(line) for line in phrases.lines("listening"))
    assert said(mind, began).text == "Morning, love."
    assert said(mind, talk(comet)).text == "Morning, love."


async def test_who_has_to_go_answers_first_and_takes_leave(mind: Mind) -> None:
    found = (PossibleAnswer("The ferry leaves at noon.", True),)
    line = small_talk.say(mind, talk(("tobin_hale", "When does the ferry leave?")), MORNING, frozenset(), last_words=True, recalled=found)
    assert (line.text, line.leaves) == ("The ferry leaves at noon. Mind yourself.", True)


async def test_nobody_repeats_themselves_while_there_are_other_lines(mind: Mind) -> None:
    mind.persona = replace(mind.persona, voice=Voice())
    lines: list[tuple[str, str]] = []
    for turn in range(4):
        text = said(mind, talk(*lines)).text
        assert text not in [line for _, line in lines]
        lines += [("mara_voss", text), ("tobin_hale", f"Indeed, indeed {turn}.")]


def test_who_speaks_of_a_farewell_takes_no_leave(mind: Mind) -> None:
    assert not said(mind, talk(("tobin_hale", "I have been thinking about a farewell gift for the mayor, who leaves on Friday."))).leaves
    assert said(mind, talk(("tobin_hale", "I have been thinking about a gift for the mayor, who leaves on Friday. Goodbye, Mara!"))).leaves


async def test_to_a_goodbye_nobody_says_good_morning(mind: Mind) -> None:
    bye = said(mind, talk(("tobin_hale", "Goodbye, Mara!")))
    assert (bye.text, bye.leaves) == ("Mind yourself.", True)


async def test_in_a_round_nobody_says_again_what_was_just_told(mind: Mind) -> None:
    claim = 'Ines Calder says: "I give a lantern party at the jetty."'
    line = f"Hello, hello! The usual? You look like news, sit down, sit down. Have you heard? {claim}"
    heard = {"source": MemorySource.HEARD, "triples": [("Ada Finch", "told", claim)]}
    await knows(mind, f'Ada Finch said: "{line}"', 8, **heard)
    told = talk(("ines_calder", "There he is! Or she! Have you eaten?"), ("tobin_hale", "Ines Calder gives a lantern party at the jetty."))
    assert "lantern" not in said(mind, replace(told, lines=(told.lines[0], replace(told.lines[1], claims=(claim,))))).text


async def test_what_somebody_told_of_themselves_is_passed_on_as_theirs(mind: Mind) -> None:
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    told = await knows(mind, "I run for mayor.", 8, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    assert news.as_claim(mind, told) == 'Ines Calder says: "I run for mayor."'


def test_what_one_came_to_say_of_oneself_is_said_as_it_is(mind: Mind) -> None:
    first = small_talk.say(mind, talk(), MORNING, frozenset(), "Mara has lost the key to the oven")
    assert first.text == "Morning, love. I have lost the key to the oven."


async def test_a_player_stays_as_long_as_the_player_likes_and_neighbours_do_not(mind: Mind) -> None:
    mind.people.names = {**mind.people.names, "tobin_hale": "Tobin Hale"}
    lines = [("mara_voss", "Morning."), ("tobin_hale", "Morning."), ("mara_voss", "Well."), ("tobin_hale", "It rains.")]
    assert said(mind, talk(*lines)).leaves
    player = replace(talk(*(("Robin" if who == "tobin_hale" else who, text) for who, text in lines)), people=("mara_voss", "Robin"))
    assert not said(mind, player).leaves
    assert said(mind, replace(player, lines=(*player.lines[:-1], Line("Robin", "Bye!", MORNING)))).leaves


async def test_what_the_game_did_on_ones_word_is_no_news(mind: Mind) -> None:
    await knows(mind, "Mara did this: accept quest.", 8, triples=[("mara_voss", "did", "accept quest")])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None


async def test_what_is_concluded_from_a_secret_is_no_news(mind: Mind) -> None:
    secret = mind.persona.secrets[0] if mind.persona.secrets else "Mara hides a letter"
    mind.persona = replace(mind.persona, secrets=(secret,))
    seed = {"kind": MemoryKind.SEED, "source": MemorySource.KNOWN}
    (kept,) = await mind.remember([mind.persona.as_memory(secret)], at=MORNING, importance=[9], **seed)  # type: ignore[arg-type]
    thought = {"kind": MemoryKind.REFLECTION, "source": MemorySource.THOUGHT}
    await mind.remember(["Mara must answer soon"], at=MORNING, importance=[9], evidence=(kept.id,), **thought)  # type: ignore[arg-type]
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None
