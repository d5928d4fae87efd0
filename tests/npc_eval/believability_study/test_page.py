from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from npc_eval.believability_study.cards import AnswerCard, card_sets, ranks_of
from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Interviews, read_ranks
from npc_eval.believability_study.page import drawn_person, page
from tests.npc_eval.believability_study.conftest import SAID, TOBIN, WHO, WORK

SCRIPT = Path(__file__).parents[3] / "npc_eval" / "data" / "believability" / "page.js"
SEED = 5
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the page's script")


def data(html: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    made: dict[str, Any] = json.loads(found)
    return made


def node(expression: str, *values: object) -> Any:
    """What an expression of the page's functions comes to; `v` has the values."""
    code = f"const p = require({json.dumps(str(SCRIPT))}), v = {json.dumps(values)}; process.stdout.write(JSON.stringify({expression}))"
    return json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout)


def test_the_page_stands_alone(interviews: Interviews) -> None:
    html = page(interviews, WHO, 0, SEED)
    assert not re.search(r"(src|href)=|https?://|@import|fetch\(|XMLHttpRequest", html)
    assert not re.search(r"/\*(STYLE|SCRIPT|DATA)\*/", html)
    assert html.count("</script>") == 2, "a memory with a closing tag ended the data"
    assert data(html)["person"]["memories"][2]["text"] == "Tobin Hale is </script> worried"


def test_the_page_shows_the_whole_life_and_the_answers_without_their_conditions(interviews: Interviews) -> None:
    html = page(interviews, WHO, 0, SEED)
    found = data(html)
    assert [it["question"] for it in found["questions"]] == [WORK, TOBIN]
    assert {card["text"] for card in found["questions"][0]["cards"]} == set(SAID[WORK].values())
    assert len(found["person"]["memories"]) == 3
    assert not [condition for condition in Condition if f'"{condition.value}"' in html]
    shuffled = [[card.text for card in it.cards] for it in card_sets(interviews, SEED)]
    assert [[card["text"] for card in it["cards"]] for it in found["questions"]] == shuffled


def test_nothing_to_rank_makes_no_page(interviews: Interviews) -> None:
    same = tuple(it.model_copy(update={"answer": "Yes."}) for it in interviews.answers)
    assert page(interviews.model_copy(update={"answers": same}), WHO, 0, SEED) == ""
    assert drawn_person(interviews, SEED) == WHO


@needs_node
def test_the_file_that_the_page_saves_is_read_by_the_report(interviews: Interviews, tmp_path: Path) -> None:
    found, sets = data(page(interviews, WHO, 0, SEED)), card_sets(interviews, SEED)
    orders = [[2, 0, 4, 1, 3], [1, 2, 0]]
    made = node("p.rankFile(v[0], {name: ' Ada ', orders: v[1]})", found, orders)
    path = tmp_path / "ranks.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    read = read_ranks(path)
    assert (read.judge, read.answers, read.seed) == ("Ada", interviews.digest(), SEED)
    for ranking, it, order in zip(read.rankings, sets, orders, strict=True):
        cards: list[AnswerCard] = [it.cards[i] for i in order]
        assert ranking.ranks == ranks_of(cards)


@needs_node
@pytest.mark.parametrize(
    ("card", "place", "order"),
    [(3, 0, [3, 0, 1, 2]), (0, 3, [1, 2, 3, 0]), (1, 1, [0, 1, 2, 3]), (2, 99, [0, 1, 3, 2]), (2, -5, [2, 0, 1, 3])],
)
def test_a_card_goes_to_its_place_and_the_others_keep_theirs(card: int, place: int, order: list[int]) -> None:
    assert node("p.moved([0, 1, 2, 3], v[0], v[1])", card, place) == order


@needs_node
def test_what_the_browser_kept_is_taken_up_where_it_fits(interviews: Interviews) -> None:
    found = data(page(interviews, WHO, 0, SEED))
    fresh = node("p.stateOf(null, v[0])", found)
    assert fresh == {"step": 0, "name": "", "orders": [[0, 1, 2, 3, 4], [0, 1, 2]], "done": [False, False]}
    kept = {**fresh, "step": 2, "name": "Ada", "orders": [[4, 3, 2, 1, 0], [0, 1, 2]], "done": [True, False]}
    assert node("p.stateOf(JSON.stringify(v[1]), v[0])", found, kept) == kept
    for broken in ({**kept, "orders": [[4, 4, 2, 1, 0], [0, 1, 2]]}, {**kept, "step": 9}, {**kept, "done": []}, {}, "nonsense"):
        assert node("p.stateOf(typeof v[1] === 'string' ? v[1] : JSON.stringify(v[1]), v[0])", found, broken) == fresh
