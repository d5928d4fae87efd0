"""What decides how well something answers a line: who answers, when, and what was said before."""

from __future__ import annotations

from collections.abc import Callable

from npc_server import clock
from npc_server.mind.listening import LINES_BEFORE, SAME_MOMENT, listening
from npc_server.mind.mind import Mind
from npc_server.records import Line, PlanLevel, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def test_the_latest_lines_are_read_and_whose_they_are(make_mind: MakeMind) -> None:
    lines = [Line("mara_voss" if number % 2 else "Robin", f"Line {number}.", MORNING) for number in range(LINES_BEFORE + 3)]
    found = listening(make_mind(), "And now?", lines, MORNING)
    assert found.before == ((True, "Line 3."), (False, "Line 4."), (True, "Line 5."), (False, "Line 6."))
    assert found.who.endswith("It is Monday 4 May, 06:00.")


def test_who_answers_says_what_they_are_doing_and_last_what_the_other_is_to_them(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.add_steps([PlanStep("mara_voss", 0, PlanLevel.HOUR, 0, MORNING, MORNING + clock.HOUR, "open the café")])
    who = listening(mind, "Hello.", (), MORNING, "Robin").who
    assert who.endswith("You are busy: open the café. It is Monday 4 May, 06:00. The other: stranger.")
    assert who.startswith(f"You are {mind.persona.name}. {mind.persona.open_phrases[0]}")
    assert "stranger" not in listening(mind, "Hello.", (), MORNING).who


def test_a_line_soon_after_ones_own_is_read_with_the_hour_of_that_so_that_it_can_be_read_ahead(make_mind: MakeMind) -> None:
    mind = make_mind()
    lines = [Line("Robin", "Hello.", MORNING - 60), Line("mara_voss", "Morning.", MORNING)]
    ahead = listening(mind, "", lines, MORNING)
    soon = listening(mind, "What time is it?", lines, MORNING + SAME_MOMENT - 1)
    assert (soon.who, soon.before) == (ahead.who, ahead.before)
    later = listening(mind, "What time is it?", lines, MORNING + SAME_MOMENT)
    assert later.who.endswith(f"{clock.hhmm(MORNING + SAME_MOMENT)}.")
