"""Plans, and plans that worked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import Address, GameTime, NpcId, Source


class PlanLevel(str, Enum):
    DAY = "day"
    HOUR = "hour"
    STEP = "step"


class PlanStatus(str, Enum):
    AHEAD = "ahead"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    DROPPED = "dropped"


class PlanOrigin(str, Enum):
    """How a step came into the plan."""

    PLANNED = "planned"
    """By the day's own plan, or a part of another step."""
    AGREED = "agreed"
    """With others, in talk: it goes before the day's own plan."""
    REACTION = "reaction"
    """Put in for what came up: it goes before all else."""


class StepKind(str, Enum):
    """What is done in a step, beside its words."""

    ACTIVITY = "activity"
    PAUSE = "pause"
    """Waiting or resting. At home no commands come of it."""


class CommandRole(str, Enum):
    """How a household command came into its activity."""

    USUAL = "usual"
    """Planned from the start, as the routine or habit has it."""
    POLICY = "policy"
    """Planned from the start, by a Lifestyle Policy."""
    LISTED = "listed"
    """The model listed it."""
    CHOSEN = "chosen"
    """The model chose it, and another command has to come first."""
    PREPARING = "preparing"
    """It has to come before another."""
    FINISHED = "finished"
    """No command: it says that the activity is done."""
    GAVE_UP = "gave up"
    """No command: it says that the activity was given up."""


@dataclass(frozen=True)
class PlannedCommand:
    """What a plan keeps of a household command, besides its verb (`PlanStep.does`) and its thing (`PlanStep.address`)."""

    role: CommandRole
    policy: str = ""
    """POLICY: the key of the policy."""
    failures: int = 0
    """LISTED: how many commands of the activity had failed when the model listed it."""
    states: tuple[tuple[str, str], ...] = ()
    """Id and state of each thing that it has to do with, before it began. Empty until then."""
    failure: str = ""
    """Why it failed, in words."""


@dataclass(frozen=True)
class PlanStep:
    """A stretch of a plan. `id` counts from 1 within the NPC; `parent` is 0 at the top."""

    npc: NpcId
    id: int
    level: PlanLevel
    parent: int
    start: GameTime
    end: GameTime
    text: str
    address: Address = ""
    status: PlanStatus = PlanStatus.AHEAD
    source: Source = Source.INSTINCT
    does: str = ""
    """What is done with the object there: the name of one of its actions, or empty."""
    sentence: str = ""
    emoji: str = ""
    """With these, a step is ready to be done: nothing is asked when it is due."""
    origin: PlanOrigin = PlanOrigin.PLANNED
    kind: StepKind = StepKind.ACTIVITY
    command: PlannedCommand | None = None
    """Of a household command; its `parent` is the activity."""


@dataclass(frozen=True)
class PolicyStep:
    """One step of a plan that worked, ready to be done again."""

    minutes: int
    activity: str
    address: Address
    does: str
    sentence: str
    """With `{name}` where the first name stands, so that others can live by it."""
    emoji: str
    """Empty for a command of a household."""


@dataclass(frozen=True)
class Policy:
    """A Lifestyle Policy (AGA, section 3.1): steps that worked for an activity under a condition. One activity may have several."""

    owner: NpcId
    """Empty when it suits everybody."""
    activity: str
    minutes: int
    needs: tuple[tuple[Address, str], ...]
    """The condition: the objects it needs, each in this state (empty for any), sorted by address."""
    steps: tuple[PolicyStep, ...]
    worked: int = 0
    failed: int = 0
    usable: bool = True
    """False after it failed, until the same plan has worked again."""
    used: GameTime = 0
    """When it was last lived by."""
    failed_at: GameTime = -1
    """When it last failed; -1 for never. Who fails at the moment another succeeds has the last word."""


@dataclass(frozen=True)
class Living:
    """A plan that is being lived through, and becomes a Lifestyle Policy if all of it works."""

    plan: int
    """Id of the hour, or of the step that is a whole plan."""
    activity: str
    steps: tuple[int, ...]
    """Ids of its steps."""
    policy: str = ""
    """Key of the policy it is lived by; empty when the model planned it."""
    whole: bool = True
    """False when it takes a step out of a longer policy."""
    begun: tuple[tuple[int, PolicyStep], ...] = ()
    """What was really done for each step so far."""
    needs: tuple[tuple[Address, str], ...] = ()
    """The objects that were used, each in the state it was believed to be in before."""
    own_way: bool = False
    """Whether a step was done in another way than the policy says."""
