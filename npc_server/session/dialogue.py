"""Talking to an NPC from outside the world: as somebody, as its inner voice, or as an interviewer (Generative Agents, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.agent import Agent
from npc_server.cognition import appointments, converse, interview, social
from npc_server.cognition.doing import EXCHANGES_KEPT, Exchange
from npc_server.cognition.importance import rate
from npc_server.cognition.talk_over import PAUSE_S
from npc_server.cognition.told import believe
from npc_server.cognition.wording import TALKED_WITH, is_question
from npc_server.errors import BadInput
from npc_server.memory.stream import MemoryStream
from npc_server.records import GameTime, Line, Memory, MemoryKind, MemorySource, NpcId, ScoredMemory, Source, Talk
from npc_server.session.floor import Floor

LISTENS_S = 2 * clock.MINUTE
"""Game seconds an NPC waits for the next line before it goes on with its day."""
INTENTION_IMPORTANCE = 8
"""Least importance of what the inner voice says."""
HOST_EARLY_S = 30 * clock.MINUTE
"""Game seconds before their own party that people are there."""


@dataclass(frozen=True)
class Spoken:
    text: str
    ended: bool
    source: Source


class Dialogues:
    """The conversations of players with NPCs that are going on."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._talks: dict[tuple[NpcId, str], Talk] = {}

    async def say(self, agent: Agent, speaker: str, text: str, on_text: Callable[[str], None]) -> Spoken:
        """The NPC's answer; both lines are remembered, the player's as what that player claimed."""
        now, mind = self._floor.now(), agent.mind
        before = mind.stream.next_id(), mind.next_plan_id
        talk = self._continued(agent, speaker, now)
        talk = replace(talk, lines=(*talk.lines, Line(speaker, text, now)))
        agent.begin_talk(f"{talk.id}#{len(talk.lines)}", [speaker], now, now + LISTENS_S)
        await self._floor.write(agent)
        await self._remember_line(agent, speaker, text, talk, now)
        said, source = await converse.say(mind, talk, now, frozenset(agent.doing.told), on_text=on_text)
        line = Line(agent.npc, said.text, now, said.claims)
        talk = replace(talk, lines=(*talk.lines, line))
        first = mind.persona.first_name
        answer = f'{first} answered {speaker}: "{said.text}"'
        await mind.remember(
            [answer],
            kind=MemoryKind.CONVERSATION,
            at=now,
            importance=await rate(mind, [answer], now),
            source=MemorySource.SEEN,
            triples=[(first, TALKED_WITH, speaker)],
            address=agent.doing.address,
        )
        news = tuple(memory for memory in said.told if (speaker, memory) not in agent.doing.told)
        agent.note_told([speaker], said.told)
        self._floor.say_aloud(talk, line)
        if said.call is not None:
            self._floor.call(agent.npc, talk, said.call.name, said.call.arguments)
        exchange = Exchange(
            speaker,
            tuple(range(before[0], mind.stream.next_id())),
            tuple(range(before[1], mind.next_plan_id)),
            news,
        )
        agent.doing = replace(agent.doing, exchanges=(*agent.doing.exchanges, exchange)[-EXCHANGES_KEPT:])
        agent.end_talk([speaker], now, now if said.leaves else now + LISTENS_S)
        self._talks[agent.npc, speaker] = talk
        if said.leaves:
            del self._talks[agent.npc, speaker]
        await self._floor.write(agent)
        return Spoken(said.text, said.leaves, source)

    def _continued(self, agent: Agent, speaker: str, now: GameTime) -> Talk:
        found = self._talks.get((agent.npc, speaker))
        if found is not None and now - found.lines[-1].at <= PAUSE_S:
            return found
        return Talk(f"{agent.npc}+{speaker}@{now}", (agent.npc, speaker), self._floor.room(agent.npc), now)

    async def _remember_line(self, agent: Agent, speaker: str, text: str, talk: Talk, now: GameTime) -> None:
        verb = "asked" if is_question(text) else "said"
        await believe(agent.mind, speaker, [f'{speaker} {verb}: "{text}"'], talk, now)

    async def undo(self, agent: Agent, speaker: str) -> int:
        """Takes the last line of `speaker` and its answer back, with all that was stored from them. Says how many memories went."""
        exchanges = agent.doing.exchanges
        last = next((i for i in reversed(range(len(exchanges))) if exchanges[i].speaker == speaker), None)
        if last is None:
            raise BadInput(f"{speaker!r} has said nothing to {agent.npc!r} that could be taken back.", "Name who said the last line.")
        gone = exchanges[last]
        mind = agent.mind
        memories = _resting_on(mind.stream, gone.memories)
        mind.importance_since = max(0, mind.importance_since - sum(m.importance for m in memories if m.kind is MemoryKind.CONVERSATION))
        ids = [memory.id for memory in memories]
        mind.stream.remove(ids)
        mind.plan = [step for step in mind.plan if step.id not in gone.steps]
        mind.draft.forget(ids, gone.steps)
        for former in gone.summaries:
            social.take_back(mind, former)
        agent.doing = replace(
            agent.doing,
            exchanges=exchanges[:last] + exchanges[last + 1 :],
            told=tuple(
                (who, memory) for who, memory in agent.doing.told if memory not in ids and (who != speaker or memory not in gone.told)
            ),
        )
        talk = self._talks.get((agent.npc, speaker))
        if talk is not None:
            self._talks[agent.npc, speaker] = replace(talk, lines=talk.lines[:-2])
            if not talk.lines[:-2]:
                del self._talks[agent.npc, speaker]
        agent.keep()
        await self._floor.write(agent)
        return len(ids)

    async def whisper(self, agent: Agent, text: str) -> Memory:
        """The inner voice: taken as the NPC's own intention; importance, plan and talk change by it."""
        now, mind = self._floor.now(), agent.mind
        if mind.persona.opt_out_of_memory:
            raise BadInput(
                f"{mind.persona.name} makes no memories, so it takes no intention.", "Remove opt_out_of_memory from its persona."
            )
        importance = max(INTENTION_IMPORTANCE, (await rate(mind, [text], now))[0])
        (memory,) = await mind.remember(
            [text],
            kind=MemoryKind.INTENTION,
            at=now,
            importance=[importance],
            source=MemorySource.THOUGHT,
            triples=[(mind.persona.name, "intends", text)],
            address=agent.doing.address,
        )
        mind.currently = f"{mind.currently or mind.persona.currently} {text}".strip()
        places = [mind.world.node(address) for address in mind.known.addresses() if address in mind.world]
        found = appointments.find(text, now, places)
        if found is not None and found.address:
            appointments.keep(mind, found, f"giving {appointments.occasion(text)}", now, HOST_EARLY_S)
        agent.keep()
        await self._floor.write(agent)
        return memory


def _resting_on(stream: MemoryStream, ids: Sequence[int]) -> list[Memory]:
    """The memories of these ids that there are, and every insight drawn from one of them."""
    found = {number: stream.get(number) for number in ids if number in stream}
    for insight in reversed(stream.latest(len(stream), (MemoryKind.REFLECTION,))):
        if any(number in found for number in insight.evidence):
            found[insight.id] = insight
    return list(found.values())


async def ask(agent: Agent, question: str, now: GameTime, on_text: Callable[[str], None]) -> tuple[str, Source, list[ScoredMemory]]:
    """An interview's answer with the memories it was given; nothing of it stays."""
    answer, found = await interview.interview(agent.mind.aside(), question, now, on_text)
    return answer.value, answer.source, found
