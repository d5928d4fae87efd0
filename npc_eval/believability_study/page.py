"""Makes a web page on which a person ranks answers, as the evaluators of the paper did. It is one HTML file that works offline."""

from __future__ import annotations

import base64
import json
import random
from importlib import resources

from npc_eval.believability_study.cards import AnswerCard, card_sets
from npc_eval.believability_study.files import Interviews, RankFile

FOLDER = "data/believability"


def drawn_person(interviews: Interviews, seed: int) -> str:
    """Draws the person whose life an evaluator sees, as in the paper."""
    return random.Random(seed).choice(interviews.people).npc


def page(interviews: Interviews, npc: str, each: int, seed: int) -> str:
    """Makes the page for one person, with at most `each` questions of a category (0: all), drawn and shuffled by the seed.

    Empty where no question has two different answers.
    """
    sets = card_sets(interviews, seed, [npc], each)
    if not sets:
        return ""
    data = {
        "format": RankFile.model_fields["format"].default,
        "answers": interviews.digest(),
        "seed": seed,
        "person": interviews.person(npc).model_dump(mode="json"),
        "questions": [{"category": it.category, "question": it.question, "cards": [_card(card) for card in it.cards]} for it in sets],
    }
    parts = {"STYLE": _text("page.css"), "SCRIPT": _text("page.js"), "DATA": _inside_script(data)}
    made = _text("page.html")
    for name, text in parts.items():
        made = made.replace(f"/*{name}*/", text, 1)
    return made


def _card(card: AnswerCard) -> dict[str, str]:
    # The conditions are encoded, so that a glance at the source of the page does not reveal them.
    names = json.dumps([condition.value for condition in card.conditions])
    return {"text": card.text, "key": base64.b64encode(names.encode()).decode()}


def _inside_script(data: object) -> str:
    """Writes JSON that cannot end the HTML element around it."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _text(name: str) -> str:
    return resources.files("npc_eval").joinpath(f"{FOLDER}/{name}").read_text(encoding="utf-8")
