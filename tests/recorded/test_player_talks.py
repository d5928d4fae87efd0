"""The talks of `lines.yaml` begin where they should: in the recorded life, or in a day without a model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from npc_server import clock
from npc_server.errors import BadInput, UnknownName
from npc_server.llm.engine import Engine, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import GameTime
from tests.recorded.player_talks import PlannedTalk, PlayedTalk, as_text, play_talks, read_talks

MORNING = clock.parse_datetime("2026-05-04 06:40")


def planned(number: int = 1, npc: str = "mara_voss", at: GameTime = MORNING, town: str = "millbrook", life: str = "") -> PlannedTalk:
    return PlannedTalk(number, town, npc, at, "Robin", ("Good morning! What are you doing?",), life)


def played(saves: Path, *talks: PlannedTalk) -> tuple[list[PlayedTalk], list[Request]]:
    engines: list[ScriptedEngine] = []

    def engine(talk: PlannedTalk) -> Engine:
        engines.append(ScriptedEngine({"say": [f"say: Who asks, {talk.number}?\nthen: leave"]}))
        return engines[-1]

    found = asyncio.run(play_talks(talks, engine, saves))
    return found, [request for engine_ in engines for request in engine_.requests]


def test_a_talk_begins_in_the_middle_of_a_recorded_life(tmp_path: Path) -> None:
    (talk,), asked = played(tmp_path, planned(life="millbrook_morning"))
    (say,) = (request for request in asked if request.stage == "say")
    assert "cooking porridge" in say.user
    assert (talk.lines[0].answer, talk.lines[0].source, talk.lines[0].ended) == ("Who asks, 1?", "model", True)
    assert "- **Mara**: Who asks, 1? *(ends the talk)*" in as_text([talk])


def test_a_talk_does_not_change_the_life_before_a_later_talk(tmp_path: Path) -> None:
    times = [MORNING + minutes * clock.MINUTE for minutes in (-33, -20, -7, 0, 3, 11)]
    talks, _ = played(tmp_path, *(planned(number, at=at, life="millbrook_morning") for number, at in enumerate(times, 1)))
    assert [talk.lines[0].answer for talk in talks] == [f"Who asks, {number}?" for number in range(1, 7)]


def test_each_talk_has_a_save_of_its_own_and_asks_only_for_its_person(tmp_path: Path) -> None:
    ten = clock.parse_datetime("2026-05-04 10:00")
    talks, asked = played(tmp_path, planned(1, "mara_voss", ten), planned(2, "mara_voss", ten), planned(3, "tobin_hale", ten))
    assert {request.npc for request in asked} == {"mara_voss", "tobin_hale"}
    assert [talk.lines[0].answer for talk in talks] == ["Who asks, 1?", "Who asks, 2?", "Who asks, 3?"]
    for talk in talks:
        own = [memory.text for memory in talk.remembered if "Who asks" in memory.text]
        assert own
        assert all(f"Who asks, {talk.talk.number}?" in text for text in own)


def test_a_talk_before_the_town_begins_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Talk 1 begins before the town does"):
        played(tmp_path, planned(at=MORNING - clock.DAY))


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("{town: millbrook, to: zoe, at: '2026-05-04 10:00', player: Robin, lines: [Hello]}", UnknownName),
        ("{town: millbrook, to: mara, at: noon, player: Robin, lines: [Hello]}", BadInput),
        ("{town: millbrook, to: mara, at: '2026-05-04 10:00', player: Robin}", BadInput),
    ],
)
def test_a_talk_that_cannot_be_read_is_named(tmp_path: Path, row: str, error: type[Exception]) -> None:
    (tmp_path / "lines.yaml").write_text(f"- {row}\n", encoding="utf-8")
    with pytest.raises(error):
        read_talks(tmp_path / "lines.yaml")
