"""Reads the policy files of a game for a new save, and exports the Lifestyle Policies of a save (AGA, section 3.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from npc_server.errors import FileProblem, Problem
from npc_server.llm.engine import Embedder, Vectors
from npc_server.memory import people, places, policies
from npc_server.memory.database import reading
from npc_server.memory.policies import key_of
from npc_server.memory.policy_file import ReadPolicies, read_policies, write_policies
from npc_server.records import Document, NpcId, Policy
from npc_server.session.vectors import embed_all
from npc_server.world.tree import Node, NodeKind, World


@dataclass(frozen=True)
class Exported:
    """The policies of a save as a file, and how many it holds."""

    document: Document
    written: int
    usable: int
    failed: int


def read_shipped(documents: Sequence[Document], town: str) -> tuple[list[ReadPolicies], list[Problem]]:
    """Reads the files, and returns them with all their mistakes."""
    found: list[ReadPolicies] = []
    problems: list[Problem] = []
    for document in documents:
        try:
            found.append(read_policies(document, town))
        except FileProblem as error:
            problems += error.problems
    return found, problems


def fitting(files: Sequence[ReadPolicies], town: str, world: World, npcs: Collection[NpcId]) -> tuple[list[Policy], list[str]]:
    """Returns the policies that fit this world, each once, and warnings about the others. In an empty world all of them fit."""
    kept: dict[str, Policy] = {}
    warnings: list[Problem] = []
    known = {node.address: node for node in world}
    for file in files:
        warnings += file.warnings
        if town and file.town and file.town != town:
            what = f"These policies are for the town {file.town!r}, but this is {town!r}. All are left out."
            warnings.append(Problem(file.name, 0, what, "Send the file of this town, or correct 'town'."))
            continue
        found, problems = file.fitting(known, npcs) if known else ([policy for _, policy in file.policies], [])
        warnings += problems
        for policy in found:
            kept.setdefault(key_of(policy), policy)
    return list(kept.values()), [str(problem) for problem in warnings]


async def with_vectors(learned: Sequence[Policy], embedder: Embedder) -> list[tuple[Policy, Vectors]]:
    """Returns each policy with the embedding of its activity."""
    activities = sorted({policy.activity for policy in learned})
    vectors = dict(zip(activities, await embed_all(embedder, activities), strict=True))
    return [(policy, vectors[policy.activity]) for policy in learned]


def policies_of(save: Path) -> Document:
    """Returns the policies of a save of this version as a policy file."""
    with reading(save) as db:
        return exported(db, save.stem).document


def exported(db: Database, name: str) -> Exported:
    """Exports the policies of the save `name`. Policies of people who are no longer in the save are left out."""
    town = next((node.address for node in places.load_nodes(db, Node) if node.kind is NodeKind.WORLD), "")
    known = {person.npc for person in people.load(db)}
    found = [it for it in policies.load(db) if not it.owner or it.owner in known]
    text, written = write_policies(found, town)
    usable = sum(it.usable for it in found)
    return Exported(Document(f"{name}.policies.yaml", text), written, usable, len(found) - usable)
