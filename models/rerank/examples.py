"""Examples for npc-rerank: those of npc-answers, with who answers and what was said before where that is known."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from models.answers import groups
from models.answers.groups import Group
from models.training.examples import held_back
from models.training.talks import TALKS
from npc_server.llm.engine import LineInTalk
from npc_server.mind.listening import LINES_BEFORE, PHRASES, who_answers

Texts = tuple[tuple[str, float], ...]
WITH_WHO = 0.85
"""Share of examples in which it is known who answers."""
DOING = 0.7
"""Share of the talks in which it is known what the one who answers is doing, and what the other is to them."""
SHEET = Path(__file__).parent / "judged" / "talks.jsonl.xz"
"""Candidates for lines of talks (`candidates.py`), as a judge scored them."""
PLAYED = Path(__file__).parent / "judged" / "played.jsonl.xz"
"""Candidates for lines of players in play, as a judge scored them."""
CHOICE = Path(__file__).parent.parent / "line_choice" / "judged.jsonl"
"""Those to which the choice of a line is fitted. They are held back."""


@dataclass(frozen=True)
class Example:
    """A line of a talk, and texts with how well they answer it: from 0, not at all, to 1."""

    kind: str
    heard: LineInTalk
    texts: Texts


KINDS = ("judged", "general", "memories", "tales", "lines", "moment", "exchanges", "talks", "scored", "played")
DRAWN = {"tales": 9000, "lines": 1400, "moment": 2000, "exchanges": 2500, "talks": 8000}
"""Examples of the kinds that are drawn by chance."""
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
    yield from _scored(rng, held)
    yield from _played(held)


def _alone(kind: str, group: Group) -> Example:
    return Example(kind, LineInTalk(group.line), group.texts)


def _memories(rng: random.Random, held: bool) -> Iterator[Example]:
    for it in groups.asked(held):
        who = who_answers(it.name, [it.first]) if rng.random() < WITH_WHO else ""
        yield Example("memories", LineInTalk(it.line, who), _sentences(rng, it.told, it.answers, it.tempting))


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
    heard = LineInTalk(line, _who(rng, talk), tuple(before[len(before) - min(shown, len(before)) :]))
    return Example("talks", heard, ((reply, 0.95), *((text, 0.05) for text in (*wrong, rng.choice(every)[1]))))


def _who(rng: random.Random, talk: Mapping[str, Any]) -> str:
    """Who answers in a talk, at times with less of it."""
    if rng.random() >= WITH_WHO:
        return ""
    if rng.random() >= DOING:
        return who_answers(talk["name"], talk["identity"][: rng.randint(1, PHRASES)], "", talk["at"])
    return _whole(talk)


def _scored(rng: random.Random, held: bool) -> Iterator[Example]:
    """Lines of talks with replies of the bank and what the character knows. Each tenth talk is held back."""
    for row in _rows(SHEET):
        if held_back(row["talk"]) is held:
            talk = _talks(row["world"])[row["talk"] - 1]
            turns = [it["text"] for it in talk["turns"]]
            before = [(number % 2 == 1, text) for number, text in enumerate(turns[: row["turn"]])][-LINES_BEFORE:]
            heard = LineInTalk(turns[row["turn"]], _who(rng, talk) if not held else _whole(talk), tuple(before))
            yield Example("scored", heard, groups.scored_texts(row))


def _whole(talk: Mapping[str, Any]) -> str:
    """Who answers in a talk, with all that is known of it."""
    return who_answers(talk["name"], talk["identity"], talk["doing"], talk["at"], talk["relation"])


def _played(held: bool) -> Iterator[Example]:
    """Lines of players in play with all candidates. What the choice of a line is fitted to is held back."""
    for row in _rows(CHOICE if held else PLAYED):
        heard = LineInTalk(**{**row["heard"], "before": tuple((own, text) for own, text in row["heard"]["before"])})
        yield Example("played", heard, groups.scored_texts(row))


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """The lines of a file of judgements, which may be packed: `xz -9e talks.jsonl`."""
    packed = path.read_bytes()
    for line in (lzma.decompress(packed) if path.suffix == ".xz" else packed).decode("utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


@cache
def _talks(world: str) -> tuple[Mapping[str, Any], ...]:
    return tuple(json.loads(line) for line in (TALKS / f"{world}.jsonl").read_text(encoding="utf-8").split("\n") if line.strip())
