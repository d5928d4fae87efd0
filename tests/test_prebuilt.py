"""A server that thinks, in a bare root with Python alone: no compiler, no headers, no make, no git, no shell."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.in_the_box import EMBEDDER, needs_embedder

pytestmark = [pytest.mark.real_model, pytest.mark.xdist_group("prebuilt"), pytest.mark.timeout(900)]
ROOT = Path(__file__).parents[1]
TALKS = """
import asyncio, json, sys
from pathlib import Path
from npc_server.config import EngineSettings
from npc_server.llm.engine import Request
from npc_server.llm.reply import Text, one
from npc_server.llm.start import open_embedder, open_engine
from dataclasses import dataclass
from typing import Annotated

@dataclass(frozen=True)
class Said:
    text: Annotated[str, Text(200)]

async def main(model, embedding):
    settings = EngineSettings(model=model, embedding_model=embedding, models_folder=Path("models"), deadline_s=900, hang_s=900)
    engine, embedder = await open_engine(settings), await open_embedder(settings)
    scores = await embedder.answers("Is the oven warm?", ["Yes, the oven is cold.", "The ship sails at dawn."])
    assert scores[0] > scores[1], scores
    pieces = []
    asked = Request("You are Mara, a baker.", "Good morning! What do you sell?", one(Said), 1, free=True, one_line=True, max_tokens=30)
    done = await engine.complete(asked, pieces.append)
    assert done.text == "".join(pieces) and len(pieces) > 1, pieces
    likely, other = await engine.score(asked, "", [done.text, "The ship sails at dawn."])
    assert likely.logprob / likely.tokens > other.logprob / other.tokens, (likely, other)
    print("runs with", engine.process.facts["library"], "and says", done.text)
    await engine.close()
    await embedder.close()

asyncio.run(main(*sys.argv[1:]))
"""
COMMAND = "from npc_server.cli import main; main()"
LINES = "What do you think of the sea?\nWhat would you do with a thousand coins?\nWho taught you to bake, and how?\n/quit\n"
"""Memory and the bank may win one of them."""
BARE = ("/usr/include", "/usr/lib/gcc", "/usr/libexec", "/usr/local", "/usr/sbin", "/opt", "/usr/bin")
"""Folders of the system that a bare root has not. That with `mount` comes last."""
HIDE = 'mount=$1; shift; for folder; do [ "$folder" = -- ] && break; "$mount" -t tmpfs none "$folder"; shift; done; shift; exec "$@"'
"""A shell that hides folders from the command after `--`, in a namespace of its own."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with `npc-server[prebuilt]`, installed from wheels alone."""
    folder = tmp_path_factory.mktemp("prebuilt")
    python = folder / "env" / "bin" / "python"
    try:
        runpy.run_path(str(ROOT / "scripts" / "release.py"))["make_packages"](folder)
        (built,) = folder.glob("npc_server-*.whl")
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True, capture_output=True, text=True)
        install = [str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", f"npc-server[prebuilt] @ {built.as_uri()}"]
        without = {**os.environ, "PATH": str(folder / "nothing")}
        subprocess.run([*bare_root(), *install], check=True, capture_output=True, text=True, env=without)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"npc-server[prebuilt] cannot be installed here: {str(error.stderr)[-300:]}")
    except SystemExit as error:
        pytest.skip(str(error))
    return python


@cache
def bare_root() -> Sequence[str]:
    """A prefix of a command that hides programs and headers from it; empty where this system does not let us."""
    used = Path(sys.base_prefix)
    folders = [it for it in BARE if Path(it).is_dir() and not used.is_relative_to(it) and (it, str(used)) != ("/usr/bin", "/usr")]
    headers = sysconfig.get_path("include")
    unshare, mount = shutil.which("unshare"), shutil.which("mount")
    if unshare is None or mount is None:
        return []
    hidden = [*([headers] if Path(headers).is_dir() else []), *folders]
    words = [unshare, "--map-root-user", "--mount", "/bin/sh", "-c", HIDE, "sh", mount, *hidden, "--"]
    works = subprocess.run([*words, sys.executable, "-c", ""], capture_output=True, check=False).returncode == 0
    return words if works else []


def alone(python: Path, folder: Path, *arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    """Runs Python in the bare root, with nothing else on the PATH and nobody's settings."""
    nothing = folder / "nothing"
    nothing.mkdir(exist_ok=True)
    kept: Sequence[str] = ("SSL_CERT_FILE", "LANG")
    environment = {"PATH": str(nothing), "HOME": str(folder), **{name: os.environ[name] for name in kept if name in os.environ}}
    command = [*bare_root(), str(python), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, input=lines, capture_output=True, text=True, timeout=1500, check=False)


def test_nothing_in_the_root_compiles_fetches_or_holds_headers(python: Path, tmp_path: Path) -> None:
    if not bare_root():
        pytest.skip("this system lets nobody hide folders")
    code = """
import shutil, sysconfig, pathlib
path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
names = ("cc", "gcc", "c++", "g++", "clang", "make", "cmake", "ninja", "git", "sh", "curl")
print([name for name in names if shutil.which(name, path=path)])
print(pathlib.Path("/usr/include/stdio.h").exists(), (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists())
"""
    ran = alone(python, tmp_path, "-c", code)
    assert ran.stdout.splitlines() == ["[]", "False False"], ran.stdout + ran.stderr


@needs_embedder
def test_server_thinks_with_python_alone(python: Path, tmp_path: Path, qwen_05b: Path) -> None:
    ran = alone(python, tmp_path, "-c", TALKS, str(qwen_05b), str(EMBEDDER))
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "runs with {'xllamacpp'" in ran.stdout


def test_person_in_a_talk_says_a_line_of_the_model(python: Path, tmp_path: Path, qwen_05b: Path) -> None:
    waits = "".join(f"{name} = 1200\n" for name in ("first_word_s", "player_deadline_s", "deadline_s", "hang_s"))
    models = f'model = "{qwen_05b}"\nembedding_model = "none"\nmodels_folder = "{tmp_path / "models"}"\n'
    (tmp_path / "npc-server.toml").write_text(f"[engine]\n{models}{waits}")
    ran = alone(python, tmp_path, "-c", COMMAND, "talk", "mara_voss", "--sources", lines=LINES)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "(by the model)" in ran.stdout, ran.stdout + ran.stderr[-2000:]


def test_setup_says_what_runs_models(python: Path, tmp_path: Path, qwen_05b: Path) -> None:
    (tmp_path / "npc-server.toml").write_text(f'[engine]\nmodel = "{qwen_05b}"\nmodels_folder = "{tmp_path / "models"}"\n')
    ran = alone(python, tmp_path, "-c", COMMAND, "setup")
    assert "tokens a second here, with xllamacpp, prebuilt." in ran.stdout, ran.stdout + ran.stderr


def test_nothing_compiled_is_needed_to_import_what_serves(python: Path, tmp_path: Path) -> None:
    code = "import npc_server.rpc.serve, npc_server.cli, npc_server.llm.served.open, sys; assert 'llama_cpp' not in sys.modules"
    ran = alone(python, tmp_path, "-c", code)
    assert ran.returncode == 0, ran.stderr[-2000:]
