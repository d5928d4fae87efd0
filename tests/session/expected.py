"""What a game may expect to find after its server died, told by what the server had acknowledged."""

from __future__ import annotations

from dataclasses import dataclass, field

PLAYED = "a"
"""The slot that is played."""
SLOTS = (PLAYED, "s1", "s2")


@dataclass(frozen=True)
class Content:
    """The numbered happenings that play or a save may hold: `least` for sure, and none beyond `most`."""

    least: frozenset[int] = frozenset()
    most: frozenset[int] = frozenset()

    def fits(self, found: frozenset[int]) -> bool:
        return self.least <= found <= self.most


EMPTY = Content()


@dataclass
class Expected:
    """Follows what the server tells, one message after the other, and notes in `problems` what cannot be.

    A call that was never answered leaves two possibilities: all of it happened, or nothing.
    """

    played: Content = EMPTY
    epoch: int = 0
    """The epoch of play; 0 while the slot is closed."""
    acknowledged: int = 0
    sent: dict[int, int] = field(default_factory=dict)
    """Sequence number and happening of what is not acknowledged; 0 for a clock."""
    slots: dict[str, list[Content]] = field(default_factory=lambda: {slot: [EMPTY] for slot in SLOTS})
    afterwards: list[Content] = field(default_factory=list)
    """What a new epoch may hold, if the last one may be over."""
    asked: list[str] = field(default_factory=list)
    """A call that is not answered: its name, the slot, and whether closing saves."""
    at_call: Content = EMPTY
    problems: list[str] = field(default_factory=list)
    deaths: dict[str, int] = field(default_factory=dict)

    def hear(self, name: str, *values: object) -> None:
        """Takes a message in."""
        getattr(self, f"_{name}")(*values)

    def died(self) -> None:
        """The process is gone."""
        if self.asked:
            name, slot, saves = self.asked
            if saves:
                self.slots[slot] = [*self.slots[slot], self._saved_now()]
            if name != "save":
                self.afterwards = list(self.slots[slot])
            self.asked = []

    # ---- messages

    def _opened(self, epoch: int, last: int, found: list[int], doubled: list[int]) -> None:
        content = frozenset(found)
        self._not_doubled(doubled)
        goes_on = bool(self.epoch) and epoch == self.epoch
        possible = [self.played] if goes_on else self.afterwards
        if not possible:
            self.problems.append(f"epoch {self.epoch} became {epoch}, and nothing was loaded or closed")
        elif not any(it.fits(content) for it in possible):
            self.problems.append(f"{'play' if goes_on else 'a new epoch'} has {_difference(content, possible)}")
        if goes_on and last < self.acknowledged:
            self.problems.append(f"event {self.acknowledged} was acknowledged, and {last} is the last one stored")
        if not goes_on:
            self.sent, self.acknowledged = {}, 0
        self.epoch, self.played, self.afterwards = epoch, Content(content, content), []

    def _take(self, events: list[tuple[int, int]]) -> None:
        self.sent |= dict(events)
        self.played = Content(self.played.least, self.played.most | {number for _, number in events if number})

    def _stored(self, last: int) -> None:
        self.acknowledged = max(self.acknowledged, last)
        stored = frozenset(number for seq, number in self.sent.items() if seq <= last and number)
        self.sent = {seq: number for seq, number in self.sent.items() if seq > last}
        self.played = Content(self.played.least | stored, self.played.most)

    def _ask(self, name: str, slot: str, saves: str) -> None:
        self.asked, self.at_call = [name, slot, saves], self.played

    def _saved(self) -> None:
        slot = self.asked[1]
        self.slots[slot] = [self._saved_now()]
        self.asked = []

    def _loaded(self, epoch: int, found: list[int], doubled: list[int]) -> None:
        content, slot = frozenset(found), self.asked[1]
        self._not_doubled(doubled)
        if not any(it.fits(content) for it in self.slots[slot]):
            self.problems.append(f"slot {slot!r} has {_difference(content, self.slots[slot])}")
        if epoch <= self.epoch:
            self.problems.append(f"epoch {epoch} came after {self.epoch}")
        self.slots[slot] = [Content(content, content)]
        self.epoch, self.acknowledged, self.sent, self.asked = epoch, 0, {}, []
        self.played = Content(content, content)

    def _closed(self) -> None:
        if self.asked[2]:
            self.slots[PLAYED] = [self._saved_now()]
        self.epoch, self.acknowledged, self.sent, self.asked = 0, 0, {}, []
        self.afterwards = list(self.slots[PLAYED])

    def _problem(self, text: str) -> None:
        self.problems.append(text)

    def _died(self, operation: str) -> None:
        self.deaths[operation] = self.deaths.get(operation, 0) + 1

    def _saved_now(self) -> Content:
        return Content(self.at_call.least, self.played.most)

    def _not_doubled(self, doubled: list[int]) -> None:
        if doubled:
            self.problems.append(f"twice in the save: {doubled}")


def _difference(found: frozenset[int], possible: list[Content]) -> str:
    said = [f"lost {sorted(it.least - found)[:5]}, too many {sorted(found - it.most)[:5]}" for it in possible]
    return " or ".join(said)
