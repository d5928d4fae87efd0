"""Words as replies and records hold them: one line, without what parts fields, no longer than is allowed."""

from __future__ import annotations

import re

_WORDS = re.compile(r"\w+")
TITLES = ("Mr", "Mrs", "Ms", "Dr", "St")
"""Written with a dot that ends no sentence."""
_SENTENCE = re.compile(r"(?<=[.!?\"])" + "".join(rf"(?<!\b{title}\.)" for title in TITLES) + r"\s+")
_DOTTED = re.compile(rf"\b({'|'.join(TITLES)})\.(?=\s)")
_NOT_WORDS = re.compile(r"[\x00-\x1f\x7f-\x9f|]")
SPOKEN_OF = ' said: "'
"""What stands in a text that quotes somebody."""
SAID, TOLD = "said", "told"
"""Predicates of what was overheard: words, and, where it is known, what they told."""
TALKED_WITH = "talked with"
"""Predicate of the memory that one had a talk."""
_SAYS_NOTHING = frozenset(("nothing", "none", "n/a", "na", "unknown", "not known", "no", "nil", "null"))


def clipped(text: str, limit: int, otherwise: str = "") -> str:
    """The text on one line of at most `limit` characters, cut between words; `otherwise` when nothing is left of it."""
    words = " ".join(_NOT_WORDS.sub(" ", text).split())
    if len(words) > limit:
        words = words[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return words or otherwise


def words_in(text: str) -> list[str]:
    """All words of a text in their order, small, without what stands between them."""
    return _WORDS.findall(text.casefold())


def small(text: str) -> str:
    """In small letters, with straight apostrophes: as patterns are looked for."""
    return text.casefold().replace("’", "'")


def bare(word: str) -> str:
    """Without what an apostrophe adds: `Mara's` is `Mara`."""
    return re.split("['’]", word)[0]


def ended(text: str) -> str:
    """As a sentence."""
    text = text.strip()
    return text if not text or text.endswith((".", "!", "?", '"', "…")) else f"{text}."


def quoted(text: str) -> str:
    """The words between the outermost quotation marks."""
    return text.partition('"')[2].rpartition('"')[0]


def is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


def undotted(text: str) -> str:
    """`Mr. Quigley` as `Mr Quigley`: the dot ends no sentence."""
    return _DOTTED.sub(r"\1", text)


def sentences(text: str) -> list[str]:
    """At least one, if only an empty one."""
    return _SENTENCE.split(text.strip())


def each_once(text: str) -> str:
    """Without the sentences that stand in it already: small models like to go round in circles."""
    found: dict[str, str] = {}
    for sentence in sentences(text):
        found.setdefault(" ".join(words_in(sentence)) or sentence, sentence)
    return " ".join(found.values())


def last_sentences(text: str, limit: int) -> str:
    """As many of the last sentences as fit into `limit` characters; the end of the last one when it alone is too long."""
    kept = ""
    for sentence in reversed(sentences(text)):
        longer = f"{sentence} {kept}".strip()
        if len(longer) > limit:
            break
        kept = longer
    return kept or clipped(sentences(text)[-1], limit)


def says_nothing(text: str) -> bool:
    """Whether an answer only says that there is nothing to say."""
    plain = text.strip(" .'\"").casefold()
    return plain in _SAYS_NOTHING or not any(char.isalpha() for char in plain)
