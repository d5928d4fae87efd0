"""Conversations between NPCs: who comes together, whose turn it is, and when it ends (Generative Agents, section 4.3.2).

A conversation ends with a goodbye, with the last remark of somebody who stays, with a line that repeats an earlier one, at a limit, or
when a player speaks to one of its people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from npc_server.affordable.social_memory import revise_during
from npc_server.agent import Agent
from npc_server.cognition import converse, perceive, remember_talk
from npc_server.cognition.claims import known_before
from npc_server.cognition.react import WISH_KEPT_S
from npc_server.llm.streamed_words import CUT_OFF
from npc_server.mind import appointments
from npc_server.mind.instinct import Said, line_of
from npc_server.records import GameTime, Line, MemoryTopic, NpcId, Talk
from npc_server.session.talk_context import TalkContext

MOST = 4
"""People in one conversation; more would talk in two."""
REMINDED = 2
"""Own lines in which somebody who did not begin the talk is reminded of what it wanted to talk about."""


@dataclass(frozen=True)
class Meeting:
    """Who talks together: the first begins, with the second; the others join."""

    members: tuple[Agent, ...]
    topics: Mapping[NpcId, str] = field(default_factory=dict)
    """What each of those who wanted to talk wanted to talk about."""


def meetings(context: TalkContext, thinking: Collection[NpcId]) -> list[Meeting]:
    """Who talks with whom now: those whose wish can be met, each in one conversation, in the order of people.

    Those who want to talk with somebody in a conversation that has just begun join it. If they are in it already, their topic is kept.
    """
    wishes = {npc: agent.wish for npc, agent in context.agents.items() if agent.wish is not None and npc not in thinking}
    if not wishes:
        return []
    for npc in wishes:
        context.agents[npc].wish = None
    now = context.now()
    taken = context.busy | set(thinking) | {npc for npc, agent in context.agents.items() if agent.is_talking(now) or context.silent(npc)}
    found: dict[NpcId, Meeting] = {}
    """By the one who was spoken to."""
    joining: list[NpcId] = []
    for npc, wish in wishes.items():
        if wish is None or wish.to not in context.agents or context.room(npc) != context.room(wish.to):
            continue
        if npc not in taken and _free(context, wish.to, taken):
            taken |= {npc, wish.to}
            found[wish.to] = Meeting((context.agents[npc], context.agents[wish.to]), {npc: wish.about})
        else:
            joining.append(npc)
    for npc in joining:
        wish = wishes[npc]
        key = next((key for key, it in found.items() if wish and any(member.npc == wish.to for member in it.members)), None)
        if key is None or wish is None:
            continue
        meeting = found[key]
        if npc not in taken and len(meeting.members) < MOST:
            taken.add(npc)
            meeting = replace(meeting, members=(*meeting.members, context.agents[npc]))
        if any(member.npc == npc for member in meeting.members):
            found[key] = replace(meeting, topics={**meeting.topics, npc: wish.about})
    return list(found.values())


def _free(context: TalkContext, npc: NpcId, taken: set[NpcId]) -> bool:
    return npc not in taken and not context.asleep(npc)


async def hold(context: TalkContext, members: Sequence[Agent], topics: Mapping[NpcId, str]) -> Talk | None:
    """A whole conversation, begun by the first; None when the second has no time. All must be in `context.busy`."""
    now = context.now()
    first, second = members[0], members[1]
    willing, _ = await converse.listen(second.mind, first.npc, now, hurried=context.hurried(second.npc))
    if not willing:
        await _turned_down(context, first, second)
        return None
    settings = context.settings
    names = tuple(member.npc for member in members)
    again = any(who == second.npc and at >= first.mind.day_of(now) for who, at in first.doing.talked)
    talk = Talk(f"{'+'.join(names)}@{now}", names, context.room(first.npc), now, again=again)
    until = now + settings.talk_lines_max * settings.talk_line_s
    for agent in members:
        agent.begin_talk(talk.id, _others(members, agent), now, until)
        await context.write(agent)
    talk = await _lines(context, members, talk, topics)
    # A conversation takes its time, however fast it was thought up; and it is not over before it was.
    over = max(context.now(), now + len(talk.lines) * settings.talk_line_s)
    summed_up = ""
    left = list(members)
    while left:
        agent = next((member for member in left if context.is_called(member.npc)), left[0])
        left.remove(agent)
        made = await remember_talk.remember(agent.mind, talk, now, summed_up)
        summed_up = summed_up or (made[0].text if made else "")
        agent.end_talk(_others(members, agent), now, over)
        await context.write(agent)
        context.let_go(agent.npc)
    return talk


def _others(members: Sequence[Agent], agent: Agent) -> list[NpcId]:
    return [member.npc for member in members if member is not agent]


async def _lines(context: TalkContext, members: Sequence[Agent], talk: Talk, topics: Mapping[NpcId, str]) -> Talk:
    """Line by line, in turn."""
    settings = context.settings
    most = settings.talk_lines_max + 2 * (len(members) - 2)
    last_words: int | None = None
    for turn in range(most):
        speaker = members[turn % len(members)]
        at = talk.started + turn * settings.talk_line_s
        last = last_words is not None or turn >= most - len(members) or context.hurried(speaker.npc)
        if not last:
            await context.unless_called(members, revise_during(speaker.mind, talk, context.now()))
        partly = _Partly(context, talk, speaker.npc, at)
        said = await context.unless_called(
            members,
            converse.say(
                speaker.mind,
                talk,
                context.now(),
                frozenset(speaker.doing.told),
                about="" if last else _topic(members, speaker, turn, topics, talk),
                last_words=last,
                present=context.present(talk),
                on_text=partly.more,
            ),
        )
        if said is None:
            talk = _cut_off(context, talk, speaker, partly.words, at)
            break
        if await converse.repeats(speaker.mind, talk, said.text, said.source):
            if not partly.words:
                break
            said = replace(said, leaves=True)  # it was heard, so it was said
            last_words = 1 if last_words is None else last_words
        talk = await _spoken(context, members, speaker, talk, said, at)
        if last_words is not None:
            last_words -= 1
        elif said.leaves or said.closes:
            last_words = len(members) - 1 if _goodbyes_are_answered(members) or "?" in said.text else 0
        if last_words == 0:
            break
    return talk


async def _spoken(context: TalkContext, members: Sequence[Agent], speaker: Agent, talk: Talk, said: Said, at: GameTime) -> Talk:
    """The talk with the line, and what follows from it at once."""
    line = line_of(said, speaker.npc, at)
    asked_by = talk.lines[-1].speaker if talk.lines else ""
    talk = replace(talk, lines=(*talk.lines, line))
    # Who stands by hears it, too, and need not be told again.
    speaker.note_told([*_others(members, speaker), *context.present(talk)], said.told)
    for member in members:
        if member is not speaker and said.claims:  # who knew it already has no new memory that names the teller
            member.note_told([speaker.npc], known_before(member.mind, said.claims))
    context.say_aloud(talk, line, source=said.source)
    if said.agreed is not None:
        now = context.now()
        await appointments.promise(speaker.mind, said.agreed, [asked_by] if asked_by else _others(members, speaker), now)
        for member in members:
            if member.npc == asked_by:  # who asked comes, too
                # The occasion is in the speaker's words: `look over Tobin's chair`, said to Tobin.
                meeting = f"meet {member.mind.people.first_name_of(speaker.npc)}, who means to {said.agreed.occasion}"
                appointments.keep(member.mind, said.agreed, meeting, now, people=[speaker.npc])
    if said.call is not None:
        chosen = context.choose(speaker.npc, talk, len(talk.lines), said.call)
        await context.write(speaker)
        context.put([chosen])
    return talk


def _topic(members: Sequence[Agent], speaker: Agent, turn: int, topics: Mapping[NpcId, str], talk: Talk) -> str:
    """What the speaker wanted to talk about, if it is still to be said: who began says it in its first line."""
    if turn >= (1 if speaker is members[0] else REMINDED * len(members)):
        return ""
    wanted = (speaker.mind.relationships.talk_wanted.get(other) for other in _others(members, speaker))
    kept = next((wish.about for wish in wanted if wish and talk.started - wish.at <= WISH_KEPT_S), "")
    return topics.get(speaker.npc, "") or kept


def _goodbyes_are_answered(members: Sequence[Agent]) -> bool:
    """Whether the others say goodbye, too. Where that is a question to a model, only if a player is near to hear it."""
    asks = any(member.mind.answerer.asks("say") for member in members)
    return not asks or any(member.mind.budget.near for member in members)


@dataclass
class _Partly:
    """Tells the game the words of a line as they come."""

    context: TalkContext
    talk: Talk
    speaker: NpcId
    at: GameTime
    words: str = ""

    def more(self, piece: str) -> None:
        self.words += piece
        self.context.say_aloud(self.talk, Line(self.speaker, self.words, self.at), partial=True)


def _cut_off(context: TalkContext, talk: Talk, speaker: Agent, words: str, at: GameTime) -> Talk:
    """The talk with a line in the middle of which a player came: what was heard of it was said."""
    if not words:
        return talk
    line = Line(speaker.npc, f"{words}{CUT_OFF}", at)
    context.say_aloud(talk, line)
    return replace(talk, lines=(*talk.lines, line))


async def _turned_down(context: TalkContext, first: Agent, second: Agent) -> None:
    now = context.now()
    name, other = first.mind.persona.first_name, second.mind.persona.name
    triple = (other, "had", "no time to talk")
    await perceive.observe(first.mind, f"{other} had no time to talk with {name}.", triple, first.doing.address, now, MemoryTopic.MET)
    first.doing = replace(first.doing, talked=(*first.doing.talked, (second.npc, now)))
    first.keep()
    await context.write(first)
