"""Getting the server in a real editor: from a folder, from an address, with pip, and what is said where that fails."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import ADDON, ROOT, user_folder
from tests.godot.display import display
from tests.godot.importing import import_project
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot
PROJECT = """config_version=5

[application]
config/name="getter"

[editor_plugins]
enabled=PackedStringArray("res://addons/npc/plugin.cfg", "res://addons/probe/plugin.cfg")
"""
PLUGIN = '[plugin]\nname="probe"\ndescription="d"\nauthor="a"\nversion="1"\nscript="plugin.gd"\n'
PROBE = """@tool
extends EditorPlugin


func _enter_tree() -> void:
	look.call_deferred()


func look() -> void:
	var calm := 0
	while calm < 20:
		await get_tree().process_frame
		calm = 0 if EditorInterface.get_resource_filesystem().is_scanning() else calm + 1
	var dialog: AcceptDialog = (load("res://addons/npc/npc_get_dialog.gd") as GDScript).new()
	EditorInterface.get_base_control().add_child(dialog)
	var getter: NpcGetter = dialog.find_children("*", "NpcGetter", true, false)[0]
	var steps: Array = JSON.parse_string(OS.get_environment("STEPS"))
	for step: Array in steps:
		var told := PackedStringArray()
		var tell := func(text: String, _share: float) -> void: told.append(text)
		getter.progressed.connect(tell)
		var error: Array = [true]
		getter.finished.connect(func(found: NpcError) -> void: error[0] = found, CONNECT_ONE_SHOT)
		getter.callv(str(step[0]), step.slice(1))
		while error[0] is bool:
			await get_tree().process_frame
		getter.progressed.disconnect(tell)
		var found := {"error": "" if error[0] == null else str((error[0] as NpcError).message), "told": Array(told), "note": getter.note}
		print("GOT ", JSON.stringify(found.merged({"words": Array(NpcProgram.find().words), "looked": Array(NpcProgram.find().looked)})))
	dialog.queue_free()
	get_tree().quit()
"""
WATCH = """@tool
extends EditorPlugin


func _enter_tree() -> void:
	look.call_deferred()


func look() -> void:
	var calm := 0
	while calm < 60:
		await get_tree().process_frame
		calm = 0 if EditorInterface.get_resource_filesystem().is_scanning() else calm + 1
	var dialogs := EditorInterface.get_base_control().find_children("*", "AcceptDialog", true, false)
	var is_shown := func(it: AcceptDialog) -> bool: return it.title == "Get npc-server" and it.visible
	print("ASKS ", dialogs.any(is_shown))
	get_tree().quit()
"""
SERVER = "#!/bin/sh\n[ \"$1\" = version ] && echo 'npc-server 0.1.0'\n"


def a_project(folder: Path, probe: str) -> Path:
    """A project with the addon and a plugin that looks at it."""
    project = folder / "project"
    shutil.copytree(ADDON, project / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge"))
    plugin = project / "addons" / "probe"
    plugin.mkdir()
    (plugin / "plugin.cfg").write_text(PLUGIN)
    (plugin / "plugin.gd").write_text(probe)
    (project / "project.godot").write_text(PROJECT)
    return project


def without_server(folder: Path) -> dict[str, str]:
    """An environment whose PATH has no npc-server."""
    path = os.pathsep.join(it for it in os.environ["PATH"].split(os.pathsep) if not (Path(it) / "npc-server").exists())
    env = {**os.environ, **user_folder(folder), "PATH": path}
    return {name: value for name, value in env.items() if name not in ("NPC_SERVER_COMMAND", "PYTHONPATH")}


def editor(godot: str, folder: Path, *steps: list[Any]) -> list[dict[str, Any]]:
    """Runs each step in an editor, and returns what came of it."""
    project, env = a_project(folder, PROBE), {**without_server(folder), "STEPS": json.dumps(steps)}
    import_project(godot, project, env)
    command = [godot, "--headless", "--editor", "--path", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=env)
    said = done.stdout + done.stderr
    assert "SCRIPT ERROR" not in said, said
    found = [json.loads(line.removeprefix("GOT ")) for line in said.splitlines() if line.startswith("GOT ")]
    assert len(found) == len(steps), said
    return found


def a_bundle(folder: Path) -> Path:
    """A stand-in with a program that only says its version."""
    (folder / "python" / "bin").mkdir(parents=True)
    (folder / "npc-server").write_text(SERVER)
    (folder / "npc-server").chmod(0o755)
    (folder / "python" / "bin" / "python3").write_text("")
    (folder / "bundle.json").write_text("{}")
    return folder


def zipped(folder: Path, file: Path) -> str:
    """The folder in a zip, and its checksum."""
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server of this machine, and the folder whose files it gives away."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    thread.join()
    server.server_close()


def test_server_comes_from_a_folder_and_is_found(godot: str, tmp_path: Path) -> None:
    bundle, empty, broken = a_bundle(tmp_path / "a bundle"), tmp_path / "empty", a_bundle(tmp_path / "broken")
    empty.mkdir()
    (broken / "npc-server").write_text("#!/bin/sh\necho 'no such library'\nexit 1\n")
    nothing, fails, works = editor(godot, tmp_path, ["from_folder", str(empty)], ["from_folder", str(broken)], ["from_folder", str(bundle)])
    assert nothing["error"].startswith(f"There is no npc-server in {empty}. Choose a bundle")
    assert any("Get npc-server got (nothing)" in place for place in nothing["looked"])
    assert "does not start: no such library. Get one for this system." in fails["error"]
    assert fails["words"] == []
    assert (works["error"], works["words"]) == ("", [str(bundle / "npc-server")])
    assert not list((tmp_path / "project").rglob("npc_server.json")), "it would go into the developer's repository"


def test_server_comes_from_an_address_with_the_right_checksum_alone(godot: str, tmp_path: Path, served: tuple[str, Path]) -> None:
    url, folder = served
    sum_ = zipped(a_bundle(tmp_path / "npc-server-0.1.0-linux"), folder / "b.zip")
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").write_text("x")
    no_bundle = zipped(other, folder / "x.zip")
    steps = [
        ["from_url", "http://example.org/b.zip", sum_],
        ["from_url", f"{url}/b.zip", "abc"],
        ["from_url", f"{url}/missing.zip", sum_],
        ["from_url", f"{url}/b.zip", "0" * 64],
        ["from_url", f"{url}/x.zip", no_bundle],
        ["from_url", f"{url}/b.zip", sum_.upper()],
    ]
    plain, short, missing, wrong, strange, works = editor(godot, tmp_path, *steps)
    assert "does not begin with https://" in plain["error"]
    assert "'abc' is no SHA-256" in short["error"]
    assert "cannot be downloaded (HTTP 404" in missing["error"]
    assert f"has the SHA-256 {sum_}, not {'0' * 64}." in wrong["error"]
    assert "is no bundle of npc-server" in strange["error"]
    assert all(it["words"] == [] for it in (plain, short, missing, wrong, strange))
    assert works["error"] == ""
    (program,) = works["words"]
    assert program.endswith("/npc_server/npc-server")
    assert Path(program).stat().st_mode & 0o111, "the zip's programs are no programs any more"
    assert "Unpacking" in works["told"]
    assert not list(tmp_path.rglob("npc_server.zip")), "what was downloaded is not removed"


WHEEL_PROGRAM = """
import os, sys


def main():
    words = " ".join(sys.argv[1:])
    with open(os.environ["ASKED"], "a") as asked:
        print(words, file=asked)
    print("npc-server 0.1.0" if words == "version" else "no network")
    sys.exit(words in os.environ["BROKEN"].split(","))
"""
"""Notes what it was asked, and fails at the commands that BROKEN names."""


def a_wheel(folder: Path) -> None:
    """npc-server as a wheel with one command, which says its version."""
    folder.mkdir()
    info = "npc_server-0.1.0.dist-info"
    files = {
        "npc_server.py": WHEEL_PROGRAM,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: npc-server\nVersion: 0.1.0\nProvides-Extra: prebuilt\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nnpc-server = npc_server:main\n",
    }
    with zipfile.ZipFile(folder / "npc_server-0.1.0-py3-none-any.whl", "w") as archive:
        for name, text in {**files, f"{info}/RECORD": "".join(f"{name},,\n" for name in files)}.items():
            archive.writestr(name, text)


def test_server_comes_with_pip_into_the_folder_of_the_user_and_makes_its_models(
    godot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_wheel(tmp_path / "wheels")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("BROKEN", "model pull npc-rerank")
    offline = ["--no-index", "--find-links"]
    fails, works = editor(
        godot, tmp_path, ["by_pip", [*offline, str(tmp_path / "nowhere")]], ["by_pip", [*offline, str(tmp_path / "wheels")]]
    )
    assert "pip cannot install npc-server[prebuilt]: No matching distribution found" in fails["error"]
    assert works["error"] == ""
    (program,) = works["words"]
    assert program.startswith(str(tmp_path / "data")), "it lies outside of user://"
    assert any(text.startswith("pip installs npc-server: ") for text in works["told"]), "pip's progress is not shown"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["version", "model make-embedder", "model prepare-exchanges", "model pull npc-rerank"]
    assert works["note"] == (f"What reads answers again is missing (no network). Run in a terminal: {program} model pull npc-rerank"), (
        "a model that cannot be made is not told, or is told as more than that"
    )
    setup = (ROOT / "scripts" / "setup.sh").read_text()
    assert all(f"npc-server {words}" in setup for words in asked[1:]), "it makes other models than make install"


def test_without_a_python_it_says_what_to_install(godot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "bin"
    old.mkdir()
    for name in ("python3", "python"):
        (old / name).write_text("#!/bin/sh\necho 3.8.10\n")
        (old / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(old), os.environ["PATH"]]))
    (found,) = editor(godot, tmp_path, ["by_pip"])
    assert "There is no Python 3.10 or newer here that has venv. Install one (on Debian: python3 and python3-venv)" in found["error"]


def test_the_python_of_the_tests_suits() -> None:
    """The line with which the addon asks a Python is one that Python understands."""
    line = next(it for it in (ADDON / "npc_getter.gd").read_text(encoding="utf-8").splitlines() if it.startswith("const SUITS"))
    code = line.partition('"')[2].rpartition('"')[0]
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "suits\n"


@pytest.mark.slow
def test_editor_asks_once_where_there_is_no_server(godot: str, tmp_path: Path) -> None:
    project = a_project(tmp_path, WATCH)
    with (project / "project.godot").open("a") as file:
        file.write('\n[rendering]\nrenderer/rendering_method="gl_compatibility"\n')
    said = []
    with display() as screen:
        env = {**without_server(tmp_path), **screen}
        subprocess.run([godot, "--headless", "--path", str(project), "--import"], capture_output=True, timeout=LIMIT_S, check=True, env=env)
        for _ in range(2):
            command = [godot, "--audio-driver", "Dummy", "--rendering-driver", "opengl3", "--path", str(project), "--editor"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=env)
            said += [line for line in done.stdout.splitlines() if line.startswith("ASKS ")]
    assert said == ["ASKS true", "ASKS false"]
