"""What people say without a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.clock import DAY, HOUR
from npc_server.english.text import TOLD, TOLD_OF_OCCASION
from npc_server.instinct import news, phrases, small_talk
from npc_server.mind.instinct import PossibleAnswer
from npc_server.mind.mind import Mind
from npc_server.records import Line, Memory, MemoryKind, MemorySource, MemoryTopic
from tests.instinct.talking import knows, mind, said, talk
from tests.minds import MORNING

__all__ = ["mind"]


def brought(bank: str, news: str, **by: str) -> set[str]:
    """The lines that tell news with one of the phrases of a bank."""
    return {f"{phrase.format(**by)} {news}" for phrase in phrases.lines(bank)}


async def test_a_talk_is_a_greeting_then_news_then_a_farewell(mind: Mind) -> None:
    news = await knows(mind, "The old mill is burning", 8)
    first = said(mind, talk())
    assert (first.text, first.leaves) == ("Morning, love.", False)
    second = said(mind, talk(("mara_voss", first.text), ("tobin_hale", "Morning.")))
    assert second.text in brought("heard", "The old mill is burning.")
    assert (second.claims, second.told) == (("The old mill is burning",), (news.id,))
    third = said(mind, talk(("mara_voss", "a"), ("tobin_hale", "b"), ("mara_voss", "c"), ("tobin_hale", "d")))
    assert (third.text, third.leaves) == ("Mind yourself.", True)


async def test_nobody_is_told_what_they_told_or_were_told_or_did(mind: Mind) -> None:
    heard = await knows(mind, "The mayor resigns", 9, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="tobin_hale")
    await knows(mind, "Tobin Hale robbed the shop", 8, triples=[("Tobin Hale", "robbed", "the shop")])
    await knows(mind, "The mayor gave a party, and Tobin and Ada came", 8)
    old = await knows(mind, "The old mill is burning", 8)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == old
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset({("tobin_hale", old.id)})) is None
    assert news.news(mind, ["ines_calder"], MORNING, frozenset()) == heard


async def test_what_was_to_be_is_no_news_once_it_has_begun(mind: Mind) -> None:
    party = await knows(mind, "Ines Calder gives a party at the pond on Monday 4 May from 17:00 to 19:00", 8)
    assert news.news(mind, ["tobin_hale"], MORNING + HOUR, frozenset()) == party
    assert news.news(mind, ["tobin_hale"], MORNING + 11 * HOUR, frozenset()) is None


@pytest.mark.parametrize(
    ("text", "is_news"),
    [
        ("Ines Calder gives a party at the pond on Monday 4 May from 17:00 to 19:00", True),
        ("Ines Calder gives a party at the pond", False),
        ("Ines Calder opens the shop on Monday 4 May from 17:00 to 19:00", False),
        ("Mara promised Ines Calder to come to the party on Monday 4 May at 17:00", False),
    ],
)
async def test_what_takes_place_on_a_day_and_at_an_hour_is_news_however_it_is_rated(mind: Mind, text: str, is_news: bool) -> None:
    own = MemoryTopic.APPOINTMENT if text.startswith("Mara promised") else MemoryTopic.OTHER
    given = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, "at": MORNING - HOUR}
    (party,) = await mind.remember([text], importance=[4], topics=[own], **given)  # type: ignore[arg-type]
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == (party if is_news else None)


async def test_who_knew_the_news_is_not_surprised(mind: Mind) -> None:
    lines = (("tobin_hale", "Hello."), ("mara_voss", "Hello."), ("tobin_hale", "Have you heard? The old mill is burning."))
    heard = talk(*lines, claims=("The old mill is burning",))
    assert any(it in said(mind, heard).text for it in phrases.lines("surprise"))
    await knows(mind, "The old mill is burning", 8, at=heard.started)  # the line that was just heard
    assert any(it in said(mind, heard).text for it in phrases.lines("surprise"))
    await knows(mind, "The old mill is burning", 8)
    assert any(it in said(mind, heard).text for it in phrases.lines("known"))


async def test_gossip_names_who_told_it(mind: Mind) -> None:
    await knows(mind, "The mayor resigns", 9, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="Ines Calder")
    opened = talk(("mara_voss", "Morning, love."), ("tobin_hale", "Morning."))
    # Not every meeting is one to gossip at.
    line = next(line for i in range(30) if (line := said(mind, replace(opened, id=f"t{i}"))).claims)
    assert line.text in brought("told_me", "The mayor resigns.", by="Ines")
    assert line.claims == ("The mayor resigns",)


async def test_an_intention_stays_its_owners_word_in_anothers_mouth(mind: Mind) -> None:
    intention = await knows(mind, "I give a party on Tuesday", 8, kind=MemoryKind.INTENTION, source=MemorySource.THOUGHT)
    assert news.as_claim(mind, intention) == 'Mara Voss says: "I give a party on Tuesday"'


async def test_news_after_news_begins_in_other_words(mind: Mind) -> None:
    said_so_far = []
    for i in range(len(phrases.lines("heard"))):
        told = await knows(mind, f"The mill of the {i}th farm is burning", 8)
        line = said(mind, replace(talk(("mara_voss", "a"), ("tobin_hale", "b")), id=f"t{i}"), frozenset({("tobin_hale", told.id - 1)}))
        said_so_far.append(line.text.partition(" The mill")[0])
        mind.talks.said_lately.note(Line(mind.npc, line.text, MORNING, line.claims))
    assert sorted(said_so_far) == sorted(phrases.lines("heard"))


async def test_who_told_something_unimportant_is_not_told_it_back_as_anothers_news(mind: Mind) -> None:
    """The same words matter more or less by who says them, and when."""
    told = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD}
    await knows(mind, "The mayor resigns", 3, source_person="tobin_hale", **told)
    heard = await knows(mind, "The mayor resigns.", 8, source_person="ines_calder", **told)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None
    assert news.news(mind, ["orla_finch"], MORNING, frozenset()) == heard


@pytest.mark.parametrize("bank", ["heard", "told_me"])
async def test_overheard_news_is_the_same_however_it_began(mind: Mind, bank: str) -> None:
    for i, phrase in enumerate(phrases.lines(bank)):
        line = f"{phrase.format(by='Tobin')} The mill of farm {i} is burning."
        heard = await knows(mind, f'Ines Calder said: "{line}"', 8, source=MemorySource.HEARD, triples=[("Ines Calder", "said", line)])
        assert news.as_claim(mind, heard) == f"The mill of farm {i} is burning."


async def test_everyday_and_old_things_are_no_news(mind: Mind) -> None:
    await knows(mind, "Tobin is walking", 2)
    await knows(mind, "The old mill is burning", 8, at=MORNING - 4 * DAY)
    line = said(mind, talk(("mara_voss", "Morning, love."), ("tobin_hale", "Morning.")))
    assert (line.text, line.claims, line.told) == ("The plums are early.", (), ())


async def test_a_sure_answer_is_said_and_what_else_is_remembered_goes_with_it(mind: Mind) -> None:
    found = tuple(
        PossibleAnswer(text, odds > 0) for text, odds in (("The ferry leaves at noon.", 2.0), ("Ines sells the shop.", 1.0), ("No.", -1.0))
    )
    line = small_talk.say(mind, talk(("tobin_hale", "When does the ferry leave?")), MORNING, frozenset(), recalled=found)
    assert (line.text, line.is_remembered, tuple(it.said for it in line.also)) == (
        "The ferry leaves at noon.",
        True,
        ("Ines sells the shop.", "No."),
    )


@pytest.mark.parametrize("question", ["Who won the war in the north?", "???", "Did you hear of the election?"])
async def test_what_is_not_sure_is_no_answer_but_a_candidate_beside_it(mind: Mind, question: str) -> None:
    found = (PossibleAnswer("Ines sells the shop.", False),)
    line = small_talk.say(mind, talk(("tobin_hale", question)), MORNING, frozenset(), recalled=found)
    assert (line.text, line.is_remembered, tuple(it.said for it in line.also)) == (
        "That I have not heard.",
        False,
        ("Ines sells the shop.",),
    )


async def test_goodbye_is_answered_by_goodbye(mind: Mind) -> None:
    await knows(mind, "The old mill is burning", 8)
    line = said(mind, talk(("mara_voss", "Morning, love."), ("tobin_hale", "Goodbye, Mara.")))
    assert (line.text, line.leaves) == ("Mind yourself.", True)


async def test_a_greeting_that_ends_in_a_question_mark_does_not_keep_news_from_being_told(mind: Mind) -> None:
    await knows(mind, "The old mill is burning", 8)
    greeting = talk(("mara_voss", "Morning, love."), ("tobin_hale", "Good morning. Lamp oil?"), claims=())
    assert said(mind, greeting).claims == ("The old mill is burning",)


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("Listen: I run for mayor.", 'Ines Calder says: "I run for mayor."'),
        ('Well, I never. Have you heard? Tobin Hale says: "I sell the lathe."', 'Tobin Hale says: "I sell the lathe."'),
        ("Tobin told me something. The old mill is burning", "The old mill is burning"),
        ("The mill burns!", 'Ines Calder says: "The mill burns!"'),
        ("Hello, pet. Is it official? The mill burns! I like it.", 'Ines Calder says: "The mill burns!"'),
        ("Good day. Tobin Hale was robbed. Well?", "Tobin Hale was robbed."),
    ],
)
async def test_overheard_news_is_passed_on_without_how_it_was_brought(mind: Mind, line: str, claim: str) -> None:
    heard = await knows(mind, f'Ines Calder said: "{line}"', 8, source=MemorySource.HEARD, triples=[("Ines Calder", "said", line)])
    assert news.as_claim(mind, heard) == claim


@pytest.mark.parametrize(
    "line", ['Good to know. Tobin Hale says: "The mill floods."', 'Listen: I say: "The mill floods."', 'You say: "A flood!"']
)
async def test_nobody_quotes_a_quotation(mind: Mind, line: str) -> None:
    await knows(mind, f'Ines Calder said: "{line}"', 9, source=MemorySource.HEARD, triples=[("Ines Calder", "said", line)])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None


async def test_the_same_news_is_told_to_somebody_once_however_often_it_was_heard(mind: Mind) -> None:
    claim = 'Ines Calder says: "I run for mayor."'
    told = await knows(mind, claim, 8, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    line = "Listen: I run for mayor."
    await knows(mind, f'Ines Calder said: "{line}"', 8, source=MemorySource.HEARD, triples=[("Ines Calder", "said", line)])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset({("tobin_hale", told.id)})) is None


async def test_nobody_is_told_what_they_said_themselves(mind: Mind) -> None:
    line = 'Have you heard? Tobin Hale says: "I sell the lathe, and the mayor buys it."'
    await knows(mind, f'Ines Calder said: "{line}"', 8, source=MemorySource.HEARD, triples=[("Ines Calder", "said", line)])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None


async def test_overheard_small_talk_is_no_news_unless_it_matters(mind: Mind) -> None:
    async def overhears(line: str, importance: int) -> Memory:
        return await knows(
            mind, f'Ines Calder said: "{line}"', importance, source=MemorySource.HEARD, triples=[("Ines Calder", "said", line)]
        )

    await overhears("I lost count again.", 6)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None
    party = await overhears("I give a party on Friday.", 7)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == party


async def test_the_news_one_was_just_told_are_not_told_back(mind: Mind) -> None:
    await knows(mind, "The old mill is burning", 8)
    back = talk(
        ("mara_voss", "Morning, love."), ("tobin_hale", "Have you heard? The old mill is burning."), claims=("The old mill is burning.",)
    )
    assert said(mind, back).claims == ()


async def test_what_people_do_all_day_is_no_news(mind: Mind) -> None:
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    await knows(mind, "Ines Calder is talking about what is broken", 6, triples=[("Ines Calder", "is", "talking about what is broken")])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None


async def test_who_reads_of_a_flood_is_no_news_and_who_flees_one_is(mind: Mind) -> None:
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    await knows(mind, "Ines Calder is reading about the flood", 8, triples=[("Ines Calder", "is", "reading about the flood")])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None
    fled = await knows(mind, "Ines Calder is fleeing from the flood", 8, triples=[("Ines Calder", "is", "fleeing from the flood")])
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == fled


async def test_nobody_is_told_what_one_said_oneself_by_way_of_others(mind: Mind) -> None:
    claim = 'Mara Voss says: "I run for mayor."'
    await knows(mind, claim, 8, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None


async def test_what_somebody_said_of_themselves_is_passed_on_in_their_words(mind: Mind) -> None:
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    claim = 'Ines Calder says: "I run for mayor, and I will win."'
    await knows(mind, claim, 8, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    passed = next(
        found
        for i in range(9)  # hearsay is passed on at some meetings
        if (found := said(mind, replace(talk(("mara_voss", "Morning."), ("tobin_hale", "Morning.")), id=f"t{i}"))).told
    )
    assert passed.text in brought("heard", claim)
    assert passed.claims == (claim,)


async def test_what_was_seen_is_told_as_past(mind: Mind) -> None:
    stove = "millbrook:mara_house:kitchen:stove"
    seen = await knows(mind, "The stove in the kitchen is burning", 8, triples=[(stove, "is", "burning")])
    assert news.as_claim(mind, seen) == "The stove in the kitchen was burning"


async def test_hearsay_is_passed_on_at_some_meetings_and_not_at_others(mind: Mind) -> None:
    await knows(mind, "The mayor resigns", 9, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    meetings = [replace(talk(("mara_voss", "a"), ("tobin_hale", "b")), id=f"t{i}") for i in range(60)]
    passed_on = sum(bool(said(mind, meeting).claims) for meeting in meetings)
    assert 15 < passed_on < 45


async def test_who_was_at_a_party_tells_of_it_and_nobody_else_does(mind: Mind) -> None:
    own = await knows(mind, "Mara was at the party with Ines.", 6, triples=[("mara_voss", "was at", "the party")])
    told = said(mind, talk(("mara_voss", "Morning, love."), ("tobin_hale", "Morning.")))
    assert (told.text, told.claims, told.told, told.of_occasion) == ("I was at the party with Ines.", (own.text,), (own.id,), True)
    hearsay = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD, "source_person": "ines_calder"}
    await knows(mind, "Ines enjoyed the fair with Ada.", 9, triples=[("Ines Calder", TOLD_OF_OCCASION, "Mara")], **hearsay)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset({("tobin_hale", own.id)})) is None


@pytest.mark.parametrize("claim", ["A wolf was at the door of the shop", "Nobody was host at the inn"])
async def test_words_do_not_make_a_party_of_what_somebody_saw(mind: Mind, claim: str) -> None:
    """A memory says by its predicate that it is of an occasion."""
    hearsay = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD, "source_person": "ines_calder"}
    heard = await knows(mind, claim, 9, triples=[("Ines Calder", TOLD, "Mara")], **hearsay)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == heard


def test_a_party_that_somebody_was_at_surprises_nobody(mind: Mind) -> None:
    been = talk(("mara_voss", "Morning, love."), ("tobin_hale", "I was at the party with Ines."))
    for is_outing, bank in ((True, "outing"), (False, "surprise")):
        told = replace(been.lines[-1], claims=("Tobin was at the party with Ines.",), of_occasion=is_outing)
        assert said(mind, replace(been, lines=(*been.lines[:-1], told))).text in phrases.lines(bank)
