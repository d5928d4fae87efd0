"""The exchanges that were written by hand have the form that `models/speak/README.md` describes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from npc_server.bank.exchange_bank import bank_settings
from npc_server.instinct import phrases
from npc_server.personas import file
from npc_server.sandbox.towns import find_cast

FILES = sorted((Path(__file__).parents[2] / "npc_server" / "data" / "exchanges").glob("*.jsonl"))
TEMPERS = {*file.TEMPERS}
LONGEST = 40
"""Words of an answer."""


def _lines() -> list[tuple[str, dict[str, object]]]:
    return [
        (f"{path.name}:{n}", json.loads(line)) for path in FILES for n, line in enumerate(path.read_text("utf-8").splitlines(), 1) if line
    ]


def wrong(exchange: Mapping[str, object]) -> str:
    """What is wrong with an exchange; empty if nothing is."""
    if set(exchange) - {"general", "exact", "tells", "agrees"} != {"topic", "said", "replies"}:
        return f"has the fields {sorted(exchange)}"
    said, replies = exchange["said"], exchange["replies"]
    fewest = 1 if exchange.get("exact") else 3
    if not isinstance(said, list) or len(said) < fewest or len({str(it) for it in said}) < len(said):
        return f"needs {fewest} different lines"
    if not isinstance(replies, dict) or len(replies) < 3 or set(replies) - TEMPERS:
        return f"needs three of the tempers {sorted(TEMPERS)}"
    for answer in (answer for answers in replies.values() for answer in answers):
        if not 0 < len(str(answer).split()) <= LONGEST or '"' in str(answer) or "*" in str(answer):
            return f"has the answer {answer!r}, which is not a spoken line"
    return ""


def test_every_exchange_has_lines_of_a_player_and_answers_in_several_tempers() -> None:
    assert FILES
    assert {place: problem for place, exchange in _lines() if (problem := wrong(exchange))} == {}


def test_each_temper_that_a_persona_may_name_is_described() -> None:
    assert set(bank_settings().described) == TEMPERS


def test_no_answer_of_three_words_or_more_stands_in_the_files_more_than_three_times() -> None:
    counts = Counter(
        answer for _, it in _lines() if isinstance(it["replies"], dict) for answers in it["replies"].values() for answer in answers
    )
    assert [answer for answer, count in counts.items() if count > 3 and len(str(answer).split()) > 2] == []


def test_an_exchange_with_an_unknown_temper_or_a_stage_direction_is_wrong() -> None:
    good = {"topic": "t", "said": ["a", "b", "c"], "replies": {"warm": ["A."], "curt": ["B."], "dry": ["C."]}}
    assert wrong(good) == ""
    assert "tempers" in wrong({**good, "replies": {"warm": ["A."], "curt": ["B."], "moody": ["C."]}})
    assert "spoken" in wrong({**good, "replies": {"warm": ["*nods*"], "curt": ["B."], "dry": ["C."]}})
    assert "different" in wrong({**good, "said": ["a", "a", "c"]})


def test_every_greeting_and_remark_of_the_towns_has_replies_and_every_such_reply_has_its_line() -> None:
    people = [person for town in ("alderwick", "household", "millbrook") for person in find_cast(town).people]
    spoken = {line for person in people for line in (*person.voice.greetings, *person.voice.smalltalk)} | {*phrases.lines("smalltalk")}
    answered = [line for _, it in _lines() if it.get("exact") and isinstance(it["said"], list) for line in it["said"]]
    assert {it.casefold() for it in answered} == {it.casefold() for it in spoken}
    assert len(answered) == len(set(answered))
    assert all(isinstance(it["replies"], dict) and set(it["replies"]) == TEMPERS for _, it in _lines() if it.get("exact"))
