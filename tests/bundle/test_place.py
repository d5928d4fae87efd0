"""Where a bundle may be made, and what one says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.bundle.place import MARK, Mark, check_place, read_mark
from npc_server.errors import BadInput


def test_a_bundle_says_what_it_is_for(tmp_path: Path) -> None:
    mark = Mark("0.1.0", "f", (), "", 28, (), (), platform="windows", was_run=False)
    (tmp_path / MARK).write_text(mark.as_text)
    assert read_mark(tmp_path) == mark


def test_a_bundle_of_another_version_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text('{"version": "0.0.1"}')
    (tmp_path / "npc-server").write_text("")
    assert read_mark(tmp_path) is None
    check_place(tmp_path)


def test_a_folder_that_is_no_bundle_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "save").write_text("")
    with pytest.raises(BadInput, match=r"is there and is not a bundle.*Move it away"):
        check_place(tmp_path)
    with pytest.raises(BadInput, match=r"is not a folder"):
        check_place(tmp_path / "save")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(BadInput, match=r"is not a folder"):
        check_place(tmp_path / "link")
    with pytest.raises(BadInput, match=r"There is no folder.*Create it first"):
        check_place(tmp_path / "a" / "b")
    (tmp_path / "empty").mkdir()
    check_place(tmp_path / "empty")
    check_place(tmp_path / "new")
