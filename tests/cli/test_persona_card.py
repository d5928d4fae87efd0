"""`npc-server persona import` and `persona export`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.documents import read_document
from npc_server.errors import NpcServerError
from npc_server.personas.cards.files import card_of
from npc_server.world.town import load_town
from tests.personas.cards import made
from tests.personas.test_reference_persona import folder
from tests.session.conftest import town


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["persona", *map(str, arguments)])
    if isinstance(done.exception, NpcServerError):
        return 1, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_a_card_is_imported_checked_and_exported_in_every_form(tmp_path: Path) -> None:
    card = tmp_path / "card.charx"
    card.write_bytes(made.FILES["assets.charx"])
    (tmp_path / "people").mkdir()
    place = tmp_path / "town.yaml"
    place.write_text(town().text, encoding="utf-8")
    options = ("--id", "addie", "--age", 40, "--home", "workshop:bed", "--town", place)
    code, said = run("import", card, "--to", tmp_path / "people", *options)
    assert code == 0, said
    assert "Fact number 2 is true" in load_town(read_document(place)).knowledge
    assert "3 facts of its book are in" in said
    assert (tmp_path / "people" / "addie.knowledge.txt").read_text().startswith("Fact number 0 is true\n")
    persona = tmp_path / "people" / "addie.yaml"
    assert run("check", persona)[0] == 0
    for form, suffix in (("v2", ".json"), ("v3", ".json"), ("png", ".png"), ("charx", ".charx")):
        target = tmp_path / f"out.{form}{suffix}"
        assert run("export", persona, "--as", form, "--to", target)[0] == 0
        assert card_of(target.read_bytes(), target.name).data["extensions"] == made.data()["extensions"]
    assert card_of((tmp_path / "out.charx.charx").read_bytes(), "x").root == card_of(card.read_bytes(), "y").root
    assert run("export", persona, "--as", "png", "--to", tmp_path / "out.png.png")[0] == 1, "a file was replaced"


def test_a_person_of_the_reference_is_imported(tmp_path: Path) -> None:
    path = folder(tmp_path)
    assert run("import", path, "--to", tmp_path)[0] == 0
    assert (tmp_path / "iva_rossi.yaml").is_file()
    assert not (tmp_path / "iva_rossi.card.json").exists()


def test_wrong_options_and_files_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text(json.dumps(made.v2()), encoding="utf-8")
    for arguments, why in [
        (("import", tmp_path / "nowhere.json", "--to", tmp_path), "cannot be read"),
        (("import", card, "--to", tmp_path / "nowhere"), "no folder"),
        (("import", tmp_path, "--to", tmp_path), "scratch.json"),
        (("import", card, "--to", tmp_path, "--id", "Ada Finch"), "ada_finch"),
        (("import", card, "--to", tmp_path, "--home", "No Where"), "No Where"),
        (("export", card.with_suffix(".yaml"), "--as", "v2"), "cannot be read"),
        (("export", card, "--as", "v9"), "not a form"),
    ]:
        code, said = run(*arguments)
        assert code != 0, arguments
        assert why in said, said
    assert [path.name for path in tmp_path.iterdir()] == ["card.json"]
