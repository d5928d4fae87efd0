"""Reviews talks: what a reader would stumble over, as far as code can see it.

    python -m models.speak.review [FILE ...]

Prints one line for each fault and ends with 1 if there is one.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.speak.talks import BadTalk, TalkExample, Written, read, read_all, words_of

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


def faults(talks: Sequence[Written]) -> list[Fault]:
    """All faults of these talks: first those of each talk, then those of all together."""
    return [*(fault for written in talks for fault in _of_one(written)), *_of_all(talks)]


def _of_one(written: Written) -> Iterator[Fault]:
    where, talk = f"{written.file}:{written.line} ({written.talk.name})", written.talk
    said = talk.known
    for number, line in enumerate(talk.turns):
        if line.who == "npc":
            for what in _of_reply(talk, line.text, said):
                yield Fault(f"{where}, line {number + 1}", what)
        said += f" {line.text}"
    for secret in talk.secrets:
        words = {word.casefold() for word in words_of(secret) if len(word) > 4} - {
            word.casefold() for word in words_of(" ".join(talk.identity))
        }
        for reply in talk.replies:
            told = words & _folded(reply)
            if len(told) >= 3:
                yield Fault(where, f"{reply!r} gives the secret away: {', '.join(sorted(told))}")
    repeated = [reply for reply, count in Counter(talk.replies).items() if count > 1]
    if repeated:
        yield Fault(where, f"says {repeated[0]!r} twice")


def _folded(text: str) -> set[str]:
    return {word.casefold() for word in words_of(text)}


def _of_reply(talk: TalkExample, reply: str, said: str) -> Iterator[str]:
    count = len(words_of(reply))
    if not 1 <= count <= MOST_WORDS:
        yield f"{reply!r} has {count} words; 1 to {MOST_WORDS} may be"
    if _NARRATION.search(reply):
        yield f"{reply!r} has narration, marks or quotation marks; write only what is spoken"
    if reply.casefold().startswith(f"{talk.name.split()[0].casefold()}:"):
        yield f"{reply!r} begins with the speaker's name"
    if reply in talk.voice:
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


def _of_all(talks: Sequence[Written]) -> Iterator[Fault]:
    names = Counter((written.file, written.talk.name) for written in talks)
    for (file, name), count in names.items():
        if count > 4:
            yield Fault(file, f"{name} speaks in {count} talks; 4 are enough for one person")
    replies = [(written, reply) for written in talks for reply in written.talk.replies]
    yield from _said_again(replies)
    if len(replies) < FEWEST_FOR_SHARES:
        return
    for text, share in _shares(replies, lambda words: [" ".join(words[:2])] if len(words) > 2 else [], SAME_OPENING):
        yield Fault("all", f"{share:.1%} of the replies begin with {text!r}; {SAME_OPENING:.0%} may")
    for text, share in _shares(replies, lambda words: {" ".join(words[i : i + 5]) for i in range(len(words) - 4)}, SAME_PHRASE):
        yield Fault("all", f"{share:.1%} of the replies hold {text!r}; {SAME_PHRASE:.0%} may")
    long = sum(len(words_of(reply)) > USUAL_WORDS for _, reply in replies) / len(replies)
    if long > 0.1:
        yield Fault("all", f"{long:.0%} of the replies have over {USUAL_WORDS} words; 10 % may")


def _said_again(replies: Iterable[tuple[Written, str]]) -> Iterator[Fault]:
    """Longer replies that stand word for word in several talks."""
    places: dict[str, list[Written]] = defaultdict(list)
    for written, reply in replies:
        words = words_of(reply.casefold())
        if len(words) > 4:
            places[" ".join(words)].append(written)
    for text, found in places.items():
        if len(found) > 1:
            yield Fault(", ".join(f"{it.file}:{it.line}" for it in found), f"the same reply: {text!r}")


def _shares(
    replies: Sequence[tuple[Written, str]], parts: Callable[[list[str]], Iterable[str]], most: float
) -> Iterator[tuple[str, float]]:
    counts = Counter(part for _, reply in replies for part in parts(words_of(reply.casefold())))
    for text, count in counts.most_common():
        if count / len(replies) <= most:
            return
        yield text, count / len(replies)


def main(files: Sequence[str]) -> int:
    try:
        talks = [written for file in files for written in read(Path(file))] if files else read_all()
    except (BadTalk, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = faults(talks)
    sys.stdout.writelines(f"{fault}\n" for fault in found)
    replies = sum(len(written.talk.replies) for written in talks)
    sys.stdout.write(f"{len(talks)} talks, {replies} replies, {len(found)} faults\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
