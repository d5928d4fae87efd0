"""Examples for npc-answers: a line, and texts of which some answer it.

`tales/` has facts with questions that they answer and others that they do not. `memories/` has lines of players with what a person knows.
`lines/` has lines of players with replies that fit and others that only seem to. The bank of exchanges and the talks give
lines with the replies that were written for them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from models.answers.near import Near
from models.answers.own_words import in_own_words
from models.training.talks import TALKS
from npc_server.bank.exchanges import FOLDER as EXCHANGES
from npc_server.bank.exchanges import filled
from npc_server.data_files import read_json, read_toml
from npc_server.mind.pronouns import with_pronouns

FOLDER = Path(__file__).parent
HELD_BACK = 10
"""One in so many tales, persons and lines is held back."""
NO_ANSWER = 0.45
"""Share of the questions of tales that nothing answers. Without enough of these everything near would pass for an answer."""
FITS = (0.02, 0.2, 0.85, 1.0)
"""What a judge's scores mean: 0 (wrong), 1 (poor), 2 (fine), 3 (very good)."""
MET = ("You are {}, and we have met", "I don't think we have met")
"""Whether somebody knows who asks."""
BY_CHANCE = 0.03
"""How well a sentence about the moment answers a line of any talk."""
NEAR = 12
"""From so many of the nearest lines a tempting wrong text is drawn."""
GIVEN, FAMILY = (it.split() for it in yaml.safe_load((FOLDER / "names.yaml").read_text(encoding="utf-8")).values())
"""Given names and family names of people in examples."""


@dataclass(frozen=True)
class Group:
    """A line, and texts with how well they answer it: from 0, not at all, to 1."""

    line: str
    texts: tuple[tuple[str, float], ...]


def is_held_back(place: int) -> bool:
    return place % HELD_BACK == HELD_BACK - 1


def name_of_somebody(rng: random.Random) -> str:
    """A given name, and in a third of cases a family name after it."""
    given = rng.choice(GIVEN)
    return f"{given} {rng.choice(FAMILY)}" if rng.random() < 0.33 else given


def typed(line: str, rng: random.Random) -> str:
    """The line as players type it: in a third of cases without capitals, apostrophes or the last mark."""
    if rng.random() < 0.67:
        return line
    line = line.lower().rstrip(".!")
    return line.rstrip("?").replace("'", "") if rng.random() < 0.5 else line


# ---- facts and questions


@cache
def tales(held: bool) -> tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...]:
    files = sorted((FOLDER / "tales").glob("*.yaml"))
    chosen = [path for place, path in enumerate(files) if is_held_back(place) is held]
    return tuple((path.stem, tuple(yaml.safe_load(path.read_text(encoding="utf-8"))[path.stem])) for path in chosen)


def tale_group(rng: random.Random, held: bool = False) -> Group:
    """A question about one fact of a world, with other facts. In a third of cases no fact answers it."""
    _, facts = rng.choice(tales(held))
    fact = rng.choice(facts)
    a, b = name_of_somebody(rng), name_of_somebody(rng)

    def put(text: str, of: Sequence[str] = (a, b)) -> str:
        return text.replace("{a}", of[0]).replace("{b}", of[1])

    others = [put(it["say"], (name_of_somebody(rng), name_of_somebody(rng))) for it in rng.sample(facts, 3) if it is not fact]
    if rng.random() < NO_ANSWER and fact["unsaid"]:
        asked = rng.choice(fact["unsaid"])
        return Group(typed(put(asked), rng), ((put(fact["say"]), False), *((it, False) for it in others[:1])))
    asked = rng.choice(rng.choice(fact["asks"])["q"])
    wrong = [(it, False) for it in others[:2]]
    if "{a}" in asked and "{a}" in fact["say"] and rng.random() < 0.5:  # the same of somebody else
        wrong[:1] = [(put(fact["say"], (name_of_somebody(rng), b)), False)]
    return Group(typed(put(asked), rng), ((put(fact["say"]), True), *wrong))


# ---- what a person knows


@dataclass(frozen=True)
class Asked:
    """A player's line to a person, and which of the person's sentences answer it."""

    name: str
    first: str
    """The first sentence, as it is told of the person."""
    line: str
    sentences: tuple[str, ...]
    """As npc-answers reads them."""
    told: tuple[str, ...]
    """As the person tells them, which is how npc-rerank reads them."""
    answers: tuple[int, ...]
    tempting: tuple[int, ...]


@cache
def asked(held: bool) -> tuple[Asked, ...]:
    found = []
    for path in sorted((FOLDER / "memories").glob("*.jsonl")):
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if is_held_back(place) is held:
                it = json.loads(line)
                names = (it["name"], it["name"].split()[0])
                sentences = tuple(with_pronouns(text, names) for text in it["sentences"])
                told = tuple(in_own_words(it["name"], text) for text in it["sentences"])
                found += [
                    Asked(it["name"], it["sentences"][0], ask["line"], sentences, told, tuple(ask["answers"]), tuple(ask["tempting"]))
                    for ask in it["asked"]
                ]
    return tuple(found)


def memory_group(rng: random.Random, held: bool = False) -> Group:
    it = rng.choice(asked(held))
    right = [(it.sentences[number], True) for number in it.answers[:2]]
    tempting = [(it.sentences[number], False) for number in it.tempting if number not in it.answers]
    rest = [(text, False) for number, text in enumerate(it.sentences) if number not in (*it.answers, *it.tempting)]
    rng.shuffle(rest)
    wrong = [*tempting[:2], *rest[: 4 - len(right) - len(tempting[:2])], *((text, BY_CHANCE) for text in some_of_the_moment(rng, 2))]
    return Group(it.line, (*right, *wrong))


def some_of_the_moment(rng: random.Random, count: int) -> list[str]:
    """Sentences about the moment, which hardly ever answer a line that is not about it."""
    sentences, facts = _moment()[0], some_facts(rng)
    return [text.format_map(facts) for text in rng.sample(list(sentences.values()), count)]


@cache
def _moment() -> tuple[Mapping[str, str], Mapping[str, Sequence[str]]]:
    """The sentences that a person may say of the moment, and lines of players that each of them answers."""
    lines: Mapping[str, Sequence[str]] = read_json("moment.json")
    return read_toml("instinct.toml")["sentences"], lines


def moment_group(rng: random.Random, held: bool = False) -> Group:
    """A line about the moment, with the sentence that answers it and others; or a line that none of them answers."""
    sentences, lines = _moment()
    name = rng.choice([*sentences, *["none"] * 5])
    facts = some_facts(rng)
    line = rng.choice([it for place, it in enumerate(lines[name]) if is_held_back(place) is held])
    said = {key: text.format_map(facts) for key, text in sentences.items()}
    others = [(text, 0.0) for key, text in said.items() if key != name]
    right = [(said[name], 1.0)] if name in said else []
    return Group(line.replace("{person}", facts["person"]).replace("{thing}", facts["thing"]), (*right, *rng.sample(others, 3)))


# ---- replies


@cache
def fitting(held: bool) -> tuple[Mapping[str, Any], ...]:
    found = []
    for path in sorted((FOLDER / "lines").glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [json.loads(line) for place, line in enumerate(lines) if is_held_back(place) is held]
    return tuple(found)


def reply_group(rng: random.Random, held: bool = False) -> Group:
    it = rng.choice(fitting(held))
    return Group(it["line"], (*((text, True) for text in rng.sample(it["good"], 2)), *((text, False) for text in rng.sample(it["bad"], 3))))


@cache
def judged(held: bool, files: str = "part_*.jsonl") -> tuple[Mapping[str, Any], ...]:
    found = []
    for path in sorted((FOLDER / "judged").glob(files)):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [json.loads(line) for place, line in enumerate(lines) if is_held_back(place) is held]
    return tuple(found)


def judged_group(rng: random.Random, held: bool = False) -> Group:
    """A player's line with the replies that the bank has for it, as a judge scored them."""
    return as_scored(rng.choice(judged(held)))


def general_group(rng: random.Random, held: bool = False) -> Group:
    """A player's line with general replies of the bank, which suit many lines, as a judge scored them."""
    return as_scored(rng.choice(judged(held, "general_*.jsonl")))


def played_group(rng: random.Random, held: bool = False) -> Group:
    """A player's line in play with all candidates for it, among them memories, as a judge scored them."""
    return as_scored(rng.choice(judged(held, "played_*.jsonl")))


def as_scored(it: Mapping[str, Any]) -> Group:
    return Group(it["line"], scored_texts(it))


def scored_texts(it: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """The texts of a judged line with how well each answers."""
    return tuple((text, FITS[score]) for text, score in zip(it["texts"], it["scores"], strict=True))


@cache
def exchanges() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """What players say, and replies: of the bank, and of the entries that are for training alone."""
    found = []
    for path in (*sorted(EXCHANGES.glob("*.jsonl")), *sorted((FOLDER / "exchanges").glob("*.jsonl"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            it = json.loads(line)
            if it.get("exact"):
                continue  # what characters say to each other
            found.append((tuple(it["said"]), tuple(reply for replies in it["replies"].values() for reply in replies)))
    return tuple(found)


@cache
def near_exchanges() -> tuple[Near, tuple[int, ...]]:
    """The lines of all exchanges by their words, and the exchange of each."""
    of = tuple(number for number, (said, _) in enumerate(exchanges()) for _ in said)
    return Near([line for said, _ in exchanges() for line in said]), of


def exchange_group(rng: random.Random, held: bool = False) -> Group:
    """A line of the bank with a reply of its own, one of a near exchange and one of any."""
    index, of = near_exchanges()
    place = rng.randrange(len(of))
    line = index.texts[place]
    near = [of[it] for it in index.nearest(place, 4 * NEAR) if of[it] != of[place]]
    own = rng.choice(exchanges()[of[place]][1])
    wrong = [rng.choice(exchanges()[it][1]) for it in (*(rng.sample(near, 1) if near else ()), rng.randrange(len(exchanges())))]
    facts = some_facts(rng)
    return Group(typed(line, rng), ((filled(own, facts), True), *((filled(it, facts), False) for it in wrong)))


@cache
def talks(held: bool) -> tuple[Mapping[str, Any], ...]:
    found = []
    for path in sorted(TALKS.glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [json.loads(line) for place, line in enumerate(lines) if is_held_back(place) is held]
    return tuple(found)


@cache
def turns(held: bool) -> tuple[tuple[str, str, int], ...]:
    """Each line of a player, its reply, and the number of the talk."""
    return tuple(
        (said["text"], reply["text"], number)
        for number, talk in enumerate(talks(held))
        for said, reply in zip(talk["turns"][::2], talk["turns"][1::2], strict=False)
    )


@cache
def near_turns(held: bool) -> Near:
    return Near([said for said, _, _ in turns(held)])


def talk_group(rng: random.Random, held: bool = False) -> Group:
    """A line with its reply, another reply of the same talk, and one to a line of another talk that has some of its words."""
    every = turns(held)
    place = rng.randrange(len(every))
    line, reply, talk = every[place]
    near = [it for it in near_turns(held).nearest(place, NEAR) if every[it][2] != talk]
    wrong = []
    if near:
        wrong.append(every[rng.choice(near)][1])
    same = [it for it in range(max(0, place - 8), min(len(every), place + 9)) if every[it][2] == talk and it != place]
    if same and rng.random() < 0.7:
        wrong.append(every[rng.choice(same)][1])
    else:
        wrong.append(rng.choice(every)[1])
    return Group(line, ((reply, True), *((it, False) for it in wrong)))


@cache
def _knowledge() -> tuple[tuple[str, ...], ...]:
    """Deeds, earlier deeds, sentences about people themselves and memories of the talks, to fill slots with."""
    every = talks(False)
    about = tuple(with_pronouns(text, (talk["name"], talk["name"].split()[0])) for talk in every for text in talk["identity"])
    return (
        tuple(talk["doing"] for talk in every),
        tuple(text for talk in every for text in talk["today"]) or ("slept",),
        about,
        tuple(text for talk in every for text in talk["memories"]),
        tuple(talk["place"] for talk in every),
        tuple(talk["next"] for talk in every if talk["next"]),
    )


def some_facts(rng: random.Random) -> dict[str, str]:
    """Values for the slots of a reply, of persons whom nobody knows."""
    doing, today, about, _, places, coming = (rng.choice(it) for it in _knowledge())
    remembered = [rng.choice(_knowledge()[3]).strip().rstrip(".") for _ in range(3)]
    somebody, place, hour = name_of_somebody(rng), rng.choice(_knowledge()[4]), rng.randint(6, 22)
    plain = {name: text.strip().rstrip(".") for name, text in (("about", about), ("doing", doing), ("next", coming), ("did", today))}
    return {
        "me": rng.choice(GIVEN), "full_name": f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}", "age": str(rng.randint(9, 80)),
        "about_me": plain["about"], "on_my_mind": remembered[0], "i_do": f"I am {plain['doing']}", "did": f"I {plain['did']}",
        "next": plain["next"], "next_time": f"{hour}:{rng.choice(('00', '15', '30'))}", "time": f"{hour}:{rng.randint(10, 59)}",
        "day": rng.choice(("Monday", "Thursday", "Sunday")), "place": places, "work": place, "home": f"the house by {place}",
        "person": somebody, "person_is": rng.choice(("my neighbour", "a friend", "the smith", "my sister", "somebody I know by sight")),
        "person_feeling": rng.choice(("I like the company", "I don't trust the smile", "I'm fond of that one")),
        "person_seen": f"this morning, near {place}", "thing": rng.choice(("the lamp", "the stove", "the well", "the desk")),
        "thing_at": f"in {place}", "news": remembered[1], "told": remembered[2],
        "met": rng.choice(MET).format(rng.choice(GIVEN)),
    }  # fmt: skip


KINDS: Mapping[str, tuple[Callable[[random.Random, bool], Group], float]] = {
    "tales": (tale_group, 0.13),
    "memories": (memory_group, 0.20),
    "lines": (reply_group, 0.02),
    "judged": (judged_group, 0.28),
    "general": (general_group, 0.24),
    "played": (played_group, 0.05),
    "moment": (moment_group, 0.04),
    "exchanges": (exchange_group, 0.02),
    "talks": (talk_group, 0.02),
}
"""The kinds of groups, and the share that each has of the training."""


def groups(seed: int) -> Iterator[Group]:
    """Groups without end, as a seed draws them."""
    rng = random.Random(seed)
    names, shares = list(KINDS), [share for _, share in KINDS.values()]
    while True:
        yield KINDS[rng.choices(names, shares)[0]][0](rng, False)
