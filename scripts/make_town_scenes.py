"""Makes the scenes of the demo's towns anew: with the nodes that the addon's dock makes of their town files, and with what the demo adds.

Run it after scripts/copy_town.py if places, objects or people have changed. Somebody at the editor would press "Make Nodes…" instead,
which keeps what the scene has. Usage: python scripts/make_town_scenes.py
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "godot_project"
TOWNS = ("alderwick", "millbrook")
LIMIT_S = 120


def index_of(town: str, folder: Path) -> Path:
    """Writes what npc-server tells the dock about a town of the demo, and returns the file."""
    from npc_server.session.game_index import index

    files = PROJECT / "demo" / "towns" / town
    told = folder / f"{town}.json"
    told.write_text(json.dumps(index(files / "town.yaml", files / "personas")), encoding="utf-8")
    return told


def tidy(text: str) -> str:
    """Returns a scene without empty lists and the random ids that Godot puts into it, so that the same town gives the same file."""
    text = re.sub(r" unique_id=\d+", "", text)
    text = re.sub(r"^\w+ = Packed\w+\(\)\n", "", text, flags=re.MULTILINE)
    text = re.sub(r'(\[gd_scene[^]]*) uid="[^"]+"', r"\1", text)
    found = re.findall(r'^\[ext_resource .* id="([^"]+)"\]', text, re.MULTILINE)
    for number, name in enumerate(found, 1):
        text = text.replace(f'"{name}"', f'"{number}"')
    return text


def make(godot: Path, town: str, folder: Path) -> str:
    out = folder / f"{town}.tscn"
    case = ["town_scene", f"town={town}", f"index={index_of(town, folder)}", f"out={out}"]
    done = subprocess.run(
        [str(godot), "--headless", "--path", str(PROJECT), "res://tests/run.tscn", "--", *case],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode != 0 or not out.is_file():
        sys.exit(f"Godot made no scene of {town}:\n{done.stdout}{done.stderr}")
    return tidy(out.read_text(encoding="utf-8"))


def main() -> None:
    from npc_server.cli.godot_project import find_godot

    godot = find_godot(os.environ)
    if godot is None:
        sys.exit("There is no Godot: install 4.4 or later and set GODOT, or on Debian run scripts/get_godot.sh.")
    with TemporaryDirectory() as folder:
        for town in TOWNS:
            (PROJECT / "demo" / "towns" / f"{town}.tscn").write_text(make(godot, town, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
