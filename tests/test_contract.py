"""The contract: stubs are those of the proto, every call of it is commented and named in the docs, every reason is documented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from npc_server import errors
from npc_server.errors import NpcServerError
from npc_server.rpc.regenerate import PROTO, ROOT, regenerate
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.fakes import every_error

DOCS = ROOT / "docs" / "protocol.md"
SOURCES = ROOT / "npc_server"


def test_stubs_are_those_of_the_proto(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools", reason="install grpcio-tools to compare the stubs")
    for made in regenerate(tmp_path):
        kept = ROOT / "npc_server" / "v1" / made.name
        assert made.read_text() == kept.read_text(), f"{kept.name} is not what the proto gives; run `make protos`"
    assert len(list((tmp_path / "npc_server" / "v1").iterdir())) == 4


def test_changed_proto_is_noticed(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools")
    changed = tmp_path / "protos" / PROTO
    changed.parent.mkdir(parents=True)
    changed.write_text((ROOT / "protos" / PROTO).read_text().replace("string slot = 1;", "string slot_name = 1;", 1))
    (tmp_path / "out").mkdir()
    made = {path.name: path.read_text() for path in regenerate(tmp_path / "out", tmp_path)}
    assert made["npc_pb2.py"] != (ROOT / "npc_server" / "v1" / "npc_pb2.py").read_text()


def test_calls_and_values_are_named_as_the_style_guide_asks() -> None:
    assert pb.DESCRIPTOR.package == "npc_server.v1"
    for service in pb.DESCRIPTOR.services_by_name.values():
        assert service.name.endswith("Service")
        for method in service.methods:
            assert (method.input_type.name, method.output_type.name) == (f"{method.name}Request", f"{method.name}Response")
    for enum in pb.DESCRIPTOR.enum_types_by_name.values():
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper() + "_"
        assert all(value.name.startswith(prefix) for value in enum.values)
        assert (enum.values[0].name, enum.values[0].number) == (f"{prefix}UNSPECIFIED", 0)
    for message in pb.DESCRIPTOR.message_types_by_name.values():
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", field.name) for field in message.fields)


SCALES = ("ScoredMemory", "Mood", "Needs", "FillsEntry")
"""Messages whose numbers are shares or points."""


def test_fields_that_hold_time_or_distance_say_their_unit() -> None:
    for message in pb.DESCRIPTOR.message_types_by_name.values():
        for field in message.fields:
            if field.type == field.TYPE_FLOAT and message.name not in SCALES and field.name != "speed":
                assert re.search(r"_(m|s|ms)$", field.name), f"{message.name}.{field.name}"


def test_every_call_and_service_is_commented_in_the_proto() -> None:
    lines = (ROOT / "protos" / PROTO).read_text().splitlines()
    wanted = [number for number, line in enumerate(lines) if re.match(r"\s*(rpc|service) ", line)]
    assert len(wanted) > 20
    assert [lines[number] for number in wanted if not lines[number - 1].lstrip().startswith("//")] == []


def test_the_page_of_the_protocol_names_every_call() -> None:
    text = DOCS.read_text()
    for service in pb.DESCRIPTOR.services_by_name.values():
        (row,) = re.findall(rf"^\| `{service.name}` \|(.+)\|$", text, re.M)
        assert re.findall(r"`(\w+)`", row) == [method.name for method in service.methods], f"docs/protocol.md, {service.name}"


def reasons() -> Iterator[str]:
    """Reasons of errors, and those that notices carry anywhere in the sources."""
    yield from (kind.reason for kind in every_error() if kind.__module__ == errors.__name__)
    for path in SOURCES.rglob("*.py"):
        for found in re.finditer(r'NoticeLevel\.[A-Z]+, "([A-Z_]+)"', path.read_text()):
            yield found[1]


def documented() -> dict[str, str]:
    """The reasons of the page: those of errors with their codes, and those of notices with nothing."""
    text = DOCS.read_text()
    rows = re.findall(r"^\| ([A-Z_]+) \| (.+) \|$", text, re.M)
    notices = dict.fromkeys(re.findall(r"^\| `([A-Z_]+)` \|", text, re.M), "")
    return notices | {reason: code for code, reasons in rows for reason in re.findall(r"`([A-Z_]+)`", reasons)}


def test_every_reason_is_documented() -> None:
    found = set(reasons())
    assert {"INTERNAL", "SAVE_NOT_FOUND", "EVENT_REJECTED", "OLD_EPOCH"} <= found
    assert found - set(documented()) == set(), "docs/protocol.md does not tell of these"


def test_no_reason_is_documented_that_is_never_given() -> None:
    assert set(documented()) - set(reasons()) == set()


def test_codes_of_the_docs_are_those_of_the_errors() -> None:
    from npc_server.rpc import status

    told = documented()
    for kind in every_error():
        if kind.__module__ != errors.__name__ or kind in (errors.FileProblem,):
            continue
        code = status.to_grpc(kind("It failed.", "Do this.")).code.name
        assert told[kind.reason] == code, f"{kind.reason} is {code}"


def test_error_tree_has_no_class_outside_its_file() -> None:
    """Errors are made in one place, so that the tables hold all of them."""
    outside = [kind.__qualname__ for kind in every_error() if not kind.__module__.startswith(("npc_server.errors", "tests."))]
    assert outside == []
    assert issubclass(errors.BadInput, NpcServerError)
