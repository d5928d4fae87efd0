"""A paragraph about somebody, sentence by sentence: each can be read by itself, and whether it can be said in the first person.

`first_person` turns single sentences. Here is what they mean together: whom "she" means in the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.english.first_person import GENDER, Rewriting
from npc_server.english.first_person_clauses import Clauses
from npc_server.english.first_person_names import ME, OTHER, Names, Token, merge_names, names_of, tokenize
from npc_server.english.first_person_verbs import gender_of, is_finite_verb

_OF_OTHERS = (*GENDER, "they", "them", "their")
_OWN = ("i", "my", "i'm", "i've")


@dataclass(frozen=True)
class _Read:
    """A sentence of the paragraph, rewritten as the person would say it."""

    tokens: Sequence[Token]
    others: frozenset[str]
    """Genders of the other people in it."""
    meant: tuple[int, ...]
    """The pronouns that mean the person."""
    gender: str
    """The person's, by these pronouns."""


def with_name(sentences: Sequence[str], name: str, me: Sequence[str]) -> list[str]:
    """The sentences, each with `name` in place of its first pronoun, where that means the person for sure.

    "Liesel pilots the ferry", "Her brother drowned" becomes "Liesel's brother drowned". Nothing changes in a sentence that has one of the
    person's names `me`, nor where a pronoun may mean somebody else.
    """
    names = names_of(tuple(me), (), ())
    return [_named(sentence, name, names, read) for sentence, read in zip(sentences, _reading(sentences, names), strict=True)]


def gender_in(sentences: Sequence[str], me: Sequence[str]) -> str:
    """The person's gender by the pronouns that mean them: m, f, or empty where there is none."""
    return next((read.gender for read in _reading(sentences, names_of(tuple(me), (), ())) if read.gender), "")


def begins_unclear(sentence: str) -> bool:
    """Whether a sentence begins with "she" or "their", as only one that goes on from another can."""
    tokens, _ = tokenize(sentence)
    return bool(tokens) and tokens[0].lower in _OF_OTHERS


def is_clear(told: str, me: Sequence[str], gender: str = "") -> bool:
    """Whether a sentence in the first person names the speaker by no name and by no pronoun, nor anybody of another sentence.

    `gender` is the speaker's: m, f, or empty for unknown. In "I live where her daughter studies" it tells whether "her" may be the speaker.
    """
    tokens = _tokens(told, names_of(tuple(me), (), ()))
    first = tokens[0].lower if tokens else ""
    if begins_unclear(told) or any(token.who == ME for token in tokens):
        return False
    return first not in _OWN or not any(token.lower in GENDER and gender in ("", GENDER[token.lower]) for token in tokens)


def _reading(sentences: Sequence[str], names: Names) -> list[_Read]:
    found: list[_Read] = []
    gender, others = "", frozenset[str]()
    for sentence in sentences:
        tokens = _tokens(sentence, names)
        before = [token.lower for token in tokens]
        rewriting = Rewriting(tokens, Clauses(tokens), ME, gender, set(others), own_gender=gender)
        rewriting.run()
        meant = tuple(at for at, token in enumerate(tokens) if token.is_done and before[at] in GENDER)
        gender = gender or next((GENDER[before[at]] for at in meant), "")
        found.append(_Read(tokens, frozenset(rewriting.others_named), meant, gender))
        others = _carried_on(found[-1])
    return found


def _carried_on(read: _Read) -> frozenset[str]:
    """The genders of those whom "he" or "she" in the next sentence may mean, too. After "I" these are none: the person is the subject."""
    first = next(iter(read.tokens), None)
    if first is not None and first.is_done:
        of_noun = gender_of(read.tokens[1].lower) if first.lower == "my" and len(read.tokens) > 1 else ""
        if first.lower != "my" or of_noun in ("m", "f"):
            return frozenset(filter(None, [of_noun]))
    if any(token.who == OTHER for token in read.tokens):
        return read.others
    verb = next((at for at, token in enumerate(read.tokens) if is_finite_verb(token.lower)), len(read.tokens))
    return frozenset(who for token in read.tokens[:verb] if (who := gender_of(token.lower)))


def _named(sentence: str, name: str, names: Names, read: _Read) -> str:
    if not read.meant or any(token.who == ME for token in read.tokens):
        return sentence
    tokens = _tokens(sentence, names)
    at = read.meant[0]
    tokens[at].word = f"{name}'s" if read.tokens[at].lower in ("my", "mine") else name
    return "".join(token.text for token in tokens) + tokenize(sentence)[1]


def _tokens(text: str, names: Names) -> list[Token]:
    return merge_names(tokenize(text)[0], names)
