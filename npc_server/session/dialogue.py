"""Talking to an NPC from outside the world: as somebody, as its inner voice, or as an interviewer (Generative Agents, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.affordable.social_memory import PAUSE_S, is_due_during
from npc_server.agent import Agent
from npc_server.cognition import converse, own_deeds, remember_talk
from npc_server.cognition.claims import believe
from npc_server.cognition.importance import rate
from npc_server.cognition.replan_day import replan_day
from npc_server.english.text import is_question
from npc_server.errors import BadInput, NpcServerError
from npc_server.lines import read_ahead
from npc_server.llm.deadline import current_deadline
from npc_server.memory.stream import MemoryStream
from npc_server.mind import appointments, importance_sum, relationships, snapshot
from npc_server.mind.doing import EXCHANGES_KEPT, Doing, Exchange
from npc_server.mind.doubt import concluded_from
from npc_server.mind.instinct import Said, line_of
from npc_server.mind.mind import Mind
from npc_server.mind.snapshot import MindSnapshot
from npc_server.mind.surroundings import named_places
from npc_server.records import (
    GameAction,
    GameTime,
    Line,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    Notice,
    NoticeLevel,
    NpcId,
    Source,
    Talk,
)
from npc_server.session import approach
from npc_server.session.talk_context import LISTENS_S, TalkContext

INTENTION_IMPORTANCE = 8
"""Least importance of what the inner voice says."""
HOST_EARLY_S = 30 * clock.MINUTE
"""Game seconds before their own party that people are there."""


@dataclass(frozen=True)
class AnsweredLine:
    text: str
    ended: bool
    source: Source
    actions: tuple[GameAction, ...] = ()
    """What the NPC does for the game with this answer; the game gets them down the stream, too."""


@dataclass(frozen=True)
class _Before:
    """An agent as it was before a line, so that a line that is broken off leaves nothing behind."""

    mind: MindSnapshot
    doing: Doing


def _before(agent: Agent) -> _Before:
    return _Before(snapshot.snapshot(agent.mind), agent.doing)


def _take_back(agent: Agent, before: _Before) -> None:
    """Takes back what was made since: memories, plans, and whom it told what. What it cost stays in the ledger."""
    former = before.doing
    snapshot.take_back(agent.mind, before.mind)
    agent.doing = replace(
        agent.doing, told=former.told, exchanges=former.exchanges, talked=former.talked, called=former.called, opened=former.opened
    )
    agent.keep()


def _forget(mind: Mind, memories: Sequence[int], steps: Sequence[int]) -> None:
    mind.stream.remove(memories)
    mind.plan.steps = [step for step in mind.plan.steps if step.id not in steps]
    mind.draft.forget(memories, steps)


def _without_appointments(mind: Mind, steps: Sequence[int], now: GameTime) -> None:
    """Takes back the wish to plan the day again where it came from these steps, and nothing else was agreed for today."""
    if steps and not appointments.of_today(mind, now):
        mind.plan.again = ""


class Dialogues:
    """The conversations of players with NPCs that are going on."""

    def __init__(self, context: TalkContext) -> None:
        self._context = context
        self._talks: dict[tuple[NpcId, str], Talk] = {}
        self.player_talks, self.hush = context.player_talks, context.hush

    async def say(self, agent: Agent, speaker: str, text: str, on_text: Callable[[str], None]) -> AnsweredLine:
        """The NPC's answer; both lines are remembered, the player's as what that player claimed.

        Whatever ends it before both are stored, neither is kept, and the NPC is free again. Raises BadInput.
        """
        if agent.mind.is_oneself(speaker):
            raise BadInput(
                f"Field 'speaker' is {speaker!r}, and that is who is spoken to: nobody talks to themselves.",
                "Give the name of somebody else who speaks.",
                speaker=speaker,
            )
        now = self._context.now()
        if self._context.silent(agent.npc):
            return await self._unanswered(agent, speaker, text, now)
        before = _before(agent)
        talk = self._continued(agent, speaker, now)
        talk = replace(talk, lines=(*talk.lines, Line(speaker, text, now)))
        agent.begin_talk(f"{talk.id}#{len(talk.lines)}", [speaker], now, now + LISTENS_S)
        try:
            await self._context.write(agent)
            said = await self._answer(agent, speaker, text, talk, before, on_text)
            chosen = self._context.choose(agent.npc, talk, len(talk.lines) + 1, said.call) if said.call is not None else None
            await self._context.write(agent)
        except BaseException:
            await self._break_off(agent, speaker, before)
            raise
        # Nothing waits from here on: what is stored was said.
        line = line_of(said, agent.npc, now)
        talk = replace(talk, lines=(*talk.lines, line))
        self._context.say_aloud(talk, line, source=said.source)
        actions = (chosen,) if chosen is not None else ()
        self._context.put(actions)
        read_ahead.next_line(agent.mind, talk, speaker, now)
        self._talks[agent.npc, speaker] = talk
        if said.leaves:
            del self._talks[agent.npc, speaker]
        return AnsweredLine(said.text, said.leaves, said.source, actions)

    async def _answer(self, agent: Agent, speaker: str, text: str, talk: Talk, before: _Before, on_text: Callable[[str], None]) -> Said:
        """The answer to the last line. Afterwards everything that follows from both lines is in the draft.

        The player waits for the first word, so the line itself is remembered and rated only afterwards. Prompts show it anyway.
        """
        now, mind = talk.lines[-1].at, agent.mind
        present = self._context.present(talk)
        said = await converse.say(mind, talk, now, frozenset(agent.doing.told), present=present, on_text=on_text)
        current_deadline().help_again()  # The words were heard; what is remembered without a vector is not found by its meaning.
        await self._remember_lines(agent, speaker, text, said, talk, now)
        news = tuple(memory for memory in said.told if (speaker, memory) not in agent.doing.told)
        agent.note_told([speaker], said.told)
        opened = approach.opened_after(agent, speaker)
        exchange = Exchange(speaker, *snapshot.made_since(mind, before.mind), news)
        agent.doing = replace(agent.doing, exchanges=(*agent.doing.exchanges, exchange)[-EXCHANGES_KEPT:], opened=opened)
        agent.end_talk([speaker], now, now if said.leaves else now + LISTENS_S)
        agent.next_wake = now if is_due_during(mind, speaker) else agent.next_wake  # The next thought revises Social Memory.
        return said

    async def _remember_lines(self, agent: Agent, speaker: str, text: str, said: Said, talk: Talk, now: GameTime) -> None:
        """The player's line as their claim, the answer, and what the answer promises. Rules rate them; the model does so later."""
        mind, first = agent.mind, agent.mind.persona.first_name
        topic, claim = _heard(speaker, text)
        answer = f'{first} answered {speaker}: "{said.text}"'
        await mind.tools.embedder.embed([claim, answer])  # Both at once, since a player waits. Memories find these vectors in the cache.
        await believe(mind, speaker, [claim], talk, now, topic=topic)
        await remember_talk.own_line(mind, speaker, answer, agent.doing.address, now)
        if said.agreed is not None:
            await appointments.promise(mind, said.agreed, [speaker], now)

    async def _unanswered(self, agent: Agent, speaker: str, text: str, now: GameTime) -> AnsweredLine:
        """The empty answer of somebody who is to be silent. The line is remembered, unless the scene keeps them from noticing it."""
        if not self._context.unaware(agent.npc):
            before = _before(agent)
            try:
                topic, claim = _heard(speaker, text)
                await believe(agent.mind, speaker, [claim], self._continued(agent, speaker, now), now, topic=topic)
                exchange = Exchange(speaker, *snapshot.made_since(agent.mind, before.mind))
                agent.doing = replace(agent.doing, exchanges=(*agent.doing.exchanges, exchange)[-EXCHANGES_KEPT:])
                agent.keep()
                await self._context.write(agent)
            except BaseException:
                _take_back(agent, before)
                raise
        self._talks.pop((agent.npc, speaker), None)
        return AnsweredLine("", True, Source.INSTINCT)

    async def _break_off(self, agent: Agent, speaker: str, before: _Before) -> None:
        """The NPC is free again, and of the line that was not answered to its end nothing is kept. The game is told."""
        now = self._context.now()
        _take_back(agent, before)
        agent.end_talk([], now, now)
        text = f"What {speaker} said to {agent.mind.persona.name} was broken off before it was answered; neither line is remembered."
        self._context.put([Notice(NoticeLevel.WARNING, "LINE_BROKEN_OFF", f"{text} Say it again.")])
        with suppress(NpcServerError):  # what cannot be stored now stays in the draft and goes with the next thought
            await self._context.write(agent)

    def _continued(self, agent: Agent, speaker: str, now: GameTime) -> Talk:
        found = approach.answered_by(agent, speaker, now) or self._talks.get((agent.npc, speaker))
        if found is not None and now - found.lines[-1].at <= PAUSE_S:
            return found
        return Talk(f"{agent.npc}+{speaker}@{now}", (agent.npc, speaker), self._context.room(agent.npc), now)

    async def undo(self, agent: Agent, speaker: str) -> int:
        """Takes the last line of `speaker` and its answer back, with all that was stored from them. Says how many memories went."""
        exchanges = agent.doing.exchanges
        last = next((i for i in reversed(range(len(exchanges))) if exchanges[i].speaker == speaker), None)
        if last is None:
            raise BadInput(f"{speaker!r} has said nothing to {agent.npc!r} that could be taken back.", "Name who said the last line.")
        gone = exchanges[last]
        mind = agent.mind
        memories = _resting_on(mind.stream, gone.memories)
        importance_sum.subtract_conversations(mind, memories)
        ids = [memory.id for memory in memories]
        _forget(mind, ids, gone.steps)
        _without_appointments(mind, gone.steps, self._context.now())
        for former in gone.summaries:
            relationships.take_back(mind, former)
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
        await self._context.write(agent)
        return len(ids)

    async def end(self, agent: Agent, speaker: str) -> bool:
        """Ends the talk with `speaker`, who walks off. The NPC no longer listens. Says whether there was a talk."""
        now, opened = self._context.now(), agent.doing.opened
        had_talk = self._talks.pop((agent.npc, speaker), None) is not None
        if opened is not None and opened.player == speaker:
            agent.doing, had_talk = replace(agent.doing, opened=None), True
        action = agent.doing.action
        if had_talk and action is not None and speaker in action.talks_with:
            own_deeds.cut_short(agent.mind, now)
            agent.end_talk([speaker], now, now)
            await self._context.write(agent)
        return had_talk

    async def whisper(self, agent: Agent, text: str) -> Memory:
        """The inner voice: taken as the NPC's own intention; importance, plan and talk change by it."""
        now, mind = self._context.now(), agent.mind
        if mind.persona.opt_out_of_memory:
            raise BadInput(
                f"{mind.persona.name} makes no memories, so it takes no intention.", "Remove opt_out_of_memory from its persona."
            )
        before = _before(agent)
        try:
            memory = await self._intend(agent, text, now)
            await self._context.write(agent)
        except BaseException:
            _take_back(agent, before)
            raise
        return memory

    async def _intend(self, agent: Agent, text: str, now: GameTime) -> Memory:
        mind = agent.mind
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
        mind.identity.currently = f"{mind.identity.currently or mind.persona.currently} {text}".strip()
        found = mind.instinct.invitation(text, now, named_places(mind))
        if found is not None and found.address:
            appointments.keep(mind, replace(found, start=found.start - HOST_EARLY_S), f"{appointments.GIVING}{found.occasion}", now)
        await replan_day(mind, text, now)
        agent.keep()
        return memory


def _heard(speaker: str, text: str) -> tuple[MemoryTopic, str]:
    """A player's line as a claim of theirs, and what it is."""
    topic = MemoryTopic.ASKED if is_question(text) else MemoryTopic.SAID
    return topic, f'{speaker} {topic.value}: "{text}"'


def _resting_on(stream: MemoryStream, ids: Sequence[int]) -> list[Memory]:
    """The memories of these ids that there are, and every insight drawn from one of them."""
    found = [stream.get(number) for number in ids if number in stream]
    return [*found, *concluded_from(stream, [memory.id for memory in found])]
