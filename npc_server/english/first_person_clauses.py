"""Clauses of a text for `first_person`: where one begins, its subject and its verb, judged by the words next to a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.english.first_person_names import Token, starts_sentence
from npc_server.english.first_person_verbs import gender_of, is_finite_verb, is_function_word, listed, verb_base, verb_form, verb_stem

_NEW_CLAUSE = re.compile(r"[^\s'’]")


@dataclass(frozen=True)
class Clauses:
    """The tokens of a text. Each method answers a question about the token at an index."""

    tokens: Sequence[Token]

    def lower(self, at: int) -> str:
        return self.tokens[at].lower if 0 <= at < len(self.tokens) else ""

    def starts_sentence(self, at: int) -> bool:
        return starts_sentence(self.tokens, at)

    def starts_clause(self, at: int) -> bool:
        """Whether a sentence or a part after a semicolon starts here."""
        return self.starts_sentence(at) or ";" in self.tokens[at].before

    def follows_space(self, at: int) -> bool:
        """Whether only a space stands between a word and the one before."""
        return 0 < at < len(self.tokens) and not _NEW_CLAUSE.search(self.tokens[at].before)

    def starts_part(self, at: int) -> bool:
        return self.starts_sentence(at) or not self.follows_space(at)

    def verb_after(self, at: int) -> int | None:
        at = self._past_adverbs(at + 1, joined=True)
        there = self.follows_space(at) and not self.tokens[at].who
        return at if there and verb_form(self.lower(at)) else None

    def _past_adverbs(self, at: int, joined: bool) -> int:
        while (self.follows_space(at) if joined else at < len(self.tokens)) and (listed(self.lower(at), "between") or self._is_adverb(at)):
            at += 1
        return at

    def _is_adverb(self, at: int) -> bool:
        return self.lower(at).endswith("ly") and not listed(self.lower(at), "verb")

    def case(self, first: int, last: int) -> str:
        """The case of a name, or of two joined by "and": "subject", "object" or empty for unclear."""
        before, verb = self.lower(first - 1), self.verb_after(last)
        found = verb_form(self.lower(verb)) if verb is not None else ""
        if self.starts_part(first) or (listed(before, "clause") and found and not (listed(before, "preposition") and found == "base")):
            return "subject" if found else ""
        if self.tokens[first - 1].who:
            return ""
        acts = verb is not None and is_finite_verb(self.lower(verb))
        if acts and self._time_or_place(first - 1):
            return "subject"
        if acts and (listed(verb_stem(before), "saying") or (before.endswith("s") and not listed(verb_stem(before), "verb", "auxiliary"))):
            return "subject"
        if listed(before, "preposition"):
            return "object"
        return "object" if self._takes_object(first - 1) and not (acts and found == "modal") else ""

    def _time_or_place(self, last: int) -> bool:
        """Whether the sentence so far is a time or a place: "On Tuesday", "In the market"."""
        first = last
        while first > 0 and self.follows_space(first) and not self.starts_sentence(first) and last - first < 4:
            first -= 1
        opened = self.starts_sentence(first) and self.lower(first) in (
            "in",
            "on",
            "at",
            "by",
            "during",
            "after",
            "before",
            "since",
            "until",
        )
        words = [token.lower for token in self.tokens[first : last + 1]]
        return opened and first < last and not any(verb_form(word) == "past" or gender_of(word) for word in words)

    def _takes_object(self, at: int) -> bool:
        """Whether this word is a verb that can have an object."""
        word = self.lower(at)
        if listed(word, "auxiliary", "modal"):
            return False
        if listed(word, "verb", "past") or listed(verb_base(word), "verb"):
            return not listed(self.lower(at - 1), "determiner")
        after_subject = at > 0 and (bool(self.tokens[at - 1].who) or listed(self.lower(at - 1), "pronoun"))
        return (word.endswith(("ed", "ing")) and not listed(word, "not_form")) or (bool(verb_base(word)) and after_subject)

    def is_in_subordinate(self, at: int) -> bool:
        """Whether a later verb may belong to an earlier subject: "Kit left when Mara was six, and has written"."""
        before = self.lower(at - 1)
        return not self.starts_sentence(at - 1) and listed(before, "subordinate") and before != "that"

    def names_others_before(self, at: int) -> bool:
        """Whether this sentence has mentioned somebody else before."""
        while not self.starts_clause(at):
            at -= 1
            if self.tokens[at].who or gender_of(self.lower(at)):
                return True
        return False

    def is_plural_or_person(self, at: int) -> bool:
        """Whether a word is a plural, or a noun for a person."""
        return bool(verb_base(self.lower(at)) or gender_of(self.lower(at)))

    def is_subject(self, at: int) -> bool:
        verb = None if self.tokens[at].possessive else self.verb_after(at)
        return verb is not None and verb_form(self.lower(verb)) != "base"

    def starts_nested_clause(self, at: int) -> bool:
        """Whether a nested clause with its own subject begins here."""
        word = self.lower(at)
        return (listed(word, "subordinate") and not listed(word, "preposition")) or self.follows_noun(at)

    def follows_noun(self, at: int) -> bool:
        """Whether this is a finite verb after a noun."""
        before = self.lower(at - 1)
        return is_finite_verb(self.lower(at)) and self.follows_space(at) and not is_function_word(before) and not before.endswith("ly")

    def second_verb(self, at: int) -> int | None:
        """The index of a further verb after "and" or a comma; None for a plural noun, as in "eggs and drinks"."""
        start, at = at, self._past_adverbs(at, joined=False)
        if at >= len(self.tokens) or self.tokens[at].who or (at > start and not self.follows_space(at)):
            return None
        return at if self._is_second(at, start) else None

    def _is_second(self, at: int, start: int) -> bool:
        word, after = self.lower(at), self.lower(at + 1)
        if listed(word, "auxiliary"):
            return True
        if not listed(verb_base(word), "verb"):
            return False
        if not listed(word, "also_noun"):
            return True
        if (
            self.follows_space(start)
            and self.follows_space(start - 1)
            and self.tokens[start - 2].is_done
            and not self.tokens[start - 2].who
        ):
            return True
        if not self.follows_space(at + 1) or after == "of":
            return False
        if self.tokens[at + 1].who or after == "to" or self._is_adverb(at + 1):
            return True
        if listed(after, "determiner", "pronoun", "adverb", "subordinate"):
            return True
        comma = "," in self.tokens[start].before or "," in self.tokens[start - 1].before
        if listed(after, "preposition"):
            return comma or after not in ("for", "from", "with", "in")
        return comma and all(self.follows_space(before) for before in (start, start - 2, start - 3))

    def tells_what_one_is(self, at: int) -> bool:
        """Whether the word says what the subject is, and names nobody else: "is the baker", "as a child"."""
        says = ("is", "am", "are", "was", "were", "be", "been", "become", "became", "as")
        return listed(self.lower(at - 1), "determiner") and self.lower(at - 2) in says

    def possessive(self, at: int) -> bool:
        """Whether "her" or "his" is a possessive here."""
        before, after = verb_stem(self.lower(at - 1)), self.lower(at + 1)
        if not self.follows_space(at + 1) or (self._is_adverb(at + 1) and after != "family"):
            return False
        if after not in ("own", "only", "most", "home", "back", "two", "three", "past", "inside", "like") and is_function_word(after):
            return False
        if self.lower(at) == "his":
            return True
        if listed(before, "giving") and not gender_of(after) and (after.endswith("s") or listed(after, "giving_what")):
            return False
        return not (listed(before, "making") and listed(after, "verb") and after != "own") and self.tokens[at + 1].who == ""
