"""Small operations on texts: cutting to a length, splitting into sentences, quotations, questions."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = re.compile(r"\w+")
TITLES = ("Mr", "Mrs", "Ms", "Dr", "St")
"""Titles whose dot ends no sentence."""
_SENTENCE = re.compile(r"(?<=[.!?\"])" + "".join(rf"(?<!\b{title}\.)" for title in TITLES) + r"\s+")
_DOTTED = re.compile(rf"\b({'|'.join(TITLES)})\.(?=\s)")
_ENDED = re.compile(r"[.!?][\"”’')]*$")
_NOT_WORDS = re.compile(r"[\x00-\x1f\x7f-\x9f|]")
SAID_QUOTE = ' said: "'
"""Part of a text that quotes somebody."""
SAID, TOLD = "said", "told"
"""Predicates of overheard memories: the words, and the claims in them where those are known."""
TALKED_WITH = "talked with"
"""Predicate of the memory that a conversation took place."""
PROMISED = "promised"
"""Predicate of the memory of an own promise."""
WAS_AT, WAS_HOST = "was at", "was host at"
"""Predicates of the memory of an occasion such as a party: of a guest, and of who invited to it."""
TOLD_OF_OCCASION = "told of an occasion"
"""Stands for `TOLD` where the claim is such a memory of the one who says it."""
OF_OCCASION = (WAS_AT, WAS_HOST, TOLD_OF_OCCASION)
TALKING_WITH = "is talking with"
"""What others see of somebody who talks, before the names of the others."""
ON_THE_WAY, THERE = "on the way", "there"
"""Objects of the memory that somebody walked somewhere, or was somewhere. The sentence says where."""
ABOUT_THIS = " about this: "
"""Comes before what somebody thinks of, in an activity: `sit and think about this: the rent is due`."""
_SAYS_NOTHING = frozenset(("nothing", "none", "n/a", "na", "unknown", "not known", "no", "nil", "null"))


def clipped(text: str, limit: int, otherwise: str = "") -> str:
    """The text on one line of at most `limit` characters, cut between words; `otherwise` when nothing is left.

    Control characters and `|`, which separates the fields of replies, become spaces.
    """
    words = " ".join(_NOT_WORDS.sub(" ", text).split())
    if len(words) > limit:
        words = words[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return words or otherwise


def words_in(text: str) -> list[str]:
    """All words of a text in order and in lower case, without punctuation."""
    return _WORDS.findall(text.casefold())


def lowered(text: str) -> str:
    """In lower case with straight apostrophes, as patterns expect it."""
    return text.casefold().replace("’", "'")


def without_possessive(word: str) -> str:
    """A word up to its apostrophe: `Mara` for `Mara's`."""
    return re.split("['’]", word)[0]


def enumerated(words: Iterable[str]) -> str:
    """`Ada`, `Ada and Bob`, `Ada, Bob and Cleo`; empty for no words."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def ended(text: str) -> str:
    """With a full stop, unless it ends like a sentence already."""
    text = text.strip()
    return text if not text or text.endswith((".", "!", "?", '"', "…")) else f"{text}."


def quoted(text: str) -> str:
    """The words between the outermost quotation marks."""
    return text.partition('"')[2].rpartition('"')[0]


def is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


def without_title_dots(text: str) -> str:
    """`Mr Quigley` for `Mr. Quigley`."""
    return _DOTTED.sub(r"\1", text)


def sentences(text: str) -> list[str]:
    """The sentences of a text; always at least one, which may be empty."""
    return _SENTENCE.split(text.strip())


def facts(text: str) -> tuple[str, ...]:
    """What a paragraph says: its parts at semicolons and at the ends of sentences, without full stops.

    A part that begins with a small letter or a number goes on with what is before it: `a dog called "Rex" that bites`, `No. 5`.
    """
    found: list[str] = []
    for part in text.split(";"):
        goes_on = False
        for piece in sentences(" ".join(part.split())):
            if goes_on and (piece[:1].islower() or piece[:1].isdigit() or not _ENDED.search(found[-1])):
                found[-1] += f" {piece}"
            else:
                found.append(piece)
            goes_on = True
    return tuple(it.removesuffix(".") for it in found if it.strip(" ."))


def each_once(text: str) -> str:
    """Without repeated sentences. Small models tend to repeat themselves."""
    found: dict[str, str] = {}
    for sentence in sentences(text):
        found.setdefault(" ".join(words_in(sentence)) or sentence, sentence)
    return " ".join(found.values())


def last_sentences(text: str, limit: int) -> str:
    """As many of the last sentences as fit into `limit` characters; the last one, cut, when it alone is too long."""
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
