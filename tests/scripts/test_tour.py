"""`scripts/tour.py`: what becomes of the frames and pictures that the tour has taken."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PIL import Image

SCRIPTS = Path(__file__).parents[2] / "scripts"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pictures = load("tour_pictures")
tour = load("tour")


def take(folder: Path, colours: list[str], milliseconds: int = 100) -> Path:
    """Frames as the tour leaves them, in one clip."""
    for i, colour in enumerate(colours):
        Image.new("RGB", (160, 90), colour).save(folder / f"{i}.png")
    clip = {"name": "walk", "caption": "Walk about", "frames": [[f"{i}.png", milliseconds] for i in range(len(colours))]}
    (folder / "clips.json").write_text(json.dumps([clip]), encoding="utf-8")
    return folder


def test_a_frame_that_is_like_the_one_before_is_stored_once_and_shown_for_longer(tmp_path: Path) -> None:
    frames = pictures.read_frames(take(tmp_path, ["red", "red", "blue"]))
    assert pictures.write_animation(frames, tmp_path / "made.webp", "played with nobody") == 300
    with Image.open(tmp_path / "made.webp") as image:
        durations = []
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            durations.append(image.info["duration"])
        assert durations == [200, 100]
        assert image.size == (pictures.WIDTH, pictures.WIDTH * 90 // 160 + pictures.STRIP)


def test_what_is_too_large_is_written_in_a_lower_quality(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def encode(_images: object, _durations: object, quality: int) -> bytes:
        tried.append(quality)
        return b"x" * quality

    monkeypatch.setattr(pictures, "_encode", encode)
    pictures.write_animation(pictures.read_frames(take(tmp_path, ["red"])), tmp_path / "made.webp", "", pictures.QUALITIES[2])
    assert tried == list(pictures.QUALITIES[:3])
    assert (tmp_path / "made.webp").stat().st_size == pictures.QUALITIES[2]


def test_pictures_stand_side_by_side(tmp_path: Path) -> None:
    for name, size in {"a": (100, 700), "b": (50, 600)}.items():
        Image.new("RGB", size, "red").save(tmp_path / f"{name}.png")
    pictures.write_side_by_side([tmp_path / "a.png", tmp_path / "b.png"], tmp_path / "made.webp")
    with Image.open(tmp_path / "made.webp") as image:
        assert image.size == (150 + pictures.GAP, 520)


def answer(by: str, *, is_free: bool = False) -> dict[str, Any]:
    return {"by": by, "is_free": is_free, "heard": "Hello!", "said": "Hello.", "first_s": 1.0, "whole_s": 2.0, "why": [f"say by {by}"]}


def test_the_page_says_which_model_answers_and_what_it_decided() -> None:
    decided = {"model": 1, "chosen": 2, "policy": 0, "instinct": 7000}
    answers = [answer("model", is_free=True), answer("model", is_free=True), answer("chosen", is_free=True), answer("instinct")]
    without = tour.who_answers({"model": "", "decisions": decided, "answers": answers[2:]})
    assert without.startswith("No language model was installed for these pictures.")
    assert without.endswith("model 1, chosen 2, policy 0, instinct 7,000.")
    found = tour.who_answers({"model": "qwen", "decisions": decided, "answers": answers})
    assert "The language model in these pictures is `qwen`." in found
    assert "Of the 4 answers to the player's lines, 2 were written by the model, 1 came from memory or the bank, 1 from rules" in found
    assert "Of the 3 answers to questions that no rule foresees, the model wrote 2." in found


def test_who_answered_each_line_is_printed_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    tour.tell_answers([answer("model", is_free=True)])
    line, why = capsys.readouterr().out.splitlines()
    assert line.split() == ["model", "free", "1.0", "s", "2.0", "s", "Hello!", "->", "Hello."]
    assert why.strip() == "say by model"


def test_the_server_of_the_tour_has_the_models_of_whoever_starts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_FOLDER", str(tmp_path))
    assert tour.server_of("none")["NPC_SERVER_ENGINE__MODELS_FOLDER"] == str(tmp_path)
