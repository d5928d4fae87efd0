"""`npc-server persona`: checks persona files, shows what minds read in them, and prints their schema for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from npc_server.affordable.habits import check_habits, things_of
from npc_server.cli.output import say
from npc_server.clock import HOUR, MINUTE
from npc_server.documents import read_document
from npc_server.errors import FileProblem
from npc_server.personas.file import DAYS
from npc_server.personas.schema import Persona, absent_relations, check_against_world, check_people, json_schema, load_persona
from npc_server.world.town import load_town
from npc_server.world.town_records import Town

app = typer.Typer(help="Check and show persona files, and print their schema.", no_args_is_help=True)

TownFile = Annotated[Path | None, typer.Option("--town", help="Town file that the addresses belong to.")]


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Persona files, or folders with persona files.")],
    town: TownFile = None,
) -> None:
    """Check persona files, and print each mistake with its line and how to fix it. Mistakes give exit code 1, warnings do not."""
    place = load_town(read_document(town)) if town else None
    things = things_of(place.nodes() if place else ())
    people: list[Persona] = []
    mistakes = 0
    for path in _files(files):
        try:
            persona = load_persona(read_document(path), place.id if place else "")
        except FileProblem as error:
            mistakes += len(error.problems)
            for problem in error.problems:
                say(str(problem))
            continue
        people.append(persona)
        for problem in persona.warnings:
            say(f"warning: {problem}")
        if place:
            found = check_against_world(persona, _addresses(place))
            mistakes += len(found)
            for problem in found:
                say(str(problem))
            for problem in check_habits(persona, things):
                say(f"warning: {problem}")
    for problem in check_people(people):
        mistakes += 1
        say(str(problem))
    for problem in absent_relations(people):
        say(f"warning: {problem}")
    if mistakes:
        say(f"{mistakes} mistake{'s' if mistakes > 1 else ''}.", err=True)
        raise typer.Exit(1)
    say(f"{', '.join(persona.name for persona in people)}: good.")


@app.command()
def schema() -> None:
    """Print the JSON Schema of persona files, for editors."""
    say(json_schema(), end="")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="Persona file.")],
    town: TownFile = None,
    day: Annotated[str, typer.Option(help=f"Day of the routine to show: {', '.join(DAYS)}.")] = "mon",
) -> None:
    """Show a persona as minds read it: the phrases of its identity, and its routine in small steps."""
    if day not in DAYS:
        raise typer.BadParameter(f"{day!r} is not a day. Use one of {', '.join(DAYS)}.", param_hint="--day")
    place = load_town(read_document(town)) if town else None
    persona = load_persona(read_document(file), place.id if place else "")
    for problem in persona.warnings:
        say(f"warning: {problem}", err=True)
    say("\n".join(_shown(persona, [*DAYS].index(day))))


def _shown(persona: Persona, weekday: int) -> list[str]:
    rows = [f"{persona.name} ({persona.id}), {persona.age}: {', '.join(persona.traits)}", "", "Identity, each a memory from the start:"]
    rows += [f"  - {phrase}" for phrase in persona.identity_phrases]
    for label, text in (("Currently", persona.currently), ("Lifestyle", persona.lifestyle), ("Voice", persona.voice.style)):
        rows += [f"{label}: {text}"] if text else []
    rows += [f"Home: {persona.home}", f"Work: {persona.work or 'none'}"]
    rows += [f"Knows: {', '.join(persona.knows) or 'the public town and its home'}"]
    rows += [f"{r.who}: {r.being}, closeness {r.closeness}. {r.feeling}" for r in persona.relations]
    rows += ["", f"{DAYS[weekday]}, awake {_time(persona.wake)} to {_time(persona.sleep)}:"]
    for item in persona.routine_on(weekday):
        at = item.at
        rows.append(f"  {_time(at)}  {item.text}")
        for piece in item.pieces():
            rows.append(f"    {_time(at)}  {piece.text}  [{piece.where}]")
            at += piece.minutes * MINUTE
    rows += ["", "Kept, but not read: " + ", ".join(sorted(persona.extra))] if persona.extra else []
    return rows


def _time(seconds: int) -> str:
    return f"{seconds // HOUR % 24:02}:{seconds % HOUR // MINUTE:02}"


def _files(paths: list[Path]) -> list[Path]:
    return [file for path in paths for file in (sorted(path.glob("*.y*ml")) if path.is_dir() else [path])]


def _addresses(town: Town) -> set[str]:
    return {node.address for node in town.nodes()}
