"""A memory in one's own words: "Mara bought six eggs" is kept of Mara Voss, and is "I bought six eggs" when she tells it.

Memories are kept in the third person by name; whoever tells one speaks of itself as "I", and of whom it speaks to as "you". There is no
grammar here, only rules about the words next to a name and lists of common words (data/first_person.toml). Where they do not tell,
the text stays as it is: a stiff sentence is better than a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from npc_server.english.first_person_clauses import Clauses
from npc_server.english.first_person_names import ME, OTHER, YOU, Token, named, names_of, tokens_of
from npc_server.english.first_person_verbs import base, form, kind, listed, lists, sure

_FORMS = {
    ME: {"subject": "I", "object": "me", "whose": "my", "alone": "mine", "self": "myself", "is": "I'm", "has": "I've"},
    YOU: {"subject": "you", "object": "you", "whose": "your", "alone": "yours", "self": "yourself", "is": "you're", "has": "you've"},
}
_GENDER = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "herself": "f"}


def spoken(text: str, me: Sequence[str], you: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """A remembered sentence as I say it to you: my name is "I" or "me", yours "you"; what is unclear stays in the third person."""
    names = names_of(tuple(me), tuple(you), tuple(others))
    if not names.may_be_ours(text):
        return text
    tokens, tail = tokens_of(text)
    tokens = named(tokens, names)
    if not any(token.who in _FORMS for token in tokens):
        return text
    _Telling(tokens, Clauses(tokens)).tell()
    return "".join(token.text for token in tokens) + tail


@dataclass
class _Telling:
    """One pass through a text. It remembers who "he" and "she" may be."""

    tokens: list[Token]
    text: Clauses
    meant: str = ""
    """Whom the last sentence is about, me or you."""
    gender: str = ""
    company: set[str] = field(default_factory=set)
    """Who else has been spoken of: m, f, or ? where it may be either."""
    theirs: bool = False
    """Whether the clause has another subject than whom it is about."""

    def tell(self) -> None:
        for at, token in enumerate(self.tokens):
            if self.text.parted(at):
                self.theirs = False
            if token.done:
                continue
            if token.who in _FORMS:
                self._name(at)
            elif token.who:
                self._somebody(at)
            elif token.low in _GENDER:
                self._pronoun(at)
            else:
                self._word(at)

    def _put(self, at: int, who: str, case: str) -> None:
        token, word = self.tokens[at], _FORMS[who][case]
        token.word, token.whose, token.done = word[0].upper() + word[1:] if self.text.starts(at) else word, "", True

    def _conjugate(self, at: int, who: str) -> None:
        token = self.tokens[at]
        token.word = lists().change[who].get(token.low) or (base(token.low) if form(token.low) == "s" else token.word)
        token.done = True

    # Names.

    def _name(self, at: int) -> None:
        token = self.tokens[at]
        if token.whose:
            self._whose(at)
            if token.done and self.text.starts(at) and self.text.several(at + 1):
                self.meant, self.gender = token.who, ""
                self.company.clear()
                return
        elif not self._pair(at) and not self._asked(at):
            case = self.text.case(at, at)
            if case == "subject":
                self._subject(at, token.who)
            elif case == "object":
                self._put(at, token.who, "object")
        if not token.done or token.who != self.meant:
            self.company.add("?")

    def _subject(self, at: int, who: str) -> None:
        alone = not self.text.others_before(at)
        if alone:
            self.meant, self.gender = who, self.gender if self.meant == who else ""
            self.company.clear()
        self._lead(at, who, further=alone or not self.text.aside(at))

    def _lead(self, at: int, who: str, further: bool) -> None:
        """A subject, its verb, and the verbs after it that have the same subject."""
        self.theirs = False
        self._put(at, who, "subject")
        verb = self.text.verb_after(at)
        if verb is not None:
            self._conjugate(verb, who)
            if further:
                self._and_verbs(verb, who)

    def _whose(self, at: int) -> None:
        token, after, joined = self.tokens[at], self.text.low(at + 1), self.text.joined(at + 1)
        if self.text.low(at - 1) == "and" and at > 1 and self.tokens[at - 2].who:
            return
        if joined and after in ("a", "an", "the", "not", "going"):
            self._put(at, token.who, "is")
        elif joined and after in ("been", "got", "never", "already"):
            self._put(at, token.who, "has")
        elif not joined or listed(after, "preposition", "subordinate", "auxiliary", "modal", "joining"):
            self._put(at, token.who, "alone")
        else:
            self._put(at, token.who, "whose")

    def _pair(self, at: int) -> bool:
        """Two with "and" between them: I name myself last, and you first."""
        first, last = at - 2, at + 2
        if self.text.low(at + 1) == "and" and self.text.joined(at + 1) and self.text.joined(last) and self.tokens[last].who:
            return self._both(at, last)
        if first < 0 or self.text.low(at - 1) != "and" or not self.text.joined(at) or not self.text.joined(at - 1):
            return False
        return bool(self.tokens[first].who) and not self.tokens[first].whose and not self.tokens[first].done and self._both(first, at)

    def _both(self, first: int, last: int) -> bool:
        one, two = self.tokens[first], self.tokens[last]
        if two.whose:
            return False
        case, verb = self.text.case(first, last), self.text.verb_after(last)
        after = self.text.low(verb) if verb is not None else ""
        if not case or form(after) == "s" or (case == "object" and sure(after)):
            return False
        if one.who == ME or two.who == YOU:
            one.word, two.word, one.who, two.who = two.word, one.word, two.who, one.who
        for at in (first, last):
            if self.tokens[at].who in _FORMS:
                self._put(at, self.tokens[at].who, case)
        self.meant = ""
        return True

    def _asked(self, at: int) -> bool:
        """ "Is Mara ill?" """
        before = self.tokens[at - 1] if self.text.joined(at) else None
        if before is None or before.low == "been" or not listed(before.low, "auxiliary", "modal"):
            return False
        start = self.text.starts(at - 1)
        if not start and self.text.low(at - 2) not in ("where", "when", "why", "how", "what", "who", "whom"):
            if not self.text.joined(at + 1) and before.low in ("is", "was"):
                self._put(at, self.tokens[at].who, "object")
                return True
            return False
        if not self.text.joined(at + 1):
            return False
        word = lists().change[self.tokens[at].who].get(before.low, before.word)
        before.word = word[0].upper() + word[1:] if start else word
        self._put(at, self.tokens[at].who, "subject")
        return True

    def _and_verbs(self, verb: int, who: str) -> None:
        """The further verbs of a subject: "Mara bakes bread and sells it at the market"."""
        nested = False
        for at in range(verb + 1, len(self.tokens)):
            token = self.tokens[at]
            if self.text.parted(at):
                return
            joining = listed(self.text.low(at - 1), "joining") and self.text.joined(at)
            comma = "," in (self.tokens[at - 1] if joining else token).gap
            if (joining and not nested) or (comma and (joining or not nested)):
                second = self.text.second(at)
                if second is not None:
                    self._conjugate(second, who)
                    nested = False
                    continue
            if (token.who or listed(token.low, "pronoun")) and self.text.acts(at):
                if not nested and (joining or token.who):
                    return
                nested = True
            if self.text.nests(at):
                nested = True

    # Pronouns, and who else may be meant by them.

    def _somebody(self, at: int) -> None:
        """A name: of another person, unless it is a place's or a thing's, or belongs to the word before."""
        token, before = self.tokens[at], self.text.low(at - 1)
        following = self.tokens[at + 1] if self.text.joined(at + 1) else None
        thing = before in ("the", "in", "at", "across", "near", "into", "through", "inside", "outside", "around")
        thing = thing or bool(token.whose and following and following.who == OTHER)
        thing = thing or (self.text.joined(at) and bool(self.tokens[at - 1].whose or kind(before)))
        if token.known or not thing:
            self.company.add("?")

    def _word(self, at: int) -> None:
        word, before = self.text.low(at), self.text.low(at - 1)
        if (who := kind(word)) and not self.text.is_told(at):
            self.company.add(who)
        if listed(before, "joining") and form(word) in ("s", "past", "modal") and self.tokens[at - 1].gap != " ":
            self.theirs = False
        begun = listed(before, "subordinate") and listed(word, "determiner", "pronoun")
        if begun or self.text.follows_noun(at):
            self.theirs = True

    def _refers(self, gender: str) -> bool:
        """Whether a pronoun can only mean whom the sentence is about."""
        return bool(self.meant) and self.gender in ("", gender) and not {gender, "?"} & self.company

    def _pronoun(self, at: int) -> None:
        word, gender = self.text.low(at), _GENDER[self.text.low(at)]
        if not self._refers(gender):
            return
        if word in ("he", "she"):
            if self.text.begins(at) or listed(self.text.low(at - 1), "clause") or self.text.verb_after(at) is not None:
                self._lead(at, self.meant, further=not self.text.aside(at))
        elif word in ("himself", "herself"):
            if not self.theirs:
                self._put(at, self.meant, "self")
        elif self.text.possessive(at):
            self._put(at, self.meant, "whose")
        elif self.theirs and word != "his":
            self._put(at, self.meant, "object")
        if self.tokens[at].done:
            self.gender = gender
