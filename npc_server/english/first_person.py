"""Memories in the first person: Mara tells "Mara bought six eggs" as "I bought six eggs".

Memories are stored in the third person, with names. Whoever tells one becomes "I", and the listener becomes "you". The rules look at
the words next to a name and at word lists (`data/first_person.toml`). Where they are unsure, the text stays as it is: a stiff
sentence is better than a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from npc_server.english.first_person_clauses import Clauses
from npc_server.english.first_person_names import ME, OTHER, YOU, Token, merge_names, names_of, tokenize
from npc_server.english.first_person_verbs import gender_of, is_finite_verb, listed, lists, verb_base, verb_form

_FORMS = {
    ME: {"subject": "I", "object": "me", "whose": "my", "alone": "mine", "self": "myself", "is": "I'm", "has": "I've"},
    YOU: {"subject": "you", "object": "you", "whose": "your", "alone": "yours", "self": "yourself", "is": "you're", "has": "you've"},
}
GENDER = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "herself": "f"}


def in_first_person(text: str, me: Sequence[str], you: Sequence[str] = (), others: Sequence[str] = (), gender: str = "") -> str:
    """A remembered sentence as somebody says it to somebody else.

    `me`, `you` and `others` are the forms of their names, and `gender` is the speaker's: m, f, or empty for unknown.
    What is unclear stays in the third person.
    """
    names = names_of(tuple(me), tuple(you), tuple(others))
    if not names.may_be_ours(text):
        return text
    tokens, tail = tokenize(text)
    tokens = merge_names(tokens, names)
    if not any(token.who in _FORMS for token in tokens):
        return text
    Rewriting(tokens, Clauses(tokens), own_gender=gender).run()
    return "".join(token.text for token in tokens) + tail


@dataclass
class Rewriting:
    """One pass through a text. It keeps track of whom "he" and "she" may mean."""

    tokens: list[Token]
    clauses: Clauses
    meant: str = ""
    """Whom the last sentence is about: "me", "you" or nobody."""
    gender: str = ""
    others_named: set[str] = field(default_factory=set)
    """Genders of the other people mentioned: m, f, or ? for unknown."""
    other_subject: bool = False
    """Whether the clause has a subject other than `meant`."""
    own_gender: str = ""
    """The speaker's."""

    def run(self) -> None:
        for at, token in enumerate(self.tokens):
            if self.clauses.starts_clause(at):
                self.theirs = False
            if token.is_done:
                continue
            if token.who in _FORMS:
                self._name(at)
            elif token.who:
                self._somebody(at)
            elif token.lower in GENDER:
                self._pronoun(at)
            else:
                self._word(at)

    def _put(self, at: int, who: str, case: str) -> None:
        token, word = self.tokens[at], _FORMS[who][case]
        token.word, token.possessive, token.is_done = word[0].upper() + word[1:] if self.clauses.starts_sentence(at) else word, "", True

    def _conjugate(self, at: int, who: str) -> None:
        token = self.tokens[at]
        token.word = lists().change[who].get(token.lower) or (verb_base(token.lower) if verb_form(token.lower) == "s" else token.word)
        token.is_done = True

    # Names.

    def _name(self, at: int) -> None:
        token = self.tokens[at]
        if token.possessive:
            self._possessive(at)
            if token.is_done and self.clauses.starts_sentence(at) and self.clauses.is_plural_or_person(at + 1):
                self.meant, self.gender = token.who, ""
                self.others_named.clear()
                return
        elif not self._maybe_pair(at) and not self._question(at):
            case = self.clauses.case(at, at)
            if case == "subject":
                self._subject(at, token.who)
            elif case == "object":
                self._put(at, token.who, "object")
        if not token.is_done or token.who != self.meant:
            self.others_named.add("?")

    def _subject(self, at: int, who: str) -> None:
        alone = not self.clauses.names_others_before(at)
        if alone:
            self.meant, self.gender = who, self.gender if self.meant == who else ""
            self.others_named.clear()
        self._subject_and_verbs(at, who, further=alone or not self.clauses.is_in_subordinate(at))

    def _subject_and_verbs(self, at: int, who: str, further: bool) -> None:
        """Rewrites a subject, its verb, and with `further` the later verbs that share the subject."""
        self.theirs = False
        self._put(at, who, "subject")
        verb = self.clauses.verb_after(at)
        if verb is not None:
            self._conjugate(verb, who)
            if further:
                self._and_verbs(verb, who)

    def _possessive(self, at: int) -> None:
        token, after, joined = self.tokens[at], self.clauses.lower(at + 1), self.clauses.follows_space(at + 1)
        if self.clauses.lower(at - 1) == "and" and at > 1 and self.tokens[at - 2].who:
            return
        if joined and after in ("a", "an", "the", "not", "going"):
            self._put(at, token.who, "is")
        elif joined and after in ("been", "got", "never", "already"):
            self._put(at, token.who, "has")
        elif not joined or listed(after, "preposition", "subordinate", "auxiliary", "modal", "joining"):
            self._put(at, token.who, "alone")
        else:
            self._put(at, token.who, "whose")

    def _maybe_pair(self, at: int) -> bool:
        """Two names joined by "and": "I" comes last, "you" first."""
        first, last = at - 2, at + 2
        if (
            self.clauses.lower(at + 1) == "and"
            and self.clauses.follows_space(at + 1)
            and self.clauses.follows_space(last)
            and self.tokens[last].who
        ):
            return self._two_names(at, last)
        if first < 0 or self.clauses.lower(at - 1) != "and" or not self.clauses.follows_space(at) or not self.clauses.follows_space(at - 1):
            return False
        return (
            bool(self.tokens[first].who)
            and not self.tokens[first].possessive
            and not self.tokens[first].is_done
            and self._two_names(first, at)
        )

    def _two_names(self, first: int, last: int) -> bool:
        one, two = self.tokens[first], self.tokens[last]
        if two.possessive:
            return False
        case, verb = self.clauses.case(first, last), self.clauses.verb_after(last)
        after = self.clauses.lower(verb) if verb is not None else ""
        if not case or verb_form(after) == "s" or (case == "object" and is_finite_verb(after)):
            return False
        if one.who == ME or two.who == YOU:
            one.word, two.word, one.who, two.who = two.word, one.word, two.who, one.who
        for at in (first, last):
            if self.tokens[at].who in _FORMS:
                self._put(at, self.tokens[at].who, case)
        self.meant = ""
        return True

    def _question(self, at: int) -> bool:
        """Rewrites a question: "Is Mara ill?" becomes "Am I ill?"."""
        before = self.tokens[at - 1] if self.clauses.follows_space(at) else None
        if before is None or before.lower == "been" or not listed(before.lower, "auxiliary", "modal"):
            return False
        start = self.clauses.starts_sentence(at - 1)
        if not start and self.clauses.lower(at - 2) not in ("where", "when", "why", "how", "what", "who", "whom"):
            if not self.clauses.follows_space(at + 1) and before.lower in ("is", "was"):
                self._put(at, self.tokens[at].who, "object")
                return True
            return False
        if not self.clauses.follows_space(at + 1):
            return False
        word = lists().change[self.tokens[at].who].get(before.lower, before.word)
        before.word = word[0].upper() + word[1:] if start else word
        self._put(at, self.tokens[at].who, "subject")
        return True

    def _and_verbs(self, verb: int, who: str) -> None:
        """Rewrites later verbs of a subject: "Mara bakes bread and sells it at the market"."""
        nested = False
        for at in range(verb + 1, len(self.tokens)):
            token = self.tokens[at]
            if self.clauses.starts_clause(at):
                return
            joining = listed(self.clauses.lower(at - 1), "joining") and self.clauses.follows_space(at)
            comma = "," in (self.tokens[at - 1] if joining else token).before
            if (joining and not nested) or (comma and (joining or not nested)):
                second = self.clauses.second_verb(at)
                if second is not None:
                    self._conjugate(second, who)
                    nested = False
                    continue
            if (token.who or listed(token.lower, "pronoun")) and self.clauses.is_subject(at):
                if not nested and (joining or token.who):
                    return
                nested = True
            if self.clauses.starts_nested_clause(at):
                nested = True

    # Pronouns, and who else may be meant by them.

    def _somebody(self, at: int) -> None:
        """Notes another name as a person, unless a place or a thing bears it or it belongs to the word before."""
        token, before = self.tokens[at], self.clauses.lower(at - 1)
        named = gender_of(before) if self.clauses.follows_space(at) else ""
        following = self.tokens[at + 1] if self.clauses.follows_space(at + 1) else None
        thing = before in ("the", "in", "at", "across", "near", "into", "through", "inside", "outside", "around")
        thing = thing or bool(token.possessive and following and following.who == OTHER)
        thing = thing or (self.clauses.follows_space(at) and bool(self.tokens[at - 1].possessive or gender_of(before)))
        if token.is_known or not thing:
            self.others_named.add(named or "?")

    def _word(self, at: int) -> None:
        word, before = self.clauses.lower(at), self.clauses.lower(at - 1)
        if (who := gender_of(word)) and not self.clauses.tells_what_one_is(at) and before != "to":
            self.others_named.add(who)
        if listed(before, "joining") and verb_form(word) in ("s", "past", "modal") and self.tokens[at - 1].before != " ":
            self.theirs = False
        begun = listed(before, "subordinate") and listed(word, "determiner", "pronoun")
        if begun or self.clauses.follows_noun(at):
            self.theirs = True

    def _means_us(self, gender: str) -> bool:
        """Whether a pronoun of this gender can only mean the person whom the sentence is about."""
        if self.meant == ME and self.own_gender not in ("", gender):
            return False
        return bool(self.meant) and self.gender in ("", gender) and not {gender, "?"} & self.others_named

    def _pronoun(self, at: int) -> None:
        word, gender = self.clauses.lower(at), GENDER[self.clauses.lower(at)]
        if not self._means_us(gender):
            return
        if word in ("he", "she"):
            if self.clauses.starts_part(at) or listed(self.clauses.lower(at - 1), "clause") or self.clauses.verb_after(at) is not None:
                self._subject_and_verbs(at, self.meant, further=not self.clauses.is_in_subordinate(at))
        elif word in ("himself", "herself"):
            if not self.theirs:
                self._put(at, self.meant, "self")
        elif self.clauses.possessive(at):
            self._put(at, self.meant, "whose")
        elif self.theirs and word != "his":
            self._put(at, self.meant, "object")
        if self.tokens[at].is_done:
            self.gender = gender
