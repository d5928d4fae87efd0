from __future__ import annotations

import json
import re
from typing import Any

import pytest

from npc_server.llm.endpoint import as_json
from npc_server.llm.endpoint.form import Form, asked, constraint, pattern, read
from npc_server.llm.endpoint.gbnf import _pattern, gbnf
from npc_server.llm.reply import ReplyType
from tests.llm.kinds import KINDS, Act, Insight, Rating, Say, Stroke, Where

VALUES: dict[str, object] = {
    "text": Say("Mind the step, it's loose."),
    "integer": Rating(7),
    "emoji": None,
    "choice": Where("the Café Röstel"),
    "record": Act("home|bed", "sleep a little", "💤", 15),
    "strokes": (Stroke(6 * 3600, "wash"), Stroke(7 * 3600, "eat"), Stroke(8 * 3600, "work")),
    "insights": (Insight("The mill is old.", (1, 7)),),
    "acts": (Act("home|bed", "sleep", "💤", 15), Act("park/bench (2)", "sit", "🪑", 5)),
    "one line": (Say("Yes."),),
}
WITH_VALUES = [(name, KINDS[name], value) for name, value in VALUES.items() if value is not None]


@pytest.mark.parametrize(("name", "reply", "value"), WITH_VALUES)
def test_reply_comes_back_from_json(name: str, reply: ReplyType[Any], value: object) -> None:
    text = json.dumps(_as_json(reply, value), ensure_ascii=False, indent=1)
    assert reply.parse(as_json.lines(reply, text)) == value


@pytest.mark.parametrize(("name", "reply", "value"), WITH_VALUES)
def test_streamed_json_only_ever_grows(name: str, reply: ReplyType[Any], value: object) -> None:
    text, before = json.dumps(_as_json(reply, value), ensure_ascii=False), ""
    for end in range(text.index(":") + 1, len(text) + 1):
        now = as_json.lines(reply, text[:end])
        # Numbers are not known before their last digit, so only texts may be passed on while they grow.
        assert now.startswith(before) or now.rstrip("0123456789") == before.rstrip("0123456789")
        before = now
    assert before == reply.write(value)


def test_json_that_is_none_is_left_to_be_mended() -> None:
    assert as_json.lines(KINDS["text"], "Good morning!") == "Good morning!"
    assert as_json.lines(KINDS["record"], "[1, 2]") == "[1, 2]"


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_grammar_a_pattern_and_a_schema(name: str) -> None:
    reply = KINDS[name]
    assert gbnf(reply).startswith("root ::= ")
    assert as_json.schema(reply)["additionalProperties"] is False
    assert set(constraint(Form.PATTERN, reply)) == {"structured_outputs", "guided_regex", "regex"}
    assert constraint(Form.WORDS, reply) == {}


@pytest.mark.parametrize(("name", "reply", "value"), WITH_VALUES)
def test_pattern_matches_what_the_reply_reads(name: str, reply: ReplyType[Any], value: object) -> None:
    python = re.sub(r"\\x\{([0-9A-Fa-f]{4})\}", r"\\u\1", pattern(reply))
    written = reply.write(value)
    assert re.fullmatch(python, written)
    assert not re.fullmatch(python, written + "\nand so on")


def test_only_json_changes_the_question() -> None:
    assert asked(Form.GRAMMAR, KINDS["text"], "What do you say?") == "What do you say?"
    assert "JSON" in asked(Form.JSON, KINDS["text"], "What do you say?")
    assert read(Form.WORDS, KINDS["text"], '{"text": "x"}') == '{"text": "x"}'


@pytest.mark.parametrize("regex", ["a.b", "^a", r"a\b"])
def test_part_of_a_pattern_without_translation_is_said(regex: str) -> None:
    with pytest.raises(ValueError, match="translation"):
        _pattern(regex)


def _as_json(reply: ReplyType[Any], value: object) -> object:
    def record(one: object) -> dict[str, object]:
        return {name: getattr(one, name) if isinstance(getattr(one, name), int) and name != "start" else kind.write(getattr(one, name))
                for name, kind in reply.kinds}  # fmt: skip

    return {as_json.RECORDS: [record(one) for one in value]} if isinstance(value, tuple) else record(value)
