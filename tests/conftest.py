"""No test thinks with a model that it does not name, and none meets a deadline of the product that it does not set itself."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from pathlib import Path

os.environ.setdefault("NPC_SERVER_ENGINE__MODEL", "none")
for deadline in ("ENGINE__DEADLINE_S", "ENGINE__PLAYER_DEADLINE_S", "ENGINE__HANG_S"):
    os.environ.setdefault(f"NPC_SERVER_{deadline}", "3600")

import pytest  # noqa: E402
import structlog  # noqa: E402

from npc_server.bundle.make import make_bundle  # noqa: E402
from tests.minds import first_word_by, make_mind, persona, world  # noqa: E402, F401
from tests.real_models import qwen_05b, qwen_15b  # noqa: E402, F401

# Rich draws the traceback of a mind with all its locals, which takes seconds. `reset_defaults` gives back this renderer.
structlog.get_config()["processors"][-1].exception_formatter = structlog.dev.plain_traceback

WITHOUT_COMPILED = re.compile(r"ModuleNotFoundError: (No module named 'llama_cpp'|import of llama_cpp halted)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share something which takes long to make run in one process of pytest-xdist; first, since that reads the groups.

    These are the tests of a file with Godot, those that take along a bundle, and those with real models, which share the processor. The
    first of the last may have to pull the model.
    """
    for item in items:
        if "bundle_without_models" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("bundle"))
        elif "godot" in item.keywords:
            item.add_marker(pytest.mark.xdist_group(f"godot {item.path.stem}"))
        elif "real_model" in item.keywords:
            item.add_marker(pytest.mark.xdist_group("real_model"))
        if "real_model" in item.keywords and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(1800))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Where nothing is compiled, as on the runners with Windows and macOS, modules about the compiled llama.cpp are skipped."""
    report = yield
    if report.outcome == "failed" and WITHOUT_COMPILED.search(str(report.longrepr)):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, "Skipped: llama-cpp-python is not installed")
    return report


@pytest.fixture(scope="session")
def bundle_without_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real bundle, made once: all its tests run in one process. Nobody writes to it."""
    folder = tmp_path_factory.mktemp("made") / "npc-server"
    make_bundle(folder, None)
    return folder
