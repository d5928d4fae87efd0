"""The blind comparison of answers to players that the README tells of: its answers and verdicts are kept."""

from __future__ import annotations

from pathlib import Path

from npc_eval.preference import files

FOLDER = Path(__file__).parent / "preference"
README = (Path(__file__).parent / "README.md").read_text("utf-8")


def test_the_verdicts_are_of_the_kept_answers_and_the_readme_tells_their_shares() -> None:
    before, now = (files.read_talks(FOLDER / f"answers_{name}.json") for name in ("801f48e", "today"))
    found = files.read_verdicts(FOLDER / "verdicts.json")
    assert found.talks == (before.digest(), now.digest())
    files.check_alike(before, now)
    count = len(found.verdicts)
    assert sum(len(talk.lines) for talk in now.talks) == 310
    for side, name in ((0, "first"), (1, "second")):
        shares = (
            sum(it.better == name for it in found.verdicts) / count,
            sum(it.makes_sense[side] for it in found.verdicts) / count,
            sum(it.contradicts[side] for it in found.verdicts) / count,
        )
        row = " | ".join(f"{share:.0%}".replace("%", " %") for share in shares)
        assert f"| {row} |" in README
