"""What has come together since an NPC last reflected."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Reflecting:
    importance_since: int = 0
    """Sum of the importance (poignancy) of new memories since the last reflection. `mind.importance_sum` adds to it and resets it."""
    unrated: list[str] = field(default_factory=list)
    """Texts heard or told that the model has yet to rate (`cognition.importance`). Until then, the rating by rule counts."""
    outdated: tuple[str, ...] = ()
    """Whose summary rests on a memory that was edited or deleted: ids or names of others, and its own id for how it sees itself. The next
    thought renews them."""
