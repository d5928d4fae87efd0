"""Ids are made of names in any script."""

from __future__ import annotations

import pytest

from npc_server.personas.cards.ids import id_of
from npc_server.personas.file import slug

NAMES = {
    "Ada Finch": "ada_finch",
    "Zoë 🦊 O'Hara": "zoe_o_hara",
    "7 of 9": "p_7_of_9",
    "Þórunn Öskudóttir": "thorunn_oskudottir",
    "Jürgen GROẞ": "jurgen_gross",
    "Bjørn Ægirsson": "bjorn_aegirsson",
    "Đorđe Łuć": "dorde_luc",
    "Œdipe": "oedipe",
    "Eiður Ħamrun": "eidur_hamrun",
    "İpek Işık": "ipek_isik",
    "Nguyễn Thị Ánh": "nguyen_thi_anh",
    "Аня Ковальчук": "anya_kovalchuk",
    "Юлія Щербак": "yuliya_shcherbak",
    "Ξένια Ψαρά": "xenia_psara",
    "김민수": "gimminsu",
    "さくら": "sakura",
    "王 Ming": "ming",
}


@pytest.mark.parametrize("name", NAMES)
def test_letters_of_other_alphabets_are_written_in_latin(name: str) -> None:
    assert id_of(name) == NAMES[name]


def test_a_name_that_cannot_be_written_in_latin_gets_an_id_of_its_own() -> None:
    names = ("王小明", "王小红", "محمد", "שרה", "🦊", "المعلم 2", "'")
    ids = [id_of(name) for name in names]
    assert len(set(ids)) == len(names)
    assert all(npc.startswith("person_") for npc in ids)
    assert id_of("王小明") == "person_ce67d1f7", "an id changed, and with it the person in old saves"


@pytest.mark.parametrize("name", [*NAMES, "王小明", "x" * 300, "_", "1" * 90, "ª", "ℵ", "\ud800"])
def test_every_id_is_one_that_a_persona_file_takes(name: str) -> None:
    assert slug(id_of(name)) == id_of(name)
