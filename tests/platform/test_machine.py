from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.platform import machine


def test_the_machine_has_cores_memory_and_a_processor() -> None:
    assert machine.cores() >= 1
    assert machine.memory_bytes() > 100_000_000
    assert machine.processor().rpartition(" x ")[2] == str(machine.cores())


def test_the_limit_of_a_container_counts_on_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, branch: str) -> None:
    whole = machine.memory_bytes()
    limit = tmp_path / "memory.max"
    limit.write_text("64000000\n")
    monkeypatch.setattr(machine, "_CGROUP", limit)
    assert machine.memory_bytes() == (whole if branch else 64_000_000)
    limit.write_text("max\n")
    assert machine.memory_bytes() > 64_000_000


def test_amx_is_read_from_what_linux_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, branch: str) -> None:
    told = tmp_path / "cpuinfo"
    told.write_text("model name\t: Xeon\nflags\t\t: fpu amx_bf16 amx_int8\n")
    monkeypatch.setattr(machine, "_CPUINFO", told)
    assert machine.has_amx() is not bool(branch)
    told.write_text("model name\t: amx_int8\nflags\t\t: fpu\n")
    assert not machine.has_amx()
