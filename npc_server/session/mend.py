"""One change of one mind's memories from outside: what is stored, and what the mind is like before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlite_utils import Database

from npc_server.agent import Agent
from npc_server.cognition.importance import rate
from npc_server.memory.draft import Draft
from npc_server.mind import importance_sum, mood, snapshot
from npc_server.mind.agent_state import state_of
from npc_server.mind.doing import Doing
from npc_server.mind.doubt import in_doubt, outdate
from npc_server.mind.snapshot import MindSnapshot
from npc_server.records import GameTime, Memory, MemoryChange, MemoryChangeKind, MemoryKind, MemorySource


@dataclass(frozen=True)
class NewMemory:
    """A memory as a game gives it."""

    text: str
    source: MemorySource
    source_person: str = ""
    importance: int = 0
    """1 to 10; 0 to have it rated."""
    at: GameTime = 0
    """When the person came to know it; 0 for now."""
    address: str = ""
    subject: str = ""
    """An NPC id or a player's name; may be empty."""
    key: str = ""
    by: str = "game"


@dataclass
class Mend:
    """A change that is not stored yet. The mind's own values are changed already, and its stream is not."""

    agent: Agent
    before: MindSnapshot
    doing: Doing
    """What the NPC was doing before."""
    draft: Draft = field(default_factory=Draft)
    result: list[Memory] = field(default_factory=list)
    in_doubt: list[Memory] = field(default_factory=list)
    _is_done: bool = False

    def write(self, db: Database, epoch: int) -> None:
        """Stores the change, after what of the mind could not be stored before. Runs inside a job of the store."""
        self.agent.mind.draft.write(db, self.agent.npc, epoch)
        self.draft.write(db, self.agent.npc, epoch)

    def done(self) -> None:
        """Changes the stream to what the save holds now."""
        mind = self.agent.mind
        mind.lifestyle.policies.stored(mind.npc, mind.draft.policies)
        mind.draft, self._is_done = Draft(), True
        for memory, vector in zip(self.draft.memories, self.draft.vectors, strict=True):
            mind.stream.add(memory, vector)
        for memory, new in self.draft.edited:
            mind.stream.edit(memory, new)
        mind.stream.remove(self.draft.forgotten)

    def undo(self) -> None:
        """Gives the mind its former values back, because the change could not be stored. Does nothing after `done`."""
        if not self._is_done:
            snapshot.restore(self.agent.mind, self.before)
            self.agent.doing = self.doing

    def note(self, memory: Memory, kind: MemoryChangeKind, by: str, now: GameTime) -> None:
        """Adds to the history. `memory` is as it was before an edit or a deletion."""
        text, importance = ("", 0) if kind is MemoryChangeKind.ADDED else (memory.text, memory.importance)
        self.draft.changes.append(MemoryChange(memory.npc, memory.id, kind, now, by, text, importance))

    def keep_state(self) -> None:
        self.draft.state = state_of(self.agent.mind, self.agent.doing)

    def doubt(self, memories: Sequence[Memory], what: str) -> None:
        """Marks what was concluded from these memories, and drops the summaries that were drawn from either."""
        shaken = in_doubt(self.agent.mind, memories, what)
        self.in_doubt += shaken
        self.draft.edited += [(insight, None) for insight in shaken]
        self.draft.socials.update(outdate(self.agent.mind, [*memories, *shaken]))


def _mend(agent: Agent) -> Mend:
    return Mend(agent, snapshot.snapshot(agent.mind), agent.doing)


async def adding(agent: Agent, new: NewMemory, now: GameTime) -> Mend:
    """A new memory of one person, or an edit of the one that has its key."""
    mind, known = agent.mind, agent.mind.stream.keyed(new.key)
    if known:
        return await editing(agent, known[0], new.text, new.importance, new.by, now)
    mend = _mend(agent)
    (rating,) = [new.importance] if new.importance else await rate(mind, [new.text], now, later=[new.text])
    (vector,) = await mind.tools.embedder.embed([new.text])
    number, at, who = mind.stream.next_id(), new.at or now, mind.people.name_of(new.subject)
    memory = Memory(
        mind.npc,
        number,
        MemoryKind.OBSERVATION,
        new.text,
        at,
        at,
        rating,
        who,
        "happened",
        new.text,
        new.source,
        new.source_person,
        new.address,
        key=new.key or f"#{number}",
    )
    importance_sum.add(mind, [memory])
    mind.feelings.mood = mood.after_memories(mind.feelings.mood, [memory], now)
    mend.draft.add_memory(memory, vector)
    mend.note(memory, MemoryChangeKind.ADDED, new.by, now)
    mend.keep_state()
    mend.result.append(memory)
    return mend


async def editing(agent: Agent, memory: Memory, text: str, importance: int, by: str, now: GameTime) -> Mend:
    """A memory that says something else, or matters more or less. A new text is rated anew unless `importance` is given."""
    mind, mend = agent.mind, _mend(agent)
    says_else = bool(text) and text != memory.text
    vector = (await mind.tools.embedder.embed([text]))[0] if says_else else None
    if not importance:
        (importance,) = await rate(mind, [text], now, later=[text]) if says_else else [memory.importance]
    object_ = text if says_else and memory.object == memory.text else memory.object
    edited = replace(memory, text=text or memory.text, object=object_, importance=importance, doubt="" if says_else else memory.doubt)
    mend.result.append(edited)
    if edited == memory:
        return mend
    importance_sum.correct(mind, memory, after=importance)
    mend.draft.edited.append((edited, vector))
    mend.note(memory, MemoryChangeKind.EDITED, by, now)
    if says_else:
        mend.doubt([memory], "edited")
    mend.keep_state()
    return mend


async def deleting(agent: Agent, memories: Sequence[Memory], by: str, now: GameTime) -> Mend:
    """Memories that one person no longer has."""
    mend = _mend(agent)
    ids = [memory.id for memory in memories]
    mend.doubt(memories, "deleted")
    for memory in memories:
        mend.note(memory, MemoryChangeKind.DELETED, by, now)
    mend.draft.forget(ids, ())
    told = tuple((who, number) for who, number in agent.doing.told if number not in ids)
    agent.doing = replace(agent.doing, told=told)
    mend.keep_state()
    mend.result += memories
    return mend
