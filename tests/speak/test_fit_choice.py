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
    """A sheet in which near candidates of the bank are good ones, and nothing else tells."""
    order, folder = random.Random(1), folder / "judged" / fit_choice.REREAD
    (folder / "made").mkdir(parents=True)
    sheet, made = [], []
    for number in range(lines):
        near = [order.uniform(0, 1) for _ in range(4)]
        scores = [round(3 * it) for it in near]
        read = {"answers": 0.5 if number % 2 else None}  # a model read every second line
        values = [{**dict.fromkeys(FEATURES, 0.0), "nearness": it, "words": order.uniform(2, 20), **read} for it in near]
        who = f"person {number % 12}"
        sheet.append({"id": f"{number}:1", "persona": who, "candidates": [{"text": "…", "score": score} for score in scores]})
        makers = [{"maker": "bank"}] * 3 + [{"maker": "model" if number % 2 else "bank"}]
        made.append({"id": f"{number}:1", "made": makers, "features": values})
    for place, found in ((folder, sheet), (folder / "made", made)):
        (place / "s.jsonl").write_text("".join(json.dumps(it) + "\n" for it in found), encoding="utf-8")
    return folder


def test_what_made_candidates_good_gets_the_weight(tmp_path: Path) -> None:
    lines = fit_choice.read(sorted(judged(tmp_path).glob("*.jsonl")), fit_choice.WITHOUT_MODEL)
    by_name = dict(zip(fit_choice.WITHOUT_MODEL, fit_choice.fit(lines).weights, strict=True))
    assert by_name["nearness"] > 3 * abs(by_name["words"])
    scores = fit_choice.unseen_scores(lines, 0)
    unseen = fit_choice.told(lines, scores)
    assert unseen.fine > 0.9 * unseen.could_be_fine
    assert unseen.at_random < unseen.chosen <= unseen.best
    (_, some, fine), (_, all_, _) = fit_choice.sure_shares(lines, scores, (1.0, -100.0))
    assert some < all_ == 1.0
    assert fine > 0.9


def test_without_the_model_its_draws_are_left_out_and_with_it_lines_that_it_did_not_read(tmp_path: Path) -> None:
    sheets = sorted(judged(tmp_path, 4).glob("*.jsonl"))
    assert [len(line.scores) for line in fit_choice.read(sheets, fit_choice.WITHOUT_MODEL)] == [4, 3, 4, 3]
    assert [len(line.scores) for line in fit_choice.read(sheets, fit_choice.WITH_MODEL)] == [4, 4]


def test_a_feature_that_is_not_known_counts_as_its_mean() -> None:
    values = np.zeros((2, len(FEATURES)))
    values[0, 0] = np.nan
    fitted = fit_choice.Fitted(np.ones(len(FEATURES)), np.zeros(len(FEATURES)), np.ones(len(FEATURES)), 0.5)
    assert fitted.scores(values).tolist() == [0.5, 0.5]


def test_the_data_file_gets_the_weights_and_says_where_they_come_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "line_choice.toml"
    before = read_toml(CHOICE_FILE)
    file.write_text((Path(fit_choice.__file__).parents[2] / "npc_server/data" / CHOICE_FILE).read_text("utf-8"), encoding="utf-8")
    assert fit_choice.main(["--folder", str(judged(tmp_path).parent), "--write", str(file)]) == 0
    assert "For unseen people" in capsys.readouterr().out
    after = tomllib.loads(file.read_text("utf-8"))
    assert after["without_model_made"].startswith("60 lines")
    assert (after["bank"], after["tempers"]) == (before["bank"], before["tempers"])
    assert set(weights_of(after["without_model"])) == set(fit_choice.WITHOUT_MODEL)
    assert set(weights_of(after["with_model"])) == set(fit_choice.WITH_MODEL)
    assert after["without_model"]["nearness"] != before["without_model"]["nearness"]
    assert after["without_model"]["by_memory"] == before["without_model"]["by_memory"]  # no candidate of the sheet was from memory


def test_a_sheet_that_was_not_judged_or_has_no_features_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_choice.main(["--folder", str(tmp_path)]) == 2
    assert "Fill in the scores" in capsys.readouterr().err
    folder = judged(tmp_path, 2)
    made = folder / "made" / "s.jsonl"
    made.write_text(made.read_text("utf-8").replace("features", "measures"), encoding="utf-8")
    assert fit_choice.main(["--folder", str(folder.parent)]) == 2
    assert "models.speak.candidates" in capsys.readouterr().err
