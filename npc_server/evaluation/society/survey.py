"""What everybody is asked at the end of a run, and which answers claim what no memory supports (Generative Agents, section 7.1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from npc_server.data_files import read_toml
from npc_server.evaluation.society.measures import Life, Society, measure, mentions, read
from npc_server.records import NpcId
from npc_server.sandbox.report import Report
from npc_server.world.town_records import Story


@dataclass(frozen=True)
class SurveyQuestion:
    """Asked of everybody at the end."""

    text: str
    about: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """An answer that claims to know of something that no memory of its speaker supports."""

    npc: NpcId
    question: str
    answer: str


@dataclass(frozen=True)
class MadeUp:
    asked: int
    unsupported: tuple[Claim, ...]


@dataclass(frozen=True)
class Survey:
    """What is asked at the end, and how answers are read."""

    question: str
    never: tuple[tuple[str, tuple[str, ...]], ...]
    """Events that do not happen, with the words that name them."""
    deny: tuple[str, ...]
    claim: tuple[str, ...]
    paper: dict[str, str]


@cache
def survey() -> Survey:
    data = read_toml("society.toml")
    return Survey(
        data["question"],
        tuple((what, tuple(about)) for what, about in data["never"].items()),
        tuple(data["denial"]["words"]),
        tuple(data["claim"]["words"]),
        dict(data["paper"]),
    )


def questions(stories: Sequence[Story]) -> list[SurveyQuestion]:
    """Whether one heard of each story, and of what never happens. Nothing where there is no story."""
    asked = [(story.about[0], story.about) for story in stories] + list(survey().never) if stories else []
    return [SurveyQuestion(survey().question.format(what=what), about) for what, about in asked]


def measured(save: Path, report: Report, stories: Sequence[Story]) -> tuple[Society, MadeUp]:
    """What became of a town that was played, and what its people made up when they were asked."""
    _, lives = read(save)
    return measure(stories, lives), made_up(questions(stories), report.answers, lives, survey())


def made_up(
    asked: Sequence[SurveyQuestion],
    answers: Mapping[tuple[NpcId, str], str],
    lives: Sequence[Life],
    reading: Survey,
) -> MadeUp:
    """Which answers claim knowledge without a memory that supports it. `answers` are by person and question."""
    found: list[Claim] = []
    by_id = {life.persona.id: life for life in lives}
    for question in asked:
        for (npc, text), answer in answers.items():
            if text != question.text or not affirms(answer, question.about, reading.deny, reading.claim):
                continue
            life = by_id[npc]
            if not any(mentions(memory.text, question.about) for memory in life.memories):
                found.append(Claim(npc, text, answer))
    return MadeUp(len(answers), tuple(found))


def affirms(answer: str, about: Collection[str], deny: Collection[str], claim: Collection[str]) -> bool:
    """Whether an answer claims to know of something: it does not deny, and names it or says yes."""
    plain = answer.replace("’", "'").strip().lower()
    if not plain or mentions(plain, deny):
        return False
    return mentions(plain, about) or any(re.match(rf"{re.escape(word)}\b", plain) for word in claim)
