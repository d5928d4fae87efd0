from __future__ import annotations

import re

import pytest

from npc_server.llm.endpoint.gbnf import gbnf
from npc_server.llm.reply_shape import ReplyShape
from tests.llm.kinds import KINDS


def test_list_repeats_its_record_on_lines_of_their_own() -> None:
    shape = ReplyShape((0, " | ", 1), (0, " | ", 1), (2, 4))
    assert shape.rules() == {"start": r'record ("\n" record){2,4}', "record": 'F0 " | " F1'}
    assert re.fullmatch(shape.pattern(["[0-9]", "[a-z]+"], re.escape), "1 | a\n2 | bc\n3 | d")
    assert not re.fullmatch(shape.pattern(["[0-9]", "[a-z]+"], re.escape), "1 | a\n2 | bc")


def test_last_field_may_come_several_times() -> None:
    shape = ReplyShape(("about: ", 0), ("told: ", 1), (0, 2))
    assert shape.rules() == {"start": r'"about: " F0 ("\n" again){0,2}', "again": '"told: " F1'}
    pattern = shape.pattern(["a", "b"], re.escape)
    assert re.fullmatch(pattern, "about: a")
    assert re.fullmatch(pattern, "about: a\ntold: b\ntold: b")
    assert not re.fullmatch(pattern, "about: a\ntold: b\ntold: b\ntold: b")


def test_list_of_one_line_repeats_nothing() -> None:
    shape = ReplyShape((0,), (0,), (0, 0))
    assert shape.rules() == {"start": "record", "record": "F0"}
    assert shape.pattern(["a"], re.escape) == "(a)"


@pytest.mark.parametrize("name", KINDS)
def test_both_grammars_of_a_reply_have_the_same_rules(name: str) -> None:
    """But for what parts the fields of a line: in Lark it belongs to the field before it."""
    lark = [line.split(": ", 1) for line in KINDS[name].grammar().splitlines() if not line.startswith("F")]
    ours = [line.split(" ::= ", 1) for line in gbnf(KINDS[name]).splitlines() if not line.startswith("F")]
    assert [["root" if rule == "start" else rule, body] for rule, body in lark] == [
        [rule, body.replace(' " | "', "")] for rule, body in ours
    ]
