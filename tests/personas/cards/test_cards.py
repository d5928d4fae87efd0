"""Character cards of every form become persona files and come back as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from npc_server.documents import read_document
from npc_server.errors import BadInput, FileProblem
from npc_server.personas.cards import beside, charx, from_persona, png
from npc_server.personas.cards.card import MOST_JSON, Card
from npc_server.personas.cards.files import FORMS, Form, bytes_of, card_of
from npc_server.personas.cards.prose import MacroNames, spoken
from npc_server.personas.cards.to_persona import Given, imported
from npc_server.personas.schema import load_persona
from tests.personas.cards import made


@pytest.mark.parametrize("name", list(made.FILES))
def test_a_card_becomes_a_persona_and_comes_back_equal_in_its_own_form(name: str, tmp_path: Path) -> None:
    card, given = card_of(made.FILES[name], name), Given(age=40, home="workshop:bed")
    result = imported(card, given)
    paths = beside.write(tmp_path, card, result, given, force=False)
    document = read_document(paths[-1])
    persona = load_persona(document, "town")
    assert (persona.id, persona.name, persona.age) == (result.npc, card.text("name"), 40)
    assert persona.identity_phrases
    back = from_persona.card_of(document, beside.read(paths[-1]))
    assert (back.root, back.portrait, back.assets) == (card.root, card.portrait, card.assets)
    for form in FORMS:
        again = card_of(bytes_of(back, form), f"again.{form}")
        assert set(card.data) <= set(again.data), "a field was lost"
        assert all(again.data[key] == value for key, value in card.data.items() if key != "character_book")
    if card.root.get("spec") in ("chara_card_v2", "chara_card_v3"):
        own: Form = "png" if name.endswith("png") else "charx" if name.endswith("charx") else "v3" if "nickname" in card.data else "v2"
        assert card_of(bytes_of(back, own), name).root == card.root


def test_prose_becomes_facts_by_sentences_and_lines_become_the_voice() -> None:
    result = imported(Card(made.v3()), Given(age=1, home="a:b"))
    assert str(result.values["identity"]).split(";\n") == [
        "Addie mends clocks in Millbrook", "Addie has a dog called Bello", "it bites", "Addie's hair: red", "Ada is patient"
    ]  # fmt: skip
    assert result.values["currently"] == "Addie is looking for a spring for the tower clock."
    assert result.values["voice"] == {
        "exchanges": [{"heard": "What time is it?", "said": "Ask me in an hour."}, {"heard": "Bye!", "said": "Go well."}],
        "greetings": ["Mind the gears!", "Hello."],
    }
    assert result.warnings == ("1 sentences speak of the player, and are left out. Give --user NAME to keep them.",)
    named = imported(Card(made.v3()), Given(age=1, home="a:b", user="Robin"))
    assert "Addie likes Robin" in str(named.values["identity"])
    assert named.warnings == ()


def test_a_book_becomes_facts_of_the_town_without_what_is_switched_off() -> None:
    entries = [
        made.BOOK_ENTRY,
        {**made.BOOK_ENTRY, "content": "Nobody may know.", "enabled": False},
        {**made.BOOK_ENTRY, "content": "@@depth 3\n@@role system\nThe toll is doubled.\nThe toll is doubled."},
        {**made.BOOK_ENTRY, "content": "x" * 501},
    ]
    result = imported(Card(made.v2(character_book={"entries": entries})), Given(age=1, home="a:b"))
    assert result.knowledge == ("The crown lies in the mill", "Ada Finch knows it", "nobody else does", "The toll is doubled")
    assert any("1 facts of the book" in warning for warning in result.warnings)


def test_what_is_changed_in_the_persona_file_changes_the_card_and_nothing_else(tmp_path: Path) -> None:
    card, given = card_of(made.FILES["v3.png"], "v3.png"), Given()
    (*_, path) = beside.write(tmp_path, card, imported(card, given), given, force=False)
    path.write_text(path.read_text().replace("it bites", "it never bites").replace('"Hello."', '"Good day."'))
    back = from_persona.card_of(read_document(path), beside.read(path))
    assert "it never bites." in back.text("description")
    assert (back.text("personality"), back.texts("alternate_greetings")) == ("", ["Good day."])
    same = ("name", "scenario", "mes_example", "extensions", "nickname", "source", "tags")
    assert [back.data[name] for name in same] == [card.data[name] for name in same]
    assert back.root["outside"] == {"kept": True}


def test_a_persona_that_was_no_card_becomes_one_without_its_secrets(tmp_path: Path) -> None:
    path = tmp_path / "ada.yaml"
    path.write_text(
        "name: Ada\nage: 40\ntraits: [patient]\nidentity: Ada mends clocks; Ada has a dog.\nhome: a:b\nsecrets: [Ada stole a crown.]\n"
        "voice: {greetings: [Hello.], exchanges: [{heard: Bye!, said: Go well.}]}\n"
    )
    document = read_document(path)
    card = card_of(bytes_of(from_persona.card_of(document, None), "png"), "ada.png")
    assert card.text("description") == "Ada mends clocks.\nAda has a dog.\n"
    assert (card.text("personality"), card.text("first_mes")) == ("patient", "Hello.")
    assert card.text("mes_example") == "<START>\n{{user}}: Bye!\n{{char}}: Go well.\n"
    assert "crown" not in json.dumps(card.root)


def test_what_a_card_does_not_say_is_told_and_stands_as_a_comment_in_the_file() -> None:
    result = imported(Card(made.v2()), Given())
    text = result.yaml()
    assert "# Nothing says how old Ada is, so this is a guess.\nage: 30\n" in text
    assert "# Nothing says where Ada lives, so this is made up: write the address of a bed or a room of your town.\nhome: " in text
    assert [warning.partition(",")[0] for warning in result.warnings[:2]] == [
        "Nothing says how old Ada is", "Nothing says where Ada lives"
    ]  # fmt: skip
    known = imported(Card(made.v2(description="{{char}} is a 71-year-old smith.")), Given(home="mill:bed"))
    assert known.values["age"] == 71
    assert "# Nothing" not in known.yaml()


def test_sentences_of_a_book_that_go_on_from_another_stay_with_it() -> None:
    content = "Brother Alf keeps the chapel. He preaches on Sundays! It is cold there. The bell is cracked."
    book = {"entries": [{**made.BOOK_ENTRY, "content": content}]}
    assert imported(Card(made.v2(character_book=book)), Given()).knowledge == (
        "Brother Alf keeps the chapel. He preaches on Sundays! It is cold there", "The bell is cracked"
    )  # fmt: skip


def test_a_line_is_what_stands_in_quotation_marks_if_that_ends_like_speech() -> None:
    names = MacroNames("Ada")
    assert spoken('"In or out!" *She waves.* "Sit."', names) == "In or out! Sit."
    assert spoken('She looks up. "Good day," she says, "come in," and smiles.', names) == "Good day, come in."
    assert spoken("“Mind the step.”", names) == "Mind the step."
    assert spoken('I read "War and Peace" last year.', names) == 'I read "War and Peace" last year.'


PNG = made.FILES["v2.png"]
BOMB = made.in_charx(made.v3(), bomb=b"\0" * (200 << 20))
WRONG: list[tuple[str, bytes, str]] = [
    ("empty.json", b"", "not JSON"),
    ("binary.json", b"\xff\xfe\0\1", "not JSON"),
    ("list.json", b"[1]", "not a JSON object"),
    ("deep.json", b"[" * 100_000, "not JSON"),
    ("nested.json", made.raw(made.v2(extensions=json.loads("[" * 200 + "]" * 200))), "nested"),
    ("nan.json", b'{"name": NaN}', "not JSON"),
    ("big.json", b" " * (MOST_JSON + 1), "bytes"),
    ("nothing.json", b"{}", "character card"),
    ("other.json", made.raw({"spec": "chara_card_v9", "data": {}}), "chara_card_v9"),
    ("no_data.json", made.raw({"spec": "chara_card_v2", "data": 3}), "no 'data'"),
    ("no_name.json", made.raw(made.v2(name=" ")), "no name"),
    ("name_is_a_list.json", made.raw(made.v2(name=["Ada"])), "no name"),
    ("no_card.png", png.plain(), "no character card"),
    ("cut.png", PNG[:-30], "cut short"),
    ("cut_in_the_middle.png", PNG[:60], "cut short"),
    ("only_a_head.png", png.SIGNATURE, "cut short"),
    ("huge_chunk.png", png.SIGNATURE + b"\xff\xff\xff\xfftEXt" + b"chara\0", "cut short"),
    ("checksum.png", PNG.replace(b"chara\0ey", b"chara\0eX"), "checksum"),
    ("not_base64.png", png.SIGNATURE + png._chunk(b"tEXt", b"chara\0!!!") + png._chunk(b"IEND", b""), "not base64"),
    ("not_json.png", png.SIGNATURE + png._chunk(b"tEXt", b"ccv3\0aGVsbG8=") + png._chunk(b"IEND", b""), "not JSON"),
    ("cut.charx", made.FILES["assets.charx"][:-40], "cannot be read"),
    ("no_card.charx", made.in_charx(made.v3()).replace(b"card.json", b"cord.json"), "no card.json"),
    ("bomb.charx", BOMB, "unpacks to more than"),
    ("many.charx", made.in_charx(made.v3(), **{f"f{i}": b"" for i in range(charx.MOST_FILES)}), "files"),
    ("up.charx", made.in_charx(made.v3(), **{"..__..__evil.txt": b"x"}), "evil.txt"),
    ("root.charx", made.in_charx(made.v3(), **{"__etc__evil": b"x"}), "evil"),
    ("windows.charx", made.in_charx(made.v3(), **{"c:\\evil": b"x"}), "evil"),
]


@pytest.mark.parametrize(("name", "raw", "why"), WRONG, ids=[name for name, _, _ in WRONG])
def test_a_broken_or_hostile_file_is_refused_with_its_name_and_the_reason(name: str, raw: bytes, why: str) -> None:
    with pytest.raises(FileProblem, match=why) as caught:
        card_of(raw, name)
    assert str(caught.value).startswith(name)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["a. " * 1_000_000, "x" * 3_000_000, "*a " * 1_000_000, "{{user}}: a\n" * 300_000, "\n" * 3_000_000])
def test_a_giant_text_is_read_in_part_and_said_to_be(text: str) -> None:
    fields = dict.fromkeys(("description", "personality", "scenario", "first_mes", "mes_example"), text)
    result = imported(Card(made.v2(**fields)), Given())
    assert len(str(result.values["identity"])) <= 8_000
    assert text.isspace() or any("Only the first" in warning for warning in result.warnings)


def test_files_that_are_there_are_not_replaced(tmp_path: Path) -> None:
    card, given = Card(made.v2()), Given()
    beside.write(tmp_path, card, imported(card, given), given, force=False)
    (tmp_path / "ada_finch.card.json").unlink()
    with pytest.raises(BadInput, match="--force"):
        beside.write(tmp_path, card, imported(card, given), given, force=False)
    assert not (tmp_path / "ada_finch.card.json").exists(), "some of the files were written"
    assert beside.write(tmp_path, card, imported(card, given), given, force=True)


def test_texts_that_could_break_the_yaml_stay_texts(tmp_path: Path) -> None:
    nasty: dict[str, Any] = {
        "name": "Ada: {a}\n- 'b'",
        "description": "# no comment: it is [a] {b}\n--- \n&anchor *alias !!tag\n\ttab\x1b[31m\u2028 yes: no\n'\"\n",
        "first_mes": "yes",
        "scenario": "06:30",
    }
    card = Card(made.v2(**nasty))
    (*_, path) = beside.write(tmp_path, card, imported(card, Given()), Given(), force=False)
    persona = load_persona(read_document(path), "town")
    assert persona.name == "Ada: {a} - 'b'"
    assert "# no comment: it is [a] {b}"[2:] in persona.identity
    assert "\x1b" not in path.read_text()
