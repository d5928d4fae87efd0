"""The talks in which players asked about what they had told, and which answers were right, as docs/eval.md tells."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
TALKS = ROOT / "tests" / "recorded" / "told_back" / "talks.jsonl"


def test_the_docs_tell_how_many_of_the_kept_questions_were_answered() -> None:
    talks = [json.loads(line) for line in TALKS.read_text(encoding="utf-8").splitlines()]
    assert all(set(it["right"]) <= set(it["asks"]) and set(it["wrong"]).isdisjoint(it["asks"]) for it in talks)
    assert all(len(it["lines"]) == len(it["answers"]) for it in talks)
    asked, right, wrong = (sum(len(it[name]) for it in talks) for name in ("asks", "right", "wrong"))
    docs = (ROOT / "docs" / "eval.md").read_text(encoding="utf-8")
    assert f"{right} of {asked} such questions are answered with it" in " ".join(docs.split())
    assert f"{wrong} of the other {sum(len(it['lines']) for it in talks) - asked} lines" in " ".join(docs.split())
