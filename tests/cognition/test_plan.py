from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_eval.stand_in import StandIn
from npc_server.clock import HOUR, hhmm, parse_datetime
from npc_server.cognition import own_deeds, plan
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import CallOutcome, MemoryKind, PlanLevel, PlanOrigin, PlanStatus, PlanStep, Source
from tests.minds import MORNING, same_as_golden

PARTS = {6: "morning at home", 8: "baking", 12: "lunch", 14: "afternoon", 18: "evening"}


def a_day(first: int = 6) -> str:
    """A line an hour, in five parts."""
    rows = []
    for hour in range(first, 22):
        part = PARTS[max(h for h in PARTS if h <= hour)]
        rows.append(f"{hour:02}:00 | {part} | {'bake and serve customers' if hour < 12 else 'serve guests'}")
    return "\n".join(rows)


DAY = a_day()
STEPS = """15 | knead the dough | cafe:kitchen:oven | nothing special | 🥐
15 | bake the loaves | cafe:kitchen:oven | bake | 🔥
15 | take food for the counter | cafe:kitchen:refrigerator | take food | 🧺
15 | serve customers | cafe:dining_room:counter | serve customers | 🛎️"""
INSTEAD = """15 | sweep the floor | cafe:dining_room:counter | nothing special | 🧹
15 | look for eggs | cafe:kitchen:refrigerator | take food | 🥚
15 | serve customers | cafe:dining_room:counter | serve customers | 🛎️"""
OVEN = "millbrook:cafe:kitchen:oven"

MakeMind = Callable[..., Mind]


def mended(mind: Mind, stage: str) -> str:
    """What the ledger says of the question's reply."""
    return next(call.reason for call in mind.draft.calls if call.stage == stage)


async def test_a_day_is_planned_in_one_question_and_an_hour_in_one_more_with_the_golden_prompts(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_day": [DAY], "plan_steps": [STEPS]})
    mind = make_mind(engine)
    invited = Invitation(MORNING + 11 * HOUR, MORNING + 13 * HOUR, "millbrook:cafe")
    assert appointments.keep(mind, invited, "going to the party", MORNING)
    step = await plan.next_step(mind, MORNING)
    asked = {request.stage: request for request in engine.requests}
    for stage in ("plan_day", "plan_steps"):
        same_as_golden(asked[stage], stage)
    assert "- 17:00 going to the party" in asked["plan_day"].user
    assert [(hhmm(s.start), s.text) for s in mind.steps_of(PlanLevel.DAY, MORNING)] == [
        ("06:00", "morning at home"),
        ("08:00", "baking"),
        ("12:00", "lunch"),
        ("14:00", "afternoon"),
        ("18:00", "evening"),
    ]
    hours = [s for s in mind.steps_of(PlanLevel.HOUR, MORNING) if s.origin is not PlanOrigin.AGREED]
    assert len(hours) == 16
    assert {s.id: s.text for s in mind.plan.steps}[hours[3].parent] == "baking"
    assert step.text == "knead the dough"
    assert step.source is Source.MODEL
    assert [(hhmm(s.start), hhmm(s.end)) for s in mind.steps_of(PlanLevel.STEP, MORNING)] == [
        ("06:00", "06:15"),
        ("06:15", "06:30"),
        ("06:30", "06:45"),
        ("06:45", "07:00"),
    ]


async def test_the_steps_of_an_hour_are_ready_to_be_done(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"plan_day": [DAY], "plan_steps": [STEPS]}))
    await plan.next_step(mind, MORNING)
    found = [(s.address, s.does, s.sentence, s.emoji) for s in mind.steps_of(PlanLevel.STEP, MORNING)]
    assert found[:2] == [(OVEN, "", "Mara is kneading the dough", "🥐"), (OVEN, "bake", "Mara is baking the loaves", "🔥")]
    assert mind.draft.plan_added[-4:] == mind.steps_of(PlanLevel.STEP, MORNING)


async def test_what_another_place_offers_becomes_what_suits_the_activity_here(make_mind: MakeMind) -> None:
    mixed = STEPS.replace("bake the loaves | cafe:kitchen:oven | bake", "bake the loaves | cafe:kitchen:oven | take food")
    mind = make_mind(ScriptedEngine({"plan_day": [DAY], "plan_steps": [mixed]}))
    await plan.next_step(mind, MORNING)
    assert [s.does for s in mind.steps_of(PlanLevel.STEP, MORNING)] == ["", "bake", "take food", "serve customers"]


async def test_where_an_hour_is_usually_spent_is_offered_first(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_day": [DAY.replace("| bake and serve customers", "| work at the café")]})
    mind = make_mind(engine, places_offered=4)
    await plan.next_step(mind, MORNING + HOUR)
    asked = next(request for request in engine.requests if request.stage == "plan_steps")
    places = asked.user.split("Places:\n")[1].split("\n\n")[0].splitlines()
    assert places[0] == "- cafe:kitchen:oven is cold; one can: bake"
    assert places[1].startswith("- cafe:dining_room:counter")
    assert len(places) == 4


async def test_what_instinct_suggests_is_a_whole_reply_to_every_question_of_a_plan(make_mind: MakeMind) -> None:
    """An engine that stands in for a model answers it, so it must fit the reply's type, and the checks."""
    mind = make_mind(StandIn())
    day = [await plan.next_step(mind, MORNING + minute * 60) for minute in range(0, 16 * 60, 5)]
    failed = next(step for step in day if step.source is Source.MODEL)
    await plan.replan_hour(mind, failed, "the door is locked", failed.start)
    assert {call.stage for call in mind.draft.calls} == {"plan_day", "plan_steps", "replan"}
    assert {call.outcome for call in mind.draft.calls} == {CallOutcome.USED}
    assert {step.text for step in day} >= {"shower", "bake bread", "serve customers", "eat supper", "walk around the pond"}
    assert all(step.emoji and step.address in mind.world for step in day)


async def test_the_plan_is_a_memory_too(make_mind: MakeMind) -> None:
    mind = make_mind()
    await plan.plan_day(mind, MORNING)
    (memory,) = mind.stream.latest(5, (MemoryKind.PLAN,))
    assert memory.text.startswith("Mara's plan for Monday 4 May: 06:00 shower")


async def test_steps_are_decided_just_in_time_and_not_for_the_whole_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    await plan.next_step(mind, MORNING)
    assert max(s.end for s in mind.steps_of(PlanLevel.STEP, MORNING)) <= MORNING + HOUR


async def test_without_a_model_the_day_follows_the_routine(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = []
    for time in ("06:05", "06:20", "06:40", "07:05", "07:20", "07:31", "17:40", "19:00", "23:00"):
        step = await plan.next_step(mind, parse_datetime(f"2026-05-04 {time}"))
        found.append((time, step.text, step.address.removeprefix("millbrook:")))
    assert found == [
        ("06:05", "shower", "mara_house:bathroom:shower"),
        ("06:20", "resting at home", "mara_house"),
        ("06:40", "eat breakfast", "mara_house:kitchen:table"),
        ("07:05", "bake bread", "cafe:kitchen:oven"),
        ("07:20", "serve customers", "cafe:dining_room:counter"),
        ("07:31", "bake bread", "cafe:kitchen:oven"),
        ("17:40", "eat supper", "mara_house:kitchen:table"),
        ("19:00", "walk around the pond", "green:pond_side:pond"),
        ("23:00", "sleeping", "mara_house:bedroom:bed"),
    ]


async def test_sleep_lasts_until_the_next_waking_even_past_midnight(make_mind: MakeMind) -> None:
    mind = make_mind()
    for moment in ("2026-05-04 23:30", "2026-05-05 03:00"):
        step = await plan.next_step(mind, parse_datetime(moment))
        assert (step.text, step.end) == (routine.ASLEEP, parse_datetime("2026-05-05 06:00"))


async def test_lines_of_a_day_that_are_out_of_order_are_sorted(make_mind: MakeMind) -> None:
    lines = DAY.splitlines()
    mind = make_mind(ScriptedEngine({"plan_day": ["\n".join([*lines[3:], *lines[:3]])]}))
    await plan.plan_day(mind, MORNING)
    assert [hhmm(s.start) for s in mind.steps_of(PlanLevel.HOUR, MORNING)] == [f"{hour:02}:00" for hour in range(6, 22)]
    assert mended(mind, "plan_day") == "mended: order of lines"


async def test_a_day_of_four_goals_is_kept_when_five_were_asked_for(make_mind: MakeMind) -> None:
    four = DAY.replace("| evening |", "| afternoon |")
    mind = make_mind(ScriptedEngine({"plan_day": [four]}))
    await plan.plan_day(mind, MORNING)
    assert [s.text for s in mind.steps_of(PlanLevel.DAY, MORNING)] == ["morning at home", "baking", "lunch", "afternoon"]
    assert all(s.source is Source.MODEL for s in mind.steps_of(PlanLevel.DAY, MORNING))


async def test_lines_after_bedtime_are_left_out(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"plan_day": [f"{DAY}\n22:30 | evening | sleep"]}))
    await plan.plan_day(mind, MORNING)
    assert [s.end for s in mind.steps_of(PlanLevel.HOUR, MORNING)][-1] == MORNING + 16 * HOUR
    assert len(mind.steps_of(PlanLevel.HOUR, MORNING)) == 16


async def test_a_day_that_begins_late_has_the_routine_before_it(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"plan_day": [a_day(12)]}))
    await plan.plan_day(mind, MORNING)
    hours = [(hhmm(s.start), s.text) for s in mind.steps_of(PlanLevel.HOUR, MORNING)]
    assert hours[:5] == [
        ("06:00", "shower"),
        ("06:15", "resting at home"),
        ("06:30", "eat breakfast"),
        ("07:00", "work at the café"),
        ("12:00", "serve guests"),
    ]


@pytest.mark.parametrize(
    ("minutes", "lasts"),
    [((15, 15, 15, 15), [15, 15, 15, 15]), ((5, 5, 5, 5), [15, 15, 15, 15]), ((15, 15), [30, 30]), ((15,) * 8, [8] * 7 + [4])],
)
async def test_minutes_that_do_not_add_up_are_scaled(make_mind: MakeMind, minutes: tuple[int, ...], lasts: list[int]) -> None:
    rows = [row.partition(" | ")[2] for row in STEPS.splitlines() * 2]
    steps = "\n".join(f"{given} | {row}" for given, row in zip(minutes, rows, strict=False))
    mind = make_mind(ScriptedEngine({"plan_day": [DAY], "plan_steps": [steps]}))
    await plan.next_step(mind, MORNING)
    assert [(s.end - s.start) // 60 for s in mind.steps_of(PlanLevel.STEP, MORNING)] == lasts
    assert ("minutes" in mended(mind, "plan_steps")) is (minutes != (15, 15, 15, 15))


async def test_the_last_quarter_of_a_block_is_not_asked_for_alone(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_day": [DAY.replace("07:00 |", "07:15 |")], "plan_steps": [STEPS] * 3})
    await plan.next_step(make_mind(engine), MORNING)
    assert "From 06:00 to 07:15 your plan says" in engine.requests[-1].user


async def test_a_step_that_is_longer_than_was_asked_for_is_kept(make_mind: MakeMind) -> None:
    steps = (
        "15 | choosing flour | cafe:kitchen:refrigerator | nothing special | 🥐\n45 | kneading | cafe:kitchen:oven | nothing special | 🥐"
    )
    mind = make_mind(ScriptedEngine({"plan_day": [DAY], "plan_steps": [steps]}))
    await plan.next_step(mind, MORNING)
    assert [(s.end - s.start) // 60 for s in mind.steps_of(PlanLevel.STEP, MORNING)] == [15, 45]
    assert mended(mind, "plan_steps") == "mended: form of minutes, number of lines"


async def test_the_usual_day_stands_in_the_prompt(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_day": [DAY]})
    await plan.plan_day(make_mind(engine), MORNING)
    shown = engine.requests[0].user.split("Your usual day:\n")[1].split("\n\n")[0].splitlines()
    assert shown == [
        "- 06:00 shower",
        "- 06:30 eat breakfast",
        "- 07:00 work at the café",
        "- 17:30 eat supper",
        "- 18:15 walk around the pond",
    ]


async def test_of_an_hour_named_twice_the_first_line_counts(make_mind: MakeMind) -> None:
    lines = DAY.splitlines()
    twice = "\n".join([*lines[:4], "09:00 | baking | bake something else", *lines[4:]])
    mind = make_mind(ScriptedEngine({"plan_day": [twice]}))
    await plan.plan_day(mind, MORNING)
    assert [s.text for s in mind.steps_of(PlanLevel.HOUR, MORNING)][3] == "bake and serve customers"
    assert len(mind.steps_of(PlanLevel.HOUR, MORNING)) == len(lines)


async def test_each_hour_keeps_its_own_goal_though_there_are_more_goals_than_were_asked_for(make_mind: MakeMind) -> None:
    """An hour's prompt names its goal: `eat at the Kettle (your goal: make ready for the trestles)` would lead astray."""
    many = "\n".join(f"{hour:02}:00 | goal {hour} | bake {hour}" for hour in range(6, 22))
    engine = ScriptedEngine({"plan_day": [many], "plan_steps": [STEPS] * 2})
    mind = make_mind(engine)
    await plan.plan_day(mind, MORNING)
    goals = {step.id: step.text for step in mind.steps_of(PlanLevel.DAY, MORNING)}
    hours = mind.steps_of(PlanLevel.HOUR, MORNING)
    assert [(goals[hour.parent], hour.text) for hour in hours] == [(f"goal {hour}", f"bake {hour}") for hour in range(6, 22)]
    await plan.next_step(mind, MORNING + 5 * HOUR)
    assert "your plan says: bake 11 (your goal: goal 11)" in engine.requests[-1].user


async def test_a_day_of_a_single_goal_is_asked_for_again_with_the_reason(make_mind: MakeMind) -> None:
    text = "\n".join(f"{hour:02}:00 | all day | bake" for hour in range(6, 22))
    engine = ScriptedEngine({"plan_day": [text, text]})
    mind = make_mind(engine)
    await plan.plan_day(mind, MORNING)
    calls = [call for call in mind.draft.calls if call.stage == "plan_day"]
    assert [call.outcome for call in calls] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]
    assert "one goal for the whole day" in calls[0].reason
    again = "Your last answer could not be used, because it has one goal for the whole day. Answer again, in the form asked for."
    assert engine.requests[1].user.endswith(again)


async def test_mistake_4_a_failed_parse_stores_nothing(make_mind: MakeMind) -> None:
    """The reference stores "this is blank" when a reply does not parse."""
    engine = ScriptedEngine(lambda request: "this is blank")
    mind = make_mind(engine)
    await plan.next_step(mind, MORNING)
    assert not [memory for memory in mind.stream.latest(100) if "blank" in memory.text]
    assert not [step for step in mind.plan.steps if "blank" in step.text]


async def test_after_a_failure_the_rest_of_the_hour_is_planned_anew(make_mind: MakeMind) -> None:
    replies = {"plan_day": [DAY], "plan_steps": [STEPS], "replan": [INSTEAD]}
    engine = ScriptedEngine(replies)
    mind = make_mind(engine)
    first = await plan.next_step(mind, MORNING)
    at = MORNING + 15 * 60
    await plan.replan_hour(mind, first, "the oven is broken", at)
    same_as_golden(engine.requests[-1], "replan")
    assert (await plan.next_step(mind, at)).text == "sweep the floor"
    dropped = [s.text for s in mind.plan.steps if s.status is PlanStatus.DROPPED]
    assert "bake the loaves" in dropped
    assert f"- {OVEN}" not in engine.requests[-1].user, "the place that failed is offered again"


async def test_mistake_10_a_new_day_is_planned_anew(make_mind: MakeMind) -> None:
    """In the reference the old day's requirements keep feeding the new day's plan."""
    mind = make_mind()
    await plan.plan_day(mind, MORNING)
    tomorrow = parse_datetime("2026-05-05 06:00")
    assert not plan.has_plan(mind, tomorrow)
    await plan.next_step(mind, tomorrow)
    assert all(mind.day_of(s.start) == mind.day_of(tomorrow) for s in mind.steps_of(PlanLevel.HOUR, tomorrow))


async def decomposed(mind: Mind, start: int, end: int, text: str = "bake and serve customers") -> list[PlanStep]:
    (hour,) = mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, start, end, text, source=Source.MODEL)])
    return await plan.decompose(mind, hour, start)


async def test_an_hours_prompt_shows_what_was_done_in_the_last_two(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_steps": [STEPS] * 2})
    mind = make_mind(engine)
    await decomposed(mind, MORNING, MORNING + HOUR)
    assert "lready done" not in engine.requests[-1].user
    for hour, text in enumerate(("lighting the oven", "kneading the dough", "baking the loaves")):
        own_deeds.begin(mind, f"Mara is {text}", OVEN, MORNING + hour * HOUR)
        own_deeds.arrive(mind, MORNING + hour * HOUR)
        own_deeds.end(mind, MORNING + (hour + 1) * HOUR)
        await own_deeds.remember(mind, MORNING + (hour + 1) * HOUR)
    await decomposed(mind, MORNING + 3 * HOUR, MORNING + 4 * HOUR)
    shown = engine.requests[-1].user
    done = shown.split("Already done:\n")[1].split("\n\n")[0].splitlines()
    assert [line.partition(": ")[2] for line in done] == ["kneading the dough", "baking the loaves"]
    assert done[0].startswith("- 07:00-08:00 at the kitchen")
    assert "Leave out what is already done." in shown


async def test_a_step_with_the_persons_name_before_it_is_read_like_the_others(make_mind: MakeMind) -> None:
    named = STEPS.replace("| knead the dough |", "| Mara is kneading the dough. |").replace(
        "| serve customers |", "| is serving customers |", 1
    )
    mind = make_mind(ScriptedEngine({"plan_steps": [named]}))
    steps = await decomposed(mind, MORNING + HOUR, MORNING + 2 * HOUR)
    assert [step.text for step in steps][::3] == ["kneading the dough", "serving customers"]
    assert [step.sentence for step in steps][::3] == ["Mara is kneading the dough", "Mara is serving customers"]


async def test_an_hour_is_planned_up_to_the_next_appointment(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_steps": [STEPS]})
    mind = make_mind(engine)
    begins = MORNING + HOUR + 40 * 60
    assert appointments.keep(mind, Invitation(begins, begins + HOUR, "millbrook:cafe"), "going to the party", MORNING)
    steps = await decomposed(mind, MORNING + HOUR, MORNING + 2 * HOUR)
    assert steps[-1].end == begins - appointments.EARLY
    assert "From 07:00 to 07:30" in engine.requests[-1].user


async def test_what_was_agreed_is_part_of_the_day_though_the_model_left_it_out(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"plan_day": [DAY], "importance": ["3"]}))
    assert appointments.keep(mind, Invitation(MORNING + 11 * HOUR, MORNING + 13 * HOUR, "millbrook:cafe"), "going to the party", MORNING)
    await plan.plan_day(mind, MORNING)
    (memory,) = mind.stream.latest(1, (MemoryKind.PLAN,))
    assert "14:00 afternoon; 17:00 going to the party; 18:00 evening." in memory.text


async def test_a_promise_without_an_hour_stands_in_the_days_prompt_and_an_appointment_only_once(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"plan_day": [DAY], "importance": ["3"]})
    mind = make_mind(engine)
    evening = MORNING - 10 * HOUR
    await appointments.remember_promise(mind, "to bring flour", ["tobin_hale"], evening)
    agreed = Invitation(MORNING + 11 * HOUR, MORNING + 12 * HOUR, "millbrook:cafe", "carry sacks")
    await appointments.promise(mind, agreed, ["tobin_hale"], evening)
    await appointments.remember_promise(mind, "to mend the gate", ["tobin_hale"], MORNING - 72 * HOUR)
    await plan.plan_day(mind, MORNING)
    shown = engine.requests[0].user
    promised = shown.split("Promised, without an hour:\n")[1].split("\n\n")[0]
    assert promised == "- (yesterday) Mara promised Tobin Hale to bring flour."
    assert "- 17:00 carry sacks" in shown
