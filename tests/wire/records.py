"""Strategies for every record that crosses the wire. Floats are those that 32 bits can hold."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from npc_server import clock
from npc_server.records import (
    Action,
    Approach,
    Clock,
    Document,
    Emotion,
    Feelings,
    GameAction,
    GameActionResult,
    GameEvent,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    MindEvent,
    MindState,
    Mood,
    Need,
    Needs,
    Notice,
    NoticeLevel,
    ObjectChange,
    Outcome,
    OutcomeReason,
    OutcomeStatus,
    PathQuery,
    PathResult,
    Perception,
    PerceptionKind,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
    PlayerPresence,
    Reach,
    Restraint,
    RestraintKind,
    SaveInfo,
    ScoredMemory,
    Settled,
    Social,
    Source,
    Speech,
    Thought,
    Whereabouts,
)
from npc_server.visible import first_steering
from npc_server.wire import fields
from npc_server.world.tree import Node, NodeKind, ObjectAction

letters = st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Zl", "Zp"]).filter(lambda letter: not first_steering(letter))
words = st.text(letters, max_size=40)
line = st.text(letters, min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
npc = st.from_regex(r"[a-z][a-z_]{0,20}", fullmatch=True)
part = st.text(
    st.characters(
        min_codepoint=33, exclude_categories=["Cs", "Cc", "Z"], exclude_characters=":\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    ),
    min_size=1,
    max_size=8,
)
address = st.lists(part, min_size=1, max_size=5).map(":".join)
maybe_address = st.one_of(st.just(""), address)
time = st.integers(clock.EARLIEST, clock.LATEST)
positive = st.floats(0, fields.MAX_DISTANCE, width=32)
share = st.floats(0, 1, width=32)
big = st.integers(0, 2**63 - 1)


def _speaking(kind: PerceptionKind) -> st.SearchStrategy[Perception]:
    return st.builds(
        Perception,
        npc=npc,
        kind=st.just(kind),
        subject=line,
        text=line,
        address=address,
        distance=positive,
        at=time,
        player=st.sampled_from([None, *PlayerPresence]) if kind in (PerceptionKind.PERSON, PerceptionKind.EVENT) else st.none(),
    )


perceptions = st.sampled_from(PerceptionKind).flatmap(_speaking)
reaches = st.builds(Reach, address=address, reachable=st.booleans(), travel=positive, free=st.booleans())
path_results = st.builds(PathResult, npc=npc, query_id=line, reaches=st.lists(reaches, max_size=4).map(tuple))
outcomes = st.builds(
    Outcome,
    npc=npc,
    action_id=line,
    status=st.sampled_from(OutcomeStatus),
    reason=words,
    address=maybe_address,
    code=st.sampled_from(OutcomeReason),
)
object_changes = st.builds(ObjectChange, address=address, state=words, by=words)
whereabouts = st.builds(Whereabouts, npc=npc, address=address, player_distance=st.floats(-1, 1000, width=32))
clocks = st.builds(Clock, now=time, lockstep=st.booleans(), speed=positive)
game_action_results = st.builds(GameActionResult, npc=npc, call_id=line, happened=st.booleans(), reason=words)
restraints = st.builds(Restraint, npc=npc, kind=st.sampled_from(RestraintKind), on=st.booleans(), until=time)
game_events: st.SearchStrategy[GameEvent] = st.one_of(
    perceptions, path_results, outcomes, object_changes, whereabouts, clocks, game_action_results, restraints
)

second = st.integers(0, 1439).map(lambda minute: minute * 60)
hours = st.one_of(st.none(), st.tuples(second, st.one_of(second, st.just(86_400))))
fills = st.lists(st.sampled_from(Need), unique=True).flatmap(
    lambda given: st.tuples(*(st.tuples(st.just(need), st.floats(0, 60, width=32)) for need in Need if need in given))
)
object_actions = st.builds(ObjectAction, name=line, needs=words, during=words, after=words, first=words, fills=fills)
nodes = st.builds(
    Node,
    address=address,
    kind=st.sampled_from(NodeKind),
    name=line,
    description=words,
    state=words,
    states=st.lists(line, max_size=3).map(tuple),
    actions=st.lists(object_actions, max_size=3).map(tuple),
    capacity=st.integers(0, 1000),
    hours=hours,
    owners=st.lists(npc, max_size=3).map(tuple),
    preposition=words,
)
documents = st.builds(Document, name=line, path=line, text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
saves = st.builds(
    SaveInfo,
    slot=line,
    town=words,
    now=time,
    saved_at=time,
    people=st.lists(words, max_size=3).map(tuple),
    size=big,
    memories=big,
    problem=words,
    recoverable=st.booleans(),
    game=words,
    town_id=line,
    warnings=st.lists(words, max_size=2).map(tuple),
)

source = st.sampled_from(Source)
actions = st.builds(
    Action,
    id=words,
    npc=npc,
    sentence=words,
    address=address,
    emoji=words,
    start=time,
    end=time,
    object_action=words,
    object_state=words,
    object_state_after=words,
    source=source,
)
needs = st.builds(Needs, **{need.value: st.floats(0, 10, width=32) for need in Need})
moods = st.builds(Mood, emotion=st.sampled_from(Emotion), strength=st.floats(0, 10, width=32))
mind_events: st.SearchStrategy[MindEvent] = st.one_of(
    actions,
    st.builds(PathQuery, npc=npc, query_id=words, addresses=st.lists(address, max_size=3).map(tuple)),
    st.builds(Speech, npc=npc, text=words, at=time, to=st.lists(words, max_size=3).map(tuple), partial=st.booleans(), conversation=words),
    st.builds(Approach, npc=npc, player=line, about=words, text=words, conversation=line, at=time, source=source),
    st.builds(Thought, npc=npc, text=words, source=source, at=time),
    st.builds(Notice, level=st.sampled_from(NoticeLevel), reason=words, message=words, seq=big),
    st.builds(GameAction, npc=npc, call_id=words, name=words, arguments=words),
    st.builds(Feelings, npc=npc, needs=needs, mood=moods, at=time).map(lambda it: replace(it, mood=replace(it.mood, at=it.at))),
    st.builds(Settled, seq=big, next_wake=time),
)
memories = st.builds(
    Memory,
    npc=npc,
    id=big,
    kind=st.sampled_from(MemoryKind),
    text=words,
    created=time,
    last_access=time,
    importance=st.integers(1, 10),
    subject=words,
    predicate=words,
    object=words,
    source=st.sampled_from(MemorySource),
    source_person=words,
    address=maybe_address,
    evidence=st.lists(big, max_size=4).map(tuple),
    topic=st.sampled_from(MemoryTopic),
    key=words,
    doubt=words,
)
scored = st.builds(ScoredMemory, memory=memories, score=st.floats(0, 3, width=32), recency=share, importance=share, relevance=share)
steps = st.builds(
    PlanStep,
    npc=npc,
    id=big,
    level=st.sampled_from(PlanLevel),
    parent=big,
    start=time,
    end=time,
    text=words,
    address=maybe_address,
    status=st.sampled_from(PlanStatus),
    source=source,
    origin=st.sampled_from(PlanOrigin),
)
socials = st.builds(
    Social,
    npc=npc,
    other=line,
    relation=words,
    feeling=words,
    between=words,
    closeness=st.integers(0, 10),
    upto=big,
    at=time,
)
counts = st.sets(st.sampled_from(MemoryKind)).flatmap(
    lambda kinds: st.tuples(*(st.tuples(st.just(kind), big) for kind in MemoryKind if kind in kinds))
)
minds = st.builds(
    MindState,
    npc=npc,
    name=words,
    identity=words,
    action=st.one_of(st.none(), actions),
    address=maybe_address,
    asleep=st.booleans(),
    now=time,
    memories=counts,
    model_answers=big,
    policy_answers=big,
    chosen_answers=big,
    instinct_answers=big,
    known=st.lists(address, max_size=3).map(tuple),
    needs=needs,
    mood=moods,
).map(lambda it: replace(it, mood=replace(it.mood, at=it.now)))
