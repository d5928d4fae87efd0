"""Reviews the examples besides talks: meetings, days, reactions, summaries and reflections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from models.speak import worlds
from models.speak.kinds import Day, Example, Meeting, Reaction, Reflection, TalkSummary
from models.speak.lines import Written, words_of
from models.speak.render import lines_of_day, messages, minutes_from
from models.speak.review_talks import FEWEST_FOR_SHARES, Fault, Reply, of_all, of_replies, of_reply, said_again, shares, unfounded
from models.speak.worlds import World
from npc_server.config import MindSettings
from npc_server.errors import ReplyUnreadable
from npc_server.mind.replies import CHANGE, CONTINUE, TALK, WAIT

LATE_MIN, LONGEST_MIN, LAST_MIN = 30, 180, 120
"""Minutes: how long after getting up a plan may begin, how long one line may last, and how long the last may last until bedtime."""
MOST_MOVE = 2
"""How far one talk may move closeness."""
REACTIONS = {CONTINUE: (0.45, 0.65), WAIT: (0.08, 0.22), CHANGE: (0.08, 0.22), TALK: (0.08, 0.22)}
"""Least and greatest share of each reaction in a file. In between are 55, 15, 15 and 15 %."""
FEWEST_REACTIONS = 15
"""Reactions of a file from which on their shares tell something."""
SAME_OPENING = 0.05
"""Share of the answers of a kind that may begin with the same two words, names apart."""
STEM = 4
"""Letters by which two words are the same here: `bake` and `baking` differ in the fifth."""
STEMS_SHARED = 2
"""Words that a conclusion shares with the memories it cites, at least."""
TOLD_SHARE = 0.4
"""Share of the longer words of a fact that stand in the talk, at least."""


def faults(world: World) -> list[Fault]:
    """All faults of a world besides those of its talks."""
    found = [fault for kind, written in world.all() if kind in _REVIEWS for fault in _of_one(world, kind, written)]
    return [*found, *_balance(world), *_twice(world)]


def faults_of_all(found: Sequence[World]) -> list[Fault]:
    """Faults that show only in all worlds together: what is said or begun the same way too often."""
    lines = [Reply(f"meetings/{it.file}:{it.line}", line.text) for world in found for it in world.meetings for line in it.example.turns]
    answers: dict[str, list[str]] = {
        "days: activities": [hour.activity for world in found for it in world.days for hour in it.example.plan],
        "reactions: what": [it.example.what for world in found for it in world.reactions if it.example.what],
        "reflections: questions": [text for world in found for it in world.reflections for text in it.example.questions],
        "reflections: insights": [insight.text for world in found for it in world.reflections for insight in it.example.insights],
        "summaries: feelings": [" ".join(it.example.feeling.split()[1:]) for world in found for it in world.summaries],
    }
    opened = [
        Fault(kind, f"{share:.0%} of them begin with {text!r}; {SAME_OPENING:.0%} may")
        for kind, texts in answers.items()
        if len(texts) >= FEWEST_FOR_SHARES
        for text, share in shares(texts, lambda words: [" ".join(words[:2])] if len(words) > 2 else [], SAME_OPENING)
    ]
    return [*of_all(lines), *opened]


def _of_one(world: World, kind: str, written: Written[Any]) -> Iterator[Fault]:
    where = f"{kind}/{written.file}:{written.line}"
    try:
        messages(world, written)
    except ReplyUnreadable as error:
        yield Fault(where, str(error))
    yield from (Fault(where, what) for what in _REVIEWS[kind](world, written.example))


def known_to(world: World, example: Example) -> str:
    """All that the person of an example may speak of, as one text, but for what is particular to the kind."""
    bonds = " ".join(bond.known for bond in example.knows)
    return " ".join((world.person(example.person).known, example.at, bonds, *example.memories))


def stems(text: str) -> set[str]:
    """The longer words of a text by their first letters."""
    return {word.casefold()[:STEM] for word in words_of(text) if len(word) >= STEM}


def _names(answer: str, known: str) -> Iterator[str]:
    strange = unfounded(answer, known)
    if strange:
        yield f"{answer!r} names {', '.join(strange)}, which stands nowhere before"


# ---- meetings


def _of_meeting(world: World, meeting: Meeting) -> Iterator[str]:
    for number, side in enumerate(meeting.sides):
        person = world.person(side.person)
        said = worlds.known_to(world, meeting, side.other.who)
        for place, line in enumerate(meeting.turns):
            if place % 2 == number:
                yield from of_reply(person.name, person.voice, line.text, said)
            said += f" {line.text}"
        yield from of_replies(person.identity, person.secrets, [line.text for line in meeting.turns[number::2]])
    if any(line.leaves for line in meeting.turns[:-2]):
        yield "somebody leaves before the last two lines"


# ---- days


def _of_day(world: World, day: Day) -> Iterator[str]:
    wake = day.at.rpartition(", ")[2]
    known = " ".join((known_to(world, day), *day.usual, *day.agreed, *day.promises, *day.crosses))
    starts = [minutes_from(hour.start, wake) for hour in day.plan]
    night = minutes_from(day.sleep, wake)
    for hour in day.plan:
        yield from _names(hour.goal, known)
        yield from _names(hour.activity, known)
    for (a, b), hour in zip(pairwise(starts), day.plan[1:], strict=False):
        if b <= a:
            yield f"{hour.start} comes after a later line"
        elif b - a > LONGEST_MIN:
            yield f"nothing stands between {hour.start} and {b - a} minutes before it; {LONGEST_MIN} may pass"
    if starts[0] > LATE_MIN:
        yield f"the plan begins {starts[0]} minutes after getting up at {wake}; {LATE_MIN} may pass"
    if starts[-1] >= night:
        yield f"{day.plan[-1].start} is not before bedtime at {day.sleep}"
    elif night - starts[-1] > LAST_MIN:
        yield f"the last line is {night - starts[-1]} minutes before bedtime at {day.sleep}; {LAST_MIN} may pass"
    settings = MindSettings()
    goals = 1 + sum(a.goal != b.goal for a, b in pairwise(day.plan))
    if not settings.plan_strokes_min <= goals <= settings.plan_strokes_max:
        yield f"the day has {goals} goals; {settings.plan_strokes_min} to {settings.plan_strokes_max} may be"
    low, high = lines_of_day(wake, day.sleep)
    if not low <= len(day.plan) <= high:
        yield f"the plan has {len(day.plan)} lines; {low} to {high} may be"
    again = [text for text, count in Counter(hour.activity for hour in day.plan).items() if count > 1]
    if again:
        yield f"{again[0]!r} stands in the plan twice"
    yield from _kept(day)


def _kept(day: Day) -> Iterator[str]:
    """Each thing agreed on has a line at its time that shares a word with it."""
    for agreed in day.agreed:
        time, _, text = agreed.partition(" ")
        there = [hour for hour in day.plan if hour.start == time and stems(text) & stems(f"{hour.goal} {hour.activity}")]
        if not re.fullmatch(r"\d\d:\d\d", time):
            yield f"{agreed!r} does not begin with its time, such as 16:50"
        elif not there:
            yield f"the plan has no line at {time} for {text!r}"


# ---- reactions


def _of_reaction(world: World, it: Reaction) -> Iterator[str]:
    known = " ".join((known_to(world, it), it.place, it.doing, it.notices, it.other.known if it.other else "", *it.promises))
    yield from _names(it.what, known)
    if it.what and it.what.rstrip().endswith((".", "!", "?")):
        yield f"{it.what!r} is a sentence; write a few words, such as 'help Ann carry the crate'"
    if len(words_of(it.what)) > 16:
        yield f"{it.what!r} has {len(words_of(it.what))} words; 16 may be"
    if it.reaction == TALK and it.minutes != 1:
        yield "who talks has no `minutes`"
    if it.reaction in (WAIT, CHANGE) and not 1 <= it.minutes <= 60:
        yield f"{it.minutes} minutes; 1 to 60 may be"


def _balance(world: World) -> Iterator[Fault]:
    counts: Counter[str] = Counter(written.example.reaction for written in world.reactions)
    total = counts.total()
    if total < FEWEST_REACTIONS:
        return
    for reaction, (low, high) in REACTIONS.items():
        share = counts[reaction] / total
        if not low <= share <= high:
            yield Fault(f"reactions/{world.name}.jsonl", f"{share:.0%} of the reactions are {reaction!r}; {low:.0%} to {high:.0%} may be")


# ---- summaries


def _of_summary(world: World, it: TalkSummary) -> Iterator[str]:
    talk = world.conversation(it)
    said = " ".join(line.text for line in talk.lines)
    known = " ".join((talk.known, it.other.known, *(bond.known for bond in it.knows), *it.unseen, said))
    for text in (it.about, it.relation, it.feeling, it.because, it.between, it.promised, *it.told):
        yield from _names(text, known)
    first, other = it.person.split()[0], [name for name in it.other.who.split() if len(name) > 2]
    for field, text in (("about", it.about), ("between", it.between)):
        if not any(name in text for name in other):
            yield f"`{field}` does not name {it.other.who}: {text!r}"
    if first not in it.feeling and it.person.split()[-1] not in it.feeling:
        yield f"`feeling` does not name {it.person}: {it.feeling!r}"
    if abs(it.closeness - it.other.closeness) > MOST_MOVE:
        yield f"closeness goes from {it.other.closeness} to {it.closeness} in one talk; {MOST_MOVE} steps may be"
    theirs = stems(" ".join(line.text for line in talk.lines if line.who == it.other.who)) | stems(f"{it.other.who} {talk.at}")
    for fact in it.told:
        if not any(name in fact for name in other):
            yield f"{fact!r} does not say who told it; name {it.other.who}"
        share = len(stems(fact) & theirs) / max(1, len(stems(fact)))
        if share < TOLD_SHARE:
            yield f"only {share:.0%} of the words of {fact!r} stand in what {it.other.who} said; {TOLD_SHARE:.0%} must"
    if it.promised and not any(name in it.promised for name in (first, it.person.split()[-1])):
        yield f"`promised` does not name {it.person}: {it.promised!r}"


# ---- reflections


def _of_reflection(world: World, it: Reflection) -> Iterator[str]:
    known = known_to(world, it)
    for question in it.questions:
        yield from _names(question, known)
        if not question.endswith("?"):
            yield f"{question!r} is no question"
    for insight in it.insights:
        yield from _names(insight.text, known)
        cited = [it.memories[number - 1] for number in insight.memories]
        if len(cited) < 2:
            yield f"{insight.text!r} cites one memory; a conclusion says more than one memory does"
        own = stems(insight.text)
        if len(own & stems(" ".join(cited))) < STEMS_SHARED:
            yield f"{insight.text!r} shares fewer than {STEMS_SHARED} words with the memories that it cites"
    if len({insight.text for insight in it.insights}) < len(it.insights):
        yield "a conclusion stands there twice"


def _twice(world: World) -> Iterator[Fault]:
    """Answers that stand word for word in two examples of a kind."""
    kinds: dict[str, list[Reply]] = {
        worlds.REACTIONS: [Reply(f"reactions/{it.file}:{it.line}", it.example.what) for it in world.reactions],
        worlds.SUMMARIES: [Reply(f"summaries/{it.file}:{it.line}", it.example.between) for it in world.summaries],
        worlds.REFLECTIONS: [
            Reply(f"reflections/{it.file}:{it.line}", text)
            for it in world.reflections
            for text in (*it.example.questions, *(insight.text for insight in it.example.insights))
        ],
    }
    for replies in kinds.values():
        yield from said_again(replies)


_REVIEWS: dict[str, Callable[[World, Any], Iterator[str]]] = {
    worlds.MEETINGS: _of_meeting,
    worlds.DAYS: _of_day,
    worlds.REACTIONS: _of_reaction,
    worlds.SUMMARIES: _of_summary,
    worlds.REFLECTIONS: _of_reflection,
}
