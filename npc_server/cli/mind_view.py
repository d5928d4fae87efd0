"""Draws what `npc-server mind` prints. Words of a save become one-line `Text` objects, so that Rich reads no markup in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from npc_server import clock
from npc_server.agent import Agent
from npc_server.cli.output import bar, moment
from npc_server.mind import appointments, identity, mood, relationships
from npc_server.mind.mind import Mind
from npc_server.prompts.load import one_line
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, Need, PlanLevel, PlanOrigin, PlanStatus, PlanStep, ScoredMemory
from npc_server.session.inspect_save import SavedMinds

View = Callable[[SavedMinds, Agent, int], Awaitable[RenderableType]]

_KINDS = {
    MemoryKind.OBSERVATION: "seen",
    MemoryKind.PLAN: "planned",
    MemoryKind.REFLECTION: "concluded",
    MemoryKind.CONVERSATION: "talked",
    MemoryKind.SEED: "known",
    MemoryKind.INTENTION: "intends",
}
_STATUS = {
    PlanStatus.DONE: ("✓", "green"),
    PlanStatus.ACTIVE: ("▶", "bold yellow"),
    PlanStatus.AHEAD: ("·", ""),
    PlanStatus.FAILED: ("✗", "red"),
    PlanStatus.DROPPED: ("–", "dim"),
}


def heading(minds: SavedMinds, agent: Agent) -> RenderableType:
    persona = agent.mind.persona
    title = Text.assemble((one_line(persona.name), "bold"), f" ({persona.id}), {persona.age}")
    return Group(Rule(title, align="left"), Text(f"{one_line(minds.town)}, {moment(minds.now)}".lstrip(", "), style="dim"))


# ---- overview


async def overview(minds: SavedMinds, agent: Agent, count: int) -> RenderableType:
    """Shows who the person is, what they do, how much they remember, and their latest memories."""
    mind, now = agent.mind, minds.now
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="cyan", no_wrap=True)
    facts.add_column()
    for label, text in await _facts(minds, agent):
        facts.add_row(label, Text(one_line(text)))
    latest = mind.stream.latest(count)
    return Group(
        Padding(Text(one_line(_who(mind))), (1, 0)),
        facts,
        Padding(Text("Latest memories", style="bold"), (1, 0, 0, 0)),
        _memories(mind, latest, now) if latest else Text("None yet."),
    )


def _who(mind: Mind) -> str:
    """Returns the identity without `currently`, which has its own line."""
    whole, currently = identity.paragraph(mind), mind.identity.currently
    return whole.replace(currently, "").replace("  ", " ") if currently else whole


async def _facts(minds: SavedMinds, agent: Agent) -> list[tuple[str, str]]:
    mind, now = agent.mind, minds.now
    found: list[tuple[str, str]] = []
    if mind.identity.currently and not minds.back:
        found.append(("On its mind", mind.identity.currently))
    if not minds.back and mind.settings.needs:
        felt = mood.faded(mind.feelings.mood, now)
        met = ", ".join(f"{need.value} {mind.feelings.needs.of(need):.0f}" for need in Need)
        why = f" ({felt.cause})" if felt.cause else ""
        found.append(("Feels", f"{felt.emotion.value}{why}; of 10 points: {met}"))
    action = await minds.action_of(agent.npc)
    if action is not None:
        where = f", at {mind.world.describe(action.address)}" if action.address else ""
        found.append(("Doing", f"{action.sentence}{where}, until {clock.hhmm(action.end)} ({action.source.value})"))
    for step in appointments.coming(mind, now):
        where = f" at {mind.world.describe(step.address)}" if step.address else ""
        found.append(("Agreed on", f"{_day(step.start)} {clock.hhmm(appointments.named_hour(step))} {step.text}{where}"))
    counts = mind.stream.count_by_kind()
    parts = ", ".join(f"{counts[kind]} {_KINDS[kind]}" for kind in _KINDS if kind in counts)
    found.append(("Memories", f"{len(mind.stream)}: {parts}" if parts else "none"))
    if not minds.back:
        found.append(
            ("Reflects", f"when new memories weigh {mind.settings.reflection_threshold}; they weigh {mind.reflecting.importance_since} now")
        )
    found.append(("Knows", f"{len(mind.knowledge)} places and things"))
    return found


def _memories(mind: Mind, memories: Sequence[Memory], now: GameTime) -> Table:
    table = _table("id", "when", "how", "weight", "what", right=["id", "weight"], narrow=["when", "how"])
    for memory in memories:
        table.add_row(str(memory.id), _when(memory, now), _KINDS[memory.kind], str(memory.importance), _words(mind, memory))
    return table


# ---- retrieval


def scores(mind: Mind, query: str, found: Sequence[ScoredMemory], now: GameTime, embedder: str) -> RenderableType:
    """Shows the best memories with recency, importance and relevance, each from 0 to 1 (Generative Agents, section 4.1)."""
    table = _table("score", "recency", "importance", "relevance", "what", right=["score"], narrow=["recency", "importance", "relevance"])
    for scored in found:
        parts = (_part(scored.recency, "blue"), _part(scored.importance, "yellow"), _part(scored.relevance, "green"))
        words = _words(mind, scored.memory)
        words.append(f" {_when(scored.memory, now)}", style="dim")
        table.add_row(f"{scored.score:.2f}", *parts, words)
    return Group(
        Padding(Text.assemble("What comes to mind about ", (one_line(query), "bold")), (1, 0, 0, 0)),
        table if found else Text("Nothing. There are no memories yet."),
        Text(f"There are {len(mind.stream)} memories. Relevance by {embedder}.", style="dim"),
    )


def _part(value: float, colour: str) -> Text:
    return Text.assemble((bar(value), colour), f" {value:.2f}")


# ---- the plan


async def plan(minds: SavedMinds, agent: Agent, count: int) -> RenderableType:
    """Shows the broad strokes of the day, their hours, and the steps of hours that have begun."""
    mind = agent.mind
    today = mind.day_of(minds.now)
    steps = [step for step in await minds.plan_of(agent.npc) if mind.day_of(step.start) == today]
    if not steps:
        return Padding(Text("Nothing is planned for this day."), (1, 0))
    children: dict[int, list[PlanStep]] = {}
    ids = {step.id for step in steps}
    for step in sorted(steps, key=lambda step: (step.start, step.id)):
        children.setdefault(step.parent if step.parent in ids else 0, []).append(step)
    tree = Tree(Text(clock.date(today), style="bold"), guide_style="dim")
    agreed = [step for step in children.get(0, []) if step.origin is not PlanOrigin.PLANNED]
    if agreed:
        branch = tree.add(Text("agreed on, or called for", style="cyan"))
        for step in agreed:
            _grow(branch, step, children, mind, minds.now)
    for step in children.get(0, []):
        if step not in agreed:
            _grow(tree, step, children, mind, minds.now)
    legend = "   ".join(f"{sign} {status.value}" for status, (sign, _) in _STATUS.items())
    return Group(Padding(tree, (1, 0)), Text(legend, style="dim"))


def _grow(tree: Tree, step: PlanStep, children: dict[int, list[PlanStep]], mind: Mind, now: GameTime) -> None:
    sign, style = _sign(step, now)
    line = Text.assemble(
        (f"{clock.hhmm(appointments.named_hour(step))}-{clock.hhmm(step.end)} ", "dim"), (f"{sign} {one_line(step.text)}", style)
    )
    if step.level is PlanLevel.STEP and step.address:
        line.append(f"  {mind.world.describe(step.address)}", style="dim")
    branch = tree.add(line)
    below = children.get(step.id, [])
    # A stroke that holds one equal hour or step is shown once.
    while len(below) == 1 and (below[0].start, below[0].end, below[0].text) == (step.start, step.end, step.text):
        below = children.get(below[0].id, [])
    for child in below:
        _grow(branch, child, children, mind, now)


def _sign(step: PlanStep, now: GameTime) -> tuple[str, str]:
    """Returns the sign and style of a step. With `--at`, an outcome that came later is not shown."""
    if step.status in (PlanStatus.DONE, PlanStatus.FAILED) and step.end > now:
        return _STATUS[PlanStatus.ACTIVE if step.start <= now else PlanStatus.AHEAD]
    if step.level is PlanLevel.STEP or step.status is not PlanStatus.AHEAD:
        return _STATUS[step.status]
    return ("▸", "bold") if step.start <= now < step.end else (" ", "") if step.end <= now else _STATUS[PlanStatus.AHEAD]


# ---- people


async def relations(minds: SavedMinds, agent: Agent, count: int) -> RenderableType:
    """Shows Social Memory, the closest people first: relation, feeling, and what happened between them."""
    mind = agent.mind
    talked = {who: at for who, at in agent.doing.talked if at <= minds.now}
    heard: dict[str, int] = {}
    for memory in mind.stream.latest(len(mind.stream)):
        if memory.source is MemorySource.TOLD and memory.source_person:
            heard[memory.source_person] = heard.get(memory.source_person, 0) + 1
    kept = {it.other: it for it in relationships.everybody(mind)}
    kept.update({who: relationships.of(mind, who) for who in [*talked, *heard] if who not in kept})
    table = _table("who", "close", "what they are", "last talk", "told", right=["close", "told"])
    for it in sorted(kept.values(), key=lambda it: (-it.closeness, it.other)):
        what = Text(one_line(it.relation))
        for part in (it.feeling, it.between):
            if part:
                what.append(f"\n{one_line(part)}", style="dim")
        when = clock.ago(talked[it.other], minds.now) if it.other in talked else "-"
        table.add_row(one_line(mind.people.name_of(it.other)), str(it.closeness), what, when, str(heard.get(it.other, 0)))
    note = "close: 0 stranger, 3 acquaintance, 5 co-worker, 8 close friend, 10 married. told: how many memories come from what they said."
    return Group(table if kept else Padding(Text("This person knows nobody and has talked with nobody."), (1, 0)), Text(note, style="dim"))


# ---- insights


async def reflections(minds: SavedMinds, agent: Agent, count: int) -> RenderableType:
    """Shows insights, newest first, with the memories that each rests on (Generative Agents, section 4.2)."""
    mind = agent.mind
    insights = mind.stream.latest(count, (MemoryKind.REFLECTION,))
    if not insights:
        missing = max(mind.settings.reflection_threshold - mind.reflecting.importance_since, 0)
        return Padding(
            Text(f"This person has concluded nothing yet. The next reflection starts after new memories that weigh {missing}."),
            (1, 0),
        )
    trees: list[RenderableType] = []
    for insight in insights:
        tree = Tree(_leaf(mind, insight, minds.now, "bold"), guide_style="dim")
        _rest(tree, insight, mind, minds.now, {insight.id})
        trees.append(Padding(tree, (1, 0, 0, 0)))
    return Group(*trees)


def _rest(tree: Tree, memory: Memory, mind: Mind, now: GameTime, above: set[int]) -> None:
    for number in memory.evidence:
        if number in mind.stream and number not in above:  # In a damaged save, memories may rest on each other.
            evidence = mind.stream.get(number)
            branch = tree.add(_leaf(mind, evidence, now, "bold" if evidence.kind is MemoryKind.REFLECTION else ""))
            _rest(branch, evidence, mind, now, above | {number})


def _leaf(mind: Mind, memory: Memory, now: GameTime, style: str) -> Text:
    words = _words(mind, memory)
    words.stylize(style)
    return Text.assemble(words, (f"  {_when(memory, now)}, weight {memory.importance}", "dim"))


# ---- parts


def _table(*columns: str, right: Sequence[str] = (), narrow: Sequence[str] = ()) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", no_wrap=name in narrow)
    return table


def _words(mind: Mind, memory: Memory) -> Text:
    """Returns the text of a memory, and who told it."""
    words = Text(one_line(memory.text))
    if memory.source is MemorySource.TOLD and memory.source_person:
        words.append(f" [told by {one_line(mind.people.name_of(memory.source_person))}]", style="magenta")
    elif memory.source is MemorySource.HEARD:
        words.append(" [overheard]", style="magenta")
    if memory.doubt:
        words.append(f" [in doubt: {one_line(memory.doubt)}]", style="yellow")
    return words


def _when(memory: Memory, now: GameTime) -> str:
    return "always" if memory.source is MemorySource.KNOWN and memory.kind is MemoryKind.SEED else clock.ago(memory.created, now)


def _day(at: GameTime) -> str:
    return f"{clock.to_datetime(at):%a}"


VIEWS: dict[str, View] = {"--plan": plan, "--relations": relations, "--reflections": reflections}
