"""What the model may answer: one type for each question, by the name of its prompt. It gives the format, the grammar and the parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.llm.reply import Choice, Emoji, Integer, Several, Text, TimeOfDay
from npc_server.mind import offers
from npc_server.records import GameTime

NOTHING = "nothing"
YES, NO = "yes", "no"
CONTINUE, WAIT, CHANGE, TALK = "continue", "wait", "change", "talk"
"""What one does about something that was noticed."""

# ---- plan_day, plan_steps, replan

PART_CHARS, ACTIVITY_CHARS = 60, 100


@dataclass(frozen=True)
class DayRow:
    """An hour or so of a day. Rows of one part of the day follow each other: together they are one of its broad strokes."""

    start: Annotated[int, TimeOfDay()]
    part: Annotated[str, Text(PART_CHARS, "part of the day")]
    activity: Annotated[str, Text(ACTIVITY_CHARS)]


@dataclass(frozen=True)
class PlannedPart:
    """A stretch of a day's plan, in game time."""

    start: GameTime
    part: str
    activity: str


@dataclass(frozen=True)
class StepRow:
    """A step that is ready to be done."""

    minutes: Annotated[int, Integer(5, 15)]
    activity: Annotated[str, Text(ACTIVITY_CHARS)]
    place: Annotated[str, Choice(())]
    """As prompts name it."""
    does: Annotated[str, Choice(())]
    emoji: Annotated[str, Emoji()]


# ---- act


@dataclass(frozen=True)
class Deed:
    """Where, what with the object there, as a sentence, and as emoji."""

    place: Annotated[str, Choice(())]
    does: Annotated[str, Choice(())]
    sentence: Annotated[str, Text(120, "what is being done, one sentence")]
    emoji: Annotated[str, Emoji()]


# ---- importance


@dataclass(frozen=True)
class Rating:
    importance: Annotated[int, Integer(1, 10)]


# ---- react


@dataclass(frozen=True)
class ReactReply:
    reaction: Annotated[str, Choice((CONTINUE, WAIT, CHANGE, TALK))]
    minutes: Annotated[int, Integer(1, 60)]
    what: Annotated[str, Text(120, f"what you wait for, what you do instead, or what you talk about; '{NOTHING}' when you go on")]


# ---- listen, say, talk_summary, talk_claims

STAY, LEAVE = "go on", "leave"


LINE = Text(240, "what you say, spoken, one or two short sentences")


@dataclass(frozen=True)
class Spoken:
    say: Annotated[str, LINE]
    then: Annotated[str, Choice((STAY, LEAVE))]


@dataclass(frozen=True)
class SpokenWithDeed:
    """Of somebody whose persona offers actions of the game."""

    say: Annotated[str, LINE]
    does: offers.Call | None
    then: Annotated[str, Choice((STAY, LEAVE))]


@dataclass(frozen=True)
class Willing:
    answer: Annotated[str, Choice((YES, NO))]


@dataclass(frozen=True)
class Learned:
    fact: Annotated[str, FACT]


@dataclass(frozen=True)
class Summary:
    summary: Annotated[str, Text(200, "what the talk was about, one sentence")]


# ---- talk_over, talk_relation

BETWEEN_CHARS = 300
"""Of the running summary of what matters between two people."""
FACT = Text(200, f"one thing you were told, as a full sentence with names, day and hour, or '{NOTHING}'")


@dataclass(frozen=True)
class TalkOver:
    """Everything in one answer."""

    about: Annotated[str, Text(200, "what the talk was about, one sentence")]
    relation: Annotated[str, Text(60, "what the other is to you, a few words")]
    feeling: Annotated[str, Text(160, "how you feel about the other, one sentence")]
    between: Annotated[str, Text(BETWEEN_CHARS, "what matters between you: what was before, and what is new")]
    closeness: Annotated[int, Integer(0, 10)]
    told: Annotated[tuple[str, ...], Several(FACT, 1, 3)]


@dataclass(frozen=True)
class TalkedOf:
    """Where no Social Memory is kept."""

    about: Annotated[str, Text(200, "what the talk was about, one sentence")]
    told: Annotated[tuple[str, ...], Several(FACT, 1, 3)]


@dataclass(frozen=True)
class Relationship:
    """The relationship alone, from what was noticed of the other since."""

    relation: Annotated[str, Text(60, "what the other is to you, a few words")]
    feeling: Annotated[str, Text(160, "how you feel about the other, one sentence")]
    between: Annotated[str, Text(BETWEEN_CHARS, "what matters between you: what was before, and what is new")]
    closeness: Annotated[int, Integer(0, 10)]


# ---- interview

ANSWER = Text(400, "your answer, as you would say it")


@dataclass(frozen=True)
class InterviewReply:
    answer: Annotated[str, ANSWER]


# ---- identity


@dataclass(frozen=True)
class Identity:
    """The summary description: core characteristics, occupation, feeling about recent progress; and what is current."""

    nature: Annotated[str, Text(120, "your nature, in a sentence about yourself by name")]
    work: Annotated[str, Text(120, "what your days are for, in a sentence")]
    feeling: Annotated[str, Text(160, "how you feel about how things have gone lately, in a sentence")]
    currently: Annotated[str, Text(300, "what is on your mind, two sentences")]


# ---- reflect_questions, reflect_insights

QUESTIONS, INSIGHTS = 3, 5
"""Of one reflection (GA, section 4.2)."""
KNOWN_INSIGHTS = 500
"""Latest insights among which one is looked for that stands already."""


@dataclass(frozen=True)
class FocalQuestion:
    question: Annotated[str, Text(140)]


@dataclass(frozen=True)
class Insight:
    insight: Annotated[str, Text(180)]
    memories: tuple[int, ...]
    """The numbers it rests on."""


# ---- commands, command, critic


@dataclass(frozen=True)
class ListedCommand:
    command: Annotated[str, Choice(())]


@dataclass(frozen=True)
class NextCommand:
    command: Annotated[str, Choice(())]


@dataclass(frozen=True)
class CriticVerdict:
    done: Annotated[str, Choice((YES, NO))]
    why: Annotated[str, Text(100, "why, few words")]
