"""Weights are fitted to what judges said of candidates, and tried on people whom they did not see."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from models.line_choice import fit
from npc_server.bank.exchange_bank import CHOICE_FILE
from npc_server.bank.features import FEATURES
from npc_server.bank.ranking import weights_of
from npc_server.data_files import read_toml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def judged(folder: Path, lines: int = 60) -> Path:
    """Judged candidates in which near ones of the bank are good, and nothing else tells."""
    order, file = random.Random(1), folder / "judged.jsonl"
    rows = []
    for number in range(lines):
        near = [order.uniform(0, 1) for _ in range(4)]
        values: list[dict[str, float | None]] = [
            {**dict.fromkeys(FEATURES, 0.0), "nearness": it, "words": order.uniform(2, 20), "reread": 0.5} for it in near
        ]
        values[-1]["reread"] = None  # npc-rerank did not read it
        rows.append({"persona": f"person {number % 12}", "scores": [round(3 * it) for it in near], "features": values})
    file.write_text("".join(json.dumps(it) + "\n" for it in rows), encoding="utf-8")
    return file


def test_what_made_candidates_good_gets_the_weight(tmp_path: Path) -> None:
    lines = fit.read(judged(tmp_path), fit.READ_ONCE)
    by_name = dict(zip(fit.READ_ONCE, fit.fit(lines).weights, strict=True))
    assert by_name["nearness"] > 3 * abs(by_name["words"])
    scores = fit.unseen_scores(lines, 0)
    unseen = fit.told(lines, scores)
    assert unseen.fine > 0.9 * unseen.could_be_fine
    assert unseen.at_random < unseen.chosen <= unseen.best
    (_, some, fine), (_, all_, _) = fit.sure_shares(lines, scores, (1.0, -100.0))
    assert some < all_ == 1.0
    assert fine > 0.9


def test_what_npc_rerank_did_not_read_is_left_out_where_it_chooses(tmp_path: Path) -> None:
    assert [len(line.scores) for line in fit.read(judged(tmp_path, 2), fit.READ_ONCE)] == [4, 4]
    assert [len(line.scores) for line in fit.read(judged(tmp_path, 2), fit.RERANKED)] == [3, 3]


def test_a_feature_that_is_not_known_counts_as_its_mean() -> None:
    values = np.zeros((2, len(FEATURES)))
    values[0, 0] = np.nan
    fitted = fit.Fitted(np.ones(len(FEATURES)), np.zeros(len(FEATURES)), np.ones(len(FEATURES)), 0.5)
    assert fitted.scores(values).tolist() == [0.5, 0.5]


def test_the_data_file_gets_the_weights_and_says_where_they_come_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "line_choice.toml"
    before = read_toml(CHOICE_FILE)
    file.write_text((Path(fit.__file__).parents[2] / "npc_server/data" / CHOICE_FILE).read_text("utf-8"), encoding="utf-8")
    assert fit.main(["--judged", str(judged(tmp_path)), "--write", str(file)]) == 0
    assert "For unseen people" in capsys.readouterr().out
    after = tomllib.loads(file.read_text("utf-8"))
    assert after["read_once_made"].startswith("60 lines")
    assert (after["bank"], after["tempers"]) == (before["bank"], before["tempers"])
    assert {part: set(weights_of(after[part])) for part in fit.PARTS} == {part: set(names) for part, names in fit.PARTS.items()}
    assert after["read_once"]["nearness"] != before["read_once"]["nearness"]
    assert after["read_once"]["by_memory"] == before["read_once"]["by_memory"]  # no candidate of the sheet was from memory


def test_without_judgements_of_two_people_nothing_is_fitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit.main(["--judged", str(judged(tmp_path, 1))]) == 2
    assert "no judged candidates for two people" in capsys.readouterr().err
