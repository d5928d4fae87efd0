"""What a viewer sees of a town in play: where everybody is, and what they do, say and think."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from npc_server.clock import hhmm
from npc_server.records import (
    Action,
    Address,
    Emotion,
    Feelings,
    GameTime,
    MindEvent,
    Notice,
    NoticeLevel,
    NpcId,
    Outcome,
    OutcomeStatus,
    Source,
    Speech,
    Thought,
)
from npc_server.sandbox.body import without_name
from npc_server.sandbox.town_world import TownWorld

SPEECH_S = 600
"""Game seconds for which a line of speech stays visible."""
LINES = 200
"""Lines of the log that are kept."""


@dataclass
class ScenePerson:
    """One person as the viewer sees them."""

    npc: NpcId
    name: str
    action: Action | None = None
    thought: str = ""
    feelings: Feelings | None = None
    speech: str = ""
    spoke_at: GameTime = 0


@dataclass
class Scene:
    """What a view shows. Events of minds and outcomes of actions update it."""

    world: TownWorld
    people: dict[NpcId, ScenePerson] = field(default_factory=dict)
    lines: deque[tuple[GameTime, NpcId, str]] = field(default_factory=lambda: deque(maxlen=LINES))
    """What happened, in plain words, newest last."""
    lines_added: int = 0
    """All lines so far, also those no longer in `lines`."""
    speed: float = 0.0
    """Game seconds per wall second now."""
    model_answers: int = 0
    chosen_answers: int = 0
    policy_answers: int = 0
    instinct_answers: int = 0
    model: str = ""

    def __post_init__(self) -> None:
        self.people = {npc: ScenePerson(npc, body.name) for npc, body in self.world.bodies.items()}

    def on_event(self, event: MindEvent) -> None:
        person = self.people.get(getattr(event, "npc", ""))
        if isinstance(event, Notice):
            if event.level is not NoticeLevel.INFO:
                self._note("", f"{event.level.value}: {event.message}")
        elif person is None:
            return
        elif isinstance(event, Action):
            if person.action is None or person.action.id != event.id:
                person.action = event
                by = "" if event.source is Source.INSTINCT else f" [{event.source.value}]"
                self._note(person.npc, f"{event.sentence} {event.emoji}, {self.where(event.address)}{by}")
        elif isinstance(event, Speech):
            person.speech, person.spoke_at = event.text, self.world.now
            if not event.partial:
                self._note(person.npc, f"{person.name}: “{event.text}”")
        elif isinstance(event, Thought):
            person.thought = event.text
        elif isinstance(event, Feelings):
            person.feelings = event

    def on_outcome(self, outcome: Outcome, at: GameTime) -> None:
        if outcome.status is OutcomeStatus.FAILED and outcome.npc in self.people:
            self._note(outcome.npc, f"{self.people[outcome.npc].name} could not: {outcome.reason}")

    def doing(self, person: ScenePerson) -> str:
        """Describes what a person does, like `is kneading dough`."""
        body = self.world.bodies[person.npc]
        if body.route:
            return f"is on the way to {self.where(body.target)}"
        return without_name(person.action.sentence, person.name) if person.action is not None else "makes up their mind"

    def feeling(self, person: ScenePerson) -> str:
        """Mood and lowest need: `happy, food 4`. Empty before anything is known."""
        if person.feelings is None:
            return ""
        need, value = person.feelings.needs.lowest()
        emotion = person.feelings.mood.emotion
        return f"{'' if emotion is Emotion.NEUTRAL else f'{emotion.value}, '}{need.value} {round(value)}"

    def saying(self, person: ScenePerson) -> str:
        return person.speech if self.world.now - person.spoke_at < SPEECH_S else ""

    def where(self, address: Address) -> str:
        """Names the building and room of an address, like `Mara's house, kitchen`."""
        names = [self.world.world.node(part).name for part in _building_and_room(address) if part in self.world.world]
        return ", ".join(names) if names else self.world.town.name

    def _note(self, npc: NpcId, text: str) -> None:
        self.lines.append((self.world.now, npc, text))
        self.lines_added += 1


def _building_and_room(address: Address) -> list[Address]:
    parts = address.split(":")
    return [":".join(parts[:count]) for count in (2, 3) if len(parts) >= count]


def line_text(at: GameTime, text: str) -> str:
    """Formats a line of the log as text."""
    return f"{hhmm(at)}  {text}"
