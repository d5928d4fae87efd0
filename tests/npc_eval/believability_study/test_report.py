from __future__ import annotations

import json

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import PositionBias, RankFile, Ranking
from npc_eval.believability_study.report import as_json, as_p, made_from, markdown, rows

ORDER = (Condition.FULL, Condition.NO_REFLECTION, Condition.NONE)


def ranks(judge: str, *, bias: bool = False) -> RankFile:
    rankings = [
        Ranking(npc="mara_voss", category=category, question=f"{category}?", ranks={it: float(i + 1) for i, it in enumerate(ORDER)})
        for category in ("plans", "memory")
    ]
    measured = PositionBias(asked_twice=2, kendall_tau=0.5, same_first=0.5, first_shown_first=0.25) if bias else None
    return RankFile(answers="abc", judge=judge, seed=7, rankings=tuple(rankings), unanswered=int(bias), position_bias=measured)


def test_files_of_several_judges_are_put_together() -> None:
    made = made_from([ranks("Ada"), ranks("a model", bias=True)])
    assert (made.rankings, made.unanswered, made.judges) == (4, 1, ("Ada", "a model"))
    assert [it.condition for it in made.ratings] == list(ORDER)
    assert made.by_category == {name: {it: float(i + 1) for i, it in enumerate(ORDER)} for name in ("memory", "plans")}


def test_markdown_has_the_paper_beside_every_condition_and_what_was_tested() -> None:
    text = markdown(made_from([ranks("Ada"), ranks("a model", bias=True)]))
    assert "4 rankings by Ada, a model." in text
    assert "| full architecture | " in text
    assert "| 29.89 (0.72) |" in text
    assert "| 21.21 (0.70) |" in text
    assert "Kruskal-Wallis: H(2) = 11.00, p = 0.004 (paper: H(4) = 150.29, p < 0.001)." in text
    assert "| full architecture | no memory stream |" in text
    assert "Kendall's tau 0.50, the same answer first in 50%, the one shown first ranked first in 25%." in text
    assert "1 questions got no readable order" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in lines} == {7, 4, 5}


def test_json_has_every_number() -> None:
    found = json.loads(json.dumps(as_json(made_from([ranks("Ada", bias=True)]))))
    assert found["ratings"][0]["condition"] == "full"
    assert found["ratings"][0]["paper"] == {"mu": 29.89, "sigma": 0.72}
    assert found["kruskal_wallis"]["df"] == 2
    assert len(found["dunn_holm"]) == 3
    assert found["position_bias"]["Ada"]["asked_twice"] == 2


def test_the_table_is_as_wide_as_its_head() -> None:
    assert {len(row) for row in rows(made_from([ranks("Ada")]))} == {6}


def test_small_p_values_are_written_as_in_the_paper() -> None:
    assert (as_p(0.0004), as_p(0.0449), as_p(0.0449, with_sign=True)) == ("< 0.001", "0.045", "= 0.045")
