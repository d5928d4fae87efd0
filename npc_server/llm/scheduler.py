"""Decides which tokens are in the next decode: those of players first, so that a player's request comes before all others.

Until the reply to a player has its first word, other requests pause and keep what they have computed. After that they get one token for
each token of the players, until they have had `others_share` of the players' tokens. They get that share even when players never pause:
as soon as more than `others_share * PATIENCE_TOKENS` are owed to them, what is above that goes into the next decode.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from npc_server.llm.llama import Rows
from npc_server.llm.score import MOST_SCORED
from npc_server.llm.sequences import ContextSequence, Tokens

PATIENCE_TOKENS = 2048
"""Other requests may pause for so many tokens of players, in prompts and replies: three or four lines with their replies."""
BATCH_TOKENS, BATCH_ON_CARD = 512, 2048
"""Most tokens of a decode, if the settings say nothing. A graphics card reads long parts of prompts faster; see docs/benchmarks.md."""
LEAST_TOKENS = 32
"""Interrupted and long decodes are not made smaller than this. Fewer tokens take hardly less time."""
MOST_S = 0.1
"""Seconds that a decode without players may take on a graphics card, where it cannot be interrupted for one."""


@dataclass(frozen=True)
class Part:
    """The next tokens of one sequence in a batch."""

    sequence: ContextSequence
    tokens: Tokens
    last: bool
    """Whether the logits of its last token choose the next one of the reply, or end the scoring of a given one."""
    wanted: int
    """Of how many of its last tokens the logits are needed: at most one for a reply that grows, and several for one that is scored."""


@dataclass
class Batch:
    """The tokens of one decode, and the sequences that they belong to."""

    parts: list[Part] = field(default_factory=list)
    size: int = 0
    """Tokens."""
    scored: int = 0
    """Tokens of given replies whose logits are needed."""

    @property
    def of_players(self) -> int:
        """How many of the tokens belong to players' requests."""
        return sum(len(part.tokens) for part in self.parts if part.sequence.of_player)

    @property
    def jobs(self) -> frozenset[int]:
        """The ids of the jobs with tokens here."""
        return frozenset(part.sequence.job.id for part in self.parts if part.sequence.job is not None)

    def rows(self) -> Rows:
        """Returns the tokens for llama.cpp. Afterwards `parts` is in the order of the sequences: llama.cpp joins adjacent streams."""
        self.parts.sort(key=lambda part: part.sequence.id)
        counts = [len(part.tokens) for part in self.parts]
        ends = np.cumsum(counts, dtype=np.int32)
        wants = np.arange(self.size) >= np.repeat(ends - [part.wanted for part in self.parts], counts)
        shift = np.array([part.sequence.computed for part in self.parts], np.int32) - (ends - np.array(counts, np.int32))
        return Rows(
            np.concatenate([part.tokens for part in self.parts]),
            np.arange(self.size, dtype=np.int32) + np.repeat(shift, counts),
            np.repeat(np.array([part.sequence.id for part in self.parts], np.int32), counts),
            wants,
        )

    def put(self, sequence: ContextSequence, most: int) -> None:
        """Adds at most `most` tokens of a sequence: the next of its prompt, or of its reply when the prompt is done."""
        left = sequence.tokens[sequence.computed :] if sequence.prefilling else np.array(sequence.pending, np.int32)
        before = max(sequence.unshared - sequence.computed, 0)
        if sequence.scores:
            most = min(most, before + MOST_SCORED - self.scored)
        tokens = left[: max(most, 0)]
        if len(tokens):
            last = len(tokens) == len(left)
            scored = max(len(tokens) - before, 0) if sequence.scores else 0
            self.parts.append(Part(sequence, tokens, last, scored if sequence.scores else int(last)))
            self.size += len(tokens)
            self.scored += scored

    def put_in_turn(self, sequences: Iterable[ContextSequence], room: int) -> None:
        """Adds the next tokens of one sequence after the other, until `room` tokens are used."""
        end = self.size + room
        for sequence in sequences:
            if self.size >= end:
                break
            self.put(sequence, end - self.size)


def most_tokens(wanted: int | None, on_card: bool, replies: int) -> int:
    """Returns the most tokens of a decode, by `engine.batch_tokens`: at least one for each of so many replies."""
    return max(wanted or (BATCH_ON_CARD if on_card else BATCH_TOKENS), replies)


class Scheduler:
    """Makes one batch after the other, and remembers how many tokens other requests are owed."""

    def __init__(self, batch_tokens: int, others_share: float, apart: bool = False, most_s: float = math.inf) -> None:
        """`apart` keeps the tokens of replies and of prompts in different decodes, by turns. `most_s` limits decodes without players."""
        self.batch_tokens, self.others_share, self.apart, self.most_s = batch_tokens, others_share, apart, most_s
        self.turns = 0
        self._prompts_next = True
        self._owed = 0.0
        """Tokens that other requests should have had since players talk."""
        self._most = batch_tokens if math.isinf(most_s) else min(4 * LEAST_TOKENS, batch_tokens)
        """The most tokens of a decode without players. An interruption lowers it, or a large one might never finish; so does a long one."""

    def next_batch(self, running: Sequence[ContextSequence]) -> Batch:
        """Chooses the tokens of the next decode. The batch is empty when nothing runs."""
        batch = Batch()
        players = [sequence for sequence in running if sequence.of_player]
        others = [sequence for sequence in running if not sequence.of_player]
        if not players:
            self._fill(batch, others, self._most)
            return batch
        self._fill(batch, players, self.batch_tokens)
        if others:
            self._share(batch, others, any(sequence.silent for sequence in players))
        return batch

    def decoded(self, batch: Batch, others_wait: bool, took_s: float = 0.0) -> None:
        """Takes note that a batch was decoded. `others_wait` says whether any request waits that is not a player's."""
        self.turns += 1
        self._prompts_next = not any(part.sequence.prefilling for part in batch.parts)
        for part in batch.parts:
            part.sequence.turn = self.turns
        players = batch.of_players
        if players:
            owed = self._owed + self.others_share * players - (batch.size - players)
            most = self.others_share * PATIENCE_TOKENS + self.batch_tokens / 4  # else a large debt would stop a player's reply for long
            self._owed = min(owed, most) if others_wait else 0.0
        else:
            self._owed = 0.0
            if took_s > self.most_s:
                self._most = self._half_of(batch)
            elif took_s <= self.most_s / 2:
                self._most = min(2 * self._most, self.batch_tokens)

    def interrupted(self, batch: Batch) -> None:
        """Takes note that a batch was interrupted, and nothing of it counts as decoded."""
        self._most = self._half_of(batch)

    def _half_of(self, batch: Batch) -> int:
        return max(batch.size // 2, min(LEAST_TOKENS, self.batch_tokens))

    def _fill(self, batch: Batch, sequences: Sequence[ContextSequence], most: int) -> None:
        """Adds the next tokens of every reply, and then as much of the prompts as there is room for."""
        replies = [sequence for sequence in sequences if not sequence.prefilling]
        prompts = sorted((it for it in sequences if it.prefilling), key=lambda it: it.urgency)
        part = max(self.batch_tokens // 4, 16)
        if self.apart and replies and prompts:
            if self._prompts_next:
                batch.put_in_turn(prompts, min(most, part))
                return
            prompts = []
        most = max(most, len(replies))
        for number, sequence in enumerate(replies):
            batch.put(sequence, most - batch.size - (len(replies) - number - 1))  # leaves one row for each reply after it
        # A long prompt gets only a part of each decode, so that no reply stops for it.
        room = most - batch.size
        if replies:
            room = min(room, part)
        batch.put_in_turn(prompts, room)

    def _share(self, batch: Batch, others: Sequence[ContextSequence], silent: bool) -> None:
        """Adds what other requests get of a batch with players in it. The one that has waited longest comes first."""
        owed = self._owed - self.others_share * PATIENCE_TOKENS if silent else min(self._owed, batch.size)
        room = min(int(owed), self.batch_tokens - batch.size)
        batch.put_in_turn(sorted(others, key=lambda it: (it.turn, it.urgency)), room)
