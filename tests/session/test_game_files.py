"""What changed in a game's files since a save was made from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.records import Document
from npc_server.session.game_files import ChangeKind, FileChange, GameFiles, changes, digest
from npc_server.session.host import Host
from tests.session.conftest import personas, town


def edited(file: Document, old: str, new: str) -> Document:
    assert old in file.text
    return replace(file, text=file.text.replace(old, new, 1))


def told(found: list[FileChange]) -> list[tuple[str, str, str]]:
    return [(change.npc, change.kind.value, change.summary) for change in found]


ADA = Document("personas/ada_finch.yaml", "name: Ada Finch\nage: 40\nidentity: Ada Finch mends clocks\nhome: mara_house:bedroom\n")


def test_the_same_files_have_not_changed_whatever_their_line_endings_and_folder() -> None:
    moved = [Document(f"/games/one/{it.name}", "\ufeff" + it.text.replace("\n", "\r\n")) for it in personas()]
    assert changes(town(), personas(), GameFiles("", town(), tuple(moved))) == []
    assert digest("a\r\nb") == digest("a\nb") != digest("a b")


def test_a_change_is_told_by_the_keys_that_changed() -> None:
    mara, *rest = personas()
    old = Document(mara.name, "id: mara_voss\n" + ADA.text + "work: cafe\n")
    new = Document(mara.name, "id: mara_voss\n" + ADA.text.replace("40", "41").replace("clocks", "boats") + "lifestyle: Late.\n")
    assert told(changes(None, [old, *rest], GameFiles(personas=(new, *rest)))) == [
        ("mara_voss", "changed", "personas/mara_voss.yaml: age and identity changed, lifestyle is new, work is gone."),
    ]


def test_new_comments_are_told_as_such() -> None:
    mara, *rest = personas()
    (change,) = changes(None, [mara, *rest], GameFiles(personas=(replace(mara, text="# A note\n" + mara.text), *rest)))
    assert change.summary == "personas/mara_voss.yaml: only comments or layout changed."


def test_a_new_file_is_a_new_person_and_one_that_is_gone_leaves_its_person_in_the_save() -> None:
    mara, tobin, ines = personas()
    assert told(changes(None, [mara, tobin, ines], GameFiles(personas=(mara, ines, ADA)))) == [
        ("ada_finch", "added", "personas/ada_finch.yaml is new: Ada Finch is not in this save yet."),
        ("tobin_hale", "removed", "personas/tobin_hale.yaml is gone; Tobin Hale stays in this save."),
    ]


def test_people_are_told_apart_by_id_and_not_by_the_names_of_their_files() -> None:
    mara, *rest = personas()
    moved = edited(Document("baker.yaml", mara.text), "age: 34", "age: 35") if "age: 34" in mara.text else None
    assert moved is not None
    (change,) = changes(None, [mara, *rest], GameFiles(personas=(moved, *rest)))
    assert (change.npc, change.kind, change.summary) == ("mara_voss", ChangeKind.CHANGED, "baker.yaml: age changed.")


def test_a_file_that_cannot_be_read_is_told_with_line_and_fix() -> None:
    mara, *rest = personas()
    line = mara.text.count("\n") + 1
    (change,) = changes(None, [mara, *rest], GameFiles(personas=(replace(mara, text=mara.text + "extra: [,\n"), *rest)))
    assert (change.file, change.npc, change.kind) == ("personas/mara_voss.yaml", "", ChangeKind.CHANGED)
    assert change.summary.startswith(f"personas/mara_voss.yaml:{line}: ")
    assert "Close it with ']'" in change.summary
    assert change.summary.endswith("Play goes on with the text of the save until the file is fixed.")


def test_a_changed_town_is_told_by_its_keys_and_a_broken_one_by_its_mistake() -> None:
    bigger = edited(town(), "name: Millbrook", "name: Great Millbrook")
    assert told(changes(town(), [], GameFiles(town=bigger))) == [("", "changed", "town.yaml: name changed.")]
    (change,) = changes(town(), [], GameFiles(town=Document("town.yaml", "id: [")))
    assert change.summary.startswith("town.yaml:1: ")


async def test_an_opened_save_says_what_changed_and_plays_on_with_its_own_files(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    mara, *rest = personas()
    files = GameFiles("", town(), (edited(mara, "age: 34", "age: 35"), *rest))
    session = await host.open_save("one", files=files)
    assert [change.summary for change in session.changes] == ["personas/mara_voss.yaml: age changed."]
    assert session.agent("mara_voss").mind.persona.age == 34
    await session.close(save=False)
    assert (await host.open_save("one")).changes == []
