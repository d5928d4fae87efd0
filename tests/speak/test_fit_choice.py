"""Weights are fitted to what judges said of candidates, and tried on people whom they did not see."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from models.speak import fit_choice
from npc_server.data_files import read_toml
from npc_server.mind.choose_line import weights_of
from npc_server.mind.exchange_bank import CHOICE_FILE
from npc_server.mind.line_features import FEATURES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def judged(folder: Path, lines: int = 60) -> Path:
    """A sheet in which likely candidates are good ones, and nothing else tells."""
    order, folder = random.Random(1), folder / "judged"
    (folder / "made").mkdir(parents=True)
    sheet, made = [], []
    for number in range(lines):
        values = [dict.fromkeys(FEATURES, 0.0) | {"likelihood": order.uniform(-4, 0), "words": order.uniform(2, 20)} for _ in range(4)]
        scores = [round(3 + it["likelihood"] * 0.7) for it in values]
        who = f"person {number % 12}"
        sheet.append({"id": f"w:{number}:1", "persona": who, "candidates": [{"text": "…", "score": score} for score in scores]})
        made.append({"id": f"w:{number}:1", "made": [{"maker": "model"}] * 4, "features": values})
    for place, found in ((folder, sheet), (folder / "made", made)):
        (place / "s.jsonl").write_text("".join(json.dumps(it) + "\n" for it in found), encoding="utf-8")
    return folder


def test_what_made_candidates_good_gets_the_weight(tmp_path: Path) -> None:
    lines = fit_choice.read(sorted(judged(tmp_path).glob("*.jsonl")))
    by_name = dict(zip(FEATURES, fit_choice.fit(lines).weights, strict=True))
    assert by_name["likelihood"] > 3 * abs(by_name["words"])
    unseen = fit_choice.cross_validated(lines, 0)
    assert unseen.accuracy > 0.95
    assert unseen.at_random < unseen.chosen <= unseen.best


def test_a_feature_that_is_not_known_counts_as_its_mean() -> None:
    values = np.zeros((2, len(FEATURES)))
    values[0, 0] = np.nan
    fitted = fit_choice.Fitted(np.ones(len(FEATURES)), np.zeros(len(FEATURES)), np.ones(len(FEATURES)))
    assert fitted.scores(values).tolist() == [0.0, 0.0]


def test_the_data_file_gets_the_weights_and_says_where_they_come_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "line_choice.toml"
    before = read_toml(CHOICE_FILE)
    file.write_text((Path(fit_choice.__file__).parents[2] / "npc_server/data" / CHOICE_FILE).read_text("utf-8"), encoding="utf-8")
    assert fit_choice.main(["--folder", str(judged(tmp_path)), "--write", str(file)]) == 0
    assert "Unseen people" in capsys.readouterr().out
    after = tomllib.loads(file.read_text("utf-8"))
    assert after["made"].startswith("models.speak.fit_choice: 60 lines")
    assert (after["bank"], after["tempers"]) == (before["bank"], before["tempers"])
    assert set(weights_of(after["features"])) == set(FEATURES)
    assert after["features"]["likelihood"] != before["features"]["likelihood"]
    assert after["features"]["by_memory"] == before["features"]["by_memory"]  # no candidate of the sheet was from memory


def test_a_sheet_that_was_not_judged_or_not_measured_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_choice.main(["--folder", str(tmp_path)]) == 2
    assert "Fill in the scores" in capsys.readouterr().err
    folder = judged(tmp_path, 2)
    made = folder / "made" / "s.jsonl"
    made.write_text(made.read_text("utf-8").replace("features", "measures"), encoding="utf-8")
    assert fit_choice.main(["--folder", str(folder)]) == 2
    assert "models.speak.measure" in capsys.readouterr().err
