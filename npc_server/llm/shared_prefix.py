"""Shared prefixes: prompts that begin with the same tokens compute the KV cache of that beginning once.

A new prompt copies its beginning from the sequence that has most of it. That is a running sequence, or a prompt that was kept after its
reply. When room is needed, the prompt goes first whose system text is expected last (`next_asks`); one that a waiting request begins
with goes last. NPCs whom a player talked with last keep their system text, so that the player's next line need not wait for it. See
docs/models.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from npc_server.llm.kv_cache import SequencePool
from npc_server.llm.next_asks import NextAsks
from npc_server.llm.sequences import ContextSequence, common_prefix

WORTH_SHARING = 16
"""Tokens. A shorter common prefix is not worth waiting for."""


class SharedPrefix:
    """Owns the kept prompts of one context, and finds room for new ones."""

    def __init__(self, pool: SequencePool, *, limit: int, enabled: bool = True) -> None:
        """`limit` is how many prompts are kept. When it is not `enabled`, prompts share nothing and none is kept."""
        self.pool, self.enabled = pool, enabled
        self.limit = limit if enabled else 0
        self.kept: list[ContextSequence] = []
        """The least recently used comes first."""
        self.asks = NextAsks()
        self.waiting: Callable[[], Sequence[ContextSequence]] = list
        """Returns the requests that wait to start."""

    def longest(self, wanted: ContextSequence, running: Sequence[ContextSequence]) -> tuple[ContextSequence | None, int]:
        """Finds the sequence with the longest prefix in common with the prompt of `wanted`, and how many tokens that prefix has.

        The sequence may still have to compute some of them. One that has nearly as many computed already is preferred to it.
        """
        if not self.enabled:
            return None, 0
        most = wanted.unshared
        best: ContextSequence | None = None
        length = computed = 0
        for sequence, common in self._candidates(wanted, running, most):
            if sequence.job is not None and common < WORTH_SHARING:
                common = min(common, sequence.computed)
            ready = min(common, sequence.computed)
            if (common, ready) > (length, computed):
                best, length, computed = sequence, common, ready
        if best is not None and computed < length:
            for sequence, common in self._candidates(wanted, running, most):
                ready = min(common, sequence.computed)
                if ready + WORTH_SHARING > length:
                    return sequence, ready
        return best, length

    def _candidates(self, wanted: ContextSequence, running: Sequence[ContextSequence], most: int) -> Iterator[tuple[ContextSequence, int]]:
        """Yields each sequence, and how many tokens `wanted` could share with it: at most `most`."""
        for sequence in (*self.kept, *running):
            yield sequence, min(common_prefix(sequence.tokens, wanted.tokens), most)

    def place(
        self, new: ContextSequence, source: ContextSequence | None, shared: int, need: int, running: Sequence[ContextSequence]
    ) -> int | None:
        """Makes room for `new`, and copies `shared` tokens of `source` to it. Returns the number of its sequence, or None without room.

        `need` counts the cells that `new` may still take: the rest of its prompt, and its longest reply. Kept prompts are dropped for it.
        """
        if source is not None and source in self.kept:
            self.kept.remove(source)
            self.kept.append(source)
        # When nothing runs, no reply would end and make room. Then the beginnings that are spared for players go too.
        spared = [] if new.of_player or not running else self._players_last()
        need += sum(sequence.reserved for sequence in running)
        beginnings = [(kept.id, kept.system_tokens) for kept in spared] + ([(source.id, shared)] if source else [])
        if not self.pool.cells.fits(need, [sequence.id for sequence in running], beginnings):
            return None
        number = self._free_number([*spared, *([source] if source else [])])
        if number is None:
            return None
        if source is not None and shared:
            self.pool.copy(source.id, number, shared)
        while self.pool.cells.lacks(need) and self._free_cells(spared):
            pass
        return number

    def keep(self, sequence: ContextSequence, prompt_tokens: int) -> None:
        """Keeps the first `prompt_tokens` tokens of a sequence whose job is over, as far as they are computed.

        It replaces the kept prompt with the same system text. When more than `limit` are kept, the least wanted is dropped.
        """
        self._cut(sequence, min(prompt_tokens, sequence.computed))
        sequence.system_tokens = min(sequence.system_tokens, len(sequence.tokens))
        sequence.job = sequence.chooser = None
        sequence.reserved = 0
        for old in [kept for kept in self.kept if _same_system_text(kept, sequence)]:
            sequence.last_player_line = max(sequence.last_player_line, old.last_player_line)
            self.drop(old)
        self.kept.append(sequence)
        spared = self._players_last()
        while len(self.kept) > self.limit:
            self.drop(next((kept for kept in self.least_wanted() if kept not in spared), self.kept[0]))

    def least_wanted(self) -> list[ContextSequence]:
        """Returns the kept prompts, the one that is expected last first. Of several the least recently used comes first."""
        wanted = {_system_text(sequence) for sequence in self.waiting()}
        waits = [-1.0 if (text := _system_text(kept)) in wanted else self.asks.wait(text) for kept in self.kept]
        return [self.kept[n] for n in sorted(range(len(waits)), key=lambda n: -waits[n])]

    def drop(self, sequence: ContextSequence) -> None:
        """Forgets a kept prompt."""
        self.kept.remove(sequence)
        self.pool.release(sequence.id)

    def _players_last(self) -> list[ContextSequence]:
        """Returns the kept prompts of the NPCs that players talked with last: at most a quarter of `limit`, and at least one.

        Other requests must not take their system texts, or the player's next line would wait until these are computed again.
        """
        talked = [kept for kept in self.kept if kept.last_player_line >= 0 and kept.system_tokens >= WORTH_SHARING]
        return sorted(talked, key=lambda kept: kept.last_player_line)[-max(self.limit // 4, 1) :]

    def _free_number(self, spared: Sequence[ContextSequence]) -> int | None:
        """Returns the number of a free sequence. If there is none, it drops the least wanted prompt that is not `spared`."""
        if not self.pool.free:
            least = next((kept for kept in self.least_wanted() if kept not in spared), None)
            if least is None:
                return None
            self.drop(least)
        return self.pool.take()

    def _free_cells(self, spared: Sequence[ContextSequence]) -> bool:
        """Frees the cells of one kept prompt, the least wanted first. Returns False when no more can be freed.

        What follows a system text goes first. After that whole prompts go, except those `spared`.
        """
        droppable = [kept for kept in self.least_wanted() if kept not in spared]
        for kept in (*droppable, *spared):
            if WORTH_SHARING <= kept.system_tokens < len(kept.tokens):
                self._cut(kept, kept.system_tokens)
                return True
        if droppable:
            self.drop(droppable[0])
            return True
        return False

    def _cut(self, sequence: ContextSequence, length: int) -> None:
        self.pool.cut(sequence.id, length)
        sequence.tokens = sequence.tokens[:length]
        sequence.computed = min(sequence.computed, length)


def _system_text(sequence: ContextSequence) -> bytes:
    return sequence.tokens[: sequence.system_tokens].tobytes()


def _same_system_text(one: ContextSequence, other: ContextSequence) -> bool:
    return one.system_tokens == other.system_tokens and common_prefix(one.tokens, other.tokens) >= one.system_tokens
