from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.cli.options import chosen_policies
from npc_server.errors import BadInput, NpcServerError
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory.policy_file import read_policies
from npc_server.records import Document
from npc_server.sandbox.towns import find_cast
from npc_server.session.host import Host
from npc_server.session.shipped_policies import policies_of
from tests.session.conftest import personas, settings, town

__all__ = ["settings"]

HABITS = """policies:
  - activity: tend the garden
    worked: 3
    needs: [{object: green:lawn:flower_bed, is: dry}]
    steps: [{do: watering the flowers, where: green:lawn:flower_bed, action: water the flowers, minutes: 60}]
  - activity: bake bread
    for: mara_voss
    steps: [{do: baking, where: cafe:kitchen:oven, action: bake, minutes: 30, emoji: 🍞}]
"""


@pytest.fixture
async def save(settings: object) -> Path:
    host = Host(settings, NoModelEngine("No model in this test."), HashedWordsEmbedder())  # type: ignore[arg-type]
    await host.create_save("one", town(), personas(), 7, 0, [Document("habits.yaml", HABITS)])
    await host.close()
    return host.settings.save.folder / "one.npcsave"


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["policy", *arguments])
    if isinstance(done.exception, NpcServerError):
        return 1, str(done.exception)
    return done.exit_code, done.output


def test_what_is_exported_can_be_checked_and_shipped(save: Path, tmp_path: Path) -> None:
    file = tmp_path / "policies.yaml"
    assert run("export", str(save), str(file)) == (0, f"{file}: 2 policies.\n")
    assert "where: green:lawn:flower_bed" in file.read_text(encoding="utf-8"), "addresses stand without the town's id"
    assert run("check", str(file), "--town", "millbrook") == (0, "2 policies: good.\n")
    found = read_policies(Document("p", file.read_text(encoding="utf-8")), "")
    assert found.policies == tuple((line, policy) for (line, policy) in read_policies(policies_of(save)).policies)
    assert {policy for _, policy in found.policies} == {policy for _, policy in read_policies(Document("h", HABITS), "millbrook").policies}


def test_a_file_that_is_there_is_not_replaced_unasked(save: Path, tmp_path: Path) -> None:
    file = tmp_path / "policies.yaml"
    file.write_text("mine")
    code, said = run("export", str(save), str(file))
    assert (code, file.read_text()) == (1, "mine")
    assert "--force" in said
    assert run("export", str(save), str(file), "--force")[0] == 0


def test_the_list_shows_whose_they_are_and_what_they_need(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    code, said = run("list", str(save))
    assert code == 0
    assert "millbrook:green:lawn:flower_bed is dry" in said
    assert "everybody" in said
    assert "mara_voss" in said


def test_a_mistake_or_what_does_not_fit_the_town_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "policies.yaml"
    file.write_text(HABITS.replace("flower_bed, is: dry", "flower_bed, is: dri"), encoding="utf-8")
    code, said = run("check", str(file), "--town", "millbrook")
    assert code == 1
    assert f"{file}:2: The policy for 'tend the garden' is left out" in said
    assert run("check", str(file))[0] == 0
    file.write_text(HABITS.replace("minutes: 30", "minutes: -3"), encoding="utf-8")
    code, said = run("check", str(file))
    assert code == 1
    assert f"{file}:8:" in said


def test_a_town_comes_with_the_policies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "personas").mkdir()
    (tmp_path / "town.yaml").write_text(town().text, encoding="utf-8")
    for persona in personas():
        (tmp_path / persona.name).write_text(persona.text, encoding="utf-8")
    assert find_cast(str(tmp_path)).policy_files == ()
    (tmp_path / "policies.yaml").write_text(HABITS, encoding="utf-8")
    cast = find_cast(str(tmp_path))
    assert [document.text for document in cast.policy_files] == [HABITS]
    assert chosen_policies(cast, None, False) == cast.policy_files
    assert chosen_policies(cast, None, True) == ()
    assert [document.name for document in chosen_policies(cast, tmp_path / "policies.yaml", False)] == [str(tmp_path / "policies.yaml")]
    with pytest.raises(BadInput):
        chosen_policies(cast, tmp_path / "policies.yaml", True)
