"""`npc-server talk`: a talk with one of a town's people in the terminal, as a player has it: for who writes a persona, say."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from npc_server import clock
from npc_server.cli.options import engine_of, parsed_time, slot_of
from npc_server.cli.output import log_to, moment, say, tell_of_model
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput, NpcServerError, UnknownName
from npc_server.evaluation.local_server import local_server, with_own_saves
from npc_server.memory.listing import SUFFIX
from npc_server.prompts.load import one_line
from npc_server.records import Action, GameAction, GameActionResult, GameTime, MindEvent, NpcId
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.connection import Connection, OpenedSave
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.run import reopened
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, cast_with

BEGINS_AFTER_S = 4 * clock.HOUR
"""Game seconds after a town's beginning at which a new talk takes place: in the middle of the morning."""
LINE_S = 10
"""Game seconds that a line takes."""
LONGEST_WAIT_MIN = 24 * 60
HELP = "/think TEXT puts a thought into their head, /undo takes your last line back, /wait MINUTES lets time pass, /quit ends."


@dataclass(frozen=True)
class TalkOptions:
    """What the command line asked for."""

    cast: Cast
    npc: NpcId
    slot: str
    folder: Path
    name: str
    seed: int
    at: GameTime | None


@dataclass
class SinceLastLine:
    """What came from the minds since one looked last."""

    calls: list[GameAction] = field(default_factory=list)
    doing: dict[NpcId, str] = field(default_factory=dict)

    def take(self, event: MindEvent) -> None:
        if isinstance(event, GameAction):
            self.calls.append(event)
        elif isinstance(event, Action):
            self.doing[event.npc] = event.sentence


def talk(
    who: Annotated[str, typer.Argument(help="Whom to talk with: an id or a name, in any case, or a persona file.")],
    town: Annotated[str, typer.Option(help="A shipped town by name, or a town file.")] = "millbrook",
    save: Annotated[
        Path | None, typer.Option(help=f"Save file to talk in, NAME{SUFFIX}, made when it is not there; else nothing is kept.")
    ] = None,
    name: Annotated[str, typer.Option(help="Who you are.")] = "Robin",
    model: Annotated[str | None, typer.Option(help="A model's name or GGUF file, or `none` for instinct; else the settings'.")] = None,
    at: Annotated[str, typer.Option(help='Game time a new talk begins at, "2026-05-04 10:00".')] = "",
    seed: Annotated[int, typer.Option(help="Seed of a new save.")] = 7,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """A talk in the terminal, a line at a time; lines may come from a file, too. What they do for you is printed with its values."""
    log_to()
    if not name.strip() or len(name) > 100:
        raise BadInput(f"--name is {name[:40]!r}.", "Give a name of 1 to 100 characters.")
    cast, npc = cast_with(town, who)
    settings = load_settings(config, **engine_of(model))
    with tempfile.TemporaryDirectory(prefix="npc-server-talk-") as passing:
        folder, slot = slot_of(save) if save is not None else (Path(passing), "talk")
        asyncio.run(
            _talk(
                with_own_saves(settings, folder),
                TalkOptions(cast, npc, slot, folder, one_line(name), seed, parsed_time(at)),
                save is not None,
            )
        )


async def _talk(settings: Settings, options: TalkOptions, kept: bool) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        local = await stack.enter_async_context(local_server(settings))
        tell_of_model(local.problem, "Instinct answers.")
        connection = local.connection
        if options.slot not in {info.slot for info in await local.host.list_saves()}:
            begin = options.at or options.cast.town.start + BEGINS_AFTER_S
            await connection.create_save(options.slot, options.cast.town_file, options.cast.persona_files, options.seed, begin)
        save = await connection.open_save(options.slot)
        if options.npc not in save.npc_ids:
            raise UnknownName(
                f"There is nobody with id {options.npc!r} in the save.", f"Choose among {', '.join(save.npc_ids)}.", npc=options.npc
            )
        client = await stack.enter_async_context(playing(connection, save))
        await _converse(connection, save, client, options)
        if kept:
            await connection.save_game(client.session_id)
            say(f"Kept in {options.folder / options.slot}{SUFFIX}.", err=True)


async def _converse(connection: Connection, save: OpenedSave, client: PlayClient, options: TalkOptions) -> None:
    world = await reopened(connection, save, options.cast, save.now)
    heard = SinceLastLine()
    lockstep = Lockstep(client, world, heard.take)
    await _pass(lockstep, world, 1)
    persona = next(person for person in options.cast.people if person.id == options.npc)
    doing = one_line(heard.doing.get(options.npc, f"{persona.first_name} is there"))
    say(f"{persona.name}, {persona.age}. {moment(world.now)}: {doing}.\n{HELP}\n", err=True)
    async for line in _lines():
        try:
            if line.startswith("/"):
                if await _command(connection, client, lockstep, world, options, line):
                    return
            else:
                await _answer(connection, client, options, persona.first_name, line)
                await _pass(lockstep, world, LINE_S)
        except NpcServerError as error:
            say(f"{error.what} {error.fix}", err=True)
        for call in heard.calls:
            given = ", ".join(f"{key}: {value}" for key, value in json.loads(call.arguments).items())
            say(f"▸ {persona.first_name}: {call.name.replace('_', ' ')}{f' ({given})' if given else ''}")
            client.send([GameActionResult(call.npc, call.call_id, True)])
        heard.calls.clear()


async def _pass(lockstep: Lockstep, world: TownWorld, seconds: int) -> None:
    """Lets game time pass; the town goes on meanwhile."""
    end = world.now + seconds
    while world.now < end:
        await lockstep.turn(end)
    await lockstep.finish()


async def _answer(connection: Connection, client: PlayClient, options: TalkOptions, first: str, line: str) -> None:
    if not sys.stdin.isatty():
        say(f"You: {line}")
    say(f"{first}: ", end="")
    ended = False
    async for piece in connection.say(client.session_id, options.npc, options.name, line):
        say(piece.delta, end="")
        ended = piece.ended
    say(f"\n({first} goes on with the day.)" if ended else "")


async def _command(
    connection: Connection, client: PlayClient, lockstep: Lockstep, world: TownWorld, options: TalkOptions, line: str
) -> bool:
    """Does what a line with a slash says. True where the talk is over."""
    word, _, rest = line.partition(" ")
    rest = rest.strip()
    if word == "/quit":
        return True
    if word == "/think" and rest:
        await connection.whisper(client.session_id, options.npc, rest)
        say("(You put that into their head.)")
    elif word == "/undo":
        count = await connection.undo(client.session_id, options.npc, options.name)
        say(f"(Your last line is unsaid; {count} memories are gone.)")
    elif word == "/wait" and rest.isdigit() and 0 < int(rest) <= LONGEST_WAIT_MIN:
        await _pass(lockstep, world, int(rest) * clock.MINUTE)
        say(f"({moment(world.now)}.)")
    else:
        say(f"{line[:60]!r} is no command. {HELP}", err=True)
    return False


async def _lines() -> AsyncIterator[str]:
    """What is typed, or stands in a file, line by line. A thread reads, which an interrupt need not wait for."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    asked = threading.Semaphore(0)

    def read() -> None:
        while asked.acquire():
            if sys.stdin.isatty():
                say("You: ", end="")
            line = sys.stdin.readline()
            loop.call_soon_threadsafe(queue.put_nowait, line or None)
            if not line:
                return

    threading.Thread(target=read, daemon=True).start()
    while True:
        asked.release()
        line = await queue.get()
        if line is None:
            return
        if line.strip():
            yield one_line(line)
