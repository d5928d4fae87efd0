"""Reviews what characters say: what a reader would stumble over, as far as code can see it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from models.speak.lines import Written, words_of
from models.speak.talks import TalkExample

MOST_WORDS, USUAL_WORDS = 40, 25
"""Words of a reply at most, and those that most replies stay under."""
SAME_OPENING, SAME_PHRASE = 0.02, 0.01
"""Shares of all replies that may begin with the same two words, and that may hold the same five words."""
FEWEST_FOR_SHARES = 200
"""Replies from which on shares tell something."""
_NARRATION = re.compile(r"[*_\[\]<>{}|#]|^[\"“”]|[\"“”]$|[\U0001F000-\U0001FFFF☀-➿]")
_NUMBER = re.compile(r"\d+")
_SENTENCE_START = re.compile(r"(?:^|[.!?…:;]\s+|[\"“(]\s*|\s[-–—]\s)$")
_COMMON_NAMES = """
I I'm I'd I'll I've Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
October November December God Lord Sir Madam Miss Mister Mr Mrs Ms Dr English Christmas Easter OK Okay
"""
_NAMES_OF_ALL = frozenset(_COMMON_NAMES.split())


@dataclass(frozen=True)
class Fault:
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Reply:
    """What a character says in answer, and in which file and line."""

    where: str
    text: str


def faults(talks: Sequence[Written[TalkExample]]) -> list[Fault]:
    """All faults of these talks: first those of each talk, then those of all together."""
    return [*(fault for written in talks for fault in _of_one(written)), *_of_all(talks)]


def _of_one(written: Written[TalkExample]) -> Iterator[Fault]:
    where, talk = f"{written.file}:{written.line} ({written.example.name})", written.example
    said = talk.known
    for number, line in enumerate(talk.turns):
        if line.who == "npc":
            for what in of_reply(talk.name, talk.voice, line.text, said):
                yield Fault(f"{where}, line {number + 1}", what)
        said += f" {line.text}"
    yield from (Fault(where, what) for what in of_replies(talk.identity, talk.secrets, talk.replies))


def of_replies(identity: Sequence[str], secrets: Sequence[str], replies: Sequence[str]) -> Iterator[str]:
    """What is wrong with all that one character says in a talk: secrets told, and lines said twice."""
    for secret in secrets:
        words = {word.casefold() for word in words_of(secret) if len(word) > 4} - _folded(" ".join(identity))
        for reply in replies:
            told = words & _folded(reply)
            if len(told) >= 3:
                yield f"{reply!r} gives the secret away: {', '.join(sorted(told))}"
    repeated = [reply for reply, count in Counter(replies).items() if count > 1]
    if repeated:
        yield f"says {repeated[0]!r} twice"


def _folded(text: str) -> set[str]:
    return {word.casefold() for word in words_of(text)}


def of_reply(name: str, voice: Sequence[str], reply: str, said: str) -> Iterator[str]:
    """What is wrong with a line of `name`. `said` is all that it may speak of, as one text."""
    count = len(words_of(reply))
    if not 1 <= count <= MOST_WORDS:
        yield f"{reply!r} has {count} words; 1 to {MOST_WORDS} may be"
    if _NARRATION.search(reply):
        yield f"{reply!r} has narration, marks or quotation marks; write only what is spoken"
    if reply.casefold().startswith(f"{name.split()[0].casefold()}:"):
        yield f"{reply!r} begins with the speaker's name"
    if reply in voice:
        yield f"{reply!r} repeats a line of the voice word for word"
    strange = unfounded(reply, said)
    if strange:
        yield f"{reply!r} names {', '.join(strange)}, which stands nowhere before"


def unfounded(reply: str, said: str) -> list[str]:
    """Names and numbers of a reply that stand neither in what the character knows nor in the talk before."""
    known = {word.casefold().removesuffix("'s").removesuffix("’s") for word in words_of(said)}
    numbers = set(_NUMBER.findall(said))
    found = [number for number in _NUMBER.findall(reply) if number not in numbers]
    for match in re.finditer(r"[^\W\d_]+(?:['’][^\W\d_]+)*", reply):
        word = match.group().removesuffix("'s").removesuffix("’s")
        if not word[0].isupper() or _SENTENCE_START.search(reply[: match.start()]) or word in _NAMES_OF_ALL:
            continue
        if word.casefold() not in known and word.casefold().removesuffix("s") not in known:
            found.append(word)
    return found


def _of_all(talks: Sequence[Written[TalkExample]]) -> Iterator[Fault]:
    names = Counter((written.file, written.example.name) for written in talks)
    for (file, name), count in names.items():
        if count > 4:
            yield Fault(file, f"{name} speaks in {count} talks; 4 are enough for one person")
    yield from of_all([Reply(f"{written.file}:{written.line}", reply) for written in talks for reply in written.example.replies])


def of_all(replies: Sequence[Reply]) -> Iterator[Fault]:
    """What is wrong with all replies together: what is said in several talks, and what is said too often."""
    yield from said_again(replies)
    if len(replies) < FEWEST_FOR_SHARES:
        return
    texts = [reply.text for reply in replies]
    for text, share in shares(texts, lambda words: [" ".join(words[:2])] if len(words) > 2 else [], SAME_OPENING):
        yield Fault("all", f"{share:.1%} of the replies begin with {text!r}; {SAME_OPENING:.0%} may")
    for text, share in shares(texts, lambda words: {" ".join(words[i : i + 5]) for i in range(len(words) - 4)}, SAME_PHRASE):
        yield Fault("all", f"{share:.1%} of the replies hold {text!r}; {SAME_PHRASE:.0%} may")
    long = sum(len(words_of(text)) > USUAL_WORDS for text in texts) / len(texts)
    if long > 0.1:
        yield Fault("all", f"{long:.0%} of the replies have over {USUAL_WORDS} words; 10 % may")


def said_again(replies: Iterable[Reply]) -> Iterator[Fault]:
    """Longer replies that stand word for word in several examples."""
    places: dict[str, dict[str, None]] = defaultdict(dict)
    for reply in replies:
        words = words_of(reply.text.casefold())
        if len(words) > 4:
            places[" ".join(words)][reply.where] = None
    for text, found in places.items():
        if len(found) > 1:
            yield Fault(", ".join(found), f"the same reply: {text!r}")


def shares(texts: Sequence[str], parts: Callable[[list[str]], Iterable[str]], most: float) -> Iterator[tuple[str, float]]:
    """The parts that more than this share of the texts have, with their shares."""
    counts = Counter(part for text in texts for part in parts(words_of(text.casefold())))
    for part, count in counts.most_common():
        if count / len(texts) <= most:
            return
        yield part, count / len(texts)
