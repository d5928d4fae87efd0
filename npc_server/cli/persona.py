"""`npc-server persona`: checks persona files, shows what minds read in them, and prints their schema for editors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli import persona_card
from npc_server.cli.options import Mods
from npc_server.cli.output import say
from npc_server.clock import HOUR, MINUTE
from npc_server.documents import read_document
from npc_server.errors import BadInput, FileProblem
from npc_server.instinct.routine_file import routine_file
from npc_server.personas.file import DAYS
from npc_server.personas.schema import Persona, json_schema, load_persona, persona_id
from npc_server.platform.files import write_whole
from npc_server.session.checked_files import check_personas, lay_mods, read_personas
from npc_server.session.game_files import ChangeKind, people_changes
from npc_server.world.town import load_town

app = typer.Typer(help="Check and show persona files, print their schema, and exchange them with character cards.", no_args_is_help=True)
app.command("import")(persona_card.import_)
app.command()(persona_card.export)

TownFile = Annotated[Path | None, typer.Option("--town", help="Town file of the addresses.")]


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Persona files, or folders of them.")],
    town: TownFile = None,
    mods: Mods = None,
) -> None:
    """Check persona files, and print each mistake with its line and how to fix it. Mistakes give exit code 1, warnings do not.

    With --mods, it also checks the mods that lie over these files, and prints what they change.
    """
    place = load_town(read_document(town)) if town else None
    documents, unread = read_personas(files)
    found = check_personas(documents, place, mods)
    mistakes, modded, people = [*unread, *found.mistakes], found.modded, found.people
    if not documents and not mistakes:
        raise BadInput(f"There is no persona file in {', '.join(map(str, files))}.", "Name a persona file, or a folder that holds some.")
    for problem in mistakes:
        say(str(problem))
    for problem in found.warnings:
        say(f"warning: {problem}")
    for change in people_changes(documents, modded.personas, place.id if place else ""):
        is_new = change.kind is ChangeKind.ADDED
        say(f"{change.file} brings a new person." if is_new else f"{change.summary} ({', '.join(modded.by[change.npc])})")
    if mistakes:
        say(f"{len(mistakes)} mistake{'s' if len(mistakes) > 1 else ''}.", err=True)
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
    mods: Mods = None,
    day: Annotated[str, typer.Option(help=f"Day of the routine: {', '.join(DAYS)}.")] = "mon",
) -> None:
    """Show a persona as minds read it: the phrases of its identity, and its routine in small steps. With --mods, as mods change it."""
    if day not in DAYS:
        raise typer.BadParameter(f"{day!r} is not a day. Use one of {', '.join(DAYS)}.", param_hint="--day")
    place = load_town(read_document(town)) if town else None
    document = read_document(file)
    modded = lay_mods([document], place, mods, only=persona_id(document))
    if modded.left_out:
        raise FileProblem(modded.left_out)
    persona = load_persona(modded.personas[0], place.id if place else "")
    for problem in persona.warnings:
        say(f"warning: {modded.at_source(problem)}", err=True)
    by = [f"Changed by {', '.join(names)}", ""] if (names := modded.by.get(persona.id)) else []
    say("\n".join([*by, *_shown(persona, [*DAYS].index(day))]))


@app.command()
def routines(
    files: Annotated[list[Path], typer.Argument(help="Persona files, or folders of them.")],
    town: Annotated[Path, typer.Option("--town", help="Town file of the addresses.")],
    out: Annotated[Path, typer.Option("--out", help="JSON file to write.")],
) -> None:
    """Write the routines of persona files for a game that runs where no server can. The Godot addon does this by itself."""
    place = load_town(read_document(town))
    documents, mistakes = read_personas(files)
    people: list[Persona] = []
    for document in documents:
        try:
            people.append(load_persona(document, place.id))
        except FileProblem as error:
            mistakes += error.problems
    if mistakes:
        raise FileProblem(tuple(mistakes))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(out, routine_file(people, place))
    except OSError as error:
        raise BadInput(f"Cannot write {str(out)!r}: {error.strerror}.", "Name a file in a folder that can be written.") from error
    say(f"The routines of {len(people)} people are in {out}.")


def _shown(persona: Persona, weekday: int) -> list[str]:
    rows = [f"{persona.name} ({persona.id}), {persona.age}: {', '.join(persona.traits)}", "", "Identity, each a memory from the start:"]
    rows += [f"  - {phrase}{' (a secret)' if phrase in persona.secrets else ''}" for phrase in persona.identity_phrases]
    for label, text in (("Currently", persona.currently), ("Lifestyle", persona.lifestyle), ("Voice", persona.voice.style)):
        rows += [f"{label}: {text}"] if text else []
    rows += [f"{label}: {' | '.join(lines)}" for label, lines in _lines_of(persona) if lines]
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


def _lines_of(persona: Persona) -> list[tuple[str, Sequence[str]]]:
    """What the person says of itself, and what it may do for players."""
    voice = persona.voice
    return [
        ("Tempers", voice.tempers),
        ("Exchanges", [f"{it.heard} - {it.said}" for it in voice.exchanges]),
        ("Examples", voice.examples),
        ("Greetings", voice.greetings),
        ("Farewells", voice.farewells),
        ("Small talk", voice.smalltalk),
        ("What it says when it does not know", voice.dont_know),
        ("Offers", [offer.name for offer in persona.offers]),
    ]


def _time(seconds: int) -> str:
    return f"{seconds // HOUR % 24:02}:{seconds % HOUR // MINUTE:02}"
