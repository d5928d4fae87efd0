"""Makes what is published of one version: the addon's zip, the wheels and the source archive, their checksums, and the notes.

    python scripts/release.py [FOLDER] [--bundles BUNDLES]    the default folder is dist/

Nothing is uploaded. `npc-server bundle --platform` makes bundles. Those in the folder BUNDLES are zipped; with --only-bundles nothing
else is made. What lies in FOLDER already gets a checksum, too.
"""

from __future__ import annotations

import argparse
import configparser
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parent.parent
ADDON = PROJECT / "godot_project" / "addons" / "npc"
NOT_PUBLISHED = ("bin", "__pycache__", "build")
"""Folders of the addon that belong to one machine."""
SAME_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip, so that the same addon makes the same zip."""
SUMS, NOTES = "SHA256SUMS", "NOTES.md"


def version() -> str:
    """Return the version of the package, which is written in `npc_server/__init__.py` alone. Raises SystemExit if it has none."""
    found = re.search(r'^__version__ = "([^"]+)"', (PROJECT / "npc_server" / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit("npc_server/__init__.py has no __version__. Write the version there.")
    return found[1]


def addon_files(addon: Path = ADDON) -> Iterator[Path]:
    """Yield the files of the addon that a developer gets, in a fixed order."""
    for path in sorted(addon.rglob("*")):
        if path.is_file() and not set(path.relative_to(addon).parts) & set(NOT_PUBLISHED):
            yield path


def check_addon(addon: Path = ADDON) -> None:
    """Raise SystemExit where the addon is not what Godot's asset library asks for, or of another version than the package."""
    plugin = configparser.ConfigParser()
    plugin.read(addon / "plugin.cfg", encoding="utf-8")
    named = plugin.get("plugin", "version", fallback="").strip('"')
    if named != version():
        raise SystemExit(f"plugin.cfg has version {named!r}, and the package {version()!r}. Write {version()!r} into plugin.cfg.")
    for name in ("LICENSE", "README.md", "plugin.gd", "icon.png"):
        if not (addon / name).is_file():
            raise SystemExit(f"The addon has no {name}. The asset library needs it in {addon.relative_to(PROJECT)}.")


def make_addon_zip(folder: Path, addon: Path = ADDON) -> Path:
    """Return the addon's zip, which unpacks as `addons/npc/` into the folder of a game."""
    made = folder / f"npc-addon-{version()}.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in addon_files(addon):
            entry = zipfile.ZipInfo(f"addons/npc/{path.relative_to(addon).as_posix()}", SAME_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    return made


def zip_bundle(bundle: Path, folder: Path) -> Path:
    """Return the zip of a bundle, which unpacks as `npc-server/` with its programs as programs. Raise SystemExit if it is none."""
    try:
        platform = json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))["platform"]
    except (OSError, ValueError, KeyError):
        platform = ""
    if not platform:
        raise SystemExit(f"{bundle} is no bundle that npc-server bundle --platform made. Move it away.")
    made = folder / f"npc-server-{version()}-{platform}.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(it for it in bundle.rglob("*") if it.is_file()):
            entry = zipfile.ZipInfo(f"npc-server/{path.relative_to(bundle).as_posix()}", SAME_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (path.stat().st_mode & 0o777) << 16
            archive.writestr(entry, path.read_bytes())
    return made


def find_uv() -> str:
    """Return the path of uv. Raises SystemExit without it."""
    uv = shutil.which("uv") or next((str(path) for path in (PROJECT / ".tools" / "bin").glob("uv")), None)
    if uv is None:
        raise SystemExit("There is no uv to build the packages with. Run make setup.")
    return uv


def make_packages(folder: Path) -> None:
    """Build the source archive, from it the wheel of npc-server, and the wheel of npc-eval. Raises SystemExit without uv."""
    build = [find_uv(), "build", "--quiet", "--out-dir", str(folder)]
    subprocess.run([*build, str(PROJECT)], check=True)
    subprocess.run([*build, "--wheel", str(PROJECT / "npc_eval")], check=True)
    (folder / ".gitignore").unlink(missing_ok=True)


def notes_of(number: str, changelog: str) -> str:
    """Return what the changelog says of a version; of a version without a section, what is not released yet."""
    sections = dict(re.findall(r"^## \[([^\]]+)\][^\n]*\n(.*?)(?=^## \[|\Z)", changelog, re.MULTILINE | re.DOTALL))
    found = sections.get(number) or sections.get("Unreleased", "")
    if not found.strip():
        raise SystemExit(f"CHANGELOG.md says nothing of {number}. Write a section [{number}].")
    return f"# npc-server {number}\n\n{found.strip()}\n"


def write_sums(folder: Path) -> None:
    """Write the checksum of every file of the folder, as `sha256sum --check` reads it."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name not in (SUMS, NOTES))
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=PROJECT / "dist")
    parser.add_argument("--bundles", type=Path, help="the folder in which each folder is a bundle")
    parser.add_argument("--only-bundles", action="store_true", help="zip the bundles, and make nothing else")
    given = parser.parse_args()
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for bundle in sorted(it for it in given.bundles.iterdir() if it.is_dir()) if given.bundles else ():
        zip_bundle(bundle, folder)
    if not given.only_bundles:
        make_release(folder)
    for path in sorted(folder.iterdir()):
        sys.stdout.write(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}\n")
    return 0


def make_release(folder: Path) -> None:
    """Make all but the bundles in a folder, and the checksums of what is in it."""
    check_addon()
    (folder / NOTES).write_text(notes_of(version(), (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")), encoding="utf-8")
    make_addon_zip(folder)
    make_packages(folder)
    write_sums(folder)


if __name__ == "__main__":
    sys.exit(main())
