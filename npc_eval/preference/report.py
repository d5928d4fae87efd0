"""How often the second file's answers are preferred, make sense and are wrong, beside the first's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import sqrt

from npc_eval.preference.files import PlayedLines, VerdictsFile
from npc_server.llm.engine import listed

Z = 1.96
"""Standard errors in an interval of 95 %."""


@dataclass(frozen=True)
class Share:
    """A part of a whole, with Wilson's interval of 95 %."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        return self.part / self.whole if self.whole else 0.0

    def interval(self) -> tuple[float, float]:
        if not self.whole:
            return 0.0, 1.0
        n, p = self.whole, self.value
        middle, spread = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        return max(0.0, (middle - spread) / (1 + Z * Z / n)), min(1.0, (middle + spread) / (1 + Z * Z / n))

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.value:.0%} ({low:.0%} to {high:.0%})"


@dataclass(frozen=True)
class SideReport:
    by: str
    preferred: Share
    makes_sense: Share
    wrong: Share


@dataclass(frozen=True)
class PreferenceReport:
    judges: tuple[str, ...]
    verdicts: int
    same: Share
    unanswered: int
    sides: tuple[SideReport, SideReport]


def by_whom(talks: Iterable[PlayedLines]) -> str:
    """Return who made the answers, as a sentence; empty if the build that answered does not say so."""
    makers = Counter(line.by for talk in talks for line in talk.lines if line.by)
    return f"They were made by {listed([f'{maker} ({count})' for maker, count in makers.most_common()])}." if makers else ""


def made_from(files: Iterable[VerdictsFile]) -> PreferenceReport:
    """Puts the verdicts of one or several judges together. All are about the same two files of talks."""
    found = list(files)
    verdicts = [it for file in found for it in file.verdicts]
    whole = len(verdicts)

    def side(number: int, name: str) -> SideReport:
        return SideReport(
            found[0].by[number],
            Share(sum(it.better == name for it in verdicts), whole),
            Share(sum(it.makes_sense[number] for it in verdicts), whole),
            Share(sum(it.contradicts[number] for it in verdicts), whole),
        )

    return PreferenceReport(
        tuple(dict.fromkeys(file.judge for file in found)),
        whole,
        Share(sum(it.better == "same" for it in verdicts), whole),
        sum(file.unanswered for file in found),
        (side(0, "first"), side(1, "second")),
    )


def rows(report: PreferenceReport) -> list[tuple[str, ...]]:
    """The table, with its head as the first row."""
    head: tuple[str, ...] = ("answers by", "preferred", "make sense", "wrong")
    return [head, *((it.by, str(it.preferred), str(it.makes_sense), str(it.wrong)) for it in report.sides)]


def sentence(report: PreferenceReport) -> str:
    left = f" {report.unanswered} lines got no readable verdict." if report.unanswered else ""
    return f"{report.verdicts} lines judged by {', '.join(report.judges)}; equal in {report.same}.{left}"


def markdown(report: PreferenceReport) -> str:
    head, *others = ["| " + " | ".join(row) + " |" for row in rows(report)]
    return "\n".join([head, "|---|---|---|---|", *others, "", sentence(report)]) + "\n"


def as_json(report: PreferenceReport) -> dict[str, object]:
    return asdict(report)
