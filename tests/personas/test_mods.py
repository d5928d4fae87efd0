"""Mods: files that lie over the persona files of a game."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npc_server.documents import load_yaml
from npc_server.errors import BadInput
from npc_server.personas.layers import read_layer, written
from npc_server.personas.mods import Modded, read_mods, with_mods
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Document
from npc_server.world.town import load_town
from tests.session.conftest import personas, town

GAME = """\
name: Mara Voss
age: 34
identity: >
  Mara Voss bakes bread;
  Mara sings in the choir;
home: house:bed
traits: [calm, kind]
secrets:
  - Mara owes money.
voice:
  style: Warm and slow.
  greetings:
    - Morning!
    - {say: Evening., from: "18:00"}
relations:
  - {who: tobin_hale, is: neighbour, closeness: 5}
routine:
  - {at: "06:30", do: bake, where: house:stove}
  - {at: "22:00", do: sit up, where: house:bed}
wake: "06:00"
sleep: "23:30"
"""
MARA = Document("personas/mara_voss.yaml", GAME, "/game/personas/mara_voss.yaml")
ODO = "name: Odo Lind\nage: 50\nidentity: Odo Lind fishes\nhome: house:bed\n"


def mod(text: str, name: str = "mods/rain/personas/mara_voss.yaml") -> Document:
    return Document(name, text)


def played(*mods: Document) -> tuple[Persona, Modded]:
    found = with_mods([MARA], mods, "town")
    return load_persona(found.personas[0], "town"), found


def left_out(*mods: Document, addresses: set[str] | None = None) -> list[str]:
    found = with_mods([MARA], mods, "town", addresses)
    assert found.personas == (MARA,)
    return [str(problem) for problem in found.left_out]


def test_a_key_of_a_mod_takes_the_place_of_the_games_and_all_others_stay() -> None:
    mara, found = played(mod("age: 60\nvoice: {style: Curt.}\n"))
    before = load_persona(MARA, "town")
    assert (mara.age, mara.voice.style) == (60, "Curt.")
    assert (mara.name, mara.identity_phrases, mara.routine) == (before.name, before.identity_phrases, before.routine)
    assert mara.voice.greetings == before.voice.greetings
    assert found.by == {"mara_voss": ("mods/rain/personas/mara_voss.yaml",)}
    assert not found.left_out


def test_what_stands_under_add_is_added() -> None:
    mara, found = played(
        mod(
            """\
add:
  identity: Mara fears the river
  secrets: [Mara reads letters., Mara owes money.]
  traits: [proud]
  voice: {greetings: [Rain again.]}
  relations:
    - {who: tobin_hale, is: old friend, closeness: 8}
    - {who: ines_calder, is: rival}
  routine:
    - {at: "7:15", do: sweep, where: house:floor}
    - {at: "22:00", do: weep, where: house:bed}
"""
        )
    )
    assert not found.left_out
    assert mara.identity_phrases[:3] == ("Mara Voss bakes bread", "Mara sings in the choir", "Mara fears the river")
    assert mara.secrets == ("Mara owes money.", "Mara reads letters.")
    assert mara.traits == ("calm", "kind", "proud")
    assert [getattr(line, "text", line) for line in mara.voice.greetings] == ["Morning!", "Evening.", "Rain again."]
    assert [(it.who, it.being) for it in mara.relations] == [("tobin_hale", "old friend"), ("ines_calder", "rival")]
    assert [item.text for item in mara.routine] == ["bake", "sweep", "weep"]


def test_an_added_item_of_the_routine_is_put_where_its_time_belongs_also_after_midnight() -> None:
    late = GAME.replace("23:30", "01:30").replace("22:00", "00:30")
    item = "add:\n  routine:\n    - {{at: '{}', do: swim, where: house:bed}}\n"
    for at, place in (("23:00", 1), ("00:15", 1), ("0:45", 2), ("06:10", 0)):
        (document,) = with_mods([Document(MARA.name, late)], [mod(item.format(at))], "town").personas
        assert [it.text for it in load_persona(document, "town").routine].index("swim") == place


def test_an_added_item_of_the_routine_takes_the_place_of_one_at_the_same_time_however_it_is_written() -> None:
    mara, _ = played(mod("add: {routine: [{at: '6:30', days: [sun, mon, tue, wed, thu, fri, sat], do: rest, where: house:bed}]}\n"))
    assert [it.text for it in mara.routine] == ["rest", "sit up"]


def test_what_lacks_its_indentation_deletes_no_voice() -> None:
    (problem,) = left_out(mod("age: 60\nvoice:\nstyle: Curt\n"))
    assert problem.startswith("mods/rain/personas/mara_voss.yaml:2: 'voice' is empty. Indent the lines that belong to it, or write")
    assert played(mod("voice: {}\n"))[0].voice.style == ""


@pytest.mark.parametrize("key", ["Add", "adds", "added"])
def test_a_key_that_was_meant_to_add_is_told_and_not_passed_over(key: str) -> None:
    assert "mods/rain/personas/mara_voss.yaml:1: Key" in left_out(mod(f"{key}:\n  traits: [brave]\n"))[0]
    assert "Did you mean 'add'?" in left_out(mod(f"voice:\n  {key}:\n    greetings: [Ho!]\n"))[0]


def test_a_list_that_means_everything_where_there_is_none_cannot_be_added_to() -> None:
    (problem,) = left_out(mod("add: {knows: [house:stove]}\n"))
    assert problem.startswith(
        "mods/rain/personas/mara_voss.yaml:1: The game has no 'knows': without it, the person knows all public places."
    )


def test_a_key_that_a_person_needs_cannot_be_deleted() -> None:
    assert left_out(mod("age: 60\nname:\n"))[0].startswith("mods/rain/personas/mara_voss.yaml:2: 'name' is empty, and every person needs")


def test_a_mod_has_no_more_values_than_a_person_can_use() -> None:
    many = "add:\n  secrets:\n" + "".join(f"    - Secret {number}.\n" for number in range(5_000))
    assert "more than 4000 values" in left_out(mod(many))[0]


def test_mods_bring_no_more_people_than_there_may_be() -> None:
    files = [mod(ODO, f"mods/rain/personas/odo{number}.yaml") for number in range(4)]
    found = with_mods([MARA], files, "town", most=3)
    assert [len(found.personas), len(found.left_out)] == [3, 2]
    assert "There are 3 people already, and 3 are allowed." in str(found.left_out[0])


def test_an_empty_key_of_a_mod_deletes_the_games() -> None:
    mara, _ = played(mod("secrets:\nvoice: {greetings: ~}\n"))
    assert (mara.secrets, mara.voice.greetings, mara.voice.style) == ((), (), "Warm and slow.")


def test_mods_count_in_their_order() -> None:
    first, second = mod("age: 60\nadd: {traits: [proud]}\n"), mod("age: 70\nadd: {traits: [sad]}\n", "mods/snow/personas/mara_voss.yaml")
    mara, found = played(first, second)
    assert (mara.age, mara.traits) == (70, ("calm", "kind", "proud", "sad"))
    assert found.by["mara_voss"] == (first.name, second.name)
    assert played(second, first)[0].age == 60


def test_a_mod_brings_a_new_person_whom_a_later_one_changes() -> None:
    odo = mod(ODO, "mods/rain/personas/odo_lind.yaml")
    older = mod("age: 80\n", "mods/snow/personas/odo_lind.yaml")
    found = with_mods([MARA], [odo, older], "town")
    assert found.personas[0] == MARA
    assert load_persona(found.personas[1], "town").age == 80
    assert found.by == {"odo_lind": (odo.name, older.name)}


def test_without_mods_the_files_stay_as_they_are() -> None:
    assert with_mods([MARA], ()) == Modded((MARA,))


def test_a_person_is_found_by_the_id_in_the_file_before_its_name() -> None:
    mara, _ = played(mod("id: mara_voss\nage: 60\n", "mods/rain/personas/baker.yaml"))
    assert mara.age == 60


def test_a_mistake_of_a_mod_is_told_with_its_line_and_the_game_is_played_without_the_file() -> None:
    name = "mods/rain/personas/mara_voss.yaml"
    assert left_out(mod("currently: Rain.\nage: old\n")) == [f"{name}:2: 'age' is 'old' where a whole number belongs. Write e.g. 34."]
    assert left_out(mod("age: [\n"))[0].startswith(f"{name}:")
    assert left_out(mod("- a\n"))[0].startswith(f"{name}:1:")
    assert left_out(mod("add: yes\n"))[0] == f"{name}:1: Under 'add' stands 'yes'. Write keys under it, e.g. `secrets:` and a list."
    assert (
        left_out(mod("\nadd: {age: 3}\n"))[0] == f"{name}:2: Nothing can be added to 'age'. Write it beside 'add', to replace the game's."
    )
    assert left_out(mod("add:\n  secrets: Mara lies.\n")) == [
        f"{name}:2: 'secrets' is a list, and 'Mara lies.' cannot be added. Write a list: begin each item with '- '."
    ]
    routine = 'add:\n  routine:\n    - {at: "22:10", do: rest, where: house:bed}\n    - {at: "25:00", do: rest, where: house:bed}\n'
    assert left_out(mod(routine))[0].startswith(f"{name}:4: ")


def test_a_mistake_that_shows_in_the_games_lines_names_both_files() -> None:
    (problem,) = left_out(mod('sleep: "20:00"\n'))
    assert problem.startswith("mods/rain/personas/mara_voss.yaml: It does not fit personas/mara_voss.yaml, line 19: 'sit up' at 22:00 is")


def test_a_place_that_the_game_does_not_have_leaves_the_file_out() -> None:
    places = {"town:house:bed", "town:house:stove"}
    (problem,) = left_out(mod("work: house:stov\n"), addresses=places)
    assert problem.startswith("mods/rain/personas/mara_voss.yaml:1: There is no place or object 'house:stov'.")


def test_a_file_for_nobody_says_whom_it_may_mean() -> None:
    assert left_out(mod("age: 3\n", "mods/rain/personas/mara_vos.yaml")) == [
        "mods/rain/personas/mara_vos.yaml: The game has nobody with the id 'mara_vos', and this file alone is no person: "
        "'name', 'identity' and 'home' are missing. Did you mean 'mara_voss'?"
    ]
    (problem,) = left_out(mod(f"{ODO}add: {{traits: [a]}}\n", "mods/rain/personas/odo.yaml"))
    assert "so there is nothing to add to." in problem


def test_one_mod_with_a_mistake_does_not_stop_the_others() -> None:
    bad, good = mod("age: old\n"), mod("age: 60\n", "mods/snow/personas/mara_voss.yaml")
    mara, found = played(bad, good)
    assert (mara.age, found.by["mara_voss"], len(found.left_out)) == (60, (good.name,), 1)


def test_a_file_of_the_game_with_a_mistake_is_not_blamed_on_a_mod() -> None:
    for text in (GAME.replace("34", "old"), "name: [\n"):
        broken = Document(MARA.name, text)
        assert with_mods([broken], [mod("traits: [calm]\n")]) == Modded((broken,))


def test_a_warning_is_told_where_its_key_was_written() -> None:
    mara, found = played(mod("\nhobby: chess\n"))
    (warning,) = mara.warnings
    assert str(found.at_source(warning)).startswith("mods/rain/personas/mara_voss.yaml:2: ")
    mara, found = played(mod("\nhobby: chess\n"), mod("age: 60\nvoice: {style: Curt.}\n", "mods/snow/personas/mara_voss.yaml"))
    (warning,) = mara.warnings
    assert str(found.at_source(warning)).startswith("mods/rain/personas/mara_voss.yaml:2: ")


def test_every_file_of_millbrook_is_the_same_person_after_it_was_changed_and_written() -> None:
    for document in personas():
        (changed,) = with_mods([document], [mod("hobby: chess\n", document.name)]).personas
        before, now = load_yaml(document).value, load_yaml(changed).value
        assert isinstance(before, dict)
        assert now == {**before, "hobby": "chess"}


def test_the_example_of_the_docs_fits_millbrook() -> None:
    page = (Path(__file__).parents[2] / "docs" / "mods.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    people = personas()
    found = with_mods(people, [mod(example)], "millbrook", {node.address for node in load_town(town()).nodes()})
    assert not found.left_out
    mara = load_persona(found.personas[0], "millbrook")
    assert (mara.age, mara.currently) == (60, "")
    assert "Mara fears the river" in mara.identity_phrases
    assert "look at the river" in [item.text for item in mara.routine]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3))
    | st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), VALUES, min_size=1, max_size=4))
def test_what_is_written_is_read_back_and_each_line_names_its_source(value: dict[str, object]) -> None:
    layer = read_layer(Document("a.yaml", json.dumps(value, ensure_ascii=False, indent=1)))
    text, lines = written(layer)
    parsed = load_yaml(Document("b.yaml", text))
    assert parsed.value == layer.value
    assert len(lines) == text.count("\n")
    for loc, line in parsed.lines.items():
        assert lines[line - 1][0] == "a.yaml"
        if loc and not isinstance(loc[-1], int):
            assert layer.keys is not None
            assert lines[line - 1][1] >= layer.keys[str(loc[0])].line[1]


def test_mods_of_a_folder_come_in_the_alphabetical_order_of_their_folders_and_without_hidden_files(tmp_path: Path) -> None:
    for name in ("rain-extra", "rain", "Rain 2", "_x", ".git"):
        (tmp_path / name / "personas").mkdir(parents=True)
        (tmp_path / name / "personas" / "mara_voss.yaml").write_text("age: 3\n")
        (tmp_path / name / "personas" / ".mara_voss.yaml").write_text("age: 3\n")
    (tmp_path / "rain" / "personas" / "b.yml").write_text("age: 3\n")
    (tmp_path / "rain" / "personas" / "notes.txt").write_text("no person")
    documents, problems = read_mods(tmp_path)
    order = [
        "_x/personas/mara_voss",
        "rain/personas/b",
        "rain/personas/mara_voss",
        "Rain 2/personas/mara_voss",
        "rain-extra/personas/mara_voss",
    ]
    assert [document.name.removeprefix("mods/").split(".")[0] for document in documents] == order
    assert not problems


def test_a_file_in_the_wrong_folder_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "rain" / "personas").mkdir(parents=True)
    (tmp_path / "rain" / "mara_voss.yaml").write_text("age: 3\n")
    (tmp_path / "mara_voss.yaml").write_text("age: 3\n")
    (tmp_path / "rain" / "personas" / "mara_voss.yaml").write_bytes(b"name: \xe9\n")
    documents, problems = read_mods(tmp_path)
    assert not documents
    assert [str(problem).split(" ")[0] for problem in problems] == [
        "mods/mara_voss.yaml:",
        "mods/rain/mara_voss.yaml:",
        "mods/rain/personas/mara_voss.yaml:1:",
    ]
    assert "Move it into the folder 'personas' of a mod." in str(problems[0])
    with pytest.raises(BadInput, match="is a mod, and not the folder around it"):
        read_mods(tmp_path / "rain")


def counted(mods: list[Document]) -> tuple[int, Modded]:
    """How often whole persons were read, and the outcome."""
    count = 0

    def read(document: Document, town_id: str) -> Persona:
        nonlocal count
        count += 1
        return load_persona(document, town_id)

    found = with_mods([MARA], mods, "town", read=read)
    return count, found


def test_a_person_is_read_as_often_for_many_mods_as_for_one() -> None:
    many = [
        mod(f"age: {20 + number % 60}\nadd:\n  secrets: [Mara hides {number}.]\n", f"mods/{number}/mara_voss.yaml") for number in range(90)
    ]
    count, found = counted(many)
    assert (count, len(found.by["mara_voss"]), found.left_out) == (1, 90, ())
    mara = load_persona(found.personas[0], "town")
    assert (mara.age, len(mara.secrets)) == (20 + 89 % 60, 91)


def test_one_mistake_among_many_mods_is_found_by_halves() -> None:
    many = [mod(f"add:\n  secrets: [Mara hides {number}.]\n", f"mods/{number}/mara_voss.yaml") for number in range(64)]
    many[40] = mod("relations:\n  - {who: mara_voss, is: neighbour}\n", "mods/40/mara_voss.yaml")  # nobody is their own neighbour
    count, found = counted(many)
    assert [problem.file for problem in found.left_out] == ["mods/40/mara_voss.yaml"]
    assert len(found.by["mara_voss"]) == 63
    assert count < 20


def test_mistakes_are_told_in_the_order_of_the_mods() -> None:
    odo = Document("personas/odo_lind.yaml", ODO)
    mods = [
        mod("age: old\n", "mods/a/mara_voss.yaml"),
        mod("age: old\n", "mods/b/odo_lind.yaml"),
        mod("nmae: x\nage: old\n", "mods/c/mara_voss.yaml"),
    ]
    found = with_mods([MARA, odo], mods, "town")
    assert list(dict.fromkeys(problem.file for problem in found.left_out)) == [it.name for it in mods]
