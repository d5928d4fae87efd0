"""The demo town: the same town as the server's, and its people can get everywhere in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from npc_server.documents import read_document
from npc_server.session.game_index import index
from npc_server.world.town import load_town
from npc_server.world.town_of_nodes import read_nodes, town_of_nodes
from tests.godot.conftest import PROJECT, ROOT, RunCase, user_folder
from tests.godot.display import SIZE, display
from tests.waiting import LIMIT_S

SOURCE = ROOT / "npc_server" / "data" / "towns"
COPY = PROJECT / "demo" / "towns"
TOWNS = ("alderwick", "millbrook")
LEFT_OUT = ("household",)
"""Its things need hands, which the demo's bodies have not (docs/household.md)."""


def test_demo_has_the_servers_town_and_people_byte_for_byte() -> None:
    files = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.yaml") if path.relative_to(SOURCE).parts[0] not in LEFT_OUT)
    copies = sorted(path.relative_to(COPY) for path in COPY.rglob("*.yaml"))
    assert {file.parts[0] for file in files} == set(TOWNS)
    assert copies == files
    for file in files:
        same = (COPY / file).read_bytes() == (SOURCE / file).read_bytes()
        assert same, f"{file}: run scripts/copy_town.py"


@pytest.mark.parametrize("town", TOWNS)
def test_scene_is_built_from_what_stands_in_the_town_file(town: str) -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from copy_town import scene_text  # type: ignore[import-not-found, unused-ignore]
    finally:
        sys.path.pop(0)
    same = (COPY / town / "town.json").read_text(encoding="utf-8") == scene_text(town)
    assert same, "town.json: run scripts/copy_town.py"


@pytest.mark.parametrize("town", TOWNS)
def test_every_kind_of_object_and_every_look_is_drawn(town: str) -> None:
    """What no table lists is a grey box."""
    demo = PROJECT / "demo"
    tables = [path.read_text(encoding="utf-8") for path in (*demo.glob("*_shapes.gd"), demo / "furniture.gd")]
    drawn = {name for text in tables for name in re.findall(r'^\t+"([a-z ]+)":', text, re.MULTILINE)}
    scene = (demo / "towns" / f"{town}.tscn").read_text(encoding="utf-8")
    assert set(re.findall(r'^(?:kind|look) = "([^"]+)"', scene, re.MULTILINE)) - drawn == set()


def differences(run_case: RunCase, folder: Path, town: str, *arguments: str) -> list[str]:
    """In what a scene and the town file differ."""
    file, personas = COPY / town / "town.yaml", COPY / town / "personas"
    told = folder / "index.json"
    told.write_text(json.dumps(index(file, personas)), encoding="utf-8")
    ran = run_case("town_scene", f"town={town}", f"index={told}", *arguments)
    assert "people" in ran.result, ran.output
    document = read_document(file)
    kinds = {thing.address: thing.kind for thing in load_town(document).things()}
    written = town_of_nodes(read_nodes(json.dumps(ran.result["nodes"])), document)
    found = {
        ran.output: ran.code == 0,
        "what objects are drawn as": ran.result["kinds"] == kinds,
        "people": ran.result["people"] == sorted(path.stem for path in personas.glob("*.yaml")),
        "the town file that the nodes give": (written.notes, written.text) == ([], document.text),
    }
    return [what for what, is_equal in found.items() if not is_equal]


@pytest.mark.godot
@pytest.mark.parametrize("town", TOWNS)
def test_scene_has_the_nodes_of_the_town_file_and_they_give_this_file(run_case: RunCase, tmp_path: Path, town: str) -> None:
    assert differences(run_case, tmp_path, town) == [], "run scripts/make_town_scenes.py"


BED = 'position = Vector2(11.5, 11.5)\nscript = ExtResource("3")\nkind = "bed"'
BROKEN = {
    "a bed stands elsewhere": (BED, BED.replace("11.5, 11.5", "57.5, 11.5")),
    "a bed is drawn as a stove": (BED, BED.replace("bed", "stove")),
    "a room has another address": ('address = "millbrook:mara_house:kitchen"', 'address = "millbrook:mara_house:larder"'),
    "a house has no owner": ('owners = PackedStringArray("mara_voss")\n', ""),
    "somebody has another mind": ('persona_id = "ines_calder"', 'persona_id = "ines"'),
}


@pytest.mark.godot
@pytest.mark.parametrize("what", BROKEN)
def test_a_scene_that_differs_from_the_town_file_is_found(run_case: RunCase, tmp_path: Path, what: str) -> None:
    text = (COPY / "millbrook.tscn").read_text(encoding="utf-8")
    was, now = BROKEN[what]
    assert was in text
    broken = tmp_path / "broken.tscn"
    broken.write_text(text.replace(was, now, 1), encoding="utf-8")
    assert differences(run_case, tmp_path, "millbrook", f"scene={broken}") != []


@pytest.mark.godot
def test_a_way_leads_to_every_place_and_thing_and_none_through_a_wall(run_case: RunCase) -> None:
    ran = run_case("town_paths", "--no-server")
    assert ran.code == 0, ran.output
    assert ran.result["objects"] > 50
    assert ran.result["paths"] > 200


@pytest.mark.godot
def test_demo_shows_the_town_that_is_named(run_case: RunCase) -> None:
    ran = run_case("town_paths", "people=2", "--no-server", "--town=alderwick")
    assert ran.code == 0, ran.output
    assert (ran.result["town"], ran.result["inhabitants"]) == ("Alderwick", 25)
    assert ran.result["outside"] == [], "somebody cannot be seen"
    assert ran.result["paths"] > 400


@pytest.mark.godot
def test_nothing_is_drawn_again_while_nothing_changes_and_who_walks_is_moved(run_case: RunCase) -> None:
    ran = run_case("redraws", "--no-server", "--town=alderwick")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["at_rest"] == {}
    assert ran.result["walking"].get("people", 0) <= 8, "more than a head that turns is drawn anew"
    assert set(ran.result["walking"]) <= {"people", "labels", "lights"}
    assert ran.result["walking"].get("lights", 0) <= 2, "more is drawn than the light in a room that somebody leaves"
    assert ran.result["walking"].get("labels", 0) <= 2, "more is drawn than a name that comes back"
    assert ran.result["speaking"].get("labels", 0) <= 3, "more than one bubble and its tail is drawn"


@pytest.mark.godot
@pytest.mark.parametrize(("town", "text"), [("alderwick", "normal"), ("alderwick", "largest"), ("millbrook", "normal")])
def test_all_words_can_be_read_and_do_not_pile_up(run_case: RunCase, town: str, text: str) -> None:
    ran = run_case("words", f"text={text}", "--no-server", f"--town={town}")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output


def test_demo_writes_only_what_godots_own_font_has() -> None:
    """The system's fonts may lack the rest, and then it would be boxes with numbers."""
    for path in (PROJECT / "demo").glob("*.gd"):
        strange = set(re.findall(r"[^\x00-\xff]", path.read_text(encoding="utf-8"))) - set("“”’…—")
        assert path.name == "pictures.gd" or not strange, f"{path.name}: {strange}"
    users = {path.name for path in (PROJECT / "demo").glob("*.gd") if ".emoji" in path.read_text(encoding="utf-8")}
    assert users == {"pictures.gd"}, "what minds send as emoji is a sign for us, not text to be drawn"


@pytest.mark.godot
def test_people_go_to_their_work_and_the_town_can_be_seen(godot: str, tmp_path: Path) -> None:
    """The picture stays in the test's folder; NPC_SCREENSHOT names another file for it."""
    picture = Path(os.environ.get("NPC_SCREENSHOT", tmp_path / "town.png"))
    command = [godot, "--rendering-driver", "opengl3", "--audio-driver", "Dummy", "--path", str(PROJECT), "res://tests/run.tscn"]
    with display() as screen:
        done = subprocess.run(
            [*command, "--", "screenshot", f"out={picture}", "--no-server"],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
            env={**os.environ, **user_folder(tmp_path), **screen},
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SCRIPT ERROR" not in done.stderr, done.stderr
    assert f'"size":[{SIZE[0]},{SIZE[1]}]' in done.stdout
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")) == SIZE
    colours = int(done.stdout.split('"colours":')[1].split(",")[0])
    assert colours > 300, "the picture is nearly empty"
