"""`npc-server eval believability`: compares interviews under five conditions (Generative Agents, section 6)."""

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

from npc_eval.believability_study import by_people, files, life, report
from npc_eval.believability_study.cards import CardSet, card_sets
from npc_eval.believability_study.judge import Judge, judged
from npc_eval.believability_study.page import drawn_person
from npc_eval.believability_study.page import page as ranking_page
from npc_eval.engines.from_folder import require_complete
from npc_eval.prompts import PROMPTS
from npc_server.cli.options import (
    DAYS,
    AsJson,
    At,
    Config,
    Force,
    Model,
    People,
    Questions,
    Seed,
    Town,
    check_new_file,
    engine_of,
    names_in,
    new_save,
    parsed_time,
    write_new_file,
)
from npc_server.cli.output import Console, log_to, moment, say, tell_of_model
from npc_server.clock import DAY
from npc_server.config import Settings, load_settings
from npc_server.documents import read_document
from npc_server.errors import BadInput, UnknownName
from npc_server.llm.best_here import with_named_model
from npc_server.llm.start import missing_model, open_engine
from npc_server.prompts.load import Prompts
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import find_cast
from npc_server.session.interview_questions import load_questions

COLUMNS = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
Answers = Annotated[Path, typer.Argument(metavar="ANSWERS", help="File of answers from `run`.")]
Each = Annotated[int, typer.Option("--each", min=0, help="Questions of each category to rank, drawn at random; 0 takes all.")]
Until = Annotated[str, typer.Option(help="Time of the last day at which the interviews take place.")]
OUT = "File to create."

app = typer.Typer(
    name="believability",
    help="Interview people under five conditions, and rank how believable they are (Generative Agents, section 6).",
    no_args_is_help=True,
)


@app.callback()
def group() -> None:
    """Measure how believable people are."""


@app.command()
def run(
    town: Town = "millbrook",
    people: People = "",
    days: Annotated[int, typer.Option(min=1, max=30, help=DAYS)] = 2,
    until: Until = "20:00",
    seed: Seed = 7,
    save: Annotated[Path | None, typer.Option(help="Save file to interview people of, instead of playing a town. It is only read.")] = None,
    at: At = "",
    keep: Annotated[Path | None, typer.Option(help="Save file to keep the played town in.")] = None,
    model: Model = None,
    questions: Questions = None,
    human: Annotated[Path | None, typer.Option(help="File of `template` with the answers of a person.")] = None,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("answers.json"),
    force: Force = False,
    config: Config = None,
) -> None:
    """Play a town or read a save, and interview its people with their whole mind and with parts of their memory removed.

    The whole town is played; --people chooses whom to ask. --at needs --save.
    """
    log_to()
    check_new_file(out, force)
    if save is not None and keep is not None:
        raise BadInput("--save and --keep were given together.", "Leave --keep out: the file of --save is kept anyway.")
    if at and save is None:
        raise BadInput("--at needs --save.", "Use --until to choose when a town that is played now is interviewed.")
    keep = new_save(keep, force) if keep is not None else None
    settings, asked_at = with_named_model(load_settings(config, **engine_of(model))), parsed_time(at)
    asked = load_questions(read_document(questions) if questions else None)
    by_hand = read_document(human) if human else None
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder, Progress(*COLUMNS, console=_stderr(), transient=True) as bars:
        if save is None:
            save = _played(settings, town, names_in(people), days, until, seed, Path(folder), bars)
            if keep is not None:
                shutil.copyfile(save, keep)
        task = bars.add_task("asking", total=None)

        def answered(done: int, of: int) -> None:
            bars.update(task, completed=done, total=of)

        found = asyncio.run(life.interviews(settings, save, names_in(people), asked, asked_at, tell_of_model, answered))
    if by_hand is not None:
        found = by_people.with_human_answers(found, by_hand)
    files.write_json(out, found)
    say(f"{len(found.answers)} answers of {len(found.people)} people, asked at {found.asked_at}, are in {out}.")


def _played(settings: Settings, town: str, people: Sequence[str], days: int, until: str, seed: int, folder: Path, bars: Progress) -> Path:
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
def template(
    answers: Answers,
    out: Annotated[Path | None, typer.Option(help=f"{OUT} By default it is printed.")] = None,
    force: Force = False,
) -> None:
    """Make a file in which a person answers for each character. `add` and `run --human` read it when it is filled in."""
    log_to()
    text = by_people.template(files.read_interviews(answers))
    if out is None:
        say(text, end="")
        return
    check_new_file(out, force)
    write_new_file(out, text)


@app.command()
def add(
    answers: Answers,
    human: Annotated[Path, typer.Argument(metavar="HUMAN", help="File of `template` with the answers of a person.")],
    out: Annotated[Path | None, typer.Option(help=f"{OUT} The default is to replace ANSWERS.")] = None,
    force: Force = False,
) -> None:
    """Add the answers of a person to the others, as the fifth condition."""
    log_to()
    if out is not None:
        check_new_file(out, force)
    found = by_people.with_human_answers(files.read_interviews(answers), read_document(human))
    files.write_json(out or answers, found)
    count = sum(it.condition.value == "human" for it in found.answers)
    say(f"{count} of {len(found.asked())} questions have a person's answer.")


@app.command()
def page(
    answers: Answers,
    person: Annotated[str, typer.Option(help="Id of the person to show. The default is drawn at random.")] = "",
    each: Each = 1,
    seed: Seed = 7,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("ranks.html"),
    force: Force = False,
) -> None:
    """Make a web page on which a person ranks answers without knowing their conditions.

    The page works offline. Make one for each evaluator, each with another --seed. The paper asks for --each 1.
    """
    log_to()
    check_new_file(out, force)
    found = files.read_interviews(answers)
    npc = person or drawn_person(found, seed)
    _known(found, [npc])
    text = ranking_page(found, npc, each, seed)
    if not text:
        raise BadInput(f"The answers of {npc!r} are the same under all conditions.", "Choose another person, or ask a model.")
    write_new_file(out, text)
    say(f"{out} shows the life of {found.person(npc).name}. Open it in a browser.")


@app.command()
def judge(
    answers: Answers,
    model: Model = None,
    people: People = "",
    each: Each = 0,
    seed: Seed = 7,
    prompt_tokens: Annotated[
        int, typer.Option(min=256, help="Most tokens of one prompt. The least important memories are left out.")
    ] = 4000,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("ranks.json"),
    force: Force = False,
    config: Config = None,
) -> None:
    """Let a model rank the answers without knowing their conditions. It ranks each question twice, in opposite orders."""
    log_to()
    check_new_file(out, force)
    settings, found = with_named_model(load_settings(config, **engine_of(model))), files.read_interviews(answers)
    _known(found, names_in(people))
    sets = card_sets(found, seed, names_in(people), each)
    if not sets:
        raise BadInput("No question has two different answers, so there is nothing to rank.", "Choose other people.")
    with Progress(*COLUMNS, console=_stderr(), transient=True) as bars:
        made = asyncio.run(_judged(settings, found, sets, seed, prompt_tokens, bars))
    files.write_json(out, made)
    bias = made.position_bias
    agreed = f" Kendall's tau between both orders: {bias.kendall_tau:.2f}." if bias else ""
    say(
        f"{len(made.rankings)} rankings by {made.judge} are in {out}. The judge left {made.unanswered} questions without a ranking.{agreed}"
    )


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
        made = Judge(engine, patient.model_name, Prompts([PROMPTS]), seed, prompt_tokens)
        ranks = await judged(made, found, sets, lambda: bars.advance(task))
        require_complete(engine)
        return ranks
    finally:
        await engine.close()


@app.command(name="report")
def report_(
    ranks: Annotated[list[Path], typer.Argument(metavar="RANKS...", help="Files of rankings, from `page` or `judge`.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the report as Markdown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rate the conditions with TrueSkill, and test their differences as the paper does.

    The tests are Kruskal-Wallis, and Dunn with Holm-Bonferroni.
    """
    log_to()
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
            raise UnknownName(f"Nobody with id {npc!r} was asked.", f"Ids: {', '.join(there)}.", npc=npc)


def _stderr() -> Console:
    return Console(stderr=True)
