"""NPCs who come up to a player: who may, the first line, and how the player's answer continues that talk.

An NPC comes up to a player who is near and free, unless the player talks with somebody, or did a moment ago. The line is stored before
the game hears it. A game that lost the server hears it again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from npc_server.affordable.social_memory import PAUSE_S
from npc_server.agent import Agent
from npc_server.cognition import converse, remember_talk
from npc_server.mind import appointments, players
from npc_server.mind.doing import Opened
from npc_server.mind.instinct import Said, line_of
from npc_server.records import Approach, GameTime, NpcId, Talk
from npc_server.session import talks
from npc_server.session.talk_context import LISTENS_S, TalkContext
from npc_server.session.talks import Meeting

WAITS_S = PAUSE_S
"""Game seconds for which an answer continues the talk, and in which nobody else comes up to that player: a talk's longest pause."""


@dataclass(frozen=True)
class Visit(Meeting):
    """One NPC who comes up to a player."""

    player: str = ""


def visits(context: TalkContext, thinking: Collection[NpcId]) -> list[Visit]:
    """Who comes up to a player now: at most one to each player, in the order of people. Takes the wishes to talk with players."""
    found: list[Visit] = []
    for npc, agent in context.agents.items():
        wish = agent.wish
        if wish is None or wish.to in context.agents or npc in thinking:
            continue
        agent.wish = None
        is_held = npc in context.busy or context.asleep(npc) or context.silent(npc)
        if is_held or not _is_free(context, agent, wish.to):
            players.forget_considered(agent.mind, wish.to)
            continue
        context.players_talking.append(wish.to)
        found.append(Visit((agent,), {npc: wish.about}, wish.to))
    return found


def _is_free(context: TalkContext, agent: Agent, player: str) -> bool:
    """Whether the player is near, and neither talks nor talked with anybody a moment ago."""
    if player not in agent.mind.talks.players or player in context.players_talking:
        return False
    last = max((at for other in context.agents.values() for who, at in other.doing.talked if who == player), default=None)
    return last is None or context.now() >= last + WAITS_S


async def hold(context: TalkContext, meeting: Meeting) -> None:
    """Holds a talk between NPCs, or lets one come up to a player."""
    if isinstance(meeting, Visit):
        await come_up(context, meeting)
    else:
        await talks.hold(context, meeting.members, meeting.topics)


def over(context: TalkContext, meeting: Meeting) -> None:
    """Frees the player of a visit that is over, however it ended."""
    if isinstance(meeting, Visit):
        context.players_talking.remove(meeting.player)


async def come_up(context: TalkContext, visit: Visit) -> None:
    """The NPC thinks of its first line, and says it to the player. It says nothing if a player speaks to it before that."""
    (agent,), player, now = visit.members, visit.player, context.now()
    about, npc = visit.topics[agent.npc], agent.npc
    talk = Talk(f"{npc}+{player}@{now}", (npc, player), context.room(npc), now)
    agent.begin_talk(talk.id, [player], now, now + WAITS_S)
    await context.write(agent)
    told, present = frozenset(agent.doing.told), context.present(talk)
    said = await context.unless_called(visit.members, converse.say(agent.mind, talk, now, told, about=about, present=present))
    if said is None:
        return
    line = line_of(said, npc, now)
    talk = replace(talk, lines=(line,))
    await _remember(agent, talk, said, player, now)
    chosen = context.choose(npc, talk, 1, said.call) if said.call is not None else None
    agent.doing = replace(agent.doing, opened=Opened(talk, about, said.source))
    agent.end_talk([player], now, now if said.leaves else now + LISTENS_S)
    await context.write(agent)
    # Nothing waits from here on: what is stored was said.
    context.put(unanswered(agent, now))
    context.say_aloud(talk, line, source=said.source)
    context.put([chosen] if chosen is not None else [])


async def _remember(agent: Agent, talk: Talk, said: Said, player: str, now: GameTime) -> None:
    """The line as the NPC's own, what it told with it, and what it promised."""
    mind, first = agent.mind, agent.mind.persona.first_name
    text = f'{first} came up to {player} and said: "{said.text}"'
    await remember_talk.own_line(mind, player, text, agent.doing.address, now)
    agent.note_told([player], said.told)
    if said.agreed is not None:
        await appointments.promise(mind, said.agreed, [player], now)


# ---- until the player answers


def unanswered(agent: Agent, now: GameTime) -> list[Approach]:
    """The approach that a player may still answer, if there is one. A game that connects anew gets it again."""
    opened = agent.doing.opened
    if opened is None or now > opened.talk.started + WAITS_S:
        return []
    line = opened.talk.lines[-1]
    return [Approach(agent.npc, opened.player, opened.about, line.text, opened.talk.id, line.at, opened.source)]


def answered_by(agent: Agent, speaker: str, now: GameTime) -> Talk | None:
    """The talk that a line of `speaker` continues, if the NPC began one with them and they have not answered yet."""
    opened = agent.doing.opened
    return opened.talk if opened is not None and opened.player == speaker and unanswered(agent, now) else None


def opened_after(agent: Agent, speaker: str) -> Opened | None:
    """The talk that still waits for an answer after `speaker` has said something."""
    opened = agent.doing.opened
    return None if opened is not None and opened.player == speaker else opened
