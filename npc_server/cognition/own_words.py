"""A memory in one's own words: "Mara bought six eggs" is kept of Mara Voss, and is "I bought six eggs" when she tells it.

Memories are kept in the third person by name; whoever tells one speaks of itself as "I", and of whom it speaks to as "you". There is no
grammar here, only rules about the words next to a name and lists of common words (data/own_words.toml). Where they do not tell,
the text stays as it is: a stiff sentence is better than a wrong one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TOKEN = re.compile(r"\"[^\"]*\"?|“[^”]*”?|[^\W_]+(?:[-'’][^\W_]+)*")
_ENDS = re.compile(r"[.!?…\n]")
_NEW_CLAUSE = re.compile(r"[^\s'’]")
_ABBREVIATED = frozenset(("mr", "mrs", "ms", "dr", "st", "sgt", "capt", "lt", "col", "prof"))
_ME, _YOU, _OTHER = "me", "you", "other"
_FORMS = {
    _ME: {"subject": "I", "object": "me", "whose": "my", "alone": "mine", "self": "myself", "is": "I'm", "has": "I've"},
    _YOU: {"subject": "you", "object": "you", "whose": "your", "alone": "yours", "self": "yourself", "is": "you're", "has": "you've"},
}
_GENDER = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "herself": "f"}


@dataclass(frozen=True)
class _Lists:
    words: dict[str, frozenset[str]]
    change: dict[str, dict[str, str]]
    base: dict[str, str]

    def has(self, word: str, *names: str) -> bool:
        return any(word in self.words[name] for name in names)


@cache
def _lists() -> _Lists:
    data = tomllib.loads(resources.files("npc_server").joinpath("data/own_words.toml").read_text(encoding="utf-8"))
    words = {name: frozenset(listed.split()) for name, listed in data.items() if isinstance(listed, str)}
    return _Lists(words, data["change"], data["base"])


@dataclass
class _Token:
    """A word and what stands before it; a name, of however many words, is one token, and so is what stands in quotes."""

    gap: str
    word: str
    who: str = ""
    whose: str = ""
    """The 's after a name."""
    known: bool = False
    """Whether it is one of the names that were given."""
    done: bool = False

    @property
    def low(self) -> str:
        return self.word.lower().replace("’", "'")

    @property
    def text(self) -> str:
        return f"{self.gap}{self.word}{self.whose}"


def spoken(text: str, me: Sequence[str], you: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """A remembered sentence as I say it to you: my name is "I" or "me", yours "you"; what is unclear stays in the third person."""
    known = dict.fromkeys(others, _OTHER) | dict.fromkeys(you, _YOU) | dict.fromkeys(me, _ME)
    tokens, tail = _tokens(text)
    tokens = _named(tokens, {name: who for name, who in known.items() if name.strip()})
    if not any(token.who in _FORMS for token in tokens):
        return text
    _Telling(tokens, tail).tell()
    return "".join(token.text for token in tokens) + tail


def _tokens(text: str) -> tuple[list[_Token], str]:
    found, end = [], 0
    for match in _TOKEN.finditer(text):
        found.append(_Token(text[end : match.start()], match[0]))
        end = match.end()
    return found, text[end:]


def _starts(tokens: Sequence[_Token], at: int) -> bool:
    """Whether a sentence starts here."""
    if at == 0:
        return True
    before, gap = tokens[at - 1], tokens[at].gap
    if gap.startswith(".") and before.low in _ABBREVIATED:
        return False
    return bool(_ENDS.search(gap)) or (before.word[0] in '"“' and bool(_ENDS.search(before.word[-2:])))


def _split(word: str) -> tuple[str, str]:
    """A word and the 's at its end."""
    return (word[:-2], word[-2:]) if word[-2:] in ("'s", "’s") else (word, "")


def _like_a_name(tokens: Sequence[_Token], at: int) -> bool:
    if at >= len(tokens) or not tokens[at].word[0].isupper():
        return False
    word, lists = _split(tokens[at].low)[0], _lists()
    if lists.has(word, "calendar") or word == "i" or word.startswith("i'"):
        return False
    plain = lists.has(word, "opening", "clause", "preposition", "determiner", "pronoun", "adverb", "auxiliary", "modal") or word.endswith(
        "ly"
    )
    return not (plain and _starts(tokens, at))


def _named(tokens: Sequence[_Token], known: dict[str, str]) -> list[_Token]:
    """With each name as one token: known names, and what else is written like one."""
    spelled = sorted(((_tokens(name)[0], who) for name, who in known.items()), key=lambda name: -len(name[0]))
    found, at = [], 0
    while at < len(tokens):
        length, who = next(((len(name), who) for name, who in spelled if name and _matches(tokens, at, name)), (0, ""))
        if not length and not _like_a_name(tokens, at):
            found.append(tokens[at])
            at += 1
            continue
        end = at + (length or 1)
        while not _split(tokens[end - 1].word)[1] and _like_a_name(tokens, end) and tokens[end].gap == " ":
            end, who = end + 1, _OTHER
        word, whose = _split(tokens[at].word + "".join(token.text for token in tokens[at + 1 : end]))
        found.append(_Token(tokens[at].gap, word, who or _OTHER, whose, known=bool(length)))
        at = end
    return found


def _matches(tokens: Sequence[_Token], at: int, name: Sequence[_Token]) -> bool:
    there = tokens[at : at + len(name)]
    if len(there) < len(name):
        return False
    words = [token.word for token in there]
    words[-1] = _split(words[-1])[0]
    return words == [token.word for token in name] and all(a.gap.split() == b.gap.split() for a, b in zip(there[1:], name[1:], strict=True))


def _base(word: str) -> str:
    """The verb of which this is the form with -s; nothing when it has none."""
    lists = _lists()
    if lists.has(word, "not_verb") or len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "'s")):
        return ""
    if word in lists.base:
        return lists.base[word]
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else word[:-1]


def _form(word: str) -> str:
    """What form of a verb a word may be: "s", "past", "modal", "base" or none."""
    lists = _lists()
    if lists.has(word, "auxiliary"):
        return "s" if word in lists.change[_YOU] and word not in ("was", "wasn't") else "past"
    if lists.has(word, "modal"):
        return "modal"
    if lists.has(word, "past") or (word.endswith("ed") and len(word) > 3 and not lists.has(word, "not_form")):
        return "past"
    if lists.has(word, "verb"):
        return "base"
    return "s" if _base(word) else ""


def _sure(word: str) -> bool:
    """Whether a word is a finite verb and hardly anything else."""
    form = _form(word)
    return form in ("past", "modal") or (form == "s" and (_lists().has(word, "auxiliary") or _lists().has(_base(word), "verb")))


def _stem(word: str) -> str:
    """A word for looking it up among the verbs that take something special."""
    past = {"told": "tell", "gave": "give", "brought": "bring", "taught": "teach", "lent": "lend", "sent": "send", "bought": "buy"}
    past |= {"sold": "sell", "made": "make", "sang": "sing", "wrote": "write", "saw": "see", "heard": "hear", "felt": "feel"}
    past |= {"said": "say", "thought": "think", "knew": "know", "swore": "swear", "found": "find", "understood": "understand"}
    if word in past:
        return past[word]
    if word.endswith("ed"):
        return word[:-1] if _lists().has(word[:-1], "verb") else word[:-2]
    return _base(word) or word


@dataclass
class _Telling:
    """One pass through a text. It remembers who "he" and "she" may be."""

    tokens: list[_Token]
    tail: str
    meant: str = ""
    """Whom the last sentence is about, me or you."""
    gender: str = ""
    company: list[str] = field(default_factory=list)
    """Who else has been spoken of: m, f, or ? where it may be either."""
    theirs: bool = False
    """Whether the clause has another subject than whom it is about."""

    def tell(self) -> None:
        for at, token in enumerate(self.tokens):
            if _starts(self.tokens, at) or ";" in token.gap:
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

    # What stands where.

    def _low(self, at: int) -> str:
        return self.tokens[at].low if 0 <= at < len(self.tokens) else ""

    def _joined(self, at: int) -> bool:
        """Whether nothing but a space stands between a word and the one before."""
        return 0 < at < len(self.tokens) and not _NEW_CLAUSE.search(self.tokens[at].gap)

    def _begins(self, at: int) -> bool:
        return _starts(self.tokens, at) or not self._joined(at)

    def _verb_after(self, at: int) -> int | None:
        at += 1
        while self._joined(at) and (_lists().has(self._low(at), "between") or self._ly(at)):
            at += 1
        there = self._joined(at) and not self.tokens[at].who
        return at if there and _form(self._low(at)) else None

    def _ly(self, at: int) -> bool:
        return self._low(at).endswith("ly") and not _lists().has(self._low(at), "verb")

    def _case(self, first: int, last: int) -> str:
        """Whether a name, or two with "and" between them, is a subject or an object; nothing when that is not clear."""
        lists, before, verb = _lists(), self._low(first - 1), self._verb_after(last)
        form = _form(self._low(verb)) if verb is not None else ""
        if self._begins(first) or (lists.has(before, "clause") and form and not (lists.has(before, "preposition") and form == "base")):
            return "subject" if form else ""
        if self.tokens[first - 1].who:
            return ""
        sure = verb is not None and _sure(self._low(verb))
        if sure and self._time_or_place(first - 1):
            return "subject"
        if sure and (lists.has(_stem(before), "saying") or (before.endswith("s") and not lists.has(_stem(before), "verb", "auxiliary"))):
            return "subject"
        if lists.has(before, "preposition"):
            return "object"
        return "object" if self._takes(first - 1) and not (sure and form == "modal") else ""

    def _time_or_place(self, last: int) -> bool:
        """Whether a sentence begun with a time or a place up to this word: "On Tuesday", "In the market"."""
        first = last
        while first > 0 and self._joined(first) and not _starts(self.tokens, first) and last - first < 4:
            first -= 1
        opened = _starts(self.tokens, first) and self._low(first) in ("in", "on", "at", "by", "during", "after", "before", "since", "until")
        return (
            opened
            and first < last
            and not any(_form(token.low) == "past" or self._kind(token.low) for token in self.tokens[first : last + 1])
        )

    def _takes(self, at: int) -> bool:
        """Whether this word is a verb that may have an object."""
        lists, word = _lists(), self._low(at)
        if lists.has(word, "auxiliary", "modal"):
            return False
        if lists.has(word, "verb", "past") or lists.has(_base(word), "verb"):
            return not lists.has(self._low(at - 1), "determiner")
        named = at > 0 and (bool(self.tokens[at - 1].who) or lists.has(self._low(at - 1), "pronoun"))
        return (word.endswith(("ed", "ing")) and not lists.has(word, "not_form")) or (bool(_base(word)) and named)

    # Names.

    def _name(self, at: int) -> None:
        token = self.tokens[at]
        if token.whose:
            self._whose(at)
            if token.done and _starts(self.tokens, at) and self._several(at + 1):
                self.meant, self.gender, self.company = token.who, "", []
                return
        elif not self._pair(at) and not self._asked(at):
            case = self._case(at, at)
            if case == "subject":
                self._subject(at, token.who)
            elif case == "object":
                self._put(at, token.who, "object")
        if not token.done or token.who != self.meant:
            self.company.append("?")

    def _several(self, at: int) -> bool:
        """Whether a word is none that "he" or "she" could mean, or known as one that can."""
        return bool(_base(self._low(at)) or self._kind(self._low(at)))

    def _put(self, at: int, who: str, form: str) -> None:
        token, word = self.tokens[at], _FORMS[who][form]
        token.word, token.whose, token.done = word[0].upper() + word[1:] if _starts(self.tokens, at) else word, "", True

    def _subject(self, at: int, who: str) -> None:
        """The name, its verb, and the verbs after it that have the same subject."""
        if not self._others_before(at):
            self.meant, self.gender = who, self.gender if self.meant == who else ""
            self.company.clear()
        self.theirs = False
        self._put(at, who, "subject")
        verb = self._verb_after(at)
        if verb is not None:
            self._conjugate(verb, who)
            if not self._aside(at) or not self._others_before(at):
                self._and_verbs(verb, who)

    def _aside(self, at: int) -> bool:
        """Whether a verb after "and" may belong to a subject before: "Kit left when Mara was six, and has written"."""
        before = self._low(at - 1)
        return not _starts(self.tokens, at - 1) and _lists().has(before, "subordinate") and before != "that"

    def _others_before(self, at: int) -> bool:
        """Whether somebody else has been spoken of in this sentence."""
        while not _starts(self.tokens, at) and ";" not in self.tokens[at].gap:
            at -= 1
            if self.tokens[at].who or self._kind(self._low(at)):
                return True
        return False

    def _conjugate(self, at: int, who: str) -> None:
        token = self.tokens[at]
        token.word = _lists().change[who].get(token.low) or _base_unless_past(token.low, who) or token.word
        token.done = True

    def _whose(self, at: int) -> None:
        token, after, lists = self.tokens[at], self._low(at + 1), _lists()
        if self._low(at - 1) == "and" and at > 1 and self.tokens[at - 2].who:
            return
        if self._joined(at + 1) and after in ("a", "an", "the", "not", "going"):
            self._put(at, token.who, "is")
        elif self._joined(at + 1) and after in ("been", "got", "never", "already"):
            self._put(at, token.who, "has")
        elif (
            not self._joined(at + 1) or lists.has(after, "preposition", "subordinate", "auxiliary", "modal") or lists.has(after, "joining")
        ):
            self._put(at, token.who, "alone")
        else:
            self._put(at, token.who, "whose")

    def _pair(self, at: int) -> bool:
        """Two with "and" between them: I name myself last, and you first."""
        last = at + 2
        if not (self._low(at + 1) == "and" and self._joined(at + 1) and self._joined(last) and self.tokens[last].who):
            return self._pair_before(at)
        return self._both(at, last)

    def _pair_before(self, at: int) -> bool:
        first = at - 2
        if first < 0 or self._low(at - 1) != "and" or not self._joined(at) or not self._joined(at - 1):
            return False
        return bool(self.tokens[first].who) and not self.tokens[first].whose and not self.tokens[first].done and self._both(first, at)

    def _both(self, first: int, last: int) -> bool:
        one, two = self.tokens[first], self.tokens[last]
        if two.whose:
            return False
        case, verb = self._case(first, last), self._verb_after(last)
        if verb is not None and (_form(self._low(verb)) == "s" or (case == "object" and _sure(self._low(verb)))):
            return False
        if not case:
            return False
        if one.who == _ME or two.who == _YOU:
            one.word, two.word, one.who, two.who = two.word, one.word, two.who, one.who
        for at in (first, last):
            if self.tokens[at].who in _FORMS:
                self._put(at, self.tokens[at].who, case)
        self.meant = ""
        return True

    def _asked(self, at: int) -> bool:
        """ "Is Mara ill?" """
        before = self.tokens[at - 1] if self._joined(at) else None
        if before is None or before.low == "been" or not _lists().has(before.low, "auxiliary", "modal"):
            return False
        start = _starts(self.tokens, at - 1)
        if not start and self._low(at - 2) not in ("where", "when", "why", "how", "what", "who", "whom"):
            if not self._joined(at + 1) and before.low in ("is", "was"):
                self._put(at, self.tokens[at].who, "object")
                return True
            return False
        if not self._joined(at + 1):
            return False
        word = _lists().change[self.tokens[at].who].get(before.low, before.word)
        before.word = word[0].upper() + word[1:] if start else word
        self._put(at, self.tokens[at].who, "subject")
        return True

    def _and_verbs(self, verb: int, who: str) -> None:
        """The further verbs of a subject: "Mara bakes bread and sells it at the market"."""
        lists, nested = _lists(), False
        for at in range(verb + 1, len(self.tokens)):
            token = self.tokens[at]
            if _starts(self.tokens, at) or ";" in token.gap:
                return
            joining = lists.has(self._low(at - 1), "joining") and self._joined(at)
            comma = "," in (self.tokens[at - 1] if joining else token).gap
            if (joining and not nested) or (comma and (joining or not nested)):
                second = self._second(at)
                if second is not None:
                    self._conjugate(second, who)
                    nested = False
                    continue
            if (token.who or lists.has(token.low, "pronoun")) and self._acts(at):
                if not nested and (joining or token.who):
                    return
                nested = True
            if self._nests(at):
                nested = True

    def _acts(self, at: int) -> bool:
        verb = None if self.tokens[at].whose else self._verb_after(at)
        return verb is not None and _form(self._low(verb)) != "base"

    def _nests(self, at: int) -> bool:
        """Whether a clause with a subject of its own begins here."""
        word = self._low(at)
        if _lists().has(word, "subordinate") and not _lists().has(word, "preposition"):
            return True
        return _sure(word) and self._after_noun(at)

    def _second(self, at: int) -> int | None:
        """Where the verb is after "and" or a comma, if there is one and no plural: "eggs and drinks" has none."""
        comma = "," in self.tokens[at].gap or ("," in self.tokens[at - 1].gap)
        start = at
        while at < len(self.tokens) and (_lists().has(self._low(at), "between") or self._ly(at)):
            at += 1
        if at >= len(self.tokens) or self.tokens[at].who or (at > start and not self._joined(at)):
            return None
        return at if self._is_second(at, start, comma) else None

    def _is_second(self, at: int, start: int, comma: bool) -> bool:
        lists, word, after = _lists(), self._low(at), self._low(at + 1)
        if lists.has(word, "auxiliary") or (lists.has(_base(word), "verb") and not lists.has(word, "also_noun")):
            return True
        if not lists.has(_base(word), "verb"):
            return False
        if self._joined(start) and self._joined(start - 1) and self.tokens[start - 2].done and not self.tokens[start - 2].who:
            return True
        if not self._joined(at + 1) or after == "of":
            return False
        if (
            self.tokens[at + 1].who
            or lists.has(after, "determiner", "pronoun", "adverb", "subordinate")
            or self._ly(at + 1)
            or after == "to"
        ):
            return True
        if lists.has(after, "preposition"):
            return comma or after not in ("for", "from", "with", "in")
        return comma and self._joined(start) and self._long(start - 1)

    def _long(self, at: int) -> bool:
        """Whether more than an item of a list stands before this comma."""
        return all(self._joined(before) for before in (at - 1, at - 2))

    def _after_noun(self, at: int) -> bool:
        before = self._low(at - 1)
        return self._joined(at) and not _plain(before) and not before.endswith("ly")

    # Pronouns, and who else may be meant by them.

    def _kind(self, word: str) -> str:
        return next((kind for kind, name in (("m", "man"), ("f", "woman"), ("?", "anyone")) if _lists().has(word, name)), "")

    def _is_me(self, at: int) -> bool:
        """Whether it is told what the one is, and not of another: "is the baker", "as a child"."""
        says = ("is", "am", "are", "was", "were", "be", "been", "become", "became", "as")
        return _lists().has(self._low(at - 1), "determiner") and self._low(at - 2) in says

    def _somebody(self, at: int) -> None:
        """A name: of another person, unless it is a place's or a thing's, or belongs to the word before."""
        token, before = self.tokens[at], self._low(at - 1)
        following = self.tokens[at + 1] if self._joined(at + 1) else None
        thing = before in ("the", "in", "at", "across", "near", "into", "through", "inside", "outside", "around")
        thing = thing or bool(token.whose and following and following.who == _OTHER) or bool(self.tokens[at - 1].whose and self._joined(at))
        if token.known or not (thing or (self._kind(before) and self._joined(at))):
            self.company.append("?")

    def _word(self, at: int) -> None:
        word = self._low(at)
        if (kind := self._kind(word)) and not self._is_me(at):
            self.company.append(kind)
        if _lists().has(self._low(at - 1), "joining") and _form(word) in ("s", "past", "modal") and (self.tokens[at - 1].gap != " "):
            self.theirs = False
        begun = _lists().has(self._low(at - 1), "subordinate") and _lists().has(word, "determiner", "pronoun")
        if begun or (_sure(word) and self._after_noun(at)):
            self.theirs = True

    def _refers(self, gender: str) -> bool:
        """Whether a pronoun can only mean whom the sentence is about."""
        return bool(self.meant) and self.gender in ("", gender) and not {gender, "?"}.intersection(self.company)

    def _pronoun(self, at: int) -> None:
        word, gender = self._low(at), _GENDER[self._low(at)]
        if not self._refers(gender):
            return
        if word in ("he", "she"):
            if self._begins(at) or _lists().has(self._low(at - 1), "clause") or self._verb_after(at) is not None:
                self._subject_again(at)
        elif word in ("himself", "herself"):
            if not self.theirs:
                self._put(at, self.meant, "self")
        elif self._possessive(at):
            self._put(at, self.meant, "whose")
        elif self.theirs and word != "his":
            self._put(at, self.meant, "object")
        if self.tokens[at].done:
            self.gender = gender

    def _subject_again(self, at: int) -> None:
        self.theirs = False
        self._put(at, self.meant, "subject")
        verb = self._verb_after(at)
        if verb is not None:
            self._conjugate(verb, self.meant)
            if not self._aside(at):
                self._and_verbs(verb, self.meant)

    def _possessive(self, at: int) -> bool:
        """Whether "her" or "his" stands before what is hers or his."""
        lists, before, after = _lists(), _stem(self._low(at - 1)), self._low(at + 1)
        if not self._joined(at + 1) or (self._ly(at + 1) and after != "family"):
            return False
        if after not in ("own", "only", "most", "home", "back", "two", "three", "past", "inside", "like") and _plain(after):
            return False
        if self._low(at) == "his":
            return True
        if lists.has(before, "giving") and not self._kind(after) and (after.endswith("s") or lists.has(after, "giving_what")):
            return False
        return not (lists.has(before, "making") and lists.has(after, "verb") and after != "own") and self.tokens[at + 1].who == ""


def _base_unless_past(word: str, who: str) -> str:
    return _base(word) if _form(word) == "s" and word not in _lists().change[who] else ""


def _plain(word: str) -> bool:
    """Whether a word is none of those that name or describe something."""
    kinds = ("preposition", "determiner", "pronoun", "adverb", "auxiliary", "modal", "subordinate", "between")
    return not word or _lists().has(word, "joining", *kinds)
