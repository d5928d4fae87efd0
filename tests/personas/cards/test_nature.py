"""What a card says of its character becomes sentences by name, traits and secrets."""

from __future__ import annotations

from npc_server.personas.cards.nature import Nature, may_be_secret, nature
from npc_server.personas.cards.prose import MacroNames

ADA = ("Ada Finch", "Ada")
W_PLUS_PLUS = """[Character("Ada 'Addie' Finch")
{
Age("44")
Gender("female")
Occupation("clockmaker" + "owner of a shop on Mill Street")
Personality("soft-spoken" + "exact about money" + "never threatens, only sighs")
Likes("carriage clocks" + "anise drops")
Background("did four years in Graywater" + "got a shop from an aunt")
Weather("wet")
Secret("Ada stole the tower's spring")
}]
{{char}} winds every clock. {{user}} owes her money."""


def read(description: str, personality: str = "") -> Nature:
    return nature(description, personality, MacroNames("Ada"), ADA)


def test_w_plus_plus_becomes_sentences() -> None:
    found = read(W_PLUS_PLUS)
    assert found.facts == (
        "Ada is female",
        "Ada's occupation: clockmaker, owner of a shop on Mill Street",
        "Ada never threatens, only sighs",
        "Ada likes carriage clocks and anise drops",
        "Ada did four years in Graywater",
        "Ada got a shop from an aunt",
        "Weather: wet",
        "Ada winds every clock",
    )
    assert found.traits == ("soft-spoken", "exact about money")
    assert found.secrets == ("Ada stole the tower's spring",)
    assert (found.age, found.left_out) == (44, 1)


def test_labels_on_lines_and_in_brackets_become_sentences() -> None:
    found = read("Name: Ada Finch\n- Age: sixty\nLoves: clocks, rain\nAda's hair: red\n[Job: mends clocks; Secret: cannot tell the time]")
    assert found.facts == ("Ada loves clocks, rain", "Ada's hair: red", "Ada mends clocks")
    assert found.secrets == ("Ada's secret: cannot tell the time",)
    assert found.age == 60


def test_a_list_of_traits_becomes_traits_and_its_deeds_sentences() -> None:
    found = read("", "salty, a bit of a worrier, dry-humoured, laughs at her own jokes and kind")
    assert found.traits == ("salty", "a bit of a worrier", "dry-humoured", "kind")
    assert found.facts == ("Ada laughs at her own jokes",)
    for prose in ("Ada is patient, kind, brave", "A quiet, kind woman who never laughs", "Patient"):
        assert read("", prose).traits == (), prose
        assert read("", prose).facts == (prose,)
    assert read("", "She is kind, brave").facts == ("Ada is kind, brave",)


def test_a_paragraph_that_begins_with_a_pronoun_speaks_of_the_character() -> None:
    found = read("People ask Ada, and she answers.\n\nShe has a goat. Her sister Hal is cross.\nHis goat is old.\nHer van is red.")
    assert found.facts == (
        "People ask Ada, and she answers", "Ada has a goat", "Her sister Hal is cross", "His goat is old", "Ada's van is red"
    )  # fmt: skip


def test_the_age_of_somebody_else_is_not_taken() -> None:
    assert read("Ada mends clocks. Her mother is 79. She is 79.").age is None
    assert read("Ada mends clocks. She is 79 and deaf.").age == 79


def test_words_of_secrecy_are_noticed() -> None:
    for fact in (
        "What she has told nobody: she was drunk",
        "Ada hasn't told a single borrower",
        "Nobody else knows it",
        "Ada secretly sings",
    ):
        assert may_be_secret(fact), fact
    for fact in ("Ada told the harbour that the mountain sleeps", "Nobody likes Ada", "Ada is the town's secretary"):
        assert not may_be_secret(fact), fact
