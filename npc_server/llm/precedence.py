"""Who is in the next decode. While a player waits for the first word of an answer everybody else stands still, and keeps what they have.

Once all players read, others get a token for each of the players', until they have had `others_share` of the players' tokens. That is their
share, too, where players never pause: what they are owed of more than `PATIENCE_TOKENS` they get at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from npc_server.llm.llama import Row
from npc_server.llm.sequences import ContextSequence

PATIENCE_TOKENS = 2048
"""Of players, prompts too: three or four lines with their answers."""
LEAST_TOKENS = 32
"""Of a decode that may be interrupted; a smaller one takes hardly less time."""


@dataclass
class Batch:
    """The rows of a decode, and whose they are."""

    rows: list[Row] = field(default_factory=list)
    parts: list[tuple[ContextSequence, int, int | None]] = field(default_factory=list)
    """Each with how many tokens it got, and the number of the row whose logits it wants, if any."""

    @property
    def of_players(self) -> int:
        """How many of its rows are players'."""
        return sum(count for sequence, count, _ in self.parts if sequence.of_player)

    def put(self, sequence: ContextSequence, most: int) -> None:
        """The next tokens of a sequence, at most so many: of its reply, or else of its prompt."""
        at = sequence.computed
        left: Sequence[int] = sequence.tokens[at : at + most].tolist() if sequence.prefilling else sequence.pending
        tokens = left[:most]
        last = at + len(tokens) == len(sequence.tokens) if sequence.prefilling else len(tokens) == len(left)
        for offset, token in enumerate(tokens):
            self.rows.append(Row(int(token), at + offset, sequence.id, last and offset == len(tokens) - 1))
        self.parts.append((sequence, len(tokens), len(self.rows) - 1 if last else None))

    def put_in_turn(self, sequences: Iterable[ContextSequence], room: int) -> None:
        """The next tokens of one sequence after the other, until `room` rows are used."""
        end = len(self.rows) + room
        for sequence in sequences:
            if len(self.rows) >= end:
                break
            self.put(sequence, end - len(self.rows))


class Precedence:
    """Makes one batch after the other."""

    def __init__(self, batch_tokens: int, others_share: float) -> None:
        self.batch_tokens, self.others_share = batch_tokens, others_share
        self.turns = 0
        self._owed = 0.0
        """Tokens that others should have had since players speak."""
        self._most = batch_tokens
        """Tokens of a decode without players: fewer after one that was interrupted, or it might never come to its end."""

    def next_batch(self, running: Sequence[ContextSequence]) -> Batch:
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
        """The batch is in the context."""
        self.turns += 1
        for sequence, _, _ in batch.parts:
            sequence.turn = self.turns
        players = batch.of_players
        if players:
            owed = self._owed + self.others_share * players - (len(batch.rows) - players)
            most = self.others_share * PATIENCE_TOKENS + self.batch_tokens / 4  # no debt may stop an answer for long
            self._owed = min(owed, most) if others_wait else 0.0
        else:
            self._owed, self._most = 0.0, min(2 * self._most, self.batch_tokens)

    def interrupted(self, batch: Batch) -> None:
        """Nothing of the batch is in the context."""
        self._most = max(len(batch.rows) // 2, min(LEAST_TOKENS, self.batch_tokens))

    def _fill(self, batch: Batch, sequences: Sequence[ContextSequence], most: int) -> None:
        """Every reply's next tokens first, then as much of the prompts as has room."""
        replies = [sequence for sequence in sequences if not sequence.prefilling]
        most = max(most, len(replies))
        for number, sequence in enumerate(replies):
            batch.put(sequence, most - len(batch.rows) - (len(replies) - number - 1))  # leaves a row to each reply after it
        # A long prompt takes a share of each turn, so that nobody who is speaking stops for it.
        room = most - len(batch.rows)
        if replies:
            room = min(room, max(self.batch_tokens // 4, 16))
        batch.put_in_turn(sorted((it for it in sequences if it.prefilling), key=lambda it: it.urgency), room)

    def _share(self, batch: Batch, others: Sequence[ContextSequence], silent: bool) -> None:
        """What others get of a batch with players in it, the one first that had to wait longest."""
        owed = self._owed - self.others_share * PATIENCE_TOKENS if silent else min(self._owed, len(batch.rows))
        room = min(int(owed), self.batch_tokens - len(batch.rows))
        batch.put_in_turn(sorted(others, key=lambda it: (it.turn, it.urgency)), room)
