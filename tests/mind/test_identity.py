from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from jinja2 import Environment, meta

from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import identity
from npc_server.mind.mind import Mind
from npc_server.prompts.load import ENDING, PACKAGE_FOLDER
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def test_the_paragraph_holds_name_age_traits_phrases_what_is_current_and_how_the_days_go(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, currently="Mara wonders about Ines", lifestyle="Mara gets up at six")
    assert identity.paragraph(mind) == (
        "Mara Voss, 34 years old, is warm and blunt. Mara Voss bakes the bread of Millbrook. Mara keeps the Kettle Café. "
        "Mara worries about the rent. Mara wonders about Ines. Mara gets up at six."
    )


def test_this_mornings_mind_stands_in_place_of_the_personas(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, currently="Mara wonders about Ines")
    mind.identity.currently = "Mara has a party to give!"
    text = identity.paragraph(mind)
    assert "Mara has a party to give!" in text
    assert "wonders" not in text


def test_relations_are_told_by_name_with_the_feeling(make_mind: MakeMind) -> None:
    values = identity.values_of(make_mind(), MORNING)
    assert values["relations"] == ["Tobin Hale is Mara's neighbour. She likes his dry jokes."]
    assert (values["date"], values["time"]) == ("Monday 4 May", "06:00")


def test_nobody_elses_name_stands_in_a_persons_identity(make_mind: MakeMind) -> None:
    """Mistake 8: the reference's prompts name two of its own characters whoever is asked."""
    mind = make_mind()
    mind.persona = replace(mind.persona, relations=())
    assert "Tobin" not in str(identity.values_of(mind, MORNING))


def test_what_a_mind_found_out_about_itself_is_told_once_and_its_secrets_are_named_as_such(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    mind.persona = replace(mind.persona, secrets=("Mara hides a letter of the coffee house chain under her account book",))
    mind.identity.summary = "Mara is warm and blunt. Mara takes things as they come."
    mind.identity.currently = "Mara thinks of the letter of the coffee house chain. She bakes for the supper."
    told, _, secret = identity.in_prompts(mind).partition(" You keep this to yourself: ")
    assert told.endswith("Mara worries about the rent. Mara takes things as they come. She bakes for the supper.")
    assert "blunt" not in told, "every prompt begins with that"
    assert secret.endswith("under her account book. Mara thinks of the letter of the coffee house chain.")


def test_what_lasts_changes_with_no_thought_and_thoughts_stand_apart_without_secrets(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    mind.persona = replace(mind.persona, secrets=("Mara hides a letter of the coffee house chain under her account book",))
    before = identity.lasting(mind)
    mind.identity.summary = f"Mara takes things as they come. {mind.persona.open_phrases[0]}."
    mind.identity.currently = "Mara thinks of the letter of the coffee house chain. She bakes for the supper."
    assert identity.lasting(mind) == before
    assert "letter" not in before
    assert identity.thoughts(mind) == "Mara takes things as they come. She bakes for the supper."


def test_a_thought_that_only_repeats_a_secret_is_left_out(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    mind.persona = replace(mind.persona, secrets=("Mara hides a letter of the coffee house chain under her account book",))
    mind.identity.currently = "Mara hides a letter of the coffee house chain."
    assert identity.in_prompts(mind).count("hides a letter") == 1


def test_the_short_form_is_who_somebody_is_without_secrets(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, secrets=mind.persona.identity_phrases[:1])
    assert identity.brief(mind) == "Mara keeps the Kettle Café."


def test_in_short_there_is_who_one_is_and_what_is_on_ones_mind_and_no_secret(make_mind: MakeMind) -> None:
    mind = make_mind()
    first = mind.persona.identity_phrases[0]
    mind.identity.currently = "Mara has a party to give"
    assert identity.in_short(mind) == "Mara Voss bakes the bread of Millbrook. Mara has a party to give."
    mind.persona = replace(mind.persona, secrets=(first,))
    assert "Mara keeps the Kettle Café." in identity.in_short(mind)
    assert first not in identity.in_short(mind)


def test_the_baseline_is_told_who_it_is_in_the_third_person(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), fuller_calls=False)
    assert identity.brief(mind) == "Mara Voss, 34 years old, is warm and blunt. Mara Voss bakes the bread of Millbrook."


@pytest.mark.parametrize("question", sorted({"say", "react", "interview", "talk_over", "plan_day", "reflect_insights", "act"}))
def test_a_prompt_speaks_to_one_person_and_says_whose_the_notes_are(make_mind: MakeMind, question: str) -> None:
    mind = make_mind(ScriptedEngine({}))
    names = meta.find_undeclared_variables(Environment(autoescape=False).parse((PACKAGE_FOLDER / f"{question}{ENDING}").read_text("utf-8")))
    shown = mind.tools.prompts.render(question, {**dict.fromkeys(names, ""), **identity.values_of(mind, MORNING)})
    assert shown.part("system").startswith(
        "You are Mara Voss, 34 years old, warm and blunt. You live your own life; you are not an assistant.\n"
        "These notes call you by your name: Mara Voss bakes the bread of Millbrook."
    )
