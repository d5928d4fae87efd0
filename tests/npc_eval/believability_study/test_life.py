from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.believability_study.conditions import ABLATIONS
from npc_eval.believability_study.files import Interviews
from npc_eval.believability_study.life import interviews, length, live
from npc_server.clock import parse_datetime
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput, UnknownName
from npc_server.sandbox.towns import find_cast
from npc_server.session.interview_questions import load_questions

MORNING = parse_datetime("2026-05-04 06:00")


def test_a_life_ends_at_an_hour_of_its_last_day() -> None:
    assert length(MORNING, 2, "20:00") == pytest.approx(1 + 14 / 24)
    assert length(MORNING, 1, "06:30") == pytest.approx(0.5 / 24)
    with pytest.raises(BadInput, match="before it begins"):
        length(MORNING, 1, "06:00")
    with pytest.raises(BadInput, match="'8 pm' is not a time of day"):
        length(MORNING, 2, "8 pm")


def settings(folder: Path) -> Settings:
    return load_settings(save={"folder": folder}, engine={"model": "none", "embedding_model": "none"})


async def asked(folder: Path, save: Path, people: tuple[str, ...] = (), at: str = "") -> Interviews:
    steps: list[tuple[int, int]] = []
    found = await interviews(
        settings(folder),
        save,
        people,
        load_questions()[:7],
        parse_datetime(at) if at else None,
        lambda problem: None,
        lambda done, of: steps.append((done, of)),
    )
    assert steps[-1] == (len(found.answers), len(found.answers))
    return found


async def test_a_town_lives_and_all_are_asked_all_questions_under_each_condition(tmp_path: Path) -> None:
    save = await live(settings(tmp_path), find_cast("millbrook"), 3, 0.1, tmp_path, lambda problem: None, lambda world: None)
    before = save.read_bytes()
    found = await asked(tmp_path, save)
    assert [person.npc for person in found.people] == ["ines_calder", "mara_voss", "tobin_hale"]
    assert len(found.answers) == 3 * 7 * 4
    assert [it.condition for it in found.answers[:4]] == list(ABLATIONS)
    assert len({it.question for it in found.answers[:4]}) == 1
    assert (found.town, found.asked_at, found.seed, found.model) == ("Millbrook", "2026-05-04 08:24", 3, "none")
    mara = found.person("mara_voss")
    assert mara.description.startswith("Mara Voss")
    assert [line.id for line in mara.memories] == sorted(line.id for line in mara.memories)
    assert {"seed", "observation"} <= {line.kind for line in mara.memories}
    ids = {line.id for line in mara.memories}
    shown = [it for it in found.answers if it.npc == "mara_voss"]
    assert all(set(it.evidence) <= ids for it in shown)
    assert any(it.evidence for it in shown)
    assert not any(it.evidence for it in shown if it.condition.value == "none")
    assert save.read_bytes() == before
    again = await asked(tmp_path, save, ("Mara", "mara_voss"))
    assert again.answers == tuple(shown)
    early = await asked(tmp_path, save, ("mara_voss",), at="2026-05-04 06:30")
    assert early.asked_at == "2026-05-04 06:30"
    assert len(early.people[0].memories) < len(mara.memories)
    with pytest.raises(UnknownName, match="nobody 'nobody'"):
        await asked(tmp_path, save, ("nobody",))
