"""How a talk ends: nobody asks what nobody can answer, and what the game has shown was said."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.records import Speech
from npc_server.session.host import Host
from tests.session.test_talks import says, script, stage

MakeHost = Callable[..., Host]


async def test_who_asks_something_while_it_leaves_is_answered(make_host: MakeHost) -> None:
    engine = script([says("Hello."), says("I must go. Shall we meet at nine?", "leave"), "agrees: no\n" + says("Not today.")])
    talk = await (await stage(make_host(engine))).hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert [line.text for line in talk.lines] == ["Hello.", "I must go. Shall we meet at nine?", "Not today."]


async def test_last_words_that_ask_something_are_asked_for_again_and_nothing_of_them_was_heard(make_host: MakeHost) -> None:
    engine = script([says("Hello."), says("I must go.", "leave"), says("Will you come back?"), says("Farewell!")])
    on = await stage(make_host(engine))
    on.overheard_by_a_player()
    await on.hold("mara_voss", "tobin_hale")
    assert not [s for s in on.spoken if isinstance(s, Speech) and "come back" in s.text]
    assert [s.text for s in on.spoken if isinstance(s, Speech) and not s.partial][-1] == "Farewell!"


async def test_what_was_heard_of_a_line_that_repeats_another_was_said(make_host: MakeHost) -> None:
    """The talk ends with it; the game has shown it already."""
    first, same = says("I keep thinking of long tables on the green."), says("Long tables on the green, I keep thinking of.")
    on = await stage(make_host(script([first, f"agrees: no\n{same}", "agrees: no\n" + says("Goodbye.")])))
    on.overheard_by_a_player()
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    partly = [s.text for s in on.spoken if isinstance(s, Speech) and s.partial and s.npc == "tobin_hale"]
    assert partly, "the test needs a line that is heard while it is written"
    assert talk.lines[1].text.startswith(partly[-1])
