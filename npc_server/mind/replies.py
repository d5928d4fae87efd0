"""Reply types: one for each question, named as its prompt. Each gives the reply's format, its grammar and its parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from npc_server.llm.fields import Fields
from npc_server.llm.reply import Choice, Emoji, Integer, Kind, Several, Text, TimeOfDay
from npc_server.mind import offers
from npc_server.mind.agreement import Agreement, AgreementKind
from npc_server.records import LINE_CHARS, Emotion, GameTime

NOTHING = "nothing"
YES, NO = "yes", "no"
CONTINUE, WAIT, CHANGE, TALK = "continue", "wait", "change", "talk"
"""What an NPC does about something it noticed."""

# ---- plan_day, plan_steps, replan

PART_CHARS, ACTIVITY_CHARS = 60, 100


@dataclass(frozen=True)
class DayRow:
    """An hour or so of a day. Neighboring rows with the same goal (`part`) form one broad stroke."""

    start: Annotated[int, TimeOfDay()]
    part: Annotated[str, Text(PART_CHARS, "goal")]
    activity: Annotated[str, Text(ACTIVITY_CHARS)]


@dataclass(frozen=True)
class PlannedPart:
    """A stretch of a day's plan, in game time."""

    start: GameTime
    part: str
    activity: str


@dataclass(frozen=True)
class StepRow:
    """A step with place, action and emoji, ready to be done."""

    minutes: Annotated[int, Integer(5, 15)]
    activity: Annotated[str, Text(ACTIVITY_CHARS, "what you are doing")]
    place: Annotated[str, Choice(())]
    """As prompts name it."""
    does: Annotated[str, Choice(())]
    emoji: Annotated[str, Emoji()]


# ---- act


@dataclass(frozen=True)
class Deed:
    """Where something is done, with which action of the object, as a sentence, and as emoji."""

    place: Annotated[str, Choice(())]
    does: Annotated[str, Choice(())]
    sentence: Annotated[str, Text(120, "what you are doing, in one sentence that begins with your first name")]
    emoji: Annotated[str, Emoji()]


# ---- importance


@dataclass(frozen=True)
class Rating:
    importance: Annotated[int, Integer(1, 10)]


# ---- react


@dataclass(frozen=True)
class ReactReply:
    reaction: Annotated[str, Choice((CONTINUE, WAIT, CHANGE, TALK))]
    minutes: Annotated[int, Integer(1, 120, otherwise=1)]
    what: Annotated[
        str,
        Text(120, f"what you wait for, what you do now, or what you want to talk about; '{NOTHING}' if you continue", otherwise=NOTHING),
    ]


# ---- listen, say, talk_summary, talk_claims

STAY, LEAVE = "go on", "leave"

LINE = Text(LINE_CHARS, "what you say, spoken, one or two short sentences", spoken=True)
"""The form in which the baseline is asked."""
SPOKEN_LINE = Text(LINE_CHARS, "one or two short sentences, spoken", spoken=True)


@dataclass(frozen=True)
class Spoken:
    """A line that agrees to nothing: of the baseline, where instinct decides that, or before anybody else has spoken."""

    say: Annotated[str, LINE]
    then: Annotated[str, Choice((STAY, LEAVE), otherwise=STAY)]


@dataclass(frozen=True)
class SpokenAlone:
    """A line of a chat: words alone. What follows from them is asked afterwards."""

    say: Annotated[str, SPOKEN_LINE]


@dataclass(frozen=True)
class SpokenFreely:
    """A line of a model that speaks for itself. What it agrees to comes first, so that it is checked before a word is heard."""

    agrees: Annotated[Agreement, AgreementKind()]
    say: Annotated[str, SPOKEN_LINE]
    then: Annotated[str, Choice((STAY, LEAVE), otherwise=STAY)]


@dataclass(frozen=True)
class SpokenWithDeed:
    """For a persona with offers."""

    agrees: Annotated[Agreement, AgreementKind()]
    does: offers.Call | None
    say: Annotated[str, SPOKEN_LINE]
    then: Annotated[str, Choice((STAY, LEAVE), otherwise=STAY)]


@dataclass(frozen=True)
class BeforeLine:
    """What stands before the words of `SpokenFreely`."""

    agrees: Annotated[Agreement, AgreementKind()]


@dataclass(frozen=True)
class BeforeLineWithDeed:
    """What stands before the words of `SpokenWithDeed`."""

    agrees: Annotated[Agreement, AgreementKind()]
    does: offers.Call | None


@dataclass(frozen=True)
class Willing:
    answer: Annotated[str, Choice((YES, NO))]


SENTENCE_CHARS, RELATION_CHARS, FEELING_CHARS = 200, 60, 160
"""Most characters of a fact or a talk's summary, of a relationship, and of a feeling."""
BETWEEN_CHARS = 300
"""Most characters of the summary of what matters between two people."""
FACT = Text(
    SENTENCE_CHARS,
    f"one thing you were told, as a full sentence with names, day and hour, {SENTENCE_CHARS} characters at most; or '{NOTHING}'",
)
ABOUT = Text(SENTENCE_CHARS, f"what you talked about, one sentence, {SENTENCE_CHARS} characters at most")
PROMISED = Text(SENTENCE_CHARS, f"what you yourself promised, with day, hour and place; or '{NOTHING}'", otherwise=NOTHING)
RELATION = Text(RELATION_CHARS, "what they are to you now, a few words")
FEELING = Text(FEELING_CHARS, f"how you feel about them now, one sentence, {FEELING_CHARS} characters at most")
MOODS = tuple(emotion.value for emotion in Emotion)
MOOD = Choice(MOODS, f"what you feel because of it, one of: {', '.join(MOODS)}", otherwise=MOODS[0])
CAUSE_CHARS = 100
CAUSE = Text(CAUSE_CHARS, f"why you feel so, in a few words with names, such as 'Robin laughed at me'; or '{NOTHING}'", otherwise=NOTHING)
BETWEEN = Text(BETWEEN_CHARS, f"what matters between you, old and new, {BETWEEN_CHARS} characters at most")


TOLD = Text(
    SENTENCE_CHARS,
    f"what they told you, in full sentences with names, day and hour, {SENTENCE_CHARS} characters at most; or '{NOTHING}'",
    otherwise=NOTHING,
)


@dataclass(frozen=True)
class Learned:
    fact: Annotated[str, FACT]


@dataclass(frozen=True)
class Summary:
    summary: Annotated[str, ABOUT]


# ---- talk_over, talk_relation


@dataclass(frozen=True)
class TalkOver:
    """All that stays of a talk, in one answer."""

    about: Annotated[str, ABOUT]
    relation: Annotated[str, RELATION]
    feeling: Annotated[str, FEELING]
    between: Annotated[str, BETWEEN]
    closeness: Annotated[int, Integer(0, 10)]
    mood: Annotated[str, MOOD]
    because: Annotated[str, CAUSE]
    promised: Annotated[str, PROMISED]
    told: Annotated[tuple[str, ...], Several(FACT, 1, 3)]


@dataclass(frozen=True)
class TalkedOf:
    """The same without Social Memory."""

    about: Annotated[str, ABOUT]
    promised: Annotated[str, PROMISED]
    told: Annotated[tuple[str, ...], Several(FACT, 1, 3)]


@dataclass(frozen=True)
class InTheRound:
    """What one person in a round is now, and what they told."""

    person: str
    relation: str
    feeling: str
    between: str
    closeness: int
    told: str


def in_the_round(names: Sequence[str]) -> Several:
    """A line for each of these people."""
    kinds: tuple[tuple[str, Kind], ...] = (
        ("person", Choice(tuple(names), "name")),
        ("relation", RELATION),
        ("feeling", FEELING),
        ("between", BETWEEN),
        ("closeness", Integer(0, 10)),
        ("told", TOLD),
    )
    return Several(Fields(kinds, InTheRound), len(names), len(names), f"{len(names)} such lines, one for each")


@dataclass(frozen=True)
class TalkRound:
    """All that stays of a talk of several, in one answer. `in_the_round` is the kind of `person`."""

    about: Annotated[str, ABOUT]
    mood: Annotated[str, MOOD]
    because: Annotated[str, CAUSE]
    promised: Annotated[str, PROMISED]
    person: tuple[InTheRound, ...]


@dataclass(frozen=True)
class Relationship:
    """The relationship alone, revised by what was noticed since."""

    relation: Annotated[str, RELATION]
    feeling: Annotated[str, FEELING]
    between: Annotated[str, BETWEEN]
    closeness: Annotated[int, Integer(0, 10)]
    mood: Annotated[str, MOOD]
    because: Annotated[str, CAUSE]


# ---- interview

ANSWER_CHARS = 400
ANSWER = Text(ANSWER_CHARS, f"your answer, as you would say it aloud, {ANSWER_CHARS} characters at most", spoken=True)


@dataclass(frozen=True)
class InterviewReply:
    answer: Annotated[str, ANSWER]


# ---- identity


@dataclass(frozen=True)
class Identity:
    """The summary description: traits, occupation, feelings about recent progress, and what is current."""

    nature: Annotated[str, Text(120, "your nature, in a sentence about yourself by name")]
    work: Annotated[str, Text(120, "what your days are for, in a sentence")]
    feeling: Annotated[str, Text(160, "how you feel about how things have gone lately, in a sentence")]
    currently: Annotated[str, Text(300, "what is on your mind, two sentences")]
    mood: Annotated[str, Choice(MOODS, f"your mood, one of: {', '.join(MOODS)}")] = MOODS[0]


# ---- reflect_questions, reflect_insights

QUESTIONS, INSIGHTS = 3, 5
"""How many a reflection asks for (GA, section 4.2)."""
KNOWN_INSIGHTS = 500
"""How many recent insights are compared, so that none is stored twice."""


@dataclass(frozen=True)
class FocalQuestion:
    question: Annotated[str, Text(140)]


@dataclass(frozen=True)
class Insight:
    insight: Annotated[str, Text(180)]
    memories: tuple[int, ...]
    """Numbers of its evidence among the memories shown."""


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
