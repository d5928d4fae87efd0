"""Plays the demo's game in a real Godot with a real server, and takes the pictures of the docs and the README's animation anew.

    python scripts/tour.py --model qwen2.5-coder-1.5b.gguf

`make tour` runs it. It needs Godot, Xvfb, and the packages of `make setup`, and takes about a quarter of an hour. Nothing is faked: the
game is played with keys, the server thinks, and the pictures show what comes of it. So they differ a little each time: look at
them before you commit them. It prints each answer to the player, who gave it, and why.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tour_pictures as pictures

from npc_server.cli.godot_project import find_godot, import_project
from npc_server.config import load_settings

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "godot_project"
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "tour.md"
ANIMATION = "tour"
DOCK = ("dock_people", "form", "dock_town", "dock_inspector")
"""These stand side by side in one picture."""
LIMIT_S = 3000
FIRST_WORD_S = 20
"""Wall seconds that a model has to its first word."""
ANSWERED_BY = {
    "model": "were written by the model",
    "chosen": "came from memory or the bank",
    "instinct": "from rules, such as sales and errands",
}
TOLD = re.compile(r"<!-- who answers -->.*?<!-- end -->", re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=os.environ.get("NPC_TOUR_MODEL") or "none", help="as engine.model, such as a GGUF file (none)")
    parser.add_argument("--only", choices=("game", "editor"), help="take only the pictures of the game, or of the editor")
    parser.add_argument("--keep", type=Path, help="folder for the save, and what was taken before it is compressed")
    chosen = parser.parse_args()
    godot = find_godot(os.environ)
    if godot is None or shutil.which("Xvfb") is None:
        sys.exit("The tour needs Godot 4.4 or newer (make godot) and Xvfb (apt-get install xvfb).")
    sys.path.insert(0, str(ROOT))  # the tests have a display, and drivers of an editor
    import_project(godot, PROJECT, os.environ)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (chosen.keep or Path(scratch)).resolve()
        taken = folder / "taken"
        taken.mkdir(parents=True, exist_ok=True)
        if chosen.only != "editor":
            write_game(taken, play(str(godot), chosen.model, taken, folder))
        if chosen.only != "game":
            open_editor(str(godot), taken / "editor", folder)
            write_editor(taken / "editor")
    return 0


def play(godot: str, model: str, taken: Path, scratch: Path) -> dict[str, Any]:
    """Plays the game, and returns what its case reports."""
    from tests.godot.conftest import user_folder
    from tests.godot.display import display

    if model != "none" and Path(model).suffix == ".gguf":
        model = str(Path(model).resolve(strict=True))
    words = ["--rendering-driver", "opengl3", "--audio-driver", "Dummy", "--path", str(PROJECT), "res://tests/run.tscn"]
    with display() as screen:
        env = {**os.environ, **user_folder(scratch), **screen, **server_of(model)}
        ran = subprocess.run(
            [godot, *words, "--", "tour", f"out={taken}", f"limit_s={LIMIT_S}", "--town=alderwick"],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    results = [line for line in ran.stdout.splitlines() if line.startswith("RESULT ")]
    if ran.returncode != 0 or not results:
        sys.exit(f"The tour was not played to its end (code {ran.returncode}), so no picture was replaced:\n{ran.stdout[-5000:]}")
    found: dict[str, Any] = json.loads(results[-1].removeprefix("RESULT "))
    (taken / "result.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    say(f"Played with {found['model'] or 'no language model'}. Look at each picture before you commit it.")
    tell_answers(found["answers"])
    for problem in found.get("missed", []):
        say(f"  {problem}")
    return found


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def tell_answers(answers: Sequence[Mapping[str, Any]]) -> None:
    """Prints who gave each answer, and what the server says of why."""
    for it in answers:
        kind = "free" if it["is_free"] else ""
        say(f"{it['by']:9}{kind:5}{it['first_s']:5.1f} s {it['whole_s']:5.1f} s  {it['heard']} -> {it['said']}")
        for why in it["why"]:
            say(f"{'':14}{why}")


def server_of(model: str) -> dict[str, str]:
    """Where the game finds its server, and the server the models of whoever starts the tour: else each tour would be a first start.

    A model has more time than players give it, since few machines that take pictures have a graphics card.
    """
    command, models = Path(sys.executable).parent / "npc-server", load_settings(None).engine.models_folder
    return {
        "NPC_SERVER_COMMAND": str(command),
        "NPC_SERVER_ENGINE__MODEL": model,
        "NPC_SERVER_ENGINE__MODELS_FOLDER": str(models),
        "NPC_SERVER_ENGINE__FIRST_WORD_S": str(FIRST_WORD_S),
        "NPC_SERVER_ENGINE__PLAYER_DEADLINE_S": str(2 * FIRST_WORD_S),
        "NPC_SERVER_TRANSPORT": "socket",
    }


def write_game(taken: Path, result: Mapping[str, Any]) -> None:
    """Writes the animation and the stills of the game, and says in the page who answers in them."""
    for file in sorted(taken.glob("*.png")):
        if not re.match(r"\d\d_", file.name):  # frames of the animation begin with the number of their clip
            pictures.write_still(file, IMAGES / f"{file.stem}.webp")
    model, by = str(result["model"]), Counter(it["by"] for it in result["answers"])
    told = f"{model} wrote {by['model']} of {by.total()} answers" if by["model"] else "answers from memory, a bank and rules"
    lasts = pictures.write_animation(pictures.read_frames(taken), IMAGES / f"{ANIMATION}.webp", told)
    say(f"{ANIMATION}.webp: {lasts / 1000:.0f} s, {(IMAGES / f'{ANIMATION}.webp').stat().st_size / 1e6:.1f} MB")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TOLD.sub(lambda _: f"<!-- who answers -->\n{who_answers(result)}\n<!-- end -->", page), encoding="utf-8")


def who_answers(result: Mapping[str, Any]) -> str:
    """Who gave the answers to the player, and who decided everything that was done, said and thought."""
    answers, model = result["answers"], str(result["model"])
    by, freely = Counter(it["by"] for it in answers), [it["by"] for it in answers if it["is_free"]]
    with_it = f"The language model in these pictures is `{model}`." if model else "No language model was installed for these pictures."
    given = ", ".join(f"{by[source]} {words}" for source, words in ANSWERED_BY.items())
    free = f" Of the {len(freely)} answers to questions that no rule foresees, the model wrote {freely.count('model')}." if model else ""
    decided = ", ".join(f"{source} {int(count):,}" for source, count in result["decisions"].items())
    all_of_it = f"Actions, lines and thoughts of all people together were decided by: {decided}."
    return f"{with_it} Of the {len(answers)} answers to the player's lines, {given}.{free} {all_of_it}"


def open_editor(godot: str, taken: Path, scratch: Path) -> None:
    """Takes pictures of the dock and of the debugger's tab in Godot's editor."""
    from tests.godot import test_debugger_tab, test_minds_dock

    taken.mkdir(exist_ok=True)
    os.environ["NPC_SCREENSHOT_DOCK"] = str(taken)
    test_minds_dock.drive(godot, test_minds_dock.make_project(scratch / "dock"), "pictures")
    test_debugger_tab.drive(godot, scratch / "debugger", "pictures")


def write_editor(taken: Path) -> None:
    pictures.write_side_by_side([taken / f"{name}.png" for name in DOCK], IMAGES / "minds.webp")
    pictures.write_still(taken / "debugger_tab.png", IMAGES / "debugger_tab.webp")


if __name__ == "__main__":
    sys.exit(main())
