"""Begins a talk as a chat, and finds what is new before its newest line. The record is `mind.chat`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from npc_server import clock
from npc_server.data_files import read_toml
from npc_server.llm.own_lines import CHAT_FILE
from npc_server.llm.reply import one
from npc_server.mind import identity, offers, relationships, secrets
from npc_server.mind.chat import Chat
from npc_server.mind.mind import Mind
from npc_server.mind.replies import SpokenAlone
from npc_server.mind.retrieve import is_kept_back, memory_line
from npc_server.mind.today import only_deeds
from npc_server.prompts.budget import fit
from npc_server.records import GameTime, Line, ScoredMemory, Talk, Turn

QUESTION = "say"
SPOKEN = one(SpokenAlone)
NOBODY_SPOKE: Mapping[str, object] = {
    "relations": [], "thoughts": "", "between": [], "promises": [], "today": [],
    "others": [], "place": "", "met": [], "present": [], "doing": "", "next": "",
    "memories": [], "wandering": [], "news": "", "about": "",
}  # fmt: skip
"""Values of the prompt `chat` that show no moment."""
TELLING = ("between", "promises", "today", "memories", "wandering")
"""Those whose lines are left out where they tell a secret to somebody who must not know it."""
LATEST_HOURS = 2
"""Hours of the day so far with which a talk begins. Each has some 30 tokens, and a line calls up older ones as memories."""
REMINDED_EVERY = 6
"""Own lines after which a note says again who speaks. Models forget it in long talks."""
PAUSE_TOLD_S = 10 * 60
"""Game seconds without a line after which a note says how much time has passed."""


def unanswered(talk: Talk, speaker: str) -> list[Line]:
    """Return the lines since `speaker` last said something."""
    own = [place for place, line in enumerate(talk.lines) if line.speaker == speaker]
    return list(talk.lines[own[-1] + 1 :] if own else talk.lines)


@cache
def _heard_before() -> Mapping[str, str]:
    return dict(read_toml(CHAT_FILE)["heard"])


def examples_of(mind: Mind) -> tuple[Turn, ...]:
    """Return the persona's exchanges, or else its lines as turns: an answer to a greeting, to what it cannot know, and so on."""
    voice, heard = mind.persona.voice, _heard_before()
    if voice.exchanges:
        return voice.exchanges
    said = {
        "greetings": voice.greetings[:1],
        "smalltalk": (voice.smalltalk or voice.examples)[:1],
        "dont_know": voice.dont_know[:1],
        "farewells": voice.farewells[:1],
    }
    return tuple(Turn(heard[kind], line) for kind, lines in said.items() for line in lines)


def is_reminded(talk: Talk, speaker: str) -> bool:
    """Return whether the next note says again who speaks."""
    own = sum(line.speaker == speaker for line in talk.lines)
    return own > 0 and own % REMINDED_EVERY == 0


def pause(talk: Talk, now: GameTime) -> int:
    """Return the game seconds since the last answered line if they are worth a word, else 0."""
    last = talk.lines[-2].at if len(talk.lines) > 1 else now
    return now - last if now - last >= PAUSE_TOLD_S else 0


async def begun(mind: Mind, talk: Talk, now: GameTime, values: Mapping[str, object]) -> Chat:
    """Return the chat of a talk that begins. `values` are those of the prompt `chat`. Raises EngineError if not even the persona fits."""
    others = mind.others_in(talk)
    told = {name: [line for line in _list(values.get(name)) if not secrets.told(mind, line, others)] for name in TELLING}
    told["today"] = [only_deeds(line) for line in told["today"][:LATEST_HOURS]]
    between = [*_confided(mind, others), *told["between"]]
    shown = {**shown_in_chat(mind, now), **values, **told, **_changing(mind), "between": between}
    rendered = mind.tools.prompts.render("chat", shown)
    room = min(mind.settings.prompt_tokens, mind.tools.engine.status().context_tokens * 3 // 4)
    prompt = await fit(rendered, room, mind.tools.engine.count_tokens)
    return Chat(talk.id, prompt.system, examples_of(mind), prompt.user)


def shown_in_chat(mind: Mind, now: GameTime) -> dict[str, object]:
    """Return the values of the prompt `chat` as long as nobody has spoken: its system text needs no others."""
    return {
        **identity.values_of(mind, now),
        "lasting_identity": identity.lasting(mind),
        "offers": offers.lines(mind.persona.offers),
        "voice": mind.persona.voice.style,
        **NOBODY_SPOKE,
    }


def _changing(mind: Mind) -> dict[str, object]:
    """What a talk begins with that no talk of tomorrow may begin with."""
    return {"relations": identity.relations(mind), "thoughts": identity.thoughts(mind)}


def _confided(mind: Mind, others: list[str]) -> list[str]:
    """The persona's secrets, where everybody who hears the talk may know them. Nobody can give away what a prompt does not hold."""
    if not may_hear_secrets(mind, others):
        return []
    return [f"In confidence {mind.persona.first_name} may tell: {secret}" for secret in mind.persona.secrets]


def may_hear_secrets(mind: Mind, hearing: list[str]) -> bool:
    """Return whether all of these are so close that they are told secrets."""
    return bool(hearing) and all(relationships.closeness(mind, who) >= secrets.TRUSTED for who in hearing)


def _list(value: object) -> list[str]:
    return [str(it) for it in value] if isinstance(value, list) else []


def tellable(mind: Mind, found: list[ScoredMemory], hearing: list[str]) -> list[ScoredMemory]:
    """Return the memories that may stand in a prompt whose reply these hear."""
    if may_hear_secrets(mind, hearing):
        return found
    return [it for it in found if not is_kept_back(mind, it.memory) and not secrets.told(mind, it.memory.text, hearing)]


def notes(mind: Mind, chat: Chat, talk: Talk, now: GameTime, called_up: list[ScoredMemory]) -> list[str]:
    """Return what is new before the newest line: a promise that cannot be kept, a pause, a memory it calls up, and who speaks."""
    first = mind.persona.first_name
    found = [chat.correction] if chat.correction else []
    if gone := pause(talk, now):
        found.append(f"{clock.ago(now - gone, now).removesuffix(' ago')} have passed. It is {clock.hhmm(now)}.")
    found += [f"{first} remembers: {memory_line(mind, it.memory, now)}" for it in called_up]
    if is_reminded(talk, mind.npc):
        found.append(f"You are still {mind.persona.name}, {identity.you(mind)}. {_manner(mind)}".strip())
    return found


def _manner(mind: Mind) -> str:
    style = mind.persona.voice.style
    return f"Manner of speaking: {style}" if style else ""
