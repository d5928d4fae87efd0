"""Reported speech: `Odile says: "I want to give a party."` becomes "Odile wants to give a party."

What people say of themselves is stored word for word, with their name. Only plain sentences with "I" are changed. A sentence that
addresses somebody, or has a verb far from its subject, stays a quotation.
"""

from __future__ import annotations

import re

from npc_server.english.first_person_verbs import listed, verb_form
from npc_server.english.text import lowered

_SAID = re.compile(r'(?P<who>[A-Z][\w.\'-]*(?: [A-Z][\w.\'-]*)*) says: "(?P<words>(?:I|I[\'’](?:m|ll|ve|d)) [^"]+)"\.?$')
_SPEAKS_TO = re.compile(r"\b(you|your|yours|we|us|our|ours|let['’]s|please)\b", re.IGNORECASE)
_FAR_VERB = re.compile(r"\b(?:and|but|or|then) (?:also |then |now |even )?(?P<verb>[a-z]+)\b")
_LEADS = re.compile(r"\b(will|would|can|could|shall|should|may|might|must|to|let)\b|['’](ll|d)\b")
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_FIRST = {"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't"}
_CONTRACTED = {"i'm": "is", "i'll": "will", "i've": "has", "i'd": "would"}
_LATER = {
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "i'm": "they're",
    "i'll": "they'll",
    "i've": "they've",
    "i'd": "they'd",
}


def reported(text: str) -> str:
    """The text with a quotation turned into the third person, if it is a plain one."""
    found = _SAID.search(text)
    if found is None or _SPEAKS_TO.search(found["words"]):
        return text
    if any(_must_change_too(found["words"], verb) for verb in _FAR_VERB.finditer(found["words"])):
        return text
    first, _, rest = found["words"].partition(" ")
    verb = _CONTRACTED.get(lowered(first), "")
    if not verb:
        word, space, rest = rest.partition(" ")
        verb, rest = _third_person_verb(word), space + rest
    else:
        rest = f" {rest}"
    return f"{text[: found.start()]}{found['who']} {verb}{_WORD.sub(_third_person, rest)}"


def _must_change_too(words: str, verb: re.Match[str]) -> bool:
    """Whether a verb after `and` would have to change, too. It would in `I bake and sell`, but not in `I will bake and sell`."""
    if not listed(verb["verb"], "verb") or verb_form(verb["verb"]) != "base":
        return False
    clause = re.split(r"\bI\b", words[: verb.start()])[-1]
    return not _LEADS.search(clause)


def _third_person_verb(verb: str) -> str:
    """The third person of a verb: `wants` for `want`."""
    low = lowered(verb)
    if low in _FIRST:
        return _FIRST[low]
    if verb_form(low) in ("past", "modal") or not low.isalpha():
        return verb
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if low.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def _third_person(word: re.Match[str]) -> str:
    low = lowered(word[0])
    if low == "am":
        return "are"
    return _LATER.get(low, word[0])
