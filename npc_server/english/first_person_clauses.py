"""What stands where in a text: where a clause begins and who acts in it, as far as the words next to a name tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.english.first_person_names import Token, starts
from npc_server.english.first_person_verbs import base, form, kind, listed, plain, stem, sure

_NEW_CLAUSE = re.compile(r"[^\s'’]")


@dataclass(frozen=True)
class Clauses:
    """Questions about the words of a text, each asked of a place in it."""

    tokens: Sequence[Token]

    def low(self, at: int) -> str:
        return self.tokens[at].low if 0 <= at < len(self.tokens) else ""

    def starts(self, at: int) -> bool:
        return starts(self.tokens, at)

    def parted(self, at: int) -> bool:
        """Whether a sentence starts here, or what is as good as one."""
        return self.starts(at) or ";" in self.tokens[at].gap

    def joined(self, at: int) -> bool:
        """Whether nothing but a space stands between a word and the one before."""
        return 0 < at < len(self.tokens) and not _NEW_CLAUSE.search(self.tokens[at].gap)

    def begins(self, at: int) -> bool:
        return self.starts(at) or not self.joined(at)

    def verb_after(self, at: int) -> int | None:
        at = self._past_adverbs(at + 1, joined=True)
        there = self.joined(at) and not self.tokens[at].who
        return at if there and form(self.low(at)) else None

    def _past_adverbs(self, at: int, joined: bool) -> int:
        while (self.joined(at) if joined else at < len(self.tokens)) and (listed(self.low(at), "between") or self._ly(at)):
            at += 1
        return at

    def _ly(self, at: int) -> bool:
        return self.low(at).endswith("ly") and not listed(self.low(at), "verb")

    def case(self, first: int, last: int) -> str:
        """Whether a name, or two with "and" between them, is a subject or an object; nothing when that is not clear."""
        before, verb = self.low(first - 1), self.verb_after(last)
        found = form(self.low(verb)) if verb is not None else ""
        if self.begins(first) or (listed(before, "clause") and found and not (listed(before, "preposition") and found == "base")):
            return "subject" if found else ""
        if self.tokens[first - 1].who:
            return ""
        acts = verb is not None and sure(self.low(verb))
        if acts and self._time_or_place(first - 1):
            return "subject"
        if acts and (listed(stem(before), "saying") or (before.endswith("s") and not listed(stem(before), "verb", "auxiliary"))):
            return "subject"
        if listed(before, "preposition"):
            return "object"
        return "object" if self._takes(first - 1) and not (acts and found == "modal") else ""

    def _time_or_place(self, last: int) -> bool:
        """Whether a sentence begun with a time or a place up to this word: "On Tuesday", "In the market"."""
        first = last
        while first > 0 and self.joined(first) and not self.starts(first) and last - first < 4:
            first -= 1
        opened = self.starts(first) and self.low(first) in ("in", "on", "at", "by", "during", "after", "before", "since", "until")
        words = [token.low for token in self.tokens[first : last + 1]]
        return opened and first < last and not any(form(word) == "past" or kind(word) for word in words)

    def _takes(self, at: int) -> bool:
        """Whether this word is a verb that may have an object."""
        word = self.low(at)
        if listed(word, "auxiliary", "modal"):
            return False
        if listed(word, "verb", "past") or listed(base(word), "verb"):
            return not listed(self.low(at - 1), "determiner")
        after_subject = at > 0 and (bool(self.tokens[at - 1].who) or listed(self.low(at - 1), "pronoun"))
        return (word.endswith(("ed", "ing")) and not listed(word, "not_form")) or (bool(base(word)) and after_subject)

    def aside(self, at: int) -> bool:
        """Whether a verb after "and" may belong to a subject before: "Kit left when Mara was six, and has written"."""
        before = self.low(at - 1)
        return not self.starts(at - 1) and listed(before, "subordinate") and before != "that"

    def others_before(self, at: int) -> bool:
        """Whether somebody else has been spoken of in this sentence."""
        while not self.parted(at):
            at -= 1
            if self.tokens[at].who or kind(self.low(at)):
                return True
        return False

    def several(self, at: int) -> bool:
        """Whether a word is none that "he" or "she" could mean, or known as one that can."""
        return bool(base(self.low(at)) or kind(self.low(at)))

    def acts(self, at: int) -> bool:
        verb = None if self.tokens[at].whose else self.verb_after(at)
        return verb is not None and form(self.low(verb)) != "base"

    def nests(self, at: int) -> bool:
        """Whether a clause with a subject of its own begins here."""
        word = self.low(at)
        return (listed(word, "subordinate") and not listed(word, "preposition")) or self.follows_noun(at)

    def follows_noun(self, at: int) -> bool:
        """Whether this is surely a verb, and what stands before it names something."""
        before = self.low(at - 1)
        return sure(self.low(at)) and self.joined(at) and not plain(before) and not before.endswith("ly")

    def second(self, at: int) -> int | None:
        """Where the verb is after "and" or a comma, if there is one and no plural: "eggs and drinks" has none."""
        start, at = at, self._past_adverbs(at, joined=False)
        if at >= len(self.tokens) or self.tokens[at].who or (at > start and not self.joined(at)):
            return None
        return at if self._is_second(at, start) else None

    def _is_second(self, at: int, start: int) -> bool:
        word, after = self.low(at), self.low(at + 1)
        if listed(word, "auxiliary"):
            return True
        if not listed(base(word), "verb"):
            return False
        if not listed(word, "also_noun"):
            return True
        if self.joined(start) and self.joined(start - 1) and self.tokens[start - 2].done and not self.tokens[start - 2].who:
            return True
        if not self.joined(at + 1) or after == "of":
            return False
        if self.tokens[at + 1].who or after == "to" or self._ly(at + 1):
            return True
        if listed(after, "determiner", "pronoun", "adverb", "subordinate"):
            return True
        comma = "," in self.tokens[start].gap or "," in self.tokens[start - 1].gap
        if listed(after, "preposition"):
            return comma or after not in ("for", "from", "with", "in")
        return comma and all(self.joined(before) for before in (start, start - 2, start - 3))

    def is_told(self, at: int) -> bool:
        """Whether it is told what one is, and not of another: "is the baker", "as a child"."""
        says = ("is", "am", "are", "was", "were", "be", "been", "become", "became", "as")
        return listed(self.low(at - 1), "determiner") and self.low(at - 2) in says

    def possessive(self, at: int) -> bool:
        """Whether "her" or "his" stands before what is hers or his."""
        before, after = stem(self.low(at - 1)), self.low(at + 1)
        if not self.joined(at + 1) or (self._ly(at + 1) and after != "family"):
            return False
        if after not in ("own", "only", "most", "home", "back", "two", "three", "past", "inside", "like") and plain(after):
            return False
        if self.low(at) == "his":
            return True
        if listed(before, "giving") and not kind(after) and (after.endswith("s") or listed(after, "giving_what")):
            return False
        return not (listed(before, "making") and listed(after, "verb") and after != "own") and self.tokens[at + 1].who == ""
