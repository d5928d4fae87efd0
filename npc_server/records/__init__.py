"""What passes between rooms: frozen records, named by the papers. This face lists them all; the modules hold them by subject."""

from __future__ import annotations

from npc_server.records.actions import Action, GameAction, GameActionResult, Outcome, OutcomeReason, OutcomeStatus
from npc_server.records.basics import Address, GameTime, NpcId, Source
from npc_server.records.events import (
    Clock,
    GameEvent,
    MindEvent,
    Notice,
    NoticeLevel,
    ObjectChange,
    PathQuery,
    PathResult,
    Perception,
    PerceptionKind,
    Reach,
    Rejected,
    Settled,
    Thought,
    Whereabouts,
)
from npc_server.records.memory import Memory, MemoryKind, MemorySource, MemoryTopic, ScoredMemory, Social
from npc_server.records.plan import Living, PlanLevel, PlanOrigin, PlanStatus, PlanStep, Policy, PolicyStep
from npc_server.records.talk import Line, Speech, Talk
from npc_server.records.views import CallOutcome, Document, MindState, ModelCall, SaveInfo

__all__ = [
    "Action",
    "Address",
    "CallOutcome",
    "Clock",
    "Document",
    "GameAction",
    "GameActionResult",
    "GameEvent",
    "GameTime",
    "Line",
    "Living",
    "Memory",
    "MemoryKind",
    "MemorySource",
    "MemoryTopic",
    "MindEvent",
    "MindState",
    "ModelCall",
    "Notice",
    "NoticeLevel",
    "NpcId",
    "ObjectChange",
    "Outcome",
    "OutcomeReason",
    "OutcomeStatus",
    "PathQuery",
    "PathResult",
    "Perception",
    "PerceptionKind",
    "PlanLevel",
    "PlanOrigin",
    "PlanStatus",
    "PlanStep",
    "Policy",
    "PolicyStep",
    "Reach",
    "Rejected",
    "SaveInfo",
    "ScoredMemory",
    "Settled",
    "Social",
    "Source",
    "Speech",
    "Talk",
    "Thought",
    "Whereabouts",
]
