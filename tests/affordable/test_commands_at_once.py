"""A whole activity at home in one question."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_eval.stand_in import StandIn
from npc_server.affordable import household_view
from npc_server.affordable.commands_at_once import LISTS
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import CallOutcome, PlanStatus, Policy, Source
from npc_server.sandbox.towns import find_cast
from npc_server.world.household import from_text
from tests.affordable.test_commands import NORA, SOFA, House
from tests.minds import same_as_golden
from tests.world.faults import faults

READING = "grab magazine\nsit on sofa\nread magazine"
DISHWASHER = "household:house:kitchen:dishwasher"
NOT_WHOLE = ("lay the table and eat lunch", "read in bed")
"""Habits of which a part is impossible when nothing came before: nobody has cooked the pasta, and she wears no shirt to take off."""


def lists(*texts: str, critic: str = "yes", command: str = "") -> Callable[[Request], str]:
    left = list(texts)

    def reply(request: Request) -> str:
        if request.stage == "commands":
            return left.pop(0)
        return f"done: {critic}\nwhy: because" if request.stage == "critic" else command

    return reply


def stages(engine: ScriptedEngine) -> list[str]:
    return [request.stage for request in engine.requests]


async def test_a_whole_activity_is_one_list_which_the_critic_checks_and_becomes_a_policy() -> None:
    engine = ScriptedEngine(lists("grab newspaper\nread newspaper"))
    house = House(engine)
    assert await house.live(house.activity("read the newspaper")) == ["walk to newspaper", "grab newspaper", "read newspaper"]
    assert stages(engine) == ["commands", "critic"]
    assert "You did, the last first:\n- read newspaper\n- grab newspaper" in engine.requests[1].user
    (kept,) = house.kept()
    assert [step.activity for step in kept.steps] == ["walk to newspaper", "grab newspaper", "read newspaper"]
    same_as_golden(engine.requests[0], "commands")


async def test_where_the_critic_is_not_content_the_rest_is_chosen_one_at_a_time() -> None:
    verdicts = ["no", "yes"]

    def reply(request: Request) -> str:
        if request.stage == "critic":
            return f"done: {verdicts.pop(0)}\nwhy: because"
        return "grab newspaper" if request.stage == "commands" else "read newspaper"

    engine = ScriptedEngine(reply)
    house = House(engine)
    done = await house.live(house.activity("read the newspaper"))
    assert [it for it in done if not it.startswith("walk")] == ["grab newspaper", "read newspaper"]
    assert stages(engine) == ["commands", "critic", "command", "critic"]
    (kept,) = house.kept()
    assert kept.steps[-1].activity == "read newspaper"


async def test_the_critic_is_not_asked_where_the_list_has_the_whole_habit() -> None:
    habit = next(item for item in find_cast("household", [NORA]).people[0].routine if item.text != "sleeping" and len(item.commands) > 2)
    commands = [text.split(" for ")[0] for text in habit.commands]
    for left_out, asked in (([], ["commands"]), (commands[1:2], ["commands", "critic"])):
        engine = ScriptedEngine(lists("\n".join(text for text in commands if text not in left_out)))
        house = House(engine)
        await house.live(house.activity(habit.text, 60, habit.where or SOFA))
        assert stages(engine) == asked, left_out


async def test_a_refused_command_is_forbidden_and_only_the_rest_is_asked_for() -> None:
    engine = ScriptedEngine(lists("sit on sofa\ngrab magazine\nread magazine", "stand up from sofa"))
    house = House(engine)
    house.set("magazine", "held by theo_lind")  # and she does not know
    done = await house.live(house.activity("read a magazine"))
    assert done[:2] == ["sit on sofa", "✗ grab magazine"]
    assert done.count("✗ grab magazine") == 1
    assert "read magazine" not in done
    assert stages(engine)[:2] == ["commands", "commands"]
    again = engine.requests[1]
    assert "- grab magazine, because somebody else has the magazine" in again.user
    assert "You did already, the last first:\n- sit on sofa" in again.user
    with pytest.raises(Exception, match="not offered"):
        again.reply.parse("grab magazine")
    same_as_golden(again, "commands_again")


async def test_after_a_refusal_the_critic_has_the_last_word() -> None:
    engine = ScriptedEngine(lists("grab magazine\nread magazine", "sit on sofa"))
    house = House(engine)
    house.set("magazine", "held by theo_lind")
    assert await house.live(house.activity("read a magazine")) == ["✗ grab magazine", "sit on sofa"]
    assert stages(engine) == ["commands", "commands", "critic"]


async def test_what_she_knows_cannot_work_is_not_tried_and_counts_as_refused() -> None:
    engine = ScriptedEngine(lists("read magazine\nsit on sofa", "sit on sofa"))
    house = House(engine)
    house.set("magazine", "held by theo_lind")
    house.mind.knowledge.learn(house.household.address("magazine"), "held by theo_lind", house.now)
    assert await house.live(house.activity("read a magazine")) == ["sit on sofa"]
    assert "read magazine, because" in engine.requests[1].user


async def test_lists_are_asked_for_only_so_often() -> None:
    def reply(request: Request) -> str:
        if request.stage == "critic":
            return "done: no\nwhy: not yet"
        failed = [name for name in ("magazine", "dictionary", "newspaper", "notebook") if f"- grab {name}, because" not in request.user]
        return f"grab {failed[0]}" if request.stage == "commands" else request.user.split("What you can do next:\n- ")[1].split("\n")[0]

    engine = ScriptedEngine(reply)
    house = House(engine, commands_per_activity=8)
    for name in ("magazine", "dictionary", "newspaper", "notebook"):
        house.set(name, "held by theo_lind")
    done = await house.live(house.activity("read a magazine, a newspaper, a dictionary, a notebook"))
    assert stages(engine).count("commands") == LISTS
    assert "command" in stages(engine)
    assert len(done) <= 8


async def test_a_nonsense_reply_falls_back_to_the_habit_without_further_questions() -> None:
    engine = ScriptedEngine(lists("dance on the moon", "|||"))
    house = House(engine)
    done = await house.live(house.activity("look up words and read the manuscript", 60))
    assert [it for it in done if it.startswith("read")] == ["read dictionary", "read manuscript"]
    assert stages(engine) == ["commands", "commands"]
    assert [call.outcome for call in house.mind.draft.calls] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]
    assert not house.kept()
    assert {it.source for it in house.mind.plan.steps if it.does and it.address and it.status is PlanStatus.DONE} == {Source.INSTINCT}


async def test_nothing_to_do_at_all_ends_the_activity() -> None:
    engine = ScriptedEngine(lists("stand up from sofa"))
    house = House(engine)
    assert await house.live(house.activity("read the newspaper")) == []
    assert stages(engine) == ["commands"]


async def test_every_habit_is_suggested_whole_and_leads_to_its_end() -> None:
    for item in find_cast("household", [NORA]).people[0].routine:
        if not item.commands or item.text == "sleeping":
            continue
        house, habit = House(StandIn()), House()
        where = item.where or SOFA
        done = await house.live(house.activity(item.text, 60, where))
        assert sorted(done) == sorted(await habit.live(habit.activity(item.text, 60, where))), item.text
        assert not any(it.startswith("✗") for it in done)
        asked = {call.stage for call in house.mind.draft.calls}
        assert asked <= ({"commands", "critic"} if item.text in NOT_WHOLE else {"commands"}), item.text
        assert not faults(house.household.home)


def test_a_rehearsal_changes_nothing_and_leaves_out_what_is_so_already() -> None:
    house = House()
    view = household_view.view_of(house.mind, SOFA)
    before = dict(view.home.things)
    wanted = [from_text(text) for text in ("close dishwasher", "grab magazine", "read magazine", "put magazine on desk")]
    found = household_view.rehearsed(view, [it for it in wanted if it is not None], ())
    assert [it.text for it in found] == ["grab magazine", "read magazine", "put magazine on desk"]
    assert view.home.things == before


async def emptied() -> tuple[House, Policy]:
    house = House(ScriptedEngine(lists("open dishwasher\ngrab pot\nput pot in low_cupboard\nclose dishwasher")))
    put_in_dishwasher(house, "clean")
    await house.live(house.activity("empty the dishwasher", where=DISHWASHER))
    return house, house.kept()[0]


def put_in_dishwasher(house: House, how: str) -> None:
    house.set("pot", f"{how}, in the dishwasher")
    house.mind.knowledge.learn(house.household.address("pot"), f"{how}, in the dishwasher", house.now)


async def test_what_is_only_carried_needs_to_be_in_its_place_and_no_more() -> None:
    house, policy = await emptied()
    assert dict(policy.needs)[house.household.address("pot")] == "in the dishwasher"
    again = House(ScriptedEngine({}), [policy])
    put_in_dishwasher(again, "dirty")
    assert "put pot in low_cupboard" in await again.live(again.activity("empty the dishwasher", where=DISHWASHER))
    assert not stages(again.mind.tools.engine)  # type: ignore[arg-type]


async def test_a_policy_is_left_alone_when_what_it_carries_is_elsewhere() -> None:
    _, policy = await emptied()
    engine = ScriptedEngine(lists("open dishwasher"))
    house = House(engine, [policy])
    house.set("pot", "clean, on the worktop")
    house.mind.knowledge.learn(house.household.address("pot"), "clean, on the worktop", house.now)
    await house.live(house.activity("empty the dishwasher", where=DISHWASHER))
    assert stages(engine)[0] == "commands"


async def test_a_policy_that_fails_gives_way_to_a_list_of_the_rest() -> None:
    first = House(ScriptedEngine(lists(READING)))
    await first.live(first.activity("read a magazine"))
    engine = ScriptedEngine(lists("sit on sofa"))
    house = House(engine, [first.kept()[0]])
    house.set("magazine", "held by theo_lind")
    assert await house.live(house.activity("read a magazine")) == ["✗ grab magazine", "sit on sofa"]
    assert stages(engine) == ["commands", "critic"]
    assert any(change.failed for change in house.mind.draft.policies)
