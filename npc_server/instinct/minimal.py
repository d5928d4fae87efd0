"""The minimal instinct: it follows the routine, reacts to nothing, and says that it does not know.

It reads no English. Towns live by it all the same, which shows that no stage depends on a rule. A start for an instinct of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.english.text import clipped
from npc_server.instinct.own_lines import fitting
from npc_server.mind.instinct import Invitation, Reaction, Said, Told, Weight
from npc_server.mind.mind import Mind
from npc_server.mind.places import short
from npc_server.mind.relationships import ACQUAINTANCE, STRANGER
from npc_server.mind.replies import (
    ACTIVITY_CHARS,
    CONTINUE,
    NO,
    PART_CHARS,
    YES,
    CriticVerdict,
    DayRow,
    Deed,
    FocalQuestion,
    Identity,
    Insight,
    StepRow,
    Summary,
    Willing,
)
from npc_server.mind.surroundings import NOTHING
from npc_server.personas import routine
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Memory, MemoryTopic, NpcId, PlanStep, Social, Source, Talk
from npc_server.world.tree import Node, ObjectAction, lies_in

IMPORTANCE = 3
"""Importance of every memory."""
EMOJI = "🙂"
GREETING, DONT_KNOW, FAREWELL = "Good day.", "I don't know.", "Goodbye."


class Minimal:
    """Implements `mind.instinct.Instinct`."""

    async def importance(self, mind: Mind, texts: Sequence[str], topics: Sequence[MemoryTopic]) -> list[Weight]:
        return [Weight(IMPORTANCE)] * len(texts)

    def react(self, mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction:
        return Reaction(CONTINUE, Source.INSTINCT, is_reasoned=False)

    def lets_pass(self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, now: GameTime) -> bool:
        return False

    def plan_day(
        self, mind: Mind, day: GameTime, rows: tuple[int, int], strokes: tuple[int, int], crossing: Sequence[Memory]
    ) -> tuple[DayRow, ...]:
        found = routine.strokes(mind.persona, day, rows[1])
        return tuple(
            DayRow(it.start % clock.DAY, clipped(it.text, PART_CHARS, "day"), clipped(it.text, ACTIVITY_CHARS, "resting")) for it in found
        )

    def plan_steps(
        self, mind: Mind, stretch: Stretch, offered: Sequence[Node], start: GameTime, end: GameTime, count: tuple[int, int], failed: str
    ) -> tuple[StepRow, ...]:
        place = short(mind.world, offered[0].address) if offered else ""
        minutes = mind.settings.step_minutes_max
        return (StepRow(minutes, clipped(stretch.text, ACTIVITY_CHARS, "resting"), place, NOTHING, EMOJI),) * count[0]

    def act(self, mind: Mind, step: PlanStep, offered: Sequence[Node]) -> Deed:
        """At the plan's own place or inside it, else at the first that is offered. Objects keep their states."""
        near = [node for node in offered if lies_in(node.address, step.address)]
        node = (near or offered)[0]
        return Deed(short(mind.world, node.address), NOTHING, self.sentence(mind.persona.first_name, step.text), EMOJI)

    def listen(self, mind: Mind, who: str, now: GameTime, *, hurried: bool) -> Willing:
        return Willing(NO if hurried else YES)

    async def say(self, mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Said:
        """A greeting first, then "I don't know"."""
        voice = mind.persona.voice
        has_spoken = any(line.speaker == mind.npc for line in talk.lines)
        if last_words:
            return Said(_first(fitting(mind, talk, voice.farewells), FAREWELL), leaves=True)
        if talk.lines and (has_spoken or talk.lines[-1].speaker not in mind.people.names):
            return Said(self.dont_know(mind, talk), leaves=talk.lines[-1].speaker in mind.people.names)
        return Said(_first(fitting(mind, talk, voice.greetings), GREETING))

    def dont_know(self, mind: Mind, talk: Talk) -> str:
        return _first(mind.persona.voice.dont_know, DONT_KNOW)

    def line_facts(
        self, mind: Mind, place: Address, heard: str, asker: str, now: GameTime, said: Collection[str] = ()
    ) -> Mapping[str, str]:
        return {"me": mind.persona.first_name, "full_name": mind.persona.name, "age": str(mind.persona.age)}

    def with_stand_ins(self, mind: Mind, heard: str) -> str:
        return heard

    async def interview(self, mind: Mind, question: str, asker: str, now: GameTime) -> Callable[[], str]:
        return lambda: _first(mind.persona.voice.dont_know, DONT_KNOW)

    def talk_summary(self, mind: Mind, talk: Talk) -> Summary:
        others = " and ".join(mind.people.name_of(other) for other in mind.others_in(talk))
        return Summary(clipped(f"{mind.persona.first_name} talked with {others} at {clock.hhmm(talk.started)}.", 200))

    async def talk_claims(self, mind: Mind, talk: Talk, speaker: str) -> list[str]:
        """Each line as it was said."""
        return [line.text for line in talk.lines if line.speaker == speaker]

    def talk_relation(self, mind: Mind, former: Social, told: Sequence[str], now: GameTime) -> Social:
        return replace(former, relation=ACQUAINTANCE if former.relation == STRANGER else former.relation)

    def identity(self, mind: Mind, today: Sequence[str], now: GameTime) -> Identity:
        name = mind.persona.first_name
        currently = mind.persona.currently or f"{name} has nothing special in mind."
        return Identity(
            f"{name} is as ever.", f"{name} lives from day to day.", f"{name} takes things as they come.", clipped(currently, 300)
        )

    def reflect_questions(self, mind: Mind, latest: Sequence[Memory]) -> tuple[FocalQuestion, ...]:
        return (FocalQuestion(f"What matters most to {mind.persona.first_name} now?"),) * 3

    def reflect_insights(self, mind: Mind, shown: Sequence[Memory], now: GameTime) -> tuple[Insight, ...]:
        return (Insight(clipped(shown[0].text, 180), (1,)),) if shown else ()

    def is_idle(self, mind: Mind, text: str, topic: MemoryTopic) -> bool:
        return False

    def critic(self, *, is_done: bool) -> CriticVerdict:
        return CriticVerdict(YES if is_done else NO, "as the routine has it")

    def news(self, mind: Mind, others: Sequence[str], now: GameTime, told: Told) -> Memory | None:
        return None

    def tells(self, line: str, memory: Memory) -> bool:
        return memory.text.casefold() in line.casefold()

    def invitation(self, text: str, now: GameTime, places: Iterable[Node]) -> Invitation | None:
        return None

    def left_out(self, mind: Mind, talk: Talk, speaker: str, claims: Sequence[str], now: GameTime) -> list[str]:
        return []

    def use(self, mind: Mind, node: Node, activity: str) -> ObjectAction | None:
        return next((action for action in node.actions if action.name == activity), None)

    def sentence(self, first_name: str, activity: str) -> str:
        return f"{first_name}: {activity.strip() or 'at rest'}"

    def emoji(self, activity: str) -> str:
        return EMOJI


def _first(lines: Sequence[str], otherwise: str) -> str:
    return lines[0] if lines else otherwise
