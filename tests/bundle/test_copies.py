"""Files and their places in a bundle."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from npc_server.bundle.copies import Copy, fingerprint, total_bytes, tree


def test_tests_and_compiled_files_stay_behind_and_what_is_kept_keeps_its_place(tmp_path: Path) -> None:
    for name in ("a.py", "b/c.py", "b/tests/test_c.py", "b/test/d.py", "b/__pycache__/c.pyc", "left/e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = list(tree(tmp_path, Path("in"), lambda path: path.name != "left"))
    assert [copy.target.as_posix() for copy in found] == ["in/a.py", "in/b/c.py"]
    assert total_bytes(found) == len("a.py") + len("b/c.py")


def test_a_file_that_was_changed_moved_or_added_makes_another_bundle(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("1")
    os.utime(file, ns=(1, 1))
    copies = [Copy(file, Path("a.py"))]
    before = fingerprint(copies, "form")
    assert fingerprint(copies, "form") == before
    assert fingerprint(copies, "another form") != before
    assert fingerprint([Copy(file, Path("b.py"))], "form") != before
    assert fingerprint([*copies, Copy(file, Path("b.py"))], "form") != before
    os.utime(file, ns=(1, 2))
    assert fingerprint(copies, "form") != before


def test_programs_and_libraries_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    program = Path(sys.executable).resolve()
    (tmp_path / "x.so").write_text("a linker script")
    assert Copy(program, Path("python/bin/python3")).is_native
    assert not Copy(tmp_path / "x.so", Path("x.so")).is_native
    assert not Copy(Path(__file__), Path("a.py")).is_native
