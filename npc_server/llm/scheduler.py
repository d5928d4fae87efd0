"""Decides which tokens are in the next decode: those of players first, so that a player's request comes before all others.

Until the reply to a player has its first word, other requests pause and keep what they have computed. After that they get one token for
each token of the players, until they have had `others_share` of the players' tokens. They get that share even when players never pause:
as soon as more than `others_share * PATIENCE_TOKENS` are owed to them, what is above that goes into the next decode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from npc_server.llm.llama import Row
from npc_server.llm.sequences import ContextSequence

PATIENCE_TOKENS = 2048
"""Other requests may pause for so many tokens of players, in prompts and replies: three or four lines with their replies."""
LEAST_TOKENS = 32
"""Interrupted decodes are not made smaller than this. Fewer tokens take hardly less time."""


@dataclass
class Batch:
    """The rows of one decode, and the sequences that they belong to."""

    rows: list[Row] = field(default_factory=list)
    parts: list[tuple[ContextSequence, int, int | None]] = field(default_factory=list)
    """For each sequence: how many tokens it has here, and the number of the row whose logits choose its next token, if there is one."""

    @property
    def of_players(self) -> int:
        """How many of the rows belong to players' requests."""
        return sum(count for sequence, count, _ in self.parts if sequence.of_player)

    def put(self, sequence: ContextSequence, most: int) -> None:
        """Adds at most `most` tokens of a sequence: the next of its prompt, or of its reply when the prompt is done."""
        at = sequence.computed
        left: Sequence[int] = sequence.tokens[at : at + most].tolist() if sequence.prefilling else sequence.pending
        tokens = left[:most]
        last = at + len(tokens) == len(sequence.tokens) if sequence.prefilling else len(tokens) == len(left)
        for offset, token in enumerate(tokens):
            self.rows.append(Row(int(token), at + offset, sequence.id, last and offset == len(tokens) - 1))
        self.parts.append((sequence, len(tokens), len(self.rows) - 1 if last else None))

    def put_in_turn(self, sequences: Iterable[ContextSequence], room: int) -> None:
        """Adds the next tokens of one sequence after the other, until `room` rows are used."""
        end = len(self.rows) + room
        for sequence in sequences:
            if len(self.rows) >= end:
                break
            self.put(sequence, end - len(self.rows))


class Scheduler:
    """Makes one batch after the other, and remembers how many tokens other requests are owed."""

    def __init__(self, batch_tokens: int, others_share: float) -> None:
        self.batch_tokens, self.others_share = batch_tokens, others_share
        self.turns = 0
        self._owed = 0.0
        """Tokens that other requests should have had since players talk."""
        self._most = batch_tokens
        """The most tokens of a decode without players. An interruption lowers it, or a large decode might never finish."""

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

    def decoded(self, batch: Batch, others_wait: bool) -> None:
        """Takes note that a batch was decoded. `others_wait` says whether any request waits that is not a player's."""
        self.turns += 1
        for sequence, _, _ in batch.parts:
            sequence.turn = self.turns
        players = batch.of_players
        if players:
            owed = self._owed + self.others_share * players - (len(batch.rows) - players)
            most = self.others_share * PATIENCE_TOKENS + self.batch_tokens / 4  # else a large debt would stop a player's reply for long
            self._owed = min(owed, most) if others_wait else 0.0
        else:
            self._owed, self._most = 0.0, min(2 * self._most, self.batch_tokens)

    def interrupted(self, batch: Batch) -> None:
        """Takes note that a batch was interrupted, and nothing of it counts as decoded."""
        self._most = max(len(batch.rows) // 2, min(LEAST_TOKENS, self.batch_tokens))

    def _fill(self, batch: Batch, sequences: Sequence[ContextSequence], most: int) -> None:
        """Adds the next tokens of every reply, and then as much of the prompts as there is room for."""
        replies = [sequence for sequence in sequences if not sequence.prefilling]
        most = max(most, len(replies))
        for number, sequence in enumerate(replies):
            batch.put(sequence, most - len(batch.rows) - (len(replies) - number - 1))  # leaves one row for each reply after it
        # A long prompt gets only a part of each decode, so that no reply stops for it.
        room = most - len(batch.rows)
        if replies:
            room = min(room, max(self.batch_tokens // 4, 16))
        batch.put_in_turn(sorted((it for it in sequences if it.prefilling), key=lambda it: it.urgency), room)

    def _share(self, batch: Batch, others: Sequence[ContextSequence], silent: bool) -> None:
        """Adds what other requests get of a batch with players in it. The one that has waited longest comes first."""
        owed = self._owed - self.others_share * PATIENCE_TOKENS if silent else min(self._owed, len(batch.rows))
        room = min(int(owed), self.batch_tokens - len(batch.rows))
        batch.put_in_turn(sorted(others, key=lambda it: (it.turn, it.urgency)), room)
