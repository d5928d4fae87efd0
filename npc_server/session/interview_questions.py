"""Believability interviews: five questions in each of five categories (Generative Agents, section 6.2)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from npc_server.cognition.interview import interview
from npc_server.document_errors import Wrong
from npc_server.documents import parse_yaml
from npc_server.mind.mind import Mind
from npc_server.records import Document, GameTime, ScoredMemory, Source
from npc_server.world.tree import Node, NodeKind

FILE = "interview.yaml"
PLACEHOLDERS = ("other", "stranger", "place")
HINTS = {"question": "Write a list of questions, each a sentence."}

_NAME = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class InterviewQuestion:
    category: str
    text: str


@dataclass(frozen=True)
class Answered:
    question: InterviewQuestion
    answer: str
    source: Source
    evidence: tuple[ScoredMemory, ...]


def _checked(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        raise Wrong("A question is empty.", "Write it, or delete the line.")
    strange = [name for name in _NAME.findall(words) if name not in PLACEHOLDERS]
    if strange or set(_NAME.sub("", words)) & {"{", "}"}:
        raise Wrong(
            f"The question {words[:60]!r} has a placeholder that is not known.", f"Use {', '.join('{' + p + '}' for p in PLACEHOLDERS)}."
        )
    return words


_Questions = Annotated[list[Annotated[str, Field(max_length=300), AfterValidator(_checked)]], Field(min_length=1, max_length=100)]


class QuestionFile(BaseModel):
    """A file of interview questions, by the paper's categories."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    self_knowledge: _Questions = Field(alias="self-knowledge", description="Who the person is.")
    memory: _Questions = Field(description="What the person remembers of people and events.")
    plans: _Questions = Field(description="What the person is going to do.")
    reactions: _Questions = Field(description="What the person would do if something happened.")
    reflections: _Questions = Field(description="What the person has understood.")


def load_questions(document: Document | None = None) -> list[InterviewQuestion]:
    """The questions of a file, category by category; those that ship when no file is given. Raises FileProblem with every mistake."""
    if document is None:
        text = resources.files("npc_server").joinpath(f"data/{FILE}").read_text(encoding="utf-8")
        document = Document(FILE, text)
    file = parse_yaml(document, QuestionFile, HINTS)
    return [InterviewQuestion(category, text) for category, texts in file.model_dump(by_alias=True).items() for text in texts]


async def answers(mind: Mind, questions: Sequence[InterviewQuestion], now: GameTime) -> AsyncIterator[Answered]:
    """A mind's answers, one question after the other. It remembers nothing of the interview."""
    for question in questions:
        answer, evidence = await interview(mind.aside(), question.text, now)
        yield Answered(question, answer.value, answer.source, tuple(evidence))


def for_person(questions: Sequence[InterviewQuestion], mind: Mind) -> list[InterviewQuestion]:
    """The questions for one person. People and places in them are drawn from the person's town, the same ones every time."""
    return [InterviewQuestion(question.category, _filled(question.text, mind)) for question in questions]


def _filled(text: str, mind: Mind) -> str:
    known = [mind.people.name_of(relation.who) for relation in mind.persona.relations if relation.who in mind.people.names]
    others = [name for npc, name in mind.people.names.items() if npc != mind.npc]
    strangers = [name for name in others if name not in known]
    drawn = {
        "other": _draw(mind, text, "other", known or others, "your neighbour"),
        "stranger": _draw(mind, text, "stranger", strangers, "somebody new in town"),
        "place": _draw(mind, text, "place", [mind.world.describe(node.address) for node in _public(mind)], "the square"),
    }
    return _NAME.sub(lambda found: drawn[found[1]], text)


def _public(mind: Mind) -> list[Node]:
    return [node for node in mind.world if node.kind is NodeKind.SECTOR and not node.owners]


def _draw(mind: Mind, text: str, what: str, among: Sequence[str], otherwise: str) -> str:
    return among[mind.seed_for("interview", text, what) % len(among)] if among else otherwise
