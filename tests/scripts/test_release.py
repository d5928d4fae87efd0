"""What `make release` publishes."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from pathlib import Path

import pytest

import npc_server

PROJECT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("release", PROJECT / "scripts" / "release.py")
assert _spec is not None
assert _spec.loader is not None
release = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(release)


def an_addon(folder: Path, version: str = npc_server.__version__) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "lib.so").write_bytes(b"of this machine")
    (folder / "plugin.cfg").write_text(f'[plugin]\nname="x"\nversion="{version}"\n', encoding="utf-8")
    for name in ("LICENSE", "README.md", "plugin.gd", "icon.png"):
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def test_the_addon_of_the_repository_can_be_published() -> None:
    release.check_addon()


def test_the_zip_unpacks_into_the_addons_of_a_game_without_what_belongs_to_one_machine(tmp_path: Path) -> None:
    made = release.make_addon_zip(tmp_path, an_addon(tmp_path / "npc"))
    assert zipfile.ZipFile(made).namelist() == [
        f"addons/npc/{name}" for name in ("LICENSE", "README.md", "icon.png", "plugin.cfg", "plugin.gd")
    ]
    assert made.name == f"npc-addon-{npc_server.__version__}.zip"


def test_the_same_addon_makes_the_same_zip(tmp_path: Path) -> None:
    addon, other = an_addon(tmp_path / "npc"), tmp_path / "other"
    other.mkdir()
    first = release.make_addon_zip(tmp_path, addon).read_bytes()
    (addon / "plugin.gd").touch()
    assert release.make_addon_zip(other, addon).read_bytes() == first


def test_an_addon_of_another_version_is_not_published(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"'9\.9'.*Write"):
        release.check_addon(an_addon(tmp_path / "npc", version="9.9"))


def test_the_notes_are_what_the_changelog_says_of_the_version() -> None:
    changelog = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [0.1.0] - 2026-11-28\n\n- now\n\n## [0.0.9]\n\n- before\n"
    assert release.notes_of("0.1.0", changelog) == "# npc-server 0.1.0\n\n- now\n"
    assert "later" in release.notes_of("0.2.0", changelog)
    with pytest.raises(SystemExit, match="Write a section"):
        release.notes_of("0.2.0", "# Changelog\n")


def test_sums_are_those_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"a")
    release.write_sums(tmp_path)
    assert (tmp_path / "SHA256SUMS").read_text(encoding="utf-8") == f"{hashlib.sha256(b'a').hexdigest()}  a.zip\n"


def test_a_bundle_is_zipped_with_its_programs_as_programs_and_nothing_else_is(tmp_path: Path) -> None:
    bundle = tmp_path / "bundles" / "macos-arm64"
    (bundle / "python").mkdir(parents=True)
    (bundle / "bundle.json").write_text('{"platform": "macos-arm64"}', encoding="utf-8")
    (bundle / "npc-server").write_text("#!/bin/sh", encoding="utf-8")
    (bundle / "npc-server").chmod(0o755)
    made = release.zip_bundle(bundle, tmp_path)
    assert made.name == f"npc-server-{npc_server.__version__}-macos-arm64.zip"
    modes = {it.filename: it.external_attr >> 16 & 0o777 for it in zipfile.ZipFile(made).infolist()}
    assert modes["npc-server/npc-server"] == 0o755
    assert modes["npc-server/bundle.json"] & 0o111 == 0
    (bundle / "bundle.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match="is no bundle that npc-server bundle --platform made"):
        release.zip_bundle(bundle, tmp_path)
