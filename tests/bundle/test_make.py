"""A real bundle, moved about and used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from npc_server.bundle.make import make_bundle, rare_features
from npc_server.bundle.native import BASE_SYSTEM
from npc_server.bundle.place import read_mark
from tests.waiting import LIMIT_S

LOOK = """
import sys, json
sys.path.append(sys.argv[1])
import llama_cpp, npc_server.rpc.serve, npc_server.llm.chat_worker
from npc_server.llm.process import _command
files = [module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
mapped = [line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if "/" in line]
print(json.dumps({"files": files, "mapped": sorted(set(mapped)), "path": sys.path, "child": _command()}))
"""


@pytest.fixture
def moved(bundle_without_models: Path, tmp_path: Path) -> Path:
    """The bundle in a folder with spaces and letters of other languages, with other times, as after unpacking."""
    folder = tmp_path / "Zoës Spiele" / "npc server"
    shutil.copytree(bundle_without_models, folder, copy_function=shutil.copy)
    return folder


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_runs_where_it_was_moved_to_with_nothing_of_the_environment(moved: Path, tmp_path: Path) -> None:
    assert run([str(moved / "npc-server"), "version"]) == run(
        [sys.executable, "-c", "import npc_server; print(npc_server.__version__)"], **os.environ
    )
    traps = {"PYTHONHOME": "/nowhere", "PYTHONPATH": str(tmp_path), "PYTHONUSERBASE": str(tmp_path)}
    (tmp_path / "npc_server.py").write_text("raise SystemExit(3)")
    assert run([str(moved / "npc-server"), "version"], **traps)


def test_it_runs_by_a_link_and_from_its_own_folder(moved: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "npc").symlink_to(moved / "npc-server")
    (tmp_path / "bin" / "npc-server").symlink_to("../links/npc")
    said = run([str(moved / "npc-server"), "version"])
    assert run([str(tmp_path / "bin" / "npc-server"), "version"]) == said
    assert run(["sh", "-c", f"cd '{tmp_path}/bin' && sh npc-server version"], PATH=os.environ["PATH"]) == said
    assert run(["sh", "-c", f"cd '{moved}' && sh npc-server version"], PATH=os.environ["PATH"]) == said


def test_all_that_the_server_and_its_model_process_load_lies_in_it(moved: Path) -> None:
    python = str(moved / "python" / "bin" / "python3")
    libraries = "$ORIGIN/../lib:$ORIGIN/../lib/native"
    found = json.loads(run([python, "-I", "-c", LOOK, str(moved / "packages")], LD_LIBRARY_PATH=libraries))
    assert [path for path in found["files"] if not path.startswith(str(moved))] == []
    outside = [path for path in found["mapped"] if not path.startswith(str(moved)) and ".so" in path]
    assert [path for path in outside if not BASE_SYSTEM.fullmatch(Path(path).name) and not path.endswith(".cache")] == []
    assert all(path.startswith(str(moved)) for path in found["path"])
    assert found["child"][:2] == [python, "-I"], "the model process would listen to the player's PYTHONPATH"


def test_compiled_files_stay_valid_and_name_no_folder_of_this_machine(moved: Path, bundle_without_models: Path) -> None:
    before = sorted(path for path in moved.rglob("*"))
    run([str(moved / "npc-server"), "model", "list"])
    assert sorted(path for path in moved.rglob("*")) == before
    compiled = next(moved.rglob("clock.cpython-*.pyc")).read_bytes()
    assert compiled[4] == 1, "its validity depends on times"
    assert b"/npc-server/packages/npc_server/clock.py" in compiled
    assert str(bundle_without_models.parent).encode() not in compiled


def test_licences_lie_in_it(bundle_without_models: Path) -> None:
    licences = {path.name for path in (bundle_without_models / "licences").iterdir()}
    assert {"python.txt", "npc-server.txt", "models.txt", "models-notice.txt", "packages.txt"} <= licences
    assert list(bundle_without_models.glob("packages/grpcio-*.dist-info/**/LICENSE"))
    assert not list(bundle_without_models.rglob("direct_url.json"))


def test_an_up_to_date_bundle_stays_as_it_is(bundle_without_models: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in bundle_without_models.rglob("*")}
    again = make_bundle(bundle_without_models, None)
    assert not again.is_new
    assert again.mark == read_mark(bundle_without_models)
    assert again.mark.glibc > 16
    assert {path: path.stat().st_mtime_ns for path in bundle_without_models.rglob("*")} == before


def test_what_only_some_processors_have_is_named() -> None:
    assert rare_features("CPU : AVX2 = 1 | FMA = 1 | AVX512 = 1 | AVX512_VNNI = 0 | AMX_INT8 = 1 | LLAMAFILE = 1 | ") == (
        "AVX512",
        "AMX_INT8",
    )
    assert rare_features("CPU : NEON = 1 | AVX2 = 1 | ") == ()
