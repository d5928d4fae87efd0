"""Reads and writes files of Lifestyle Policies. A game ships one to make the first play cheap, and modders edit them.

Addresses in the file leave out the town's id, as in persona files. A policy that does not fit the world is left out with a warning,
since a town may have changed after the file was written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from npc_server.document_errors import Loc, Wrong, did_you_mean, words
from npc_server.documents import MAX_BYTES, check_yaml
from npc_server.errors import Problem
from npc_server.memory.policies import key_of
from npc_server.records import Address, Document, Policy, PolicyStep
from npc_server.yaml_values import yaml_of

MAX_FILE_VALUES = 100_000
"""The most YAML values in one file of policies. It is more than other files may have, since policies have many short values."""
EMOJI = "🙂"
"""The emoji of a step that names none."""
HINTS = {
    "minutes": "Write whole game minutes, e.g. 15.",
    "worked": "Write how often it worked, e.g. 1.",
    "emoji": "Write one or two emoji, e.g. 🍞.",
    "steps": "Write what is done in order, one '- {do: …, where: …, minutes: …}' a line.",
    "needs": "Write one '- {object: …, is: …}' a line.",
}


def _address(text: str) -> str:
    if not text.strip() or any(not part or part.split() != [part] for part in text.split(":")):
        raise Wrong(f"The address {text[:80]!r} has an empty part or a space.", "Join ids with ':', e.g. 'cafe:kitchen:stove'.")
    return text


Words = Annotated[str, Field(max_length=200), AfterValidator(words)]
AddressText = Annotated[str, Field(max_length=300), AfterValidator(_address)]


class _PolicyPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=False, json_schema_extra={"additionalProperties": False})


class NeedPart(_PolicyPart):
    """An object that the plan needs."""

    object: AddressText = Field(description="Its address, without the town's id.", examples=["cafe:kitchen:stove"])
    state: str = Field("", alias="is", max_length=120, description="The state it must be in; any when left out.", examples=["off"])


class PolicyStepPart(_PolicyPart):
    """One step of the plan."""

    do: Words = Field(
        description="What is done, as a verb phrase; {name} stands for who does it. In a household, the command.",
        examples=["knead the dough"],
    )
    where: AddressText = Field(description="Place or object, without the town's id.", examples=["cafe:kitchen:counter"])
    minutes: int = Field(ge=0, le=1440, description="How long it takes, in game minutes; 5 to 15 looks natural.", examples=[15])
    action: str = Field("", max_length=120, description="What is done with the object: the name of one of its actions.", examples=["bake"])
    sentence: str = Field(
        "", max_length=200, description="What others see, with {name}; made of `do` when left out.", examples=["{name} is baking bread"]
    )
    emoji: str = Field(EMOJI, min_length=1, max_length=16, description="What stands above the head.", examples=["🍞"])


class PolicyPart(_PolicyPart):
    """A plan that works. Whoever plans this activity follows it without asking the model."""

    activity: Words = Field(description="What the plan is for, as a verb phrase.", examples=["bake the morning bread"])
    owner: str = Field("", alias="for", max_length=64, description="Id of the only person who may follow it.", examples=["mara_voss"])
    commands: bool = Field(False, description="true: the steps are atomic commands of a household.")
    minutes: int | None = Field(None, ge=1, le=1440, description="Game minutes in all; the steps' sum when left out.", examples=[60])
    needs: tuple[NeedPart, ...] = Field((), max_length=100, description="The objects it needs, as they must be.")
    steps: tuple[PolicyStepPart, ...] = Field(min_length=1, max_length=200, description="What is done, in order.")
    worked: int = Field(
        1,
        ge=0,
        le=1_000_000,
        description="How often it worked. Of several policies, the one that worked most often is tried first.",
        examples=[1],
    )


class PoliciesFile(_PolicyPart):
    """Lifestyle Policies of a town's people."""

    town: str | None = Field(None, max_length=64, description="Id of the town; that of the save when left out.", examples=["millbrook"])
    policies: tuple[PolicyPart, ...] = Field(max_length=5000, description="One plan each. An activity may have several.")


class HasName(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


class PolicyPlace(Protocol):
    """A `world.tree.Node`, as far as this package uses it. The layers forbid importing that."""

    @property
    def states(self) -> tuple[str, ...]: ...
    @property
    def actions(self) -> Sequence[HasName]: ...


@dataclass(frozen=True)
class ReadPolicies:
    """The policies of a file, each with its line and with complete addresses, and the warnings."""

    name: str
    town: str
    """The town that the file names; empty if it names none."""
    policies: tuple[tuple[int, Policy], ...]
    warnings: tuple[Problem, ...]

    def fitting(self, places: Mapping[Address, PolicyPlace], people: Collection[str]) -> tuple[list[Policy], list[Problem]]:
        """The policies that fit a world with these places and people, and a problem for each other one."""
        kept: list[Policy] = []
        problems: list[Problem] = []
        for line, policy in self.policies:
            why = _misfit(policy, places, people)
            if why is None:
                kept.append(policy)
            else:
                what = f"The policy for '{policy.activity[:60]}' is left out: {why[0]}."
                problems.append(Problem(self.name, line, what, why[1]))
        return kept, problems


def read_policies(document: Document, town: str = "") -> ReadPolicies:
    """Reads a file. `town` is the town's id if the file names none. Raises FileProblem with all mistakes, each with line and fix."""
    checked = check_yaml(document, PoliciesFile, HINTS, max_values=MAX_FILE_VALUES)
    file, warnings = checked.value, list(checked.warnings)
    root = file.town or town
    found: dict[str, tuple[int, Policy]] = {}
    for i, part in enumerate(file.policies):
        loc: Loc = ("policies", i)
        policy, line = _policy(part, root), checked.parsed.line(loc)
        first = found.setdefault(key_of(policy), (line, policy))
        if first[0] != line:
            warnings.append(Problem(document.name, line, f"The same policy is on line {first[0]}.", "Delete one of them."))
    return ReadPolicies(document.name, file.town or "", tuple(found.values()), tuple(warnings))


def write_policies(policies: Iterable[Policy], town: str) -> tuple[str, int]:
    """The text of a file with these policies, and how many it holds. Those that worked most often come first.

    Policies beyond the limits of a file are left out, so that the file can be read again.
    """
    head = (
        "# yaml-language-server: $schema=policies.schema.json\n"
        "# Plans that worked and are repeated without the model. `npc-server policy check FILE` says what does not fit,\n"
        "# `npc-server policy schema > policies.schema.json` gives your editor help and completion.\n"
    )
    parts = [head, f"town: {yaml_of(town)}\n" if town else "", "policies:\n"]
    size, values, count = sum(len(part.encode()) for part in parts), 10, 0
    for policy in sorted((it for it in policies if it.usable), key=lambda it: (-it.worked, it.activity, it.owner, key_of(it))):
        text = _entry(policy, town)
        size, values = size + len(text.encode()), values + 12 + 4 * len(policy.needs) + 8 * len(policy.steps)
        if size > MAX_BYTES or values > MAX_FILE_VALUES or count >= 5000:
            break
        parts.append(text)
        count += 1
    return "".join(parts) if count else "".join([*parts[:-1], "policies: []\n"]), count


def json_schema() -> str:
    """The JSON Schema (2020-12) of a file of policies, for editors."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **PoliciesFile.model_json_schema(by_alias=True)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


# ---- parts


def _policy(part: PolicyPart, town: str) -> Policy:
    steps = tuple(
        PolicyStep(it.minutes, it.do, _whole(it.where, town), it.action, it.sentence, "" if part.commands else it.emoji)
        for it in part.steps
    )
    needs = tuple(sorted({_whole(it.object, town): it.state for it in part.needs}.items()))
    minutes = part.minutes if part.minutes is not None else max(1, sum(step.minutes for step in steps))
    return Policy(part.owner, part.activity, minutes, needs, steps, worked=part.worked)


def _whole(address: str, town: str) -> Address:
    return address if not town or address == town or address.startswith(f"{town}:") else f"{town}:{address}"


def _short(address: Address, town: str) -> str:
    short = address.removeprefix(f"{town}:") if town else address
    return address if _whole(short, town) != address else short


def _misfit(policy: Policy, places: Mapping[Address, PolicyPlace], people: Collection[str]) -> tuple[str, str] | None:
    """Why a policy does not fit the world and how to fix that, or None if it fits."""
    if policy.owner and policy.owner not in people:
        return f"there is nobody {policy.owner!r}", did_you_mean(policy.owner, people) or "Delete 'for' to let everybody follow it."
    for address in [*(address for address, _ in policy.needs), *(step.address for step in policy.steps)]:
        if address not in places:
            return f"there is no {address!r}", did_you_mean(address, places) or "Correct the address, or delete the policy."
    for address, state in policy.needs:
        states = places[address].states
        if state and states and state not in states:
            return f"{address!r} is never {state!r}", f"Use one of: {', '.join(states)}."
    for step in policy.steps:
        names = [action.name for action in places[step.address].actions]
        if step.emoji and step.does and step.does not in names:
            return f"one cannot {step.does!r} at {step.address!r}", f"Use one of: {', '.join(names)}." if names else "Delete 'action'."
    return None


def _entry(policy: Policy, town: str) -> str:
    """A policy as lines of YAML."""
    commands = not any(step.emoji for step in policy.steps)
    rows = [f"  - activity: {yaml_of(policy.activity)}"]
    rows += [f"    for: {yaml_of(policy.owner)}"] if policy.owner else []
    rows += ["    commands: true"] if commands else []
    rows += [f"    minutes: {policy.minutes}"] if policy.minutes != max(1, sum(step.minutes for step in policy.steps)) else []
    rows += [f"    worked: {policy.worked}"] if policy.worked != 1 else []
    rows += ["    needs:"] if policy.needs else []
    rows += [_flow({"object": _short(address, town), "is": state}) for address, state in policy.needs]
    rows.append("    steps:")
    for step in policy.steps:
        emoji = "" if commands or step.emoji == EMOJI else step.emoji
        where = _short(step.address, town)
        shown = {
            "do": step.activity,
            "where": where,
            "action": step.does,
            "minutes": step.minutes,
            "sentence": step.sentence,
            "emoji": emoji,
        }
        rows.append(_flow(shown))
    return "\n".join(rows) + "\n"


def _flow(values: Mapping[str, Any]) -> str:
    """One line of a list, without empty values."""
    return "      - {" + ", ".join(f"{key}: {yaml_of(value)}" for key, value in values.items() if value != "") + "}"
