"""Asking a case of each kind through the stages of play, and scoring the reply."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from npc_eval.model import cases, scores
from npc_eval.model.case_files import id_of
from npc_eval.model.exchanges import RecordingEngine
from npc_eval.model.minds import Minds
from npc_eval.model.results import CaseVerdict
from npc_eval.topics import topic_of
from npc_server import clock
from npc_server.cognition import converse, importance, plan, reflect, remember_talk
from npc_server.cognition import react as reacting
from npc_server.cognition.act import act
from npc_server.cognition.interview import interview
from npc_server.english.unknown_words import unknown_words
from npc_server.errors import ReplyUnreadable
from npc_server.mind import appointments, replies
from npc_server.mind.mind import Mind
from npc_server.personas.names import first_name
from npc_server.records import Action, Address, GameTime, Line, Memory, MemoryKind, PlanLevel, PlanOrigin, PlanStep, Reach, Talk
from npc_server.world.tree import Node, NodeKind, ObjectAction, World

SOMEBODY = "player"
"""Who asks for an offer."""
LATE, EARLY = 30 * clock.MINUTE, 15 * clock.MINUTE
"""Game seconds by which a planned step may begin after and before the time of an invitation."""


@dataclass(frozen=True)
class CaseSetup:
    """What is needed to ask a case."""

    minds: Minds
    engine: RecordingEngine
    number: int
    in_play: bool = False
    """Whether the outcome counts, even when instinct decided it; else only the model's own reply counts."""


async def ask_case(case: cases.Case, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    """Asks a case. The minds tell whether the model answered."""
    ask = _ASK[type(case)]
    return await ask(case, asking)


# ---- memory


async def _recall(case: cases.Recall, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    mind = await asking.minds.make(asking.engine, asking.number, case, now)
    mind = mind.aside()
    answer, _ = await interview(mind, case.question, now)
    wrong = scores.any_of(answer.value, case.never)
    if case.expect is None:
        right = scores.admits_ignorance(answer.value, mind.persona.voice.dont_know) and not wrong
        return CaseVerdict(float(right), answer.value, {"does not know": float(right)}, _why_not(wrong)), [mind]
    right = bool(scores.any_of(answer.value, case.expect)) and not wrong
    return CaseVerdict(float(right), answer.value, {"knows": float(right)}, _why_not(wrong)), [mind]


async def _importance(case: cases.Importance, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    mind = await asking.minds.make(asking.engine, asking.number, case, now)
    (rating,) = await importance.rate(mind, [case.memory], now, topics=[topic_of(case.memory)])
    return CaseVerdict(max(0.0, 1 - abs(rating - case.expect) / 9), str(rating), rating=rating), [mind]


# ---- action


async def _everywhere(addresses: Sequence[Address]) -> list[Reach]:
    return [Reach(address, True, 60.0) for address in addresses]


async def _place(case: cases.PlaceFor, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    mind = await asking.minds.make(
        asking.engine,
        asking.number,
        case,
        now,
        nodes=[_node(place) for place in case.offered],
        only_there=True,
        places_offered=len(case.offered),
    )
    step = PlanStep(mind.npc, 1, PlanLevel.STEP, 0, now, now + 15 * clock.MINUTE, case.activity)
    action = await act(mind, step, "", now, _everywhere, "case")
    chosen = action.address if isinstance(action, Action) else ""
    return CaseVerdict(float(chosen in case.expect), chosen), [mind]


def _node(place: cases.Offered) -> Node:
    actions = tuple(ObjectAction(name) for name in place.can)
    name = place.address.rpartition(":")[2].replace("_", " ")
    return Node(place.address, NodeKind.OBJECT, name, state=place.state, actions=actions)


async def _react(case: cases.React, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    person = case.noticed
    nodes = [Node(case.here, NodeKind.ARENA, case.here.rpartition(":")[2].replace("_", " "))] if case.here else []
    mind = await asking.minds.make(asking.engine, asking.number, case, now, others={person: case.relation} if person else {}, nodes=nodes)
    number = mind.stream.next_id()
    text, topic = case.observation, topic_of(case.observation)
    (weight,) = await mind.instinct.importance(mind, [text], [topic])
    noticed = Memory(mind.npc, number, MemoryKind.OBSERVATION, text, now, now, weight.importance, subject=person, topic=topic)
    reaction = await reacting.react(mind, [noticed], case.doing, case.here or "", now, lambda who: bool(person) and who == id_of(person))
    kind = reaction.kind if reaction else replies.CONTINUE
    return CaseVerdict(float(kind == case.expect), kind), [mind]


# ---- talk


async def _say(case: cases.Say, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    mind = await asking.minds.make(asking.engine, asking.number, case, now, others={case.to: case.relation})
    said = [*case.before, *([case.heard] if case.heard.strip() else [])]
    talk = _talk(mind, id_of(case.to), said, now)
    spoken = await converse.say(mind, talk, now, frozenset(), about=case.about)
    fields = [case.npc, case.to, *said, case.about, *(memory.text for memory in case.memories), *(case.expect or ())]
    fields += [clock.ago(memory.created, now) for memory in mind.stream.latest(len(mind.stream))]
    strange = unknown_words(spoken.text, "\n".join([asking.engine.shown, *fields]))
    never = scores.any_of(spoken.text, case.never)
    parts = {"names nothing else": float(not strange)}
    if case.never:
        parts["says nothing wrong"] = float(not never)
    if case.expect:
        parts["says what is wanted"] = float(bool(scores.any_of(spoken.text, case.expect)))
    why = f"names {', '.join(strange)}" if strange else _why_not(never)
    return CaseVerdict(float(all(parts.values())), spoken.text, parts, why), [mind]


async def _offer(case: cases.OfferCase, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    mind = await asking.minds.make(asking.engine, asking.number, case, now)
    spoken = await converse.say(mind, _talk(mind, SOMEBODY, [*case.before, case.heard], now), now, frozenset())
    call = spoken.call
    given = json.loads(call.arguments) if call else {}
    if case.expect is None:
        parts = {"nothing is asked for": float(call is None)}
    else:
        named = call is not None and call.name == case.expect.name
        about = spoken.offer is not None and spoken.offer.offer == case.expect.name  # it may ask back first
        all_of_it = named and case.expect.arguments.items() <= given.items()
        parts = {"the offer": float(named or about), "the action": float(named), "all of it": float(all_of_it)}
    return CaseVerdict(float(all(parts.values())), f"{spoken.text} [{call.name} {call.arguments}]" if call else spoken.text, parts), [mind]


def _talk(mind: Mind, other: str, said: Sequence[str], now: GameTime) -> Talk:
    """A talk in which both took turns and the other spoke last. With nothing said, the NPC begins."""
    lines = [Line(other if (len(said) - i) % 2 else mind.npc, text, now) for i, text in enumerate(said)]
    people = (mind.npc, other) if not lines or lines[0].speaker == mind.npc else (other, mind.npc)
    return Talk("case", people, "", now, tuple(lines))


async def _dialogue(case: cases.Dialogue, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    partner = case.partner
    first = await asking.minds.make(asking.engine, asking.number, case, now, others={partner.npc: case.relation})
    second = await asking.minds.make(asking.engine, asking.number, partner, now, others={case.npc: case.relation})
    both, settings = (first, second), first.settings
    talk = Talk("case", (first.npc, second.npc), "", now)
    repeated, left, answered = "", 0, False
    for turn in range(settings.talk_lines_max):
        mind = both[turn % 2]
        last = left > 0 or turn >= settings.talk_lines_max - 2
        said = await converse.say(mind, talk, now, frozenset(), about="" if turn else case.about, last_words=last)
        if await converse.repeats(mind, talk, said.text, said.source):
            repeated = said.text
            break
        talk = replace(talk, lines=(*talk.lines, Line(mind.npc, said.text, now + turn * settings.talk_line_s)))
        if left:
            answered = True
            break
        left = turn + 1 if _of_itself(asking.engine, said.leaves, last) else 0
    on_topic = all(any(scores.any_of(line.text, case.topic) for line in talk.lines if line.speaker == mind.npc) for mind in both)
    # When the last line possible is the one that leaves, nobody answers it.
    ended = answered or left == settings.talk_lines_max
    parts = {"no repeated line": float(not repeated), "on the topic": float(on_topic), "ends": float(ended)}
    text = " / ".join(f"{first.people.name_of(line.speaker)}: {line.text}" for line in talk.lines)
    return CaseVerdict(float(all(parts.values())), text, parts, f"repeats {repeated!r}" if repeated else ""), list(both)


def _of_itself(engine: RecordingEngine, leaves: bool, last: bool) -> bool:
    """Whether the speaker chose to leave. A speaker who is told to say goodbye always counts as leaving, so its reply decides."""
    if not last:
        return leaves
    exchange = engine.exchanges[-1] if engine.exchanges else None
    if exchange is None or exchange.done is None:
        return leaves
    try:
        return bool(exchange.request.reply.parse(exchange.done.text).then == replies.LEAVE)
    except (ReplyUnreadable, AttributeError):
        return False


async def _invitation(case: cases.InvitationCase, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now, at = clock.parse_datetime(case.now), clock.parse_datetime(case.at)
    mind = await asking.minds.make(
        asking.engine,
        asking.number,
        case,
        now,
        others={case.inviter: case.relation},
        nodes=[Node(place.address, NodeKind.ARENA, place.name) for place in case.places],
    )
    lines: list[Line] = []
    for i, text in enumerate(case.heard):
        lines += [
            Line(mind.npc, "I am listening." if i else f"Hello, {first_name(case.inviter)}.", now),
            Line(id_of(case.inviter), text, now),
        ]
    talk = Talk("case", (mind.npc, id_of(case.inviter)), "", now, tuple(lines))
    told = ""
    if mind.answerer.speaks_for_itself:  # then what it agrees to counts
        said = await converse.say(mind, talk, now, frozenset())
        told = asking.engine.reply
        if said.agreed is not None:
            await appointments.promise(mind, said.agreed, [id_of(case.inviter)], now)
    await remember_talk.remember(mind, talk, now)
    told = told or asking.engine.reply
    kept = next((step for step in appointments.coming(mind, now) if _fits(step, at, case.place)), None)
    # Plan the day of the invitation, in its morning.
    morning = max(mind.day_of(at) + mind.persona.wake, now)
    await plan.plan_day(mind, morning)
    occasion = kept.text if kept else ""
    rows = [step for step in mind.steps_of(PlanLevel.HOUR, morning) if asking.in_play or step.origin is not PlanOrigin.AGREED]
    near = [step for step in rows if at - EARLY - appointments.EARLY <= step.start <= at + LATE]
    in_rows = any(_speaks_of(step.text, occasion, mind.world, case.place) for step in near)
    parts = {
        "kept with hour and place": float(kept is not None),
        "in the day that is lived" if asking.in_play else "in the model's own day": float(in_rows),
    }
    reply = "\n".join([told, *(f"{clock.hhmm(step.start)} {step.text}" for step in near)])
    return CaseVerdict(float(kept is not None and in_rows), reply, parts), [mind]


def _fits(step: PlanStep, at: GameTime, place: Address) -> bool:
    return step.start <= at < step.end and abs(step.start + appointments.EARLY - at) <= EARLY and step.address == place


def _speaks_of(text: str, occasion: str, world: World, place: Address) -> bool:
    """Whether a row of the day names the occasion or its place."""
    named = [occasion.removeprefix(appointments.GOING_TO).removeprefix("the ")] if occasion else []
    named += [world.node(place).name.removeprefix("the ")]
    return bool(scores.any_of(text, [words for name in named for words in {name, name.split()[-1]}]))


# ---- thought


async def _insights(case: cases.Insights, asking: CaseSetup) -> tuple[CaseVerdict, list[Mind]]:
    now = clock.parse_datetime(case.now)
    mind = await asking.minds.make(asking.engine, asking.number, case, now)
    made = await reflect.reflect(mind, now)
    supports = [(support.words, support.memories) for support in case.supports]
    good = [scores.supported(memory.text, memory.evidence, supports) for memory in made]
    reply = "\n".join(f"{memory.text} ({', '.join(map(str, memory.evidence))})" for memory in made)
    bad = [memory.text for memory, fits in zip(made, good, strict=True) if not fits]
    return CaseVerdict(sum(good) / len(good) if good else 0.0, reply, why=f"not supported: {bad[0]}" if bad else ""), [mind]


def _why_not(said: str) -> str:
    return f"says {said!r}" if said else ""


_ASK: dict[type, Callable[..., Awaitable[tuple[CaseVerdict, list[Mind]]]]] = {
    cases.Recall: _recall,
    cases.Importance: _importance,
    cases.PlaceFor: _place,
    cases.React: _react,
    cases.Say: _say,
    cases.OfferCase: _offer,
    cases.Dialogue: _dialogue,
    cases.InvitationCase: _invitation,
    cases.Insights: _insights,
}
