"""The demo exported without a server of its own, and the export run: npc-server is found, and the town is played."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.godot.conftest import PROJECT, user_folder, with_server_on_path
from tests.godot.test_real_server import PEOPLE, REAL, told
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot
E_MACHINE = 18
"""Where an ELF file names its processor, in two bytes."""
NONE: Mapping[str, str] = {}


def unpacked_folder(godot: str) -> Path | None:
    """The folder of a Godot that scripts/get_godot.sh unpacked; None for any other Godot."""
    folder = Path(godot).resolve().parent
    return folder if (folder / "usr" / "bin" / "godot-template-release").is_file() else None


def start_command(game: Path, unpacked: Path | None) -> list[str]:
    """Unpacked Debian templates need the loader they came with. Godot finds its .pck by the name of what was started, so the loader
    gets the game's name."""
    if unpacked is None:
        return [str(game)]
    libraries = next(unpacked.glob("usr/lib/*/libc.so.6")).parent
    real = game.with_suffix(".real")
    game.rename(real)
    shutil.copy(next(libraries.glob("ld-linux-*.so.*")), game)
    paths = ":".join(str(libraries / name) for name in ("", "pulseaudio", "blas", "lapack"))
    return [str(game), "--library-path", paths, str(real)]


def template_of(godot: str) -> Path | None:
    """The export template of a Godot that scripts/get_godot.sh unpacked; None for any other Godot, which finds its own."""
    unpacked = unpacked_folder(godot)
    return unpacked / "usr" / "bin" / "godot-template-release" if unpacked is not None else None


def export(
    godot: str,
    project: Path,
    game: Path,
    settings: Mapping[str, str] = NONE,
    template: Path | None = None,
    kind: str = "release",
    code: int = 0,
) -> str:
    """Exports with the preset `Linux` of the project, and returns what Godot said. `settings` are for the npc-server that it runs.

    Godot must end with the exit `code`. Debian has a template for releases only, so a debug export takes that, too.
    """
    unpacked, presets = unpacked_folder(godot), project / "export_presets.cfg"
    if used := template or template_of(godot):
        line = f'custom_template/{kind}="{used}"'
        presets.write_text(re.sub(rf"custom_template/{kind}=.*", lambda _: line, presets.read_text()))
    game.parent.mkdir(exist_ok=True)
    command = [godot, "--headless", "--path", str(project), f"--export-{kind}", "Linux", str(game)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env={**os.environ, **with_server_on_path(), **settings}
    )
    said = done.stdout + done.stderr
    if unpacked is None and "template" in said and not game.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip("This Godot has no export templates: install them in its editor, or set GODOT to the one of scripts/get_godot.sh.")
    assert done.returncode == code, said
    return said


def test_an_export_for_another_processor_says_which_command_makes_its_bundle(godot: str, tmp_path: Path) -> None:
    project, game = tmp_path / "project", tmp_path / "game" / "town.arm64"
    shutil.copytree(PROJECT, project)
    presets, mine = project / "export_presets.cfg", template_of(godot)
    if mine is None:
        pytest.skip("Only the template that scripts/get_godot.sh unpacks is known here.")
    other, number = ("arm64", 183) if platform.machine() == "x86_64" else ("x86_64", 62)
    presets.write_text(re.sub(r"binary_format/architecture=.*", f'binary_format/architecture="{other}"', presets.read_text()))
    its = tmp_path / "template"
    elf = bytearray(mine.read_bytes())
    elf[E_MACHINE : E_MACHINE + 2] = number.to_bytes(2, "little")
    its.write_bytes(elf)
    said = export(godot, project, game, template=its, code=1)
    name = "linux-arm64" if other == "arm64" else "linux"
    assert f"The characters of this game have no minds: there is no bundle for {name} in " in said
    assert f"--platform {name} --python ARCHIVE" in said
    assert not (game.parent / "npc-server").exists()
    with presets.open("a") as file:
        file.write("npc/take_server_along=false\n")
    said = export(godot, project, game, template=its)  # who wants no server for the game gets none, and that is no failure
    assert "The exported game looks for npc-server on its PATH" in said


@pytest.mark.parametrize("transport", ["socket", pytest.param("auto", marks=pytest.mark.slow)], indirect=True)
def test_exported_town_runs_and_is_played(godot: str, tmp_path: Path, transport: str) -> None:
    """With `auto` the native library goes along. The game takes the socket, because nothing names a Python for the library."""
    project, game = tmp_path / "project", tmp_path / "game" / "town.x86_64"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("bin", ".godot") if transport == "socket" else None)
    presets = project / "export_presets.cfg"
    assert ".yaml" in presets.read_text()
    without = presets.read_text().replace("demo/towns/*.yaml,", "")  # the addon takes along what its settings name
    presets.write_text(f"{without}npc/take_server_along=false\n")
    former = game.parent / "npc-server"
    former.mkdir(parents=True)
    said = export(godot, project, game)
    assert "The exported game looks for npc-server on its PATH" in said
    assert f"{former} is of an earlier export" in said
    former.rmdir()  # nothing was put into it
    shutil.rmtree(project)  # the game must not reach back into the project
    beside = {path.name for path in game.parent.rglob("*")}
    library = {"libnpc_bridge.so", "npc_bridge.zip", "npc_bridge.pth"}
    assert (library & beside, "town.pck" in beside) == (library if transport == "auto" else set(), True)
    assert "npc_bridge.path" not in beside, "it names folders of the developer"

    command = [*start_command(game, unpacked_folder(godot)), "--headless", "--", "--quit-after-stored=20"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env={**os.environ, **user_folder(tmp_path), **REAL}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SCRIPT ERROR" not in done.stderr, done.stderr
    bodies = " ".join(body for _, _, body in told(tmp_path))  # the clock and path results are not kept as events
    assert all(npc in bodies for npc in PEOPLE)
