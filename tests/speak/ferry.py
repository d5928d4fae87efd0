"""A world of two people, with one example of each kind and without a fault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TALK: dict[str, Any] = {
    "name": "Hanne Brook",
    "age": 41,
    "identity": ["Hanne Brook, 41, keeps the ferry at Low Ford.", "She is blunt."],
    "secrets": ["She keeps to herself that she was afraid of water since her brother drowned."],
    "voice": ["Mind the plank."],
    "at": "Tuesday 5 May, 10:20",
    "place": "the landing of Low Ford",
    "doing": "mending a rope",
    "relation": "a stranger, never met",
    "turns": [
        {"who": "player", "text": "Are you the ferrywoman?"},
        {"who": "npc", "text": "I am. Watch that plank, it's loose."},
        {"who": "player", "text": "I am Robin. Take me over at noon?"},
        {"who": "npc", "text": "At noon then, Robin. Bring two coins.", "agrees": "Tuesday 12:00 at the landing"},
    ],
}
JOOST = {"name": "Joost Vane", "age": 60, "identity": ["Joost Vane, 60, makes ropes.", "He is slow."], "voice": ["No hurry."]}
MEETING: dict[str, Any] = {
    "at": "Tuesday 5 May, 10:40",
    "place": "the landing of Low Ford",
    "sides": [
        {"person": "Hanne Brook", "other": {"who": "Joost Vane", "relation": "neighbor", "closeness": 4}, "doing": "rowing",
         "memories": ["(yesterday) The rope was frayed."], "about": "the rope"},
        {"person": JOOST, "other": {"who": "Hanne Brook", "relation": "neighbor", "closeness": 4}, "doing": "fishing",
         "memories": ["(2 hours ago) Joost bought tar."]},
    ],
    "turns": [
        {"who": "Hanne", "text": "Joost, the rope is frayed."},
        {"who": "Joost", "text": "I have tar at home."},
        {"who": "Hanne", "text": "Then come tomorrow and bring some."},
        {"who": "Joost", "text": "After breakfast, if the fish let me.", "agrees": "Wednesday 09:00 at the landing to tar the rope"},
    ],
}  # fmt: skip
DAY: dict[str, Any] = {
    "person": "Hanne Brook",
    "at": "Tuesday 5 May, 06:00",
    "sleep": "21:00",
    "agreed": ["12:00 row Robin over"],
    "plan": [
        {"start": "06:00", "goal": "open the ferry", "activity": "bail out the boat"},
        {"start": "08:00", "goal": "carry people", "activity": "row the carters over"},
        {"start": "10:00", "goal": "mend", "activity": "mend the rope"},
        {"start": "12:00", "goal": "carry people", "activity": "row Robin over"},
        {"start": "14:00", "goal": "carry people", "activity": "wait for the post"},
        {"start": "17:00", "goal": "close the ferry", "activity": "tie up the boat"},
        {"start": "19:30", "goal": "rest", "activity": "eat fish soup"},
    ],
}
REACTION: dict[str, Any] = {
    "person": "Hanne Brook",
    "at": "Tuesday 5 May, 11:00",
    "place": "the landing",
    "doing": "mending a rope",
    "notices": "Joost Vane is looking into a boat with a hole.",
    "other": {"who": "Joost Vane", "relation": "neighbor", "closeness": 4},
    "reaction": "talk",
    "what": "the hole in the boat",
}
SUMMARY: dict[str, Any] = {
    "talk": 1,
    "person": "Hanne Brook",
    "other": {"who": "Robin"},
    "about": "Robin asked Hanne to row over at noon.",
    "relation": "passenger",
    "feeling": "Hanne has nothing against Robin.",
    "between": "Robin crosses at noon for two coins.",
    "closeness": 1,
    "promised": "Hanne promised Robin to row over at noon.",
    "told": ["Robin wants to be taken over at noon."],
}
REFLECTION: dict[str, Any] = {
    "person": "Hanne Brook",
    "at": "Wednesday 6 May, 21:00",
    "memories": ["(yesterday) The rope was frayed.", "(10 hours ago) Joost tarred the rope.", "(2 hours ago) It rained."],
    "questions": ["Can I trust Joost with the rope?", "Will the rain go on?", "What does Joost want for it?"],
    "insights": [
        {"text": "Joost looks after the rope better than I do", "memories": [1, 2]},
        {"text": "The tarred rope will hold when it rained", "memories": [2, 3]},
    ],
}
FERRY: dict[str, list[dict[str, Any]]] = {
    "talks": [TALK],
    "meetings": [MEETING],
    "days": [DAY],
    "reactions": [REACTION],
    "summaries": [SUMMARY],
    "reflections": [REFLECTION],
}


def write(folder: Path, files: Mapping[str, list[dict[str, Any]]]) -> None:
    """Writes the world `ferry` into a folder."""
    for kind, examples in files.items():
        path = folder / kind / "ferry.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(example) + "\n" for example in examples), encoding="utf-8")
