"""Values that are laid over the text of a persona file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npc_server
from npc_server.documents import load_yaml, read_document
from npc_server.errors import BadInput
from npc_server.personas.overlay import overlaid
from npc_server.records import Document

MILLBROOK = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook" / "personas"
TEXT = """\
# Ada
name: Ada Finch  # her name
age: 40
hair: red
traits: [shy]
identity: >
  Ada Finch mends clocks;
  Ada sings

home: workshop:bed
routine:
  # In the morning
  - at: "07:00"
    do: eat
    where: workshop
    mood: gay  # unknown
  # Later
  - {at: "08:00", do: mend clocks, where: workshop}
# The end
offers:
- name: sell
  description: sell a clock
  parameters: [{name: item, type: choice, options: [clock]}]
"""


def over(new: dict[str, Any], text: str = TEXT) -> str:
    return overlaid(Document("ada.yaml", text), new)


def changed(new: dict[str, Any], text: str = TEXT) -> tuple[list[str], list[str]]:
    """The lines that go and those that come."""
    before, after = text.splitlines(), over(new, text).splitlines()
    return [it for it in before if it not in after], [it for it in after if it not in before]


def test_a_value_changes_in_its_place_and_nothing_else_does() -> None:
    assert changed({"name": "Ada: Lark", "age": 41}) == (
        ["name: Ada Finch  # her name", "age: 40"],
        ['name: "Ada: Lark"  # her name', "age: 41"],
    )
    assert over({"name": "Ada Finch", "traits": ["shy"], "identity": "Ada Finch mends clocks; Ada sings"}) == TEXT


def test_a_new_key_stands_where_the_docs_have_it_and_an_empty_one_is_not_written() -> None:
    assert over({"currently": "Ada has news.", "work": "", "voice": {"style": ""}}) == TEXT.replace(
        "  Ada sings\n", "  Ada sings\ncurrently: Ada has news.\n"
    )
    assert over({"voice": {"style": "dry"}}).index("voice:\n  style: dry\n") < TEXT.index("offers")


def test_a_folded_text_stays_folded() -> None:
    gone, come = changed({"identity": "Ada Finch bakes"})
    assert (gone, come) == (["  Ada Finch mends clocks;", "  Ada sings"], ["  Ada Finch bakes"])


def test_rows_are_changed_moved_added_and_removed_with_their_comments_and_unknown_keys() -> None:
    rows: list[dict[str, Any]] = [
        {"_row": 1, "at": "06:30"},
        {"_row": 0, "do": "eat, slowly"},
        {"at": "09:00", "do": "rest", "where": "workshop"},
    ]
    assert over({"routine": rows}).split("routine:\n")[1].split("offers:")[0] == (
        '  # Later\n  - {at: "06:30", do: mend clocks, where: workshop}\n'
        '  # In the morning\n  - at: "07:00"\n    do: "eat, slowly"\n    where: workshop\n    mood: gay  # unknown\n'
        '  - at: "09:00"\n    do: rest\n    where: workshop\n# The end\n'
    )
    left = over({"routine": [{"_row": 1}]})
    assert "  # In the morning\n  # Later\n  - {at:" in left
    assert "mood" not in left
    emptied = over({"routine": []})
    assert "routine: []\n  # In the morning\n  # Later\n# The end\n" in emptied


def test_a_list_inside_of_a_row_changes_too() -> None:
    item = {"_row": 0, "options": ["clock", "watch"]}
    text = over(
        {"offers": [{"_row": 0, "words": ["buy"], "parameters": [item, {"name": "count", "type": "integer", "low": 1, "high": 3}]}]}
    )
    (offer,) = value(text)["offers"]
    assert offer["parameters"] == [
        {"name": "item", "type": "choice", "options": ["clock", "watch"]},
        {"name": "count", "type": "integer", "low": 1, "high": 3},
    ]
    assert offer["words"] == ["buy"]


def value(text: str) -> Any:
    return load_yaml(Document("f.yaml", text)).value


def test_a_new_file_has_only_what_is_given() -> None:
    rows = [{"at": "07:00", "do": "eat", "where": "hut"}]
    assert value(over({"name": "Ada", "work": None, "routine": rows, "offers": []}, "")) == {"name": "Ada", "routine": rows}


def test_windows_line_ends_and_tabs_do_no_harm() -> None:
    text = TEXT.replace("\n", "\r\n")
    assert over({"age": 41}, text) == text.replace("40", "41")
    assert value(over({"age": 41}, TEXT.replace("    do: eat", "\t\tdo: eat")))["age"] == 41


@pytest.mark.parametrize("text", ["{name: Ada, age: 40}\n", "name: &a Ada\nfirst_name: *a\nage: 40\n"])
def test_an_unusual_file_is_left_alone(text: str) -> None:
    with pytest.raises(BadInput, match=r"The form cannot change ada\.yaml"):
        over({"age": 41}, text)


words = st.text(st.sampled_from("ab :#'\"-[]{},&*!|>%@`\\é\n"), max_size=12)
row = st.fixed_dictionaries({"at": words, "do": words, "where": words})


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_read_again_is_what_was_laid_over(data: st.DataObject) -> None:
    document = read_document(MILLBROOK / data.draw(st.sampled_from(["mara_voss.yaml", "tobin_hale.yaml"])))
    old: Any = load_yaml(document).value
    order = data.draw(st.lists(st.integers(0, len(old["routine"]) - 1), unique=True, max_size=5))
    rows = [{"_row": number, **data.draw(row)} for number in order] + data.draw(st.lists(row, max_size=2))
    new = {"name": data.draw(words), "identity": data.draw(words), "traits": data.draw(st.lists(words, max_size=3)), "routine": rows}
    found = value(overlaid(document, new))  # it compares both itself, and raises if they differ
    assert [(it.get("at", ""), it.get("do", "")) for it in found["routine"]] == [(it["at"], it["do"]) for it in rows] or "\n" in str(new)
    assert found["relations"] == old["relations"]
