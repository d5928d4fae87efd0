"""`npc-server talk`: lets you talk with one person of a town in the terminal, as a player does. This helps while you write a persona."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from npc_server import clock
from npc_server.cli.options import Config, Model, Mods, SaveToPlay, Seed, Town, engine_of, parsed_time, slot_of
from npc_server.cli.output import log_to, moment, say, tell_of_choice, tell_of_model
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput, NpcServerError, UnknownName
from npc_server.llm.start import missing_model, open_engine
from npc_server.llm.worker import patient
from npc_server.local.server import PATIENCE_S, local_server, with_own_saves
from npc_server.memory.files import private_folder
from npc_server.memory.suffix import SUFFIX
from npc_server.personas.schema import Persona
from npc_server.prompts.load import one_line
from npc_server.records import GameAction, GameTime, NpcId
from npc_server.sandbox.client import playing
from npc_server.sandbox.populate import open_or_create, town_of_save
from npc_server.sandbox.talk import PlayerTalk
from npc_server.sandbox.towns import Cast, cast_with
from npc_server.v1 import npc_pb2 as pb

BEGINS_AFTER_S = 4 * clock.HOUR
"""Game seconds between the start of a town and a new talk, which then takes place in the middle of the morning."""
MAX_WAIT_MIN = 24 * 60
SOURCES = {
    pb.DECISION_SOURCE_MODEL: "the model", pb.DECISION_SOURCE_CHOSEN: "memory or the bank", pb.DECISION_SOURCE_INSTINCT: "instinct",
    pb.DECISION_SOURCE_POLICY: "instinct",
}  # fmt: skip
"""Who may have made a line, in words."""
HELP = """\
/think TEXT    puts a thought into their head
/do DEED       does something in their sight, such as "/do takes a loaf"
/wait MINUTES  lets time pass beside them, until they come up to you
/undo          takes back your last line
/help          shows these commands
/quit          ends the talk"""


@dataclass(frozen=True)
class TalkOptions:
    """The options of the command, checked."""

    cast: Cast
    npc: NpcId
    slot: str
    player: str
    seed: int
    at: GameTime | None
    kept: bool
    """Whether the save outlives the talk."""
    whole_mind: bool
    """Whether the model is asked more than what belongs to a talk."""
    sources: bool = False
    """Whether it is printed who made each line."""


def talk(
    who: Annotated[str, typer.Argument(help="Person: an id, a name in upper or lower case, or a persona file.")],
    town: Town = "millbrook",
    mods: Mods = None,
    save: SaveToPlay = None,
    name: Annotated[str, typer.Option(help="Your name in the talk.")] = "Robin",
    model: Model = None,
    at: Annotated[str, typer.Option(help='Game time of a new save, such as "2026-05-04 10:00". Default: the first morning at ten.')] = "",
    whole_mind: Annotated[
        bool, typer.Option("--whole-mind", help="Let the model also plan days, react and reflect, which may take minutes.")
    ] = False,
    sources: Annotated[bool, typer.Option("--sources", help="Print after each line who made it, such as the model or instinct.")] = False,
    seed: Seed = 7,
    config: Config = None,
) -> None:
    """Talk with a person in the terminal, line by line. Lines may also come from a file.

    Offers that the person carries out are printed with their values. Without --save nothing is kept.
    """
    log_to()
    if not name.strip() or len(name) > 100:
        raise BadInput(f"--name is {name[:40]!r}.", "Give a name of 1 to 100 characters.")
    cast, npc = cast_with(town, who, mods)
    if cast.told:
        say(f"npc-server: {cast.told}", err=True)
    settings = load_settings(config, **engine_of(model))
    with tempfile.TemporaryDirectory(prefix="npc-server-talk-") as passing:
        folder, slot = slot_of(save) if save is not None else (Path(passing), "talk")
        options = TalkOptions(
            cast, npc, slot, one_line(name), seed, parsed_time(at), kept=save is not None, whole_mind=whole_mind, sources=sources
        )
        asyncio.run(_talk(with_own_saves(settings, folder), options))


async def _talk(settings: Settings, options: TalkOptions) -> None:
    folder = settings.save.folder
    private_folder(folder)
    say("Starting the server...", err=True)
    async with AsyncExitStack() as stack:
        engine = await open_engine(settings.engine, patience_s=PATIENCE_S)
        played = _for_whole_mind(settings) if options.whole_mind else _for_talk(settings)
        local = await stack.enter_async_context(local_server(played, engine=engine, patience_s=PATIENCE_S))
        tell_of_model(local.problem, "Instinct answers.")
        tell_of_choice(engine.status().told)
        if local.host.chooser.bank.is_preparing:
            say("The bank of replies is read for the first time. Until that is done, in a minute or two, fewer lines are known.", err=True)
        start = options.cast.town.start + BEGINS_AFTER_S if options.at is None else options.at
        save = await open_or_create(local.connection, options.cast, options.slot, options.seed, start)
        if options.npc not in save.npc_ids:
            raise UnknownName(
                f"There is nobody with id {options.npc!r} in the save.", f"Choose among {', '.join(save.npc_ids)}.", npc=options.npc
            )
        client = await stack.enter_async_context(playing(local.connection, save))
        world = await town_of_save(local.connection, save, options.cast, save.now)
        persona = next(person for person in options.cast.people if person.id == options.npc)
        say(f"{options.cast.town.name} comes to life...", err=True)
        talk = PlayerTalk(local.connection, client, world, options.npc, options.player)
        problem = partial(missing_model, settings.engine, local.host.engine)
        await _read_and_answer(talk, persona, local.problem, problem, sources=options.sources)
        if options.kept:
            await local.connection.save_game(client.session_id)
            say(f"Saved as {folder / options.slot}{SUFFIX}.", err=True)


def _for_whole_mind(settings: Settings) -> Settings:
    """Returns settings with which nobody gives up a question to a slow model, since the clock waits."""
    return settings.model_copy(update={"engine": patient(settings.engine)})


def _for_talk(settings: Settings) -> Settings:
    """Returns settings with which a slow model has nothing to do but to answer the player: the others would take minutes before."""
    asked = "players" if settings.mind.asked == "fitting" else settings.mind.asked
    return settings.model_copy(update={"mind": settings.mind.model_copy(update={"asked": asked})})


async def _read_and_answer(talk: PlayerTalk, persona: Persona, told: str, problem: Callable[[], str], *, sources: bool) -> None:
    """`problem` says why the model decides nothing now; it is empty while it does. `told` is what was said of that."""
    await talk.pass_time(1)
    told = _tell_of_change(told, problem())
    say(f"\n{persona.name}, {persona.age}. {_now(talk, persona.first_name)}\n{HELP}\n", err=True)
    async for line in _lines():
        if line.partition(" ")[0] == "/quit":
            return
        try:
            if line.startswith("/"):
                await _command(talk, line, persona.first_name)
            else:
                await _answer(talk, persona.first_name, line, sources=sources)
        except NpcServerError as error:
            say(f"{error.what} {error.fix}", err=True)
        told = _tell_of_change(told, problem())
        for approach in talk.take_approaches():
            say(f"({persona.first_name} comes up to you.)\n{persona.first_name}: {approach.text}")
        for call in talk.take_calls():
            say(_in_words(call, persona.first_name))


def _tell_of_change(told: str, problem: str) -> str:
    """Tells that the model no longer decides, or does again. Returns `problem`."""
    if problem != told:
        tell_of_model(problem, "Instinct answers.")
        if not problem:
            say("npc-server: The model answers now.", err=True)
    return problem


async def _answer(talk: PlayerTalk, first_name: str, line: str, *, sources: bool) -> None:
    if not sys.stdin.isatty():
        say(f"You: {line}")
    begins = f"{first_name}: "  # It is printed with the first word, so that no warning that comes before splits the line.
    async for piece in talk.say(line):
        say(begins + piece.delta, end="")
        begins = ""
        if piece.done:
            say("")
            if sources:
                say(f"(by {SOURCES.get(piece.source, 'nobody')})")
            if piece.ended:
                say(f"({first_name} goes on with the day.)")


def _now(talk: PlayerTalk, first_name: str) -> str:
    """The game time, and what the person does: `Monday 4 May, 10:00: Mara is baking bread.`"""
    return f"{moment(talk.world.now)}: {one_line(talk.doing or f'{first_name} is there')}."


async def _command(talk: PlayerTalk, line: str, first_name: str) -> None:
    """Runs a command, which is a line that begins with a slash."""
    word, _, rest = line.partition(" ")
    rest = rest.strip()
    if word == "/think" and rest:
        await talk.think(rest)
        say("(You put that into their head.)")
    elif word == "/undo":
        say(f"(Your last line is taken back; {await talk.undo()} memories are gone.)")
    elif word == "/do" and rest:
        await talk.do(rest)
        say(f"({talk.player} {rest.rstrip('.')}.)")
    elif word == "/wait" and rest.isdigit() and 0 < int(rest) <= MAX_WAIT_MIN:
        await talk.wait(int(rest) * clock.MINUTE)
        say(f"({_now(talk, first_name)})")
    elif word == "/help":
        say(HELP, err=True)
    elif word in ("/think", "/do"):
        say(f"{word} needs a text after it, such as: {word} {'I want to swim.' if word == '/think' else 'takes a loaf'}", err=True)
    elif word == "/wait":
        say(f"/wait needs whole minutes from 1 to {MAX_WAIT_MIN}, such as: /wait 30", err=True)
    else:
        say(f"{line[:60]!r} is not a command. These are:\n{HELP}", err=True)


def _in_words(call: GameAction, first_name: str) -> str:
    given = ", ".join(f"{key}: {value}" for key, value in json.loads(call.arguments).items())
    return f"▸ {first_name}: {call.name.replace('_', ' ')}{f' ({given})' if given else ''}"


async def _lines() -> AsyncIterator[str]:
    """Yields lines from the keyboard or a file. A thread reads them, so that Ctrl-C need not wait for a line."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    wanted = threading.Semaphore(0)

    def read() -> None:
        while wanted.acquire():
            if sys.stdin.isatty():
                say("You: ", end="")
            line = sys.stdin.readline()
            loop.call_soon_threadsafe(queue.put_nowait, line or None)
            if not line:
                return

    threading.Thread(target=read, daemon=True).start()
    while True:
        wanted.release()
        line = await queue.get()
        if line is None:
            return
        if line.strip():
            yield one_line(line)
