"""What a reply of the bank may say of the speaker: the values of its slots, such as `{i_do}` or `{person_seen}`.

Each is what the speaker knows at that moment. A slot that has no value is left out, and with it each reply that needs it.
docs/mods.md lists the slots.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from npc_server import clock
from npc_server.instinct import about_asker, self_knowledge
from npc_server.instinct.act import sentence
from npc_server.instinct.news import as_claim
from npc_server.mind import relationships
from npc_server.mind.instinct import INTERVIEWER
from npc_server.mind.mind import Mind
from npc_server.mind.moment import doing_now, next_step
from npc_server.mind.named import others_named
from npc_server.mind.surroundings import named_places
from npc_server.personas import routine
from npc_server.records import Address, GameTime, NpcId
from npc_server.world.tree import Node, with_article

STAND_IN_PERSON, STAND_IN_PLACE = "Tom", "the hall"
"""Stand for the person or place that a player names, as in the lines of the bank: `Where is Tom?`"""
_LONGEST = 160
"""Characters of a value. A longer one would make a speech of the reply."""


def with_stand_ins(mind: Mind, heard: str) -> str:
    """What was said, with stand-ins for the person and the place that it names, so that any name is found by meaning."""
    text = heard
    for _, words in _person_named(mind, heard)[:1]:
        text = text.replace(words, STAND_IN_PERSON)
    found = _place_named(mind, text)
    if found is not None:
        text = re.sub(rf"(\b(the|a|your|this) )?{re.escape(found[1])}", STAND_IN_PLACE, text, count=1, flags=re.IGNORECASE)
    return text


def facts(mind: Mind, place: Address, heard: str, asker: str, now: GameTime, said: Collection[str] = ()) -> dict[str, str]:
    """The values of all slots that have one. Sentences have no full stop at their end.

    `place` is where they talk, and `said` the lines of their talk so far.
    """
    found = {
        **_of_oneself(mind, asker, now),
        **_of_now(mind, place, asker, now),
        **_of_person(mind, heard, asker, now),
        **_of_place(mind, heard),
        **_of_asker(mind, asker, said),
    }
    plain = {name: _without_stop(value.strip()) for name, value in found.items()}
    return {name: value for name, value in plain.items() if value and len(value) <= _LONGEST and "{" not in value}


def _without_stop(value: str) -> str:
    """A value without a full stop at its end, also inside quotation marks."""
    return value.removesuffix('."') + '"' if value.endswith('."') else value.rstrip(".").strip()


def _of_oneself(mind: Mind, asker: str, now: GameTime) -> dict[str, str]:
    persona = mind.persona
    home = routine.home(persona)
    return {
        "me": persona.first_name,
        "full_name": persona.name,
        "age": str(persona.age),
        "about_me": self_knowledge.about_me(mind, asker),
        "on_my_mind": self_knowledge.on_my_mind(mind, asker),
        "work": mind.world.describe(persona.work) if persona.work in mind.world else "",
        "home": mind.world.describe(home) if home in mind.world and persona.first_name not in mind.world.describe(home) else "",
    }


def _of_now(mind: Mind, at: Address, asker: str, now: GameTime) -> dict[str, str]:
    doing, coming = doing_now(mind, now), next_step(mind, now)
    done = next(
        (deed for deed in reversed(mind.lifestyle.deeds) if deed.end and deed.arrived and not deed.failure and not deed.talked_with), None
    )
    news = mind.instinct.news(mind, [asker], now, frozenset())
    return {
        "i_do": self_knowledge.as_told(mind, sentence(mind.persona.first_name, doing), asker) if doing else "",
        "next": coming.text if coming is not None and not others_named(mind, coming.text) else "",
        "next_time": _hour(coming.start) if coming is not None else "",
        "did": f"I was {sentence('', done.text).removeprefix(' is ')}" if done is not None and not others_named(mind, done.text) else "",
        "place": mind.world.describe(":".join(at.split(":")[:3])) if at in mind.world else "",
        "time": self_knowledge.time_in_words(now),
        "day": clock.date(now).split()[0],
        "news": self_knowledge.as_told(mind, as_claim(mind, news), asker) if news is not None else "",
    }


def _of_person(mind: Mind, heard: str, asker: str, now: GameTime) -> dict[str, str]:
    named = [npc for npc, _ in _person_named(mind, heard) if npc != asker]
    if len(named) != 1:
        return {}
    kept, name = relationships.of(mind, named[0]), mind.people.first_name_of(named[0])
    relation = self_knowledge.plain_relation(kept.relation)
    seen = self_knowledge.last_seen(mind, named[0], now)
    return {
        "person": name,
        "person_is": "" if kept.relation in (relationships.STRANGER, "") else relation if " " in relation[:4] else f"my {relation}",
        "person_feeling": _in_ones_own_words(mind, kept.feeling, asker),
        "person_seen": seen,
    }


def _in_ones_own_words(mind: Mind, feeling: str, asker: str) -> str:
    """A feeling in the first person; empty where it is not clear who feels it."""
    told = self_knowledge.as_told(mind, feeling, asker)
    return told if re.match(r"(I|My)\b", told) else ""


def _of_asker(mind: Mind, asker: str, said: Collection[str]) -> dict[str, str]:
    """Who the asker is and whether they met before, and what the asker told; nothing of people of the save, who know each other."""
    if asker == INTERVIEWER or asker in mind.people.names:
        return {}
    met = about_asker.has_met(mind, asker, said)
    known = f"You are {asker}, and we have met" if met else f"You are {asker}. I don't think we have met before"
    return {"met": known, "told": about_asker.latest_told(mind, asker)}


def _of_place(mind: Mind, heard: str) -> dict[str, str]:
    found = _place_named(mind, heard)
    if found is None:
        return {}
    node = found[0]
    around = node.address.rpartition(":")[0]
    where = f"{node.preposition or 'in'} {mind.world.describe(around)}" if around in mind.world and ":" in around else ""
    return {"thing": with_article(node.name), "thing_at": where}


def _hour(at: GameTime) -> str:
    minutes = at % clock.DAY // clock.MINUTE
    named = {0: "midnight", 12 * 60: "noon"}
    return named.get(minutes, self_knowledge.time_in_words(at))


def _person_named(mind: Mind, heard: str) -> list[tuple[NpcId, str]]:
    """Others whom a player names, however the name is typed, each with the words that name them."""
    found, own = [], mind.people.first_name_of(mind.npc)
    for npc, name in mind.people.names.items():
        short = mind.people.first_name_of(npc)
        forms = sorted({name, short} if short != own else {name}, key=len, reverse=True)
        match = next((it for form in forms if (it := re.search(rf"\b{re.escape(form)}\b", heard, re.IGNORECASE))), None)
        if match is not None and not mind.is_oneself(npc):
            found.append((npc, match.group()))
    return found


def _place_named(mind: Mind, heard: str) -> tuple[Node, str] | None:
    """The known place or thing that a player names, the longest name first, with the words that name it.

    A name of one word counts with its article only: "Well, are you well?" names no well.
    """
    folded = _without_accents(heard)
    nodes = sorted(named_places(mind), key=lambda node: (-len(node.name), len(node.address)))
    for node in nodes:
        named = _without_accents(with_article(node.name))
        bare = named.removeprefix("the ")
        words = bare if " " in bare else named
        match = re.search(rf"\b{re.escape(words)}\b", folded) if len(bare) > 2 and node.address.count(":") else None
        if match is not None:
            return node, heard[match.start() : match.end()]
    return None


def _without_accents(text: str) -> str:
    """Folded, one letter for each letter of `text`, so that places in it stay the same."""
    return "".join(unicodedata.normalize("NFD", letter)[0] for letter in text).lower()
