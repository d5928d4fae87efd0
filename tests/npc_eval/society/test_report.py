from __future__ import annotations

from npc_eval.society import report
from npc_eval.society.measures import Life, measure
from npc_eval.society.survey import MadeUp
from tests.npc_eval.society.conftest import STORY


def test_json_has_the_keys_of_the_papers_table(lives: list[Life]) -> None:
    found = report.as_json(measure([STORY], lives), MadeUp(4, ()))
    assert found.keys() >= {"news", "density", "party", "made_up", "conversations", "reflections", "plan_changes"}
    assert found["density"] == {"start": 0.1667, "end": 0.3333}
    assert found["party"] == {"story": "party", "invited": ["ben", "cid"], "came": ["ben"], "by_chance": ["dot"]}
