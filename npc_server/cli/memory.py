"""`npc-server memory`: adds, edits and deletes memories of a save that no game plays, and shows what was changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import typer

from npc_server import clock
from npc_server.cli.options import Config, names_in, parsed_time, slot_of
from npc_server.cli.output import log_to, say
from npc_server.config import load_settings
from npc_server.errors import BadInput, UnknownName
from npc_server.personas.names import called
from npc_server.records import Memory, MemorySource, NpcId
from npc_server.session.audience import Audience
from npc_server.session.mend import NewMemory
from npc_server.session.mending import Mended
from npc_server.session.session import Session
from npc_server.session.unplayed import Unplayed, unplayed
from npc_server.wire.convert_mending import key as checked_key
from npc_server.wire.convert_mending import memory_text

app = typer.Typer(help="Add, edit and delete memories of a save that no game plays.", no_args_is_help=True)

SaveToChange = Annotated[Path, typer.Argument(metavar="SAVE", help="Save file. No game may play it.")]
Person = Annotated[str, typer.Argument(metavar="NPC", help="Person: an id, or a name in upper or lower case.")]
Number = Annotated[int, typer.Argument(metavar="ID", min=1, help="The memory, as `npc-server mind` numbers it.")]
For = Annotated[str, typer.Option("--for", help="People, by id or name, separated by commas.")]
Faction = Annotated[str, typer.Option("--faction", help="Everybody of these factions, separated by commas.")]
Place = Annotated[str, typer.Option("--place", help="Everybody who lives or works at this address, or is there.")]
Everybody = Annotated[bool, typer.Option("--everybody", help="Everybody in the save.")]
Importance = Annotated[int, typer.Option(min=0, max=10, help="From 1 (mundane) to 10 (life changing). 0: rated by the mind, or unchanged.")]
By = Annotated[str, typer.Option("--by", help="Who changes it, for the history.")]


@app.command()
def add(
    save: SaveToChange,
    text: Annotated[str, typer.Argument(help='A sentence in the third person, such as "The old king is dead."')],
    people: For = "",
    faction: Faction = "",
    place: Place = "",
    everybody: Everybody = False,
    importance: Importance = 0,
    teller: Annotated[str, typer.Option("--from", help="Who told it: an id or a name. Without it, it is simply known.")] = "",
    at: Annotated[str, typer.Option("--at", help='Game time, such as "2026-05-04 18:00". Default: the time of the save.')] = "",
    key: Annotated[str, typer.Option("--key", help="Name of the memory. Whoever has one of this name gets that one edited.")] = "",
    by: By = "modder",
    config: Config = None,
) -> None:
    """Give people a memory, such as news."""
    source = MemorySource.TOLD if teller else MemorySource.KNOWN
    new = NewMemory(memory_text(text, required=True), source, teller, importance, parsed_time(at) or 0, key=checked_key(key), by=by)

    async def work(session: Session) -> Mended:
        return await session.mending.add(0, _audience(session, people, faction, place, everybody), new)

    done = _changed(save, config, work)
    for memory in done.memories:
        say(f"{memory.npc} has memory {memory.id}, importance {memory.importance}: {memory.text}")
    for npc in done.without:
        say(f"warning: {npc} makes no memories, and got none.")
    if not done.memories:
        say("Nobody got it: nobody is there.")
    _tell_doubt(done)


@app.command()
def edit(
    save: SaveToChange,
    npc: Person,
    memory: Number,
    text: Annotated[str, typer.Option("--text", help="The new sentence.")] = "",
    importance: Importance = 0,
    by: By = "modder",
    config: Config = None,
) -> None:
    """Change the text or the importance of a memory. What was concluded from the old text is in doubt afterwards."""

    async def work(session: Session) -> Mended:
        return await session.mending.edit(0, _person(session, npc), memory, memory_text(text), importance, by)

    done = _changed(save, config, work)
    (edited,) = done.memories
    say(f"Memory {edited.id} of {edited.npc}, importance {edited.importance}: {edited.text}")
    _tell_doubt(done)


@app.command()
def delete(
    save: SaveToChange,
    npc: Annotated[str, typer.Argument(metavar="[NPC]", help="Person: an id or a name. Not with --key.")] = "",
    memory: Annotated[int, typer.Argument(metavar="[ID]", min=0, help="The memory, as `npc-server mind` numbers it.")] = 0,
    key: Annotated[str, typer.Option("--key", help="Delete all memories of this name.")] = "",
    people: For = "",
    faction: Faction = "",
    place: Place = "",
    by: By = "modder",
    config: Config = None,
) -> None:
    """Delete a memory by its number, or the memories of a key. What was concluded from them is in doubt afterwards."""
    if bool(key) == bool(npc and memory):
        raise BadInput("Neither NPC and ID nor --key was given, or both were.", "Name one memory, or the key of several.")

    async def work(session: Session) -> Mended:
        if not key:
            return await session.mending.delete(0, _person(session, npc), memory, by)
        return await session.mending.delete_key(0, checked_key(key), _audience(session, people, faction, place, False), by)

    done = _changed(save, config, work)
    for gone in done.memories:
        say(f"Deleted memory {gone.id} of {gone.npc}: {gone.text}")
    if not done.memories:
        say(f"Nobody has a memory with the key {key!r}.")
    _tell_doubt(done)


@app.command()
def history(
    save: SaveToChange,
    npc: Person,
    memory: Annotated[int, typer.Option("--memory", min=0, help="Only this memory, which may be deleted.")] = 0,
    config: Config = None,
) -> None:
    """Show who added, edited and deleted which memories of a person."""

    async def work(held: Unplayed) -> None:
        changes = await held.session.mending.changes(_person(held.session, npc), memory)
        for change in changes:
            before = f": {change.former_text} (importance {change.former_importance})" if change.former_text else ""
            say(f"{clock.written(change.at)}  memory {change.memory} {change.kind.value} by {change.by}{before}")
        if not changes:
            say("Nothing was changed.")

    _opened(save, config, work)


def _changed(save: Path, config: Path | None, work: Callable[[Session], Awaitable[Mended]]) -> Mended:
    done = Mended()

    async def change(held: Unplayed) -> None:
        nonlocal done
        done = await work(held.session)
        held.changed = bool(done.memories)

    _opened(save, config, change)
    return done


def _opened(save: Path, config: Path | None, work: Callable[[Unplayed], Awaitable[None]]) -> None:
    log_to()
    settings = load_settings(config)
    folder, slot = slot_of(save)
    settings = settings.model_copy(update={"save": settings.save.model_copy(update={"folder": folder})})

    async def run() -> None:
        async with unplayed(settings, slot) as held:
            await work(held)

    asyncio.run(run())


def _person(session: Session, who: str) -> NpcId:
    found = called(who, [session.agent(npc).mind.persona for npc in session.npc_ids])
    if found is None:
        raise UnknownName(f"There is nobody {who!r} in this save.", f"There are: {', '.join(session.npc_ids)}.", npc=who)
    return found.id


def _audience(session: Session, people: str, faction: str, place: str, everybody: bool) -> Audience:
    npcs = tuple(_person(session, who) for who in names_in(people))
    return Audience(npcs, tuple(names_in(faction)), tuple(names_in(place)), everybody)


def _tell_doubt(done: Mended) -> None:
    for memory in done.in_doubt:
        say(_doubt(memory))


def _doubt(memory: Memory) -> str:
    return f"In doubt, memory {memory.id} of {memory.npc}: {memory.text}"
