"""Conversations between NPCs: who comes together, whose turn it is, and when it ends (Generative Agents, section 4.3.2).

A conversation ends when somebody says goodbye and got an answer, repeats what was said, has to go, or at a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from npc_server.agent import Agent
from npc_server.cognition import converse, perceive, remember_talk
from npc_server.llm.engine import OnText
from npc_server.records import GameTime, Line, MemoryTopic, NpcId, Talk
from npc_server.session.talk_context import TalkContext

MOST = 4
"""People in one conversation; more would talk in two."""


@dataclass(frozen=True)
class Meeting:
    """Who talks together: the first begins, about something, with the second; the others join."""

    members: tuple[Agent, ...]
    about: str


def meetings(context: TalkContext, thinking: Collection[NpcId]) -> list[Meeting]:
    """Who talks with whom now: those whose wish can be met, each in one conversation, in the order of people.

    Who wants to talk with somebody that another one has just begun to talk with joins them.
    """
    wishes = {npc: agent.wish for npc, agent in context.agents.items() if agent.wish is not None and npc not in thinking}
    for npc in wishes:
        context.agents[npc].wish = None
    taken = context.busy | set(thinking)
    found: dict[NpcId, Meeting] = {}
    """By the one who was spoken to."""
    joining: list[tuple[NpcId, NpcId]] = []
    for npc, wish in wishes.items():
        if wish is None or npc in taken or wish.to not in context.agents or context.room(npc) != context.room(wish.to):
            continue
        if _free(context, wish.to, taken):
            taken |= {npc, wish.to}
            found[wish.to] = Meeting((context.agents[npc], context.agents[wish.to]), wish.about)
        else:
            joining.append((npc, wish.to))
    for npc, to in joining:
        key = next((key for key, it in found.items() if any(member.npc == to for member in it.members)), None)
        if key is not None and npc not in taken and len(found[key].members) < MOST:
            taken.add(npc)
            found[key] = replace(found[key], members=(*found[key].members, context.agents[npc]))
    return list(found.values())


def _free(context: TalkContext, npc: NpcId, taken: set[NpcId]) -> bool:
    return npc not in taken and not context.asleep(npc)


async def hold(context: TalkContext, members: Sequence[Agent], about: str = "") -> Talk | None:
    """A whole conversation, begun by the first about something; None when the second has no time. All must be in `context.busy`."""
    now = context.now()
    first, second = members[0], members[1]
    willing, _ = await converse.listen(second.mind, first.npc, now, hurried=context.hurried(second.npc))
    if not willing:
        await _turned_down(context, first, second)
        return None
    settings = context.settings
    names = tuple(member.npc for member in members)
    talk = Talk(f"{'+'.join(names)}@{now}", names, context.room(first.npc), now)
    until = now + settings.talk_lines_max * settings.talk_line_s
    for agent in members:
        agent.begin_talk(talk.id, _others(members, agent), now, until)
        await context.write(agent)
    talk = await _lines(context, members, talk, about)
    # A conversation takes its time, however fast it was thought up; and it is not over before it was.
    over = max(context.now(), now + len(talk.lines) * settings.talk_line_s)
    summed_up = ""
    for agent in members:
        made = await remember_talk.remember(agent.mind, talk, now, summed_up)
        summed_up = summed_up or (made[0].text if made else "")
        agent.end_talk(_others(members, agent), now, over)
        await context.write(agent)
    return talk


def _others(members: Sequence[Agent], agent: Agent) -> list[NpcId]:
    return [member.npc for member in members if member is not agent]


async def _lines(context: TalkContext, members: Sequence[Agent], talk: Talk, about: str) -> Talk:
    """Line by line, in turn. After a goodbye everybody else has one last line."""
    settings = context.settings
    most = settings.talk_lines_max + 2 * (len(members) - 2)
    last_words: int | None = None
    for turn in range(most):
        speaker = members[turn % len(members)]
        told = frozenset(speaker.doing.told)
        at = talk.started + turn * settings.talk_line_s
        last = last_words is not None or turn >= most - len(members) or context.hurried(speaker.npc)
        spoken = _partly(context, talk, speaker.npc, at)
        opening = "" if turn else about
        said, _ = await converse.say(
            speaker.mind,
            talk,
            context.now(),
            told,
            about=opening,
            last_words=last,
            answers_goodbye=last_words is not None,
            on_text=spoken,
        )
        if await converse.repeats(speaker.mind, talk, said.text, settings.repeat_similarity):
            break
        line = Line(speaker.npc, said.text, at, said.claims)
        talk = replace(talk, lines=(*talk.lines, line))
        speaker.note_told(_others(members, speaker), said.told)
        context.say_aloud(talk, line)
        if said.call is not None:
            chosen = context.choose(speaker.npc, talk, len(talk.lines), said.call)
            await context.write(speaker)
            context.put([chosen])
        if last_words is not None:
            last_words -= 1
        elif said.leaves:
            last_words = len(members) - 1
        if last_words == 0:
            break
    return talk


def _partly(context: TalkContext, talk: Talk, speaker: NpcId, at: GameTime) -> OnText:
    """Tells the game the words as they come."""
    words = ""

    def more(piece: str) -> None:
        nonlocal words
        words += piece
        context.say_aloud(talk, Line(speaker, words, at), partial=True)

    return more


async def _turned_down(context: TalkContext, first: Agent, second: Agent) -> None:
    now = context.now()
    name, other = first.mind.persona.first_name, second.mind.persona.name
    triple = (other, "had", "no time to talk")
    await perceive.observe(first.mind, f"{other} had no time to talk with {name}.", triple, first.doing.address, now, MemoryTopic.MET)
    first.doing = replace(first.doing, talked=(*first.doing.talked, (second.npc, now)))
    first.keep()
    await context.write(first)
