"""Runs of a town with parts of the affordable mind switched on and off: the tokens of each, and what people did."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from npc_eval.cost.sums import sums_by, total
from npc_eval.engines.from_folder import require_complete
from npc_eval.simulation.report import Report
from npc_eval.simulation.run import Simulation, simulate
from npc_eval.society import measures
from npc_server.config import Settings
from npc_server.english.stems import stems_of
from npc_server.llm.engine import Engine
from npc_server.local.server import local_server, with_own_saves
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.suffix import SUFFIX
from npc_server.personas.schema import Persona
from npc_server.records import Action, CallOutcome, Document, OutcomeStatus, PlanLevel, PlanStatus
from npc_server.sandbox.towns import Cast, find_cast
from npc_server.session.shipped_policies import policies_of
from npc_server.world.town_records import Story
from npc_server.world.tree import World, lies_in

PARTS = ("fuller_calls", "rule_importance", "calm_reactions", "policies", "social_memory", "wandering")


@dataclass(frozen=True)
class Variant:
    """A way to think. `warm` names the variant from whose policies it starts."""

    name: str
    parts: tuple[str, ...]
    warm: str = ""

    def mind(self) -> dict[str, object]:
        """Settings of the section `mind`."""
        return {"profile": "generative-agents", **{part: part in self.parts for part in PARTS}}


BASELINE = "baseline"
VARIANTS = (
    Variant(BASELINE, ()),
    *(Variant(part.replace("_", " "), (part,)) for part in PARTS),
    Variant("policies, warm", ("policies",), "policies"),
    Variant("all", PARTS),
    Variant("all, warm", PARTS, "all"),
)


@dataclass(frozen=True)
class CostScene:
    """A town and how long to play it. `paper` is what AGA reports, in percent of plain generative agents."""

    name: str
    town: str
    days: float
    paper: dict[str, float]
    people: tuple[str, ...] = ()
    """Ids of the people who play. Empty for everybody."""


SCENES = (
    CostScene("3 people", "millbrook", 2.0, {"all": 31.1, "policies": 40.2, "social memory": 58.6}),
    CostScene("25 people", "alderwick", 2.0, {"all": 42.7}),
    # AGA's household is one agent; two who also talk with each other are measured apart.
    CostScene("household", "household", 1.0, {"all": 3.4}, ("nora_lind",)),
    CostScene("household of two", "household", 1.0, {}),
)


@dataclass(frozen=True)
class RunCost:
    """Calls and tokens of a run."""

    calls: int
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    unanswered: int
    """Questions without a reply. Their cost is not counted."""
    by_stage: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Calls and tokens of each stage."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    @property
    def computed(self) -> int:
        """Tokens without those from the KV cache."""
        return self.tokens - self.cached_tokens


@dataclass(frozen=True)
class Behaviour:
    """What the people of a run did."""

    steps_valid: float
    """Share of begun steps of the plan that did not fail."""
    places_fit: float
    """Share of actions that fit their place (`fits`)."""
    actions: int
    by_source: dict[str, int]
    society: measures.Society


@dataclass(frozen=True)
class Run:
    variant: Variant
    people: int
    days: float
    spent: RunCost
    behaviour: Behaviour
    wall_s: float
    policies: Document
    """The policies at the end of the run."""


def in_order(variants: Sequence[Variant]) -> list[Variant]:
    """The variants in the order of their runs: the baseline first, and before a warm run the one whose policies it needs."""
    by_name = {variant.name: variant for variant in VARIANTS}
    names = [BASELINE]
    for variant in variants:
        names += [name for name in (variant.warm, variant.name) if name]
    return [by_name[name] for name in dict.fromkeys(names)]


async def run_scene(
    settings: Settings,
    scene: CostScene,
    variants: Sequence[Variant],
    days: float,
    seed: int,
    engine: Engine | None,
    begins: Callable[[Variant], None],
    ended: Callable[[Run], None],
) -> list[Run]:
    """Runs the variants, which are in the order of `in_order`. `begins` and `ended` are called for each.

    When `days` is 0, the scene's own number of days is played.
    """
    cast = find_cast(scene.town, scene.people)
    found: dict[str, Run] = {}
    for variant in variants:
        begins(variant)
        policies = found[variant.warm].policies if variant.warm else None
        found[variant.name] = await run(settings, variant, cast, days or scene.days, seed, engine, policies)
        ended(found[variant.name])
    return list(found.values())


async def run(
    settings: Settings, variant: Variant, cast: Cast, days: float, seed: int, engine: Engine | None, policies: Document | None = None
) -> Run:
    """Plays a town once, in a temporary save."""
    stories = measures.followed_stories(cast)
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder:
        async with local_server(with_own_saves(settings, Path(folder), **variant.mind()), engine=engine) as local:
            whispers = [(story.starter, story.whisper) for story in stories]
            simulation = Simulation("run", seed, days, whispers=whispers, policies=(policies,) if policies else ())
            report = await simulate(local.connection, cast, simulation)
            require_complete(local.engine)
        save = Path(folder) / f"run{SUFFIX}"
        return Run(variant, len(cast.people), days, spent(save), behaviour(save, cast, report, stories), report.wall_s, policies_of(save))


def spent(save: Path) -> RunCost:
    with reading(save) as db:
        rows = ledger.spent(db)
    it = total(rows)
    unanswered = sum(row.calls - row.asked for row in rows if row.outcome is CallOutcome.INSTINCT)
    by_stage = {stage: (part.calls, part.prompt + part.reply) for stage, part in sorted(sums_by(rows, lambda row: row.stage).items())}
    return RunCost(it.calls, it.prompt, it.cached, it.reply, unanswered, by_stage)


def behaviour(save: Path, cast: Cast, report: Report, stories: Sequence[Story]) -> Behaviour:
    _, lives = measures.read(save)
    begun = [
        step
        for life in lives
        for step in life.steps
        if step.level is PlanLevel.STEP and step.status in (PlanStatus.ACTIVE, PlanStatus.DONE, PlanStatus.FAILED)
    ]
    failed = sum(step.status is PlanStatus.FAILED for step in begun)
    world = World(cast.town.nodes())
    done = [record.action for life in lives for record in life.actions if record.outcome is not OutcomeStatus.FAILED]
    placed = [action for action in done if action.address in world]
    own = {person.id: usual_places(person) for person in cast.people}
    fitting = sum(fits(world, action, own[action.npc]) for action in placed)
    return Behaviour(
        steps_valid=1 - failed / len(begun) if begun else 0.0,
        places_fit=fitting / len(placed) if placed else 0.0,
        actions=len(report.actions),
        by_source=dict(sorted(Counter(it.source.value for it in report.actions).items())),
        society=measures.measure(stories, lives),
    )


def usual_places(persona: Persona) -> list[tuple[str, set[str]]]:
    """The places of the persona's routine, each with the stems of its activity."""
    pieces = [(item.where, item.text) for item in persona.routine]
    pieces += [(step.where or item.where, step.text) for item in persona.routine for step in item.steps]
    return [(where, stems_of(text)) for where, text in pieces if where]


def fits(world: World, action: Action, usual: Sequence[tuple[str, set[str]]]) -> bool:
    """Whether an action fits its place: it uses the object, shares a word with the place, or the routine has it there."""
    if action.object_action:
        return True
    node, words = world.node(action.address), stems_of(action.sentence)
    about = " ".join([world.describe(action.address), node.description, *(it.name for it in node.actions)])
    return bool(stems_of(about) & words) or any(lies_in(action.address, where) for where, wanted in usual if wanted & words)
