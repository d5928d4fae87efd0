"""Examples for npc-rerank: those of npc-answers, with who answers and what was said before where that is known."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from models.answers import groups
from models.answers.groups import Group
from models.speak.lines import FOLDER as SPEAK
from npc_server import clock
from npc_server.llm.engine import LineInTalk
from npc_server.mind.listening import LINES_BEFORE, PHRASES, who_answers
from npc_server.sandbox.towns import cast_with

Texts = tuple[tuple[str, float], ...]
WITH_WHO = 0.85
"""Share of examples in which it is known who answers."""
PLAYED = ("town.jsonl", "read/town_1.jsonl", "read/town_2.jsonl")
"""Sheets of candidates in play."""


@dataclass(frozen=True)
class Example:
    """A line of a talk, and texts with how well they answer it: from 0, not at all, to 1."""

    kind: str
    heard: LineInTalk
    texts: Texts


SHARES: Mapping[str, float] = {
    "tales": 0.6, "memories": 1.0, "lines": 1.0, "judged": 1.0, "general": 1.5, "moment": 0.7, "exchanges": 0.6, "talks": 0.7,
    "played": 4.0,
}  # fmt: skip
"""How often an example of each kind comes in a pass."""
DRAWN = {"tales": 9000, "lines": 1400, "moment": 2000, "exchanges": 2500, "talks": 8000}
"""Examples of the kinds that are drawn by chance, in a pass with all shares at 1."""
DRAWN_HELD = 150
"""The same of those that are held back."""


def examples(held: bool, seed: int = 11) -> Iterator[Example]:
    """All examples, each once: those to train on, or those that are held back."""
    rng = random.Random(seed + held)
    for kind, files in (("judged", "part_*.jsonl"), ("general", "general_*.jsonl")):
        for it in groups.judged(held, files):
            yield _alone(kind, groups.as_scored(it))
    yield from _memories(rng, held)
    draws: Mapping[str, Callable[[random.Random, bool], Group]] = {
        "tales": groups.tale_group, "lines": groups.reply_group, "moment": groups.moment_group, "exchanges": groups.exchange_group,
    }  # fmt: skip
    for kind, draw in draws.items():
        count = DRAWN[kind] if not held else DRAWN_HELD * (kind != "exchanges")  # of the bank none is held back: it is in play
        for _ in range(count):
            yield _alone(kind, draw(rng, held))
    for _ in range(DRAWN_HELD if held else DRAWN["talks"]):
        yield _talk(rng, held)
    yield from () if held else _played()


def _alone(kind: str, group: Group) -> Example:
    return Example(kind, LineInTalk(group.line), group.texts)


def _memories(rng: random.Random, held: bool) -> Iterator[Example]:
    for it in groups.asked(held):
        who = who_answers(it.name, [it.first]) if rng.random() < WITH_WHO else ""
        yield Example("memories", LineInTalk(it.line, who), _sentences(rng, it.sentences, it.answers, it.tempting))


def _sentences(rng: random.Random, sentences: Sequence[str], answers: Sequence[int], tempting: Sequence[int]) -> Texts:
    """At most three that answer, three that only seem to, some of the rest and one about the moment."""
    right = [(sentences[number], 1.0) for number in answers[:3]]
    wrong = [(sentences[number], 0.0) for number in tempting if number not in answers][:3]
    rest = [(text, 0.0) for number, text in enumerate(sentences) if number not in (*answers, *tempting)]
    rng.shuffle(rest)
    moment = [(text, groups.BY_CHANCE) for text in groups.some_of_the_moment(rng, 1)]
    return (*right, *wrong, *rest[: 7 - len(right) - len(wrong)], *moment)


def _talk(rng: random.Random, held: bool) -> Example:
    """A line of a talk with its reply, a reply to a like line of another talk, another reply of the same talk, and any other."""
    every = groups.turns(held)
    place = rng.randrange(len(every))
    line, reply, number = every[place]
    talk = groups.talks(held)[number]
    turns = [it["text"] for it in talk["turns"]]
    at = next(at for at in range(0, len(turns) - 1, 2) if turns[at : at + 2] == [line, reply])
    near = [it for it in groups.near_turns(held).nearest(place, groups.NEAR) if every[it][2] != number]
    same = [turns[it + 1] for it in range(0, len(turns) - 1, 2) if it != at]
    wrong = [every[rng.choice(near)][1]] if near else []
    wrong += [rng.choice(same)] if same else []
    before = [(it % 2 == 1, turns[it]) for it in range(at)][-LINES_BEFORE:]
    shown = rng.choice((0, 2, LINES_BEFORE))
    who = who_answers(talk["name"], talk["identity"][:1], talk["at"]) if rng.random() < WITH_WHO else ""
    heard = LineInTalk(line, who, tuple(before[len(before) - min(shown, len(before)) :]))
    return Example("talks", heard, ((reply, 0.95), *((text, 0.05) for text in (*wrong, rng.choice(every)[1]))))


def _played() -> Iterator[Example]:
    """Lines of players with all candidates in play, as a judge scored them."""
    talks = yaml.safe_load((SPEAK / "judged" / "players.yaml").read_text(encoding="utf-8"))["talks"]
    found = {name: it for sheet in PLAYED for name, it in _sheet(SPEAK / "judged" / sheet)}
    for name, (shown, _) in found.items():
        number, line, npc = name.split(":")
        talk = talks[int(number) - 1]
        before = list[tuple[bool, str]]()
        for at in range(max(0, int(line) - LINES_BEFORE // 2), int(line)):
            if (earlier := found.get(f"{number}:{at}:{npc}")) is not None:
                before += [(False, talk["lines"][at]), (True, earlier[1])]
        texts = tuple((it["text"], groups.FITS[it["score"]]) for it in shown["candidates"] if it["score"] is not None)
        yield Example("played", LineInTalk(talk["lines"][int(line)], _who_in_town(talk["town"], npc, talk["at"]), tuple(before)), texts)


def _sheet(path: Path) -> Iterator[tuple[str, tuple[Mapping[str, Any], str]]]:
    made = (path.parent / "made" / path.name).read_text(encoding="utf-8").splitlines()
    for line, other in zip(path.read_text(encoding="utf-8").splitlines(), made, strict=True):
        it = json.loads(line)
        yield it["id"], (it, json.loads(other)["said"])


def _who_in_town(town: str, npc: str, at: str) -> str:
    name, phrases = _person(town, npc)
    now = clock.from_datetime(datetime.fromisoformat(at))
    return who_answers(name, phrases, f"{clock.date(now)}, {clock.hhmm(now)}")


@cache
def _person(town: str, npc: str) -> tuple[str, tuple[str, ...]]:
    """The name and the phrases by which somebody is known."""
    person = next(it for it in cast_with(town, npc)[0].people if it.id == npc)
    return person.name, person.identity_phrases[:PHRASES]
