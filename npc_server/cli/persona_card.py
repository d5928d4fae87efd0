"""`npc-server persona import` and `persona export`: character cards and the reference's folders as persona files, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli.options import Force, check_new_file, write_new_file
from npc_server.cli.output import say
from npc_server.documents import read_document
from npc_server.errors import BadInput, FileProblem
from npc_server.personas import reference_persona
from npc_server.personas.cards import beside, from_persona
from npc_server.personas.cards.card import Card
from npc_server.personas.cards.files import FORMS, SUFFIXES, bytes_of, read_card
from npc_server.personas.cards.to_persona import Given, imported
from npc_server.personas.schema import load_persona
from npc_server.records import Document
from npc_server.world.town_knowledge import with_knowledge


def import_(
    file: Annotated[Path, typer.Argument(help="Character card (.json, .png, .charx), or a folder of the reference.")],
    to: Annotated[Path, typer.Option("--to", help="Folder for the persona file and its portrait and card.")] = Path(),
    npc: Annotated[str, typer.Option("--id", help="Id of the person. Default: made of the name.")] = "",
    age: Annotated[int | None, typer.Option(min=0, help="Age in years, where the text states none or another.")] = None,
    home: Annotated[str, typer.Option(help="Address of a bed or a room, without the town's id.")] = "",
    user: Annotated[str, typer.Option(help="Name for {{user}}. Without it, sentences about the player are left out.")] = "",
    town: Annotated[Path | None, typer.Option(help="Town file that gets the facts of the card's book.")] = None,
    force: Force = False,
) -> None:
    """Make a persona file of a character card, version 1, 2 or 3, or of a person of the reference implementation.

    The card, its portrait and its other files are kept beside it for `persona export`, and the facts of its book, for the town file.
    """
    given = Given(npc, age, home, " ".join(user.split()))
    if not to.is_dir():
        raise BadInput(f"There is no folder {str(to)!r}.", "Create it first, or choose another place.", folder=to)
    folder = reference_persona.folder_of(file) if file.is_dir() else None
    if folder is None and file.is_dir():
        fix = "Name a card, or a folder with that file."
        raise BadInput(f"There is no {reference_persona.SCRATCH} in {str(file)!r}.", fix, folder=file)
    card = read_card(file) if folder is None else Card({})
    made = imported(card, given) if folder is None else reference_persona.imported(folder, given)
    document = Document(f"{made.npc}.yaml", made.yaml())
    try:
        problems = load_persona(document, "").warnings
    except FileProblem as error:
        raise BadInput(f"The card gives no persona file that can be used.\n{error}", "Change the card, or give other options.") from error
    known = with_knowledge(read_document(town), made.knowledge) if town is not None else None
    written = beside.write(to, card, made, given, force) if folder is None else beside.write_persona(to, made, force)
    for warning in made.warnings:
        say(f"warning: {warning}")
    if problems:
        say(f"warning: {len(problems)} more with: npc-server persona check {written[-1]}")
    if made.knowledge:
        say(f"{len(made.knowledge)} facts of its book are in {to / f'{made.npc}.knowledge.txt'}.")
    if known is not None and town is not None:
        write_new_file(town, known[0])
        say(f"{known[1]} of them were added to {town}.")
    say(f"{made.values['name']} is in {written[-1]}.")


def export(
    persona: Annotated[Path, typer.Argument(help="Persona file.")],
    form: Annotated[str, typer.Option("--as", help=f"Form of the card: {', '.join(FORMS)}.")] = "v2",
    to: Annotated[Path | None, typer.Option("--to", help="File to write. Default: beside the persona file.")] = None,
    force: Force = False,
) -> None:
    """Write a persona as a character card: JSON of version 2 or 3, a PNG, or a .charx.

    Of a persona that was imported, the card is as it was, with what was changed in the persona file since. Secrets are not exported.
    """
    chosen = next((it for it in FORMS if it == form), None)
    if chosen is None:
        raise typer.BadParameter(f"{form!r} is not a form of a card. Use one of {', '.join(FORMS)}.", param_hint="--as")
    target = to or persona.with_name(f"{persona.stem}.{form}{SUFFIXES[chosen]}")
    check_new_file(target, force)
    document = read_document(persona)
    card = from_persona.card_of(document, beside.read(persona), beside.portrait_of(persona))
    try:
        target.write_bytes(bytes_of(card, chosen))
    except OSError as error:
        raise BadInput(f"The file {str(target)!r} cannot be written: {error.strerror}.", "Choose another place.", file=target) from error
    say(f"{card.text('name')} is in {target}.")
