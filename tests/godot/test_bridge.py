"""The bridge in a real Godot: every message of the contract survives the way there and back."""

from __future__ import annotations

import math
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from npc_server.v1 import npc_pb2
from npc_server.wire import variants
from npc_server.wire.dictionaries import from_message, to_message
from tests.godot.conftest import RunCase, names_server, read_ready

pytestmark = pytest.mark.godot
F = FieldDescriptor
TEXTS = ["", "a", "Ça va, Zoë? 🙂", "tab\tnewline\n", "x" * 300, "日本語"]
WHOLE = [0, 1, -1, 2**31 - 1, -(2**31)]
WIDE = [*WHOLE, 2**53 + 1, 2**63 - 1, -(2**63)]


def some(field: Any, rng: random.Random, depth: int) -> Any:
    """A value a game could send for one element of this field."""
    if field.message_type is not None:
        return some_message(field.message_type, rng, depth + 1)
    if field.type == F.TYPE_ENUM:
        return rng.choice([v.name for v in field.enum_type.values])
    if field.type == F.TYPE_BOOL:
        return rng.random() < 0.5
    if field.type == F.TYPE_STRING:
        return rng.choice(TEXTS)
    if field.type in (F.TYPE_FLOAT, F.TYPE_DOUBLE):
        return rng.choice([0.0, 1.5, -2.25, 1e30, math.inf])
    return rng.choice(WHOLE if field.type == F.TYPE_INT32 else WIDE)


def some_message(descriptor: Descriptor, rng: random.Random, depth: int = 0) -> dict[str, Any]:
    values: dict[str, Any] = {}
    taken: set[str] = set()
    for field in rng.sample(list(descriptor.fields), len(descriptor.fields)):
        if rng.random() < 0.2 or (field.message_type is not None and depth > 3):
            continue
        if field.containing_oneof is not None:
            if field.containing_oneof.name in taken:
                continue
            taken.add(field.containing_oneof.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            values[field.name] = {rng.choice(TEXTS): rng.choice(WIDE) for _ in range(rng.randrange(4))}
        elif field.is_repeated:
            values[field.name] = [some(field, rng, depth) for _ in range(rng.randrange(4))]
        else:
            values[field.name] = some(field, rng, depth)
    return values


@pytest.fixture
def server(tmp_path: Path, fake_command: str, children: list[subprocess.Popen[str]]) -> list[str]:
    """Arguments that name a stand-in for npc-server."""
    ready = tmp_path / "ready.json"
    words = [*fake_command.split(), "serve", "--ready-file", str(ready), "--save-folder", str(tmp_path)]
    children.append(subprocess.Popen(words, text=True))
    return names_server(read_ready(ready))


def through_godot(run_case: RunCase, folder: Path, server: list[str], pairs: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    (folder / "in.bin").write_bytes(variants.encode([list(pair) for pair in pairs]))
    ran = run_case("bridge_round_trip", *server, f"in={folder / 'in.bin'}", f"out={folder / 'out.bin'}")
    assert ran.code == 0, ran.output
    answers = variants.decode((folder / "out.bin").read_bytes())
    assert isinstance(answers, list)
    return answers


@pytest.mark.journey
def test_every_message_of_the_contract_survives_the_way_through_godot(run_case: RunCase, tmp_path: Path, server: list[str]) -> None:
    rng = random.Random(7)
    kinds = npc_pb2.DESCRIPTOR.message_types_by_name
    pairs = [(name, some_message(kind, rng)) for name, kind in kinds.items() for _ in range(8)]
    answers = through_godot(run_case, tmp_path, server, pairs)
    for (name, values), answer in zip(pairs, answers, strict=True):
        assert answer["event"] == "response", (name, values, answer)
        assert answer["message"] == from_message(to_message(kinds[name], values)), name


@pytest.mark.journey
def test_wrong_dictionaries_end_in_a_failed_event_that_names_the_field(run_case: RunCase, tmp_path: Path, server: list[str]) -> None:
    wrong: list[tuple[str, Any, str]] = [
        ("Perception", {"npc_idd": "x"}, "npc_id"),
        ("Perception", {"npc_id": 5}, "Perception.npc_id is 5"),
        ("Perception", {"kind": "PERSON"}, "PERCEPTION_KIND_PERSON"),
        ("Perception", {"at_s": 1.5}, "whole number"),
        ("WorldNode", {"capacity": 2**40}, "It holds -2147483648 to 2147483647"),
        ("WorldNode", {"states": "open"}, "Give an Array"),
        ("WorldNode", {"actions": [{"name": ["x"]}]}, "WorldNode.actions[0].name"),
        ("GameEvent", {"clock": {"now_s": 1}, "perception": {}}, "both"),
        ("GetMindResponse", {"memories": {"a": "b"}}, "memories['a']"),
        ("Nothing", {}, "There is no message"),
    ]
    answers = through_godot(run_case, tmp_path, server, [(name, values) for name, values, _ in wrong])
    for (name, values, part), answer in zip(wrong, answers, strict=True):
        assert answer["event"] == "failed", (name, values, answer)
        assert answer["code"] == "INVALID_ARGUMENT"
        assert part in answer["message"], answer["message"]


@pytest.mark.journey
def test_dropped_bridges_leave_the_others_alone_and_answers_keep_their_order(run_case: RunCase, server: list[str]) -> None:
    ran = run_case("many_bridges", *server)
    assert ran.code == 0, ran.output
    assert any("not connected" in text for text in ran.result["said"])
    assert any("contains itself" in text for text in ran.result["said"])
