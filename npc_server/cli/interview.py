"""`npc-server interview`: asks a person of a save without changing the save (Generative Agents, section 6.2)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding
from rich.progress import Progress
from rich.rule import Rule
from rich.text import Text

from npc_server.cli.options import AsJson, At, Config, Model, Npc, Questions, SaveToRead, engine_of, parsed_time
from npc_server.cli.output import Console, log_to, say, tell_of_model
from npc_server.config import Settings, load_settings
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.llm.start import missing_model, open_embedder, open_engine
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import memory_line
from npc_server.prompts.load import one_line
from npc_server.records import GameTime, ScoredMemory, Source
from npc_server.session.inspect_save import SavedMinds, opened
from npc_server.session.interview_questions import Answered, InterviewQuestion, answers, for_person, load_questions

SHOWN = 8
"""Most memories to show under an answer."""
MAX_WORDS = 2_000
"""Most characters of a question. The `Interview` call has the same limit."""


def interview(
    save: SaveToRead,
    npc: Npc,
    question: Annotated[str, typer.Argument(help="Question to ask. Default: all of --questions.")] = "",
    at: At = "",
    questions: Questions = None,
    model: Model = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Ask a person of a save one question, or 25 built-in ones, and show the memories behind each answer.

    The person does not remember the interview.
    """
    log_to()
    if len(question) > MAX_WORDS:
        raise BadInput(f"The question has {len(question)} characters, and {MAX_WORDS} are allowed.", "Shorten the question.")
    settings = load_settings(config, **engine_of(model))
    own = [InterviewQuestion("", one_line(question))] if question.strip() else []
    wanted = own or load_questions(read_document(questions) if questions else None)
    minds, mind, found = asyncio.run(_ask(settings, save, npc, parsed_time(at), wanted, bool(own)))
    if as_json:
        say(json.dumps(_as_json(minds, mind, found), ensure_ascii=False, indent=1))
    else:
        _show(Console(highlight=False), minds, mind, found)


async def _ask(
    settings: Settings, save: Path, npc: str, at: GameTime | None, wanted: Sequence[InterviewQuestion], as_written: bool
) -> tuple[SavedMinds, Mind, list[Answered]]:
    engine, embedder = await open_engine(settings.engine), await open_embedder(settings.engine)
    try:
        tell_of_model(missing_model(settings.engine, engine), "Instinct answers.")
        async with opened(save, settings.mind, at, engine, embedder) as minds:
            mind = minds.find(npc).mind
            asked = list(wanted) if as_written else for_person(wanted, mind)
            found: list[Answered] = []
            with Progress(console=Console(stderr=True), transient=True, disable=len(asked) == 1) as progress:
                task = progress.add_task(f"Asking {one_line(mind.persona.first_name)}", total=len(asked))
                async for item in answers(mind, asked, minds.now):
                    found.append(item)
                    progress.advance(task)
            return minds, mind, found
    finally:
        await engine.close()
        await embedder.close()


def _show(console: Console, minds: SavedMinds, mind: Mind, found: Sequence[Answered]) -> None:
    name = one_line(mind.persona.name)
    if len(found) == 1 and not found[0].question.category:
        (only,) = found
        console.print(Text(only.question.text, style="bold"))
        console.print(Padding(_answer(name, only), (0, 0, 1, 2)))
        console.print(Text("What came to mind:" if only.evidence else "Nothing came to mind.", style="dim"))
        for scored in only.evidence[:SHOWN]:
            line = one_line(memory_line(mind, scored.memory, minds.now))
            console.print(Padding(Text(f"{scored.score:.2f} {line}", style="dim"), (0, 0, 0, 2)))
        return
    for category, items in groupby(found, key=lambda item: item.question.category):
        console.print(Rule(Text(category, style="bold cyan"), align="left"))
        for item in items:
            console.print(Text(item.question.text, style="bold"))
            console.print(Padding(_answer(name, item), (0, 0, 1, 2)))


def _answer(name: str, item: Answered) -> Text:
    by = " (instinct)" if item.source is Source.INSTINCT else ""
    return Text.assemble((f"{name}: ", "cyan"), one_line(item.answer), (by, "dim"))


def _as_json(minds: SavedMinds, mind: Mind, found: Sequence[Answered]) -> dict[str, object]:
    return {
        "npc": mind.npc,
        "name": mind.persona.name,
        "now": minds.now,
        "answers": [
            {
                "category": item.question.category,
                "question": item.question.text,
                "answer": item.answer,
                "source": item.source.value,
                "evidence": [_evidence(scored) for scored in item.evidence],
            }
            for item in found
        ],
    }


def _evidence(scored: ScoredMemory) -> dict[str, object]:
    memory = scored.memory
    parts = {"score": scored.score, "recency": scored.recency, "importance": scored.importance, "relevance": scored.relevance}
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind.value,
        "source": memory.source.value,
        "source_person": memory.source_person,
        "created": memory.created,
        **{name: round(value, 4) for name, value in parts.items()},
    }
