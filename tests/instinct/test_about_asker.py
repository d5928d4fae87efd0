"""What one remembers of whom one talks with."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.instinct import about_asker
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource, MemoryTopic
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


async def says(mind: Mind, who: str, verb: str, words: str, importance: int = 4, ago: int = 3600) -> None:
    await mind.remember(
        [f'{who} {verb}: "{words}"'],
        kind=MemoryKind.CONVERSATION,
        at=MORNING - ago,
        importance=[importance],
        source=MemorySource.TOLD,
        source_person=who,
        triples=[(who, "told", "Mara")],
        topics=[MemoryTopic(verb)],
    )


async def test_what_weighs_most_of_what_somebody_told_is_kept_in_their_words(make_mind: MakeMind) -> None:
    mind = make_mind()
    await says(mind, "Robin", "said", "My dog died last week.", 7)
    await says(mind, "Robin", "said", "I have a red kite.")
    await says(mind, "Cora", "said", "My dog is called Rex.", 9)
    assert about_asker.latest_told(mind, "Robin") == "My dog died last week."
    assert about_asker.latest_told(mind, "Ada") == ""


async def test_whom_one_has_met_one_knows_and_the_talk_that_goes_on_is_no_meeting(make_mind: MakeMind) -> None:
    """Also when a game is closed and opened again, for which its time stands still."""
    mind = make_mind()
    await says(mind, "Robin", "said", "I have a red kite.", ago=0)
    assert not about_asker.has_met(mind, "Robin", ["I have a red kite.", "Do you remember me?"])
    assert about_asker.has_met(mind, "Robin", ["Do you remember me?"])
    assert not about_asker.has_met(mind, "Cora")
