"""What of this Python goes into a bundle."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from npc_server.bundle.python_files import is_used, python_files, shared_library
from npc_server.errors import BadInput


def test_program_library_standard_library_and_licence_are_taken() -> None:
    targets = {copy.target.as_posix() for copy in python_files()}
    stdlib = f"python/lib/python{sys.version_info[0]}.{sys.version_info[1]}"
    assert {"python/bin/python3", f"python/lib/{shared_library().name}", "licences/python.txt"} <= targets
    assert {f"{stdlib}/os.py", f"{stdlib}/encodings/utf_8.py", f"{stdlib}/sqlite3/__init__.py"} <= targets
    assert not any("/site-packages/" in name or "/idlelib/" in name or "/tests/" in name for name in targets)


@pytest.mark.parametrize("name", ["os.py", "encodings", "_ssl.cpython-311-x86_64-linux-gnu.so", "_ctypes.so", "unittest"])
def test_what_a_server_may_need_is_used(name: str) -> None:
    assert is_used(Path("lib", name))


@pytest.mark.parametrize(
    "name",
    ["tkinter", "ensurepip", "config-3.11-x86_64-linux-gnu", "libpython3.11.a", "readline.cpython-311-x86_64-linux-gnu.so", "_testcapi.so"],
)
def test_what_only_developers_need_is_not(name: str) -> None:
    assert not is_used(Path("lib", name))


def test_a_python_without_a_shared_library_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sysconfig.get_config_var
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: "libpython3.11.a" if name == "INSTSONAME" else real(name))
    with pytest.raises(BadInput, match=r"has no shared library \(libpython3.11.a\).*uv python install"):
        shared_library()
