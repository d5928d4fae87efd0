"""Without a model players hear the best of several candidates, from memory or from the bank."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from npc_server.bank import exchange_bank
from npc_server.bank.candidates import Maker
from npc_server.bank.chooser import LineChoice, LineChooser
from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import BankEntry
from npc_server.bank.ranking import ChoiceWeights, FeatureWeight
from npc_server.cognition import converse
from npc_server.lines.read_ahead import before_talk, next_line
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Engine, LineInTalk, Scores, Vectors
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokenBudget
from npc_server.personas.schema import Offer, Parameter
from npc_server.records import MemoryKind, MemorySource, MemoryTopic, Social, Source, Talk, Why
from tests.cognition.gossip import talk
from tests.instinct.talking import knows
from tests.minds import MORNING
from tests.waiting import until

MakeMind = Callable[..., Mind]
PEOPLE = ("mara_voss", "Robin")
HAT = BankEntry("hat", ("Nice hat you have.",), (("warm", "Oh, thank you."), ("curt", "It was {me}'s aunt's.")))


class NamedEmbedder(HashedWordsEmbedder):
    """Hashed words that pass for meaning."""

    name = "named/384"


def near(make_mind: MakeMind, engine: Engine | None = None, **settings: object) -> Mind:
    """A mind whose words a player waits for."""
    mind = make_mind(engine, **settings)
    mind.budget = TokenBudget(players=1)
    return mind


async def chooser(seen: list[LineChoice], *, entry: BankEntry = HAT, **weights: float) -> LineChooser:
    """A chooser with a bank of this entry, in which only these features count."""
    bank = ExchangeBank([entry], NamedEmbedder(), bank_settings())
    await bank.prepare()
    by: Mapping[str, FeatureWeight] = {name: FeatureWeight(weight, 0.0, 1.0) for name, weight in weights.items()}
    return LineChooser(bank, ChoiceWeights(by), seen.append)


def hat() -> Talk:
    return talk(("Robin", "nice hat you have"), people=PEOPLE)


async def test_memory_and_bank_are_candidates_and_the_best_tells_what_the_speaker_knows(make_mind: MakeMind) -> None:
    seen: list[LineChoice] = []
    mind = near(make_mind)
    mind.tools.chooser = await chooser(seen, by_bank=1.0, tells=1.0)
    heard: list[str] = []
    said = await converse.say(mind, hat(), MORNING, frozenset(), on_text=heard.append)
    assert (said.text, said.source) == ("It was Mara's aunt's.", Source.INSTINCT)
    assert heard == []  # only a model's words come one by one
    assert [it.candidate.maker for it in seen[0].candidates] == [Maker.BANK, Maker.BANK, Maker.INSTINCT]


async def test_without_a_model_the_bank_answers_players_and_people_among_themselves_tell_their_news(make_mind: MakeMind) -> None:
    seen: list[LineChoice] = []
    mind = near(make_mind)
    mind.tools.chooser = await chooser(seen, by_bank=1.0, tells=-0.5)
    said = await converse.say(mind, hat(), MORNING, frozenset())
    assert (said.text, said.source) == ("Oh, thank you.", Source.INSTINCT)
    await converse.say(mind, talk(("tobin_hale", "nice hat you have")), MORNING, frozenset())
    assert len(seen) == 1


class SecondReader(NamedEmbedder):
    """Likes only what has a word in it. Like npc-answers it likes everything a little."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.done: list[tuple[str, ...]] = []

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        self.done.append(("first", *texts))
        return np.zeros(len(texts), np.float32)

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        self.done.append(("again", *texts))
        await asyncio.sleep(0)
        return np.array([5.0 if self.word in text else -5.0 for text in texts], np.float32)

    def read_ahead(self, heard: LineInTalk) -> None:
        self.done.append(("ahead", *(text for _, text in heard.before), heard.text))


async def second_chooser(seen: list[LineChoice], rerank: int) -> LineChooser:
    """A chooser in which only npc-rerank decides among the first replies of the bank and what instinct says."""
    made = await chooser(seen, by_bank=1.0, tells=-0.5)
    return replace(made, weights=replace(made.weights, reranked={"reread": FeatureWeight(1.0, 0.0, 1.0)}, rerank=rerank))


async def test_where_a_player_waits_the_best_are_read_again_and_that_decides(make_mind: MakeMind) -> None:
    seen: list[LineChoice] = []
    mind = near(make_mind)
    mind.tools.embedder = SecondReader("aunt")
    mind.tools.chooser = await second_chooser(seen, 2)
    said = await converse.say(mind, hat(), MORNING, frozenset())
    assert said.text == "It was Mara's aunt's."
    assert [it.score for it in seen[0].candidates] == [5.0, -5.0, -5.0]
    mind.tools.chooser = await second_chooser(seen, 1)
    said = await converse.say(mind, hat(), MORNING, frozenset())
    assert said.text != "It was Mara's aunt's."
    assert seen[1].candidates[-1].candidate.text == "It was Mara's aunt's."  # it was not read again


async def test_the_banks_best_are_read_again_before_memories_are_searched(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    await knows(mind, "The hat is from Ines", 6)
    mind.tools.embedder = reader = SecondReader("aunt")
    mind.tools.chooser = await second_chooser([], 2)
    said = await converse.say(mind, hat(), MORNING, frozenset())
    replies = ("Oh, thank you.", "It was Mara's aunt's.")
    ahead, of_bank, best, of_memory, told, *_ = reader.done
    assert ahead == ("ahead", "nice hat you have")
    assert (of_bank[0], sorted(of_bank[1:])) == ("first", sorted(replies))
    assert best == ("again", *replies)
    assert of_memory[0] == "first"
    assert any("Ines" in text for text in of_memory)
    assert "The hat is from Ines." in told
    assert said.text in replies


async def test_after_an_answer_to_a_player_npc_rerank_reads_the_talk(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    mind.tools.embedder = reader = SecondReader("aunt")
    answered = talk(("Robin", "nice hat you have"), ("mara_voss", "Oh, thank you."), people=PEOPLE)
    next_line(mind, answered, "Robin", MORNING)
    assert not reader.done  # no chooser, so nothing is chosen
    mind.tools.chooser = await second_chooser([], 2)
    next_line(mind, answered, "tobin_hale", MORNING)
    assert not reader.done
    next_line(mind, answered, "Robin", MORNING)
    assert reader.done == [("ahead", "nice hat you have", "Oh, thank you.", "")]


async def test_that_an_answer_is_not_known_is_read_before_a_line_is_chosen(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    mind.tools.embedder = reader = SecondReader("aunt")
    mind.tools.chooser = await second_chooser([], 2)
    asked = talk(("Robin", "Which road leads over the hills?"), people=PEOPLE)
    said = await converse.say(mind, asked, MORNING, frozenset())
    assert next(it for it in reader.done if it[0] == "again") == ("again", said.text)


class LateReader(SecondReader):
    """Answers for a time, and then no more."""

    def __init__(self, times: int) -> None:
        super().__init__("aunt")
        self.times = times

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        self.times -= 1
        return await super().rerank(heard, texts) if self.times >= 0 else None


@pytest.mark.parametrize("times", [0, 1, 2])
async def test_where_npc_rerank_is_late_npc_answers_chooses(make_mind: MakeMind, times: int) -> None:
    seen: list[LineChoice] = []
    mind = near(make_mind)
    mind.tools.embedder = LateReader(times)
    mind.tools.chooser = await second_chooser(seen, 2)
    said = await converse.say(mind, hat(), MORNING, frozenset())
    assert said.text == "Oh, thank you."
    assert all(it.measured.reranked is None and it.measured.fits is not None for it in seen[0].candidates)


class EmbedsLater(NamedEmbedder):
    """Embeds nothing until `go` is set."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await self.go.wait()
        return await super().embed(texts)


async def test_the_first_line_of_a_game_waits_a_moment_for_the_bank(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    mind.tools.embedder = SecondReader("aunt")
    embedder = EmbedsLater()
    mind.tools.chooser = replace(await second_chooser([], 2), bank=ExchangeBank([HAT], embedder, bank_settings()))
    answering = asyncio.create_task(converse.say(mind, hat(), MORNING, frozenset()))
    for _ in range(20):
        await asyncio.sleep(0)
    embedder.go.set()
    said = await answering
    assert (said.text, said.source) == ("It was Mara's aunt's.", Source.CHOSEN)


async def test_a_player_is_answered_while_the_bank_is_not_ready(make_mind: MakeMind, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[LineChoice] = []
    monkeypatch.setattr(exchange_bank, "READY_WAIT_S", 0.0)
    mind = near(make_mind)
    mind.tools.embedder = SecondReader("aunt")
    made = await second_chooser(seen, 2)
    mind.tools.chooser = replace(made, bank=ExchangeBank([HAT], EmbedsLater(), bank_settings()))
    said = await converse.say(mind, hat(), MORNING, frozenset())
    assert (bool(said.text), said.source) == (True, Source.INSTINCT)
    assert [it.candidate.maker for it in seen[0].candidates] == [Maker.INSTINCT]


async def test_for_a_player_who_comes_near_the_bank_is_read_and_npc_rerank_begins_with_who_answers(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    mind.tools.embedder = reader = SecondReader("")
    mind.tools.chooser = replace(await second_chooser([], 2), bank=ExchangeBank([HAT], NamedEmbedder(), bank_settings()))
    before_talk(mind, MORNING)
    assert reader.done == [("ahead", "")]
    await until(lambda: mind.tools.chooser is not None and mind.tools.chooser.bank.is_ready)
    speaks_for_itself = near(make_mind, ScriptedEngine({}))
    speaks_for_itself.tools.embedder, speaks_for_itself.tools.chooser = reader, mind.tools.chooser
    before_talk(speaks_for_itself, MORNING)
    assert len(reader.done) == 1


async def test_a_second_memory_that_is_better_is_said_itself(make_mind: MakeMind) -> None:
    class Remembers(SecondReader):
        async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
            return np.array([9.0 if "gift" in text else 6.0 if "like it" in text else -9.0 for text in texts], np.float32)

        async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
            self.done.append(("again", *texts))
            return np.array([1.5 if "Tobin" in text else 1.0 for text in texts], np.float32)

    mind = near(make_mind)
    for text in ("The hat was a gift from Ines", "Tobin wants a hat like it"):
        await knows(mind, text, 6)
    mind.tools.embedder = reader = Remembers("")
    mind.tools.chooser = await second_chooser([], 2)
    plain = await mind.instinct.say(mind, hat(), MORNING, frozenset(), "", last_words=False)
    assert (plain.text, plain.also[0].said) == ("The hat was a gift from Ines.", "Tobin wants a hat like it.")
    said = await converse.say(mind, hat(), MORNING, frozenset())
    assert (said.text, said.source) == ("Tobin wants a hat like it.", Source.CHOSEN)
    of_bank, of_memory = [set(it[1:]) for it in reader.done[1:] if it[0] == "again"]
    assert not of_bank & of_memory, "nothing is read in a second call"
    assert (mind.tally.chosen, mind.tally.instinct) == (1, 0)


async def test_an_invitation_that_is_accepted_is_answered_so(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    mind.tools.chooser = await chooser([], by_bank=1.0)
    mind.relationships.social["Robin"] = Social("mara_voss", "Robin", "friend", "", "", 8, 0, 0)
    invites = talk(("Robin", "Come to the party at the Kettle Café today at 21:00, will you?"), people=PEOPLE)
    said = await converse.say(mind, invites, MORNING, frozenset())
    assert said.agreed is not None


@pytest.mark.parametrize(
    ("said", "why", "answer"),
    [
        ("Could you let me have your spare room?", Why.ASK_BACK, "nights"),
        ("I'd like your spare room for 30 nights.", Why.REFUSAL, "14"),
        ("Can you give me a roof?", Why.ASK_BACK, "Is it a bed you want?"),
        ("Come to the party at the Kettle Café today at 21:00, will you?", Why.REFUSAL, ""),
    ],
)
async def test_what_was_asked_for_wins_over_the_best_line_of_the_bank(make_mind: MakeMind, said: str, why: Why, answer: str) -> None:
    mind = near(make_mind)
    mind.tools.chooser = await chooser([], entry=replace(HAT, said=(said,)), by_bank=1.0)
    nights = Parameter("nights", "integer", (), 1, 14)
    room = Offer("rent_room", "let the spare room to somebody", (nights,), asks=("Is it a bed you want?",))
    mind.persona = replace(mind.persona, offers=(room,))
    found = await converse.say(mind, talk(("Robin", said), people=PEOPLE), MORNING, frozenset())
    assert (found.why, found.call, found.source) == (why, None, Source.INSTINCT)
    assert answer in found.text
    assert found.text not in [reply for _, reply in HAT.replies]


async def test_goodbyes_and_lines_that_no_player_gets_are_instincts(make_mind: MakeMind) -> None:
    mind = near(make_mind)
    mind.tools.chooser = await chooser([], by_bank=1.0)
    said = await converse.say(mind, hat(), MORNING, frozenset(), last_words=True)
    assert said.source is Source.INSTINCT
    assert said.leaves
    said = await converse.say(mind, talk(("tobin_hale", "nice hat you have")), MORNING, frozenset())
    assert said.source is Source.INSTINCT


async def test_a_players_own_words_are_read_without_how_they_are_told_and_without_the_talk(make_mind: MakeMind) -> None:
    read: list[tuple[int, str]] = []

    class Heard(SecondReader):
        async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
            read.extend((len(heard.before), text) for text in texts)
            return await super().rerank(heard, texts)

    mind = near(make_mind)
    told = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD, "source_person": "Robin"}
    await mind.remember(['Robin said: "My hat is from my aunt."'], at=MORNING, importance=[4], topics=[MemoryTopic.SAID], **told)  # type: ignore[arg-type]
    mind.tools.embedder = Heard("My hat")
    mind.tools.chooser = await second_chooser([], 2)
    before = (("Robin", "My hat is from my aunt."), ("mara_voss", "Is it?"))
    said = await converse.say(mind, talk(*before, ("Robin", "Where is my hat from?"), people=PEOPLE), MORNING, frozenset())
    assert said.text.endswith(': "My hat is from my aunt."')
    assert {before for before, text in read if text == "My hat is from my aunt."} == {0}
    assert not [text for _, text in read if text.endswith('."')], "as it is told it is never read"
    assert {before for before, _ in read} == {0, 2}, "other lines are read in the talk"


async def test_whoever_asks_for_news_is_told_them_once_and_nothing_stands_in_their_place(make_mind: MakeMind) -> None:
    mind = near(make_mind, engine := ScriptedEngine({}, chats=True))
    told = (await knows(mind, "Ines has lost her lantern in the mill pond", 8)).id
    entry = BankEntry("news", ("Is there any news?",), (("warm", "Nothing at all."),), tells="news")
    mind.tools.chooser = await chooser([], entry=entry, by_bank=5.0)
    asked = talk(("Robin", "Is there any news?"), people=PEOPLE)
    said = await converse.say(mind, asked, MORNING, frozenset())
    assert "lost her lantern" in said.text
    assert (said.told, said.why, engine.requests) == ((told,), Why.RECALLED, [])
    again = await converse.say(mind, asked, MORNING, frozenset({("Robin", told)}))
    assert "lantern" not in again.text
