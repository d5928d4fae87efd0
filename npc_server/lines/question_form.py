"""The form of a question for a whole line, and what is wrong with an answer: its agreement, its words, its goodbye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.english.same_words import says_the_same
from npc_server.english.text import clipped, words_in
from npc_server.errors import ReplyUnreadable
from npc_server.lines.checks import FEWEST_WORDS
from npc_server.llm.mend_reply import read
from npc_server.llm.reply import ReplyType, one
from npc_server.mind import appointments, offers
from npc_server.mind.agreement import Agreement, AgreementKind
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.mind.offers import Call
from npc_server.mind.replies import (
    LEAVE,
    SPOKEN_LINE,
    STAY,
    BeforeLine,
    BeforeLineWithDeed,
    Spoken,
    SpokenFreely,
    SpokenWithDeed,
)
from npc_server.personas.schema import Offer
from npc_server.records import LINE_CHARS, GameTime, Talk

SpokenReply = Spoken | SpokenFreely | SpokenWithDeed
Before = BeforeLine | BeforeLineWithDeed

AGREES_TO_NOTHING = Agreement(comes=False)


@dataclass(frozen=True)
class LineForm:
    """The form of a line."""

    reply: ReplyType[SpokenReply]
    before: ReplyType[Before] | None
    """The form of what stands before the words; None if they come first."""
    with_deed: bool = False

    def filled(self, words: str, *, leaves: bool = False, before: Before | None = None, call: Call | None = None) -> SpokenReply:
        """A line in this form that says `words`."""
        say, then = clipped(words, LINE_CHARS, "Well."), LEAVE if leaves else STAY
        agrees = before.agrees if before is not None else AGREES_TO_NOTHING
        if self.before is None:
            return Spoken(say, then)
        if self.with_deed:
            return SpokenWithDeed(agrees, before.does if isinstance(before, BeforeLineWithDeed) else call, say, then)
        return SpokenFreely(agrees, say, then)


def form_of(mind: Mind, talk: Talk, offered: Sequence[Offer], now: GameTime) -> LineForm:
    """The form for the next line. Nothing can be agreed to before another has spoken, or where rules decide it."""
    if mind.answerer.reference:
        return LineForm(one(Spoken), None)
    if not offered and all(line.speaker == mind.npc for line in talk.lines):
        return LineForm(one(Spoken, say=SPOKEN_LINE), None)
    asked_by = next((line.speaker for line in reversed(talk.lines) if line.speaker != mind.npc), mind.others_in(talk)[0])
    agrees = AgreementKind(appointments.example(mind, talk.place, mind.people.first_name_of(asked_by), now))
    if offered:
        does = offers.OneOf(tuple(offered))
        return LineForm(one(SpokenWithDeed, agrees=agrees, does=does), one(BeforeLineWithDeed, agrees=agrees, does=does), True)
    return LineForm(one(SpokenFreely, agrees=agrees), one(BeforeLine, agrees=agrees))


class LineCheck:
    """Checks the attempts at one line: what stands before the words as soon as it is written, and each whole line."""

    def __init__(self, mind: Mind, talk: Talk, form: LineForm, now: GameTime, *, last_words: bool) -> None:
        self._mind, self._talk, self._form, self._now, self._last_words = mind, talk, form, now, last_words
        self._tried = 0
        self._before: Before | None = None

    @property
    def has_head(self) -> bool:
        """Whether something stands before the words."""
        return self._form.before is not None

    def may_begin(self, head: str) -> bool:
        """Whether the words after `head` may be heard while they are written."""
        if self._form.before is None:
            return True
        try:
            self._before = read(self._form.before, head).value
        except ReplyUnreadable:
            return False
        return not self._cannot_agree(self._before.agrees, is_first=self._tried == 0)

    def holds(self, words: str) -> bool:
        """Whether words are held back because they are the beginning of a line that was said in this talk."""
        said = words_in(words)
        return any(words_in(line.text)[: len(said)] == said for line in self._talk.lines)

    def kept(self, words: str) -> SpokenReply:
        """The line that says what was heard, with what stood before it."""
        return self._form.filled(words, before=self._before)

    def wrong(self, spoken: SpokenReply) -> str:
        """What is wrong with a whole line; empty if nothing is."""
        self._tried += 1
        if self._last_words and "?" in spoken.say:
            return "asks something in a goodbye, and nobody can answer any more"
        agrees = AGREES_TO_NOTHING if isinstance(spoken, Spoken) else spoken.agrees
        return said_before(self._talk, spoken.say) or self._cannot_agree(agrees, is_first=self._tried == 1)

    def _cannot_agree(self, agrees: Agreement, *, is_first: bool) -> str:
        """What is wrong with an agreement; empty if nothing is.

        Nobody may agree to come when they cannot. A place that is not known is asked for once more, since another try may name one.
        """
        if not agrees.comes:
            return ""
        found = appointments.meant(self._mind, agrees, self._talk.place, self._now)
        unknown = appointments.unknown_place(self._mind, agrees.place) if is_first and not found.address else ""
        return appointments.obstacle(self._mind, found, self._now) or unknown


def agreed(mind: Mind, talk: Talk, spoken: SpokenReply, now: GameTime) -> Invitation | None:
    """When and where the line agrees to come; None if it does not."""
    if isinstance(spoken, Spoken) or not spoken.agrees.comes:
        return None
    return appointments.meant(mind, spoken.agrees, talk.place, now)


def said_before(talk: Talk, text: str) -> str:
    """What is wrong with a line that says in the same words what was said in this talk, or nothing: it is worth another try."""
    if len(words_in(text)) < FEWEST_WORDS:
        return ""
    same = next((line.text for line in talk.lines if says_the_same(text, line.text)), "")
    return f"says again what was said: {same!r}" if same else ""
