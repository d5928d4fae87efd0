"""The reference code's mistakes, each a test that fails where the mistake is made. MISSION's list, in its order."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from npc_server.agent import Wish
from npc_server.clock import DAY, HOUR, MINUTE, parse_datetime
from npc_server.cognition import act, converse, importance, plan, react, reflect, revise_identity
from npc_server.llm import reply
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory import files
from npc_server.memory.database import reading
from npc_server.memory.retrieval_score import Weights
from npc_server.memory.stream import MemoryStream, casefolded
from npc_server.mind.appointments import coming, keep
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import retrieve
from npc_server.personas.names import called
from npc_server.records import (
    CallOutcome,
    Memory,
    MemoryKind,
    MemorySource,
    Outcome,
    OutcomeStatus,
    Perception,
    PerceptionKind,
    PlanLevel,
    Social,
    Source,
)
from npc_server.session.host import Host
from tests.minds import MORNING, everywhere
from tests.minds import make_mind as make_mind
from tests.minds import persona as persona
from tests.minds import world as world
from tests.session.conftest import Game, personas, town
from tests.session.conftest import make_host as make_host
from tests.session.conftest import settings as settings

MakeMind = Callable[..., Mind]
MakeHost = Callable[..., Host]
NOON = parse_datetime("2026-05-04 12:00")
STOVE = "millbrook:mara_house:kitchen:stove"


async def knows(mind: Mind, text: str, at: int = MORNING, weight: int = 3, **more: object) -> Memory:
    given = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, **more}
    return (await mind.remember([text], at=at, importance=[weight], **given))[0]  # type: ignore[arg-type]


async def play(host: Host) -> Game:
    await host.create_save("one", town(), personas(), seed=7, start=0)
    return Game(await host.open_save("one"))


async def test_1_recency_ranks_what_was_used_last_first() -> None:
    """The reference ranks by position, oldest first, so the stalest memory is the most recent one."""
    stream = MemoryStream("mara_voss")
    for i, used in enumerate((MORNING - 9 * DAY, MORNING - DAY, MORNING - 5 * DAY), start=1):
        stream.add(Memory("mara_voss", i, MemoryKind.OBSERVATION, "x", MORNING - 10 * DAY, used, 3))
    found = stream.retrieve(None, MORNING, 3, Weights(), 0.995)
    assert [scored.memory.id for scored in found] == [2, 3, 1]
    assert found[0].recency == 1


async def test_2_the_last_access_is_saved(make_host: MakeHost) -> None:
    """The reference writes every memory without it."""
    host = make_host()
    game = await play(host)
    agent = game.session.agent("mara_voss")
    start = game.session.now
    await game.tick(start)
    await game.tick(start + 2 * HOUR)
    touched = {m.id: m.last_access for m in agent.mind.stream.latest(100) if m.last_access > start}
    (asked,) = await retrieve(agent.mind, "bread", start + 2 * HOUR, 1)
    touched[asked.memory.id] = start + 2 * HOUR
    await game.session._thinking._context.write(agent)
    await game.session.close(save=True)
    again = await host.open_save("one")
    stream = again.agent("mara_voss").mind.stream
    assert {number: stream.get(number).last_access for number in touched} == touched


async def test_3_names_match_whatever_the_case(make_mind: MakeMind) -> None:
    """The reference stores keywords in lower case and looks them up as typed, so names never match."""
    mind = make_mind()
    memory = await knows(mind, "Tobin Hale owes a loaf", triples=[("Tobin Hale", "owes", "a loaf")])
    for name in ("Tobin Hale", "tobin hale", "TOBIN HALE"):
        assert mind.stream.about(name, 5) == [memory]
    assert casefolded(("TOBIN hale", "Owes", "a LOAF")) in mind.stream.seen_lately(8)
    for name in ("MARA VOSS", "mara_voss", "Mara voss"):
        assert called(name, (mind.persona,)) is mind.persona


async def test_4_a_failed_parse_stores_nothing(make_mind: MakeMind) -> None:
    """The reference stores "this is blank" as an insight."""
    engine = ScriptedEngine(lambda request: "a?\nb?\nc?" if request.stage == "reflect_questions" else "this is blank")
    mind = make_mind(engine)
    await knows(mind, "Tobin Hale ate alone")
    await reflect.reflect(mind, MORNING)
    await plan.next_step(mind, MORNING)
    assert "reflect_insights" in {request.stage for request in engine.requests}
    assert not mind.stream.latest(100, (MemoryKind.REFLECTION,))
    assert not [m for m in mind.stream.latest(100) if "blank" in m.text]
    assert not [step for step in mind.plan.steps if "blank" in step.text]


WRONG = ("", " ", "\n\n", "{}", "|", "yes and no", "17:99", "3 or 4", "99", "emoji", "place: nowhere")


@pytest.mark.parametrize("text", WRONG)
async def test_5_no_validator_accepts_anything(make_mind: MakeMind, text: str) -> None:
    """Some of the reference's validators return true for whatever they get. Ours know what is wrong, in every stage that decides."""
    mind = make_mind(ScriptedEngine(lambda request: text))
    step = (await plan.decompose(mind, (await plan.plan_day(mind, MORNING))[0], MORNING))[0]
    await act.act(mind, replace(step, source=Source.MODEL, text="do something odd", address=""), "", MORNING, everywhere, "mara_voss/1")
    await importance.rate(mind, ["The mill is burning"], MORNING)
    mind.relationships.social["tobin_hale"] = Social(mind.npc, "tobin_hale", "rival", "", "", 1, 0, 0)  # of others the rules are sure
    await converse.listen(mind, "tobin_hale", MORNING, hurried=False)
    await react.react(mind, [await knows(mind, "The mill is burning", weight=8)], "", "", MORNING, lambda who: True)
    asked = {call.stage for call in mind.draft.calls}
    assert {"plan_day", "act", "importance", "listen", "react"} <= asked
    assert {call.outcome for call in mind.draft.calls} == {CallOutcome.RETRIED, CallOutcome.INSTINCT}
    assert mind.tally.model == 0
    kinds = [kind for _, kind in inspect.getmembers(reply, inspect.isclass) if issubclass(kind, reply.Kind) and kind is not reply.Kind]
    assert all("read" in vars(kind) for kind in kinds), "a kind without a check of its own"


async def test_6_actions_and_talks_end_at_or_after_their_time(make_host: MakeHost) -> None:
    """In the reference a step of the clock that jumps over the very second leaves an action or a talk going on for ever."""
    game = await play(make_host())
    session, agent = game.session, game.session.agent("mara_voss")
    await game.tick(session.now)
    first = agent.doing.action
    assert first is not None
    (following,) = [action for action in await game.tick(first.end + 7) if action.npc == "mara_voss"]
    assert following.id != first.id
    agent.begin_talk("t", ["tobin_hale"], session.now, session.now + 45)
    agent.end_talk(["tobin_hale"], session.now, session.now + 45)
    talking = agent.doing.action
    assert talking is not None
    early = [action.id for action in await game.tick(session.now + 44) if action.npc == "mara_voss"]
    assert early == [talking.id]  # told, and not over
    (after,) = [a for a in await game.tick(session.now + 600) if a.npc == "mara_voss"]
    assert after.id != talking.id


async def test_7_who_gets_no_answer_does_not_simply_agree_to_talk(make_mind: MakeMind) -> None:
    """The reference's default when the model fails is to agree."""
    broken = make_mind(ScriptedEngine(lambda request: "???"))
    assert await converse.listen(broken, "tobin_hale", NOON, hurried=True) == (False, Source.INSTINCT)
    strangers = [(await converse.listen(broken, "a stranger", NOON + i, hurried=False))[0] for i in range(30)]
    assert False in strangers
    noticed = [await knows(broken, "A stranger is walking by", triples=[("A stranger", "is", "walking by")])]
    assert await react.react(broken, noticed, "", "", NOON, lambda who: True) is None


async def test_8_no_prompt_names_anybody_but_those_concerned(make_mind: MakeMind) -> None:
    """Two of the reference's characters stand in everybody's prompts."""
    people = {path.name.removesuffix(".yaml") for name in ("millbrook", "alderwick") for path in _personas(name)}
    names = {part for npc in people for part in npc.split("_") if len(part) > 3} | {"isabella", "klaus", "maria", "hailey", "eddy"}
    for path in resources.files("npc_server").joinpath("prompts").iterdir():
        if path.name.endswith(".prompt"):
            words = set(re.findall(r"[a-z]+", path.read_text(encoding="utf-8").lower()))
            assert not words & names - {"rose", "stone"}, path.name
    engine = ScriptedEngine(lambda request: "?")
    mind = make_mind(engine)
    mind.persona = replace(mind.persona, relations=())
    await plan.next_step(mind, MORNING)
    await revise_identity.revise(mind, MORNING)
    assert engine.requests
    assert not any("Tobin" in request.system + request.user for request in engine.requests)


async def test_9_events_of_objects_cause_reactions(make_host: MakeHost) -> None:
    """In the reference an object's event is never reacted to: breakfast burns on."""
    game = await play(make_host())
    session = game.session
    await game.tick(session.now)
    session.world.set_state(STOVE, "burning")
    at = session.now + MINUTE
    seen = Perception("mara_voss", PerceptionKind.OBJECT, STOVE, "is burning", STOVE.rpartition(":")[0], 2.0, at)
    decided = [action for action in await game.tick(at, seen) if action.npc == "mara_voss"]
    assert [(a.address, a.object_action, a.object_state_after) for a in decided] == [(STOVE, "put out the fire", "off")]


async def test_10_yesterdays_requirements_do_not_feed_todays_plan(make_mind: MakeMind) -> None:
    """In the reference what a day required stays in the prompts of all days after it."""
    engine = ScriptedEngine(lambda request: "Mara is looking forward to the fair." if request.stage == "identity" else "?")
    mind = make_mind(engine)
    assert keep(mind, Invitation(MORNING + 9 * HOUR, MORNING + 10 * HOUR, "millbrook:cafe"), "tasting jam for the fair", MORNING)
    await revise_identity.revise(mind, MORNING)
    await plan.plan_day(mind, MORNING)
    assert any("tasting jam for the fair" in request.user for request in engine.requests)
    engine.asked.clear()
    tomorrow = MORNING + DAY
    mind.tools.engine = ScriptedEngine(lambda request: "Mara is at ease." if request.stage == "identity" else "?")
    assert not plan.has_plan(mind, tomorrow)
    assert not coming(mind, tomorrow)
    await revise_identity.revise(mind, tomorrow)
    await plan.next_step(mind, tomorrow)
    requests: list[Request] = mind.tools.engine.requests
    assert not any("tasting jam" in request.user for request in requests)
    assert not any("fair" in request.system for request in requests if request.stage.startswith("plan"))
    assert {mind.day_of(step.start) for step in mind.steps_of(PlanLevel.HOUR, tomorrow)} == {mind.day_of(tomorrow)}


async def test_11_a_save_is_one_file_replaced_at_once_or_not_at_all(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference overwrites many JSON files one by one; a crash between two leaves half of each world."""
    game = await play(make_host())
    session = game.session
    folder = Path(session._open._slots.folder)
    slot = folder / "one.npcsave"
    await game.tick(session.now)
    await session.save_game()
    assert [path.name for path in folder.iterdir() if "play" not in path.name and "lock" not in path.name] == ["one.npcsave"]
    before = slot.read_bytes()
    await session.whisper("mara_voss", "I want to give a party.")

    def power_cut(path: Path) -> None:
        assert slot.read_bytes() == before, "the old save was touched before the new one was whole"
        raise OSError("the power went out")

    monkeypatch.setattr(files, "sync_file", power_cut)
    with pytest.raises(Exception, match="power"):
        await session.save_game()
    assert slot.read_bytes() == before
    monkeypatch.undo()
    await session.save_game()
    with reading(slot) as db:
        texts = [text for (text,) in db.conn.execute("SELECT text FROM memories WHERE kind = 'intention'").fetchall()]
    assert texts == ["I want to give a party."]


GARBAGE = ("", "\x00", "}{", "a" * 5000, "1\n2\n3", "| | |", "ĳ\u2028\u202e", "06:00 | x", "NaN")


@pytest.mark.parametrize("text", GARBAGE)
async def test_12_no_output_of_the_model_ends_the_run(make_host: MakeHost, text: str) -> None:
    """In the reference malformed output ends the simulation."""
    game = await play(make_host(ScriptedEngine(lambda request: text)))
    session = game.session
    start = session.now
    for at in (start, start + HOUR, start + 2 * HOUR):
        seen = Perception("mara_voss", PerceptionKind.PERSON, "tobin_hale", f"is singing at {at}", "millbrook:lane:square", 2.0, at)
        session.agent("mara_voss").wish = Wish("tobin_hale", "the song")
        decided = await game.tick(at, seen)
        assert decided or at > start
        await session.say("mara_voss", "Ada", "Well?", lambda piece: None)
        failed = [Outcome(a.npc, a.id, OutcomeStatus.FAILED, "it broke", a.address) for a in decided]
        await game.tick(at + MINUTE, *failed)
    assert not [event for event in game.told if getattr(event, "reason", "") == "THOUGHT_BROKE"]
    assert all(session.mind(npc).action for npc in session.npc_ids)
    perceived = [m.text for m in session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 100)]
    assert any("is singing" in memory for memory in perceived)


# ---- parts


def _personas(name: str) -> list[Path]:
    folder = Path(str(resources.files("npc_server").joinpath(f"data/towns/{name}/personas")))
    found = sorted(folder.glob("*.yaml"))
    assert found
    return found
