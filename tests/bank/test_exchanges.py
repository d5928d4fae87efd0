"""The bank of exchanges: reading its files, and finding replies by meaning."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from npc_server.bank import exchange_bank, exchanges
from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import BankEntry, filled, load_exchanges
from npc_server.config import EngineSettings
from npc_server.errors import FileProblem
from npc_server.llm.deadline import at_most, current_deadline, is_for_player
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Vectors
from npc_server.llm.start import open_embedder
from npc_server.personas.schema import Manner
from tests.waiting import LIMIT_S, until

MINILM = Path(__file__).parents[2] / "models" / "all-minilm-l6-v2.gguf"
PACKAGE = exchanges.FOLDER
ABOUT_ME = (
    "Do you still remember my name?",
    "Could you say what my name is?",
    "You still know me?",
    "I wonder if you remember me.",
    "Remind me, what am I called?",
    "You know my name, don't you?",
    "How am I called?",
    "Did you forget my name?",
    "It's me again, remember me?",
    "Have you forgotten me already?",
    "Do I look familiar to you?",
)
ABOUT_OTHERS = (
    "Could you say what your name is?",
    "What is my brother's name?",
    "How are you called?",
    "Who is he?",
    "Do you remember my brother?",
    "Do you remember the flood?",
    "Have you met Tobin?",
    "What is the name of this village?",
    "My name is Robin.",
    "Have you forgotten the bread?",
)
TEMPERS = ("warm", "curt", "gruff")
GATE = BankEntry(
    "greeting", ("Shut the gate.",), (("warm", "With pleasure."), ("gruff", "Shut it yourself."), ("curt", "Shut.")), is_exact=True
)
HAT = BankEntry("hat", ("Nice hat you have.", "i like that hat"), (("warm", "Oh, thank you."), ("gruff", "It keeps my head on.")))
JOKE = BankEntry("joke", ("Tell me a joke.", "do you know jokes"), (("curt", "No."), ("warm", "Only sad ones, love.")))


class CountingEmbedder(HashedWordsEmbedder):
    """Hashed words under another name, so that they pass for meaning. Counts what it embeds."""

    name = "counting/384"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return await super().embed(texts)


def write(folder: Path, name: str, *lines: object) -> Path:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def entry(topic: str, **changed: object) -> dict[str, object]:
    return {"topic": topic, "said": ["Hm?"], "replies": {"warm": ["Yes?"]}, **changed}


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package's folder, with one file."""
    folder = tmp_path / "package"
    folder.mkdir()
    monkeypatch.setattr(exchanges, "FOLDER", write(folder, "odd.jsonl", entry("ghosts"), entry("spiders")))
    return folder


def test_each_line_of_a_file_is_an_exchange_with_its_tempers() -> None:
    found = load_exchanges(TEMPERS)
    assert [it.topic for it in found] == ["ghosts", "spiders"]
    assert found[0].replies == (("warm", "Yes?"),)
    assert not found[0].is_exact


def test_a_line_may_say_that_its_replies_answer_only_these_very_words(package: Path) -> None:
    write(package, "odd.jsonl", entry("gate", exact=True))
    assert load_exchanges(TEMPERS)[0].is_exact


def test_a_modders_file_is_added_and_one_of_the_same_name_stands_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "mod").mkdir()
    mod = write(tmp_path / "mod", "more.jsonl", entry("dragons"))
    assert [it.topic for it in load_exchanges(TEMPERS, [mod])] == ["dragons", "ghosts", "spiders"]
    write(mod, "odd.jsonl", entry("trolls"))
    assert [it.topic for it in load_exchanges(TEMPERS, [mod])] == ["dragons", "trolls"]


def test_mistakes_name_file_line_and_fix(package: Path) -> None:
    write(package, "odd.jsonl", entry("fine"), "{no json", "", entry("x", replies={"wrm": ["Yes?"]}), {"topic": "y", "said": ["Hm?"]})
    with pytest.raises(FileProblem) as caught:
        load_exchanges(TEMPERS)
    assert [it.line for it in caught.value.problems] == [2, 4, 5]
    text = str(caught.value)
    assert "odd.jsonl:2" in text
    assert "Did you mean 'warm'?" in text
    assert "'replies' is missing" in text


def test_a_slot_that_there_is_not_is_named_with_the_nearest(package: Path) -> None:
    write(package, "odd.jsonl", entry("x", replies={"warm": ["I am {agee}."]}))
    with pytest.raises(FileProblem, match=r"Slot 'agee'.*\n?.*Did you mean 'age'"):
        load_exchanges(TEMPERS)


def test_a_slot_that_an_entry_tells_must_be_one(package: Path) -> None:
    write(package, "odd.jsonl", entry("x", tells="mett"))
    with pytest.raises(FileProblem, match=r"Slot 'mett'.*\n?.*Did you mean 'met'"):
        load_exchanges(TEMPERS)


def test_a_reply_is_filled_with_what_the_speaker_knows_or_left_out() -> None:
    assert filled("I am {age}, and {i_do}.", {"age": "41", "i_do": "I am mending a rope"}) == "I am 41, and I am mending a rope."
    assert filled("{did}. That was that.", {"did": "I was asleep!"}) == "I was asleep! That was that."
    assert filled("{place} is no place to talk.", {"place": "the yard"}) == "The yard is no place to talk."
    assert filled("I am {age}.", {}) == ""


async def test_a_reply_with_a_slot_without_a_value_is_no_candidate_and_one_with_values_tells_them() -> None:
    asked = BankEntry("doing", ("What are you doing?",), (("warm", "{i_do}, love."), ("curt", "Nothing."), ("gruff", "{i_do}.")))
    bank = ExchangeBank([asked], CountingEmbedder(), bank_settings())
    await bank.prepare()
    plain = await bank.replies_to("what are you doing?", Manner(), {})
    assert [it.text for it in plain] == ["Nothing."]
    told = await bank.replies_to("what are you doing?", Manner(), {"i_do": "I am baking"})
    assert {it.text: it.slots for it in told} == {"I am baking, love.": 1, "Nothing.": 0, "I am baking.": 1}


async def test_a_bank_that_a_players_line_begins_to_prepare_does_not_go_before_others() -> None:
    urgent = list[bool]()

    class Noting(CountingEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            urgent.append(is_for_player())
            return await super().embed(texts)

    bank = ExchangeBank([HAT], Noting(), bank_settings())
    with at_most(60):
        assert is_for_player()
        await bank.start()
    assert set(urgent) == {False}


async def test_a_line_near_an_entry_that_a_slot_answers_asks_for_that_slot() -> None:
    mine = BankEntry("my name", ("What is my name?", "who am i"), (("curt", "You ought to know."),), tells="met")
    yours = BankEntry("your name", ("What is your name?", "who are you"), (("curt", "Why?"),))
    bank = ExchangeBank([mine, yours], CountingEmbedder(), bank_settings())
    assert await bank.slot_asked_for("What is my name?") == "", "it is not ready"
    await bank.prepare()
    assert await bank.slot_asked_for("what is my name") == "met"
    assert await bank.slot_asked_for("What is your name?") == ""
    assert await bank.slot_asked_for("Where is the mill pond?") == ""


@pytest.mark.model
@pytest.mark.skipif(not MINILM.is_file(), reason="make setup makes models/all-minilm-l6-v2.gguf")
async def test_the_package_knows_who_asks_for_their_own_name_in_words_that_it_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchanges, "FOLDER", PACKAGE)
    every = [it for it in load_exchanges(bank_settings().described) if not it.is_exact]
    near = [it for it in every if it.tells or "name" in " ".join(it.said) or it.topic.startswith("self: ")]  # all would take a minute
    said = {line.casefold().rstrip("?.!") for it in near for line in it.said}
    assert not said & {line.casefold().rstrip("?.!") for line in (*ABOUT_ME, *ABOUT_OTHERS)}
    embedder = await open_embedder(EngineSettings(embedding_model=str(MINILM), models_folder=tmp_path), log_file=tmp_path / "log")
    try:
        bank = ExchangeBank(near, embedder, bank_settings())
        await bank.prepare()
        assert {line: await bank.slot_asked_for(line) for line in ABOUT_ME} == dict.fromkeys(ABOUT_ME, "met")
        assert {line: await bank.slot_asked_for(line) for line in ABOUT_OTHERS} == dict.fromkeys(ABOUT_OTHERS, "")
    finally:
        await embedder.close()


async def test_the_first_game_finds_what_those_find_that_read_the_file_of_vectors(tmp_path: Path) -> None:
    banks = [ExchangeBank([GATE, HAT], CountingEmbedder(), bank_settings(), tmp_path) for _ in range(2)]
    found = []
    for bank in banks:
        await bank.prepare()
        found.append(await bank.replies_to("a hat, is it?", Manner(), {}))
    assert found[0] == found[1] != []


async def test_exact_replies_answer_these_very_words_in_the_tempers_that_suit() -> None:
    bank = ExchangeBank([GATE, HAT], CountingEmbedder(), replace(bank_settings(), tempers=1))
    assert await bank.exact_replies("Shut the gate.", Manner()) == ["With pleasure.", "Shut it yourself.", "Shut."]
    gruff = Manner(("She is gruff, grumpy, blunt and rough.",))
    assert await bank.exact_replies("shut the gate. ", gruff) == ["Shut it yourself."], "before the bank is ready, too"
    await bank.prepare()
    assert await bank.exact_replies("shut the gate. ", gruff) == ["Shut it yourself."]
    assert await bank.exact_replies("Shut the door.", Manner()) == []
    slots = BankEntry("remark", ("Rain.",), (("dry", "Is it, in {place}?"), ("dry", "It falls.")), is_exact=True)
    assert await ExchangeBank([slots], CountingEmbedder(), bank_settings()).exact_replies("Rain.", Manner()) == ["It falls."]


async def test_tempers_that_a_persona_names_go_before_those_that_it_seems_to_have() -> None:
    gruff, hat = ("She is gruff, grumpy, blunt and rough.",), HAT.said[0]
    bank = ExchangeBank([GATE, HAT], CountingEmbedder(), replace(bank_settings(), tempers=1))
    assert await bank.exact_replies("Shut the gate.", Manner(tempers=("curt", "warm"))) == ["Shut."], "before the bank is ready, too"
    await bank.prepare()
    assert await bank.exact_replies("Shut the gate.", Manner(gruff, ("curt", "warm"))) == ["Shut."]
    (named,) = await bank.replies_to(hat, Manner(gruff, ("warm",)))
    assert (named.text, named.temper_fit) == ("Oh, thank you.", bank_settings().named_fit)
    (unnamed,) = await bank.replies_to(hat, Manner(gruff, ("dry",)))
    assert unnamed.temper_fit <= 0


class Failing(CountingEmbedder):
    """Embeds nothing while it is away."""

    away = True

    async def embed(self, texts: Sequence[str]) -> Vectors:
        found = await super().embed(texts)
        return np.zeros_like(found) if self.away else found


async def test_a_bank_whose_lines_got_no_vectors_is_not_ready_and_gets_them_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_bank, "AGAIN_S", 0.0)
    embedder = Failing()
    bank = ExchangeBank([HAT, JOKE], embedder, bank_settings(), tmp_path / "kept")
    preparing = bank.start()
    await until(lambda: len(embedder.asked) > 8)
    assert (bank.is_ready, bank.is_preparing) == (False, True)
    assert not (tmp_path / "kept").exists()
    embedder.away = False
    await asyncio.wait_for(preparing, LIMIT_S)
    assert bank.is_ready
    assert [it.topic for it in await bank.replies_to("nice hat you have", Manner())] == ["hat", "hat"]
    assert len(list((tmp_path / "kept").iterdir())) == 1


async def test_a_bank_is_prepared_under_no_deadline_of_the_player_who_comes_first() -> None:
    left: list[float] = []

    class Watched(CountingEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            left.append(current_deadline().left_s)
            return await super().embed(texts)

    bank = ExchangeBank([HAT], Watched(), bank_settings())
    with at_most(-1.0):
        bank.meet(Manner(("She is gruff.",)))
        assert await bank.ready()
    await until(lambda: len(left) == 3)
    assert set(left) == {math.inf}
    await bank.close()


async def test_a_line_of_the_bank_has_the_same_vector_at_first_and_from_the_file(tmp_path: Path) -> None:
    first, later = (ExchangeBank([HAT, JOKE], CountingEmbedder(), bank_settings(), tmp_path) for _ in range(2))
    await first.prepare()
    await later.prepare()
    line = "have you heard of hats"
    assert [it.nearness for it in await first.replies_to(line, Manner())] == [it.nearness for it in await later.replies_to(line, Manner())]


async def test_no_players_line_is_compared_with_the_words_of_an_exact_exchange() -> None:
    embedder = CountingEmbedder()
    bank = ExchangeBank([GATE, HAT], embedder, bank_settings())
    await bank.prepare()
    assert bank.lines == len(HAT.said)
    assert await bank.replies_to("Shut the gate.", Manner()) == []
    assert GATE.said[0] in embedder.asked[-1:]


async def test_the_entries_take_turns_so_that_the_nearest_does_not_keep_others_out() -> None:
    many = BankEntry("hat", ("nice hat of yours",), tuple(("warm", f"Reply {number}.") for number in range(9)))
    bank = ExchangeBank([many, HAT], CountingEmbedder(), bank_settings())
    await bank.prepare()
    assert {it.topic for it in await bank.replies_to("nice hat you have", Manner())} == {"hat"}
    assert "Oh, thank you." in [it.text for it in await bank.replies_to("nice hat you have", Manner())]


async def test_a_general_reply_is_a_candidate_for_any_line_after_those_that_are_near() -> None:
    sad = BankEntry("general: sad", ("I lost my job.",), (("warm", "I am sorry."), ("warm", "{news}"), ("gruff", "Hard luck.")), True)
    bank = ExchangeBank([sad, HAT], CountingEmbedder(), bank_settings())
    await bank.prepare()
    found = await bank.replies_to("i like that hat", Manner(("She is gruff, grumpy, blunt and rough.",)))
    assert [(it.topic, it.is_general) for it in found][-1] == ("general: sad", True)
    assert [it.text for it in found if it.is_general] == ["Hard luck."]
    assert found[0].topic == "hat"
    assert [it.text for it in await bank.replies_to("Where is the harbour master?", Manner()) if it.is_general] == ["I am sorry."]
    only_slots = ExchangeBank([BankEntry("general: told", ("so?",), (("warm", "{news}"),), True)], CountingEmbedder(), bank_settings())
    await only_slots.prepare()
    assert await only_slots.replies_to("Where is the harbour master?", Manner()) == []


async def test_the_bank_prepares_itself_in_the_background_and_can_be_closed() -> None:
    bank = ExchangeBank([HAT], CountingEmbedder(), bank_settings())
    bank.start()
    bank.start()
    await until(lambda: bank.is_ready)
    await bank.close()


async def test_for_a_speaker_whom_a_player_meets_the_tempers_are_seen_before_a_line_is_said() -> None:
    embedder = CountingEmbedder()
    bank = ExchangeBank([HAT], embedder, bank_settings())
    bank.meet(Manner(("She mends nets.",)))
    await until(lambda: bank.is_ready and "She mends nets." in embedder.asked)
    bank.meet(Manner(("She sells fish.",)))
    await bank.close()
    assert "She sells fish." not in embedder.asked


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no such folder"):
        load_exchanges(TEMPERS, [tmp_path / "nowhere"])


async def test_replies_are_found_to_what_was_said_in_other_words() -> None:
    bank = ExchangeBank([JOKE, HAT], CountingEmbedder(), bank_settings())
    await bank.prepare()
    found = await bank.replies_to("that hat i like", Manner(("She is gruff, grumpy, blunt and rough.",)))
    assert found[0].topic == "hat"
    assert found[0].temper == "gruff"
    assert found[0].nearness > 0.9
    assert await bank.replies_to("Where is the harbour master?", Manner()) == []


async def test_a_bank_finds_nothing_before_it_is_prepared_nor_with_hashed_words() -> None:
    bank = ExchangeBank([HAT], CountingEmbedder(), bank_settings())
    assert await bank.replies_to("i like that hat", Manner()) == []
    without_meaning = ExchangeBank([HAT], HashedWordsEmbedder(), bank_settings())
    await without_meaning.prepare()
    assert not without_meaning.is_ready


async def test_vectors_are_kept_in_a_file_and_only_new_lines_are_embedded(tmp_path: Path) -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    await ExchangeBank([HAT], first, bank_settings(), tmp_path).prepare()
    assert set(HAT.said) <= set(first.asked)
    bank = ExchangeBank([HAT, JOKE], second, bank_settings(), tmp_path)
    await bank.prepare()
    assert not set(HAT.said) & set(second.asked)
    assert set(JOKE.said) <= set(second.asked)
    assert (await bank.replies_to("i like that hat", Manner()))[0].topic == "hat"


async def test_a_broken_file_of_vectors_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "exchanges-counting-384.npz").write_bytes(b"no vectors")
    bank = ExchangeBank([HAT], CountingEmbedder(), bank_settings(), tmp_path)
    await bank.prepare()
    assert bank.is_ready


@pytest.mark.parametrize(
    ("heard", "agrees"),
    [("Yes.", True), ("yes, show me", True), ("No, yes is not what I said.", False), ("Tell me a joke.", False), ("Nice weather.", False)],
)
async def test_who_says_yes_is_known_by_the_first_words_else_by_the_nearest_entry(heard: str, agrees: bool) -> None:
    yes = BankEntry("yes", ("Yes.", "sure thing"), (("warm", "Good."),), agrees=True)
    no = BankEntry("no", ("No.",), (("warm", "As you like."),))
    bank = ExchangeBank([yes, no, JOKE], CountingEmbedder(), bank_settings())
    assert await bank.agrees(heard) is agrees, "not prepared yet"
    await bank.prepare()
    assert await bank.agrees(heard) is agrees
    assert await bank.agrees("a sure thing")
