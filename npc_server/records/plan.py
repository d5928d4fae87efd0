"""Plans and their steps, household commands in a plan, and Lifestyle Policies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import NEVER, Address, GameTime, NpcId, Source


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
    """From the day's own plan, or as a part of another step."""
    AGREED = "agreed"
    """Agreed with others in a talk. It goes before the day's own plan."""
    REACTION = "reaction"
    """Inserted by a reaction. It goes before everything else."""


class StepKind(str, Enum):
    """What is done in a step, besides its words."""

    ACTIVITY = "activity"
    PAUSE = "pause"
    """Waiting or resting. In a household it is not split into commands."""


class CommandRole(str, Enum):
    """How a household command came into its activity."""

    USUAL = "usual"
    """Planned from the start, by the routine or by habit."""
    POLICY = "policy"
    """Planned from the start, by a Lifestyle Policy."""
    LISTED = "listed"
    """The model listed it."""
    CHOSEN = "chosen"
    """The model chose it, and another command must come first."""
    PREPARING = "preparing"
    """It must come before another command."""
    FINISHED = "finished"
    """Not a command: the activity is done."""
    GAVE_UP = "gave up"
    """Not a command: the activity was given up."""


@dataclass(frozen=True)
class PlannedCommand:
    """What a plan keeps of a household command, besides its verb (`PlanStep.does`) and its object (`PlanStep.address`)."""

    role: CommandRole
    policy: str = ""
    """POLICY: the key of the policy."""
    failures: int = 0
    """LISTED: how many commands of the activity had failed when the model listed it."""
    states: tuple[tuple[str, str], ...] = ()
    """Id and state of each object involved, before the command began. Empty until then."""
    failure: str = ""
    """Why it failed, in words."""


@dataclass(frozen=True)
class PlanStep:
    """One step of a plan, at one level. `id` counts from 1 for each NPC; `parent` is 0 at the top."""

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
    """The name of the object's action that is performed; empty for none."""
    sentence: str = ""
    emoji: str = ""
    """A step with a sentence and an emoji is ready: nothing is asked when it is due."""
    origin: PlanOrigin = PlanOrigin.PLANNED
    kind: StepKind = StepKind.ACTIVITY
    command: PlannedCommand | None = None
    """Set for a household command, whose `parent` is the activity."""
    people: tuple[str, ...] = ()
    """With whom: those of an appointment, NPC ids and players' names. The steps of an hour leave it to the hour."""


@dataclass(frozen=True)
class PolicyStep:
    """One step of a plan that worked, ready to be repeated."""

    minutes: int
    activity: str
    address: Address
    does: str
    sentence: str
    """With `{name}` in place of the first name, so that others can use it."""
    emoji: str
    """Empty for a household command."""


@dataclass(frozen=True)
class Policy:
    """A Lifestyle Policy (AGA, section 3.1): steps that worked for an activity under a condition. One activity may have several."""

    owner: NpcId
    """Empty when it suits everybody."""
    activity: str
    minutes: int
    needs: tuple[tuple[Address, str], ...]
    """The condition: the objects needed and the state of each (empty for any), sorted by address."""
    steps: tuple[PolicyStep, ...]
    worked: int = 0
    failed: int = 0
    usable: bool = True
    """False after a failure, until the same plan has worked again."""
    used: GameTime = NEVER
    """When it was last used."""
    failed_at: GameTime = NEVER
    """When it last failed. If it also succeeded at that moment, the failure counts."""


@dataclass(frozen=True)
class Living:
    """A plan in progress. It becomes a Lifestyle Policy if all of it works."""

    plan: int
    """Id of the hour, or of a step that is a whole plan by itself."""
    activity: str
    steps: tuple[int, ...]
    """Ids of its steps."""
    policy: str = ""
    """Key of the policy that it follows; empty when the model planned it."""
    whole: bool = True
    """False when it takes one step out of a longer policy."""
    begun: tuple[tuple[int, PolicyStep], ...] = ()
    """What was done so far: the step's id and the deed."""
    needs: tuple[tuple[Address, str], ...] = ()
    """The objects used, each in the state that the NPC believed it was in before."""
    own_way: bool = False
    """Whether a step was done in another way than the policy says."""
    learned: bool = False
    """Whether it worked so far, and waits for the next hour of the same activity."""
