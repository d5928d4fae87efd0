"""The condition that a person writes (Generative Agents, section 6.2): makes the file to fill in, and adds its answers to the others.

    answers:
      mara_voss:
        "What do you know about Tobin Hale?": He mends my chairs, and he never asks for more than a loaf.
        "What is your work?": ""        # empty: not answered

An empty answer is none. YAML, so that somebody who writes no programs can fill it in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import InterviewAnswer, InterviewedPerson, Interviews
from npc_server.document_errors import did_you_mean
from npc_server.documents import Checked, check_yaml
from npc_server.errors import FileProblem, Problem
from npc_server.prompts.load import one_line
from npc_server.records import Document

WIDTH = 120
"""Most characters of a comment line."""
HINTS = {"answers": 'Write people\'s ids, and below each `"question": answer`.'}
HEAD = """\
# Answers by a person. You are each character in turn: read who they are and what they lived through, then answer as they would,
# in their voice, knowing only what they know. One or a few sentences. Leave "" where you have no answer.
# A long answer may go on in the next lines if each begins with spaces. Put it in double quotes if it holds ': ' or ' #'.
"""


class HumanFile(BaseModel):
    """Answers by the id of the character, then by the text of the question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answers: dict[str, dict[str, str]] = Field(description="Answers by person and question.")


def template(interviews: Interviews) -> str:
    """Makes the file to fill in: comments about each character and their memories, then all questions."""
    return HEAD + "\n\nanswers:\n" + "\n".join("\n".join(_of_person(interviews, person)) for person in interviews.people) + "\n"


def with_human_answers(interviews: Interviews, document: Document) -> Interviews:
    """Returns the interviews with these answers as the condition `human`, in place of earlier ones.

    Raises FileProblem with every person and question that is not known, or when nothing is answered.
    """
    checked = check_yaml(document, HumanFile, HINTS)
    problems = tuple(_strange(interviews, checked))
    given = {(npc, question): one_line(text) for npc, texts in checked.value.answers.items() for question, text in texts.items()}
    if problems:
        raise FileProblem(problems)
    if not any(given.values()):
        raise FileProblem((Problem(document.name, 0, "No question is answered in it.", "Write answers in place of the empty texts."),))
    answers: list[InterviewAnswer] = []
    for npc, category, question in interviews.asked():
        answers += [it for it in interviews.answers_to(npc, question) if it.condition is not Condition.HUMAN]
        if text := given.get((npc, question)):
            answers.append(InterviewAnswer(npc=npc, category=category, question=question, condition=Condition.HUMAN, answer=text))
    return interviews.model_copy(update={"answers": tuple(answers)})


def _of_person(interviews: Interviews, person: InterviewedPerson) -> Iterator[str]:
    yield ""
    yield f"  # {one_line(person.name)}, asked on {interviews.asked_at}"
    yield from (f"  # {line}" for line in _wrapped(person.description))
    yield "  # What they remember, oldest first:"
    yield from (f"  # - {memory.at} ({memory.kind}) {one_line(memory.text)}" for memory in person.memories)
    yield f"  {json.dumps(person.npc, ensure_ascii=False)}:"
    for npc, category, question in interviews.asked():
        if npc == person.npc:
            yield f"    # {category}"
            yield f'    {json.dumps(question, ensure_ascii=False)}: ""'


def _wrapped(text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        if len(line) + len(word) >= WIDTH:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


def _strange(interviews: Interviews, checked: Checked[HumanFile]) -> Iterator[Problem]:
    asked: dict[str, list[str]] = {}
    for npc, _, question in interviews.asked():
        asked.setdefault(npc, []).append(question)
    for npc, texts in checked.value.answers.items():
        line = checked.parsed.line(("answers", npc))
        if npc not in asked:
            yield Problem(
                checked.name, line, f"Nobody of the id {npc!r} was asked.", did_you_mean(npc, asked) or f"Ids: {', '.join(asked)}."
            )
            continue
        for question in texts:
            if question not in asked[npc]:
                line = checked.parsed.line(("answers", npc, question))
                near = did_you_mean(question, asked[npc]) or "Copy the question word for word."
                yield Problem(checked.name, line, f"{npc!r} was not asked {question!r}.", near)
