from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from npc_server.agent import Agent
from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.cognition import errands
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.draft import Draft
from npc_server.mind.agent_state import state_of
from npc_server.mind.doing import Doing
from npc_server.mind.instinct import Errand
from npc_server.mind.mind import Mind
from npc_server.records import Action, Living, Outcome, OutcomeReason, OutcomeStatus, Policy, Source, Thought
from tests.minds import MORNING, answering

PARTS = ("morning", "noon", "afternoon", "evening")

DAY_ROWS = "\n".join(f"{hour:02}:00 | {PARTS[(hour - 6) // 4]} | pastime number {hour}" for hour in range(6, 22))
SQUARE, BENCH, BED = "millbrook:lane:square", "millbrook:green:lawn:bench", "millbrook:green:lawn:flower_bed"


def planning(request: Request) -> str:
    """A model that plans each day alike, and each hour differently."""
    hour = next((line for line in request.user.splitlines() if "pastime number" in line), "")
    number = "".join(c for c in hour.split("pastime number")[-1][:3] if c.isdigit())
    steps = [f"15 | wander {part} of {number} | lane:square | nothing special | 🚶" for part in "abcd"]
    replies = {
        "plan_day": DAY_ROWS,
        "plan_steps": "\n".join(steps),
        "identity": "nature: Mara roams.\nwork: She looks about.\nfeeling: She is restless.\ncurrently: Mara looks around.\nmood: neutral",
        "act": "place: lane:square\ndoes: nothing special\nsentence: Mara is wandering about\nemoji: 🚶",
    }
    return replies.get(request.stage, "3")


@dataclass
class Life:
    """Plays an agent alone; what is in `fails` cannot be done."""

    agent: Agent
    fails: dict[str, str] = field(default_factory=dict)
    full: set[str] = field(default_factory=set)
    """What of that cannot be done for want of room."""
    actions: list[Action] = field(default_factory=list)
    thoughts: list[Thought] = field(default_factory=list)

    async def play(self, start: int, end: int) -> None:
        for now in range(start, end, 5 * MINUTE):
            if self.agent.due(now):
                await self.think(now)
            action = self.agent.doing.action
            if action is not None and action.sentence in self.fails and action.start == now:
                code = OutcomeReason.OCCUPIED if action.sentence in self.full else OutcomeReason.OTHER
                outcome = Outcome("mara_voss", action.id, OutcomeStatus.FAILED, self.fails[action.sentence], code=code)
                self.agent.mailbox.append((1, outcome))
                await self.think(now)

    async def think(self, now: int) -> None:
        mind = self.agent.mind
        await self.agent.think(now)
        self.actions += [event for event in self.agent.outgoing if isinstance(event, Action)]
        self.thoughts += [event for event in self.agent.outgoing if isinstance(event, Thought)]
        mind.lifestyle.policies.stored(mind.npc, mind.draft.policies)
        self.agent.outgoing, mind.draft = [], Draft()


def life(mind: Mind) -> Life:
    return Life(Agent(mind, Doing(address=SQUARE), answering))


def asked(engine: ScriptedEngine, stage: str) -> int:
    return [request.stage for request in engine.requests].count(stage)


def policies(mind: Mind) -> dict[str, Policy]:
    return {it.activity: it for it in mind.lifestyle.policies.seen_by(mind.npc, mind.draft.policies).values()}


async def test_a_second_day_like_the_first_asks_for_no_steps(make_mind: Callable[..., Mind]) -> None:
    engine = ScriptedEngine(planning)
    mind = make_mind(engine, places_offered=64, plan_strokes_min=4, needs=False)
    town = life(mind)
    await town.play(MORNING, MORNING + DAY)
    first = [action.sentence for action in town.actions]
    assert asked(engine, "plan_steps") == 16
    engine.asked.clear()
    town.actions.clear()
    town.thoughts.clear()
    await town.play(MORNING + DAY, MORNING + 2 * DAY)
    assert asked(engine, "plan_day") == 1
    assert asked(engine, "plan_steps") == 0
    assert [action.sentence for action in town.actions][:60] == first[:60]
    assert {it.source for it in town.actions if it.sentence.startswith("Mara is wandering")} == {Source.POLICY}
    assert any(it.source is Source.POLICY for it in town.thoughts)
    assert mind.tally.policy == 16


async def test_where_policies_are_off_each_day_is_asked_for(make_mind: Callable[..., Mind]) -> None:
    engine = ScriptedEngine(planning)
    town = life(make_mind(engine, places_offered=64, plan_strokes_min=4, policies=False))
    await town.play(MORNING, MORNING + 2 * DAY)
    assert asked(engine, "plan_steps") == 32


async def test_an_hour_in_which_a_step_failed_is_not_kept(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(ScriptedEngine(planning), places_offered=64, plan_strokes_min=4, max_retries_per_step=0)
    town = life(mind)
    town.fails = {"Mara is wandering b of 7": "the square was flooded"}
    await town.play(MORNING, MORNING + 4 * HOUR)
    assert "pastime number 7" not in policies(mind)
    assert policies(mind)["pastime number 6"].worked == 1


async def test_an_hour_in_which_a_step_had_to_be_done_elsewhere_is_not_kept(make_mind: Callable[..., Mind]) -> None:
    def elsewhere(request: Request) -> str:
        return planning(request).replace("place: lane:square", "place: green:lawn")

    mind = make_mind(ScriptedEngine(elsewhere), places_offered=64, plan_strokes_min=4)
    town = life(mind)
    town.fails = {"Mara is wandering b of 7": "the square was flooded"}
    await town.play(MORNING, MORNING + 4 * HOUR)
    assert [action.address for action in town.actions if action.sentence == "Mara is wandering about"] == ["millbrook:green:lawn"]
    assert "pastime number 7" not in policies(mind)
    assert "pastime number 8" in policies(mind)


async def test_an_hour_that_was_left_for_good_is_not_kept(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(ScriptedEngine(planning), places_offered=64, plan_strokes_min=4)
    town = life(mind)
    await town.play(MORNING, MORNING + HOUR + 20 * MINUTE)
    town.agent.begin_talk("t", ["tobin_hale"], MORNING + HOUR + 20 * MINUTE, MORNING + HOUR + 30 * MINUTE)
    await town.play(MORNING + HOUR + 25 * MINUTE, MORNING + 4 * HOUR)
    assert "pastime number 7" not in policies(mind)
    assert "pastime number 8" in policies(mind)


async def test_a_policy_whose_step_fails_is_marked_in_the_same_thought_and_the_model_is_asked(
    make_mind: Callable[..., Mind],
) -> None:
    engine = ScriptedEngine(planning)
    mind = make_mind(engine, places_offered=64, plan_strokes_min=4, max_retries_per_step=0)
    town = life(mind)
    await town.play(MORNING, MORNING + DAY)
    town.fails = {"Mara is wandering b of 7": "the square was flooded"}
    second = MORNING + DAY + HOUR
    await town.play(MORNING + DAY, second + 15 * MINUTE)
    await town.agent.think(second + 15 * MINUTE)
    action = town.agent.doing.action
    assert action is not None
    assert action.source is Source.POLICY
    town.agent.mailbox.append((1, Outcome("mara_voss", action.id, OutcomeStatus.FAILED, "the square was flooded")))
    engine.asked.clear()
    await town.agent.think(second + 15 * MINUTE)
    assert [(it.policy.activity, it.failed) for it in mind.draft.policies if it.failed] == [("pastime number 7", True)]
    failed = policies(mind)["pastime number 7"]
    assert (failed.usable, failed.worked, failed.failed) == (False, 1, 1)
    assert asked(engine, "plan_steps") == 1  # for the rest of the hour: the policy is not taken again


async def test_a_place_without_room_is_no_failure_of_the_policy(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(ScriptedEngine(planning), places_offered=64, plan_strokes_min=4)
    town = life(mind)
    await town.play(MORNING, MORNING + DAY)
    town.fails = {"Mara is wandering b of 7": "others are there"}
    town.full = set(town.fails)
    await town.play(MORNING + DAY, MORNING + DAY + 3 * HOUR)
    assert policies(mind)["pastime number 7"].usable


async def test_the_condition_is_the_state_an_object_had_before_it_was_used(make_mind: Callable[..., Mind]) -> None:
    def gardening(request: Request) -> str:
        if request.stage != "plan_steps":
            return planning(request)
        return (
            "15 | look at the flowers | green:lawn:flower_bed | nothing special | 🌷\n"
            "15 | water the flowers | green:lawn:flower_bed | water the flowers | 🌷\n"
            "15 | weed | green:lawn:flower_bed | weed | 🌷\n"
            "15 | rest | green:lawn:bench | nothing special | 🪑"
        )

    mind = make_mind(ScriptedEngine(gardening), places_offered=64, plan_strokes_min=4)
    town = life(mind)
    await town.play(MORNING, MORNING + 20 * MINUTE)
    await town.play(MORNING + 20 * MINUTE, MORNING + 30 * MINUTE)
    mind.knowledge.learn(BED, "watered", MORNING + 30 * MINUTE)
    await town.play(MORNING + 30 * MINUTE, MORNING + 65 * MINUTE)
    assert policies(mind)["pastime number 6"].needs == ((BENCH, ""), (BED, "dry"))


async def test_what_is_being_lived_through_stands_in_the_save(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(ScriptedEngine(planning), places_offered=64, plan_strokes_min=4)
    town = life(mind)
    await town.play(MORNING, MORNING + 20 * MINUTE)
    (living,) = state_of(mind, town.agent.doing).living
    assert isinstance(living, Living)
    assert (living.activity, len(living.steps), len(living.begun)) == ("pastime number 6", 4, 2)


async def test_an_errand_that_was_done_is_not_asked_for_again(make_mind: Callable[..., Mind]) -> None:
    engine = ScriptedEngine(planning)
    mind = make_mind(engine, places_offered=64, plan_strokes_min=4)
    town = life(mind)
    await town.think(MORNING)
    for at in (MORNING + HOUR, MORNING + 3 * HOUR):
        await town.play(mind.plan.steps[-1].start, at)
        errands.insert(mind, at, [Errand(15, "look for the cat")], Source.MODEL)
        await town.play(at, at + HOUR)
    assert asked(engine, "act") == 1
    assert policies(mind)["look for the cat"].worked == 2


def long_morning(request: Request) -> str:
    """A model for which the activity of 07:00 lasts until 10:00, and each of its hours has steps of its own."""
    if request.stage == "plan_day":
        return "\n".join(row for row in DAY_ROWS.splitlines() if not row.startswith(("08", "09")))
    start = request.user.split("From ")[-1][:2]
    return planning(request).replace(" of 7 ", f" of 7 at {start} ")


async def test_the_second_hour_of_an_activity_does_not_repeat_the_first(make_mind: Callable[..., Mind]) -> None:
    engine = ScriptedEngine(long_morning)
    mind = make_mind(engine, places_offered=64, plan_strokes_min=4, needs=False)
    town = life(mind)
    await town.play(MORNING, MORNING + 4 * HOUR)
    of_seven = [request for request in engine.requests if request.stage == "plan_steps" and "pastime number 7" in request.user]
    assert len(of_seven) == 3
    assert all("Already done:" in request.user for request in of_seven[1:])


async def test_all_hours_of_a_long_activity_are_repeated_in_their_order(make_mind: Callable[..., Mind]) -> None:
    engine = ScriptedEngine(long_morning)
    mind = make_mind(engine, places_offered=64, plan_strokes_min=4, needs=False)
    town = life(mind)
    await town.play(MORNING, MORNING + DAY)
    first = [action.sentence for action in town.actions if " of 7 at " in action.sentence]
    assert [sentence[-2:] for sentence in first] == [*["07"] * 4, *["08"] * 4, *["09"] * 4]
    learned = [it for it in mind.lifestyle.policies.seen_by(mind.npc, mind.draft.policies).values() if it.activity == "pastime number 7"]
    assert sorted(it.minutes for it in learned) == [60, 120, 180]
    engine.asked.clear()
    town.actions.clear()
    await town.play(MORNING + DAY, MORNING + 2 * DAY)
    assert asked(engine, "plan_steps") == 0
    assert [action.sentence for action in town.actions if " of 7 at " in action.sentence] == first


async def test_a_policy_covers_the_first_hours_of_an_activity_that_takes_longer_today(make_mind: Callable[..., Mind]) -> None:
    def longer_on_tuesday(request: Request) -> str:
        if request.stage == "plan_day":
            gone = ("08",) if "Monday" in request.user else ("08", "09", "10")
            return "\n".join(row for row in DAY_ROWS.splitlines() if not row.startswith(gone))
        return long_morning(request)

    engine = ScriptedEngine(longer_on_tuesday)
    mind = make_mind(engine, places_offered=64, plan_strokes_min=4, needs=False)
    town = life(mind)
    await town.play(MORNING, MORNING + DAY)
    town.actions.clear()
    await town.play(MORNING + DAY, MORNING + DAY + 5 * HOUR)
    second = [action for action in town.actions if " of 7 at " in action.sentence]
    assert [action.sentence[-2:] for action in second] == [*["07"] * 4, *["08"] * 4, *["09"] * 4, *["10"] * 4]
    assert [action.source for action in second] == [Source.POLICY] * 8 + [Source.MODEL] * 8


async def test_the_rest_of_an_hour_that_was_broken_off_is_no_policy(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(ScriptedEngine(long_morning), places_offered=64, plan_strokes_min=4, needs=False, max_retries_per_step=0)
    town = life(mind)
    town.fails = {"Mara is wandering b of 7 at 07": "the square was flooded"}
    await town.play(MORNING, MORNING + 4 * HOUR)
    assert "pastime number 7" not in policies(mind)
