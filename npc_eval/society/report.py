"""The report of a society run: as JSON, and as a table beside the paper's figures (Generative Agents, section 7.1)."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from npc_eval.simulation.report import Report, stamp
from npc_eval.society.measures import FirstHeard, News, Party, Society
from npc_eval.society.survey import MadeUp, survey
from npc_server import clock
from npc_server.records import NpcId


def as_json(society: Society, made_up: MadeUp) -> dict[str, object]:
    """The keys that `simulate --json` adds."""
    changes = society.plan_changes
    first = society.parties[0] if society.parties else None
    return {
        "news": {it.story.id: _news(it) for it in society.news},
        "density": {"start": round(society.density[0], 4), "end": round(society.density[1], 4)},
        "party": _party(first) if first else None,
        "made_up": {
            "asked": made_up.asked,
            "unsupported": len(made_up.unsupported),
            "claims": [{"npc": it.npc, "question": it.question, "answer": it.answer} for it in made_up.unsupported],
        },
        "conversations": society.conversations,
        "reflections": society.reflections,
        "plan_changes": changes.total,
        "plan_changes_by": {"reactions": changes.reactions, "appointments": changes.appointments, "dropped": changes.dropped},
    }


def speed(report: Report) -> dict[str, float]:
    """Game days per wall minute, and the wall seconds of each part."""
    play = report.wall_s - report.setup_s - report.interviews_s
    return {
        "days_per_minute": round(report.days / (play / 60), 3) if play > 0 else 0.0,
        "setup_s": round(report.setup_s, 2),
        "town_s": round(report.town_s, 2),
        "minds_s": round(max(0.0, play - report.town_s), 2),
        "interviews_s": round(report.interviews_s, 2),
    }


def _news(it: News) -> dict[str, object]:
    return {
        "starter": it.story.starter,
        "heard": list(it.heard),
        "of": it.of,
        "tree": [_heard(heard) for heard in it.tree],
    }


def _heard(it: FirstHeard) -> dict[str, str]:
    return {"who": it.who, "from": it.source, "when": stamp(it.when), "how": it.how.value, "text": it.text}


def _party(it: Party) -> dict[str, object]:
    return {"story": it.story.id, "invited": list(it.invited), "came": list(it.came), "by_chance": list(it.by_chance)}


def show(console: Console, society: Society, made_up: MadeUp, report: Report) -> None:
    """The table, then who told whom."""
    paper = survey().paper
    table = Table("", "here", "Generative Agents, 25 people, 2 days")
    for it in society.news:
        # The paper counts the starter, too.
        knew = len(it.heard) + 1
        theirs = paper.get(it.story.id) or paper.get({"party": "party", "news": "candidacy"}[it.story.kind], "")
        table.add_row(f"who knew of {it.story.id}", f"1 → {knew} of {it.of} ({100 * knew / max(it.of, 1):.0f} %)", theirs)
    for party in society.parties:
        came = f"{len(party.invited)} invited, {len(party.came)} came"
        table.add_row(f"the party {party.story.id}", came, paper["invited"])
    table.add_row("density of acquaintance", f"{society.density[0]:.3f} → {society.density[1]:.3f}", paper["density"])
    share = 100 * len(made_up.unsupported) / made_up.asked if made_up.asked else 0.0
    table.add_row("claims made up", f"{len(made_up.unsupported)} of {made_up.asked} ({share:.1f} %)", paper["made_up"])
    table.add_row("conversations", str(society.conversations), "")
    table.add_row("reflections", str(society.reflections), "")
    changes = society.plan_changes
    detail = f"{changes.reactions} reactions, {changes.appointments} appointments, {changes.dropped} steps dropped"
    table.add_row("changes of plan", f"{changes.total} ({detail})", "")
    console.print(table)
    for it in society.news:
        console.print(f"{it.story.id}, begun by {it.story.starter}:", markup=False)
        for line in tree_lines(it):
            console.print(f"  {line}", markup=False)
    took = speed(report)
    console.print(
        f"{took['days_per_minute']:.2f} game days a minute: the town took {took['town_s']:.1f} s, the minds {took['minds_s']:.1f} s, "
        f"making the save {took['setup_s']:.1f} s, interviews {took['interviews_s']:.1f} s",
        markup=False,
    )


def tree_lines(it: News) -> list[str]:
    """Who told whom, as an indented tree. People who heard it from nobody known stand at its root."""
    below: dict[NpcId, list[int]] = {}
    known = {it.story.starter, *it.heard}
    for i, heard in enumerate(it.tree):
        below.setdefault(heard.source if heard.source in known else "", []).append(i)
    lines: list[str] = []
    done: set[int] = set()

    def walk(npc: NpcId, depth: int) -> None:
        for i in below.get(npc, []):
            if i in done:
                continue
            done.add(i)
            heard = it.tree[i]
            lines.append(f"{'  ' * depth}{heard.who}, {clock.date(heard.when)} {clock.hhmm(heard.when)}, {heard.how.value}")
            walk(heard.who, depth + 1)

    walk(it.story.starter, 0)
    walk("", 0)
    for i, heard in enumerate(it.tree):
        # People who heard it from each other at the same time.
        if i not in done:
            lines.append(f"{heard.who}, {clock.date(heard.when)} {clock.hhmm(heard.when)}, {heard.how.value} from {heard.source}")
    return lines
