"""A mind to think with: Mara of Millbrook, with a short routine, a hashed embedder and whichever engine the test gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path

import pytest

from npc_eval.baseline.generative_agents import GenerativeAgents
from npc_eval.prompts import PROMPTS
from npc_server.clock import parse_datetime
from npc_server.config import MindSettings
from npc_server.instinct.choose import instinct_of
from npc_server.llm.deadline import Deadline
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Engine, Request
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory.stream import MemoryStream
from npc_server.mind.mind import Mind
from npc_server.mind.parts.people import People
from npc_server.mind.parts.tools import Tools
from npc_server.mind.places import PlaceVectors
from npc_server.personas.schema import Persona, load_persona
from npc_server.prompts.load import Prompts
from npc_server.records import Address, Document, PathQuery, Reach
from npc_server.world.knowledge import Knowledge, known_from_start
from npc_server.world.town import load_town
from npc_server.world.tree import World

MORNING = parse_datetime("2026-05-04 06:00")

PERSONA = """
id: mara_voss
name: Mara Voss
age: 34
traits: [warm, blunt]
identity: Mara Voss bakes the bread of Millbrook; she keeps the Kettle Café; she worries about the rent
home: mara_house:bedroom:bed
work: cafe:kitchen
wake: "06:00"
sleep: "22:00"
relations:
  - {who: tobin_hale, is: neighbour, feeling: She likes his dry jokes, closeness: 5}
voice: {style: short and warm}
routine:
  - {at: "06:00", do: shower, where: mara_house:bathroom:shower, for: 15}
  - {at: "06:30", do: eat breakfast, where: mara_house:kitchen:table, for: 30}
  - at: "07:00"
    do: work at the café
    where: cafe:kitchen
    steps:
      - {do: bake bread, minutes: 15, where: cafe:kitchen:oven}
      - {do: serve customers, minutes: 10, where: cafe:dining_room:counter}
  - {at: "17:30", do: eat supper, where: mara_house:kitchen:table, for: 45}
  - {at: "18:15", do: walk around the pond, where: green:pond_side:pond}
"""


@pytest.fixture
def world() -> World:
    text = resources.files("npc_server").joinpath("data/towns/millbrook/town.yaml").read_text(encoding="utf-8")
    return World(load_town(Document("town.yaml", text)).nodes())


@pytest.fixture
def persona() -> Persona:
    return load_persona(Document("mara_voss.yaml", PERSONA), "millbrook")


@pytest.fixture
def make_mind(world: World, persona: Persona) -> Callable[..., Mind]:
    def make(engine: Engine | None = None, **settings: object) -> Mind:
        embedder = HashedWordsEmbedder()
        return Mind(
            persona=persona,
            seed=7,
            settings=(chosen := MindSettings(**settings)),
            tools=Tools(engine or NoModelEngine("No model in this test."), embedder, Prompts([PROMPTS]), GenerativeAgents()),
            instinct=instinct_of(chosen),
            stream=MemoryStream("mara_voss"),
            knowledge=Knowledge(known_from_start(world, persona.id, persona.home, persona.knows)),
            world=world,
            places=PlaceVectors(world, embedder),
            people=People({"mara_voss": "Mara Voss", "tobin_hale": "Tobin Hale"}),
        )

    return make


@pytest.fixture
def first_word_by(monkeypatch: pytest.MonkeyPatch) -> Deadline:
    """The deadline for the first word of every line in a test, which the test ends itself."""
    held = Deadline()
    monkeypatch.setattr("npc_server.lines.answer.first_word", lambda mind: held)
    return held


async def answering(query: PathQuery) -> list[Reach]:
    """The same, as an agent asks it."""
    return await everywhere(query.addresses)


async def everywhere(addresses: Sequence[Address]) -> list[Reach]:
    """A game in which every place is a minute away."""
    return [Reach(address, True, 60.0) for address in addresses]


def same_as_golden(request: Request, name: str) -> None:
    """The prompt is the one kept in `golden/`. `UPDATE_GOLDEN=1` writes it anew; read the difference before you commit it."""
    path = Path(__file__).parent / "golden" / f"{name}.txt"
    chat = "".join(f"--- asked\n{turn.heard}\n--- answered\n{turn.said}\n" for turn in request.turns)
    text = f"--- system\n{request.system}\n{chat}--- user\n{request.user}\n--- grammar\n{request.reply.grammar()}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
