from __future__ import annotations

from pathlib import Path

import npc_server
from npc_server.affordable.habits import check_habits, habit_of, things_of
from npc_server.documents import read_document
from npc_server.personas.schema import load_persona
from npc_server.records import Document
from npc_server.sandbox.towns import find_cast
from npc_server.world.household import Command

NORA = Path(npc_server.__file__).parent / "data/towns/household/personas/nora_lind.yaml"


def test_a_routine_names_commands_with_their_minutes() -> None:
    persona = load_persona(read_document(NORA), "household")
    texts = [item.text for item in persona.routine if item.commands == ("use toilet for 4",)]
    texts += [step.text for item in persona.routine for step in item.steps if step.commands == ("use toilet for 4",)]
    assert habit_of(persona, texts[0].upper()) == [(Command("use", "toilet"), 4)]
    assert habit_of(persona, "something nobody wrote down") == []


def test_the_commands_of_the_people_who_ship_name_what_is_there() -> None:
    cast = find_cast("household")
    assert [str(problem) for persona in cast.people for problem in check_habits(persona, things_of(cast.town.nodes()))] == []


def test_a_command_that_would_be_left_out_in_play_is_told_with_its_line_and_the_fix() -> None:
    nodes = find_cast("household").town.nodes()
    text = NORA.read_text(encoding="utf-8").replace("use toilet for 4", "use toilett for 4, uze toilet", 1)
    persona = load_persona(Document("nora.yaml", text), "household")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if "toilett" in row)
    first, second = (str(problem) for problem in check_habits(persona, things_of(nodes)))
    assert first == f"nora.yaml:{line}: 'use toilett for 4' names 'toilett', and the town has no such thing. Did you mean 'toilet'?"
    assert second == f"nora.yaml:{line}: 'uze toilet' is no command. Did you mean 'use'?"


def test_where_no_household_is_nothing_is_said() -> None:
    persona = load_persona(Document("nora.yaml", NORA.read_text(encoding="utf-8").replace("toilet", "nothing")), "household")
    assert check_habits(persona, things_of(find_cast("millbrook").town.nodes())) == []
