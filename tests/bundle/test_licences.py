"""The licences in a bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from npc_server.bundle.copies import Copy
from npc_server.bundle.licences import licences_of, own_licences
from npc_server.bundle.make import PACKAGE


def test_npc_servers_own_and_its_models_licences_come() -> None:
    assert [copy.target.name for copy in own_licences(PACKAGE)] == ["npc-server.txt", "models.txt", "models-notice.txt"]


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs Debian's packages")
def test_a_library_of_debian_brings_its_licence() -> None:
    library = Copy(Path("/usr/lib/x86_64-linux-gnu/libz.so.1").resolve(), Path("libz.so.1"))
    if not library.source.is_file():
        pytest.skip("This Debian is for another processor.")
    found, without = licences_of([library])
    assert without == ()
    assert found[0].target == Path("licences", "libz.so.1.txt")
    assert "zlib" in found[0].source.read_text(encoding="utf-8").lower()


def test_a_library_of_nobody_is_named(tmp_path: Path) -> None:
    assert licences_of([Copy(tmp_path / "libown.so.1", Path("libown.so.1"))]) == ((), ("libown.so.1",))
