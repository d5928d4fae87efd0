"""Reflexes: what anybody reacts to, and how, without a model (Generative Agents, section 4.3.1).

For example, somebody lies on the floor, the bathroom is occupied, or a friend weeps. Importance by meaning tells what matters, the word
lists of `data/reflexes.toml` what to do about it. An NPC reacts to the same thing once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from npc_server import clock
from npc_server.english.stems import content_stems
from npc_server.english.text import ON_THE_WAY, THERE, clipped, quoted
from npc_server.instinct.importance import EVERYDAY
from npc_server.instinct.news import is_secret
from npc_server.instinct.reflex_words import (
    Rule,
    Words,
    content_words,
    entry_seen,
    is_seen,
    lexicon,
    matches,
    own_name,
    stems_in,
    subject_of,
)
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.mind.named import is_word_in
from npc_server.mind.replies import CHANGE, CONTINUE, TALK, WAIT
from npc_server.personas.names import forms, without_ids
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemoryTopic, NpcId
from npc_server.world.tree import NodeKind, lineage

ONCE_S = 4 * clock.HOUR
"""Game seconds in which an NPC reacts to the same thing once."""
LOOK_BACK = 300
"""Latest memories that are searched for reasons to talk, and for earlier sights."""
ALIKE = 0.5
"""Share of words from which on two sentences without a subject tell of the same thing."""
GRAVE = 5
"""Importance from which on anybody goes and looks at a thing, whatever it is."""
STRIKING, FRIEND = 6, 4
"""Importance of what somebody does, and closeness to them, from which on an NPC asks about it."""
WAIT_MIN = 5
_NO_REASON = (MemoryKind.CONVERSATION, MemoryKind.SEED)
"""What was told in a talk, or is known from the start, is no reason to go and talk."""
_IDLE = (("is", "wait"), ("are", "wait"))
_LIGHT = frozenset(content_stems("go get take have make do see look walk be way day time one work stand sit new old talk speak wait"))


@dataclass(frozen=True)
class Reflex:
    """A reaction: what is done for how many game minutes, or what is talked about."""

    kind: str
    about: str = ""
    minutes: int = 0
    address: Address = ""


def reflex(mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reflex | None:
    """The reaction to something noticed; None when there is no reason for one. `who` can be spoken to now."""
    spoken = memory.topic is MemoryTopic.SAID
    words = stems_in(_without_places(mind, memory))
    if not words:
        return None
    found = None if spoken else _waits(mind, memory, words, doing, here)
    if found is None and memory.importance > EVERYDAY:
        found = _changes(mind, memory, words, doing, here, overheard=spoken)
    if found is None and who:
        found = _talks(mind, memory, who, words, quoted(memory.text) if spoken else "")
    return None if found is not None and _is_done(mind, memory, found, now) else found


def _without_places(mind: Mind, memory: Memory) -> str:
    """The text without the names of the places where it was noticed. Nobody drowns in, or on the way to, the Drowned Bell."""
    text = f"{memory.subject} is {memory.object}" if memory.object in (ON_THE_WAY, THERE) else memory.text
    for name in [mind.world.node(address).name for address in lineage(memory.address) if address in mind.world]:
        text = text.replace(name, "")
    return text


# ---- change


def _changes(mind: Mind, memory: Memory, words: Words, doing: str, here: Address, *, overheard: bool) -> Reflex | None:
    """A change of plan for danger or need. Without a rule for it, the NPC goes and looks at any thing that matters as much."""
    rule = next((rule for rule in lexicon().danger if is_seen(rule, words)), None)
    if overheard and (rule is None or "said" not in entry_seen(rule, words)):
        return None
    of_somebody = memory.subject in mind.people.names.values() or memory.topic is MemoryTopic.PLAYER_DID
    if rule is None and not of_somebody and memory.importance >= GRAVE:
        rule = Rule((), do="see what has happened", minutes=10)
    return _errand(mind, memory, rule, doing, here) if rule is not None else None


def _errand(mind: Mind, memory: Memory, rule: Rule, doing: str, here: Address) -> Reflex | None:
    """What a rule does about it; None when the NPC is doing that already."""
    what = clipped(rule.do.format(whom=subject_of(memory)), 120)
    verbs = set(content_stems(rule.do.partition(" and ")[0].replace("{whom}", ""))) - _LIGHT
    if verbs and verbs <= set(content_stems(doing)):
        return None
    return Reflex(CHANGE, what, rule.minutes, memory.subject if memory.subject in mind.world else memory.address or here)


# ---- wait


def _waits(mind: Mind, memory: Memory, words: Words, doing: str, here: Address) -> Reflex | None:
    """Waiting, when something that the activity needs is in use for a moment."""
    plain = _plain_doing(mind, doing)
    needed = stems_in(plain)
    if not needed or (here and memory.subject == here) or "wait" in needed[:1] or matches(_IDLE, words) or own_name(mind) in words:
        return None  # nobody waits because others wait, or for somebody who is with them
    is_person = memory.subject in mind.people.names.values()
    if is_person and memory.address in mind.world:
        return None  # where the world knows the place, paths tell whether it is taken
    same = any(matches(kind, needed) and matches(kind, words) for kind in lexicon().alone)
    if is_person:
        waits = same and not (here in mind.world and mind.world.node(here).kind is NodeKind.OBJECT)
    else:
        blocked = matches(lexicon().blocked, words) and not any(is_seen(rule, words) for rule in lexicon().danger)
        waits = blocked and (same or bool(_shared(words, plain)))
    what = f"{subject_of(memory)} to be done" if is_person else subject_of(memory)
    return Reflex(WAIT, clipped(f"waiting for {what}", 120), WAIT_MIN, here) if waits else None


def _shared(words: Words, doing: str) -> set[str]:
    return (set(content_words(words)) & set(content_words(stems_in(doing)))) - _LIGHT


# ---- talk


def _talks(mind: Mind, memory: Memory, who: NpcId, words: Words, spoken: str) -> Reflex | None:
    """A talk, for a reason in memory or in what the other person does. A memory may also be a reason to keep away."""
    name = mind.people.name_of(who)
    known = _between(mind, name, memory)
    if any(matches(lexicon().away, stems_in(m.text)) for m in known):
        return Reflex(CONTINUE)
    said = (m for m in known if matches(lexicon().speak, stems_in(m.text)))
    reason = next((m for m in said if not is_secret(mind.persona, m.text, m.kind)), None)
    if reason is not None and not _talked_since(mind, name, reason):
        return Reflex(TALK, reason.text)
    if spoken:
        return Reflex(TALK, memory.text) if _is_spoken_to(mind, spoken) else None
    strikes = relationships.closeness(mind, who) >= FRIEND and memory.importance >= STRIKING
    shows = memory.importance > EVERYDAY and (own_name(mind) in words or is_seen(lexicon().distress, words))
    return Reflex(TALK, memory.text) if strikes or shows else None


def _between(mind: Mind, name: str, memory: Memory) -> list[Memory]:
    """What the NPC noticed, concluded or intends that is about somebody and itself. `memory` is what it noticed just now."""
    # A first name is enough, a title alone is not: not every captain is Captain Brandt.
    own, called = mind.persona.first_name, forms(name)[-1] if without_ids(name, mind.people.names) == name else name
    named = (m for m in mind.stream.latest(LOOK_BACK) if is_word_in(called, m.text) and m.id != memory.id)  # few are, so this comes first
    may_be = (m for m in named if m.kind not in _NO_REASON and m.topic not in (MemoryTopic.SAID, MemoryTopic.OWN_DEEDS, MemoryTopic.PLAN))
    return [m for m in may_be if m.kind is MemoryKind.INTENTION or is_word_in(own, m.text)]


def _talked_since(mind: Mind, name: str, reason: Memory) -> bool:
    talks = (m for m in mind.stream.about(name, LOOK_BACK) if m.kind is MemoryKind.CONVERSATION)
    return any(m.id > reason.id and m.created >= reason.created for m in talks)


def _is_spoken_to(mind: Mind, spoken: str) -> bool:
    """Whether a line addresses the NPC by name: `Mara, a word`, `Good morning, Mara!`; not `Mara bakes the bread`."""
    first = re.escape(mind.persona.first_name)
    return re.search(rf"^(?:\w+ )?{first}[,!?]|, {first}\s*[.!?,]", spoken) is not None


# ---- what was reacted to before


def _is_done(mind: Mind, memory: Memory, found: Reflex, now: GameTime) -> bool:
    """Whether the plan has this errand already, or the same thing was noticed before. An NPC helps somebody once."""
    if found.kind == CONTINUE:
        return False
    if any(step.text == found.about and step.address == found.address and step.end > now - ONCE_S for step in mind.plan.steps):
        return True
    if found.kind == WAIT or (found.kind == TALK and found.about != memory.text):
        return False
    return any(
        now - m.created < ONCE_S and _is_of_the_same(mind, m, memory) for m in mind.stream.latest(LOOK_BACK, (MemoryKind.OBSERVATION,))
    )


def _is_of_the_same(mind: Mind, former: Memory, memory: Memory) -> bool:
    """Whether an earlier memory tells of the same thing: same subject and rule, or nearly the same words."""
    if former.id >= memory.id or former.subject != memory.subject:
        return False
    one, other = stems_in(former.text), stems_in(memory.text)
    if memory.subject:
        rules = (*lexicon().danger, lexicon().distress)
        return one == other or any(is_seen(rule, one) and is_seen(rule, other) for rule in rules)
    return len(set(one) & set(other)) >= ALIKE * len(set(one) | set(other))


# ---- words


def _plain_doing(mind: Mind, doing: str) -> str:
    """`eating breakfast` of `Mara is eating breakfast`."""
    return doing.removeprefix(f"{mind.persona.first_name} is ")
