"""What decides how well something answers a line: who answers, when, and what was said before."""

from __future__ import annotations

from collections.abc import Callable

from npc_server import clock
from npc_server.mind.listening import LINES_BEFORE, SAME_MOMENT, listening
from npc_server.mind.mind import Mind
from npc_server.records import Line
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def test_the_latest_lines_are_read_and_whose_they_are(make_mind: MakeMind) -> None:
    lines = [Line("mara_voss" if number % 2 else "Robin", f"Line {number}.", MORNING) for number in range(LINES_BEFORE + 3)]
    found = listening(make_mind(), "And now?", lines, MORNING)
    assert found.before == ((True, "Line 3."), (False, "Line 4."), (True, "Line 5."), (False, "Line 6."))
    assert found.who.endswith("It is Monday 4 May, 06:00.")


def test_a_line_soon_after_ones_own_is_read_with_the_hour_of_that_so_that_it_can_be_read_ahead(make_mind: MakeMind) -> None:
    mind = make_mind()
    lines = [Line("Robin", "Hello.", MORNING - 60), Line("mara_voss", "Morning.", MORNING)]
    ahead = listening(mind, "", lines, MORNING)
    soon = listening(mind, "What time is it?", lines, MORNING + SAME_MOMENT - 1)
    assert (soon.who, soon.before) == (ahead.who, ahead.before)
    later = listening(mind, "What time is it?", lines, MORNING + SAME_MOMENT)
    assert later.who.endswith(f"{clock.hhmm(MORNING + SAME_MOMENT)}.")
