from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.cognition import converse
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import relationships, secrets
from npc_server.mind.mind import Mind
from npc_server.records import Source
from tests.cognition.gossip import talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
SECRET = "She keeps to herself that she is afraid of deep water."


def keeping(mind: Mind) -> Mind:
    mind.persona = replace(mind.persona, identity_phrases=(*mind.persona.identity_phrases, SECRET), secrets=(SECRET,))
    return mind


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("I'm afraid of deep water, if you must know.", True),
        ("Deep water frightens me.", True),
        ("I keep that to myself.", False),
        ("A glass of water?", False),
        ("Not afraid of work, are you?", False),
    ],
)
def test_a_line_with_the_telling_words_of_a_secret_tells_it(make_mind: MakeMind, line: str, tells: bool) -> None:
    assert bool(secrets.told(keeping(make_mind()), line, ["a stranger"])) is tells


def test_a_close_friend_may_be_told_unless_others_hear_it(make_mind: MakeMind) -> None:
    mind = keeping(make_mind())
    line = "I'm afraid of deep water."
    mind.relationships.social["tobin_hale"] = replace(relationships.of(mind, "tobin_hale"), closeness=secrets.TRUSTED)
    assert not secrets.told(mind, line, ["tobin_hale"])
    assert secrets.told(mind, line, ["tobin_hale", "a stranger"])


def test_what_the_others_said_themselves_is_no_secret(make_mind: MakeMind) -> None:
    assert not secrets.told(keeping(make_mind()), "Deep water? Me?", ["a stranger"], ["Are you afraid of deep water?"])


async def test_a_models_line_that_tells_a_secret_is_asked_for_once_more(make_mind: MakeMind) -> None:
    script = {"say": ["I'm afraid of deep water.", "I like it here."], "chat_after": ["nothing"]}
    mind = keeping(make_mind(ScriptedEngine(script, chats=True)))
    said = await converse.say(mind, talk(("tobin_hale", "Come, let us swim.")), MORNING, frozenset())
    assert (said.text, said.source) == ("I like it here.", Source.MODEL)


async def test_a_model_repeats_no_sentence_of_the_talk(make_mind: MakeMind) -> None:
    script = {"say": ["Well. The oven is not hot yet. Bye.", "Not today."], "chat_after": ["nothing"]}
    mind = make_mind(ScriptedEngine(script, chats=True))
    lines = talk(("tobin_hale", "Bread?"), ("mara_voss", "The oven is not hot yet. Later."), ("tobin_hale", "And now?"))
    said = await converse.say(mind, lines, MORNING, frozenset())
    assert said.text == "Not today."
