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

from npc_eval.random_model import make_random_model
from npc_server.cli import setup as command
from npc_server.cli import step_up_line
from npc_server.cli.step_up_line import tell_of_step_up
from npc_server.config import EngineSettings, load_settings
from npc_server.errors import ModelMissing
from npc_server.llm import measure_here as measure_here_room
from npc_server.llm import models, speed_file, step_up
from npc_server.llm.best_here import NONE_FITS, NONE_HERE, named
from npc_server.llm.models import CatalogueModel, HubFile
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import MeasuredModel, Setup, keep_speed
from npc_server.llm.step_up import Machine, StepUp

SMALL = CatalogueModel("small", "chat", "small.gguf", 92, 470, "Apache-2.0", "It is here.", parameters_m=135, proposed=False, own_lines=0.6)
LARGE = CatalogueModel(
    "large", "chat", "large.gguf", 1, 2, "MIT", "It talks of the weather.", (HubFile("somebody/large"),), parameters_m=500, own_lines=0.7
)
SPEED = Speed(671.0, 106.0)
SETUP = Setup("a processor", 4, -1, "a build")
MEASURED = MeasuredModel("small.gguf", 92_000_000, 135, SETUP, SPEED)
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
    """A folder to start in, on a laptop whose catalogue has two models. The smaller one is here, and the settings are the default."""
    start = tmp_path / "game"
    start.mkdir()
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "small.gguf").write_bytes(b"x")
    monkeypatch.chdir(start)
    has_catalogue(monkeypatch, SMALL, LARGE)
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))
    monkeypatch.setattr(speed_file, "catalogue", models.catalogue)
    on_machine(monkeypatch, LAPTOP)
    is_measured(monkeypatch, SPEED)
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_FOLDER", str(tmp_path / "cache"))
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_URL", hub.url)
    monkeypatch.delenv("NPC_SERVER_ENGINE__MODEL", raising=False)
    return start


def has_catalogue(monkeypatch: pytest.MonkeyPatch, *entries: CatalogueModel) -> None:
    for room in (models, measure_here_room, speed_file):
        monkeypatch.setattr(room, "catalogue", lambda: entries)


def on_machine(monkeypatch: pytest.MonkeyPatch, machine: Machine) -> None:
    for room in (command, step_up_line, step_up):
        monkeypatch.setattr(room, "this_machine", lambda settings: machine)


def is_measured(monkeypatch: pytest.MonkeyPatch, speed: Speed | None) -> None:
    """Every model that is here has this speed, or none can be loaded."""

    async def measured(path: Path, settings: EngineSettings, log_file: Path | None) -> Speed | None:
        if speed is not None:
            keep_speed(settings.models_folder, path, 1, Setup.of(settings), speed)
        return speed

    monkeypatch.setattr(measure_here_room, "_measured", measured)


def run(*words: str) -> str:
    app = Typer()
    app.command()(command.setup)
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_it_says_which_model_is_used_and_why_and_proposes_a_better_one_and_gets_nothing_unasked(hub: Hub, folder: Path) -> None:
    said = run()
    assert "16.0 GB of memory, 8 cores, no graphics card that llama.cpp can use" in said
    assert "make setup GPU=vulkan" in said
    assert "small reads 671 and writes 106 tokens a second here, with llama-cpp-python, compiled here." in said
    assert "small is the best model here that this machine carries: it reads 671 and writes 106 tokens a second." in said
    assert "large (1 MB, MIT). It talks of the weather. An answer takes about 1 s." in said
    assert "Get it at any time: npc-server setup --yes" in said
    assert hub.asked == []
    assert list(folder.iterdir()) == []


def test_it_says_what_the_model_is_asked_in_a_small_and_in_a_large_town(monkeypatch: pytest.MonkeyPatch) -> None:
    is_measured(monkeypatch, Speed(45.0, 16.0))
    said = run()
    assert "With 3 people it has the time for answers to players, reactions near players, what stays of a talk and reflections." in said
    assert "Instinct does the day and talks among others." in said
    assert "With 25 people it has the time for answers to players and reactions near players." in said
    monkeypatch.setenv("NPC_SERVER_MIND__ASKED", "all")
    assert "has the time for" not in run()


def test_told_to_it_gets_the_model_measures_it_and_the_next_start_uses_it(hub: Hub, folder: Path) -> None:
    said = run("--yes")
    assert hub.asked == ["/somebody/large/resolve/main/large.gguf"]
    assert "large is the best model here that this machine carries" in said
    engine = load_settings().engine
    assert engine.takes_best
    assert named(engine).model == "large"
    assert models.resolve("large", engine.models_folder).read_bytes() == hub.data
    assert "Nothing better fits: the catalogue has no larger model." in run("--yes")
    assert len(hub.asked) == 1
    assert list(folder.iterdir()) == []


def test_asked_it_gets_the_model_only_after_a_yes(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    step = StepUp(LARGE, 2.0)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    for answer, gets in ((False, False), (True, True)):
        monkeypatch.setattr("typer.confirm", lambda question, default, answer=answer: answer)
        assert command._agreed(step) is gets


def test_without_a_network_it_says_so_and_the_model_that_is_here_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_URL", "http://127.0.0.1:9")
    assert "The download of 'large' stopped after 0 bytes" in run("--yes")
    assert named(load_settings().engine).model == "small"
    assert list(folder.iterdir()) == []


def test_a_model_that_is_named_stays_until_a_better_one_is_got_and_then_the_settings_name_that(hub: Hub, folder: Path) -> None:
    file = folder / "npc-server.toml"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPC_SERVER_ENGINE__MODEL", "small")
        assert "small stays." in run()
        said = run("--yes")
        assert "npc-server.toml says so now" in said
    assert file.read_text() == '[engine]\nmodel = "large"\n'
    assert "large stays: it is the best that fits." in run("--yes")
    assert len(hub.asked) == 1


def test_a_settings_file_that_somebody_wrote_is_left_alone(folder: Path) -> None:
    file = folder / "npc-server.toml"
    file.write_text('[engine]\nmodel = "small"\n')
    assert 'write model = "large" under [engine] in npc-server.toml' in run("--yes")
    assert file.read_text() == '[engine]\nmodel = "small"\n'


@pytest.mark.parametrize("chosen", ["http://127.0.0.1:8080/v1", "none"])
def test_who_chose_a_model_by_hand_keeps_it(hub: Hub, monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODEL", chosen)
    assert "stays: it was chosen in the settings." in run("--yes")
    assert hub.asked == []


def test_where_nothing_larger_fits_it_says_why(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    on_machine(monkeypatch, Machine(1000, 1))
    has_catalogue(monkeypatch, SMALL, replace(LARGE, memory_mb=501))
    said = run("--yes")
    assert "1 core, no graphics" in said
    assert "Nothing better fits: large needs 501 MB of memory, and a game leaves it 500 MB." in said
    assert hub.asked == []


def test_where_a_larger_model_would_be_slow_it_says_how_slow(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    has_catalogue(monkeypatch, SMALL, replace(LARGE, parameters_m=3000))
    is_measured(monkeypatch, Speed(100.0, 100.0))
    said = run()
    assert "Nothing better fits: an answer of large takes about 13 s here, and a player should not wait more than 10 s." in said
    assert hub.asked == []


def test_where_no_model_is_here_the_smallest_shows_how_fast_the_machine_is(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "cache" / "small.gguf").unlink()
    said = run()
    assert "No model is here yet, so the speed of this machine is not known." in said
    assert NONE_HERE in said
    assert "large (1 MB, MIT). It talks of the weather. How fast it is shows once it is here." in said
    assert hub.asked == []
    assert "large is the best model here that this machine carries" in run("--yes")


def test_where_all_that_is_here_is_too_slow_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    is_measured(monkeypatch, Speed(5.0, 2.0))
    said = run()
    assert f"{NONE_FITS}: an answer of small takes about 44 s here, and a player should not wait more than 10 s." in said


def test_a_model_that_is_made_is_made_first_and_a_failure_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def get(entry: CatalogueModel, engine: EngineSettings) -> None:
        made.append(entry.name)
        if entry.package:
            raise ModelMissing("pkg==1 cannot be fetched.", "Check the network.")

    has_catalogue(monkeypatch, replace(SMALL, package="pkg==1"), LARGE)
    monkeypatch.setattr(command, "get_model", get)
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODEL", "small")
    assert "pkg==1 cannot be fetched" in run("--yes")
    assert made == ["small", "large"]


def test_the_demos_line_says_the_same_and_only_where_there_is_a_step_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tell_of_step_up(load_settings().engine)
    said = capsys.readouterr().err
    assert said.startswith("small thinks here. This machine can also run large (1 MB, MIT). It talks of the weather.")
    assert said.rstrip().endswith("Get it: npc-server setup")
    (tmp_path / "cache" / "small.gguf").unlink()
    tell_of_step_up(load_settings().engine)
    assert capsys.readouterr().err.startswith("No model thinks here. This machine can also run large")
    tell_of_step_up(EngineSettings(model="large"))
    tell_of_step_up(EngineSettings(model="/my/own.gguf"))
    assert capsys.readouterr().err == ""
