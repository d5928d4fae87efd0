"""Conversations between NPCs: who comes together, whose turn it is, and when it ends (Generative Agents, section 4.3.2).

A conversation ends when somebody says goodbye and got an answer, repeats what was said, has to go, or at a limit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from npc_server.agent import Agent
from npc_server.cognition import converse, perceive
from npc_server.records import Line, NpcId, Talk
from npc_server.session.floor import Floor


def pairs(floor: Floor, thinking: Collection[NpcId]) -> list[tuple[Agent, Agent, str]]:
    """Who talks with whom now: those whose wish can be met, each in one conversation, in the order of people."""
    found: list[tuple[Agent, Agent, str]] = []
    taken = floor.busy | set(thinking)
    for npc, agent in floor.agents.items():
        if npc in thinking:
            continue
        wish, agent.wish = agent.wish, None
        if wish is None or npc in taken or not _free(floor, wish.to, taken) or floor.room(npc) != floor.room(wish.to):
            continue
        taken |= {npc, wish.to}
        found.append((agent, floor.agents[wish.to], wish.about))
    return found


def _free(floor: Floor, npc: NpcId, taken: set[NpcId]) -> bool:
    return npc in floor.agents and npc not in taken and not floor.asleep(npc)


async def hold(floor: Floor, first: Agent, second: Agent, about: str = "") -> Talk | None:
    """A whole conversation, begun by the first about something; None when the second has no time. Both must be in `floor.busy`."""
    now = floor.now()
    willing, _ = await converse.listen(second.mind, first.npc, now, hurried=floor.hurried(second.npc))
    if not willing:
        await _turned_down(floor, first, second)
        return None
    settings = floor.settings
    talk = Talk(f"{first.npc}+{second.npc}@{now}", (first.npc, second.npc), floor.room(first.npc), now)
    until = now + settings.talk_lines_max * settings.talk_line_s
    for agent, other in ((first, second), (second, first)):
        agent.begin_talk(talk.id, [other.npc], now, until)
        await floor.write(agent)
    talk = await _lines(floor, (first, second), talk, about)
    # A conversation takes its time, however fast it was thought up; and it is not over before it was.
    over = max(floor.now(), now + len(talk.lines) * settings.talk_line_s)
    for agent, other in ((first, second), (second, first)):
        await converse.remember(agent.mind, talk, now)
        agent.end_talk([other.npc], now, over)
        await floor.write(agent)
    return talk


async def _lines(floor: Floor, speakers: tuple[Agent, Agent], talk: Talk, about: str) -> Talk:
    settings = floor.settings
    leaving = False
    for turn in range(settings.talk_lines_max):
        speaker, other = speakers[turn % 2], speakers[1 - turn % 2]
        told = frozenset(speaker.doing.told)
        at = talk.started + turn * settings.talk_line_s
        last = leaving or turn >= settings.talk_lines_max - 2 or floor.hurried(speaker.npc)
        said, _ = await converse.say(speaker.mind, talk, floor.now(), told, about="" if turn else about, last_words=last)
        if await converse.repeats(speaker.mind, talk, said.text, settings.repeat_similarity):
            break
        line = Line(speaker.npc, said.text, at, said.claims)
        talk = replace(talk, lines=(*talk.lines, line))
        speaker.note_told([other.npc], said.told)
        floor.say_aloud(talk, line)
        if said.call is not None:
            floor.call(speaker.npc, talk, said.call.name, said.call.arguments)
        if leaving:
            break
        leaving = said.leaves
    return talk


async def _turned_down(floor: Floor, first: Agent, second: Agent) -> None:
    now = floor.now()
    name, other = first.mind.persona.first_name, second.mind.persona.name
    triple = (other, "had", "no time to talk")
    await perceive.observe(first.mind, f"{other} had no time to talk with {name}.", triple, first.doing.address, now)
    first.doing = replace(first.doing, talked=(*first.doing.talked, (second.npc, now)))
    first.keep()
    await floor.write(first)
