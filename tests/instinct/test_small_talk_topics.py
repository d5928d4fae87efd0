"""Small talk: what one came for, and what it brings to mind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.instinct import news, phrases, small_talk
from npc_server.instinct.recall import PossibleAnswer
from npc_server.mind.mind import Mind
from npc_server.personas.schema import Voice
from npc_server.records import Line, MemoryKind, MemorySource
from tests.instinct.talking import knows, mind, said, talk
from tests.minds import MORNING

__all__ = ["mind"]

FOX = "A fox took two of Mara's hens last night"
ABOUT = "the fox that takes the hens"
TO_TOBIN = ("tobin_hale", "Good morning, Mara. A fox is about. It took my goose.")


async def test_who_came_for_something_says_so_and_what_is_known_of_it(mind: Mind) -> None:
    await knows(mind, FOX, 5)
    line = small_talk.say(mind, talk(), MORNING, frozenset(), ABOUT)
    assert line.text.startswith("Morning, love.")
    assert ABOUT in line.text
    assert line.text.endswith("A fox took two of my hens last night.")
    assert (line.claims, line.leaves) == ((FOX,), False)


async def test_who_was_seen_at_something_is_now_and_then_spoken_to_about_it(mind: Mind) -> None:
    await knows(mind, "Tobin Hale is mending the fence", 3)

    def opening(number: int, about: str) -> str:
        return small_talk.say(mind, replace(talk(), id=f"t{number}"), MORNING, frozenset(), about).text

    openings = {opening(number, "Tobin Hale is mending the fence") for number in range(12)}
    assert openings == {"Morning, love.", "Morning, love. You are mending the fence, I see."}
    assert {opening(number, "Tobin Hale is walking by") for number in range(12)} == {"Morning, love."}
    await knows(mind, "Ines Calder is drawing", 3)
    assert opening(0, "Ines Calder is drawing") == "Morning, love."
    assert opening(0, 'Tobin Hale said: "You are late."') == "Morning, love."


async def test_a_remark_on_what_one_does_is_no_topic(mind: Mind) -> None:
    remark = talk(("tobin_hale", "Ah. Mara. You are feeding the birds, I see."), claims=())
    assert said(mind, remark).text == "Morning, love."


async def test_what_the_other_tells_brings_to_mind_what_one_knows_of_it_once(mind: Mind) -> None:
    fox = await knows(mind, FOX, 5)
    await knows(mind, "The plums on the wall are ripe", 5)
    first = said(mind, talk(TO_TOBIN))
    assert (first.claims, first.told) == ((FOX,), (fox.id,))
    again = said(mind, talk(TO_TOBIN, ("mara_voss", first.text), ("tobin_hale", "It will come back, the fox.")))
    assert again.claims == ()
    assert said(mind, talk(TO_TOBIN), frozenset({("tobin_hale", fox.id)})).claims == ()


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Mara has told nobody about the fox", {}),
        ("The fox is a secret of Mara's", {}),
        ("Mara is afraid of the fox", {"kind": MemoryKind.SEED, "source": MemorySource.KNOWN}),
        ("Tobin Hale saw a fox", {}),
        ("Ines Calder is feeding the fox", {"triples": [("Ines Calder", "is", "feeding the fox")]}),
        ("The fox is a vixen", {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD, "source_person": "tobin_hale"}),
        ("Mara walks the fox down", {"kind": MemoryKind.PLAN}),
    ],
)
async def test_what_is_secret_of_the_other_or_of_no_weight_is_not_brought_to_mind(mind: Mind, text: str, more: dict[str, object]) -> None:
    await knows(mind, text, 4, **more)
    assert said(mind, talk(TO_TOBIN)).claims == ()


async def test_who_knows_nothing_of_it_listens(mind: Mind) -> None:
    first = said(mind, talk(("tobin_hale", "Good morning, Mara. The comet was green over the ridge."))).text
    assert any(first.endswith(line) for line in phrases.lines("listening"))


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
    mind.names = {**mind.names, "ines_calder": "Ines Calder"}
    told = await knows(mind, "I run for mayor.", 8, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    assert news.as_claim(mind, told) == 'Ines Calder says: "I run for mayor."'


def test_what_one_came_to_say_of_oneself_is_said_as_it_is(mind: Mind) -> None:
    first = small_talk.say(mind, talk(), MORNING, frozenset(), "Mara has lost the key to the oven")
    assert first.text == "Morning, love. I have lost the key to the oven."


async def test_a_player_stays_as_long_as_the_player_likes_and_neighbours_do_not(mind: Mind) -> None:
    mind.names = {**mind.names, "tobin_hale": "Tobin Hale"}
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
