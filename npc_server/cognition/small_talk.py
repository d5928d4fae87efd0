"""What people say without a model: a greeting, their most important recent news, an answer from memory, a farewell.

Every line says what it tells as fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.cognition.answering import answer
from npc_server.cognition.mind import Mind
from npc_server.cognition.news import HEARSAY, SURPRISE, as_claim, gossips, news, telling
from npc_server.cognition.offers import Call
from npc_server.cognition.wording import is_question
from npc_server.records import GameTime, Talk

LINES_EACH = 3
"""Greeting, news, farewell."""


@dataclass(frozen=True)
class Said:
    text: str
    leaves: bool = False
    claims: tuple[str, ...] | None = ()
    """What it tells as news; None where that is not known."""
    told: tuple[int, ...] = ()
    """Ids of the memories that were passed on."""
    call: Call | None = None
    """An action of the game's that was chosen."""


def say(mind: Mind, talk: Talk, now: GameTime, told: frozenset[tuple[str, int]]) -> Said:
    """The next line of a conversation. `told` are pairs of a person and the id of a memory they were told already."""
    others = mind.others_in(talk)
    own = [line for line in talk.lines if line.speaker == mind.npc]
    heard = talk.lines[-1] if talk.lines and talk.lines[-1].speaker != mind.npc else None
    pick = _Picker(mind, talk)
    # Instinct asks nothing that wants an answer: its "Lamp oil?" is a greeting, and must not keep the news from being told.
    if heard is not None and is_question(heard.text) and heard.claims is None:
        return Said(answer(mind, heard.text, heard.speaker, now) or pick(mind.persona.voice.dont_know, "I couldn't say."))
    if not own:
        return Said(pick(mind.persona.voice.greetings, f"Hello, {mind.first_name_of(others[0])}."))
    if len(own) >= LINES_EACH - 1 or _farewell(mind, heard.text if heard else ""):
        return farewell(mind, talk)
    reply = pick(SURPRISE, "") + " " if heard and heard.claims else ""
    memory = news(mind, others, now, told, [claim for line in talk.lines for claim in line.claims or ()])
    if memory is None or (memory.source in HEARSAY and not gossips(mind, talk, memory)):
        return Said(reply + pick(mind.persona.voice.smalltalk, "It's a fine day for it."))
    claim = as_claim(mind, memory)
    return Said(reply + telling(mind, memory, claim), claims=(claim,), told=(memory.id,))


def farewell(mind: Mind, talk: Talk) -> Said:
    return Said(_Picker(mind, talk)(mind.persona.voice.farewells, "I have to go. See you."), leaves=True)


def _farewell(mind: Mind, text: str) -> bool:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return bool(words & {"bye", "goodbye", "farewell"}) or "see you" in text.lower() or "good night" in text.lower()


@dataclass(frozen=True)
class _Picker:
    """One of several lines, by the save's seed: the same in every run, another in every conversation."""

    mind: Mind
    talk: Talk

    def __call__(self, lines: Sequence[str], otherwise: str) -> str:
        if not lines:
            return otherwise
        said = {line.text for line in self.talk.lines}
        fresh = [line for line in lines if line not in said] or list(lines)
        return fresh[self.mind.seed_for("say", self.talk.id, len(self.talk.lines)) % len(fresh)]
