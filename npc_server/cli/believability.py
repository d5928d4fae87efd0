"""`npc-server eval believability`: interviews under five conditions, ranked by people or a model (Generative Agents, section 6)."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from npc_server.cli.options import engine_of, names_in, parsed_time
from npc_server.cli.output import Console, log_to, moment, say, tell_of_model
from npc_server.clock import DAY
from npc_server.config import Settings, load_settings
from npc_server.documents import read_document
from npc_server.errors import BadInput, UnknownName
from npc_server.evaluation.believability import load_questions
from npc_server.evaluation.believability_study import by_people, files, life, report, statistics
from npc_server.evaluation.believability_study.cards import CardSet, card_sets
from npc_server.evaluation.believability_study.judge import Judge, judged
from npc_server.evaluation.believability_study.page import drawn_person
from npc_server.evaluation.believability_study.page import page as made_page
from npc_server.llm.recorded import RecordedEngine
from npc_server.llm.start import missing_model, open_engine
from npc_server.memory.listing import SUFFIX
from npc_server.prompts.load import Prompts
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import find_cast

COLUMNS = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
Answers = Annotated[Path, typer.Argument(metavar="ANSWERS", help="A file that `run` made.")]
Out = Annotated[Path | None, typer.Option(help="File to make; printed where left out.")]
Force = Annotated[bool, typer.Option(help="Replace the file if there is one.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Config = Annotated[Path | None, typer.Option(help="Settings file.")]

app = typer.Typer(
    name="believability",
    help="Interviews under five conditions, ranked by how believable they are (Generative Agents, section 6).",
    no_args_is_help=True,
)


@app.callback()
def group() -> None:
    """Measures how believable people are."""


@app.command()
def run(
    town: Annotated[str, typer.Option(help="A shipped town by name, or a town file.")] = "millbrook",
    people: Annotated[str, typer.Option(help="Who is asked, joined by commas; everybody where left out. The whole town lives.")] = "",
    days: Annotated[int, typer.Option(min=1, max=30, help="Days of the town's calendar to live.")] = 2,
    until: Annotated[str, typer.Option(help="Time of the last day at which people are asked.")] = "20:00",
    seed: Seed = 7,
    save: Annotated[Path | None, typer.Option(help="A save that was played already, in place of a life. It is only read.")] = None,
    at: Annotated[str, typer.Option(help='With --save: game time to ask at, "2026-05-05 20:00"; else the save\'s own.')] = "",
    keep: Annotated[Path | None, typer.Option(help="Save file to keep the life in.")] = None,
    model: Annotated[str | None, typer.Option(help="A model's name or GGUF file, or `none` for instinct; else the settings'.")] = None,
    questions: Annotated[Path | None, typer.Option(help="A file of questions in place of ours.")] = None,
    human: Annotated[Path | None, typer.Option(help="Answers by a person, as `template` has them.")] = None,
    out: Annotated[Path, typer.Option(help="File of answers to make.")] = Path("answers.json"),
    force: Force = False,
    config: Config = None,
) -> None:
    """Lives a town, or takes a save, and asks its people 25 questions with the whole mind and with less and less of its memory."""
    log_to()
    _may_make(out, force)
    if save is not None and keep is not None:
        raise BadInput("--save and --keep were given together.", "--save names a life that is kept already; leave --keep out.")
    if at and save is None:
        raise BadInput("--at needs --save.", "Use --until for the end of a life that is lived now.")
    if keep is not None:
        _may_make(keep, force)
    settings, asked_at = load_settings(config, **engine_of(model)), parsed_time(at)
    asked = load_questions(read_document(questions) if questions else None)
    by_hand = read_document(human) if human else None
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder, Progress(*COLUMNS, console=_stderr(), transient=True) as bars:
        if save is None:
            save = _lived(settings, town, names_in(people), days, until, seed, Path(folder), bars)
            if keep is not None:
                shutil.copyfile(save, keep if keep.suffix else keep.with_name(keep.name + SUFFIX))
        task = bars.add_task("asking", total=None)

        def answered(done: int, of: int) -> None:
            bars.update(task, completed=done, total=of)

        found = asyncio.run(life.interviews(settings, save, names_in(people), asked, asked_at, tell_of_model, answered))
    if by_hand is not None:
        found = by_people.with_human_answers(found, by_hand)
    files.write_json(out, found)
    say(f"{len(found.answers)} answers of {len(found.people)} people, asked at {found.asked_at}, are in {out}.")


def _lived(settings: Settings, town: str, people: Sequence[str], days: int, until: str, seed: int, folder: Path, bars: Progress) -> Path:
    cast = find_cast(town)
    for who in people:
        if who not in [person.id for person in cast.people]:
            raise UnknownName(f"There is nobody with id {who!r} in {cast.town.name}.", f"Ids: {', '.join(it.id for it in cast.people)}.")
    length = life.length(cast.town.start, days, until)
    task = bars.add_task(cast.town.name, total=round(length * DAY))

    def turned(world: TownWorld) -> None:
        bars.update(task, completed=world.now - cast.town.start, description=moment(world.now))

    return asyncio.run(life.live(settings, cast, seed, length, folder, tell_of_model, turned))


@app.command()
def template(answers: Answers, out: Out = None, force: Force = False) -> None:
    """Makes the file in which a person answers for each character; `add` or `run --human` takes it filled in."""
    log_to()
    _print(by_people.template(files.read_interviews(answers)), out, force)


@app.command()
def add(
    answers: Answers,
    human: Annotated[Path, typer.Argument(metavar="HUMAN", help="The file of `template`, filled in.")],
    out: Annotated[Path | None, typer.Option(help="File to make; the file of answers itself where left out.")] = None,
    force: Force = False,
) -> None:
    """Puts a person's answers beside the others, as the fifth condition."""
    log_to()
    if out is not None:
        _may_make(out, force)
    found = by_people.with_human_answers(files.read_interviews(answers), read_document(human))
    files.write_json(out or answers, found)
    count = sum(it.condition.value == "human" for it in found.answers)
    say(f"{count} of {len(found.asked())} questions have a person's answer.")


@app.command()
def page(
    answers: Answers,
    person: Annotated[str, typer.Option(help="Id of whose life is shown; drawn by the seed where left out.")] = "",
    each: Annotated[int, typer.Option(min=0, help="Questions of each category, drawn by the seed; 0 for all. The paper has 1.")] = 1,
    seed: Seed = 7,
    out: Annotated[Path, typer.Option(help="File to make.")] = Path("ranks.html"),
    force: Force = False,
) -> None:
    """Makes a page on which a person ranks answers blind. It needs no network; each evaluator gets one with another seed."""
    log_to()
    _may_make(out, force)
    found = files.read_interviews(answers)
    npc = person or drawn_person(found, seed)
    _known(found, [npc])
    text = made_page(found, npc, each, seed)
    if not text:
        raise BadInput(f"All answers of {npc!r} to each question are the same.", "Choose another person, or ask a model.")
    _write(out, text)
    say(f"{out} shows the life of {found.person(npc).name}. Open it in a browser.")


@app.command()
def judge(
    answers: Answers,
    model: Annotated[str | None, typer.Option(help="The judge: a model's name or GGUF file; else the settings'.")] = None,
    people: Annotated[str, typer.Option(help="Ids of whose answers are ranked, joined by commas; everybody's where left out.")] = "",
    each: Annotated[int, typer.Option(min=0, help="Questions of each category for a person, drawn by the seed; 0 for all.")] = 0,
    seed: Seed = 7,
    prompt_tokens: Annotated[int, typer.Option(min=256, help="Most tokens of one prompt; memories that matter least are left out.")] = 4000,
    out: Annotated[Path, typer.Option(help="File of ranks to make.")] = Path("ranks.json"),
    force: Force = False,
    config: Config = None,
) -> None:
    """Lets a model rank the answers blind, each question twice, the second time in reversed order."""
    log_to()
    _may_make(out, force)
    settings, found = load_settings(config, **engine_of(model)), files.read_interviews(answers)
    _known(found, names_in(people))
    sets = card_sets(found, seed, names_in(people), each)
    if not sets:
        raise BadInput("No question has two different answers.", "There is nothing to rank.")
    with Progress(*COLUMNS, console=_stderr(), transient=True) as bars:
        made = asyncio.run(_judged(settings, found, sets, seed, prompt_tokens, bars))
    files.write_json(out, made)
    bias = made.position_bias
    agreed = f" Kendall's tau between both orders: {bias.kendall_tau:.2f}." if bias else ""
    say(f"{len(made.rankings)} rankings by {made.judge} are in {out}; {made.unanswered} questions got none.{agreed}")


async def _judged(
    settings: Settings, found: files.Interviews, sets: Sequence[CardSet], seed: int, prompt_tokens: int, bars: Progress
) -> files.RankFile:
    patient = settings.engine.model_copy(update={"deadline_s": life.DEADLINE_S, "player_deadline_s": life.DEADLINE_S})
    engine = await open_engine(patient)
    task = bars.add_task("judging", total=len(sets))
    try:
        problem = missing_model(patient, engine)
        if problem or patient.instinct_only:
            raise BadInput(f"A judge needs a model. {problem}".strip(), "Name one with --model.")
        made = Judge(engine, patient.model_name, Prompts(), seed, prompt_tokens)
        ranks = await judged(made, found, sets, lambda: bars.advance(task))
        if isinstance(engine, RecordedEngine):
            engine.require_complete()
        return ranks
    finally:
        await engine.close()


@app.command(name="report")
def report_(
    ranks: Annotated[list[Path], typer.Argument(metavar="RANKS...", help="Files of ranks, from pages or judges.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rates the conditions by TrueSkill and tests their differences (Kruskal-Wallis; Dunn with Holm-Bonferroni), as the paper does."""
    log_to()
    statistics.check()
    made = report.made_from([files.read_ranks(path) for path in ranks])
    if as_json:
        say(json.dumps(report.as_json(made), ensure_ascii=False, indent=1))
    elif markdown:
        say(report.markdown(made), end="")
    else:
        _show(made)


def _show(made: report.BelievabilityReport) -> None:
    console = Console(highlight=False)
    first, *others = report.sentences(made)
    console.print(first)
    for head, *rows in (report.rows(made), report.pair_rows(made), report.category_rows(made)):
        table = Table(*head)
        for row in rows:
            table.add_row(*row)
        console.print(table)
    for line in others:
        console.print(line)


def _known(found: files.Interviews, people: Sequence[str]) -> None:
    there = [person.npc for person in found.people]
    for npc in people:
        if npc not in there:
            raise UnknownName(f"Nobody of the id {npc!r} was asked.", f"Ids: {', '.join(there)}.", npc=npc)


def _may_make(path: Path, force: bool) -> None:
    """Says before any work what would go wrong after it."""
    if not path.absolute().parent.is_dir():
        raise BadInput(f"There is no folder {str(path.absolute().parent)!r}.", "Make it first, or choose another place.", file=path)
    if path.exists() and not force:
        raise BadInput(f"There is a file {str(path)!r} already.", "Choose another name, or add --force to replace it.", file=path)


def _print(text: str, out: Path | None, force: bool) -> None:
    if out is None:
        say(text, end="")
        return
    _may_make(out, force)
    _write(out, text)


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The file {str(out)!r} cannot be written: {error.strerror}.", "Choose another place.", file=out) from error


def _stderr() -> Console:
    return Console(stderr=True)
