"""Messages of any length, as endpoints without a system role or with a word against thinking take them."""

from __future__ import annotations

from npc_server.llm.endpoint.quiet import Quiet, quiet_fields, quiet_messages, without_system_role

SYSTEM, QUESTION, ANSWER = ({"role": role, "content": role.upper()} for role in ("system", "user", "assistant"))


def test_what_the_system_says_begins_the_first_turn_of_the_user() -> None:
    merged = {"role": "user", "content": "SYSTEM\n\nUSER"}
    assert without_system_role([SYSTEM, QUESTION, ANSWER, QUESTION]) == [merged, ANSWER, QUESTION]
    assert without_system_role([SYSTEM, ANSWER]) == [{"role": "user", "content": "SYSTEM"}, ANSWER]
    assert without_system_role([QUESTION, ANSWER]) == [QUESTION, ANSWER]
    assert without_system_role([]) == []


def test_the_word_against_thinking_ends_the_last_message() -> None:
    asked = [SYSTEM, QUESTION, ANSWER, QUESTION]
    assert quiet_messages(asked, Quiet.WORD) == [SYSTEM, QUESTION, ANSWER, {"role": "user", "content": "USER /no_think"}]
    assert all(quiet_messages(asked, way) == asked for way in (None, Quiet.EFFORT, Quiet.THINK))
    assert quiet_fields(Quiet.EFFORT) == {"reasoning_effort": "none"}
    assert quiet_fields(None) == {}
