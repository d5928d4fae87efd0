"""Talks of players with people of a town, answered by hand: how they are played, and what they left behind.

`player_lines/lines.yaml` names the talks: whom the player meets, when, and what the player says. Each talk begins with a save of its own,
so that no talk changes another, and several people can answer at once. Until then the town is played without a model, or as a recorded
life (`life: millbrook_day`). `NN/` holds the answers of talk NN, and `talks.md` what was said and what followed.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from npc_eval.engines.recorded import RecordedEngine, Recording
from npc_eval.engines.recording_file import RecordedAnswer
from npc_eval.society.measures import Life, read
from npc_server import clock
from npc_server.affordable.social_memory import PAUSE_S
from npc_server.english.text import PROMISED
from npc_server.errors import BadInput, ModelMissing
from npc_server.llm.engine import Completion, Engine, OnText, Request
from npc_server.llm.no_model import NoModelEngine
from npc_server.local.server import local_server
from npc_server.memory.suffix import SUFFIX
from npc_server.records import GameTime, Memory, NpcId, PlanOrigin, PlanStep, Source
from npc_server.sandbox.client import playing
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.populate import populated_town, town_of_save
from npc_server.sandbox.talk import PlayerTalk
from npc_server.sandbox.towns import cast_with, find_cast
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import fields
from tests.recorded.lives import HERE, SLOT, patient_settings, read_life

FOLDER = HERE / "player_lines"
NOTES = ", "
LINES, TALKS = "lines.yaml", "talks.md"
AFTER_S = PAUSE_S + 2 * clock.MINUTE
"""Game seconds after the last line. The talk is over then, and the person has thought about it."""


@dataclass(frozen=True)
class PlannedTalk:
    """One talk of `lines.yaml`."""

    number: int
    town: str
    npc: NpcId
    at: GameTime
    """With a recorded life the talk begins at the next step of that life, some minutes later."""
    player: str
    lines: tuple[str, ...]
    life: str = ""
    """The recorded life until then. Empty means a day without a model."""
    seed: int = 3
    people: tuple[str, ...] = ()
    """Who lives in the town on a day without a model. Empty means everybody, which takes a minute in Alderwick."""

    @property
    def before(self) -> tuple[str, str, int, tuple[str, ...]]:
        """Names the day until the talk. Talks with the same one share its playing."""
        return self.town, self.life, self.seed, self.people

    @property
    def slot(self) -> str:
        return f"{self.number:02}"


@dataclass(frozen=True)
class PlayedLine:
    """A line of the player, and the answer."""

    said: str
    answer: str
    source: str
    ended: bool
    calls: tuple[str, ...]
    """Actions of the game that the person chose."""


@dataclass(frozen=True)
class PlayedTalk:
    """A talk, and what the person kept of it."""

    talk: PlannedTalk
    name: str
    lines: tuple[PlayedLine, ...]
    remembered: tuple[Memory, ...]
    agreed: tuple[PlanStep, ...]
    """Steps of the plan that were agreed to."""

    @property
    def promises(self) -> tuple[Memory, ...]:
        return tuple(memory for memory in self.remembered if memory.predicate == PROMISED)


def read_talks(path: Path = FOLDER / LINES) -> list[PlannedTalk]:
    """Reads `lines.yaml`. Raises BadInput and UnknownName."""
    found: list[PlannedTalk] = []
    for number, row in enumerate(YAML(typ="safe").load(path) or [], 1):
        try:
            at = clock.parse_datetime(str(row["at"]))
            _, npc = cast_with(row["town"], row["to"])
            lines = tuple(map(str, row["lines"]))
        except (KeyError, TypeError, ValueError) as error:
            why = f"Talk {number} of {path.name} cannot be read: {error!r}."
            raise BadInput(why, 'It needs town, to, at ("2026-05-04 10:20", in quotes), player and lines.') from error
        more = row.get("life", ""), row.get("seed", 3), tuple(row.get("people", ()))
        found.append(PlannedTalk(number, row["town"], npc, at, row["player"], lines, *more))
    return found


class OnlyOf:
    """Implements `Engine`. It asks the questions of one person, and leaves all others to instinct."""

    def __init__(self, npc: NpcId, engine: Engine) -> None:
        self._npc, self._engine = npc, engine
        self.count_tokens, self.status, self.try_again = engine.count_tokens, engine.status, engine.try_again
        self.score = engine.score

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if request.npc != self._npc:
            raise ModelMissing(f"{request.npc!r} is not the person of this talk.", "Instinct answers.")
        return await self._engine.complete(request, on_text)

    async def close(self) -> None:
        """The engine serves other talks, too."""


async def play_talks(talks: Sequence[PlannedTalk], engine: Callable[[PlannedTalk], Engine], saves: Path) -> list[PlayedTalk]:
    """Plays all talks side by side. `engine` gives each its own."""
    for number, before in enumerate(sorted({it.before for it in talks})):
        await _saves_until([it for it in talks if it.before == before], saves / f"day{number}", saves)
    return list(await asyncio.gather(*(_play(talk, engine(talk), saves) for talk in talks)))


async def _saves_until(talks: Sequence[PlannedTalk], base: Path, saves: Path) -> None:
    """Plays the town of these talks once, and keeps a save at the beginning of each of them."""
    town, name, seed, people = talks[0].before
    life = read_life(HERE / name) if name else None
    cast = find_cast(town, life.people if life else people)
    start = life.start if life else cast.town.start
    recorded = RecordedEngine(Recording(HERE / name)) if name else NoModelEngine(ModelMissing("Nobody answers.", "Instinct does."))
    base.mkdir(parents=True)
    async with local_server(patient_settings(base), engine=recorded) as local:
        await local.connection.create_save(SLOT, cast.town_file, cast.persona_files, life.seed if life else seed, start)
        async with playing(local.connection, await local.connection.open_save(SLOT)) as client:
            world = populated_town(cast, start, seed=life.seed if life else seed)
            lockstep = Lockstep(client, world, lambda event: None)
            for talk in sorted(talks, key=lambda it: it.at):
                if talk.at < start:
                    raise BadInput(f"Talk {talk.number} begins before the town does.", "Give it a later time.")
                while world.now < talk.at:
                    # A recorded life keeps its own steps, because a moment between them would change its later prompts.
                    await lockstep.turn(start + round(life.days * clock.DAY) if life else talk.at)
                await lockstep.finish()
                await local.connection.save_game(client.session_id)
                (saves / talk.slot).mkdir()
                shutil.copy(base / f"{SLOT}{SUFFIX}", saves / talk.slot / f"{SLOT}{SUFFIX}")


async def _play(talk: PlannedTalk, engine: Engine, saves: Path) -> PlayedTalk:
    cast, folder = find_cast(talk.town), saves / talk.slot
    save = folder / f"{SLOT}{SUFFIX}"
    before = {memory.id for memory in _life(save, talk.npc).memories}
    async with local_server(patient_settings(folder), engine=OnlyOf(talk.npc, engine)) as local:
        opened = await local.connection.open_save(SLOT)
        async with playing(local.connection, opened) as client:
            world = await town_of_save(local.connection, opened, cast, talk.at)
            player = PlayerTalk(local.connection, client, world, talk.npc, talk.player)
            await player.pass_time(1)
            lines = [await _line(player, line) for line in talk.lines]
            await player.pass_time(AFTER_S)
            await local.connection.save_game(client.session_id)
    life = _life(save, talk.npc)
    remembered = tuple(memory for memory in life.memories if memory.id not in before)
    agreed = tuple(step for step in life.steps if step.origin is PlanOrigin.AGREED)
    return PlayedTalk(talk, life.persona.name, tuple(lines), remembered, agreed)


async def _line(player: PlayerTalk, said: str) -> PlayedLine:
    last = pb.SayResponse()
    async for piece in player.say(said):
        last = piece
    calls = tuple(f"{call.name} {call.arguments}" for call in player.take_calls())
    source = fields.read_enum(Source, pb.DecisionSource, last.source, "source")
    return PlayedLine(said, last.full_text, source.value, last.ended, calls)


def _life(save: Path, npc: NpcId) -> Life:
    return next(life for life in read(save)[1] if life.persona.id == npc)


def as_text(played: Sequence[PlayedTalk]) -> str:
    """Tells all talks as Markdown."""
    return "# Talks with players\n" + "".join(f"\n{_as_text(it)}" for it in played)


def _as_text(played: PlayedTalk) -> str:
    talk, first = played.talk, played.name.split()[0]
    parts = [f"## {talk.slot} {played.name}, {talk.town}, {clock.date(talk.at)}, {clock.hhmm(talk.at)}\n"]
    for line in played.lines:
        notes = [*([] if line.source == "model" else [line.source]), *line.calls, *(["ends the talk"] if line.ended else [])]
        parts += [f"- {talk.player}: {line.said}", f"- **{first}**: {line.answer}{f' *({NOTES.join(notes)})*' if notes else ''}"]
    if played.agreed:
        parts += [
            "\nIn the plan:\n",
            *(f"- {clock.date(it.start)}, {clock.hhmm(it.start)} {it.text} ({it.address})" for it in played.agreed),
        ]
    parts += ["\nRemembered:\n", *(f"- {memory.kind.value}, {memory.importance}: {memory.text}" for memory in played.remembered)]
    return "\n".join(parts) + "\n"


def answers_of(folder: Path, talk: PlannedTalk) -> list[RecordedAnswer]:
    return list(Recording(folder / talk.slot))
