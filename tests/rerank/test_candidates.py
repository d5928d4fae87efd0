"""Candidates for lines of talks, for a judge: what the character knows in its own words, and replies of the bank with its facts."""

from __future__ import annotations

import random

from models.rerank.candidates import candidates, drawn_talks, facts, known, told
from models.training.talks import TalkExample
from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import SLOTS, load_exchanges
from npc_server.llm.embed import HashedWordsEmbedder

TALK = TalkExample.model_validate_json(
    """{"name": "Hanne Brook", "age": 41, "identity": ["Hanne Brook, 41, keeps the ferry at Low Ford.", "She is blunt and fond of gossip."],
    "secrets": ["She keeps to herself that she is afraid of deep water."], "voice": ["Mind the plank."], "at": "Tuesday 5 May, 10:20",
    "place": "the landing of Low Ford", "doing": "mending a rope", "next": "row over with the post", "today": ["carried two carters over"],
    "relation": "a stranger, never met", "memories": ["The rope of the second bell broke this morning."],
    "turns": [{"who": "player", "text": "Are you the ferrywoman?"}, {"who": "npc", "text": "I am."},
              {"who": "player", "text": "What broke?"}, {"who": "npc", "text": "The rope."}]}"""
)


def test_what_a_character_knows_is_told_in_the_first_person_without_its_secrets() -> None:
    assert told(TALK, TALK.identity[0]) == "I keep the ferry at Low Ford."
    assert known(TALK) == [
        "I keep the ferry at Low Ford.",
        "I am blunt and fond of gossip.",
        "The rope of the second bell broke this morning.",
        "I carried two carters over.",
        "I am mending a rope.",
        "I will row over with the post next.",
    ]


def test_slots_of_the_bank_get_what_the_talk_has() -> None:
    found = facts(TALK, random.Random(1))
    assert set(found) <= set(SLOTS)
    assert (found["me"], found["i_do"], found["time"], found["day"]) == ("Hanne", "I am mending a rope", "about 10", "Tuesday")


async def test_candidates_are_drawn_by_a_seed_and_the_nearest_memory_is_among_them() -> None:
    embedder = HashedWordsEmbedder()
    bank = ExchangeBank(load_exchanges(bank_settings().described), embedder, bank_settings())
    found = await candidates(bank, embedder, TALK, "Which rope broke this morning?", random.Random(1))
    assert "The rope of the second bell broke this morning." in found
    assert len(found) == len(set(found)) == 3  # with hashed words the bank finds nothing
    assert found == await candidates(bank, embedder, TALK, "Which rope broke this morning?", random.Random(1))


def test_talks_are_drawn_by_a_seed_with_world_and_line() -> None:
    drawn = list(drawn_talks(5, 0))
    assert [(world, line) for world, line, _ in drawn] == [(world, line) for world, line, _ in drawn_talks(9, 0)][:5]
    assert all(talk.name for _, _, talk in drawn)
