"""Numbers in words, below a hundred."""

from __future__ import annotations

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
SMALL = {word: number for number, word in enumerate(_SMALL.split())}
"""From zero to nineteen, in this order."""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
