"""Writes held-out cases for `npc-server eval model --cases models/nano/cases/heldout.jsonl`: `python -m models.nano.cases`.

The same seed gives the same cases. The names of the functions in `MAKERS` are part of the seed.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from models.nano.draw import Draw, Split, content
from models.nano.facts import FactMemory
from models.nano.people import Someone, distinct_names, random_time, someone
from models.nano.questions import act, importance, interview, react
from models.nano.questions.say import place as some_place
from npc_server import clock
from npc_server.records import GameTime

FILE = Path(__file__).parent / "cases" / "heldout.jsonl"
SEED = 4242
NOW_FORM = "%Y-%m-%d %H:%M"
Case = dict[str, Any]


def _moment(draw: Draw) -> GameTime:
    """A time in a year of four digits."""
    return random_time(draw) % (400 * 365 * clock.DAY) // clock.MINUTE * clock.MINUTE


def _now(now: GameTime) -> str:
    return clock.to_datetime(now).strftime(NOW_FORM)


def _memories(me: Someone, kept: Sequence[FactMemory], now: GameTime) -> list[Case]:
    found: list[Case] = []
    for item in kept:
        memory: Case = {"text": item.text, "hours_ago": round((now - item.then) / clock.HOUR, 2)}
        if item.person:
            memory["told_by"] = me.name_of(item.person)
        found.append(memory)
    return found


def _asked(draw: Draw, known: bool) -> tuple[Someone, GameTime, list[FactMemory], str, tuple[str, ...], list[str]]:
    """A person with 3 to 12 memories, and a question that the memories answer (`known`) or do not."""
    while True:
        people = distinct_names(draw, draw.number(3, 7))
        me = someone(draw, people)
        now = _moment(draw)
        kept = interview.memories(draw, me, now, people, draw.number(3, 8))[:12]
        facts = [k for k in kept if k.fact]
        if not known:
            _, question, _, _ = interview.cannot_know(draw, me, [k.fact for k in facts if k.fact], people)
            return me, now, kept, question, (), people
        found = interview.recall(draw, me, draw.one(facts)) if facts else None
        if found:
            return me, now, kept, found[1], found[3], people


def recall(draw: Draw) -> Case:
    me, now, kept, question, expect, _ = _asked(draw, True)
    return {
        "kind": "recall",
        "npc": me.name,
        "memories": _memories(me, kept, now),
        "question": question,
        "expect": list(expect),
        "now": _now(now),
    }


def unknown(draw: Draw) -> Case:
    me, now, kept, question, _, _ = _asked(draw, False)
    return {"kind": "recall", "npc": me.name, "memories": _memories(me, kept, now), "question": question, "expect": None, "now": _now(now)}


def rating(draw: Draw) -> Case:
    people = distinct_names(draw, 3)
    me = someone(draw, people)
    text, value = importance.rated(draw, me.first, people)
    return {"kind": "importance", "npc": me.name, "memory": text, "expect": value}


def where(draw: Draw) -> Case:
    while True:
        me = someone(draw, distinct_names(draw, 2))
        town, steps = act.town(draw, me, 3)
        wanted = draw.one(steps)
        offered = [
            {
                "address": thing.node.address,
                "can": [action.name for action in thing.node.actions if not action.needs or action.needs == thing.node.state],
                "state": thing.node.state,
            }
            for thing in draw.shuffled(town.things)
        ][:20]
        if wanted.thing.node.address in [place["address"] for place in offered] and all(place["can"] for place in offered):
            return {"kind": "place", "npc": me.name, "activity": wanted.activity, "offered": offered, "expect": [wanted.thing.node.address]}


def reacting(draw: Draw) -> Case:
    """Something noticed: an object, or a person in trouble or in everyday life."""
    people = distinct_names(draw, 3)
    me = someone(draw, people, relations=(0, 0))
    name = people[0]
    doing = draw.fill(draw.line("activities", content()["activities"]))
    roll = draw.rng.random()
    case: Case = {"kind": "react", "npc": me.name, "doing": doing, "person": ""}
    if roll < 0.3:
        spec = draw.one(content()["urgent"])
        return case | {"observation": draw.fill(draw.one(spec["see"]), here=some_place(draw)), "expect": "change"}
    if roll < 0.45:
        spec = draw.one(content()["blocked"])
        return case | {"doing": draw.one(spec["doing"]), "observation": draw.fill(draw.one(spec["see"]), a=people[1]), "expect": "wait"}
    if roll < 0.7:
        spec = draw.one(content()["troubled"])
        return case | {"observation": draw.fill(draw.one(spec["see"]), a=name), "person": name, "relation": "friend", "expect": "talk"}
    return case | {"observation": react.everyday(draw, people, name), "person": name, "relation": "neighbour", "expect": "continue"}


def say(draw: Draw) -> Case:
    """A question in a talk that a memory answers."""
    me, now, kept, question, expect, people = _asked(draw, True)
    tellers = {me.name_of(k.person) for k in kept if k.person}
    to = next((name for name in people if name not in tellers), people[0])
    return {
        "kind": "say",
        "npc": me.name,
        "to": to,
        "relation": "neighbour",
        "memories": _memories(me, kept, now),
        "heard": question,
        "expect": list(expect),
        "now": _now(now),
    }


MAKERS: Sequence[tuple[Callable[[Draw], Case], int]] = ((recall, 120), (unknown, 60), (rating, 80), (where, 60), (reacting, 60), (say, 50))


def cases(seed: int = SEED) -> list[Case]:
    return [make(Draw(f"{seed}/{make.__name__}/{number}", Split.HELD_OUT)) for make, count in MAKERS for number in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the held-out cases.")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    rows = cases(args.seed)
    args.out.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in rows), encoding="utf-8")
    print(f"{args.out}: {len(rows)} cases")


if __name__ == "__main__":
    main()
