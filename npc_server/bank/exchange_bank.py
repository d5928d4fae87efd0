"""Finds replies of the bank of exchanges by meaning: what was said is compared with the lines of each entry.

The vectors of all lines are computed once and kept in a file beside the models. Until they are there, the bank finds nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from zlib import crc32

import numpy as np

from npc_server.bank.candidates import CandidateLine, Maker
from npc_server.bank.exchanges import BankEntry, filled, slots_of
from npc_server.data_files import read_toml
from npc_server.errors import EngineError
from npc_server.llm.deadline import without_deadline
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Embedder, Vectors
from npc_server.llm.failure_log import FailureLog
from npc_server.llm.vector_file import EXCHANGES, key_of, read_vectors, vector_file, write_vectors
from npc_server.personas.schema import Manner

NO_FACTS: Mapping[str, str] = {}
AT_ONCE = 8
"""Lines that are embedded together: few, so that no question waits behind a thousand lines."""
READY_WAIT_S = 2.0
"""Wall seconds that the first line to a player waits for the bank."""
AGAIN_S = 30.0
"""Wall seconds until lines that got no vector are tried again."""
CHOICE_FILE = "line_choice.toml"
_PAUSE = re.compile(r"[.,;:!?…]+")


@dataclass(frozen=True)
class Temper:
    """A manner of speaking."""

    like: str
    """What is said of somebody of this temper."""
    mean: float
    scale: float
    """Mean and standard deviation of how like it people are."""


@dataclass(frozen=True)
class BankSettings:
    """Numbers and tempers of `data/line_choice.toml`."""

    entries: int
    replies: int
    general: int
    tempers: int
    named_fit: float
    least_cosine: float
    least_told: float
    described: Mapping[str, Temper]


def bank_settings() -> BankSettings:
    data = read_toml(CHOICE_FILE)
    return BankSettings(**data["bank"], described={name: Temper(**it) for name, it in data["tempers"].items()})


class ExchangeBank:
    """The entries with their vectors. `prepare` computes them; the embedder may take seconds for thousands of lines."""

    def __init__(self, exchanges: Sequence[BankEntry], embedder: Embedder, settings: BankSettings, kept_in: Path | None = None) -> None:
        """`kept_in` is the folder of the file of vectors."""
        self._exchanges = tuple(it for it in exchanges if not it.is_exact)
        self._exact = {_plain(line): it for it in exchanges if it.is_exact for line in it.said}
        """The entries that answer only these very words."""
        self._by_line = {_plain(line.rstrip(".!?")): it for it in self._exchanges for line in it.said}
        self._embedder, self._settings = embedder, settings
        self._of = np.array([number for number, it in enumerate(self._exchanges) for _ in it.said], np.int64)
        """The entry of each line."""
        self._general = np.array([it.is_general for it in self._exchanges], np.bool_)
        self._file = vector_file(kept_in, EXCHANGES, embedder.name) if kept_in else None
        self._known: dict[int, Vectors] = {}
        """The vectors of lines so far, by the key of their text."""
        self._all_known = False
        self._failures = FailureLog("lines of the bank of exchanges are not known yet")
        self._lines: Vectors | None = None
        self._tempers: Vectors | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._meetings: set[asyncio.Task[None]] = set()

    @property
    def lines(self) -> int:
        """Lines of players of all entries."""
        return len(self._of)

    @property
    def is_ready(self) -> bool:
        return self._lines is not None

    @property
    def is_preparing(self) -> bool:
        return self._preparing is not None and not self._preparing.done() and not self.is_ready

    def start(self) -> asyncio.Task[None]:
        """Begins to prepare the bank, unless that was begun. Until it is over, the bank finds nothing.

        All players share it, so that it goes on when the line ends with which it began.
        """
        if self._preparing is None:
            # In a context of its own: it is for everybody, and not only for the player whose line began it.
            self._preparing = Context().run(asyncio.get_running_loop().create_task, self._prepared())
        return self._preparing

    async def ready(self) -> bool:
        """Whether the bank is prepared. The first line of a game waits a moment for it, since kept vectors are read in 0.3 s.

        Computing them anew takes longer, and nobody waits for that.
        """
        if not self.is_ready:
            await asyncio.wait([self.start()], timeout=READY_WAIT_S)
        return self.is_ready

    def meet(self, manner: Manner) -> None:
        """Begins to prepare the bank, and to see which tempers suit a speaker of this manner."""
        self.start()
        with without_deadline():
            meeting = asyncio.get_running_loop().create_task(self._embedded(manner.about))
        self._meetings.add(meeting)
        meeting.add_done_callback(self._meetings.discard)

    async def _embedded(self, texts: Sequence[str]) -> None:
        with suppress(EngineError):  # whoever needs the vectors hears of it
            await self._embedder.embed(texts)

    async def close(self) -> None:
        """Stops preparing."""
        tasks = [*self._meetings, *filter(None, [self._preparing])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _prepared(self) -> None:
        while not await self.prepare():  # noqa: ASYNC110  nothing tells when the model answers again
            await asyncio.sleep(AGAIN_S)

    async def prepare(self) -> bool:
        """Reads or computes the vectors, and returns whether all lines have one. Those that are known are kept for the next time.

        With hashed words it does nothing: near texts are then those that share words, not meaning.
        """
        if self._all_known or self._embedder.name == HashedWordsEmbedder.name or not self._exchanges:
            return True
        said = {key_of(line): line for it in self._exchanges for line in it.said}
        self._known = self._known or read_vectors(self._file, self._embedder.dimensions)
        missing = [key for key in said if key not in self._known]
        try:
            for start in range(0, len(missing), AT_ONCE):
                await self._learn({key: said[key] for key in missing[start : start + AT_ONCE]})
            tempers = await self._embedder.embed([it.like for it in self._settings.described.values()])
            if not tempers.any(axis=1).all():
                raise EngineError("The tempers have no vectors.", "See why the embedding model does not answer.")
        except EngineError as error:
            self._failures.note(error)
            return False
        nothing = np.zeros(self._embedder.dimensions, np.float32)
        keys = [key_of(line) for it in self._exchanges for line in it.said]
        self._tempers = _centred(tempers)
        self._lines = np.stack([self._known.get(key, nothing) for key in keys]).astype(np.float32)
        if not all(key in self._known for key in said):
            return False
        if missing and self._file is not None:
            write_vectors(self._file, said, np.stack([self._known[key] for key in said]).astype(np.float16))
        self._all_known, self._known = True, {}
        return True

    async def _learn(self, lines: Mapping[int, str]) -> None:
        """Computes vectors, rounded as the file has them, so that the first play is like all later ones. Raises EngineError for none."""
        rows = await self._embedder.embed(list(lines.values()))
        if not rows.any():
            raise EngineError("The lines have no vectors.", "See why the embedding model does not answer.")
        self._known |= {key: row.astype(np.float16).astype(np.float32) for key, row in zip(lines, rows, strict=True) if row.any()}

    async def replies_to(self, asked: str, manner: Manner, facts: Mapping[str, str] = NO_FACTS) -> list[CandidateLine]:
        """The replies to `asked` that suit a speaker of this manner, nearest first, then general ones.

        `facts` are the values of slots. A reply with a slot that has no value is left out.
        """
        if self._lines is None or not asked:
            return []
        (vector,) = await self._embedder.embed([asked])
        near = np.full(len(self._exchanges), -1.0, np.float32)
        np.maximum.at(near, self._of, self._lines @ vector)
        fits = await self._temper_fits(manner)
        order = np.argsort(-near, kind="stable")
        best = [int(number) for number in order[~self._general[order]][: self._settings.entries]]
        near_enough = (number for number in best if near[number] >= self._settings.least_cosine)
        found = [self._of_entry(number, float(near[number]), fits, facts) for number in near_enough]
        # The entries take turns, so that the nearest does not keep all others out.
        replies = [it for row in zip_longest(*found) for it in row if it is not None][: self._settings.replies]
        general = (int(number) for number in order[self._general[order]][: self._settings.general])
        return replies + [it for number in general for it in self._of_general(number, float(near[number]), fits, facts, asked)]

    async def slot_asked_for(self, heard: str) -> str:
        """The slot whose value answers a line: that of the nearest entry. Empty where that tells none, or none is near enough."""
        if self._lines is None or not heard:
            return ""
        (vector,) = await self._embedder.embed([heard])
        near = self._lines @ vector
        best = int(np.argmax(near))
        return self._exchanges[self._of[best]].tells if near[best] >= self._settings.least_told else ""

    @cached_property
    def _replies(self) -> frozenset[str]:
        return frozenset(reply for it in (*self._exchanges, *self._exact.values()) for _, reply in it.replies)

    def is_reply(self, text: str) -> bool:
        """Whether an entry has this text as a reply without slots."""
        return text in self._replies

    async def exact_replies(self, heard: str, manner: Manner) -> list[str]:
        """Replies to these very words, of the tempers that suit such a speaker, also while the bank is not ready.

        Replies with slots are left out.
        """
        entry = self._exact.get(_plain(heard))
        if entry is None:
            return []
        fits = await self._temper_fits(manner)
        suiting = _by_fit((temper for temper, _ in entry.replies), fits)[: self._settings.tempers if fits else None]
        return [text for temper, reply in entry.replies if temper in suiting and (text := filled(reply, NO_FACTS))]

    async def agrees(self, heard: str) -> bool:
        """Whether a line says yes to what was asked before: by the entry of its first words, else by the nearest entry."""
        begins = next(filter(None, map(_plain, _PAUSE.split(heard))), "")
        entry = self._by_line.get(begins)
        if entry is None and self._lines is not None:
            (vector,) = await self._embedder.embed([heard])
            near = self._lines @ vector
            best = int(np.argmax(near))
            entry = self._exchanges[self._of[best]] if near[best] >= self._settings.least_cosine else None
        return entry is not None and entry.agrees

    async def _temper_fits(self, manner: Manner) -> dict[str, float]:
        """How well each temper suits a speaker. Where the persona names some, the others do not suit it."""
        guessed = await self._guessed_fits(manner.about)
        if not manner.tempers:
            return guessed
        named = {temper: self._settings.named_fit - place for place, temper in enumerate(manner.tempers)}
        return {**{name: min(fit, 0.0) for name, fit in guessed.items()}, **named}

    async def _guessed_fits(self, about: Sequence[str]) -> dict[str, float]:
        """How well each temper suits a speaker of whom these sentences tell; empty where that cannot be known."""
        tempers = await self._temper_vectors() if about else None
        if tempers is None:
            return {}
        like = (tempers @ (await self._embedder.embed(about)).T).max(axis=1).tolist()
        described = self._settings.described.items()
        return {name: (it - temper.mean) / temper.scale for it, (name, temper) in zip(like, described, strict=True)}

    async def _temper_vectors(self) -> Vectors | None:
        """The vectors of the tempers' descriptions. None where vectors tell no meaning, or the model does not answer."""
        if self._tempers is None and self._embedder.name != HashedWordsEmbedder.name:
            rows = await self._embedder.embed([it.like for it in self._settings.described.values()])
            self._tempers = _centred(rows) if rows.any(axis=1).all() else None
        return self._tempers

    def _usable(self, number: int, nearness: float, fits: Mapping[str, float], facts: Mapping[str, str]) -> list[CandidateLine]:
        """All replies of an entry whose slots have values."""
        entry = self._exchanges[number]
        return [
            CandidateLine(text, Maker.BANK, nearness, temper, fits.get(temper, 0.0), entry.topic, len(slots_of(reply)), entry.is_general)
            for temper, reply in entry.replies
            if (text := filled(reply, facts))
        ]

    def _of_general(
        self, number: int, nearness: float, fits: Mapping[str, float], facts: Mapping[str, str], asked: str
    ) -> list[CandidateLine]:
        """One reply of a general entry, of the temper that suits best; none if none can be said. Another line gets another wording."""
        usable = self._usable(number, nearness, fits, facts)
        best = max(usable, key=lambda it: it.temper_fit, default=None)
        wordings = [it for it in usable if best is not None and it.temper == best.temper]
        return [wordings[crc32(asked.encode()) % len(wordings)]] if wordings else []

    def _of_entry(self, number: int, nearness: float, fits: Mapping[str, float], facts: Mapping[str, str]) -> list[CandidateLine]:
        """The entry's replies: those of the tempers that suit best, and of these first what says something of the speaker."""
        usable = self._usable(number, nearness, fits, facts)
        tempers = _by_fit((it.temper for it in usable), fits)[: self._settings.tempers]
        suiting = sorted((it for it in usable if it.temper in tempers), key=lambda it: tempers.index(it.temper))
        telling = sorted((it for it in usable if it.slots), key=lambda it: -it.temper_fit)[: self._settings.tempers]
        return list({it.text: it for it in (*telling, *suiting)}.values())


def _by_fit(tempers: Iterable[str], fits: Mapping[str, float]) -> list[str]:
    """Each temper once, those that suit the speaker best first."""
    return sorted(set(tempers), key=lambda temper: (-fits.get(temper, 0.0), temper))


def _plain(line: str) -> str:
    return line.strip().casefold()


def _centred(rows: Vectors) -> Vectors:
    """Without what all descriptions have in common."""
    found: Vectors = rows - rows.mean(axis=0)
    return found
