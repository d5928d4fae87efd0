"""A server that thinks, in an environment with Python alone: no compiler, no make, no git.

pytest -m slow tests/test_prebuilt.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.in_the_box import EMBEDDER, needs_embedder

pytestmark = [pytest.mark.slow, pytest.mark.real_model]
ROOT = Path(__file__).parents[1]
THINKS = """
import asyncio, sys
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
    settings = EngineSettings(model=model, embedding_model=embedding, models_folder=Path("models"), deadline_s=600, hang_s=600)
    engine, embedder = await open_engine(settings), await open_embedder(settings)
    scores = await embedder.answers("Is the oven warm?", ["Yes, the oven is cold.", "The ship sails at dawn."])
    assert scores[0] > scores[1], scores
    pieces = []
    asked = Request("You are Mara, a baker.", "Good morning! What do you sell?", one(Said), 1, free=True, one_line=True, max_tokens=30)
    done = await engine.complete(asked, pieces.append)
    assert done.text == "".join(pieces) and len(pieces) > 1, pieces
    print("runs with", engine.process.facts["library"], "and says", done.text)
    await engine.close()
    await embedder.close()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with `npc-server[prebuilt]`, installed from wheels alone."""
    folder = tmp_path_factory.mktemp("prebuilt")
    python = folder / "env" / "bin" / "python"
    source = folder / "source"
    shutil.copytree(ROOT / "npc_server", source / "npc_server", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    try:
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True, capture_output=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "hatchling"], check=True, capture_output=True, text=True)
        wheel = [str(python), "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)]
        subprocess.run(wheel, check=True, capture_output=True, text=True)
        (built,) = folder.glob("npc_server-*.whl")
        install = [str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", f"npc-server[prebuilt] @ {built.as_uri()}"]
        subprocess.run(install, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"npc-server[prebuilt] cannot be installed here: {str(error.stderr)[-300:]}")
    return python


def alone(python: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with nothing else on the PATH and nobody's settings."""
    nothing = folder / "nothing"
    nothing.mkdir(exist_ok=True)
    kept: Sequence[str] = ("SSL_CERT_FILE", "LANG")
    environment = {"PATH": str(nothing), "HOME": str(folder), **{name: os.environ[name] for name in kept if name in os.environ}}
    return subprocess.run([python, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=550)


@needs_embedder
def test_server_thinks_with_python_alone(python: Path, tmp_path: Path, qwen_05b: Path) -> None:
    ran = alone(python, tmp_path, "-c", THINKS, str(qwen_05b), str(EMBEDDER))
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "runs with {'xllamacpp'" in ran.stdout


def test_setup_says_what_runs_models(python: Path, tmp_path: Path, qwen_05b: Path) -> None:
    (tmp_path / "npc-server.toml").write_text(f'[engine]\nmodel = "{qwen_05b}"\nmodels_folder = "{tmp_path / "models"}"\n')
    ran = alone(python, tmp_path, "-c", "from npc_server.cli import main; main()", "setup")
    assert "tokens a second here, with xllamacpp, prebuilt." in ran.stdout, ran.stdout + ran.stderr


def test_nothing_compiled_is_needed_to_import_what_serves(python: Path, tmp_path: Path) -> None:
    code = "import npc_server.rpc.serve, npc_server.cli, npc_server.llm.served.open, sys; assert 'llama_cpp' not in sys.modules"
    ran = alone(python, tmp_path, "-c", code)
    assert ran.returncode == 0, ran.stderr[-2000:]
