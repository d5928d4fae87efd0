"""A paragraph about somebody: whom its pronouns mean, and what can be said of it in the first person."""

from __future__ import annotations

import pytest

from npc_server.english.about_oneself import gender_in, is_clear, with_name
from npc_server.english.first_person import in_first_person
from npc_server.english.text import facts

ME = ("Yara Osei", "Yara")


def named(prose: str) -> list[str]:
    return with_name(facts(prose), "Yara", ME)


def test_facts_end_with_sentences_and_at_semicolons() -> None:
    assert facts("Yara heals; she sings. The sickbay opens at 7!  Dr. Birk helps.") == (
        "Yara heals",
        "she sings",
        "The sickbay opens at 7!",
        "Dr. Birk helps",
    )


@pytest.mark.parametrize(
    "text", ['Yara has a dog called "Rex" that bites', "Yara lives at No. 5 Mill Lane", 'Yara calls it "the Eel" for short']
)
def test_a_sentence_that_goes_on_is_one_fact(text: str) -> None:
    assert facts(text + ".") == (text,)


def test_a_pronoun_that_means_the_person_becomes_the_name() -> None:
    prose = "Yara Osei is a medic. She trained in Accra. Her husband Ben fishes. The bay opens at seven. At noon she eats."
    assert named(prose)[1:] == ["Yara trained in Accra", "Yara's husband Ben fishes", "The bay opens at seven", "At noon Yara eats"]


@pytest.mark.parametrize("other", ["Her mother Ada kept the inn", "Tomasina is the foreman", "The widow is strict"])
def test_a_pronoun_that_may_mean_somebody_else_stays(other: str) -> None:
    assert named(f"Yara heals. She sings. {other}. She died last winter.")[-1] == "She died last winter"


def test_somebody_of_the_other_gender_is_not_taken_for_the_person() -> None:
    prose = "Yara heals. She sings. Her brother Kofi was lost with the Dauntless. She carries his pocket knife."
    assert gender_in(facts(prose), ME) == "f"
    assert named(prose)[-1] == "Yara carries his pocket knife"
    assert in_first_person("Yara carries his pocket knife", ME, gender="f") == "I carry his pocket knife"


@pytest.mark.parametrize(
    ("told", "clear"),
    [
        ("I live near the school where her daughter studies", False),
        ("My niece Ada is seven, and she keeps ducks", False),
        ("Her daughter studies on Mars", False),
        ("Their son went to sea", False),
        ("Last winter Yara set nine arms", False),
        ("I look after my father, who says he is well", True),
        ("The sickbay opens at seven", True),
    ],
)
def test_what_may_still_mean_the_speaker_in_the_third_person_is_not_clear(told: str, clear: bool) -> None:
    assert is_clear(told, ME, "f") is clear
