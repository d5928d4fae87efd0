from __future__ import annotations

from npc_eval.simulation.report import Recorder
from npc_server.records import Speech


def test_lines_of_one_moment_do_not_stand_in_the_order_in_which_they_arrived() -> None:
    def line(conversation: str, text: str, at: int) -> Speech:
        return Speech("ada", text, at, ("ben",), conversation=conversation)

    first, second = [line("ada+ben", "Good morning.", 60), line("ada+ben", "Again?", 60)], [line("cleo+dan", "Rain.", 60)]
    for arrived in ([*first, *second], [*second, *first], [first[0], *second, first[1]]):
        recorder = Recorder()
        for event in [*arrived, line("cleo+dan", "It was early.", 30)]:
            recorder.on_event(event, 60)
        recorder.close(90)
        assert [speech.text for speech in recorder.speeches] == ["It was early.", "Good morning.", "Again?", "Rain."]
