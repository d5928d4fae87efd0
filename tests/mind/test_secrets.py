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
    mind.social["tobin_hale"] = replace(relationships.of(mind, "tobin_hale"), closeness=secrets.TRUSTED)
    assert not secrets.told(mind, line, ["tobin_hale"])
    assert secrets.told(mind, line, ["tobin_hale", "a stranger"])


def test_what_the_others_said_themselves_is_no_secret(make_mind: MakeMind) -> None:
    assert not secrets.told(keeping(make_mind()), "Deep water? Me?", ["a stranger"], ["Are you afraid of deep water?"])


async def test_a_line_that_tells_a_secret_is_asked_for_once_more(make_mind: MakeMind) -> None:
    tells, keeps = "say: I'm afraid of deep water.\nthen: go on", "say: I like it here.\nthen: go on"
    for checked, expected in ((True, "I like it here."), (False, "I'm afraid of deep water.")):
        mind = keeping(make_mind(ScriptedEngine({"say": [tells, keeps]}, check_replies=checked)))
        said, by = await converse.say(mind, talk(("tobin_hale", "Come, let us swim.")), MORNING, frozenset())
        assert (said.text, by) == (expected, Source.MODEL)


async def test_a_checked_model_repeats_no_sentence_of_the_talk(make_mind: MakeMind) -> None:
    again, other = "say: Well. The oven is not hot yet. Bye.\nthen: go on", "say: Not today.\nthen: go on"
    lines = talk(("tobin_hale", "Bread?"), ("mara_voss", "The oven is not hot yet. Later."), ("tobin_hale", "And now?"))
    for checked, expected in ((True, "Not today."), (False, "Well. The oven is not hot yet. Bye.")):
        mind = make_mind(ScriptedEngine({"say": [again, other]}, check_replies=checked))
        said, _ = await converse.say(mind, lines, MORNING, frozenset())
        assert said.text == expected
