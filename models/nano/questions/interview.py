"""Interview: questions on memories, on what nobody told, on oneself, and on hypothetical events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from models.nano.draw import Draw, capital, content, style
from models.nano.facts import PASSAGE, Fact, FactMemory, QuestionAnswer, ask_of, make_fact, noise, remember
from models.nano.people import Someone, distinct_names, in_voice, lowered, random_time, someone
from models.nano.ranking import retrieved, stream_of, with_those
from models.nano.render import Sample, Turn, rendered, turn
from npc_server.cognition.interview import INTERVIEWER
from npc_server.english.first_person import in_first_person
from npc_server.english.stems import stems_of
from npc_server.english.text import ended
from npc_server.instinct import answering
from npc_server.llm.reply import one
from npc_server.mind.replies import InterviewReply
from npc_server.personas.names import first_name
from npc_server.records import GameTime

BEGINNINGS = frozenset(
    {"a", "an", "the", "at", "on", "in", "by", "near", "behind", "under", "from", "to", "with", "for", "because", "some", "of"}
)
"""Words that an answer may begin with, even if the memory has them in lower case."""
ALONE = 0.45
"""Share of the samples with one question and its memories in retrieval order. The others have several questions and shuffled memories."""
ANSWERED, UNKNOWN = 0.54, 0.26
"""Shares of the questions that a memory answers, and that nothing answers. The others are about the person. In play, instinct helps
when a model overlooks a memory, but not when it makes one up."""
NEAR = 0.5
"""Share of near misses among the questions without an answer: a memory has the person or the subject, but not the answer."""
WHOLE = 0.6
"""Share of the answers from memory that are the whole memory, as instinct says it."""
OF_ONESELF = 0.3
"""Share of the samples with memories about the person who is asked, which have the name and are told as `I`."""
DRAFTED = 0.9
"""Share of the prompts with a suggested answer, as in play."""


def interview(draw: Draw, most_facts: int = 12) -> Sample:
    """A sample of one question, or of several on the same memories."""
    people = distinct_names(draw, draw.number(2, 7))
    me = someone(draw, people)
    now = random_time(draw)
    alone = draw.chance(ALONE)
    kept = memories(draw, me, now, people, draw.few(1, most_facts if alone else most_facts // 2))
    known = [k.fact for k in kept if k.fact]
    asked = [question(draw, me, kept, known, people, now) for _ in range(1 if alone else draw.number(4, 9))]
    me.stream = stream_of(kept)
    if alone:
        sources = _sources(kept, *asked[0])
        kind, text, _, expect = asked[0]
        if sources and kind == "recall" and expect[0].lower() not in text.lower() and draw.chance(WHOLE):
            asked = [(kind, text, in_voice(draw, me.manner, as_told(me, sources[0]), 0.3), expect)]
        kept = with_those(retrieved(draw, kept, asked[0][1], now), sources)
    voice = me.persona.voice.style
    turns: list[Turn] = []
    system = ""
    for i, (kind, text, answer, expect) in enumerate({text: (kind, text, answer, expect) for kind, text, answer, expect in asked}.values()):
        reply = one(InterviewReply)
        draft = answering.answer(me.mind, text, INTERVIEWER, now) or draw.one(me.persona.voice.dont_know)
        values = {"question": text, "memories": [k.line for k in kept], "voice": voice, "draft": draft if draw.chance(DRAFTED) else ""}
        full = rendered(me, now, "interview", reply, values)
        system = full.part("system")
        turns.append(turn(full, i == 0, reply, InterviewReply(answer), expect, kind))
    return Sample(
        "interview", system, tuple(turns), {"npc": me.name, "memories": [k.line for k in kept], "questions": [a[1] for a in asked]}
    )


def memories(draw: Draw, me: Someone, now: GameTime, people: Sequence[str], facts: int) -> list[FactMemory]:
    """Memories of facts, some of the same kind so that they are easily confused, and everyday memories in between."""
    found: list[Fact] = []
    pool = [*people, me.name] if draw.chance(OF_ONESELF) else people
    while len(found) < facts:
        kind = found[-1].kind if found and draw.chance(0.35) else ""
        fact = make_fact(draw, pool, kind, own=True)
        if not any(clashes(fact, other) for other in found):
            found.append(fact)
    kept = [remember(draw, me, fact, now) for fact in found]
    kept += [noise(draw, me, now, people) for _ in range(draw.few(0, 5) if draw.chance(0.7) else 0)]
    return draw.shuffled(kept)


def as_told(me: Someone, item: FactMemory) -> str:
    """A memory as a sentence, with the person who told it."""
    said = f"{first_name(me.name_of(item.person))} told me: " if item.person else ""
    return said + ended(as_mine(me, item.text))


def as_mine(me: Someone, text: str) -> str:
    """A sentence with names as this person says it."""
    return in_first_person(text, (me.name, me.first), others=[name for name in me.names.values() if name != me.name])


def to_me(me: Someone, question: str) -> str:
    """A question with names as it is put to this person: `Where do you live?` for `Where does Mara live?`"""
    for name in (me.name, me.first):
        question = re.sub(
            rf"\b(does|do|did|is|was|has|will|would|can|could) {re.escape(name)}\b(?!')",
            lambda m: f"{_TO_YOU.get(m[1], m[1])} you",
            question,
        )
        question = re.sub(rf"\b{re.escape(name)}'s\b", "your", question)
    return capital(question)


_TO_YOU = {"does": "do", "is": "are", "was": "were", "has": "have"}


def _sources(kept: Sequence[FactMemory], kind: str, question: str, answer: str, expect: tuple[str, ...]) -> list[FactMemory]:
    """The memory that the answer comes from, if any: of those with its words, the one most similar to the question."""
    having = [item for item in kept if any(value.lower() in item.line.lower() for value in expect)] if kind != "unknown" else []
    return sorted(having, key=lambda item: -len(stems_of(item.line) & stems_of(f"{question} {answer}")))[:1]


def clashes(fact: Fact, other: Fact) -> bool:
    """Whether two facts could give two answers to one question."""
    if fact.text == other.text:
        return True
    same_people = bool({first_name(p) for p in fact.people} & {first_name(p) for p in other.people})
    if PASSAGE in (fact.kind, other.kind):
        return fact.kind == other.kind and (same_people or bool(stems_of(fact.values["about"]) & stems_of(other.values["about"])))
    if fact.kind == other.kind and (
        same_people
        or any(
            fact.values[k] == other.values[k]
            for k in ("place", "day", "hobby", "office", "trade", "thing", "worry", "illness", "food", "project", "w", "plural", "animal")
        )
    ):
        return True
    pairs = (
        {"work", "trade"},
        {"event", "meets"},
        {"saw", "meets"},
        {"saw", "event"},
        {"worries", "lost"},
        {"worries", "ill"},
        {"office", "dreams"},
        {"likes", "dreams"},
        {"builds", "likes"},
        {"lost", "keeps"},
        {"kin", "married"},
        {"lives", "work"},
    )
    return same_people and ({fact.kind, other.kind} in pairs or "keeps" in (fact.kind, other.kind))


def question(
    draw: Draw, me: Someone, kept: Sequence[FactMemory], known: Sequence[Fact], people: Sequence[str], now: GameTime
) -> tuple[str, str, str, tuple[str, ...]]:
    """Kind, question, answer, and the words that show that it is right (none when the person cannot know)."""
    roll = draw.rng.random()
    if roll < ANSWERED and known:
        found = recall(draw, me, draw.one([k for k in kept if k.fact]))
        if found:
            return found
    if roll < ANSWERED + UNKNOWN:
        return cannot_know(draw, me, known, people)
    return of_oneself(draw, me, kept, now)


def recall(draw: Draw, me: Someone, item: FactMemory, plain: bool = False) -> tuple[str, str, str, tuple[str, ...]] | None:
    """A question that a memory answers. With `plain`, the answer has no voice, so that only reading is learned."""
    assert item.fact is not None
    if item.person and item.fact.people and draw.chance(0.12):
        teller = me.name_of(item.person)
        asked = QuestionAnswer(
            draw.said(style()["who_told"], text=item.text.rstrip("."), a=item.fact.people[0]),
            f"{teller} [did|told me|said so].",
            "teller",
            teller,
        )
        return "recall", asked.question, in_voice(draw, me.manner, draw.fill(asked.answer)), (first_name(teller),)
    found = ask_of(draw, item.fact)
    if found is None:
        return None
    answer = as_mine(me, _begun(found))
    if found.value.lower() not in answer.lower():
        return None  # the value was the person's own name
    if plain:
        return "recall", to_me(me, found.question), answer, (found.value,)
    if item.person and draw.chance(0.3):
        answer = draw.said(style()["from_teller"], teller=first_name(me.name_of(item.person)), text=lowered(answer), answer=answer)
    return "recall", to_me(me, found.question), in_voice(draw, me.manner, answer), (found.value,)


def _begun(found: QuestionAnswer) -> str:
    """The answer as a sentence. A possibly invented word does not begin it, since its capitalized form has other tokens."""
    answer = found.answer.strip()
    bare = answer.startswith((f"{found.value}.", f"{found.value},")) and found.value[:1].islower()
    return f"It's {answer}" if bare and found.value.split()[0] not in BEGINNINGS else capital(answer)


def cannot_know(draw: Draw, me: Someone, known: Sequence[Fact], people: Sequence[str]) -> tuple[str, str, str, tuple[str, ...]]:
    """A question that no memory answers, half of the time a near miss."""
    near = _near_miss(draw, known, people) if draw.chance(NEAR) else ""
    if near:
        return "unknown", to_me(me, near), unknown(draw, me), ()
    for _ in range(20):
        other = make_fact(draw, people)
        if any(clashes(other, fact) for fact in known):
            continue
        asked = ask_of(draw, other)
        if asked and not any(asked.value.lower() in fact.text.lower() for fact in known):
            break
    else:
        asked = QuestionAnswer(draw.fill(draw.line("secrets", content()["secrets"])), "", "", "")
    return "unknown", to_me(me, asked.question), unknown(draw, me), ()


def _near_miss(draw: Draw, known: Sequence[Fact], people: Sequence[str]) -> str:
    """A question that a known fact leaves open, or one on the same fact about somebody else; empty when there is none."""
    for fact in draw.shuffled(known):
        if fact.passage:
            if fact.passage.unanswerable:
                return draw.one(fact.passage.unanswerable)
            continue
        if fact.kind == PASSAGE or "a" not in fact.values:
            continue
        others = [p for p in people if not any(first_name(p) in other.text for other in known)]
        if not others:
            continue
        other = draw.one(others)
        moved = replace(fact, text=fact.text.replace(fact.values["a"], other), values={**fact.values, "a": other})
        asked = ask_of(draw, moved)
        if asked and first_name(other) in asked.question:
            return asked.question
    return ""


def unknown(draw: Draw, me: Someone) -> str:
    lines = me.manner.unknown if draw.chance(0.6) else tuple(style()["unknown"])
    return draw.one(lines)


def of_oneself(draw: Draw, me: Someone, kept: Sequence[FactMemory], now: GameTime) -> tuple[str, str, str, tuple[str, ...]]:
    """A question on the identity, relations, talks or a hypothetical event, by the paper's categories (section 6.2)."""
    known = [*_of_identity(draw, me), *_of_relations(draw, me)]
    if me.persona.currently:
        known.append((style()["ask_currently"], f"{as_i(me.persona.currently.rstrip('.'), me)}.", ()))
    known += _of_talks(draw, me, kept)
    asked_if, would = draw.one(style()["what_if"])
    asks, answer, expect = draw.one([*known, ([asked_if], would, ())])
    return "self", draw.said(asks, **_named(me, kept, asks, answer)), in_voice(draw, me.manner, answer, 0.35), expect


OwnAnswer = tuple[Sequence[str], str, tuple[str, ...]]
"""Ways to ask, the answer, and the words that show that it is right."""


def _of_identity(draw: Draw, me: Someone) -> list[OwnAnswer]:
    phrases = me.persona.identity_phrases
    age = str(me.persona.age)
    who = f"{draw.said(style()['i_am'], name=me.name, first=me.first)} {as_i(phrases[0] if phrases else '', me)}."
    found: list[OwnAnswer] = [(style()["ask_who"], who, (me.name,)), (style()["ask_age"], draw.said(style()["my_age"], age=age), (age,))]
    trade = me.facts.get("trade.trade")
    if trade is not None:
        found.append((style()["ask_work"], draw.said(style()["my_work"], trade=trade), (trade,)))
    for phrase in phrases[1:4]:
        key = _topic(phrase)
        if key and not any(_topic(other) == key for other in phrases if other != phrase):
            found.append((style()[f"ask_{key}"], f"{as_i(phrase, me)}.", ()))
    return found


def _of_relations(draw: Draw, me: Someone) -> list[OwnAnswer]:
    found: list[OwnAnswer] = []
    relations = me.persona.relations
    for relation in relations:
        name = me.name_of(relation.who)
        feeling = as_i(relation.feeling.rstrip("."), me)
        text = f"{first_name(name)} is my {relation.being}. {feeling}{'.' if feeling else ''}".strip()
        found.append((style()["ask_relation"], text, (relation.being,)))
        if sum(other.being == relation.being for other in relations) == 1:
            found.append((style()["ask_being"], draw.said(style()["is_my"], name=name, being=relation.being), (first_name(name),)))
    return found


def _of_talks(draw: Draw, me: Someone, kept: Sequence[FactMemory]) -> list[OwnAnswer]:
    found: list[OwnAnswer] = []
    for other, topic in _talks(me, kept):
        answer = draw.said(style()["we_talked"], topic=topic, other=first_name(other))
        found.append((style()["ask_talked"], answer, (topic,)))
    return found


def _talks(me: Someone, kept: Sequence[FactMemory]) -> list[tuple[str, str]]:
    """The talks that the person remembers: with whom, and on what."""
    begins = f"{me.first} talked with "
    talks = [item.text.removeprefix(begins) for item in kept if begins in item.text and " about " in item.text]
    return [(other, topic.rstrip(".")) for other, topic in (talk.split(" about ", 1) for talk in talks)]


def _named(me: Someone, kept: Sequence[FactMemory], asks: Sequence[str], answer: str) -> dict[str, str]:
    """Values for the braces of such a question: the person whom its answer is about."""
    values = {"other": "", "being": "", "name": ""}
    for relation in me.persona.relations:
        name = me.name_of(relation.who)
        if answer.startswith(first_name(name)) or name in answer:
            values = {"other": name, "being": relation.being, "name": name}
    if asks is style()["ask_talked"]:
        for other, topic in _talks(me, kept):
            if topic.split(" about ")[-1] in answer:
                values["other"] = other
    return values


def _topic(phrase: str) -> str:
    for key, marks in {
        "dream": ("wants ", "dreams of"),
        "worry": ("worries about", "cannot stop thinking"),
        "home": ("grew up in", "was born in", "comes from", "moved here from"),
        "hobby": ("loves ", " likes ", "has always liked"),
        "pet": (" called ",),
        "project": ("is working on", "has begun", "spends the evenings"),
    }.items():
        if any(mark in phrase for mark in marks):
            return key
    return ""


_VERBS = {
    "is": "am",
    "has": "have",
    "was": "was",
    "does": "do",
    "cannot": "cannot",
    "used": "used",
    "grew": "grew",
    "moved": "moved",
    "learned": "learned",
    "hardly": "hardly",
    "inherited": "inherited",
    "would": "would",
}


def as_i(text: str, me: Someone) -> str:
    """A sentence about this person in the first person: `Mara loves bread` → `I love bread`."""
    for name in (me.name, me.first):
        if text.startswith(f"{name} "):
            words = text[len(name) + 1 :].split(" ")
            at = 1 if words[0] in ("never", "always", "still", "hardly", "often") and len(words) > 1 else 0
            verb = words[at]
            words[at] = _VERBS.get(verb) or _first_person(verb)
            return "I " + " ".join(words).replace(f"{me.first}'s", "my").replace(" their quarrel", " our quarrel")
    return text


def _first_person(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("shes", "ches", "sses", "xes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
