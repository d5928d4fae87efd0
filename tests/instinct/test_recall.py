"""What may answer a line: memories and what somebody knows of the moment, as a model reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from npc_server.instinct.recall import may_tell, recall, sure_one
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import LineInTalk, Scores
from npc_server.mind.instinct import INTERVIEWER
from npc_server.mind.mind import Mind
from npc_server.records import Line, MemoryKind, MemorySource, MemoryTopic
from tests.instinct.talking import knows, mind
from tests.minds import MORNING

__all__ = ["mind"]
MakeMind = Callable[..., Mind]


class Reader(HashedWordsEmbedder):
    """Knows how well some sentences answer, and nothing good of others."""

    def __init__(self, **odds: float) -> None:
        self.odds = odds
        self.read: list[str] = []

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        self.read += texts
        return np.array([max((odds for word, odds in self.odds.items() if word in text), default=-5.0) for text in texts], np.float32)


async def recalled(mind: Mind, heard: str, asker: str = "tobin_hale", **facts: str) -> str:
    found = sure_one(await recall(mind, heard, asker, MORNING, facts))
    return found.said if found else ""


async def test_the_sentence_that_answers_best_is_told_and_nothing_that_is_not_sure(mind: Mind) -> None:
    await knows(mind, "Ines sells the shop", 6)
    await knows(mind, "The ferry leaves at noon", 3)
    mind.tools.embedder = Reader(ferry=3.0, shop=1.0)
    assert await recalled(mind, "When do we sail?") == "The ferry leaves at noon."
    mind.tools.embedder = Reader(ferry=-0.5, shop=-1.0)
    assert await recalled(mind, "When do we sail?") == ""


async def test_what_else_may_answer_comes_after_it(mind: Mind) -> None:
    for text in ("Ines sells the shop", "The ferry leaves at noon", "The mill burns", "Tobin has a cold"):
        await knows(mind, text, 3)
    mind.tools.embedder = Reader(ferry=3.0, shop=1.0, mill=-1.0)
    found = await recall(mind, "When do we sail?", "tobin_hale", MORNING, {})
    assert [(it.said, it.is_sure) for it in found] == [("The ferry leaves at noon.", True), ("Ines sells the shop.", True)]


class SecondReader(Reader):
    """Reads again, and then knows better."""

    def __init__(self, again: dict[str, float], **odds: float) -> None:
        super().__init__(**odds)
        self.again = again
        self.heard: list[LineInTalk] = []
        self.texts: list[str] = []

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        self.heard.append(heard)
        self.texts += texts
        return np.array([max((odds for word, odds in self.again.items() if word in text), default=-5.0) for text in texts], np.float32)


async def test_what_is_much_less_likely_than_the_best_is_not_read_again(mind: Mind) -> None:
    await knows(mind, "Ines sells the shop", 6)
    await knows(mind, "The mill burns", 4)
    mind.tools.embedder = reader = SecondReader({"mill": 3.0}, shop=3.0, mill=-1.5)
    await recall(mind, "Who sells?", "Robin", MORNING, {})
    assert reader.texts == ["Ines sells the shop."]
    mind.tools.embedder = reader = SecondReader({"mill": 3.0}, shop=-5.5, mill=-6.0)
    assert await recall(mind, "Good morning.", "Robin", MORNING, {}) == ()
    assert not reader.texts


async def test_the_best_are_read_again_where_a_player_asks(mind: Mind) -> None:
    await knows(mind, "Ines sells the shop", 6)
    await knows(mind, "The mill burns", 4)
    await knows(mind, "The ferry leaves at noon", 3)
    mind.tools.embedder = reader = SecondReader({"ferry": 3.0, "shop": -3.0, "mill": -0.5}, ferry=-1.0, shop=1.0, mill=0.0)
    before = (Line("Robin", "Good morning.", MORNING), Line("mara_voss", "Morning, love.", MORNING))
    found = await recall(mind, "When do we sail?", "Robin", MORNING, {}, before)
    assert [(it.said, it.is_sure) for it in found] == [("The ferry leaves at noon.", True), ("The mill burns.", False)]
    (heard,) = reader.heard
    assert heard.text == "When do we sail?"
    assert heard.who.startswith("You are Mara Voss. ")
    assert heard.who.endswith("It is Monday 4 May, 06:00. The other: stranger.")
    assert heard.before == ((False, "Good morning."), (True, "Morning, love."))


async def test_what_is_read_again_is_read_as_it_is_told(mind: Mind) -> None:
    """It is a candidate for the line then, and need not be read a second time."""
    await knows(mind, "Mara sells the shop to Robin", 6)
    mind.tools.embedder = reader = SecondReader({"shop": 3.0}, shop=1.0)
    (found,) = await recall(mind, "What of the shop?", "Robin", MORNING, {})
    assert reader.texts == [found.said] == ["I sell the shop to you."]


async def test_nothing_is_read_again_among_people_of_the_town(mind: Mind) -> None:
    await knows(mind, "Ines sells the shop", 6)
    mind.tools.embedder = reader = SecondReader({"shop": -3.0}, shop=1.0)
    assert await recalled(mind, "What of the shop?") == "Ines sells the shop."
    assert not reader.heard


async def test_names_of_the_two_are_read_as_pronouns_and_told_as_people_do(mind: Mind) -> None:
    await knows(mind, "Mara lent Tobin Hale the big kettle", 6)
    mind.tools.embedder = reader = Reader(kettle=2.0)
    assert await recalled(mind, "Who lent me the big kettle?") == "I lent you the big kettle."
    assert reader.read == ["I lent you the big kettle"]


async def test_who_told_it_is_said_with_it(mind: Mind) -> None:
    await knows(mind, "Ines sells the shop", 6, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="Ines Calder")
    mind.tools.embedder = Reader(shop=2.0)
    assert await recalled(mind, "Who sells the shop?") == "Ines told me: Ines sells the shop."


async def says(mind: Mind, who: str, words: str, verb: str = "said") -> None:
    """A player says or asks something."""
    await mind.remember(
        [f'{who} {verb}: "{words}"'], kind=MemoryKind.CONVERSATION, at=MORNING, importance=[4], source=MemorySource.TOLD, source_person=who,
        triples=[(who, "told", "Mara")], topics=[MemoryTopic(verb)],
    )  # fmt: skip


async def test_what_a_player_told_is_told_back_and_told_to_others_with_the_name(mind: Mind) -> None:
    await says(mind, "Robin", "My cousin is called Wanda.")
    mind.tools.embedder = reader = SecondReader({"cousin": 3.0}, cousin=2.0)
    found = await recalled(mind, "What is my cousin called?", "Robin")
    assert found.endswith(': "My cousin is called Wanda."')
    assert reader.texts == ["My cousin is called Wanda."], "only the words are read"
    assert await recalled(mind, "Who is Robin's cousin?", "Alice") == 'Robin told me: "My cousin is called Wanda."'


async def test_an_askers_own_words_are_compared_without_the_talk_in_which_they_were_said(mind: Mind) -> None:
    await says(mind, "Robin", "My cousin is called Wanda.")
    await knows(mind, "A cousin of Ines came by", 4)
    mind.tools.embedder = reader = SecondReader({"cousin": 3.0}, cousin=2.0)
    before = (Line("Robin", "My cousin is called Wanda.", MORNING), Line("mara_voss", "Is she?", MORNING))
    (first, second) = await recall(mind, "What is my cousin called?", "Robin", MORNING, {}, before)
    assert sorted(len(heard.before) for heard in reader.heard) == [0, 2]
    assert {first.read, second.read} == {"", "My cousin is called Wanda."}


@pytest.mark.parametrize(
    ("heard", "sure"), [("what is my cousin called?", 0.4), ("what is my cousin called", 2.0), ("I miss my cousin.", None)]
)
async def test_without_a_question_mark_the_askers_own_words_must_be_surer(mind: Mind, heard: str, sure: float | None) -> None:
    await says(mind, "Robin", "My cousin is called Wanda.")
    mind.tools.embedder = SecondReader({"cousin": sure or 0.4}, cousin=0.0)
    assert bool(await recalled(mind, heard, "Robin")) is (sure is not None)


async def test_a_players_question_is_no_news(mind: Mind) -> None:
    await says(mind, "Robin", "Where is my cousin?", "asked")
    mind.tools.embedder = SecondReader({"cousin": 3.0}, cousin=2.0)
    assert await recalled(mind, "And my cousin?", "Robin") == ""
    assert await recalled(mind, "What of Robin's cousin?", "Alice") == ""


async def test_what_one_knows_of_the_moment_is_a_sentence_too(mind: Mind) -> None:
    await knows(mind, "Ines sells the shop", 6)
    mind.tools.embedder = Reader(about=2.0)
    assert await recalled(mind, "got the time?", time="half past ten", age="34") == "It is about half past ten."
    assert await recalled(mind, "got the time?", age="34") == ""


async def test_without_the_model_near_vectors_count(mind: Mind) -> None:
    await knows(mind, "Ines Calder sells the old shop", 6)
    assert await recalled(mind, "Ines Calder sells the shop?") == "Ines Calder sells the old shop."
    assert await recalled(mind, "Who won the war in the north?") == ""


@pytest.mark.parametrize("heard", ["", "  ", "???"])
async def test_a_line_without_words_is_answered_by_nothing(mind: Mind, heard: str) -> None:
    await knows(mind, "Ines sells the shop", 6)
    assert await recalled(mind, heard) == ""


async def test_the_secrets_of_a_persona_are_told_to_nobody_in_the_world(mind: Mind) -> None:
    secret = "Mara has told nobody about the offer"
    mind.persona = replace(mind.persona, secrets=(secret,), identity_phrases=(secret,))
    seed = {"kind": MemoryKind.SEED, "source": MemorySource.KNOWN}
    (kept,) = await mind.remember([secret], at=MORNING - 60, importance=[6], **seed)  # type: ignore[arg-type]
    (thought,) = await mind.remember(
        ["Mara must answer the offer"],
        kind=MemoryKind.REFLECTION,
        at=MORNING,
        importance=[9],
        source=MemorySource.THOUGHT,
        evidence=(kept.id,),
    )
    mind.tools.embedder = Reader(offer=5.0)
    assert await recalled(mind, "Is there an offer?") == ""
    assert await recalled(mind, "Is there an offer?", INTERVIEWER) != ""
    for player in ("Robin", "robin", "9lives", "an interviewer", "Ωmega", "élan"):
        assert await recalled(mind, "Is there an offer?", player) == "", player
    assert not may_tell(mind, thought, "tobin_hale")


async def test_own_answers_and_sights_are_no_memories_to_tell(mind: Mind) -> None:
    await mind.remember(
        ['Mara answered Robin: "The mill burns."'], kind=MemoryKind.CONVERSATION, at=MORNING, importance=[6], source=MemorySource.THOUGHT,
        triples=[("Mara", "talked with", "Robin")], topics=[MemoryTopic.ANSWERED],
    )  # fmt: skip
    await knows(mind, "Tobin Hale is walking by", 3, triples=[("Tobin Hale", "is", "walking by")])
    mind.tools.embedder = Reader(mill=5.0, walking=5.0)
    assert await recalled(mind, "What of the mill?", "Robin") == ""


async def test_small_talk_that_was_overheard_is_not_told(mind: Mind) -> None:
    for text, importance in (('Tobin Hale said: "Mind the wet bench."', 1), ('Tobin Hale said: "The mill is sold."', 4)):
        await mind.remember(
            [text], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[importance], source=MemorySource.HEARD,
            triples=[("Tobin Hale", "said", "")], topics=[MemoryTopic.SAID], source_person="tobin_hale",
        )  # fmt: skip
    mind.tools.embedder = Reader(bench=5.0)
    assert await recalled(mind, "What of Tobin?", "Robin") == ""
    mind.tools.embedder = Reader(mill=5.0)
    assert "mill" in await recalled(mind, "What of Tobin?", "Robin")
