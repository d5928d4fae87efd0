"""The survey at the end of a run, and answers that claim what no memory supports (Generative Agents, section 7.1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from npc_eval.simulation.report import Report
from npc_eval.society.measures import Life, Society, measure, mentions, read
from npc_server.data_files import read_toml
from npc_server.records import NpcId
from npc_server.world.town_records import Story


@dataclass(frozen=True)
class SurveyQuestion:
    """A question to everybody, and the words that name its subject."""

    text: str
    about: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """An answer that claims knowledge which no memory of the speaker supports."""

    npc: NpcId
    question: str
    answer: str


@dataclass(frozen=True)
class MadeUp:
    asked: int
    unsupported: tuple[Claim, ...]


@dataclass(frozen=True)
class Survey:
    """The questions of `data/society.toml`, and the words by which answers are read."""

    question: str
    never: tuple[tuple[str, tuple[str, ...]], ...]
    """Events that do not happen, with the words that name them."""
    deny: tuple[str, ...]
    claim: tuple[str, ...]
    paper: dict[str, str]


@cache
def survey() -> Survey:
    data = read_toml("society.toml", "npc_eval")
    return Survey(
        data["question"],
        tuple((what, tuple(about)) for what, about in data["never"].items()),
        tuple(data["denial"]["words"]),
        tuple(data["claim"]["words"]),
        dict(data["paper"]),
    )


def questions(stories: Sequence[Story]) -> list[SurveyQuestion]:
    """Questions on each story, and on events that never happen. Empty when there is no story."""
    asked = [(story.about[0], story.about) for story in stories] + list(survey().never) if stories else []
    return [SurveyQuestion(survey().question.format(what=what), about) for what, about in asked]


def measured(save: Path, report: Report, stories: Sequence[Story]) -> tuple[Society, MadeUp]:
    """The society of a town that was played, and what its people made up in the survey."""
    _, lives = read(save)
    return measure(stories, lives), made_up(questions(stories), report.answers, lives, survey())


def made_up(
    asked: Sequence[SurveyQuestion],
    answers: Mapping[tuple[NpcId, str], str],
    lives: Sequence[Life],
    reading: Survey,
) -> MadeUp:
    """Answers that claim knowledge without a memory that supports it. `answers` are by person and question."""
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
    """Whether an answer claims knowledge: it does not deny, and it names the subject or says yes."""
    plain = answer.replace("’", "'").strip().lower()
    if not plain or mentions(plain, deny):
        return False
    return mentions(plain, about) or any(re.match(rf"{re.escape(word)}\b", plain) for word in claim)
