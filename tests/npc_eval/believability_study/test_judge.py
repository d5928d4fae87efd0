from __future__ import annotations

import re

import pytest

from npc_eval.believability_study.cards import card_sets
from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Interviews, RankFile
from npc_eval.believability_study.judge import Judge, Permutation, judged, reply_for
from npc_eval.prompts import PROMPTS
from npc_server.errors import ModelDied, ReplyUnreadable
from npc_server.llm.engine import Request
from npc_server.llm.scripted import Answer, ScriptedEngine
from npc_server.prompts.load import Prompts
from tests.minds import same_as_golden
from tests.npc_eval.believability_study.conftest import SAID, TOBIN, WORK

SEED = 3


def shown(request: Request) -> dict[str, str]:
    """Letters and texts of the answers in a prompt."""
    return dict(re.findall(r"^([A-H]): (.+)$", request.user, re.MULTILINE))


def longest_first(request: Request) -> str:
    cards = shown(request)
    return ", ".join(sorted(cards, key=lambda letter: -len(cards[letter])))


def as_shown(request: Request) -> str:
    return ", ".join(shown(request))


async def ranked(interviews: Interviews, engine: ScriptedEngine, prompt_tokens: int = 4000) -> RankFile:
    judge = Judge(engine, "a judge", Prompts([PROMPTS]), SEED, prompt_tokens)
    return await judged(judge, interviews, card_sets(interviews, SEED), lambda: None)


async def test_a_judge_with_a_taste_is_followed_whatever_the_order(interviews: Interviews) -> None:
    engine = ScriptedEngine(longest_first)
    found = await ranked(interviews, engine)
    work, tobin = found.rankings
    by_length = sorted(SAID[WORK], key=lambda it: -len(SAID[WORK][it]))
    assert work.ranks == {condition: place + 1 for place, condition in enumerate(by_length)}
    assert tobin.ranks[Condition.FULL] == tobin.ranks[Condition.NO_REFLECTION] == 1.5
    assert (found.judge, found.answers, found.unanswered) == ("a judge", interviews.digest(), 0)
    assert found.position_bias is not None
    assert (found.position_bias.asked_twice, found.position_bias.kendall_tau, found.position_bias.same_first) == (2, 1.0, 1.0)
    same_as_golden(engine.requests[0], "rank_answers")


async def test_every_question_is_asked_in_both_orders_without_the_conditions(interviews: Interviews) -> None:
    engine = ScriptedEngine(longest_first)
    await ranked(interviews, engine)
    asked = {question: [request for request in engine.requests if question in request.user] for question in (WORK, TOBIN)}
    for question, (one, other) in asked.items():
        assert list(shown(one).values()) == list(shown(other).values())[::-1]
        assert set(shown(one).values()) == set(SAID[question].values())
        assert one.seed != other.seed
        assert one.temperature == 0
    text = "".join(request.system + request.user for request in engine.requests)
    assert not [condition for condition in Condition if condition.value.replace("_", " ") in text and condition is not Condition.NONE]


async def test_a_judge_that_takes_the_first_is_found_out(interviews: Interviews) -> None:
    found = await ranked(interviews, ScriptedEngine(as_shown))
    bias = found.position_bias
    assert bias is not None
    assert (bias.kendall_tau, bias.same_first, bias.first_shown_first) == (-1.0, 0.0, 1.0)
    assert set(found.rankings[0].ranks.values()) == {3.0}


async def test_what_mattered_for_the_question_is_shown_first_and_the_rest_goes_when_there_is_no_room(interviews: Interviews) -> None:
    engine = ScriptedEngine(longest_first)
    await ranked(interviews, engine)
    lines = [line for line in engine.requests[0].user.splitlines() if line.startswith("- ")]
    assert "broke his chisel" in lines[0]
    assert "worried" in lines[1]
    assert len(lines) == 3
    await ranked(interviews, engine, prompt_tokens=240)
    short = engine.requests[-1].user
    assert "broke his chisel" in short
    assert "bakes the bread" not in short


async def test_a_reply_that_cannot_be_read_is_asked_for_once_more(interviews: Interviews) -> None:
    failed: list[str] = []

    def script(request: Request) -> Answer:
        if WORK in request.user and len(failed) < 1:
            failed.append(request.user)
            return "A is the best"
        return longest_first(request)

    found = await ranked(interviews, ScriptedEngine(script))
    assert failed
    assert (len(found.rankings), found.unanswered) == (2, 0)


async def test_a_question_without_an_order_is_left_out_and_counted(interviews: Interviews) -> None:
    found = await ranked(interviews, ScriptedEngine(lambda request: "none" if WORK in request.user else longest_first(request)))
    assert [it.question for it in found.rankings] == [TOBIN]
    assert found.unanswered == 1


async def test_a_judge_that_never_answers_is_an_error(interviews: Interviews) -> None:
    with pytest.raises(ModelDied):
        await ranked(interviews, ScriptedEngine(lambda request: ModelDied("It died.", "Start it.")))


def test_an_order_has_every_letter_once(interviews: Interviews) -> None:
    reply = reply_for(card_sets(interviews, SEED)[0].cards)
    kind = Permutation(("A", "B", "C"))
    for text in ("C, A, B", "c,a,b", "C > A > B"):
        assert kind.read(text) == ("C", "A", "B")
    assert re.fullmatch(kind.regex(), "C, A, B")
    assert not re.fullmatch(kind.regex(), "C, A, A")
    for text in ("A, B, C, D", "A, A, B, C, D", "A, B, C, D, F", ""):
        with pytest.raises(ReplyUnreadable):
            reply.parse(text)
    assert reply.write(reply.parse("E, D, C, B, A")) == "E, D, C, B, A"
