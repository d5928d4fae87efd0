"""The quick start, in 2D and in 3D, followed by the letter: an empty project, the addon's zip, a real editor, and a person that answers.

No compiler is on the PATH."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.godot.conftest import ROOT, copy_addon, user_folder, without_compiler
from tests.godot.display import display
from tests.godot.test_real_server import NO_MODEL
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
DRIVER = Path(__file__).with_name("first_person")
PROJECT = """config_version=5

[application]
config/name="Harbor Tale"
config/features=PackedStringArray("4.4")

[debug]
gdscript/warnings/untyped_declaration=2

[editor_plugins]
enabled=PackedStringArray("res://addons/first_person/plugin.cfg")

[rendering]
renderer/rendering_method="gl_compatibility"
"""
PLUGIN = '[plugin]\nname="first person"\ndescription="drives the editor"\nauthor="tests"\nversion="1"\nscript="plugin.gd"\n'
BROKEN = re.compile(r"SCRIPT ERROR|Parse Error|Cannot get class|Failed to load script|Compile Error")


PAGES = ("quickstart.md", "3d.md")
"""The page with a first character in 2D, and that with one in 3D."""


def files_of_the_page(page: str = "quickstart.md") -> dict[str, str]:
    """The page's files by their paths: blocks that begin with a comment that names one. The page for 3D takes those of the quick start."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    if page == "3d.md":
        assert "Do steps 1 to 3 of the [quick start](quickstart.md)" in text
        assert "script of the quick start" in text
        files = files_of_the_page()
        return files | {"main.gd": files["main.gd"].replace("extends Node2D", "extends Node3D")}
    return dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def empty_project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "project.godot").write_text(PROJECT)
    return folder


def follow(project: Path, page: str = "quickstart.md") -> None:
    """What a reader copies and writes; the rest happens in the editor."""
    copy_addon(project)
    for path, text in files_of_the_page(page).items():
        target = project / (f"{path}.txt" if path.endswith(".gd") else path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    driver = project / "addons" / "first_person"
    driver.mkdir(parents=True)
    (driver / "plugin.cfg").write_text(PLUGIN)
    shutil.copy(DRIVER / "plugin.gd", driver)
    shutil.copy(DRIVER / "watch.gd.txt", project)


def run(command: list[str], environment: dict[str, str]) -> str:
    """What it printed. An editor that aborts before it runs a script begins again: on a busy machine its renderer cannot start a thread."""
    for _ in range(3):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        said = done.stdout + done.stderr
        if "DRIVER" in said or "std::system_error" not in said:
            break
    return said


@pytest.mark.parametrize("page", PAGES)
def test_page_names_a_town_a_person_and_a_script(page: str) -> None:
    assert set(files_of_the_page(page)) == {"people/town.yaml", "people/personas/rosa.yaml", "main.gd"}


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_project_becomes_a_person_that_answers(godot: str, tmp_path: Path, page: str) -> None:
    """NPC_SCREENSHOT_QUICKSTART names a folder to keep the pictures in."""
    project = empty_project(tmp_path / "game")
    follow(project, page)
    pictures = Path(os.environ.get("NPC_SCREENSHOT_QUICKSTART", tmp_path))
    kind = page.removesuffix(".md")
    editor, game = pictures / f"{kind}_editor.png", pictures / f"{kind}_game.png"
    with display() as screen:
        environment = {**os.environ, **user_folder(tmp_path), **NO_MODEL, **screen, **without_compiler(tmp_path / "programs")}
        environment["NPC_TEST_PICTURE"] = str(game)
        environment["NPC_TEST_EDITOR_PICTURE"] = str(editor)
        environment |= {"NPC_TEST_3D": "yes"} if page == "3d.md" else {}
        environment.pop("NPC_SERVER_COMMAND", None)
        # With a display: only then the editor compiles all scripts at once, before the plugin is enabled.
        start = [godot, "--audio-driver", "Dummy", "--rendering-driver", "opengl3", "--path", str(project)]
        said = run([*start, "--editor"], environment)
        assert "DRIVER ended \n" in said, said
        assert not BROKEN.search(said), said
        assert "DRIVER warnings []" in said, said
        played = run(start, environment)
    assert not BROKEN.search(played), played
    result = json.loads(next(line[7:] for line in played.splitlines() if line.startswith("RESULT ")))
    assert result["errors"] == [], played
    assert "Petrel" in result["answer"]
    assert f"Rosa: {result['answer']}" in played, "the page's own script does not print the answer"
    assert result["arrived"] == ["harbor:quay:market:stall"]
    assert editor.stat().st_size > 20_000
    assert game.stat().st_size > 2_000
    saves = tmp_path / "data" / "godot" / "app_userdata" / "Harbor Tale" / "npc_saves"
    assert list(saves.glob("default*")), "the save is not in the game's own folder"


def test_readme_of_the_addon_writes_the_files_of_the_quick_start() -> None:
    """Whoever has only the zip gets the first person that the tests follow."""
    readme = (ROOT / "godot_project" / "addons" / "npc" / "README.md").read_text(encoding="utf-8")
    written = dict(re.findall(r"^   ```\w+\n   # (\S+)\n(.*?)^   ```", readme, re.MULTILINE | re.DOTALL))
    assert {path: re.sub(r"^   ", "", text, flags=re.MULTILINE) for path, text in written.items()} == files_of_the_page()
