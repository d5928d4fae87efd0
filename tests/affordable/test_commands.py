from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from npc_eval.baseline.generative_agents import GenerativeAgents
from npc_eval.prompts import PROMPTS
from npc_server.affordable import commands, commands_stepwise
from npc_server.affordable.habits import habit_of
from npc_server.config import MindSettings
from npc_server.instinct.choose import instinct_of
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Engine, Request
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.policies import PolicyBook, key_of
from npc_server.memory.stream import MemoryStream
from npc_server.mind.mind import Mind
from npc_server.mind.parts.people import People
from npc_server.mind.parts.tools import Tools
from npc_server.mind.places import PlaceVectors
from npc_server.personas.schema import load_persona
from npc_server.prompts.load import Prompts
from npc_server.records import PlanLevel, PlanStatus, PlanStep, Policy, Source
from npc_server.sandbox.household import Household
from npc_server.sandbox.towns import find_cast
from npc_server.world.household import Command, from_text, from_wire
from npc_server.world.knowledge import Knowledge, known_from_start
from npc_server.world.tree import World
from tests.minds import MORNING, same_as_golden
from tests.world.faults import faults

NORA = "nora_lind"
BED = "household:house:bedroom:bed"
SOFA = "household:house:living_room:sofa"


class House:
    """Nora at home, and the game: what she decides is done by the rules on what is."""

    def __init__(self, engine: Engine | None = None, policies: Sequence[Policy] = (), **settings: object) -> None:
        cast = find_cast("household", [NORA])
        self.world = World(cast.town.nodes())
        self.household = Household(cast.town, self.world)
        embedder = HashedWordsEmbedder()
        persona = load_persona(cast.persona_files[0], cast.town.id)
        self.mind = Mind(
            persona=persona,
            seed=7,
            settings=(chosen := MindSettings(**settings)),
            tools=Tools(engine or NoModelEngine("No model in this test."), embedder, Prompts([PROMPTS]), GenerativeAgents()),
            instinct=instinct_of(chosen),
            stream=MemoryStream(NORA),
            knowledge=Knowledge(known_from_start(self.world, NORA, persona.home, persona.knows)),
            world=self.world,
            places=PlaceVectors(self.world, embedder),
            people=People({NORA: "Nora Lind"}),
        )
        self.mind.lifestyle.policies = PolicyBook([(it, np.zeros(embedder.dimensions, np.float32)) for it in policies])
        self.here, self.now = SOFA, MORNING

    def set(self, name: str, state: str) -> None:
        """Behind her back."""
        address = self.household.address(name)
        self.world.set_state(address, state)
        self.household.note(address, state)

    def activity(self, text: str, minutes: int = 30, where: str = SOFA) -> PlanStep:
        step = PlanStep(NORA, 0, PlanLevel.STEP, 0, self.now, self.now + minutes * 60, text, where, PlanStatus.AHEAD, Source.MODEL)
        return self.mind.add_steps([step])[0]

    async def live(self, step: PlanStep, most: int = 60) -> list[str]:
        """Until nothing is left to do for the activity; what was done, with `✗` before what failed."""
        told: list[str] = []
        for _ in range(most):
            found = await commands.next_action(self.mind, step, self.here, self.now, "nora_lind/1")
            assert found is not None
            command = from_wire(found.action.address.rpartition(":")[2], found.action.object_action)
            if command is None:
                return told
            reason = self._play(command)
            told.append(("✗ " if reason else "") + command.text)
            entry = self.mind.update_step(replace(found.step, status=PlanStatus.ACTIVE))
            self.now = min(found.action.end, self.now + 60)
            if reason:
                assert commands.failed(self.mind, entry, reason, self.here, self.now)
            else:
                self.mind.update_step(replace(entry, status=PlanStatus.DONE))
        raise AssertionError(f"It never ends: {told}")

    def _play(self, command: Command) -> str:
        at = self.household.spot(self.here)
        reason = self.household.refusal(NORA, at, command)
        if reason:
            return reason
        for address, state in self.household.apply(NORA, command):
            self.world.set_state(address, state)
            self.household.note(address, state)
        if command.verb == "walk to":
            self.here = self.household.goal(command.what)
        return ""

    def kept(self) -> list[Policy]:
        return [change.policy for change in self.mind.draft.policies if change.worked and change.vector is not None]


def answers(*pairs: tuple[str, str]) -> Callable[[Request], str]:
    """Commands in order, each with what the critic says after it."""
    left = list(pairs)
    said: list[str] = []

    def reply(request: Request) -> str:
        if request.stage == "critic":
            return f"done: {said[-1]}\nwhy: because"
        text, verdict = left.pop(0)
        said.append(verdict)
        return text

    return reply


READING = (("grab magazine", "no"), ("sit on sofa", "no"), ("read magazine", "yes"))


async def test_without_a_model_the_habit_is_done_with_what_comes_before_it() -> None:
    house = House()
    done = await house.live(house.activity("look up words and read the manuscript", 60))
    assert done == [
        "walk to dictionary", "grab dictionary", "walk to office_chair", "sit on office_chair", "read dictionary", "put dictionary on desk",
        "grab manuscript", "read manuscript", "put manuscript on desk", "stand up from office_chair",
    ]  # fmt: skip
    assert not house.mind.draft.calls


async def test_an_activity_nobody_described_is_guessed_by_its_words() -> None:
    house = House()
    assert "read poems" in await house.live(house.activity("read some poems", where="household:house:living_room"))


async def test_the_model_is_asked_for_one_command_and_the_critic_ends_it() -> None:
    engine = ScriptedEngine(answers(*READING))
    house = House(engine, profile="generative-agents")
    done = await house.live(house.activity("read a magazine"))
    assert done == ["grab magazine", "sit on sofa", "read magazine"]
    assert [request.stage for request in engine.requests] == ["command", "critic", "command", "critic", "command", "critic"]
    same_as_golden(engine.requests[2], "command")
    same_as_golden(engine.requests[3], "critic")


async def test_a_command_that_failed_is_forbidden_for_the_activity() -> None:
    offered: list[str] = []

    def reply(request: Request) -> str:
        if request.stage == "critic":
            return "done: no\nwhy: not yet"
        offered.append(request.user)
        options = request.user.split("What you can do next:\n")[1].split("\n\n")[0]
        lines = [line.removeprefix("- ") for line in options.split("\n")]
        return next((wanted for wanted in ("grab magazine", "sit on sofa") if wanted in lines), lines[0])

    house = House(ScriptedEngine(reply), profile="generative-agents", commands_per_activity=4)
    house.set("magazine", "held by theo_lind")
    done = await house.live(house.activity("read a magazine"))
    assert done[0] == "✗ grab magazine"
    assert done.count("✗ grab magazine") == 1
    assert "grab magazine, because somebody else has the magazine" in offered[1]
    assert len(done) == 4  # then it is given up


async def test_what_worked_becomes_a_policy_with_the_states_it_worked_in() -> None:
    house = House(ScriptedEngine(answers(*READING)), fuller_calls=False)
    await house.live(house.activity("read a magazine"))
    (kept,) = house.kept()
    assert [step.activity for step in kept.steps] == ["grab magazine", "sit on sofa", "read magazine"]
    assert dict(kept.needs) == {SOFA: "free, at the coffee table", house.household.address("magazine"): "on the coffee table"}
    assert kept.owner == NORA


async def learned() -> Policy:
    house = House(ScriptedEngine(answers(*READING)), fuller_calls=False)
    await house.live(house.activity("read a magazine"))
    return house.kept()[0]


@pytest.mark.parametrize("fuller_calls", [True, False])
async def test_a_policy_is_lived_again_without_a_question(fuller_calls: bool) -> None:
    policy = await learned()
    engine = ScriptedEngine({})
    house = House(engine, [policy], fuller_calls=fuller_calls)
    assert await house.live(house.activity("read a magazine")) == ["grab magazine", "sit on sofa", "read magazine"]
    assert not engine.requests
    assert [(change.worked, change.failed) for change in house.mind.draft.policies][-1] == (True, False)


@pytest.mark.parametrize("state", ["held by theo_lind", "on the bookcase", "gone"])
async def test_a_policy_is_not_lived_by_when_a_thing_it_needs_is_in_another_state(state: str) -> None:
    policy = await learned()
    engine = ScriptedEngine(answers(("sit on sofa", "yes")))
    house = House(engine, [policy], fuller_calls=False)
    house.set("magazine", state)
    house.mind.knowledge.learn(house.household.address("magazine"), state, house.now)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands_stepwise, "_is_time_for_critic", lambda *_: True)
        await house.live(house.activity("read a magazine"))
    assert engine.requests[0].stage == "command"


async def test_a_policy_that_fails_when_executed_is_marked_and_the_model_goes_on() -> None:
    policy = await learned()
    engine = ScriptedEngine(answers(("sit on sofa", "yes")))
    house = House(engine, [policy], fuller_calls=False)
    house.set("magazine", "held by theo_lind")  # and she does not know
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands_stepwise, "_is_time_for_critic", lambda *_: True)
        done = await house.live(house.activity("read a magazine"))
    assert done[0] == "✗ grab magazine"
    assert [change for change in house.mind.draft.policies if change.failed and key_of(change.policy) == key_of(policy)]
    assert engine.requests[0].stage == "command"


async def test_any_thing_of_the_same_name_will_do() -> None:
    house = House()
    house.set("mug_1", "dirty, empty, held by theo_lind")
    house.mind.knowledge.learn(house.household.address("mug_1"), "dirty, empty, held by theo_lind", house.now)
    done = await house.live(house.activity("make tea and eat breakfast", 35))
    assert "drink from mug_2" in done
    assert not faults(house.household.home)


async def test_sleep_is_nobodys_decision() -> None:
    engine = ScriptedEngine({})
    house = House(engine)
    step = house.activity("sleeping", 480, BED)
    assert await house.live(step) == ["walk to bed", "lie on bed", "sleep on bed"]
    assert not engine.requests


def test_every_command_of_the_residents_routines_can_be_read_and_names_things_of_the_house() -> None:
    cast = find_cast("household")
    ids = {thing.address.rpartition(":")[2] for thing in cast.town.things()}
    for persona in cast.people:
        activities = [item for item in persona.routine if item.commands]
        assert len(activities) >= 10
        for item in activities:
            habit = habit_of(persona, item.text)
            assert len(habit) == len(item.commands)
            assert all(command.what in ids and command.target in ids | {""} for command, _ in habit)
            assert all(from_text(command.text) == command for command, _ in habit)
